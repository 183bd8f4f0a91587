/*
 * What the agent of a turn may do: read the history, tell what it says while it says it, and say
 * it. What was told and is not said yet is the draft.
 */
#include "base/clock.h"
#include "agent/draft.h"
#include "engine/turn.h"
#include "engine/workspaces_own.h"

enum {
    DRAFT_US = 500 * 1000,  /* a draft is saved no more often than that … */
    DRAFT_BYTES = 16 * 1024 /* … or when that much was said since */
};

static struct turn *turn_of(struct agent_call *call)
{
    return (struct turn *)call;
}

static enum fault_code call_history(struct agent_call *call, entry_visit *visit, void *context,
                                    struct fault *fault)
{
    struct turn *turn = turn_of(call);
    struct history_spec spec = {
        .owner = turn->owner, .session = turn->session, .all = true, .from_summary = true};

    return store_history(engine_store(turn->turns->options.engine), &spec, visit, context, NULL,
                         fault);
}

/* How much of this kind, and of this call, was told before; counts the piece. */
static int64_t told_before(struct turn *turn, const struct delta *delta)
{
    uint64_t id = (uint64_t)delta->kind + 1469598103934665603u;
    int64_t before;
    size_t i;

    for (i = 0; i < delta->id.n; i++)
        id = (id ^ (unsigned char)delta->id.p[i]) * 1099511628211u;
    for (i = 0; i < turn->call_count && turn->calls[i].id != id; i++)
        ;
    if (i == TURN_CALLS_MAX)
        return 0;
    if (i == turn->call_count)
        turn->calls[turn->call_count++] = (struct told_call){id, 0};
    before = turn->calls[i].bytes;
    turn->calls[i].bytes += (int64_t)delta->text.n;
    return before;
}

static void save_draft(struct turn *turn, struct arena *arena)
{
    struct fault fault;
    struct str body;

    body = draft_body(buf_str(&turn->reasoning), buf_str(&turn->text), arena);
    /* A draft that cannot be saved costs nothing but the draft. */
    if (store_run_draft(engine_store(turn->turns->options.engine), turn->owner, turn->session,
                        turn->name, body, &fault) == FAULT_OK)
        turn->saved_bytes = turn->text.n + turn->reasoning.n;
    turn->saved_us = clock_us();
}

void turn_tell_piece(struct turn *turn, const struct turn_piece *piece, struct arena *arena)
{
    const struct turns_options *options = &turn->turns->options;
    struct hub_tidings tidings = {.owner = turn->owner,
                                  .session = turn->session,
                                  .turn = turn->name,
                                  .type = piece->delta.kind == DELTA_ASK ? "turn.waiting"
                                                                         : "message.delta",
                                  .piece = piece,
                                  .after = turn->e};

    if (!options->hub)
        return;
    tidings.message = options->render(piece, arena);
    hub_tell(options->hub, &tidings);
}

static void call_delta(struct agent_call *call, const struct delta *delta)
{
    struct turn *turn = turn_of(call);
    struct turn_piece piece = {
        .session = turn->session, .turn = turn->name, .delta = *delta, .step = turn->step};
    struct arena arena;

    if (delta->text.n == 0 && delta->kind != DELTA_CALL)
        return;
    arena_init(&arena);
    pthread_mutex_lock(&turn->lock);
    piece.offset = told_before(turn, delta);
    if (delta->kind == DELTA_TEXT)
        buf_add_str(&turn->text, delta->text);
    else if (delta->kind == DELTA_REASONING)
        buf_add_str(&turn->reasoning, delta->text);
    pthread_mutex_unlock(&turn->lock);
    turn_tell_piece(turn, &piece, &arena);
    if (turn->text.n + turn->reasoning.n > turn->saved_bytes &&
        (clock_us() - turn->saved_us >= DRAFT_US ||
         turn->text.n + turn->reasoning.n - turn->saved_bytes >= DRAFT_BYTES))
        save_draft(turn, &arena);
    arena_clear(&arena);
}

/* What was being said is in the tree, or given up. */
static void forget_draft(struct turn *turn, size_t said)
{
    pthread_mutex_lock(&turn->lock);
    buf_reset(&turn->text);
    buf_reset(&turn->reasoning);
    turn->step += (int64_t)said;
    turn->call_count = 0;
    turn->saved_bytes = 0;
    turn->saved_us = clock_us();
    pthread_mutex_unlock(&turn->lock);
}

/* The entry that reports the work: the first result, or else the first. */
static struct entry_spec *reporting(struct entry_spec *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].results)
            return &entries[i];
    return entries;
}

/* Binds the files as they are now to what is about to be said, when something worked on them. */
static enum fault_code bind_files(struct turn *turn, struct entry_spec *entry, bool *changed,
                                  struct fault *fault)
{
    *changed = false;
    if (!turn->call.worked || turn->place->unseen)
        return FAULT_OK;
    return place_look(turn->place, -1, entry, changed, fault); /* a cancel keeps what was said */
}

static enum fault_code append_said(struct turn *turn, struct append_spec *spec,
                                   struct entry_spec *entries, size_t count, struct arena *arena,
                                   struct append_result *result, struct fault *fault)
{
    struct entry_spec *entry = reporting(entries, count);

    for (int i = 0;; i++) {
        enum fault_code code;
        bool changed = false;

        if (count && bind_files(turn, entry, &changed, fault) != FAULT_OK)
            return fault_pass(fault);
        code =
            engine_append(turn->turns->options.engine, spec, entries, count, arena, result, fault);
        if (code == FAULT_OK && changed)
            place_record(turn->place, entry);
        if (code == FAULT_OK && count)
            turn->call.worked = false;
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

enum fault_code turn_say(struct turn *turn, struct entry_spec *entries, size_t count,
                         struct fault *fault)
{
    struct append_spec spec = {
        .owner = turn->owner,
        .session = turn->session,
        .run = {.act = RUN_GO_ON, .turn = turn->name, .state = RUN_RUNNING},
    };
    struct append_result result;
    struct arena arena;
    enum fault_code code;

    for (size_t i = 0; i < count; i++) {
        entries[i].turn_rule = TURN_NAMED;
        entries[i].turn = turn->name;
    }
    arena_init(&arena);
    code = append_said(turn, &spec, entries, count, &arena, &result, fault);
    if (code == FAULT_OK) {
        turn->e = result.e;
        forget_draft(turn, count);
    }
    arena_clear(&arena);
    return code;
}

static enum fault_code call_say(struct agent_call *call, struct entry_spec *entries, size_t count,
                                struct fault *fault)
{
    return turn_say(turn_of(call), entries, count, fault);
}

static enum fault_code call_ask(struct agent_call *call, const struct question *question,
                                struct question_answer *out, struct fault *fault)
{
    return turn_ask(turn_of(call), question, out, fault);
}

const struct agent_call_ops turn_call_ops = {
    .history = call_history,
    .delta = call_delta,
    .say = call_say,
    .ask = call_ask,
};

size_t turn_so_far(struct turn *turn, struct arena *arena, struct turn_piece pieces[TURN_PIECES])
{
    struct turn_piece piece = {.session = arena_dup(arena, turn->session),
                               .turn = arena_dup(arena, turn->name)};
    struct question question;
    size_t count = 0;

    pthread_mutex_lock(&turn->lock);
    piece.step = turn->step;
    if (turn->reasoning.n) {
        piece.delta.kind = DELTA_REASONING;
        piece.delta.text = arena_dup(arena, buf_str(&turn->reasoning));
        pieces[count++] = piece;
    }
    if (turn->text.n) {
        piece.delta.kind = DELTA_TEXT;
        piece.delta.text = arena_dup(arena, buf_str(&turn->text));
        pieces[count++] = piece;
    }
    pthread_mutex_unlock(&turn->lock);
    if (turn_asks(turn, arena, &question)) {
        piece.delta = turn_ask_delta(&question);
        pieces[count++] = piece;
    }
    return count;
}
