#include "store/sqlite/writer.h"

#include "store/sqlite/object_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_row.h"

enum fault_code writer_open(struct writer *writer, struct db *db, const struct link *link,
                            struct arena *arena, struct fault *fault)
{
    *writer = (struct writer){.db = db, .link = *link};
    if (head_get(db, link, &writer->head, fault) != FAULT_OK)
        return fault_pass(fault);
    return turn_name(db, writer->head.facts.turn, arena, &writer->turn_name, fault);
}

/* The number that the next act gets. */
static struct address next_place(const struct writer *writer)
{
    int64_t n = writer->head.at.s == writer->link.s ? writer->head.at.n + 1 : 1;

    return (struct address){writer->link.s, n};
}

static struct usage spent_so_far(const struct writer *writer)
{
    return writer->head.at.s == writer->link.s ? writer->head.facts.spent : (struct usage){0};
}

static struct str id_text(const struct draft *draft, char room[ID_TEXT + 1])
{
    struct id id;

    if (!draft->drawn)
        return draft->id;
    memcpy(id.b, draft->id.p, ID_BYTES);
    id_format(&id, room);
    return (struct str){room, ID_TEXT};
}

/* The content hash of an entry: computed, or what was kept of an erased one. */
static enum fault_code content_of(struct writer *writer, const struct draft *draft, int64_t at_us,
                                  const struct act *pinned, struct arena *arena,
                                  unsigned char out[HASH_BYTES], struct fault *fault)
{
    char room[ID_TEXT + 1];
    struct content content = {
        .salt = (const unsigned char *)draft->salt.p,
        .kind = draft->kind,
        .role = draft->role,
        .id = id_text(draft, room),
        .turn = draft->turn,
        .at_us = at_us,
        .usage = draft->usage,
        .state = draft->state,
        .body = draft->body,
    };

    if (draft->content.p) {
        memcpy(out, draft->content.p, HASH_BYTES);
        return FAULT_OK;
    }
    if (draft->kind == ENTRY_SUBSESSION)
        content.pinned = (struct str){(const char *)pinned->facts.hash, HASH_BYTES};
    if (object_hash(writer->db, draft->tree, arena, &content.tree, fault) != FAULT_OK)
        return fault_pass(fault);
    content_hash(writer->db->hasher, &content, out);
    return FAULT_OK;
}

static enum fault_code enter_turn(struct writer *writer, struct str turn, struct address at,
                                  struct facts_step *step, struct arena *arena, struct fault *fault)
{
    if (turn.n == 0)
        return FAULT_OK;
    step->in_turn = true;
    step->same_turn = writer->head.facts.turn != 0 && str_eq(turn, writer->turn_name);
    if (!step->same_turn)
        writer->turn_name = arena_dup(arena, turn);
    return turn_enter(writer->db, writer->link.fam, turn, at, writer->db->e + 1, &step->turn,
                      fault);
}

static enum fault_code first_line(struct writer *writer, struct fault *fault)
{
    struct act origin;

    if (act_settle(writer->db, &writer->head, &origin, fault) != FAULT_OK)
        return fault_pass(fault);
    return line_insert(writer->db, writer->link.s, 1, &origin, fault);
}

static enum fault_code check_usage(struct usage sum, struct usage add, struct fault *fault)
{
    if (add.input > LIMIT_USAGE_TOKENS || add.output > LIMIT_USAGE_TOKENS ||
        add.cost > LIMIT_USAGE_COST)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "usage is larger than %lld tokens or a cost of %lld",
                         (long long)LIMIT_USAGE_TOKENS, (long long)(LIMIT_USAGE_COST / 1000000000));
    if (sum.input + add.input > LIMIT_USAGE_SUM || sum.output + add.output > LIMIT_USAGE_SUM ||
        sum.cost + add.cost > LIMIT_USAGE_SUM)
        return fault_set(fault, FAULT_TOO_LARGE, "usage would add up to more than can be counted");
    return FAULT_OK;
}

enum fault_code writer_add(struct writer *writer, const struct draft *draft, struct arena *arena,
                           struct fault *fault)
{
    struct db *db = writer->db;
    const struct facts *before = &writer->head.facts;
    struct address at = next_place(writer);
    int64_t at_us = act_time(draft->at_us, writer->head.at_us);
    unsigned char content[HASH_BYTES];
    struct facts_step step = {
        .at = at,
        .kind = draft->kind,
        .role = draft->role,
        .usage = draft->usage,
        .calls = draft->calls,
        .results = draft->results,
        .has_state = draft->state.p != NULL,
        .tree = draft->tree,
        .content = content,
    };
    struct state_plan plan;
    struct act pinned = {0};
    struct act_row row;

    if (check_usage(before->path, draft->usage, fault) != FAULT_OK ||
        check_usage(spent_so_far(writer), draft->usage, fault) != FAULT_OK)
        return fault_pass(fault);
    if (draft->kind == ENTRY_SUBSESSION) {
        if (act_get(db, draft->ref, &pinned, fault) != FAULT_OK)
            return fault_pass(fault);
        step.ref = &pinned.facts;
        if (before->flat + pinned.facts.flat > LIMIT_FLAT_MESSAGES)
            return fault_set(
                fault, FAULT_TOO_LARGE,
                "with its sub-sessions the conversation would have more than %d messages",
                LIMIT_FLAT_MESSAGES);
    }
    if (step.has_state && state_plan(db, before, draft->state, arena, &plan, fault) != FAULT_OK)
        return fault_pass(fault);
    if (content_of(writer, draft, at_us, &pinned, arena, content, fault) != FAULT_OK ||
        (at.n == 1 && first_line(writer, fault) != FAULT_OK) ||
        enter_turn(writer, draft->turn, at, &step, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    row = (struct act_row){
        .at = at,
        .e = ++db->e,
        .fam = writer->link.fam,
        .n0 = at.n == 1 ? 1 : writer->head.n0,
        .head =
            {
                .n = at.n,
                .at_us = at_us,
                .kind = draft->kind,
                .role = draft->role,
                .flags = draft->flags | (step.in_turn ? ENTRY_IN_TURN : 0),
                .drawn = draft->drawn,
                .id = draft->id,
                .turn = draft->turn,
                .usage = draft->usage,
                .has_usage = draft->has_usage,
                .calls = draft->calls,
                .results = draft->results,
                .own_tree = draft->tree,
                .ref = draft->ref,
                .facts = facts_next(db->hasher, before, spent_so_far(writer), &step),
            },
        .salt = draft->content.p ? STR_NONE : draft->salt,
        .content = draft->content,
        .spans = draft->spans,
        .body = draft->body,
    };
    if (act_insert(db, &row, arena, fault) != FAULT_OK ||
        files_changed(db, at, before->tree, row.head.facts.tree, draft->flags & ENTRY_FOREIGN,
                      fault) != FAULT_OK)
        return fault_pass(fault);
    if (step.has_state && state_insert(db, at, before, draft->state, &plan, fault) != FAULT_OK)
        return fault_pass(fault);
    if (draft->kind == ENTRY_SUBSESSION &&
        db_run(db, Q_PIN_INSERT,
               ARGS(arg_int(draft->ref.s), arg_int(draft->ref.n), arg_int(at.s), arg_int(at.n)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    if (draft->merged.s && db_run(db, Q_MERGE_INSERT,
                                  ARGS(arg_int(at.s), arg_int(at.n), arg_int(draft->merged.s),
                                       arg_int(draft->merged.n)),
                                  fault) != FAULT_OK)
        return fault_pass(fault);
    writer->head = (struct act){at, row.n0, draft->kind, at_us, row.head.facts};
    return FAULT_OK;
}

enum fault_code stacks_before(struct db *db, int64_t s, int64_t n, struct stacks *out,
                              struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_MOVE_TOPS, ARGS(arg_int(s), arg_int(n)));
    bool row;

    *out = (struct stacks){0};
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row) {
        out->undo = sqlite3_column_int64(q, 0);
        out->redo = sqlite3_column_int64(q, 1);
        sqlite3_reset(q);
    }
    return FAULT_OK;
}

/* Of `move_at`. What stands below a move on the stack it is on, or what it moved. */
enum column { COLUMN_SCOPE = 1, COLUMN_UNDO = 4, COLUMN_REDO = 5 };

static enum fault_code move_column(struct db *db, int64_t s, int64_t n, enum column column,
                                   int64_t *out, struct fault *fault)
{
    sqlite3_stmt *q;
    bool row;

    *out = 0;
    if (n == 0)
        return FAULT_OK;
    q = db_query(db, Q_MOVE_AT, ARGS(arg_int(s), arg_int(n)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "move %lld of session %lld is missing", (long long)n,
                         (long long)s);
    *out = sqlite3_column_int64(q, (int)column);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code stacks_after(struct db *db, struct address at, enum move_act act,
                             struct stacks *out, struct fault *fault)
{
    struct stacks stacks;
    int64_t under;

    if (stacks_before(db, at.s, at.n, &stacks, fault) != FAULT_OK)
        return fault_pass(fault);
    switch (act) {
    case MOVE_UNDO:
        if (move_column(db, at.s, stacks.undo, COLUMN_UNDO, &under, fault) != FAULT_OK)
            return fault_pass(fault);
        stacks.redo_next = stacks.redo;
        stacks.redo = at.n;
        stacks.undo = under;
        break;
    case MOVE_REDO:
        if (move_column(db, at.s, stacks.redo, COLUMN_REDO, &under, fault) != FAULT_OK)
            return fault_pass(fault);
        stacks.undo_next = stacks.undo;
        stacks.undo = at.n;
        stacks.redo = under;
        break;
    case MOVE_REWIND:
    case MOVE_ADOPT:
    case MOVE_MERGE:
        stacks.undo_next = stacks.undo;
        stacks.undo = at.n;
        stacks.redo = 0;
        break;
    }
    *out = stacks;
    return FAULT_OK;
}

enum fault_code way_back(struct db *db, const struct link *link, int64_t n, enum move_act act,
                         struct act *target, enum move_scope *scope, struct fault *fault)
{
    struct stacks stacks;
    int64_t back, moved;

    if (stacks_before(db, link->s, n, &stacks, fault) != FAULT_OK)
        return fault_pass(fault);
    back = act == MOVE_UNDO ? stacks.undo : stacks.redo;
    if (back == 0)
        return fault_set(fault, act == MOVE_UNDO ? FAULT_NOTHING_TO_UNDO : FAULT_NOTHING_TO_REDO,
                         "there is nothing to %s", act == MOVE_UNDO ? "undo" : "redo");
    if (move_column(db, link->s, back, COLUMN_SCOPE, &moved, fault) != FAULT_OK)
        return fault_pass(fault);
    *scope = (enum move_scope)moved;
    return act_get(db, back == 1 ? link->base : (struct address){link->s, back - 1}, target, fault);
}

static enum fault_code move_insert(struct db *db, const struct move_draft *move, struct address at,
                                   struct address to, struct fault *fault)
{
    struct stacks stacks;

    if (stacks_after(db, at, move->act, &stacks, fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_MOVE_INSERT,
                  ARGS(arg_int(at.s), arg_int(at.n), arg_int(move->act), arg_int(move->scope),
                       arg_s(to), arg_n(to), arg_int(stacks.undo_next), arg_int(stacks.redo_next),
                       arg_int(stacks.undo), arg_int(stacks.redo)),
                  fault);
}

enum fault_code writer_move(struct writer *writer, const struct move_draft *move,
                            const struct act *target, struct arena *arena, struct fault *fault)
{
    struct db *db = writer->db;
    struct address at = next_place(writer);
    int64_t at_us = act_time(move->at_us, writer->head.at_us);
    unsigned char content[HASH_BYTES];
    struct facts_step step = {
        .at = at,
        .kind = ENTRY_MOVE,
        .has_state = move->state.p != NULL,
        .content = content,
    };
    struct draft draft = {
        .kind = ENTRY_MOVE,
        .id = {(const char *)move->drawn.b, ID_BYTES},
        .drawn = true,
        .state = move->state,
        .salt = move->salt,
    };
    struct state_plan plan;
    struct act origin;
    struct act_row row;

    if (step.has_state &&
        state_plan(db, &target->facts, move->state, arena, &plan, fault) != FAULT_OK)
        return fault_pass(fault);
    if (content_of(writer, &draft, at_us, NULL, arena, content, fault) != FAULT_OK ||
        act_settle(db, target, &origin, fault) != FAULT_OK ||
        line_insert(db, at.s, at.n, &origin, fault) != FAULT_OK ||
        move_insert(db, move, at, target->at, fault) != FAULT_OK)
        return fault_pass(fault);
    row = (struct act_row){
        .at = at,
        .e = ++db->e,
        .fam = writer->link.fam,
        .n0 = at.n,
        .head =
            {
                .n = at.n,
                .at_us = at_us,
                .kind = ENTRY_MOVE,
                .drawn = true,
                .id = draft.id,
                .facts = facts_move(db->hasher, &target->facts, spent_so_far(writer), &step),
            },
        .salt = draft.salt,
    };
    if (act_insert(db, &row, arena, fault) != FAULT_OK ||
        files_changed(db, at, writer->head.facts.tree, row.head.facts.tree, false, fault) !=
            FAULT_OK ||
        (step.has_state &&
         state_insert(db, at, &target->facts, move->state, &plan, fault) != FAULT_OK))
        return fault_pass(fault);
    writer->head = (struct act){at, at.n, ENTRY_MOVE, at_us, row.head.facts};
    return turn_name(db, row.head.facts.turn, arena, &writer->turn_name, fault);
}

/* Each span as two numbers, the first counted from the end of the span before; 7 bits a byte. */
static size_t number_add(unsigned char *out, uint32_t number)
{
    size_t n = 0;

    while (number >= 0x80) {
        out[n++] = (unsigned char)(number | 0x80);
        number >>= 7;
    }
    out[n++] = (unsigned char)number;
    return n;
}

static bool number_read(struct str bytes, size_t *at, uint32_t *out)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 35 && *at < bytes.n; shift += 7) {
        unsigned char c = (unsigned char)bytes.p[(*at)++];

        number |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = (uint32_t)number;
            return number <= UINT32_MAX;
        }
    }
    return false;
}

struct str spans_encode(const struct span *spans, size_t count, struct arena *arena)
{
    unsigned char *out;
    size_t n = 0;
    uint32_t end = 0;

    if (count == 0)
        return STR_NONE;
    out = arena_array(arena, count, 10);
    for (size_t i = 0; i < count; i++) {
        n += number_add(out + n, spans[i].from - end);
        n += number_add(out + n, spans[i].length);
        end = spans[i].from + spans[i].length;
    }
    return (struct str){(const char *)out, n};
}

bool spans_decode(struct str bytes, size_t body_length, struct arena *arena, struct span **out,
                  size_t *count)
{
    size_t at = 0, found = 0;
    uint64_t end = 0;

    *out = arena_array(arena, bytes.n / 2 + 1, sizeof(**out));
    while (at < bytes.n) {
        uint32_t gap, length;

        if (!number_read(bytes, &at, &gap) || !number_read(bytes, &at, &length) ||
            end + gap + length > body_length)
            return false;
        (*out)[found++] = (struct span){(uint32_t)(end + gap), length};
        end += (uint64_t)gap + length;
    }
    *count = found;
    return true;
}
