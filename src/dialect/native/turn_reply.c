#include "dialect/native/turn_reply.h"

#include "dialect/feed.h"
#include "dialect/native/listening.h"
#include "dialect/turn_ending.h"

/* ---- what is answered ---- */

static void write_turn(struct json_out *out, struct str turn, enum run_state state,
                       struct str reason, const struct question *question)
{
    json_out_object(out, "turn");
    json_out_string(out, "id", turn);
    json_out_string(out, "state", str_of(run_state_name(state)));
    if (reason.n)
        json_out_string(out, "reason", reason);
    if (question)
        object_write_asks(out, question);
    json_out_object_end(out);
}

/* What the turn did to the files stands with its messages; what else records them is not one. */
static enum fault_code visit(void *context, const struct entry *entry, struct fault *fault)
{
    (void)fault;
    if (entry->kind != ENTRY_FILES)
        object_write_entry(context, NULL, entry);
    return FAULT_OK;
}

/* The turn and its messages so far. One that never began has none. */
static enum fault_code write_reply(struct exchange *x, void *context, struct str turn,
                                   enum run_state state, struct str reason, struct fault *fault)
{
    struct app *app = app_of(x);
    int64_t sees = x->request.caller.sees;
    struct question question;
    struct json_out out;
    enum fault_code code;
    bool asks =
        state == RUN_WAITING && turns_asked(app->turns, sees, session_of(x), &x->arena, &question);

    (void)context;
    x->reply.status = 200;
    reply_open(x, &out);
    write_turn(&out, turn, state, reason, asks ? &question : NULL);
    json_out_array(&out, "messages");
    code = store_turn(app->store, sees, session_of(x), turn, visit, &out, fault);
    if (code && (code != FAULT_TURN_NOT_FOUND || state != RUN_CANCELLED))
        return code;
    json_out_array_end(&out);
    return reply_close(x, &out, fault);
}

/* ---- a turn of before ---- */

struct replay {
    struct buf *out;
    struct arena *arena;
    struct event event;
};

static enum fault_code replay_visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct replay *replay = context;
    struct hub_word word;

    (void)fault;
    replay->event.item = (struct journal_item){.e = entry->e, .entry = entry};
    word = native_event_render(&replay->event, replay->arena);
    if (word.type)
        buf_add_str(replay->out, word.message);
    return FAULT_OK;
}

/* The turn is over: its messages as events, and the end. */
static enum fault_code stream_over(struct exchange *x, const struct turn_begun *begun,
                                   struct fault *fault)
{
    struct replay replay = {.arena = &x->arena, .event = {.session = session_of(x)}};
    struct turn_ending ending;
    struct json_out out;
    struct buf text;
    enum fault_code code;

    if (turn_ending_find(app_of(x)->store, x->request.caller.sees, session_of(x), begun->turn,
                         &x->arena, &ending, fault) != FAULT_OK)
        return fault_pass(fault);
    buf_init(&text, REPLY_BYTES);
    replay.out = &text;
    code = store_turn(app_of(x)->store, x->request.caller.sees, session_of(x), begun->turn,
                      replay_visit, &replay, fault);
    if (code) {
        buf_clear(&text);
        return code;
    }
    buf_add_text(&text, "event: done\ndata: ");
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_out_string(&out, "session", session_of(x));
    write_turn(&out, begun->turn, ending.state, ending.reason, NULL);
    json_out_object_end(&out);
    buf_add_text(&text, "\n\n");
    if (text.full) {
        buf_clear(&text);
        return fault_set(fault, FAULT_TOO_LARGE, "the turn has more than %d bytes", REPLY_BYTES);
    }
    feed_fixed(x, &text);
    return FAULT_OK;
}

/* ---- both ways ---- */

static enum fault_code reply_stream(struct exchange *x, struct turn_cmd *cmd, struct fault *fault)
{
    struct app *app = app_of(x);
    struct listening *listening = listening_new(x);
    struct hub_filter filter = {.owner = cmd->owner, .session = cmd->session};
    struct turn_begun begun;

    if (turns_send(app->turns, cmd, &x->arena, &begun, listening_done, listening, fault) !=
        FAULT_OK) {
        listening_drop(listening, true);
        return fault_pass(fault);
    }
    feed_count(x, cmd, &begun);
    if (begun.over) {
        listening_drop(listening, true);
        return stream_over(x, &begun, fault);
    }
    filter.turn = begun.turn;
    listening_pieces(listening);
    listening_stream(listening, x, &filter, begun.e, true);
    return FAULT_OK;
}

enum fault_code turn_reply(struct exchange *x, struct message_batch *batch, struct fault *fault)
{
    struct turn_cmd cmd = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .entries = batch->entries,
        .count = batch->count,
        .expect_head = batch->expect_head,
        .busy = batch->wait ? TURN_WAIT : TURN_REFUSE,
    };
    struct once once = {0};

    if (once_key(x, &once, &cmd.once, fault) != FAULT_OK)
        return fault_pass(fault);
    if (request_asks_for(&x->request, "text/event-stream"))
        return reply_stream(x, &cmd, fault);
    return feed_wait(x, &cmd, true, write_reply, NULL, fault);
}
