#include "http/own.h"

#include "http/problem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

void reply_release(struct reply *reply)
{
    if (reply->release)
        reply->release(reply->held);
    reply->release = NULL;
    reply->fixed = STR_NONE;
}

void reply_fault(struct exchange *x, enum fault_code code, const struct fault *fault)
{
    struct call *call = (struct call *)x;

    assert(code == fault->code);
    if (call->streams)
        call->source.close(call->source.context);
    call->streams = false;
    buf_clear(&x->reply.body);
    reply_release(&x->reply);
    x->reply.header_count = 0;
    x->reply.status = 0;
    x->reply.type = NULL;
    if (x->table && x->table->write_fault)
        x->table->write_fault(x, fault);
    else
        problem_write(x, fault);
    if (x->reply.status == 0)
        x->reply.status = fault_status(code);
    if (fault_retryable(code))
        reply_header(x, "Retry-After", STR("1"));
    if (code == FAULT_UNAUTHORIZED)
        reply_header(x, "WWW-Authenticate", STR("Bearer"));
}

static bool has_header(const struct reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->header_count; i++)
        if (strcasecmp(reply->headers[i].name, name) == 0)
            return true;
    return false;
}

/* A value with a line break would be a header more: libmicrohttpd refuses it, and so it is lost. */
static void add_header(struct MHD_Response *response, const struct reply_header *header)
{
    char text[1024], *value = text;

    if (header->value.n >= sizeof(text)) {
        value = malloc(header->value.n + 1);
        if (!value)
            abort();
    }
    if (header->value.n)
        memcpy(value, header->value.p, header->value.n);
    value[header->value.n] = '\0';
    MHD_add_response_header(response, header->name, value);
    if (value != text)
        free(value);
}

void reply_add_own(struct call *call, struct MHD_Response *response)
{
    for (size_t i = 0; i < call->x.reply.header_count; i++)
        add_header(response, &call->x.reply.headers[i]);
}

static void add_headers(struct call *call, struct MHD_Response *response)
{
    const struct reply *reply = &call->x.reply;
    const struct reply_header id = {"Tine-Request-Id", call->x.request.id};

    if (reply->status != 204 && reply->status != 304)
        MHD_add_response_header(response, "Content-Type",
                                reply->type ? reply->type : "application/json");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (!has_header(reply, "Cache-Control"))
        MHD_add_response_header(response, "Cache-Control", "no-store");
    add_header(response, &id);
    if (call->allow[0] && (reply->status == 405 || call->x.request.method == HTTP_OPTIONS))
        MHD_add_response_header(response, "Allow", call->allow);
    reply_add_own(call, response);
    if (call->last || call->server->stopping)
        MHD_add_response_header(response, "Connection", "close");
}

static struct MHD_Response *fixed_response(struct reply *reply)
{
    void *bytes = (void *)(uintptr_t)reply->fixed.p;
    struct MHD_Response *response;

    if (!reply->release)
        return MHD_create_response_from_buffer(reply->fixed.n, bytes, MHD_RESPMEM_PERSISTENT);
    response = MHD_create_response_from_buffer_with_free_callback_cls(reply->fixed.n, bytes,
                                                                      reply->release, reply->held);
    if (response)
        reply->release = NULL; /* libmicrohttpd calls it when all is sent */
    return response;
}

static struct MHD_Response *body_response(struct call *call)
{
    struct reply *reply = &call->x.reply;
    struct MHD_Response *response;

    if (reply->fixed.p) {
        call->bytes_out = (int64_t)reply->fixed.n;
        return fixed_response(reply);
    }
    call->bytes_out = (int64_t)reply->body.n;
    if (reply->body.n == 0)
        return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    response =
        MHD_create_response_from_buffer_with_free_callback(reply->body.n, reply->body.p, free);
    if (response)
        reply->body.p = NULL; /* it is libmicrohttpd's now */
    buf_init(&reply->body, reply->body.max);
    return response;
}

enum MHD_Result reply_queue(struct call *call)
{
    struct exchange *x = &call->x;
    struct MHD_Response *response;
    enum MHD_Result result;

    if (call->streams)
        return stream_begin(call);
    if (x->reply.body.full) {
        struct fault fault;

        fault_write(&fault, FAULT_INTERNAL, "the reply would have more than %zu bytes",
                    x->reply.body.max);
        reply_fault(x, fault.code, &fault);
    }
    if (x->reply.status == 0)
        x->reply.status = x->route && x->route->status ? x->route->status : 200;
    response = body_response(call);
    if (!response)
        return MHD_NO;
    add_headers(call, response);
    call->state = CALL_SENDING;
    result = MHD_queue_response(call->conn->mhd, (unsigned)x->reply.status, response);
    MHD_destroy_response(response);
    return result;
}
