/* Appending entries. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/entry_write.h"
#include "store/sqlite/intent_row.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"

/* The entry of a sub-session must name a place of a session of the same owner. */
static enum fault_code ref_find(struct db *db, const struct link *link,
                                const struct entry_spec *spec, struct arena *arena,
                                struct address *out, struct fault *fault)
{
    struct point_spec wanted = spec->ref_point;
    struct link sub;
    struct point point;

    *out = ADDRESS_START;
    if (spec->kind != ENTRY_SUBSESSION)
        return FAULT_OK;
    wanted.guard = GUARD_NONE;
    if (link_named(db, link->owner, spec->ref_session, &sub, fault) != FAULT_OK ||
        point_find(db, &sub, spec->ref_session, &wanted, arena, &point, fault) != FAULT_OK)
        return fault_pass(fault);
    if (point.at.s == 0)
        return fault_set(fault, FAULT_POINT_INVALID,
                         "session \"%.*s\" has nothing to refer to there",
                         STR_ARG(spec->ref_session));
    *out = point.at;
    return FAULT_OK;
}

/* Is the stored entry what the spec would store? With `new_turn`, in whatever turn it stands. */
static enum fault_code same_entry(struct db *db, struct address at, const struct entry_spec *spec,
                                  bool new_turn, struct arena *arena, bool *same, struct entry *out,
                                  struct fault *fault)
{
    struct str stored;
    struct buf delta;

    if (entry_get(db, at, arena, out, fault) != FAULT_OK ||
        state_delta(db, at, arena, &stored, fault) != FAULT_OK)
        return fault_pass(fault);
    buf_init(&delta, LIMIT_STATE_BYTES);
    state_encode(&spec->state, &delta);
    *same = out->kind == spec->kind && out->role == spec->role && str_eq(out->body, spec->body) &&
            str_eq(stored, buf_str(&delta)) &&
            (new_turn || spec->turn_rule != TURN_NAMED || str_eq(out->turn, spec->turn)) &&
            (!spec->has_usage ||
             (out->usage.input == spec->usage.input && out->usage.output == spec->usage.output &&
              out->usage.cost == spec->usage.cost));
    buf_clear(&delta);
    return FAULT_OK;
}

/*
 * Ids that the session already has: all of the entries (then this is the same request again), or
 * none. Anything else is refused.
 */
static enum fault_code find_repeated(struct db *db, const struct link *link,
                                     const struct append_spec *spec, struct arena *arena,
                                     struct append_result *out, struct fault *fault)
{
    size_t repeated = 0,
           said = 0; /* files are looked at anew each time, and are nobody's request */

    out->entries = arena_array(arena, spec->count, sizeof(*out->entries));
    out->count = spec->count;
    out->repeated = false;
    for (size_t i = 0; i < spec->count; i++) {
        const struct entry_spec *entry = &spec->entries[i];
        struct address at;
        bool same = false;

        said += entry->kind != ENTRY_FILES;
        if (entry->id.n == 0)
            continue;
        for (size_t j = 0; j < i; j++)
            if (str_eq(entry->id, spec->entries[j].id))
                return fault_set(fault, FAULT_ID_TAKEN, "id \"%.*s\" occurs twice in the batch",
                                 STR_ARG(entry->id));
        if (entry_named(db, link, entry->id, &at, fault) != FAULT_OK)
            return fault_pass(fault);
        if (at.s == 0)
            continue;
        if (same_entry(db, at, entry, spec->run.act == RUN_BEGIN, arena, &same, &out->entries[i],
                       fault) != FAULT_OK)
            return fault_pass(fault);
        if (!same)
            return fault_set(fault, FAULT_ID_TAKEN,
                             "message \"%.*s\" is already in session \"%.*s\" with other content",
                             STR_ARG(entry->id), STR_ARG(spec->session));
        repeated++;
    }
    if (repeated == 0)
        return FAULT_OK;
    if (repeated < said)
        return fault_set(
            fault, FAULT_ID_TAKEN,
            "%zu of the %zu messages are already in session \"%.*s\", the others are not", repeated,
            said, STR_ARG(spec->session));
    out->repeated = true;
    return FAULT_OK;
}

static enum fault_code find_names(struct db *db, const struct link *link,
                                  const struct append_spec *spec, struct arena *arena,
                                  struct entry_names **out, struct fault *fault)
{
    struct entry_names *names = arena_array(arena, spec->count, sizeof(*names));

    for (size_t i = 0; i < spec->count; i++) {
        const struct entry_spec *entry = &spec->entries[i];
        struct tree_spec tree = {.given = entry->tree.n == HASH_BYTES,
                                 .since_us = entry->tree_since};

        if (tree.given)
            memcpy(tree.hash, entry->tree.p, HASH_BYTES);
        if (ref_find(db, link, entry, arena, &names[i].ref, fault) != FAULT_OK ||
            tree_record(db, &tree, &names[i].tree, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = names;
    return FAULT_OK;
}

static enum fault_code add_all(struct writer *writer, const struct append_spec *spec,
                               const struct entry_names *names, struct arena *arena,
                               struct entry *out, struct fault *fault)
{
    for (size_t i = 0; i < spec->count; i++) {
        if (entry_write(writer, &spec->entries[i], &names[i], spec->session, arena, &out[i],
                        fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return session_touch(writer->db, &writer->link, writer->head.at_us, fault);
}

/* Does the append say how the files are now, or that they are about to be worked on? */
static bool about_files(const struct append_spec *spec)
{
    bool files = spec->run.act == RUN_BEGIN;

    for (size_t i = 0; i < spec->count; i++)
        files |= spec->entries[i].tree.n != 0;
    return files;
}

/* The entries, and what the append does to the turn of the session before and after them. */
static enum fault_code append_new(struct db *db, const struct link *link,
                                  const struct append_spec *spec, struct arena *arena,
                                  struct append_result *result, struct fault *fault)
{
    bool said = spec->count > 0 && !result->repeated;
    struct writer writer;
    struct entry_names *names;

    if (run_check(db, link->s, spec->session, &spec->run, fault) != FAULT_OK ||
        (about_files(spec) && intent_refuse(db, link->s, spec->session, 0, fault) != FAULT_OK) ||
        writer_open(&writer, db, link, arena, fault) != FAULT_OK ||
        head_expect(db, &writer.head, spec->expect_head, arena, fault) != FAULT_OK ||
        find_names(db, link, spec, arena, &names, fault) != FAULT_OK ||
        run_before(db, link, &spec->run, spec->at_us, fault) != FAULT_OK)
        return fault_pass(fault);
    if (said && add_all(&writer, spec, names, arena, result->entries, fault) != FAULT_OK)
        return fault_pass(fault);
    return run_after(db, link, &spec->run, said, spec->at_us, fault);
}

enum fault_code append_run(struct db *db, const struct append_spec *spec, struct arena *arena,
                           struct append_result *out, struct fault *fault)
{
    struct append_result result;
    struct link link;
    bool repeated, begins;

    if (once_find(db, spec->once, spec->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        find_repeated(db, &link, spec, arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    begins = spec->run.act == RUN_STAY || spec->run.act == RUN_BEGIN;
    if (!(result.repeated && begins) &&
        append_new(db, &link, spec, arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    result.e = db->e;
    *out = result;
    return once_keep(db, spec->once, spec->at_us, arena, fault);
}
