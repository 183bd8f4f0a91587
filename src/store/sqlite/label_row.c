#include "store/sqlite/label_row.h"

struct seen {
    struct label *items;
    size_t count, room;
};

static bool hidden(const struct label *nearer, size_t count, const struct label *label)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(nearer[i].text, label->text) || address_eq(nearer[i].at, label->at))
            return true;
    return false;
}

static void seen_add(struct seen *seen, const struct label *label, struct arena *arena)
{
    seen->items = arena_more(arena, seen->items, seen->count, &seen->room, sizeof(*seen->items));
    seen->items[seen->count++] = *label;
}

/* Adds the labels that were set in one session of the chain. */
static enum fault_code see_in(struct db *db, const struct link *link, int64_t in_s,
                              struct arena *arena, struct seen *seen, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_LABEL_LIST, ARGS(arg_int(in_s)));
    size_t nearer = seen->count;
    bool row, has;

    for (;;) {
        struct label label = {.inherited = in_s != link->s};

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        label.at = column_address(q, 0);
        label.text = column_dup(q, 2, arena);
        if (path_has(db, link, label.at, &has, NULL, fault) != FAULT_OK)
            return fault_pass(fault);
        if (has && !hidden(seen->items, nearer, &label))
            seen_add(seen, &label, arena);
    }
}

enum fault_code labels_seen(struct db *db, const struct link *link, struct arena *arena,
                            struct label **out, size_t *count, struct fault *fault)
{
    struct link step = *link;
    struct seen seen = {0};

    for (;;) {
        if (see_in(db, link, step.s, arena, &seen, fault) != FAULT_OK)
            return fault_pass(fault);
        if (step.base.s == 0)
            break;
        if (link_get(db, step.base.s, &step, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = seen.items;
    *count = seen.count;
    return FAULT_OK;
}
