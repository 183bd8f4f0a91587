/* A turn's life: it begins, waits for a thread, runs there, ends, and begins the next. */
#include "engine/turn_run.h"

#include "agent/draft.h"
#include "engine/seat.h"
#include "engine/turn_end.h"
#include "engine/workspaces_own.h"

enum {
    STACK_BYTES = 2 * 1024 * 1024, /* as of those that take requests */
    RESTING_MAX = 256              /* turns that wait for an answer, each with its thread */
};

static bool run_ready(struct turns *turns, struct turn *turn);

static void leave_place(struct turn *turn)
{
    place_leave(turn->place);
    turn->place = NULL;
}

/* A turn that has begun and cannot be run. With its seat held. */
static void abandon(struct turn *turn)
{
    struct turns *turns = turn->turns;
    struct ending ending = {.owner = turn->owner,
                            .session = turn->session,
                            .turn = turn->name,
                            .state = RUN_FAILED,
                            .reason = STR("no thread could be started for it")};

    turn_end(turns, &ending);
    leave_place(turn);
    turns_count_end(turns, RUN_FAILED);
    seat_set_active(turns, turn->seat, NULL);
    pthread_mutex_lock(&turns->lock);
    turn->seat->users--; /* whoever holds the seat keeps it */
    pthread_mutex_unlock(&turns->lock);
}

/*
 * Takes the session's directory for the turn. While a turn of this process has it, the store is
 * asked all the same: the request may be one that was sent before.
 */
static enum fault_code take_place(struct turn *turn, struct fault *fault)
{
    struct turns *turns = turn->turns;
    bool crowded;

    if (turn->seat->active)
        return FAULT_OK;
    pthread_mutex_lock(&turns->lock);
    crowded = turn->seat->users > 1; /* each would wait, one after the other */
    pthread_mutex_unlock(&turns->lock);
    if (place_hold(turns->options.workspaces, turn->owner, turn->session,
                   crowded ? PLACE_CROWD_MS : PLACE_WAIT_MS, &turn->place, fault) != FAULT_OK)
        return fault_pass(fault);
    turn->call.dir = place_dir(turn->place);
    return FAULT_OK;
}

/*
 * What others did since the last turn. A directory that has become too large is left for the turn,
 * or nobody could ever make it smaller: what is in it is looked at when the turn ends.
 */
static enum fault_code look_first(struct turn *turn, struct entry_spec *entry, bool *changed,
                                  struct fault *fault)
{
    enum fault_code code;

    *changed = false;
    if (!turn->place)
        return FAULT_OK;
    code = place_look(turn->place, turn->cancel_fd, entry, changed, fault);
    turn->place->unseen = code == FAULT_TOO_LARGE;
    return turn->place->unseen ? FAULT_OK : code;
}

/*
 * Stores what the user said and, before it, what others did to the files since the last turn;
 * *count entries in all.
 */
static enum fault_code append_first(struct turn *turn, struct append_spec *spec,
                                    struct arena *arena, struct append_result *result,
                                    size_t *count, struct fault *fault)
{
    struct entry_spec *entries = arena_array(arena, turn->count + 1, sizeof(*entries));

    for (int i = 0;; i++) {
        enum fault_code code;
        bool changed;

        entries[0] = (struct entry_spec){0};
        if (look_first(turn, &entries[0], &changed, fault) != FAULT_OK)
            return fault_pass(fault);
        if (changed)
            place_entry(&entries[0], true);
        memcpy(entries + changed, turn->entries, turn->count * sizeof(*entries));
        *count = turn->count + changed;
        code =
            engine_append(turn->turns->options.engine, spec, entries, *count, arena, result, fault);
        if (code == FAULT_OK && changed)
            place_record(turn->place, &entries[0]);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

enum fault_code turn_begin(struct turn *turn, struct once *once, struct arena *arena,
                           struct str *before, struct fault *fault)
{
    struct turns *turns = turn->turns;
    struct append_spec spec = {.owner = turn->owner,
                               .session = turn->session,
                               .expect_head = turn->expect_head,
                               .once = once,
                               .run = {.act = RUN_BEGIN,
                                       .turn = turn->name,
                                       .state = RUN_RUNNING,
                                       .holder = runner_name(turns->runner)}};
    struct append_result result = {0};
    size_t count;

    pthread_mutex_lock(&turns->lock);
    if (turns->closing) {
        pthread_mutex_unlock(&turns->lock);
        return fault_set(fault, FAULT_STOPPING, "the server is stopping");
    }
    turn->was_queued = turns->running >= turns->options.running_max;
    pthread_mutex_unlock(&turns->lock);
    if (turn->was_queued)
        spec.run.state = RUN_QUEUED;
    for (size_t i = 0; i < turn->count; i++) {
        turn->entries[i].turn_rule = TURN_NAMED;
        turn->entries[i].turn = turn->name;
    }
    if (take_place(turn, fault) != FAULT_OK)
        return fault_pass(fault);
    if (append_first(turn, &spec, arena, &result, &count, fault) != FAULT_OK) {
        leave_place(turn);
        return fault_pass(fault);
    }
    *before = STR_NONE;
    if (once && once->repeated)
        *before = once->answer;
    else if (result.repeated)
        *before = result.entries[result.count - 1].turn;
    if (before->n) {
        leave_place(turn);
        return FAULT_OK;
    }
    turn->e = result.e;
    turn->e0 = result.e - (int64_t)count - 1; /* its entries, and the note before them */
    seat_set_active(turns, turn->seat, turn);
    if (run_ready(turns, turn))
        return FAULT_OK;
    abandon(turn);
    return fault_set(fault, FAULT_TOO_MANY, "no thread could be started for the turn");
}

/*
 * The next send that waits in the seat becomes the active turn. Those that cannot begin are
 * returned, to be told so when the seat is free.
 */
static struct turn *begin_next(struct turns *turns, struct seat *seat)
{
    struct turn *failed = NULL, **last = &failed;

    while (seat->waiting && !seat->active) {
        struct turn *turn = seat_pop_waiting(turns, seat);
        struct arena arena;
        struct str before;
        enum fault_code code;

        arena_init(&arena);
        code =
            turn_begin(turn, turn->once.key.n ? &turn->once : NULL, &arena, &before, &turn->fault);
        if (code == FAULT_OK && before.n)
            code =
                fault_set(&turn->fault, FAULT_ID_TAKEN,
                          "the message was sent twice, and is in turn \"%.*s\"", STR_ARG(before));
        arena_clear(&arena);
        if (code == FAULT_OK)
            break;
        *last = turn;
        last = &turn->next;
    }
    return failed;
}

static enum fault_code answer(struct turn *turn, struct fault *fault)
{
    if (turn_is_cancelled(turn))
        return FAULT_OK;
    if (turn->was_queued && turn_say(turn, NULL, 0, fault) != FAULT_OK)
        return fault_pass(fault);
    if (turn_read_settings(turn, fault) != FAULT_OK)
        return fault_pass(fault);
    return turn->agent->ops->run(turn->agent, &turn->call, fault);
}

/* How it ended: by itself, by a cancel, or because everything stops. */
static void judge(struct turn *turn, enum fault_code code, struct ending *out)
{
    out->state = RUN_DONE;
    if (turn_is_cancelled(turn) && turns_closing(turn->turns)) {
        out->state = RUN_FAILED;
        fault_write(&turn->fault, FAULT_STOPPING, "interrupted: the server was stopped");
    } else if (turn_is_cancelled(turn)) {
        out->state = RUN_CANCELLED;
    } else if (code != FAULT_OK) {
        out->state = RUN_FAILED;
    }
    if (out->state == RUN_FAILED)
        out->reason = str_of(turn->fault.message);
    out->draft = draft_body(buf_str(&turn->reasoning), buf_str(&turn->text), &turn->arena);
}

static void run(struct turn *turn)
{
    struct turns *turns = turn->turns;
    struct seat *seat = turn->seat;
    struct ending ending = {.owner = turn->owner, .session = turn->session, .turn = turn->name};
    struct turn *failed;

    judge(turn, answer(turn, &turn->fault), &ending);
    ending.place = turn->place;
    pthread_mutex_lock(&seat->lock);
    turn_end(turns, &ending);
    if (ending.state == RUN_FAILED && turn->fault.code == FAULT_OK)
        fault_write(&turn->fault, FAULT_IO, "the files could not be recorded");
    leave_place(turn);
    turns_count_end(turns, ending.state);
    seat_set_active(turns, seat, NULL);
    failed = begin_next(turns, seat);
    pthread_mutex_unlock(&seat->lock);
    pthread_mutex_lock(&turns->lock);
    pthread_cond_broadcast(&turns->ended);
    pthread_mutex_unlock(&turns->lock);
    turn->next = NULL;
    turn_tell_and_free(turn, ending.state);
    turn_tell_and_free(failed, RUN_FAILED);
    seat_leave(turns, seat);
}

/* With the lock of turns held. */
static void count_running(struct turns *turns, int change)
{
    turns->running += change;
    turns->counts.running += change;
}

/* The first in the line for a thread; NULL: nobody waits. With the lock of turns held. */
static struct turn *take_ready(struct turns *turns)
{
    struct turn *turn = turns->ready;

    if (!turn)
        return NULL;
    turns->ready = turn->next;
    if (!turns->ready)
        turns->ready_last = &turns->ready;
    turn->next = NULL;
    return turn;
}

/* Runs a turn, then those that wait for a thread. */
static void *thread_run(void *context)
{
    struct turn *turn = context;
    struct turns *turns = turn->turns;

    for (;;) {
        run(turn);
        pthread_mutex_lock(&turns->lock);
        /* More may run than should when answers came: then another one takes what is ready. */
        turn = turns->running <= turns->options.running_max ? take_ready(turns) : NULL;
        if (!turn)
            count_running(turns, -1);
        if (!turn)
            pthread_cond_broadcast(&turns->ended);
        pthread_mutex_unlock(&turns->lock);
        if (!turn)
            return NULL;
    }
}

static bool thread_start(struct turn *turn)
{
    pthread_attr_t attr;
    pthread_t thread;
    bool started;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    started = pthread_create(&thread, &attr, thread_run, turn) == 0;
    pthread_attr_destroy(&attr);
    return started;
}

/* With the lock of turns held. */
static void line_up(struct turns *turns, struct turn *turn)
{
    *turns->ready_last = turn;
    turns->ready_last = &turn->next;
}

/*
 * A turn that has begun gets a thread, or a place in the line for one. False when no thread is to
 * be had and none runs that would take it.
 */
static bool run_ready(struct turns *turns, struct turn *turn)
{
    bool start, taken;

    pthread_mutex_lock(&turns->lock);
    start = turns->running < turns->options.running_max;
    if (start)
        count_running(turns, 1);
    else
        line_up(turns, turn);
    pthread_mutex_unlock(&turns->lock);
    if (!start || thread_start(turn))
        return true;
    pthread_mutex_lock(&turns->lock);
    count_running(turns, -1);
    taken = turns->running > 0;
    if (taken)
        line_up(turns, turn);
    pthread_mutex_unlock(&turns->lock);
    return taken;
}

static void count_resting(struct turns *turns, int change)
{
    turns->resting += change;
    turns->counts.waiting += change;
    count_running(turns, -change);
}

enum fault_code turn_rest(struct turns *turns, struct fault *fault)
{
    struct turn *next = NULL;

    pthread_mutex_lock(&turns->lock);
    if (turns->resting >= RESTING_MAX) {
        pthread_mutex_unlock(&turns->lock);
        return fault_set(fault, FAULT_TOO_MANY,
                         "%d turns wait for an answer already; that is the limit", RESTING_MAX);
    }
    count_resting(turns, 1);
    if (turns->running < turns->options.running_max)
        next = take_ready(turns);
    if (next)
        count_running(turns, 1);
    pthread_mutex_unlock(&turns->lock);
    if (!next || thread_start(next))
        return FAULT_OK;
    pthread_mutex_lock(&turns->lock);
    count_running(turns, -1);
    line_up(turns, next); /* whoever ends next takes it, at the latest this thread */
    pthread_mutex_unlock(&turns->lock);
    return FAULT_OK;
}

void turn_resume(struct turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    count_resting(turns, -1);
    pthread_mutex_unlock(&turns->lock);
}
