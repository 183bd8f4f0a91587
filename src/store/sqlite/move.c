/* Rewind, undo, redo and adopt: the head goes to another place, and nothing is lost. */
#include "store/sqlite/verbs.h"

#include "store/limits.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/writer.h"

static enum fault_code rewind_target(struct db *db, const struct link *link,
                                     const struct move_spec *spec, const struct act *head,
                                     struct arena *arena, struct move_result *result,
                                     struct act *target, struct fault *fault)
{
    struct act from, to;

    if (point_find(db, link, spec->session, &spec->point, arena, &result->point, fault) !=
            FAULT_OK ||
        point_excluded(db, link, &result->point, arena, &result->has_excluded, &result->excluded,
                       fault) != FAULT_OK ||
        act_get(db, result->point.at, target, fault) != FAULT_OK ||
        act_settle(db, head, &from, fault) != FAULT_OK ||
        act_settle(db, target, &to, fault) != FAULT_OK)
        return fault_pass(fault);
    if (address_eq(from.at, to.at))
        return fault_set(fault, FAULT_POINT_IS_HEAD, "the session is at that point already");
    return FAULT_OK;
}

/* The state that the move does not move, as a delta on top of its target. */
static enum fault_code kept_state(struct db *db, const struct move_spec *spec,
                                  const struct act *head, const struct act *target,
                                  struct arena *arena, struct str *out, struct fault *fault)
{
    struct state now, then, kept;
    struct buf bytes;

    *out = STR_NONE;
    if (spec->keep_count == 0)
        return FAULT_OK;
    if (state_get(db, &head->facts, arena, &now, fault) != FAULT_OK ||
        state_get(db, &target->facts, arena, &then, fault) != FAULT_OK)
        return fault_pass(fault);
    kept = state_keep(&now, &then, spec->keep, spec->keep_count, arena);
    if (kept.count == 0)
        return FAULT_OK;
    buf_init(&bytes, (size_t)2 * LIMIT_STATE_BYTES);
    state_encode(&kept, &bytes);
    *out = arena_dup(arena, buf_str(&bytes));
    buf_clear(&bytes);
    return FAULT_OK;
}

/* What the move does to the list of messages, and between which entries it goes. */
static enum fault_code result_fill(struct db *db, const struct act *head, const struct act *target,
                                   struct arena *arena, struct move_result *out,
                                   struct fault *fault)
{
    struct act from, to, common;
    struct address parting;

    if (act_settle(db, head, &from, fault) != FAULT_OK ||
        act_settle(db, target, &to, fault) != FAULT_OK ||
        entry_id(db, from.at, arena, &out->from, fault) != FAULT_OK ||
        entry_id(db, to.at, arena, &out->to, fault) != FAULT_OK ||
        path_parting(db, &from, &to, &parting, fault) != FAULT_OK ||
        act_get(db, parting, &common, fault) != FAULT_OK)
        return fault_pass(fault);
    out->dropped = head->facts.visible - common.facts.visible;
    out->kept = target->facts.visible;
    return FAULT_OK;
}

enum fault_code move_run(struct db *db, const struct move_spec *spec, struct arena *arena,
                         struct move_result *out, struct fault *fault)
{
    struct once *once = spec->dry_run ? NULL : spec->once;
    struct move_result result = {.id = STR("")};
    struct move_draft draft = {
        .drawn = spec->drawn,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .at_us = spec->at_us,
        .act = spec->act,
        .scope = spec->scope,
    };
    struct writer writer;
    struct link link;
    struct act head, target;
    enum fault_code code;
    bool repeated;

    if (once_find(db, once, spec->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        (!spec->dry_run && run_refuse(db, link.s, spec->session, fault) != FAULT_OK) ||
        writer_open(&writer, db, &link, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    head = writer.head;
    if (head_expect(db, &head, spec->expect_head, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    code = spec->act == MOVE_REWIND
               ? rewind_target(db, &link, spec, &head, arena, &result, &target, fault)
               : way_back(db, &link, INT64_MAX, spec->act, &target, fault);
    if (code != FAULT_OK || result_fill(db, &head, &target, arena, &result, fault) != FAULT_OK ||
        kept_state(db, spec, &head, &target, arena, &draft.state, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!spec->dry_run) {
        if (writer_move(&writer, &draft, &target, arena, fault) != FAULT_OK ||
            session_touch(db, &link, writer.head.at_us, fault) != FAULT_OK)
            return fault_pass(fault);
        result.id = act_id_text((struct str){(const char *)spec->drawn.b, ID_BYTES}, true, arena);
    }
    if (session_get(db, link.s, true, arena, &result.session, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = result;
    return once_keep(db, once, spec->at_us, arena, fault);
}

/* The entries to be taken over, as addresses, oldest first. */
struct adoption {
    struct address *from;
    size_t count;
    int64_t messages;
};

static enum fault_code adoption_find(struct db *db, struct address parting,
                                     const struct act *from_head, struct arena *arena,
                                     struct adoption *out, struct fault *fault)
{
    struct range *ranges;
    size_t range_count, room = 0;
    int64_t bytes = 0;
    bool row;

    *out = (struct adoption){0};
    if (path_ranges(db, parting, from_head, arena, &ranges, &range_count, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < range_count; i++) {
        sqlite3_stmt *q =
            db_query(db, Q_ADOPT_SCAN,
                     ARGS(arg_int(ranges[i].s), arg_int(ranges[i].from), arg_int(ranges[i].to)));

        for (;;) {
            if (db_step(db, q, &row, fault) != FAULT_OK)
                return fault_pass(fault);
            if (!row)
                break;
            bytes += sqlite3_column_int64(q, 1);
            if (out->count == LIMIT_ADOPT_ENTRIES || bytes > LIMIT_ADOPT_BYTES)
                return fault_set(fault, FAULT_TOO_LARGE,
                                 "more than %d entries or %d bytes would have to be taken over",
                                 LIMIT_ADOPT_ENTRIES, LIMIT_ADOPT_BYTES);
            if (out->count == room) {
                struct address *more =
                    arena_array(arena, room = room ? room * 2 : 64, sizeof(*more));

                if (out->count)
                    memcpy(more, out->from, out->count * sizeof(*more));
                out->from = more;
            }
            out->from[out->count++] = (struct address){ranges[i].s, sqlite3_column_int64(q, 0)};
        }
    }
    return FAULT_OK;
}

/* Copies one entry to the end of the session: a new id, no usage, the rest the same. */
static enum fault_code adopt_entry(struct writer *writer, struct address from,
                                   const struct adopt_spec *spec, struct arena *arena,
                                   struct fault *fault)
{
    struct db *db = writer->db;
    sqlite3_stmt *q = db_query(db, Q_ACT_ROW, ARGS(arg_int(from.s), arg_int(from.n)));
    struct draft draft;
    struct act_row row;
    struct id drawn;
    unsigned char salt[SALT_BYTES];
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing",
                         (long long)from.n, (long long)from.s);
    if (act_row_read(q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    draft = (struct draft){
        .kind = row.head.kind,
        .role = row.head.role,
        .flags = (row.head.flags & ENTRY_INTERRUPTED) | ENTRY_ADOPTED,
        .drawn = true,
        .turn = arena_dup(arena, row.head.turn),
        .calls = row.head.calls,
        .results = row.head.results,
        .tree = row.head.own_tree,
        .ref = row.head.kind == ENTRY_SUBSESSION ? row.head.ref : from,
        .spans = row.spans.p ? arena_dup(arena, row.spans) : STR_NONE,
        .body = row.body.p ? arena_dup(arena, row.body) : STR("{}"), /* erased at its source */
    };
    sqlite3_reset(q);
    if (!row.body.p)
        draft.spans = STR_NONE;
    spec->draw(spec->draw_context, &drawn, salt, &draft.at_us);
    draft.id = (struct str){(const char *)drawn.b, ID_BYTES};
    draft.salt = (struct str){(const char *)salt, SALT_BYTES};
    if (state_delta(db, from, arena, &draft.state, fault) != FAULT_OK)
        return fault_pass(fault);
    return writer_add(writer, &draft, arena, fault);
}

static enum fault_code adopt_write(struct writer *writer, const struct adopt_spec *spec,
                                   const struct move_draft *draft, const struct act *target,
                                   const struct adoption *adoption, struct arena *arena,
                                   struct move_result *result, struct fault *fault)
{
    struct arena scratch;
    enum fault_code code;

    code = writer_move(writer, draft, target, arena, fault);
    arena_init(&scratch);
    for (size_t i = 0; code == FAULT_OK && i < adoption->count; i++) {
        code = adopt_entry(writer, adoption->from[i], spec, &scratch, fault);
        writer->turn_name = arena_dup(arena, writer->turn_name);
        arena_clear(&scratch);
    }
    if (code == FAULT_OK)
        code = session_touch(writer->db, &writer->link, writer->head.at_us, fault);
    result->id = act_id_text((struct str){(const char *)draft->drawn.b, ID_BYTES}, true, arena);
    return code;
}

enum fault_code adopt_run(struct db *db, const struct adopt_spec *spec, struct arena *arena,
                          struct move_result *out, struct fault *fault)
{
    struct once *once = spec->dry_run ? NULL : spec->once;
    struct move_result result = {.id = STR("")};
    unsigned char salt[SALT_BYTES];
    struct move_draft draft = {.act = MOVE_ADOPT, .salt = {(const char *)salt, SALT_BYTES}};
    struct adoption adoption;
    struct writer writer;
    struct link link, from;
    struct act head, from_head, target;
    struct address parting;
    bool repeated;

    spec->draw(spec->draw_context, &draft.drawn, salt, &draft.at_us);
    if (once_find(db, once, draft.at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        (!spec->dry_run && run_refuse(db, link.s, spec->session, fault) != FAULT_OK) ||
        link_named(db, spec->owner, spec->from, &from, fault) != FAULT_OK)
        return fault_pass(fault);
    if (link.fam != from.fam)
        return fault_set(fault, FAULT_NOT_FAMILY,
                         "sessions \"%.*s\" and \"%.*s\" are not of one family",
                         STR_ARG(spec->session), STR_ARG(spec->from));
    if (writer_open(&writer, db, &link, arena, fault) != FAULT_OK ||
        head_expect(db, &writer.head, spec->expect_head, arena, fault) != FAULT_OK ||
        head_get(db, &from, &from_head, fault) != FAULT_OK)
        return fault_pass(fault);
    head = writer.head;
    if (path_parting(db, &head, &from_head, &parting, fault) != FAULT_OK ||
        act_get(db, parting, &target, fault) != FAULT_OK ||
        adoption_find(db, parting, &from_head, arena, &adoption, fault) != FAULT_OK ||
        result_fill(db, &head, &target, arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    if (adoption.count == 0)
        return fault_set(fault, FAULT_NOTHING_TO_ADOPT,
                         "session \"%.*s\" has nothing that \"%.*s\" has not", STR_ARG(spec->from),
                         STR_ARG(spec->session));
    if (from_head.facts.open > 0)
        return fault_set(fault, FAULT_TOOL_CALL_OPEN,
                         "session \"%.*s\" ends with a tool call that has no result yet",
                         STR_ARG(spec->from));
    result.added = (int64_t)adoption.count;
    result.point = (struct point){.at = parting, .side = SIDE_AFTER, .index = target.facts.visible};
    if (!spec->dry_run &&
        adopt_write(&writer, spec, &draft, &target, &adoption, arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    if (session_get(db, link.s, true, arena, &result.session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!spec->dry_run)
        result.to = result.session.head;
    *out = result;
    return once_keep(db, once, draft.at_us, arena, fault);
}
