/* tasks/get, tasks/list, tasks/cancel and tasks/resubscribe. */
#include "dialect/a2a/rpc.h"
#include "dialect/a2a/voice.h"
#include "dialect/feed.h"
#include "dialect/member.h"
#include "dialect/tasks.h"

static enum fault_code ask_read(struct rpc *rpc, struct a2a_ask *out, struct fault *fault)
{
    if (rpc->codec->read_ask(&rpc->params, rpc->method, &rpc->x->arena, out, &rpc->error, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    rpc->error = 0;
    return FAULT_OK;
}

enum fault_code rpc_get(struct rpc *rpc, struct fault *fault)
{
    struct rpc_task task;
    struct a2a_ask ask;

    if (ask_read(rpc, &ask, fault) != FAULT_OK ||
        rpc_task(rpc, ask.id, ask.history, &task, fault) != FAULT_OK)
        return fault_pass(fault);
    return rpc_reply_task(rpc, task.body, fault);
}

/* ---- cancel ---- */

/* One that was cancelled before is answered as it is; one that has ended otherwise is refused. */
enum fault_code rpc_cancel(struct rpc *rpc, struct fault *fault)
{
    struct app *app = app_of(rpc->x);
    struct rpc_task task;
    struct a2a_ask ask;
    enum fault_code code;
    bool cancelled;

    if (caller_may(rpc->x, RIGHT_RUN, "stop agents", fault) != FAULT_OK ||
        ask_read(rpc, &ask, fault) != FAULT_OK ||
        rpc_task(rpc, ask.id, ask.history, &task, fault) != FAULT_OK)
        return fault_pass(fault);
    if (rpc_task_active(&task)) {
        code = turns_cancel(app->turns, task.owner, task.session.id, task.turn, fault);
        if ((code != FAULT_OK && code != FAULT_NO_TURN) ||
            rpc_task(rpc, ask.id, ask.history, &task, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    cancelled = rpc_task_is(rpc, &task, "canceled");
    if (!cancelled && !rpc_task_active(&task))
        return rpc_refuse(rpc, ERROR_NOT_CANCELABLE, fault,
                          "task \"%.*s\" has ended, or somebody else runs it", STR_ARG(task.id));
    return rpc_reply_task(rpc, task.body, fault);
}

/* ---- resubscribe ---- */

enum fault_code rpc_subscribe(struct rpc *rpc, struct fault *fault)
{
    struct a2a_event event = {.kind = EVENT_TASK};
    struct feed_voice voice;
    struct rpc_task task;
    struct a2a_ask ask;

    if (ask_read(rpc, &ask, fault) != FAULT_OK ||
        rpc_task(rpc, ask.id, -1, &task, fault) != FAULT_OK)
        return fault_pass(fault);
    if (rpc_task_active(&task)) {
        voice = voice_late(rpc, &task);
        return feed_join(rpc->x, task.owner, task.session.id, task.turn, &voice, fault);
    }
    event.body = task.body;
    rpc_reply_events(rpc, &event, 1);
    return FAULT_OK;
}

/* ---- list ---- */

struct listing {
    struct rpc *rpc;
    struct a2a_ask *ask;
    int64_t from, total; /* the first that is shown, and how many fit */
    struct str *tasks;   /* those of the page */
    size_t count;
};

/* The newest `most` messages; -1: all. */
static void history_out(struct json_out *out, const struct json_value *history, int64_t most)
{
    struct json_walk walk;
    int64_t count = 0;

    for (json_walk_begin(&walk, history); json_walk_next(&walk);)
        count++;
    json_out_array(out, "history");
    for (json_walk_begin(&walk, history); json_walk_next(&walk); count--)
        if (most < 0 || count <= most)
            json_out_raw(out, NULL, walk.value.raw);
    json_out_array_end(out);
}

/* Without artifacts unless they are wanted, and with as much history as is. */
static struct str task_shorten(const struct json_value *task, const struct a2a_ask *ask,
                               struct arena *arena)
{
    struct json_walk walk;
    struct json_out out;
    struct buf buf;

    buf_init(&buf, REPLY_BYTES);
    json_out_init(&out, &buf);
    json_out_object(&out, NULL);
    for (json_walk_begin(&walk, task); json_walk_next(&walk);) {
        if (str_eq(walk.key, STR("artifacts")) && !ask->artifacts)
            continue;
        if (str_eq(walk.key, STR("history")) && walk.value.type == JSON_ARRAY) {
            if (ask->history != 0)
                history_out(&out, &walk.value, ask->history);
            continue;
        }
        json_out_key(&out, json_unescape(walk.key, arena));
        json_out_raw(&out, NULL, walk.value.raw);
    }
    json_out_object_end(&out);
    return buf_take(&buf, arena);
}

static enum fault_code see_task(void *context, struct str id, struct str task, struct fault *fault)
{
    struct listing *listing = context;
    struct arena *arena = &listing->rpc->x->arena;
    struct json_value value, status;

    (void)id;
    if (json_read(task, LIMIT_JSON_DEPTH + 8, "the task", &value, fault) != FAULT_OK)
        return fault_pass(fault);
    if (listing->ask->state.n &&
        (!member_at(&value, "status", &status) ||
         !str_eq(member_string(&status, "state", arena), listing->ask->state)))
        return FAULT_OK;
    if (listing->total++ >= listing->from && listing->count < (size_t)listing->ask->page_size)
        listing->tasks[listing->count++] = task_shorten(&value, listing->ask, arena);
    return FAULT_OK;
}

static enum fault_code page_read(struct rpc *rpc, const struct a2a_ask *ask, int64_t *from,
                                 struct fault *fault)
{
    struct json_value number = {JSON_NUMBER, ask->page_token};

    *from = 0;
    if (ask->page_token.n == 0)
        return FAULT_OK;
    for (size_t i = 0; i < ask->page_token.n; i++)
        if (ask->page_token.p[i] < '0' || ask->page_token.p[i] > '9')
            number.raw.n = 0;
    if (number.raw.n == 0 || !json_int(&number, 0, INT32_MAX, from))
        return rpc_refuse(rpc, ERROR_PARAMS, fault, "params.pageToken is none that was given out");
    return FAULT_OK;
}

/* kagent's addition to 0.3: the tasks of a context, oldest first. */
enum fault_code rpc_list(struct rpc *rpc, struct fault *fault)
{
    struct app *app = app_of(rpc->x);
    struct arena *arena = &rpc->x->arena;
    struct listing listing = {.rpc = rpc};
    struct session session;
    struct json_out out;
    struct a2a_ask ask;
    struct str next = STR("");
    int64_t owner;

    if (ask_read(rpc, &ask, fault) != FAULT_OK ||
        page_read(rpc, &ask, &listing.from, fault) != FAULT_OK ||
        rpc_session(rpc, ask.context, &session, &owner, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!str_eq(session.agent, rpc->agent))
        return rpc_refuse(rpc, ERROR_PARAMS, fault, "contextId \"%.*s\" is one of agent \"%.*s\"",
                          STR_ARG(session.id), STR_ARG(session.agent));
    listing.ask = &ask;
    listing.tasks = arena_array(arena, (size_t)ask.page_size, sizeof(struct str));
    if (tasks_list(app, owner, session.id, TASKS_CUT, arena, see_task, &listing, fault) != FAULT_OK)
        return fault_pass(fault);
    if (listing.from + (int64_t)listing.count < listing.total)
        next = arena_printf(arena, "%lld", (long long)(listing.from + (int64_t)listing.count));
    rpc_reply_open(rpc, &out);
    rpc->codec->write_list(&out, "result", listing.tasks, listing.count, &ask, next, listing.total);
    return rpc_reply_close(rpc, &out, fault);
}
