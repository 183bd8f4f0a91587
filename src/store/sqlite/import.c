/*
 * Taking in an export: every item goes through the same writer as anything else, so facts, lines
 * and hashes are computed anew, and the hashes must agree with those that came along. Nothing in
 * the items is trusted.
 */
#include "store/sqlite/verbs.h"

#include "base/array.h"
#include "store/limits.h"
#include "store/sqlite/marks.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/session_insert.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/tree_walk.h"
#include "store/sqlite/writer.h"

#include <stdlib.h>

/* Which session here is which there, in ascending order of there. */
struct mapped {
    int64_t there, here, family_there;
    enum session_state state;
};

struct intake {
    struct db *db;
    int64_t owner;
    struct mapped *map;
    size_t count, room;
    struct marks given;   /* objects that came along */
    struct writer writer; /* of the session written to last */
    struct arena writing; /* what the writer holds on to */
    struct arena arena;   /* of the item at hand */
};

static int mapped_order(const void *a, const void *b)
{
    const struct mapped *x = a, *y = b;

    return x->there < y->there ? -1 : x->there > y->there;
}

static struct mapped *find(struct intake *intake, int64_t there)
{
    struct mapped key = {.there = there};

    return intake->count
               ? bsearch(&key, intake->map, intake->count, sizeof(*intake->map), mapped_order)
               : NULL;
}

static enum fault_code map_session(struct intake *intake, int64_t there, struct mapped *out,
                                   struct fault *fault)
{
    struct mapped *found = find(intake, there);

    if (!found)
        return fault_set(fault, FAULT_INVALID, "session %lld has not been given", (long long)there);
    *out = *found;
    return FAULT_OK;
}

/* The place here; it must be there already. */
static enum fault_code map_address(struct intake *intake, struct address there, struct address *out,
                                   struct fault *fault)
{
    struct mapped session;
    int64_t known = 0;

    *out = ADDRESS_START;
    if (there.s == 0)
        return FAULT_OK;
    if (map_session(intake, there.s, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (struct address){session.here, there.n};
    if (db_int(intake->db, Q_ACT_KNOWN, ARGS(arg_int(out->s), arg_int(out->n)), &known, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (!known)
        return fault_set(fault, FAULT_INVALID, "act %lld of session %lld has not been given",
                         (long long)there.n, (long long)there.s);
    return FAULT_OK;
}

static enum fault_code too_long(struct str s, size_t max, const char *what, struct fault *fault)
{
    if (s.n > max)
        return fault_set(fault, FAULT_TOO_LARGE, "%s has %zu bytes, more than %zu", what, s.n, max);
    return FAULT_OK;
}

/* The family here: that of the base, else that of another session of the same family there. */
static enum fault_code family_of(struct intake *intake, const struct log_session *in,
                                 struct address base, int64_t *out, struct fault *fault)
{
    struct link link;
    int64_t relative = base.s;

    *out = 0;
    for (size_t i = 0; relative == 0 && i < intake->count; i++)
        if (in->family && intake->map[i].family_there == in->family)
            relative = intake->map[i].here;
    if (relative == 0)
        return FAULT_OK;
    if (link_get(intake->db, relative, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = link.fam;
    return FAULT_OK;
}

static enum fault_code take_session(struct intake *intake, const struct log_session *in,
                                    struct fault *fault)
{
    struct session_new new = {
        .owner = intake->owner,
        .id = in->id,
        .state = in->state,
        .base_v = in->base_version,
        .agent = in->agent,
        .title = in->title,
        .metadata = in->metadata,
        .limits = in->limits,
        .home = in->home,
        .settings = in->settings,
        .archived = in->archived,
        .workspace = {.mode =
                          in->workspace.mode == WORKSPACE_NONE ? WORKSPACE_NONE : WORKSPACE_OWN},
        .at_us = in->created_us,
        .touched_us = in->touched_us,
        .sessions_max = LIMIT_SESSIONS,
    };
    struct mapped *parent = in->parent_s ? find(intake, in->parent_s) : NULL;
    int64_t s;

    if (intake->count && in->s <= intake->map[intake->count - 1].there)
        return fault_set(fault, FAULT_INVALID, "session %lld is out of order", (long long)in->s);
    if (in->s <= 0 || in->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "a session has no number or no id");
    if (!home_valid(in->home))
        return fault_set(fault, FAULT_INVALID,
                         "the home of a session is no short word of a-z 0-9 -");
    if (too_long(in->id, LIMIT_ID_BYTES, "the id of a session", fault) != FAULT_OK ||
        too_long(in->title, LIMIT_TITLE_BYTES, "the title of a session", fault) != FAULT_OK ||
        too_long(in->agent, LIMIT_AGENT_BYTES, "the agent of a session", fault) != FAULT_OK ||
        too_long(in->metadata, LIMIT_METADATA_BYTES, "the metadata of a session", fault) !=
            FAULT_OK ||
        too_long(in->limits, LIMIT_METADATA_BYTES, "the limits of a session", fault) != FAULT_OK ||
        too_long(in->settings, LIMIT_METADATA_BYTES, "the settings of a session", fault) !=
            FAULT_OK ||
        map_address(intake, in->base, &new.base, fault) != FAULT_OK ||
        family_of(intake, in, new.base, &new.fam, fault) != FAULT_OK ||
        link_place(intake->db, new.base, &new.depth, &new.jump, fault) != FAULT_OK)
        return fault_pass(fault);
    if (in->parent.known) {
        new.parent_s = parent ? parent->here : 0;
        new.parent_id = in->parent.session;
        new.parent_title = in->parent.title;
        new.parent_message = in->parent.message;
        new.parent_side = in->parent.side;
    }
    if (session_insert(intake->db, &new, &intake->arena, &s, fault) != FAULT_OK)
        return fault_pass(fault);
    /* Something deleted that nothing stands on is not kept. */
    if (in->state == SESSION_DELETED &&
        db_run(intake->db, Q_REAP_INSERT, ARGS(arg_int(s), arg_int(0)), fault) != FAULT_OK)
        return fault_pass(fault);
    intake->map = array_more(intake->map, intake->count, &intake->room, sizeof(*intake->map));
    intake->map[intake->count++] = (struct mapped){in->s, s, in->family, in->state};
    return FAULT_OK;
}

static enum fault_code check_act(const struct log_act *in, struct fault *fault)
{
    bool move = in->kind == ENTRY_MOVE;

    if (in->kind < 0 || in->kind >= ENTRY_KIND_COUNT || in->role < 0 || in->role >= ROLE_COUNT)
        return fault_set(fault, FAULT_INVALID, "the kind or role of an act is unknown");
    if ((in->kind == ENTRY_MESSAGE) != (in->role != ROLE_NONE))
        return fault_set(fault, FAULT_INVALID, "a message has a role, anything else has none");
    if (in->flags & ~(unsigned)(ENTRY_IN_TURN | ENTRY_INTERRUPTED | ENTRY_ADOPTED | ENTRY_FOREIGN |
                                ENTRY_LEFT_OUT | ENTRY_MERGED))
        return fault_set(fault, FAULT_INVALID, "the flags of an act are unknown");
    if (((in->flags & ENTRY_FOREIGN) && in->kind != ENTRY_FILES) ||
        ((in->flags & ENTRY_MERGED) ? in->kind != ENTRY_MESSAGE : in->merged.s != 0))
        return fault_set(fault, FAULT_INVALID, "the flags of an act do not belong to it");
    if (in->hash.n != HASH_BYTES || (in->tree.n && in->tree.n != HASH_BYTES) ||
        (in->erased ? in->content.n != HASH_BYTES || in->body.p : in->salt.n != SALT_BYTES))
        return fault_set(fault, FAULT_INVALID, "a hash or salt has the wrong length");
    if (!in->erased && !move && !in->body.p)
        return fault_set(fault, FAULT_INVALID, "an entry has no body");
    if (in->calls < 0 || in->results < 0 || in->usage.input < 0 || in->usage.output < 0 ||
        in->usage.cost < 0)
        return fault_set(fault, FAULT_INVALID, "a count of an act is below 0");
    if (move && (in->move < MOVE_REWIND || in->move > MOVE_MERGE || in->scope < SCOPE_BOTH ||
                 in->scope > SCOPE_FILES || in->turn.n || !in->id_is_drawn || in->erased))
        return fault_set(fault, FAULT_INVALID, "a move is none");
    if (in->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "an act has no id");
    if (too_long(in->id, LIMIT_ID_BYTES, "the id of an act", fault) != FAULT_OK ||
        too_long(in->turn, LIMIT_TURN_BYTES, "the name of a turn", fault) != FAULT_OK ||
        too_long(in->state, LIMIT_STATE_BYTES, "a change of state", fault) != FAULT_OK)
        return fault_pass(fault);
    return too_long(in->body, LIMIT_ENTRY_BYTES, "the body of an entry", fault);
}

/* The id must be new: to the store when tine drew it, to the session when a client chose it. */
static enum fault_code check_id(struct intake *intake, const struct log_act *in, struct id *drawn,
                                struct fault *fault)
{
    struct address at = ADDRESS_START;
    int64_t taken = 0;

    if (in->id_is_drawn) {
        if (!id_parse(in->id, drawn))
            return fault_set(fault, FAULT_INVALID, "\"%.*s\" is not an id", STR_ARG(in->id));
        if (db_int(intake->db, Q_ENTRY_DRAWN, ARGS(arg_bytes(drawn->b, ID_BYTES)), &taken, fault) !=
            FAULT_OK)
            return fault_pass(fault);
    } else if (entry_named(intake->db, &intake->writer.link, in->id, &at, fault) != FAULT_OK) {
        return fault_pass(fault);
    }
    if (taken || at.s)
        return fault_set(fault, FAULT_EXISTS, "message \"%.*s\" is in the store already",
                         STR_ARG(in->id));
    return FAULT_OK;
}

/* The writer at the end of that session, which must be just before the act. */
static enum fault_code writer_at(struct intake *intake, struct address there, struct fault *fault)
{
    struct writer *writer = &intake->writer;
    struct mapped session;
    struct link link;
    int64_t next;

    if (map_session(intake, there.s, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (writer->link.s != session.here) {
        arena_clear(&intake->writing);
        if (link_get(intake->db, session.here, &link, fault) != FAULT_OK ||
            writer_open(writer, intake->db, &link, &intake->writing, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    next = writer->head.at.s == session.here ? writer->head.at.n + 1 : 1;
    if (there.n != next)
        return fault_set(fault, FAULT_INVALID, "act %lld of session %lld is out of order",
                         (long long)there.n, (long long)there.s);
    return FAULT_OK;
}

static enum fault_code check_state(struct intake *intake, struct str delta, struct fault *fault)
{
    struct state state;

    if (!delta.p)
        return FAULT_OK;
    if (state_decode(delta, &intake->arena, &state, fault) != FAULT_OK)
        return fault_set(fault, FAULT_INVALID, "a change of state cannot be read");
    return FAULT_OK;
}

static enum fault_code take_move(struct intake *intake, const struct log_act *in,
                                 const struct id *drawn, struct fault *fault)
{
    struct writer *writer = &intake->writer;
    struct move_draft draft = {
        .drawn = *drawn,
        .salt = in->salt,
        .at_us = in->at_us,
        .act = in->move,
        .scope = in->scope,
        .state = in->state,
    };
    struct act target, want;
    struct address to;
    enum move_scope scope;
    bool has = true;

    if (map_address(intake, in->to, &to, fault) != FAULT_OK ||
        (to.s && path_has(intake->db, &writer->link, to, &has, NULL, fault) != FAULT_OK) ||
        act_get(intake->db, to, &target, fault) != FAULT_OK)
        return fault_pass(fault);
    if (in->move == MOVE_UNDO || in->move == MOVE_REDO) {
        if (way_back(intake->db, &writer->link, INT64_MAX, in->move, &want, &scope, fault) !=
            FAULT_OK)
            return fault_set(fault, FAULT_INVALID, "a move takes back what was not there");
        if (scope == SCOPE_FILES) /* the conversation stays */
            want = writer->head;
        has = has && scope == in->scope && address_eq(want.at, to);
    }
    if ((in->scope == SCOPE_FILES || in->move == MOVE_MERGE) && !address_eq(writer->head.at, to))
        return fault_set(fault, FAULT_INVALID, "a move of files moves the conversation, too");
    if (!has)
        return fault_set(fault, FAULT_INVALID, "a move goes to where its session never was");
    return writer_move(writer, &draft, &target, &intake->writing, fault);
}

/* A tree must come along, whole: what the store has of it already may be going. */
static enum fault_code tree_given(struct intake *intake, struct str hash, int64_t *out,
                                  struct fault *fault)
{
    enum fault_code code = tree_named(intake->db, hash, out, fault);

    if (code == FAULT_NOT_FOUND || (code == FAULT_OK && !marks_have(&intake->given, *out)))
        return fault_set(fault, FAULT_INVALID, "the tree of files of an act has not been given");
    return code;
}

static enum fault_code take_entry(struct intake *intake, const struct log_act *in,
                                  const struct id *drawn, struct fault *fault)
{
    struct draft draft = {
        .kind = in->kind,
        .role = in->role,
        .flags = in->flags & ~(unsigned)ENTRY_IN_TURN,
        .id = in->id_is_drawn ? (struct str){(const char *)drawn->b, ID_BYTES} : in->id,
        .drawn = in->id_is_drawn,
        .turn = in->turn,
        .at_us = in->at_us,
        .usage = in->usage,
        .has_usage = in->has_usage,
        .calls = in->calls,
        .results = in->results,
        .state = in->state,
        .salt = in->salt,
        .spans = in->spans.n ? in->spans : STR_NONE,
        .body = in->body,
        .content = in->erased ? in->content : STR_NONE,
    };
    struct mapped from;
    struct span *spans;
    size_t count;

    if (draft.spans.p && !spans_decode(draft.spans, in->body.n, &intake->arena, &spans, &count))
        return fault_set(fault, FAULT_INVALID, "the spans of an entry are wrong");
    if (in->tree.n && tree_given(intake, in->tree, &draft.tree, fault) != FAULT_OK)
        return fault_pass(fault);
    if (in->kind == ENTRY_SUBSESSION) {
        if (in->ref.s == 0)
            return fault_set(fault, FAULT_INVALID, "a reference refers to nothing");
        if (map_address(intake, in->ref, &draft.ref, fault) != FAULT_OK)
            return fault_pass(fault);
    } else if ((in->flags & (ENTRY_ADOPTED | ENTRY_MERGED)) && find(intake, in->ref.s)) {
        /* Where it came from is kept as long as that is known; it need not be there. */
        if (map_session(intake, in->ref.s, &from, fault) != FAULT_OK)
            return fault_pass(fault);
        draft.ref = (struct address){from.here, in->ref.n};
    }
    if (map_address(intake, in->merged, &draft.merged, fault) != FAULT_OK)
        return fault_pass(fault);
    if ((in->flags & ENTRY_MERGED) && !(in->flags & ENTRY_ADOPTED) &&
        !address_eq(draft.ref, draft.merged))
        return fault_set(fault, FAULT_INVALID, "a merge refers to another place than it merged");
    return writer_add(&intake->writer, &draft, &intake->writing, fault);
}

static enum fault_code take_act(struct intake *intake, const struct log_act *in,
                                struct fault *fault)
{
    struct writer *writer = &intake->writer;
    struct id drawn;
    enum fault_code code;

    if (check_act(in, fault) != FAULT_OK || writer_at(intake, in->at, fault) != FAULT_OK ||
        check_id(intake, in, &drawn, fault) != FAULT_OK ||
        check_state(intake, in->state, fault) != FAULT_OK)
        return fault_pass(fault);
    code = in->kind == ENTRY_MOVE ? take_move(intake, in, &drawn, fault)
                                  : take_entry(intake, in, &drawn, fault);
    if (code != FAULT_OK)
        return code;
    if (writer->head.at_us != in->at_us)
        return fault_set(fault, FAULT_INVALID,
                         "the time of \"%.*s\" is not after that of the act before it",
                         STR_ARG(in->id));
    if (memcmp(writer->head.facts.hash, in->hash.p, HASH_BYTES) != 0)
        return fault_set(fault, FAULT_INVALID,
                         "the path hash of \"%.*s\" does not match: it was altered",
                         STR_ARG(in->id));
    return FAULT_OK;
}

static enum fault_code take_note(struct intake *intake, const struct log_note *in,
                                 struct fault *fault)
{
    bool of_turn = in->note.act == NOTE_TURN_STARTED || in->note.act == NOTE_TURN_ENDED;
    struct mapped session;
    struct link link;

    if (map_session(intake, in->s, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (in->note.act < NOTE_CREATED || in->note.act > NOTE_TURN_ENDED)
        return fault_set(fault, FAULT_INVALID, "the kind of a note is unknown");
    if (too_long(in->note.message, of_turn ? LIMIT_TURN_BYTES : LIMIT_ID_BYTES,
                 "the message of a note", fault) != FAULT_OK ||
        too_long(in->note.was, LIMIT_TITLE_BYTES, "a note", fault) != FAULT_OK ||
        too_long(in->note.now, LIMIT_TITLE_BYTES, "a note", fault) != FAULT_OK)
        return fault_pass(fault);
    link = (struct link){.s = session.here, .owner = intake->owner};
    return note_insert(intake->db, &link, &in->note, fault);
}

static enum fault_code take_record(struct intake *intake, const struct log_record *in,
                                   struct fault *fault)
{
    struct mapped session;
    struct address place;
    int64_t newest = 0;

    if (map_session(intake, in->s, &session, fault) != FAULT_OK ||
        map_address(intake, in->place, &place, fault) != FAULT_OK ||
        too_long(in->id, LIMIT_ID_BYTES, "the id of a record", fault) != FAULT_OK ||
        too_long(in->turn, LIMIT_TURN_BYTES, "the turn of a record", fault) != FAULT_OK ||
        too_long(in->body, LIMIT_ENTRY_BYTES, "the body of a record", fault) != FAULT_OK ||
        db_int(intake->db, Q_RECORD_NEWEST, ARGS(arg_int(session.here)), &newest, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    if (in->version <= newest || in->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "record \"%.*s\" is out of order", STR_ARG(in->id));
    return db_run(intake->db, Q_RECORD_INSERT,
                  ARGS(arg_int(session.here), arg_int(in->version), arg_int(in->kind),
                       arg_text(in->id), arg_text(in->turn.n ? in->turn : STR_NONE), arg_s(place),
                       arg_n(place), arg_int(in->at_us), arg_blob(in->body)),
                  fault);
}

static enum fault_code take_label(struct intake *intake, const struct log_label *in,
                                  struct fault *fault)
{
    struct mapped session;
    struct address at;
    struct link link;
    int64_t taken = 0;
    bool has = false;

    if (map_session(intake, in->in_s, &session, fault) != FAULT_OK ||
        map_address(intake, in->at, &at, fault) != FAULT_OK ||
        too_long(in->text, LIMIT_LABEL_BYTES, "a label", fault) != FAULT_OK ||
        link_get(intake->db, session.here, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    if (at.s && path_has(intake->db, &link, at, &has, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!has || in->text.n == 0)
        return fault_set(fault, FAULT_INVALID, "label \"%.*s\" names nothing", STR_ARG(in->text));
    if (db_int(intake->db, Q_LABEL_TAKEN,
               ARGS(arg_int(link.s), arg_int(at.s), arg_int(at.n), arg_text(in->text)), &taken,
               fault) != FAULT_OK)
        return fault_pass(fault);
    if (taken)
        return fault_set(fault, FAULT_INVALID, "label \"%.*s\" is given twice", STR_ARG(in->text));
    return db_run(intake->db, Q_LABEL_INSERT,
                  ARGS(arg_int(link.s), arg_int(at.s), arg_int(at.n), arg_text(in->text)), fault);
}

static enum fault_code check_object(const struct object *in, struct fault *fault)
{
    int64_t max = in->kind == OBJECT_FILE ? OBJECT_PIECE_BYTES : OBJECT_DIR_BYTES;

    if (in->kind < OBJECT_DIR || in->kind > OBJECT_PIECES)
        return fault_set(fault, FAULT_INVALID, "the kind of an object is unknown");
    if (in->size < 0 || in->size > max)
        return fault_set(fault, FAULT_TOO_LARGE, "an object has %lld bytes, more than %lld",
                         (long long)in->size, (long long)max);
    return FAULT_OK;
}

static enum fault_code part_given(void *context, const struct tree_part *part, struct fault *fault)
{
    struct intake *intake = context;
    int64_t object;

    if (tree_part_find(intake->db, part, &object, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!marks_have(&intake->given, object))
        return fault_set(fault, FAULT_CORRUPT, "something that it names has not been given");
    return FAULT_OK;
}

/* What an object names stands above it, so a tree that is given is whole. */
static enum fault_code take_object(struct intake *intake, const struct object *in,
                                   struct fault *fault)
{
    unsigned char hash[HASH_BYTES];
    struct fault found;
    struct str content;
    int64_t number;
    enum fault_code code;

    if (check_object(in, fault) != FAULT_OK)
        return fault_pass(fault);
    code = object_unpack(in->data, in->size, &intake->arena, &content, &found);
    if (code == FAULT_OK) {
        object_name(intake->db->hasher, in->kind, content, hash);
        if (memcmp(hash, in->hash, HASH_BYTES) != 0)
            return fault_set(fault, FAULT_INVALID,
                             "the hash of an object does not match: it was altered");
        code = tree_parts(in->kind, content, part_given, intake, &found);
    }
    if (code != FAULT_OK)
        return fault_set(fault, code == FAULT_CORRUPT ? FAULT_INVALID : code,
                         "an object cannot be taken in: %s", found.message);
    if (object_keep(intake->db, in, &number, fault) != FAULT_OK)
        return fault_pass(fault);
    marks_add(&intake->given, number);
    return FAULT_OK;
}

static enum fault_code take(struct intake *intake, const struct log_item *item, struct fault *fault)
{
    switch (item->kind) {
    case LOG_SESSION:
        return take_session(intake, &item->session, fault);
    case LOG_ACT:
        return take_act(intake, &item->act, fault);
    case LOG_NOTE:
        return take_note(intake, &item->note, fault);
    case LOG_RECORD:
        return take_record(intake, &item->record, fault);
    case LOG_LABEL:
        return take_label(intake, &item->label, fault);
    case LOG_OBJECT:
        break;
    }
    return take_object(intake, &item->object, fault);
}

enum fault_code import_run(struct db *db, int64_t owner, log_item_next *next, void *context,
                           struct fault *fault)
{
    struct intake intake = {.db = db, .owner = owner};
    enum fault_code code;

    arena_init(&intake.writing);
    arena_init(&intake.arena);
    for (;;) {
        struct log_item item;
        bool end = false;

        code = next(context, &item, &end, fault);
        if (code != FAULT_OK || end)
            break;
        code = take(&intake, &item, fault);
        if (code != FAULT_OK)
            break;
        arena_clear(&intake.arena);
    }
    arena_clear(&intake.writing);
    arena_clear(&intake.arena);
    marks_clear(&intake.given);
    free(intake.map);
    return code;
}
