#include "dialect/native/turn_reply.h"

#include "dialect/native/listening.h"

/* ---- what is answered ---- */

static void write_turn(struct json_out *out, struct str turn, enum run_state state,
                       struct str reason)
{
    json_out_object(out, "turn");
    json_out_string(out, "id", turn);
    json_out_string(out, "state", str_of(run_state_name(state)));
    if (reason.n)
        json_out_string(out, "reason", reason);
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

/* The turn and its messages. One that never began has none. */
static enum fault_code write_reply(struct exchange *x, struct str turn, enum run_state state,
                                   struct str reason, struct fault *fault)
{
    struct json_out out;
    enum fault_code code;

    x->reply.status = 200;
    reply_open(x, &out);
    write_turn(&out, turn, state, reason);
    json_out_array(&out, "messages");
    code = store_turn(app_of(x)->store, x->request.caller.sees, session_of(x), turn, visit, &out,
                      fault);
    if (code && (code != FAULT_TURN_NOT_FOUND || state != RUN_CANCELLED))
        return code;
    json_out_array_end(&out);
    return reply_close(x, &out, fault);
}

/* ---- waiting ---- */

/*
 * A reply that waits for its turn. The handler and the turn's thread meet here: whoever is second
 * answers.
 */
struct waiting {
    struct exchange *x;
    struct str turn;
    enum run_state state;
    struct fault fault; /* why it failed; code FAULT_OK: it did not */
    atomic_bool one_was_here;
};

static void answer(struct waiting *waiting)
{
    struct exchange *x = waiting->x;
    struct str reason = waiting->fault.code ? str_of(waiting->fault.message) : STR_NONE;
    struct fault fault;
    enum fault_code code = write_reply(x, waiting->turn, waiting->state, reason, &fault);

    if (code == FAULT_TURN_NOT_FOUND && waiting->fault.code) {
        code = waiting->fault.code; /* it waited for its turn and could not begin */
        fault = waiting->fault;
    }
    exchange_answer(x, code, &fault);
}

static void meet(struct waiting *waiting)
{
    if (atomic_exchange(&waiting->one_was_here, true))
        answer(waiting);
}

static void waiting_done(void *context, enum run_state state, const struct fault *fault)
{
    struct waiting *waiting = context;

    waiting->state = state;
    if (fault)
        waiting->fault = *fault;
    meet(waiting);
}

/* ---- a turn of before ---- */

/* How a turn ended, as its session's journal says. */
struct ending {
    struct str turn;
    struct arena *arena;
    int64_t last_e; /* of its newest entry */
    enum run_state state;
    struct str reason;
};

static enum fault_code see_entry(void *context, const struct entry *entry, struct fault *fault)
{
    struct ending *ending = context;

    (void)fault;
    ending->last_e = entry->e;
    return FAULT_OK;
}

static enum fault_code see_note(void *context, const struct journal_item *item, struct fault *fault)
{
    struct ending *ending = context;
    const struct note *note = item->note;

    (void)fault;
    if (!note || note->act != NOTE_TURN_ENDED || !str_eq(note->message, ending->turn))
        return FAULT_OK;
    for (int i = RUN_DONE; i <= RUN_CANCELLED; i++)
        if (str_eq(note->now, str_of(run_state_name((enum run_state)i))))
            ending->state = (enum run_state)i;
    ending->reason = arena_dup(ending->arena, note->was);
    return FAULT_OK;
}

enum { ENDING_AHEAD = 16 }; /* how far behind its last entry the end of a turn is looked for */

static enum fault_code ending_find(struct exchange *x, struct str turn, struct ending *out,
                                   struct fault *fault)
{
    struct store *store = app_of(x)->store;
    int64_t sees = x->request.caller.sees;
    struct log_spec spec = {.owner = sees, .session = session_of(x), .limit = ENDING_AHEAD};

    *out = (struct ending){.turn = turn, .arena = &x->arena, .state = RUN_DONE};
    if (store_turn(store, sees, session_of(x), turn, see_entry, out, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.after_e = out->last_e;
    return store_journal(store, &spec, see_note, out, fault);
}

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
    struct ending ending;
    struct json_out out;
    struct buf text;
    enum fault_code code;

    if (ending_find(x, begun->turn, &ending, fault) != FAULT_OK)
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
    write_turn(&out, begun->turn, ending.state, ending.reason);
    json_out_object_end(&out);
    buf_add_text(&text, "\n\n");
    if (text.full) {
        buf_clear(&text);
        return fault_set(fault, FAULT_TOO_LARGE, "the turn has more than %d bytes", REPLY_BYTES);
    }
    listening_fixed(x, &text);
    return FAULT_OK;
}

/* ---- both ways ---- */

/* What was said now counts; what a key repeats does not. */
static void count(struct exchange *x, const struct turn_cmd *cmd, const struct turn_begun *begun)
{
    struct app_counts *counts = &app_of(x)->counts;

    if (begun->joined) {
        once_say(x);
        atomic_fetch_add(&counts->replays, 1);
    } else {
        atomic_fetch_add(&counts->messages, (long long)cmd->count);
    }
}

static enum fault_code reply_over(struct exchange *x, const struct turn_begun *begun,
                                  struct fault *fault)
{
    struct ending ending;

    if (ending_find(x, begun->turn, &ending, fault) != FAULT_OK)
        return fault_pass(fault);
    return write_reply(x, begun->turn, ending.state, ending.reason, fault);
}

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
    count(x, cmd, &begun);
    if (begun.over) {
        listening_drop(listening, true);
        return stream_over(x, &begun, fault);
    }
    filter.turn = begun.turn;
    listening_pieces(listening);
    listening_stream(listening, x, &filter, begun.e, true);
    return FAULT_OK;
}

static enum fault_code reply_wait(struct exchange *x, struct turn_cmd *cmd, struct fault *fault)
{
    struct app *app = app_of(x);
    struct waiting *waiting = arena_alloc(&x->arena, sizeof(*waiting));
    struct turn_begun begun;

    waiting->x = x;
    if (turns_send(app->turns, cmd, &x->arena, &begun, waiting_done, waiting, fault) != FAULT_OK)
        return fault_pass(fault);
    count(x, cmd, &begun);
    if (begun.over)
        return reply_over(x, &begun, fault);
    waiting->turn = begun.turn;
    exchange_defer(x);
    meet(waiting);
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
    return reply_wait(x, &cmd, fault);
}
