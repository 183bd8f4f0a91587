#include "dialect/turn_ending.h"

enum { AHEAD = 16 }; /* how far behind its last entry the end of a turn is looked for */

struct search {
    struct str turn;
    struct arena *arena;
    int64_t last_e; /* of its newest entry */
    struct turn_ending found;
};

struct turn_ending turn_ending_of(const struct note *note)
{
    struct turn_ending ending = {.state = RUN_DONE, .reason = note->was};

    for (int i = RUN_DONE; i <= RUN_CANCELLED; i++)
        if (str_eq(note->now, str_of(run_state_name((enum run_state)i))))
            ending.state = (enum run_state)i;
    return ending;
}

static enum fault_code see_entry(void *context, const struct entry *entry, struct fault *fault)
{
    struct search *search = context;

    (void)fault;
    search->last_e = entry->e;
    return FAULT_OK;
}

static enum fault_code see_note(void *context, const struct journal_item *item, struct fault *fault)
{
    struct search *search = context;
    const struct note *note = item->note;

    (void)fault;
    if (!note || note->act != NOTE_TURN_ENDED || !str_eq(note->message, search->turn))
        return FAULT_OK;
    search->found = turn_ending_of(note);
    search->found.reason = arena_dup(search->arena, note->was);
    return FAULT_OK;
}

/* The newest turn of the session, of which most is known. */
static bool is_newest(struct store *store, int64_t owner, struct str session, struct str turn,
                      struct arena *arena, struct turn_ending *out)
{
    struct fault fault;
    struct run run;

    if (store_run_get(store, owner, session, arena, &run, &fault) != FAULT_OK ||
        !str_eq(run.turn, turn))
        return false;
    *out = (struct turn_ending){.state = run.state, .reason = run.reason};
    return true;
}

enum fault_code turn_ending_find(struct store *store, int64_t owner, struct str session,
                                 struct str turn, struct arena *arena, struct turn_ending *out,
                                 struct fault *fault)
{
    struct search search = {.turn = turn, .arena = arena, .found = {.state = RUN_DONE}};
    struct log_spec spec = {.owner = owner, .session = session, .limit = AHEAD};

    if (is_newest(store, owner, session, turn, arena, out))
        return FAULT_OK;
    if (store_turn(store, owner, session, turn, see_entry, &search, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.after_e = search.last_e;
    if (store_journal(store, &spec, see_note, &search, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = search.found;
    return FAULT_OK;
}
