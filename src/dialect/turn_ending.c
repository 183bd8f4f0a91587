#include "dialect/turn_ending.h"

/*
 * Most turns end right behind their last entry. Further on there are notes that others wrote while
 * it waited; behind them, entries say that its end was never written down.
 */
enum { PAGE = 16 };

struct search {
    struct str turn;
    struct arena *arena;
    int64_t last_e; /* of what was seen last */
    int64_t seen;
    bool over; /* there is no use in looking further */
    struct turn_ending *found;
};

struct turn_ending turn_ending_of(const struct note *note)
{
    struct turn_ending ending = {.state = RUN_DONE, .reason = note->was};

    for (int i = RUN_DONE; i <= RUN_CANCELLED; i++)
        if (str_eq(note->now, str_of(run_state_name((enum run_state)i))))
            ending.state = (enum run_state)i;
    return ending;
}

/* The next turn begins when this one has ended. */
static bool is_behind(const struct search *search, const struct journal_item *item)
{
    if (item->entry)
        return search->seen > PAGE;
    return item->note->act == NOTE_TURN_STARTED && !str_eq(item->note->message, search->turn);
}

static enum fault_code see_item(void *context, const struct journal_item *item, struct fault *fault)
{
    struct search *search = context;
    const struct note *note = item->note;

    (void)fault;
    search->seen++;
    search->last_e = item->e;
    if (search->over || (!item->entry && !note))
        return FAULT_OK;
    search->over = is_behind(search, item);
    if (!note || note->act != NOTE_TURN_ENDED || !str_eq(note->message, search->turn))
        return FAULT_OK;
    search->over = true;
    *search->found = turn_ending_of(note);
    search->found->reason = arena_dup(search->arena, note->was);
    return FAULT_OK;
}

enum fault_code turn_ending_after(struct store *store, const struct log_spec *from, struct str turn,
                                  struct arena *arena, struct turn_ending *out, struct fault *fault)
{
    struct search search = {.turn = turn, .arena = arena, .last_e = from->after_e, .found = out};
    struct log_spec spec = *from;
    int64_t before;

    spec.limit = PAGE;
    do {
        before = search.seen;
        spec.after_e = search.last_e;
        if (store_journal(store, &spec, see_item, &search, fault) != FAULT_OK)
            return fault_pass(fault);
    } while (!search.over && search.seen - before == PAGE);
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

static enum fault_code see_entry(void *context, const struct entry *entry, struct fault *fault)
{
    struct log_spec *from = context;

    (void)fault;
    from->after_e = entry->e;
    return FAULT_OK;
}

enum fault_code turn_ending_find(struct store *store, int64_t owner, struct str session,
                                 struct str turn, struct arena *arena, struct turn_ending *out,
                                 struct fault *fault)
{
    struct log_spec from = {.owner = owner, .session = session};
    struct turn_ending found = {.state = RUN_DONE};

    if (is_newest(store, owner, session, turn, arena, out))
        return FAULT_OK;
    if (store_turn(store, owner, session, turn, see_entry, &from, fault) != FAULT_OK ||
        turn_ending_after(store, &from, turn, arena, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = found;
    return FAULT_OK;
}
