/*
 * A session in which a turn is active, or about to be, has a seat here. What must hold:
 * 1. Beginning and ending the turns of one session happens under the lock of its seat, so a send
 *    that waits is begun by the one before it, and none is forgotten.
 * 2. The store decides whether a turn may begin; the seat only says whom to wait for.
 * 3. `done` of a turn is called after its end is durable, with no lock held.
 * 4. Locks are taken in the order seat, turns; the store is never called under the lock of turns.
 */
#include "engine/turns.h"

#include "agent/draft.h"
#include "agent/open_calls.h"
#include "engine/rules.h"
#include "engine/runner.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    RUNNING_MAX = 64,
    QUEUED_MAX = 16,
    STACK_BYTES = 1024 * 1024,
    DRAFT_US = 500 * 1000,             /* a draft is saved no more often than that … */
    DRAFT_BYTES = 16 * 1024,           /* … or when that much was said since */
    DRAFT_MAX = LIMIT_ENTRY_BYTES / 4, /* text of one message that is kept as a draft */
    END_TRIES = 20,                    /* to end a turn while the store is busy */
    END_WAIT_MS = 500,
    CANCEL_WAIT_S = 5,
    CALLS_MAX = 64 /* tool calls whose pieces are counted one by one */
};

/* What was told of a tool call, for the offsets of its pieces. */
struct told_call {
    uint64_t id; /* hash of its id and the kind */
    int64_t bytes;
};

struct turn {
    struct agent_call call; /* first: the agent's view of it */
    struct turns *turns;
    struct seat *seat;
    struct turn *next; /* in the line of those that wait, or are ready */
    struct arena arena;
    struct str name, session;
    int64_t owner;
    struct agent *agent;
    turn_done *done;
    void *context;
    struct watcher *watchers; /* who joined it */
    int cancel_fd;
    bool cancelled; /* under the lock of turns */
    bool was_queued;
    struct fault fault; /* why it could not begin */
    int64_t e0;         /* the newest number before its first event */
    /* what it begins with; its own when it had to wait */
    struct entry_spec *entries;
    size_t count;
    struct str expect_head;
    struct once once; /* of one that waits; without a key: none */
    /* what is being said; under `lock`, for those who come late */
    pthread_mutex_t lock;
    struct buf text, reasoning;
    int64_t step;
    int64_t e; /* the newest event of the turn */
    struct told_call calls[CALLS_MAX];
    size_t call_count;
    int64_t saved_us; /* the draft, and what it had then */
    size_t saved_bytes;
};

struct watcher {
    struct watcher *next;
    turn_done *done;
    void *context;
};

struct seat {
    struct seat *next;
    int64_t s;
    int users; /* under the lock of turns: who holds or waits for the seat, or is active on it */
    pthread_mutex_t lock;
    struct turn *active;  /* written under both locks */
    struct turn *waiting; /* sends in their order; written under both */
    size_t waiting_count;
    bool awaited; /* somebody waits for the end of a turn that was cancelled */
};

struct turns {
    struct turns_options options;
    struct runner *runner;
    char *home;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ended;
    struct seat *seats;
    struct turn *ready, **ready_last; /* begun, waiting for a thread */
    int running;
    bool closing;
    struct turns_counts counts;
};

static void turn_cancel(struct turn *turn);

/* ---- seats ---- */

/* Takes the seat of a session, with its lock held. */
static struct seat *seat_take(struct turns *turns, int64_t s)
{
    struct seat *seat;

    pthread_mutex_lock(&turns->lock);
    for (seat = turns->seats; seat && seat->s != s; seat = seat->next)
        ;
    if (!seat) {
        seat = calloc(1, sizeof(*seat));
        if (!seat)
            abort();
        seat->s = s;
        pthread_mutex_init(&seat->lock, NULL);
        seat->next = turns->seats;
        turns->seats = seat;
    }
    seat->users++;
    pthread_mutex_unlock(&turns->lock);
    pthread_mutex_lock(&seat->lock);
    return seat;
}

/* One user less; the lock of the seat is not held. */
static void seat_leave(struct turns *turns, struct seat *seat)
{
    pthread_mutex_lock(&turns->lock);
    if (--seat->users == 0) {
        struct seat **at = &turns->seats;

        assert(!seat->active && !seat->waiting);
        while (*at != seat)
            at = &(*at)->next;
        *at = seat->next;
        pthread_mutex_destroy(&seat->lock);
        free(seat);
    }
    pthread_mutex_unlock(&turns->lock);
}

static void seat_give(struct turns *turns, struct seat *seat)
{
    pthread_mutex_unlock(&seat->lock);
    seat_leave(turns, seat);
}

static void seat_set_active(struct turns *turns, struct seat *seat, struct turn *turn)
{
    pthread_mutex_lock(&turns->lock);
    if (turn)
        seat->users++; /* it is on the seat until it ends */
    seat->active = turn;
    if (turn && turns->closing)
        turn_cancel(turn); /* it began while all others were being stopped */
    pthread_mutex_unlock(&turns->lock);
}

/* ---- a turn ---- */

static const struct agent_call_ops call_ops;

static int64_t clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static enum fault_code turn_new(struct turns *turns, const struct turn_cmd *cmd, int64_t owner,
                                struct agent *agent, struct turn **out, struct fault *fault)
{
    struct id id = engine_draw_id(turns->options.engine);
    struct turn *turn = calloc(1, sizeof(*turn));
    char name[ID_TEXT + 1];

    if (!turn)
        abort();
    turn->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (turn->cancel_fd < 0) {
        free(turn);
        return fault_set(fault, FAULT_TOO_MANY, "too many files are open to run a turn");
    }
    turn->turns = turns;
    turn->agent = agent;
    turn->owner = owner;
    arena_init(&turn->arena);
    pthread_mutex_init(&turn->lock, NULL);
    buf_init(&turn->text, DRAFT_MAX);
    buf_init(&turn->reasoning, DRAFT_MAX);
    id_format(&id, name);
    turn->name = arena_dup(&turn->arena, str_of(name));
    turn->session = arena_dup(&turn->arena, cmd->session);
    turn->call = (struct agent_call){.ops = &call_ops,
                                     .arena = &turn->arena,
                                     .session = turn->session,
                                     .turn = turn->name,
                                     .cancel_fd = turn->cancel_fd};
    *out = turn;
    return FAULT_OK;
}

static void turn_free(struct turn *turn)
{
    while (turn->watchers) {
        struct watcher *watcher = turn->watchers;

        turn->watchers = watcher->next;
        free(watcher);
    }
    agents_give(turn->turns->options.agents, turn->agent);
    close(turn->cancel_fd);
    pthread_mutex_destroy(&turn->lock);
    buf_clear(&turn->text);
    buf_clear(&turn->reasoning);
    arena_clear(&turn->arena);
    free(turn);
}

static struct turn *turn_of(struct agent_call *call)
{
    return (struct turn *)call;
}

static bool turn_cancelled(struct turn *turn)
{
    bool cancelled;

    pthread_mutex_lock(&turn->turns->lock);
    cancelled = turn->cancelled;
    pthread_mutex_unlock(&turn->turns->lock);
    return cancelled;
}

/* With the lock of turns held. */
static void turn_cancel(struct turn *turn)
{
    uint64_t one = 1;

    if (turn->cancelled)
        return;
    turn->cancelled = true;
    if (write(turn->cancel_fd, &one, sizeof(one)) != sizeof(one))
        abort(); /* a counter of its own cannot be full */
}

/* ---- what the agent may do ---- */

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
    if (i == CALLS_MAX)
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

static void call_delta(struct agent_call *call, const struct delta *delta)
{
    struct turn *turn = turn_of(call);
    struct turns *turns = turn->turns;
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
    if (turns->options.hub) {
        struct hub_tidings tidings = {.owner = turn->owner,
                                      .session = turn->session,
                                      .turn = turn->name,
                                      .type = "message.delta",
                                      .message = turns->options.render(&piece, &arena),
                                      .after = turn->e};

        hub_tell(turns->options.hub, &tidings);
    }
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

static enum fault_code call_say(struct agent_call *call, struct entry_spec *entries, size_t count,
                                struct fault *fault)
{
    struct turn *turn = turn_of(call);
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
    code =
        engine_append(turn->turns->options.engine, &spec, entries, count, &arena, &result, fault);
    if (code == FAULT_OK) {
        turn->e = result.e;
        forget_draft(turn, count);
    }
    arena_clear(&arena);
    return code;
}

static const struct agent_call_ops call_ops = {
    .history = call_history,
    .delta = call_delta,
    .say = call_say,
};

/* ---- ending ---- */

static void pause_ms(int ms)
{
    struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};

    nanosleep(&time, NULL);
}

/* What has to be ended: a turn of this process, or one whose runner is gone. */
struct ending {
    int64_t owner;
    struct str session, turn;
    struct str draft; /* body of what was being said; empty: nothing */
    enum run_state state;
    struct str reason;
};

/* Adds the draft and the results of open calls, and ends the turn, in one transaction. */
static enum fault_code end_once(struct turns *turns, const struct ending *ending,
                                struct arena *arena, struct fault *fault)
{
    struct engine *engine = turns->options.engine;
    struct open_calls open = {.arena = arena};
    struct append_spec spec = {.owner = ending->owner,
                               .session = ending->session,
                               .run = {.act = RUN_END,
                                       .turn = ending->turn,
                                       .state = ending->state,
                                       .reason = ending->reason}};
    struct entry_spec *answers, *entries;
    struct append_result result;
    size_t answer_count, count = 0;
    enum fault_code code = store_turn(engine_store(engine), ending->owner, ending->session,
                                      ending->turn, open_calls_see, &open, fault);

    if (code != FAULT_OK && code != FAULT_TURN_NOT_FOUND)
        return code;
    answers = open_calls_answer(&open, &answer_count);
    entries = arena_array(arena, answer_count + 1, sizeof(*entries));
    if (answer_count)
        memcpy(entries, answers, answer_count * sizeof(*entries));
    count = answer_count;
    if (ending->draft.n && draft_entry(ending->draft, arena, &entries[count]))
        count++;
    for (size_t i = 0; i < count; i++) {
        entries[i].turn_rule = TURN_NAMED;
        entries[i].turn = ending->turn;
    }
    return engine_append(engine, &spec, entries, count, arena, &result, fault);
}

static bool is_closing(struct turns *turns)
{
    bool closing;

    pthread_mutex_lock(&turns->lock);
    closing = turns->closing;
    pthread_mutex_unlock(&turns->lock);
    return closing;
}

/* Tries again while the store is busy; gives up when the session or the turn is gone. */
static void end_surely(struct turns *turns, const struct ending *ending)
{
    for (int i = 0; i < END_TRIES; i++) {
        struct fault fault = {0};
        struct arena arena;
        enum fault_code code;

        arena_init(&arena);
        code = end_once(turns, ending, &arena, &fault);
        arena_clear(&arena);
        if (code == FAULT_OK || !(fault_retryable(code) || code == FAULT_FULL || code == FAULT_IO))
            return;
        if (is_closing(turns))
            return; /* the next start ends it */
        pause_ms(END_WAIT_MS);
    }
}

static void count_end(struct turns *turns, enum run_state state)
{
    pthread_mutex_lock(&turns->lock);
    if (state == RUN_DONE)
        turns->counts.done++;
    else if (state == RUN_CANCELLED)
        turns->counts.cancelled++;
    else
        turns->counts.failed++;
    pthread_mutex_unlock(&turns->lock);
}

static void tell_done(struct turn *turn, enum run_state state, const struct fault *fault)
{
    if (turn->done)
        turn->done(turn->context, state, fault);
    for (struct watcher *watcher = turn->watchers; watcher; watcher = watcher->next)
        watcher->done(watcher->context, state, fault);
}

/* ---- beginning ---- */

static bool run_ready(struct turns *turns, struct turn *turn);
static void abandon(struct turn *turn);

/*
 * With the lock of its seat held. On success the turn is the seat's, or what was said has been said
 * before: then *before is the name of the turn of then.
 */
static enum fault_code begin(struct turn *turn, struct once *once, struct arena *arena,
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
    if (engine_append(turns->options.engine, &spec, turn->entries, turn->count, arena, &result,
                      fault) != FAULT_OK)
        return fault_pass(fault);
    *before = STR_NONE;
    if (once && once->repeated)
        *before = once->answer;
    else if (result.repeated)
        *before = result.entries[0].turn;
    if (before->n)
        return FAULT_OK;
    turn->e = result.e;
    turn->e0 = result.e - (int64_t)turn->count - 1; /* its entries, and the note before them */
    seat_set_active(turns, turn->seat, turn);
    if (run_ready(turns, turn))
        return FAULT_OK;
    abandon(turn);
    return fault_set(fault, FAULT_TOO_MANY, "no thread could be started for the turn");
}

/* The first send that waits in the seat, taken out of the line. With the seat held. */
static struct turn *waiting_pop(struct turns *turns, struct seat *seat)
{
    struct turn *turn = seat->waiting;

    pthread_mutex_lock(&turns->lock);
    seat->waiting = turn->next;
    seat->waiting_count--;
    turn->next = NULL;
    turns->counts.queued--;
    seat->users--; /* whoever holds the seat keeps it */
    pthread_mutex_unlock(&turns->lock);
    return turn;
}

/*
 * The next send that waits in the seat becomes the active turn. Those that cannot begin are
 * returned, to be told so when the seat is free.
 */
static struct turn *begin_next(struct turns *turns, struct seat *seat)
{
    struct turn *failed = NULL, **last = &failed;

    while (seat->waiting && !seat->active) {
        struct turn *turn = waiting_pop(turns, seat);
        struct arena arena;
        struct str before;
        enum fault_code code;

        arena_init(&arena);
        code = begin(turn, turn->once.key.n ? &turn->once : NULL, &arena, &before, &turn->fault);
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

/* With no lock held. */
static void tell_and_free(struct turn *list, enum run_state state)
{
    while (list) {
        struct turn *turn = list;

        list = turn->next;
        tell_done(turn, state, state == RUN_FAILED ? &turn->fault : NULL);
        turn_free(turn);
    }
}

/* ---- running ---- */

static enum fault_code turn_dir(struct turn *turn, struct fault *fault)
{
    struct str dir;

    if (turns_dir(turn->turns, turn->seat->s, &turn->arena, &dir, fault) != FAULT_OK)
        return fault_pass(fault);
    turn->call.dir = dir.p;
    return FAULT_OK;
}

static enum fault_code turn_answer(struct turn *turn, struct fault *fault)
{
    if (turn_cancelled(turn))
        return FAULT_OK;
    if (turn->was_queued && call_say(&turn->call, NULL, 0, fault) != FAULT_OK)
        return fault_pass(fault);
    if (turn_dir(turn, fault) != FAULT_OK)
        return fault_pass(fault);
    return turn->agent->ops->run(turn->agent, &turn->call, fault);
}

/* How it ended: by itself, by a cancel, or because everything stops. */
static void turn_judge(struct turn *turn, enum fault_code code, struct ending *out)
{
    out->state = RUN_DONE;
    if (turn_cancelled(turn) && is_closing(turn->turns)) {
        out->state = RUN_FAILED;
        fault_write(&turn->fault, FAULT_STOPPING, "interrupted: the server was stopped");
    } else if (turn_cancelled(turn)) {
        out->state = RUN_CANCELLED;
    } else if (code != FAULT_OK) {
        out->state = RUN_FAILED;
    }
    if (out->state == RUN_FAILED)
        out->reason = str_of(turn->fault.message);
    out->draft = draft_body(buf_str(&turn->reasoning), buf_str(&turn->text), &turn->arena);
}

static void turn_run(struct turn *turn)
{
    struct turns *turns = turn->turns;
    struct seat *seat = turn->seat;
    struct ending ending = {.owner = turn->owner, .session = turn->session, .turn = turn->name};
    struct turn *failed;

    turn_judge(turn, turn_answer(turn, &turn->fault), &ending);
    pthread_mutex_lock(&seat->lock);
    end_surely(turns, &ending);
    count_end(turns, ending.state);
    seat_set_active(turns, seat, NULL);
    failed = begin_next(turns, seat);
    pthread_mutex_unlock(&seat->lock);
    pthread_mutex_lock(&turns->lock);
    pthread_cond_broadcast(&turns->ended);
    pthread_mutex_unlock(&turns->lock);
    turn->next = NULL;
    tell_and_free(turn, ending.state);
    tell_and_free(failed, RUN_FAILED);
    seat_leave(turns, seat);
}

/* Runs a turn, then those that wait for a thread. */
static void *turn_thread(void *context)
{
    struct turn *turn = context;
    struct turns *turns = turn->turns;

    for (;;) {
        turn_run(turn);
        pthread_mutex_lock(&turns->lock);
        turn = turns->ready;
        if (!turn) {
            turns->running--;
            turns->counts.running--;
            pthread_cond_broadcast(&turns->ended);
            pthread_mutex_unlock(&turns->lock);
            return NULL;
        }
        turns->ready = turn->next;
        if (!turns->ready)
            turns->ready_last = &turns->ready;
        turn->next = NULL;
        pthread_mutex_unlock(&turns->lock);
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
    started = pthread_create(&thread, &attr, turn_thread, turn) == 0;
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
    if (start) {
        turns->running++;
        turns->counts.running++;
    } else {
        line_up(turns, turn);
    }
    pthread_mutex_unlock(&turns->lock);
    if (!start || thread_start(turn))
        return true;
    pthread_mutex_lock(&turns->lock);
    turns->running--;
    turns->counts.running--;
    taken = turns->running > 0;
    if (taken)
        line_up(turns, turn);
    pthread_mutex_unlock(&turns->lock);
    return taken;
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

    end_surely(turns, &ending);
    count_end(turns, RUN_FAILED);
    seat_set_active(turns, turn->seat, NULL);
    pthread_mutex_lock(&turns->lock);
    turn->seat->users--; /* whoever holds the seat keeps it */
    pthread_mutex_unlock(&turns->lock);
}

/* ---- sending ---- */

/* Ends the turn of a session whose runner is gone; true when there was one. */
static bool recover_one(struct turns *turns, int64_t owner, struct str session)
{
    struct ending ending = {.owner = owner,
                            .session = session,
                            .state = RUN_FAILED,
                            .reason = STR("interrupted: the process that ran it is gone")};
    struct fault fault;
    struct arena arena;
    struct run run;
    bool found;

    arena_init(&arena);
    found = store_run_get(engine_store(turns->options.engine), owner, session, &arena, &run,
                          &fault) == FAULT_OK &&
            run_active(run.state) && !runner_alive(turns->runner, run.holder);
    if (found) {
        ending.turn = run.turn;
        ending.draft = run.draft;
        end_surely(turns, &ending);
    }
    arena_clear(&arena);
    return found;
}

/* Puts a turn that could not begin into the line of its seat. */
static enum fault_code wait_in_line(struct turn *turn, struct fault *fault)
{
    struct turns *turns = turn->turns;
    struct seat *seat = turn->seat;
    struct turn **last = &seat->waiting;

    if (!seat->active)
        return fault_set(fault, FAULT_TURN_RUNNING,
                         "another process runs a turn in session \"%.*s\"", STR_ARG(turn->session));
    if (seat->waiting_count >= (size_t)turns->options.queued_max)
        return fault_set(fault, FAULT_TOO_MANY,
                         "%zu messages wait in session \"%.*s\" already; that is the limit",
                         seat->waiting_count, STR_ARG(turn->session));
    while (*last)
        last = &(*last)->next;
    pthread_mutex_lock(&turns->lock);
    *last = turn;
    seat->waiting_count++;
    seat->users++;
    turns->counts.queued++;
    pthread_mutex_unlock(&turns->lock);
    return FAULT_OK;
}

static void watch(struct turn *turn, turn_done *done, void *context)
{
    struct watcher *watcher;

    if (!done)
        return;
    watcher = calloc(1, sizeof(*watcher));
    if (!watcher)
        abort();
    *watcher = (struct watcher){turn->watchers, done, context};
    turn->watchers = watcher;
}

/* The turn of a request that was sent before: who asks again is told of its end too. */
static void join(struct seat *seat, struct str name, turn_done *done, void *context,
                 struct turn_begun *out)
{
    struct turn *turn = seat->active;

    out->turn = name;
    out->joined = true;
    out->over = !turn || !str_eq(turn->name, name);
    if (out->over)
        return;
    out->e = turn->e0;
    watch(turn, done, context);
}

/* The same of one that still waits; *found says whether there is one with that key. */
static enum fault_code join_waiting(const struct turn *turn, const struct once *once,
                                    struct arena *arena, struct turn_begun *out, bool *found,
                                    struct fault *fault)
{
    for (struct turn *other = turn->seat->waiting; other && once; other = other->next) {
        if (other->once.owner != once->owner || !str_eq(other->once.key, once->key))
            continue;
        if (memcmp(other->once.request, once->request, HASH_BYTES) != 0)
            return fault_set(fault, FAULT_KEY_REUSED,
                             "the idempotency key \"%.*s\" came with another request before",
                             STR_ARG(once->key));
        out->turn = arena_dup(arena, other->name);
        out->joined = *found = true;
        watch(other, turn->done, turn->context);
        return FAULT_OK;
    }
    return FAULT_OK;
}

/* What the turn needs of the command when it waits: all of it, as its own. */
static void keep_cmd(struct turn *turn, const struct turn_cmd *cmd)
{
    turn->entries = arena_array(&turn->arena, cmd->count, sizeof(*turn->entries));
    turn->count = cmd->count;
    turn->expect_head =
        cmd->expect_head.p ? arena_dup(&turn->arena, cmd->expect_head) : cmd->expect_head;
    for (size_t i = 0; i < cmd->count; i++)
        turn->entries[i] = entry_spec_copy(&cmd->entries[i], &turn->arena);
    if (cmd->once) {
        turn->once = *cmd->once; /* its context is this turn */
        turn->once.key = arena_dup(&turn->arena, cmd->once->key);
    }
}

static struct str render_name(void *context, struct arena *arena)
{
    (void)arena;
    return ((struct turn *)context)->name;
}

/* With the seat held. *kept says that the turn is in the seat now and not the caller's. */
static enum fault_code seat_send(struct turn *turn, const struct turn_cmd *cmd, struct arena *arena,
                                 struct turn_begun *out, bool *kept, struct fault *fault)
{
    struct turns *turns = turn->turns;
    struct str before;
    bool found = false;
    enum fault_code code = begin(turn, cmd->once, arena, &before, fault);

    if (code == FAULT_TURN_RUNNING && !turn->seat->active &&
        recover_one(turns, turn->owner, turn->session))
        code = begin(turn, cmd->once, arena, &before, fault);
    out->turn = arena_dup(arena, turn->name);
    if (code == FAULT_TURN_RUNNING && cmd->busy == TURN_WAIT) {
        if ((turns->options.hub && hub_now(turns->options.hub, &out->e, fault) != FAULT_OK) ||
            join_waiting(turn, cmd->once, arena, out, &found, fault) != FAULT_OK)
            return fault_pass(fault);
        out->queued = true;
        out->state = RUN_QUEUED;
        if (found)
            return FAULT_OK;
        keep_cmd(turn, cmd);
        if (wait_in_line(turn, fault) != FAULT_OK)
            return fault_pass(fault);
        *kept = true;
        return FAULT_OK;
    }
    if (code != FAULT_OK)
        return code;
    if (before.n) {
        join(turn->seat, before, turn->done, turn->context, out);
        return FAULT_OK;
    }
    out->e = turn->e0; /* it runs already, but cannot end before the seat is given back */
    out->state = turn->was_queued ? RUN_QUEUED : RUN_RUNNING;
    *kept = true;
    return FAULT_OK;
}

/* The number of the owner that a session has. */
static enum fault_code owner_of(struct turns *turns, int64_t owner, const struct session *session,
                                int64_t *out, struct fault *fault)
{
    *out = owner;
    if (owner != OWNER_ANY)
        return FAULT_OK;
    return store_owner(engine_store(turns->options.engine), session->owner, out, fault);
}

enum fault_code turns_send(struct turns *turns, struct turn_cmd *cmd, struct arena *arena,
                           struct turn_begun *out, turn_done *done, void *context,
                           struct fault *fault)
{
    struct turn_begun begun = {0};
    struct session session;
    struct agent *agent;
    struct turn *turn;
    struct seat *seat;
    enum fault_code code;
    bool kept = false;
    int64_t owner;

    if (store_session_get(engine_store(turns->options.engine), cmd->owner, cmd->session, false,
                          arena, &session, fault) != FAULT_OK ||
        owner_of(turns, cmd->owner, &session, &owner, fault) != FAULT_OK ||
        agents_take(turns->options.agents, session.agent, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    if (turn_new(turns, cmd, owner, agent, &turn, fault) != FAULT_OK) {
        agents_give(turns->options.agents, agent);
        return fault_pass(fault);
    }
    turn->done = done;
    turn->context = context;
    turn->entries = cmd->entries;
    turn->count = cmd->count;
    turn->expect_head = cmd->expect_head;
    if (cmd->once) {
        cmd->once->render = render_name;
        cmd->once->context = turn;
    }
    turn->seat = seat = seat_take(turns, session.s);
    code = seat_send(turn, cmd, arena, &begun, &kept, fault);
    seat_give(turns, seat);
    if (!kept)
        turn_free(turn);
    if (code == FAULT_OK)
        *out = begun;
    return code;
}

/* ---- cancelling ---- */

/* Does another process run a turn in the session? With its seat held, and nothing active on it. */
static bool runs_elsewhere(struct turns *turns, int64_t owner, struct str session)
{
    struct fault fault;
    struct arena arena;
    struct run run;
    bool elsewhere;

    arena_init(&arena);
    elsewhere = store_run_get(engine_store(turns->options.engine), owner, session, &arena, &run,
                              &fault) == FAULT_OK &&
                run_active(run.state) && !str_eq(run.holder, runner_name(turns->runner));
    arena_clear(&arena);
    return elsewhere;
}

/* Waits until the turn is not the seat's any more. */
static void wait_for_end(struct turns *turns, struct seat *seat, const struct turn *turn)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += CANCEL_WAIT_S;
    pthread_mutex_lock(&turns->lock);
    if (seat->awaited) { /* one thread that waits for a slow agent is enough */
        pthread_mutex_unlock(&turns->lock);
        return;
    }
    seat->awaited = true;
    while (seat->active == turn &&
           pthread_cond_timedwait(&turns->ended, &turns->lock, &until) != ETIMEDOUT)
        ;
    seat->awaited = false;
    pthread_mutex_unlock(&turns->lock);
}

enum fault_code turns_cancel(struct turns *turns, int64_t owner, struct str name,
                             struct fault *fault)
{
    struct turn *active, *dropped = NULL, **last = &dropped;
    enum fault_code code = FAULT_OK;
    struct session session;
    struct seat *seat;
    struct arena arena;

    arena_init(&arena);
    code = store_session_get(engine_store(turns->options.engine), owner, name, false, &arena,
                             &session, fault);
    if (code != FAULT_OK) {
        arena_clear(&arena);
        return code;
    }
    seat = seat_take(turns, session.s);
    active = seat->active;
    while (seat->waiting) {
        *last = waiting_pop(turns, seat);
        last = &(*last)->next;
    }
    if (active) {
        pthread_mutex_lock(&turns->lock);
        turn_cancel(active);
        pthread_mutex_unlock(&turns->lock);
    } else if (!recover_one(turns, owner, name)) {
        code = runs_elsewhere(turns, owner, name)
                   ? fault_set(fault, FAULT_TURN_RUNNING,
                               "another process runs the turn in session \"%.*s\"; stop it there",
                               STR_ARG(name))
                   : fault_set(fault, FAULT_NO_TURN, "no turn is running in session \"%.*s\"",
                               STR_ARG(name));
    }
    pthread_mutex_unlock(&seat->lock);
    tell_and_free(dropped, RUN_CANCELLED);
    if (active)
        wait_for_end(turns, seat, active);
    seat_leave(turns, seat);
    arena_clear(&arena);
    return code;
}

/* ---- those who come late ---- */

static size_t so_far(struct turn *turn, struct arena *arena, struct turn_piece pieces[2])
{
    struct turn_piece piece = {.session = arena_dup(arena, turn->session),
                               .turn = arena_dup(arena, turn->name)};
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
    return count;
}

size_t turns_so_far(struct turns *turns, int64_t owner, struct str session, struct arena *arena,
                    struct turn_piece pieces[2])
{
    size_t count = 0;

    pthread_mutex_lock(&turns->lock);
    for (struct seat *seat = turns->seats; seat && !count; seat = seat->next)
        if (seat->active && str_eq(seat->active->session, session) &&
            (owner == OWNER_ANY || owner == seat->active->owner))
            count = so_far(seat->active, arena, pieces);
    pthread_mutex_unlock(&turns->lock);
    return count;
}

void turns_count(struct turns *turns, struct turns_counts *out)
{
    pthread_mutex_lock(&turns->lock);
    *out = turns->counts;
    pthread_mutex_unlock(&turns->lock);
}

/* ---- opening and closing ---- */

static enum fault_code make_dir(const char *path, struct fault *fault)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fault_set(fault, FAULT_IO, "cannot make the directory \"%s\": %s", path,
                         strerror(errno));
    return FAULT_OK;
}

enum fault_code turns_dir(struct turns *turns, int64_t session, struct arena *arena,
                          struct str *out, struct fault *fault)
{
    struct str above = arena_printf(arena, "%s/work", turns->home);
    struct str dir = arena_printf(arena, "%s/%" PRId64, above.p, session);

    if (make_dir(above.p, fault) != FAULT_OK || make_dir(dir.p, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = dir;
    return FAULT_OK;
}

/* A turn that was found active, as far as it is needed to end it. */
struct found {
    struct found *next;
    int64_t owner;
    struct str session;
};

struct finding {
    struct turns *turns;
    struct arena arena;
    struct found *first;
};

static enum fault_code find(void *context, const struct run *run, struct fault *fault)
{
    struct finding *finding = context;
    struct found *found;

    (void)fault;
    if (runner_alive(finding->turns->runner, run->holder))
        return FAULT_OK;
    found = arena_alloc(&finding->arena, sizeof(*found));
    *found = (struct found){finding->first, run->owner, arena_dup(&finding->arena, run->session)};
    finding->first = found;
    return FAULT_OK;
}

enum fault_code turns_recover(struct turns *turns, struct fault *fault)
{
    struct finding finding = {.turns = turns};
    enum fault_code code;

    arena_init(&finding.arena);
    code = store_run_active(engine_store(turns->options.engine), find, &finding, fault);
    for (struct found *found = finding.first; found && code == FAULT_OK; found = found->next)
        recover_one(turns, found->owner, found->session);
    arena_clear(&finding.arena);
    return code;
}

enum fault_code turns_open(const struct turns_options *options, struct turns **out,
                           struct fault *fault)
{
    struct turns *turns = calloc(1, sizeof(*turns));
    pthread_condattr_t attr;

    if (!turns)
        abort();
    turns->options = *options;
    if (!turns->options.running_max)
        turns->options.running_max = RUNNING_MAX;
    if (!turns->options.queued_max)
        turns->options.queued_max = QUEUED_MAX;
    turns->ready_last = &turns->ready;
    turns->home = strdup(options->home);
    if (!turns->home)
        abort();
    if (runner_open(turns->home, &turns->runner, fault) != FAULT_OK) {
        free(turns->home);
        free(turns);
        return fault_pass(fault);
    }
    pthread_mutex_init(&turns->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&turns->ended, &attr);
    pthread_condattr_destroy(&attr);
    *out = turns;
    return FAULT_OK;
}

/* Drops the sends that wait, everywhere. */
static void drop_waiting(struct turns *turns)
{
    for (;;) {
        struct turn *dropped = NULL, **last = &dropped;
        struct seat *seat;

        pthread_mutex_lock(&turns->lock);
        for (seat = turns->seats; seat && !seat->waiting; seat = seat->next)
            ;
        if (seat)
            seat->users++;
        pthread_mutex_unlock(&turns->lock);
        if (!seat)
            return;
        pthread_mutex_lock(&seat->lock);
        while (seat->waiting) {
            *last = waiting_pop(turns, seat);
            fault_write(&(*last)->fault, FAULT_STOPPING, "the server is stopping");
            last = &(*last)->next;
        }
        pthread_mutex_unlock(&seat->lock);
        tell_and_free(dropped, RUN_FAILED);
        seat_leave(turns, seat);
    }
}

bool turns_stop(struct turns *turns, int ms)
{
    struct timespec until;
    bool ended;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (ms % 1000) * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&turns->lock);
    turns->closing = true;
    pthread_mutex_unlock(&turns->lock);
    drop_waiting(turns);
    pthread_mutex_lock(&turns->lock);
    for (struct seat *seat = turns->seats; seat; seat = seat->next)
        if (seat->active)
            turn_cancel(seat->active);
    while (turns->running > 0 &&
           pthread_cond_timedwait(&turns->ended, &turns->lock, &until) != ETIMEDOUT)
        ;
    ended = turns->running == 0;
    pthread_mutex_unlock(&turns->lock);
    return ended;
}

bool turns_close(struct turns *turns, int ms)
{
    if (!turns)
        return true;
    if (!turns_stop(turns, ms))
        return false; /* an agent that does not come back; what it runs is ended by the next start
                       */
    runner_close(turns->runner);
    pthread_cond_destroy(&turns->ended);
    pthread_mutex_destroy(&turns->lock);
    free(turns->home);
    free(turns);
    return true;
}
