#include "dialect/native/object.h"

#include "base/utf8.h"
#include "dialect/native/file_object.h"

#include <assert.h>

const char *object_role(enum role role)
{
    static const char *const names[ROLE_COUNT] = {"none", "user", "assistant", "tool", "system"};

    assert(role < ROLE_COUNT);
    return names[role];
}

const char *object_kind(enum entry_kind kind)
{
    static const char *const names[ENTRY_KIND_COUNT] = {
        "message", "event", "summary", "subsession", "files", "state", "move",
    };

    assert(kind < ENTRY_KIND_COUNT);
    return names[kind];
}

const char *object_move(enum move_act act)
{
    static const char *const names[] = {"", "rewind", "undo", "redo", "adopt", "merge"};

    assert(act <= MOVE_MERGE);
    return names[act];
}

const char *object_scope(enum move_scope scope)
{
    static const char *const names[] = {"both", "conversation", "files"};

    assert(scope <= SCOPE_FILES);
    return names[scope];
}

const char *object_note(enum note_act act)
{
    static const char *const names[] = {
        [NOTE_CREATED] = "created",       [NOTE_FORKED] = "forked",
        [NOTE_RENAMED] = "renamed",       [NOTE_UPDATED] = "updated",
        [NOTE_ARCHIVED] = "archived",     [NOTE_UNARCHIVED] = "unarchived",
        [NOTE_LABELLED] = "labelled",     [NOTE_UNLABELLED] = "unlabelled",
        [NOTE_DELETED] = "deleted",       [NOTE_TURN_STARTED] = "turn_started",
        [NOTE_TURN_ENDED] = "turn_ended",
    };

    assert(act >= NOTE_CREATED && act <= NOTE_TURN_ENDED);
    return names[act];
}

const char *object_workspace(enum workspace_mode mode)
{
    static const char *const names[] = {
        [WORKSPACE_OWN] = "own", [WORKSPACE_ATTACHED] = "attached", [WORKSPACE_NONE] = "none"};

    assert(mode <= WORKSPACE_NONE);
    return names[mode];
}

void object_write_dir(struct json_out *out, struct str dir)
{
    if (dir.n)
        object_write_bytes(out, "dir", "dir_bytes", dir);
    else
        json_out_null(out, "dir");
}

const char *object_side(enum point_side side)
{
    return side == SIDE_BEFORE ? "before" : "after";
}

/* ---- sessions ---- */

static void write_sums(struct json_out *out, const struct usage *usage)
{
    json_out_int(out, "input_tokens", usage->input);
    json_out_int(out, "output_tokens", usage->output);
    json_out_cost(out, "cost", usage->cost);
}

static void write_usage(struct json_out *out, const char *key, const struct usage *usage)
{
    json_out_object(out, key);
    write_sums(out, usage);
    json_out_object_end(out);
}

static void write_session_usage(struct json_out *out, const struct session *session)
{
    json_out_object(out, "usage");
    write_sums(out, &session->own);
    write_usage(out, "inherited", &session->inherited);
    write_usage(out, "spent", &session->spent);
    json_out_object_end(out);
}

static void write_parent(struct json_out *out, const struct session *session)
{
    const struct session_parent *parent = &session->parent;

    if (!parent->known) {
        json_out_null(out, "parent");
        return;
    }
    json_out_object(out, "parent");
    json_out_string(out, "session", parent->session);
    json_out_name(out, "message", parent->message);
    json_out_string(out, "side", str_of(object_side(parent->side)));
    json_out_string(out, "title", parent->title);
    json_out_int(out, "index", session->fork_index);
    json_out_bool(out, "deleted", parent->deleted);
    json_out_object_end(out);
}

static void write_state(struct json_out *out, const struct state *state)
{
    json_out_object(out, "state");
    for (size_t i = 0; i < state->count; i++) {
        if (!state->items[i].value.p)
            continue;
        json_out_key(out, state->items[i].key);
        json_out_raw(out, NULL, state->items[i].value);
    }
    json_out_object_end(out);
}

static struct str object_or_empty(struct str json)
{
    return json.n ? json : STR("{}");
}

void object_write_asks(struct json_out *out, const struct question *question)
{
    bool tool = question->kind == ASK_TOOL;

    json_out_object(out, "asks");
    json_out_string(out, "id", question->id);
    json_out_name(out, "tool", tool ? question->name : STR_NONE);
    if (tool && question->arguments.n)
        json_out_raw(out, "arguments", question->arguments);
    else
        json_out_null(out, "arguments");
    json_out_name(out, "question", tool ? STR_NONE : question->text);
    json_out_object_end(out);
}

static void write_turn(struct json_out *out, const struct session *session,
                       const struct question *question)
{
    if (session->turn.n == 0) {
        json_out_null(out, "turn");
        return;
    }
    json_out_object(out, "turn");
    json_out_string(out, "id", session->turn);
    json_out_string(out, "state", str_of(run_state_name(session->turn_state)));
    if (question)
        object_write_asks(out, question);
    json_out_object_end(out);
}

static void write_session_head(struct json_out *out, const struct session *session,
                               const struct question *question)
{
    json_out_name(out, "id", session->id);
    json_out_string(out, "title", session->title);
    json_out_string(out, "agent", session->agent);
    json_out_string(out, "dialect", session->home.n ? session->home : STR("native"));
    json_out_string(out, "user", session->owner);
    write_parent(out, session);
    json_out_name(out, "head", session->head);
    json_out_int(out, "messages", session->messages);
    write_turn(out, session, question);
    write_session_usage(out, session);
}

static void write_session_tail(struct json_out *out, const struct session *session)
{
    json_out_raw(out, "metadata", object_or_empty(session->metadata));
    json_out_raw(out, "limits", object_or_empty(session->limits));
    json_out_object(out, "workspace");
    object_write_dir(out, session->workspace.dir);
    json_out_string(out, "mode", str_of(object_workspace(session->workspace.mode)));
    json_out_object_end(out);
    json_out_int(out, "children", session->children);
    json_out_bool(out, "archived", session->archived);
    json_out_time(out, "created_at", session->created_us);
    json_out_time(out, "updated_at", session->updated_us);
}

static void write_session(struct json_out *out, const char *key, const struct session *session,
                          const struct question *question)
{
    json_out_object(out, key);
    write_session_head(out, session, question);
    write_state(out, &session->state_at_head);
    write_session_tail(out, session);
    json_out_object_end(out);
}

void object_write_session(struct json_out *out, const char *key, const struct session *session)
{
    write_session(out, key, session, NULL);
}

void object_write_session_asking(struct json_out *out, const char *key,
                                 const struct session *session, const struct question *question)
{
    write_session(out, key, session, question);
}

void object_write_session_row(struct json_out *out, const char *key, const struct session *session)
{
    json_out_object(out, key);
    write_session_head(out, session, NULL);
    write_session_tail(out, session);
    json_out_object_end(out);
}

void object_begin_node(struct json_out *out, const struct session *session, bool current)
{
    const struct session_parent *parent = &session->parent;

    json_out_object(out, NULL);
    json_out_string(out, "id", session->id);
    json_out_string(out, "title", session->title);
    json_out_name(out, "parent", parent->known ? parent->session : STR_NONE);
    if (parent->known) {
        json_out_object(out, "point");
        json_out_name(out, "message", parent->message);
        json_out_string(out, "side", str_of(object_side(parent->side)));
        json_out_object_end(out);
    } else {
        json_out_null(out, "point");
    }
    json_out_int(out, "index", session->fork_index);
    json_out_int(out, "messages", session->messages);
    json_out_int(out, "own_messages", session->own_messages);
    write_session_usage(out, session);
    json_out_time(out, "updated_at", session->updated_us);
    json_out_bool(out, "current", current);
}

/* ---- messages ---- */

static void write_index(struct json_out *out, int64_t index)
{
    if (index >= 0)
        json_out_int(out, "index", index);
    else
        json_out_null(out, "index");
}

/* A native body is {"parts":[…]} or {"parts":[…],"metadata":{…}}. */
static void write_native(struct json_out *out, struct str body)
{
    json_out_members(out, body);
    if (body.n >= 2 && body.p[body.n - 2] == ']')
        json_out_raw(out, "metadata", STR("{}"));
}

static void write_body(struct json_out *out, const struct entry *entry)
{
    bool message = entry->kind == ENTRY_MESSAGE;

    if (entry->erased) {
        if (message)
            write_native(out, STR("{\"parts\":[]}"));
        json_out_bool(out, "erased", true);
    } else if (message && str_starts(entry->body, STR("{\"parts\":"))) {
        write_native(out, entry->body);
    } else if (entry->body.n) {
        json_out_raw(out, "body", entry->body);
    }
}

/* The place that a move, an adopted entry or a sub-session names; null before everything. */
static void write_ref(struct json_out *out, const char *key, const struct entry *entry)
{
    if (entry->ref_id.n == 0) {
        json_out_null(out, key);
        return;
    }
    json_out_object(out, key);
    json_out_string(out, "session", entry->ref_session);
    json_out_string(out, "message", entry->ref_id);
    json_out_object_end(out);
}

/* The files as they were there; who changed them, where that is what the entry tells. */
static void write_entry_files(struct json_out *out, const struct entry *entry)
{
    if (entry->has_tree)
        object_write_tree(out, "files", entry->tree);
    else
        json_out_null(out, "files");
    if (entry->flags & ENTRY_LEFT_OUT)
        json_out_bool(out, "left_out", true);
    if (entry->kind == ENTRY_FILES)
        json_out_bool(out, "foreign", (entry->flags & ENTRY_FOREIGN) != 0);
}

void object_write_entry(struct json_out *out, const char *key, const struct entry *entry)
{
    json_out_object(out, key);
    json_out_plain(out, "id", entry->id);
    write_index(out, entry->index);
    if (entry->kind != ENTRY_MESSAGE)
        json_out_string(out, "kind", str_of(object_kind(entry->kind)));
    if (entry->kind == ENTRY_MOVE) {
        json_out_string(out, "move", str_of(object_move(entry->move)));
        json_out_string(out, "scope", str_of(object_scope(entry->scope)));
        write_ref(out, "to", entry);
        json_out_int(out, "messages", entry->ref_index);
    }
    if (entry->kind == ENTRY_SUBSESSION)
        write_ref(out, "subsession", entry);
    else if (entry->flags & ENTRY_ADOPTED)
        write_ref(out, "adopted_from", entry);
    else if (entry->flags & ENTRY_MERGED)
        write_ref(out, "merged_from", entry);
    json_out_name(out, "role", entry->role ? str_of(object_role(entry->role)) : STR_NONE);
    json_out_name(out, "turn", entry->turn);
    write_body(out, entry);
    if (entry->has_usage)
        write_usage(out, "usage", &entry->usage);
    else
        json_out_null(out, "usage");
    json_out_plain(out, "session", entry->session);
    write_entry_files(out, entry);
    json_out_hex(out, "hash", entry->hash, sizeof(entry->hash));
    json_out_bool(out, "settled", true);
    if (entry->flags & ENTRY_INTERRUPTED)
        json_out_bool(out, "interrupted", true);
    json_out_time(out, "created_at", entry->at_us);
    json_out_object_end(out);
}

/* ---- fork and the moves ---- */

static void write_point(struct json_out *out, const struct point *point)
{
    json_out_object(out, "point");
    json_out_name(out, "message", point->message);
    json_out_string(out, "side", str_of(object_side(point->side)));
    json_out_int(out, "index", point->index);
    json_out_bool(out, "snapped", point->snapped);
    json_out_object_end(out);
}

static void write_excluded(struct json_out *out, bool has, const struct entry *excluded)
{
    if (has)
        object_write_entry(out, "excluded", excluded);
    else
        json_out_null(out, "excluded");
}

void object_write_fork(struct json_out *out, const struct fork_result *result,
                       const struct files_report *report)
{
    object_write_session(out, "session", &result->session);
    write_point(out, &result->point);
    write_excluded(out, result->has_excluded, &result->excluded);
    object_write_files(out, "files", report);
}

void object_write_move(struct json_out *out, enum move_act act, const struct move_result *result,
                       const struct files_report *report)
{
    object_write_session(out, "session", &result->session);
    json_out_object(out, "rewind");
    json_out_name(out, "id", result->id);
    json_out_string(out, "act", str_of(object_move(act)));
    json_out_name(out, "from", result->from);
    json_out_name(out, "to", result->to);
    json_out_int(out, "dropped", result->dropped);
    json_out_int(out, "kept", result->kept);
    if (act == MOVE_ADOPT)
        json_out_int(out, "added", result->added);
    json_out_object_end(out);
    if (act == MOVE_REWIND)
        write_point(out, &result->point);
    write_excluded(out, result->has_excluded, &result->excluded);
    object_write_files(out, "files", report);
}

/* ---- journal, labels, hits, what was rewound ---- */

void object_write_journal(struct json_out *out, const char *key, const struct journal_item *item)
{
    json_out_object(out, key);
    json_out_int(out, "event", item->e);
    if (item->entry) {
        const struct entry *entry = item->entry;
        bool move = entry->kind == ENTRY_MOVE;

        json_out_int(out, "number", entry->at.n);
        json_out_string(out, "act",
                        str_of(move ? object_move(entry->move) : object_kind(entry->kind)));
        object_write_entry(out, "entry", entry);
        json_out_time(out, "created_at", entry->at_us);
    } else {
        const struct note *note = item->note;

        json_out_string(out, "act", str_of(object_note(note->act)));
        json_out_name(out, "message", note->message);
        json_out_name(out, "was", note->was);
        json_out_name(out, "now", note->now);
        json_out_time(out, "created_at", note->at_us);
    }
    json_out_object_end(out);
}

void object_write_label(struct json_out *out, const char *key, const struct label *label)
{
    json_out_object(out, key);
    json_out_name(out, "label", label->text);
    json_out_string(out, "message", label->message);
    write_index(out, label->index);
    json_out_bool(out, "inherited", label->inherited);
    json_out_object_end(out);
}

/*
 * The snippet without its marks, and the matched stretches as [first, behind the last] character.
 * A text can hold the marks' characters itself, so they need not come in pairs.
 */
static void write_snippet(struct json_out *out, struct str snippet)
{
    struct buf text;
    int64_t place = 0;
    bool open = false;

    buf_init(&text, snippet.n + 1);
    for (size_t i = 0; i < snippet.n; i++)
        if (snippet.p[i] != '\x02' && snippet.p[i] != '\x03')
            buf_add_char(&text, snippet.p[i]);
    json_out_string(out, "snippet", buf_str(&text));
    buf_clear(&text);
    json_out_array(out, "matches");
    for (size_t i = 0; i < snippet.n;) {
        uint32_t c = utf8_next(snippet, &i);

        if (c != 0x02 && c != 0x03) {
            place++;
        } else if (open != (c == 0x02)) {
            open = !open;
            if (open)
                json_out_array(out, NULL);
            json_out_int(out, NULL, place);
            if (!open)
                json_out_array_end(out);
        }
    }
    if (open) {
        json_out_int(out, NULL, place);
        json_out_array_end(out);
    }
    json_out_array_end(out);
}

void object_write_hit(struct json_out *out, const char *key, const struct hit *hit)
{
    json_out_object(out, key);
    json_out_string(out, "session", hit->session);
    json_out_string(out, "title", hit->title);
    json_out_name(out, "message", hit->message);
    json_out_name(out, "role", hit->role ? str_of(object_role(hit->role)) : STR_NONE);
    write_snippet(out, hit->snippet);
    json_out_time(out, "created_at", hit->at_us);
    if (hit->index >= 0)
        json_out_int(out, "index", hit->index);
    json_out_object_end(out);
}

void object_write_rewound(struct json_out *out, const char *key, const struct rewound *rewound)
{
    json_out_object(out, key);
    write_index(out, rewound->index);
    json_out_int(out, "messages", rewound->messages);
    object_write_entry(out, "first", &rewound->message);
    json_out_object_end(out);
}
