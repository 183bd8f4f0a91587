/* Taking over what another session of the family has: "keep the winner". */
#include "store/sqlite/verbs.h"

#include "store/limits.h"
#include "store/sqlite/merge_row.h"
#include "store/sqlite/moving.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_row.h"

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
            out->from = arena_more(arena, out->from, out->count, &room, sizeof(*out->from));
            out->from[out->count++] = (struct address){ranges[i].s, sqlite3_column_int64(q, 0)};
        }
    }
    return FAULT_OK;
}

/*
 * Copies one entry to the end of the session: a new id, no usage, the rest the same. What somebody
 * else did to the files of the other session, the adopt does to these.
 */
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
        .flags =
            (row.head.flags & (ENTRY_INTERRUPTED | ENTRY_LEFT_OUT | ENTRY_MERGED)) | ENTRY_ADOPTED,
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
    if (state_delta(db, from, arena, &draft.state, fault) != FAULT_OK ||
        merged_at(db, from, &draft.merged, fault) != FAULT_OK)
        return fault_pass(fault);
    return writer_add(writer, &draft, arena, fault);
}

static enum fault_code adopt_all(struct writer *writer, const struct adopt_spec *spec,
                                 const struct adoption *adoption, struct arena *arena,
                                 struct fault *fault)
{
    struct arena scratch;
    enum fault_code code = FAULT_OK;

    arena_init(&scratch);
    for (size_t i = 0; code == FAULT_OK && i < adoption->count; i++) {
        code = adopt_entry(writer, adoption->from[i], spec, &scratch, fault);
        writer->turn_name = arena_dup(arena, writer->turn_name);
        arena_clear(&scratch);
    }
    return code;
}

static enum fault_code nothing(const struct adopt_spec *spec, struct fault *fault)
{
    return fault_set(fault, FAULT_NOTHING_TO_ADOPT,
                     "session \"%.*s\" has nothing that \"%.*s\" has not", STR_ARG(spec->from),
                     STR_ARG(spec->session));
}

/* What is adopted, and whether that may be. With SCOPE_FILES it is no entry. */
static enum fault_code adoption_check(struct db *db, const struct adopt_spec *spec,
                                      struct address parting, const struct act *from_head,
                                      struct arena *arena, struct adoption *out,
                                      struct fault *fault)
{
    *out = (struct adoption){0};
    if (spec->scope == SCOPE_FILES)
        return FAULT_OK;
    if (adoption_find(db, parting, from_head, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->count == 0)
        return nothing(spec, fault);
    if (from_head->facts.open > 0)
        return fault_set(fault, FAULT_TOOL_CALL_OPEN,
                         "session \"%.*s\" ends with a tool call that has no result yet",
                         STR_ARG(spec->from));
    return FAULT_OK;
}

static enum fault_code adopt_write(struct writer *writer, const struct adopt_spec *spec,
                                   const struct move_draft *draft, const struct act *place,
                                   const struct adoption *adoption, int64_t tree,
                                   struct arena *arena, struct fault *fault)
{
    struct db *db = writer->db;
    bool same = false;

    if (moving_tree(db, &spec->files, tree, &tree, fault) != FAULT_OK ||
        (spec->scope == SCOPE_FILES &&
         tree_same(db, tree, writer->head.facts.tree, &same, fault) != FAULT_OK))
        return fault_pass(fault);
    if (same)
        return nothing(spec, fault);
    if (writer_move(writer, draft, place, arena, fault) != FAULT_OK ||
        adopt_all(writer, spec, adoption, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    return moving_close(writer, &spec->files, tree, arena, fault);
}

enum fault_code adopt_run(struct db *db, const struct adopt_spec *spec, struct arena *arena,
                          struct move_result *out, struct fault *fault)
{
    struct once *once = spec->dry_run ? NULL : spec->once;
    struct moving moving = {.owner = spec->owner,
                            .session = spec->session,
                            .expect_head = spec->expect_head,
                            .files = &spec->files,
                            .dry_run = spec->dry_run,
                            .from = spec->from,
                            .from_at = spec->from_at};
    struct move_result result = {.id = STR(""), .scope = spec->scope};
    unsigned char salt[SALT_BYTES];
    struct move_draft draft = {
        .act = MOVE_ADOPT, .scope = spec->scope, .salt = {(const char *)salt, SALT_BYTES}};
    bool files_alone = spec->scope == SCOPE_FILES, repeated;
    struct adoption adoption;
    struct writer writer;
    struct act from_head, place;
    struct address parting;
    int64_t tree;

    spec->draw(spec->draw_context, &draft.drawn, salt, &draft.at_us);
    if (once_find(db, once, draft.at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (moving_open(&moving, db, arena, &writer, fault) != FAULT_OK ||
        moving_other(&moving, &writer, &from_head, fault) != FAULT_OK ||
        path_parting(db, &writer.head, &from_head, &parting, fault) != FAULT_OK ||
        act_get(db, files_alone ? writer.head.at : parting, &place, fault) != FAULT_OK ||
        adoption_check(db, spec, parting, &from_head, arena, &adoption, fault) != FAULT_OK)
        return fault_pass(fault);
    tree = spec->scope == SCOPE_CONVERSATION ? writer.head.facts.tree : from_head.facts.tree;
    if (moving_list(db, &writer.head, &place, arena, &result, fault) != FAULT_OK ||
        moving_files(&writer, tree, parting, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    result.added = (int64_t)adoption.count;
    result.point = (struct point){.at = place.at, .side = SIDE_AFTER, .index = place.facts.visible};
    if (!spec->dry_run) {
        if (adopt_write(&writer, spec, &draft, &place, &adoption, tree, arena, fault) != FAULT_OK)
            return fault_pass(fault);
        result.id = act_id_text((struct str){(const char *)draft.drawn.b, ID_BYTES}, true, arena);
    }
    if (session_get(db, writer.link.s, true, arena, &result.session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!spec->dry_run)
        result.to = result.session.head;
    *out = result;
    return once_keep(db, once, draft.at_us, arena, fault);
}
