/* What handlers do with their exchange, which is a call to the edge. */
#include "http/own.h"

#include <assert.h>

void exchange_defer(struct exchange *x)
{
    *((struct call *)x)->deferred = true;
}

void exchange_stream(struct exchange *x, const struct stream_source *source)
{
    struct call *call = (struct call *)x;

    call->streams = true;
    call->source = *source;
}

struct server *exchange_server(struct exchange *x)
{
    return ((struct call *)x)->server;
}

void reply_header(struct exchange *x, const char *name, struct str value)
{
    assert(x->reply.header_count < REPLY_HEADERS_MAX);
    x->reply.headers[x->reply.header_count++] = (struct reply_header){name, value};
}

/* Nobody gets the answer. */
static void call_drop(struct call *call)
{
    if (call->streams)
        call->source.close(call->source.context);
    call_free(call);
}

static void answer_deliver(struct letter *letter)
{
    struct call *call = (struct call *)((char *)letter - offsetof(struct call, letter));

    if (!call->conn) {
        call_drop(call);
        return;
    }
    call->state = CALL_ANSWERED;
    MHD_resume_connection(call->conn->mhd); /* who delivers the letters runs libmicrohttpd next */
}

void exchange_answer(struct exchange *x, enum fault_code code, const struct fault *fault)
{
    struct call *call = (struct call *)x;

    if (code)
        reply_fault(x, code, fault);
    call->letter.deliver = answer_deliver;
    if (!inbox_put(call->inbox, &call->letter))
        call_drop(call);
}
