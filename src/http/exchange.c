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

/* The route that answers instead: as route_find, but the path stands without the prefix. */
static enum fault_code find_again(struct exchange *x, const struct route_table *table,
                                  struct fault *fault)
{
    struct call *call = (struct call *)x;
    struct route_table bare = *table;
    const struct route_table *only = &bare;
    struct route_match match;
    enum fault_code code;

    bare.prefix = "";
    memset(x->request.params, 0, sizeof(x->request.params));
    code = route_find(&only, 1, &x->request, x->request.raw_query, &x->arena, &match, fault);
    x->table = table;
    x->route = match.route;
    memcpy(call->allow, match.allow, sizeof(call->allow));
    return code;
}

enum fault_code exchange_reroute(struct exchange *x, const struct route_table *table,
                                 struct fault *fault)
{
    struct call *call = (struct call *)x;

    if (find_again(x, table, fault) != FAULT_OK || call_admit(call, fault) != FAULT_OK ||
        call_body_check(call, x->route, (int64_t)x->request.body.n, fault) != FAULT_OK)
        return fault_pass(fault);
    if (x->route->where == ROUTE_WORK)
        return x->route->run(x, fault);
    exchange_defer(x);
    call->letter.deliver = call_run_on_loop;
    if (!inbox_put(call->inbox, &call->letter))
        call_free(call);
    return FAULT_OK;
}

void exchange_assign(struct exchange *x, const struct route_table *table)
{
    struct fault none;
    enum fault_code code = find_again(x, table, &none);

    (void)code; /* there is a fault to be told already */
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
