#include "dialect/a2a/rpc.h"

#include "dialect/a2a/card.h"
#include "dialect/acting.h"
#include "dialect/feed.h"
#include "dialect/member.h"
#include "dialect/tasks.h"

/* ---- answers ---- */

static void envelope_open(struct json_out *out, struct buf *buf, struct str id)
{
    json_out_init(out, buf);
    json_out_object(out, NULL);
    json_out_plain(out, "jsonrpc", STR("2.0"));
    json_out_raw(out, "id", id);
}

static void error_write(struct buf *buf, struct str id, int error, struct str message)
{
    struct json_out out;

    envelope_open(&out, buf, id);
    json_out_object(&out, "error");
    json_out_int(&out, "code", error);
    json_out_string(&out, "message", message);
    json_out_object_end(&out);
    json_out_object_end(&out);
}

void rpc_reply_open(struct rpc *rpc, struct json_out *out)
{
    buf_reset(&rpc->x->reply.body);
    envelope_open(out, &rpc->x->reply.body, rpc->id);
}

enum fault_code rpc_reply_close(struct rpc *rpc, struct json_out *out, struct fault *fault)
{
    return reply_close(rpc->x, out, fault);
}

enum fault_code rpc_reply_task(struct rpc *rpc, struct str task, struct fault *fault)
{
    struct json_out out;

    rpc_reply_open(rpc, &out);
    rpc->codec->write_task(&out, "result", task);
    return rpc_reply_close(rpc, &out, fault);
}

/* What is kept byte for byte may have ends of lines between its members; an event is one line. */
void rpc_event_add(struct buf *buf, const struct a2a_codec *codec, struct str id,
                   const struct a2a_event *event)
{
    struct json_out out;
    size_t from;

    buf_add_text(buf, "data: ");
    from = buf->n;
    envelope_open(&out, buf, id);
    codec->write_event(&out, "result", event);
    json_out_object_end(&out);
    for (size_t i = from; i < buf->n; i++)
        if (buf->p[i] == '\n' || buf->p[i] == '\r')
            buf->p[i] = ' ';
    buf_add_text(buf, "\n\n");
}

void rpc_reply_events(struct rpc *rpc, const struct a2a_event *events, size_t count)
{
    struct buf buf;

    buf_init(&buf, REPLY_BYTES);
    for (size_t i = 0; i < count; i++)
        rpc_event_add(&buf, rpc->codec, rpc->id, &events[i]);
    feed_fixed(rpc->x, &buf);
}

/* ---- faults ---- */

/* The words of the engine for what JSON-RPC has a number for. */
static int error_of(enum fault_code code)
{
    switch (code) {
    case FAULT_INVALID:
    case FAULT_POINT_INVALID:
    case FAULT_TOO_LARGE:
    case FAULT_ID_TAKEN:
    case FAULT_AMBIGUOUS:
    case FAULT_SESSION_NOT_FOUND:
    case FAULT_LIMIT:
        return ERROR_PARAMS;
    case FAULT_NOT_FOUND:
        return ERROR_TASK_NOT_FOUND;
    case FAULT_MEDIA_TYPE:
        return ERROR_CONTENT_TYPE;
    case FAULT_MALFORMED:
        return ERROR_REQUEST;
    case FAULT_METHOD:
    case FAULT_TURN_RUNNING:
    case FAULT_TURN_OVER:
    case FAULT_NO_TURN:
    case FAULT_AGENT_EXTERNAL:
    case FAULT_AGENT_NOT_FOUND:
    case FAULT_SANDBOX:
    case FAULT_FILES_CONFLICT:
    case FAULT_TOOL_CALL_OPEN:
        return ERROR_UNSUPPORTED;
    default:
        return ERROR_INTERNAL;
    }
}

void rpc_write_fault(struct exchange *x, const struct fault *fault)
{
    x->reply.status = fault->code == FAULT_MEDIA_TYPE ? 200 : fault_status(fault->code);
    x->reply.type = NULL;
    buf_reset(&x->reply.body);
    error_write(&x->reply.body, STR("null"),
                fault->code == FAULT_NOT_FOUND ? ERROR_METHOD : error_of(fault->code),
                str_of(fault->message));
}

enum fault_code rpc_answer_fault(struct rpc *rpc, const struct fault *fault)
{
    int error = rpc->error ? rpc->error : error_of(fault->code);
    struct buf event;

    if (fault->code == FAULT_FORBIDDEN || fault->code == FAULT_STOPPING)
        return fault->code;
    rpc->x->reply.status = 200;
    if (rpc->method != METHOD_SUBSCRIBE) {
        buf_reset(&rpc->x->reply.body);
        error_write(&rpc->x->reply.body, rpc->id, error, str_of(fault->message));
        return FAULT_OK;
    }
    buf_init(&event, REPLY_BYTES);
    buf_add_text(&event, "data: ");
    error_write(&event, rpc->id, error, str_of(fault->message));
    buf_add_text(&event, "\n\n");
    feed_fixed(rpc->x, &event);
    return FAULT_OK;
}

/* ---- the envelope ---- */

static enum fault_code id_read(struct rpc *rpc, const struct json_value *call, struct fault *fault)
{
    struct json_value id;

    if (!member_at(call, "id", &id))
        return FAULT_OK;
    if (id.type != JSON_STRING && id.type != JSON_NUMBER)
        return rpc_refuse(rpc, ERROR_REQUEST, fault, "id must be a string, a number or null");
    if (id.raw.n > RPC_ID_BYTES)
        return rpc_refuse(rpc, ERROR_REQUEST, fault, "id has %zu bytes; the limit is %d", id.raw.n,
                          RPC_ID_BYTES);
    rpc->id = id.raw;
    return FAULT_OK;
}

/* The header, or the parameter of the same name; none, or "0.3.x": 0.3. */
static enum fault_code version_read(struct rpc *rpc, struct fault *fault)
{
    struct str version = request_header(&rpc->x->request, "A2A-Version");

    if (version.n == 0)
        version = query_text(rpc->x, 0);
    if (version.n == 0 || str_eq(version, STR("0.3")) || str_starts(version, STR("0.3.")))
        return FAULT_OK;
    return rpc_refuse(rpc, ERROR_VERSION, fault, "A2A-Version \"%.*s\" is not supported; 0.3 is",
                      (int)(version.n < 40 ? version.n : 40), version.p);
}

static enum fault_code method_read(struct rpc *rpc, const struct json_value *call,
                                   struct fault *fault)
{
    struct arena *arena = &rpc->x->arena;
    struct json_value method;
    struct str name;

    if (!str_eq(member_string(call, "jsonrpc", arena), STR("2.0")))
        return rpc_refuse(rpc, ERROR_REQUEST, fault, "jsonrpc must be \"2.0\"");
    if (!member_at(call, "method", &method) || method.type != JSON_STRING)
        return rpc_refuse(rpc, ERROR_REQUEST, fault, "method must be a string");
    if (version_read(rpc, fault) != FAULT_OK)
        return fault_pass(fault);
    name = json_text(&method, arena);
    rpc->method = rpc->codec->method(name);
    if (rpc->method == METHOD_NONE)
        return rpc_refuse(rpc, ERROR_METHOD, fault, "there is no method \"%.*s\"",
                          (int)(name.n < 100 ? name.n : 100), name.p ? name.p : "");
    return FAULT_OK;
}

static enum fault_code call_read(struct rpc *rpc, struct fault *fault)
{
    struct json_value call;

    if (json_read(rpc->x->request.body, LIMIT_JSON_DEPTH, "the body", &call, fault) != FAULT_OK) {
        rpc->error = ERROR_PARSE;
        return fault_pass(fault);
    }
    if (call.type == JSON_ARRAY)
        return rpc_refuse(rpc, ERROR_REQUEST, fault, "several calls at once are not taken");
    if (call.type != JSON_OBJECT)
        return rpc_refuse(rpc, ERROR_REQUEST, fault, "a call must be an object");
    if (id_read(rpc, &call, fault) != FAULT_OK || method_read(rpc, &call, fault) != FAULT_OK)
        return fault_pass(fault);
    rpc->params = (struct json_value){JSON_OBJECT, STR("{}")};
    if (member_at(&call, "params", &rpc->params) && rpc->params.type != JSON_OBJECT)
        return rpc_refuse(rpc, ERROR_PARAMS, fault, "params must be an object");
    if (rpc->params.type != JSON_OBJECT)
        rpc->params = (struct json_value){JSON_OBJECT, STR("{}")};
    return FAULT_OK;
}

/* ---- calls ---- */

static enum fault_code push(struct rpc *rpc, struct fault *fault)
{
    return rpc_refuse(rpc, ERROR_PUSH, fault, "push notifications are not supported");
}

static enum fault_code extended_card(struct rpc *rpc, struct fault *fault)
{
    return rpc_refuse(rpc, ERROR_CARD, fault, "there is no extended card");
}

static enum fault_code carry_out(struct rpc *rpc, struct fault *fault)
{
    static rpc_method *const methods[] = {
        [METHOD_SEND] = rpc_send, [METHOD_STREAM] = rpc_send,    [METHOD_GET] = rpc_get,
        [METHOD_LIST] = rpc_list, [METHOD_CANCEL] = rpc_cancel,  [METHOD_SUBSCRIBE] = rpc_subscribe,
        [METHOD_PUSH] = push,     [METHOD_CARD] = extended_card,
    };

    if (call_read(rpc, fault) != FAULT_OK ||
        acting_owner(rpc->x, request_header(&rpc->x->request, "X-User-Id"), &rpc->owner, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    rpc->sees =
        rpc->owner == rpc->x->request.caller.owner ? rpc->x->request.caller.sees : rpc->owner;
    return methods[rpc->method](rpc, fault);
}

enum fault_code rpc_run(struct exchange *x, struct fault *fault)
{
    struct rpc *rpc = arena_alloc(&x->arena, sizeof(*rpc)); /* an answer may need it later */
    enum fault_code code;

    *rpc = (struct rpc){.x = x, .codec = &a2a_codec_03, .id = STR("null"), .method = METHOD_NONE};
    code = a2a_agent(x, &rpc->agent, fault);
    if (code != FAULT_OK)
        return code == FAULT_AGENT_NOT_FOUND ? FAULT_OK : code;
    code = carry_out(rpc, fault);
    return code == FAULT_OK ? code : rpc_answer_fault(rpc, fault);
}

/* ---- what the caller may see ---- */

/* The caller's own before those of others. */
enum fault_code rpc_session(struct rpc *rpc, struct str context, struct session *out,
                            int64_t *owner, struct fault *fault)
{
    struct store *store = app_of(rpc->x)->store;
    enum fault_code code =
        store_session_get(store, rpc->owner, context, false, &rpc->x->arena, out, fault);

    *owner = rpc->owner;
    if (code != FAULT_SESSION_NOT_FOUND || rpc->sees == rpc->owner)
        return code;
    *owner = rpc->sees;
    return store_session_get(store, rpc->sees, context, false, &rpc->x->arena, out, fault);
}

enum fault_code rpc_task(struct rpc *rpc, struct str id, int64_t history, struct rpc_task *out,
                         struct fault *fault)
{
    struct app *app = app_of(rpc->x);
    struct str session;
    enum fault_code code;

    *out = (struct rpc_task){.owner = rpc->owner, .id = id};
    code = tasks_get(app, out->owner, id, history, &rpc->x->arena, &out->body, &session, &out->turn,
                     fault);
    if (code == FAULT_NOT_FOUND && rpc->sees != rpc->owner) {
        out->owner = rpc->sees;
        code = tasks_get(app, out->owner, id, history, &rpc->x->arena, &out->body, &session,
                         &out->turn, fault);
    }
    if (code == FAULT_OK)
        code = store_session_get(app->store, out->owner, session, false, &rpc->x->arena,
                                 &out->session, fault);
    if (code == FAULT_NOT_FOUND || code == FAULT_SESSION_NOT_FOUND ||
        (code == FAULT_OK && !str_eq(out->session.agent, rpc->agent)))
        return rpc_refuse(rpc, ERROR_TASK_NOT_FOUND, fault,
                          "task \"%.*s\" of agent \"%.*s\" does not exist",
                          (int)(id.n < 150 ? id.n : 150), id.p, STR_ARG(rpc->agent));
    return code;
}

bool rpc_task_is(struct rpc *rpc, const struct rpc_task *task, const char *state)
{
    struct json_value value, status;
    struct fault unread;

    return json_read(task->body, LIMIT_JSON_DEPTH + 8, "the task", &value, &unread) == FAULT_OK &&
           member_at(&value, "status", &status) &&
           str_eq(member_string(&status, "state", &rpc->x->arena), str_of(state));
}
