/*
 * kagent's control message: the conversation goes back to before an invocation, and the agent is
 * not run. Whatever happens is told as a task: rewound and completed, or failed with the reason.
 */
#include "dialect/a2a/rpc.h"
#include "dialect/boundary.h"
#include "dialect/feed.h"
#include "dialect/tasks.h"

static enum fault_code session_find(struct rpc *rpc, struct str context, struct session *out,
                                    int64_t *owner, struct fault *fault)
{
    if (context.n == 0)
        return fault_set(fault, FAULT_INVALID, "contextId is missing: it names the session");
    if (rpc_session(rpc, context, out, owner, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!str_eq(out->agent, rpc->agent))
        return fault_set(fault, FAULT_INVALID, "session \"%.*s\" is one of agent \"%.*s\"",
                         STR_ARG(out->id), STR_ARG(out->agent));
    return FAULT_OK;
}

static enum fault_code move(struct rpc *rpc, const struct a2a_send *send, struct str *task,
                            struct fault *fault)
{
    struct app *app = app_of(rpc->x);
    struct arena *arena = &rpc->x->arena;
    struct move_spec spec = {0};
    struct move_result result;
    struct session session;

    if (session_find(rpc, send->context, &session, &spec.owner, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.session = session.id;
    if (run_active(session.turn_state))
        return fault_set(fault, FAULT_TURN_RUNNING, "a turn is running in session \"%.*s\"",
                         STR_ARG(session.id));
    if (boundary_find(app, spec.owner, spec.session, send->rewind_before, arena, &spec.point,
                      fault) != FAULT_OK ||
        boundary_rewind(app, &spec, arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app->counts.rewinds, 1);
    return tasks_whole(app, spec.owner, spec.session, arena, task, fault);
}

static struct str remark(struct rpc *rpc, struct str context, const struct fault *fault)
{
    struct arena *arena = &rpc->x->arena;
    struct json_out out;
    struct buf buf;

    buf_init(&buf, REPLY_BYTES);
    json_out_init(&out, &buf);
    task_remark_write(&out, NULL, str_of(fault->message), context, context, STR_NONE, arena);
    return buf_take(&buf, arena);
}

/* message/send has no events: what failed is a task. */
static enum fault_code reply_failed(struct rpc *rpc, const struct a2a_event *event,
                                    struct fault *fault)
{
    struct json_out out;
    struct buf buf;
    enum fault_code code;

    buf_init(&buf, REPLY_BYTES);
    json_out_init(&out, &buf);
    json_out_object(&out, NULL);
    json_out_plain(&out, "kind", STR("task"));
    json_out_string(&out, "id", event->task);
    json_out_string(&out, "contextId", event->context);
    json_out_object(&out, "status");
    json_out_plain(&out, "state", str_of(event->state));
    json_out_raw(&out, "message", event->message);
    json_out_time(&out, "timestamp", event->at_us);
    json_out_object_end(&out);
    json_out_array(&out, "history");
    json_out_array_end(&out);
    json_out_object_end(&out);
    code = rpc_reply_task(rpc, buf_str(&buf), fault);
    buf_clear(&buf);
    return code;
}

static enum fault_code reply(struct rpc *rpc, struct a2a_event *status, struct str task,
                             struct fault *fault)
{
    struct a2a_event events[2] = {{.kind = EVENT_TASK, .body = task}, *status};

    if (rpc->method == METHOD_STREAM) {
        rpc_reply_events(rpc, task.n ? events : &events[1], task.n ? 2 : 1);
        return FAULT_OK;
    }
    return task.n ? rpc_reply_task(rpc, task, fault) : reply_failed(rpc, status, fault);
}

enum fault_code rpc_rewind(struct rpc *rpc, const struct a2a_send *send, struct fault *fault)
{
    struct a2a_event status = {
        .kind = EVENT_STATUS,
        .task = send->context,
        .context = send->context,
        .state = task_state(RUN_DONE),
        .at_us = engine_now_us(app_of(rpc->x)->engine),
        .final = true,
    };
    struct str task = STR_NONE;
    enum fault_code code;

    if (caller_may(rpc->x, RIGHT_WRITE, "rewind sessions", fault) != FAULT_OK)
        return fault_pass(fault);
    code = move(rpc, send, &task, fault);
    if (code != FAULT_OK) {
        status.state = task_state(RUN_FAILED);
        status.message = remark(rpc, send->context, fault);
    }
    return reply(rpc, &status, task, fault);
}
