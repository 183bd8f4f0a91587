#include "engine/turn_end.h"

#include "base/clock.h"
#include "agent/draft.h"
#include "agent/open_calls.h"
#include "base/utf8.h"
#include "engine/turns_own.h"
#include "engine/workspaces_own.h"
#include "store/limits.h"

#include <string.h>

enum {
    END_TRIES = 20, /* to end a turn while the store is busy */
    END_WAIT_MS = 500
};

/*
 * The files as the turn leaves them, as an entry when they are not recorded yet. A turn whose files
 * cannot be recorded has failed.
 */
static void look_at_files(const struct ending *ending, struct arena *arena, struct run_step *run,
                          struct entry_spec *entry, bool *changed)
{
    struct fault why;

    *changed = false;
    if (!ending->place || place_look(ending->place, -1, entry, changed, &why) == FAULT_OK) {
        if (*changed) /* where nobody looked before, others may have had a hand in it */
            place_entry(entry, ending->place && ending->place->unseen);
        return;
    }
    run->state = RUN_FAILED;
    if (!run->reason.n)
        run->reason =
            utf8_cut(arena_printf(arena, "the files could not be recorded: %s", why.message),
                     LIMIT_REASON_BYTES);
}

/*
 * Adds the draft, the results of open calls and the files, and ends the turn, in one transaction.
 */
static enum fault_code end_once(struct turns *turns, struct ending *ending, struct arena *arena,
                                struct fault *fault)
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
    struct entry_spec *files;
    size_t answer_count, count = 0;
    bool changed;
    enum fault_code code = store_turn(engine_store(engine), ending->owner, ending->session,
                                      ending->turn, open_calls_see, &open, fault);

    if (code != FAULT_OK && code != FAULT_TURN_NOT_FOUND)
        return code;
    answers = open_calls_answer(&open, &answer_count);
    entries = arena_array(arena, answer_count + 2, sizeof(*entries));
    if (answer_count)
        memcpy(entries, answers, answer_count * sizeof(*entries));
    count = answer_count;
    if (ending->draft.n && draft_entry(ending->draft, arena, &entries[count]))
        count++;
    files = &entries[count];
    look_at_files(ending, arena, &spec.run, files, &changed);
    count += changed;
    for (size_t i = 0; i < count; i++) {
        entries[i].turn_rule = TURN_NAMED;
        entries[i].turn = ending->turn;
    }
    code = engine_append(engine, &spec, entries, count, arena, &result, fault);
    if (code != FAULT_OK)
        return code;
    ending->state = spec.run.state;
    if (changed)
        place_record(ending->place, files);
    return FAULT_OK;
}

static bool is_gone(enum fault_code code)
{
    return code == FAULT_SESSION_NOT_FOUND || code == FAULT_TURN_OVER;
}

/* What it still had to say cannot be stored: it ends without that, for it must not go on for ever.
 */
static void end_bare(struct turns *turns, struct ending *ending, enum fault_code why)
{
    struct append_spec spec = {.owner = ending->owner,
                               .session = ending->session,
                               .run = {.act = RUN_END, .turn = ending->turn, .state = RUN_FAILED}};
    struct append_result result;
    struct fault fault;
    struct arena arena;

    arena_init(&arena);
    spec.run.reason =
        arena_printf(&arena, "its last words could not be stored: %s", fault_name(why));
    if (engine_append(turns->options.engine, &spec, NULL, 0, &arena, &result, &fault) == FAULT_OK)
        ending->state = RUN_FAILED;
    arena_clear(&arena);
}

void turn_end(struct turns *turns, struct ending *ending)
{
    for (int i = 0; i < END_TRIES; i++) {
        struct fault fault = {0};
        struct arena arena;
        enum fault_code code;

        arena_init(&arena);
        code = end_once(turns, ending, &arena, &fault);
        arena_clear(&arena);
        if (code == FAULT_OK || is_gone(code))
            return;
        if (!fault_retryable(code) && code != FAULT_FULL && code != FAULT_IO) {
            end_bare(turns, ending, code);
            return;
        }
        if (turns_closing(turns))
            return; /* the next start ends it */
        clock_pause_ms(END_WAIT_MS);
    }
}

void turns_count_end(struct turns *turns, enum run_state state)
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

bool turn_recover(struct turns *turns, int64_t owner, struct str session)
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
        if (place_hold(turns->options.workspaces, owner, session, 0, &ending.place, &fault) !=
            FAULT_OK)
            ending.place = NULL; /* what it did to files is found by whoever looks next */
        turn_end(turns, &ending);
        place_leave(ending.place);
    }
    arena_clear(&arena);
    return found;
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
        turn_recover(turns, found->owner, found->session);
    arena_clear(&finding.arena);
    return code;
}
