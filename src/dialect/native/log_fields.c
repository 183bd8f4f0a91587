#include "dialect/native/log_fields.h"

#include "base/base64.h"
#include "dialect/native/object.h"
#include "message/message_in.h"
#include "store/limits.h"

#include <inttypes.h>

/* Numbers of acts, sessions, versions and events; far from where sums overflow. */
#define NUMBER_MAX  ((int64_t)1 << 53)
#define TIME_MAX_US INT64_C(253402300799999999) /* the year 9999 */

/* Where values are taken from; the first fault is kept, as in a struct buf. */
struct fields {
    const char *where;
    struct arena *arena;
    struct fault *fault;
    enum fault_code code;
};

static void refuse(struct fields *fields, const struct json_member *member, const char *reason)
{
    if (!fields->code)
        fields->code = fault_set(fields->fault, FAULT_INVALID, "member \"%s\" in %s %s",
                                 member->name, fields->where, reason);
}

static int64_t take_int(struct fields *fields, const struct json_member *member, int64_t min,
                        int64_t max)
{
    int64_t value = 0;

    if (member->given && !json_int(&member->value, min, max, &value))
        refuse(fields, member, "is out of range");
    return value;
}

static struct str take_text(struct fields *fields, const struct json_member *member, size_t max)
{
    struct str text = STR_NONE;

    if (!member->given)
        return text;
    text = json_text(&member->value, fields->arena);
    if (text.n > max)
        refuse(fields, member, "is too long");
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f)
            refuse(fields, member, "has a control character");
    return text;
}

/* A text that is always there, if only as an empty one. */
static struct str given_or_empty(struct str text)
{
    return text.p ? text : STR("");
}

/* An id: tine's own or one that a client chose. */
static struct str take_id(struct fields *fields, const struct json_member *member)
{
    struct str id = take_text(fields, member, LIMIT_ID_BYTES);

    if (member->given && id.n == 0)
        refuse(fields, member, "is empty");
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];

        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
              (c != '\0' && strchr("._:-", c))))
            refuse(fields, member, "has a character that no id has");
    }
    return id;
}

/* `bytes`: how many there must be when there are any; 0: any number. */
static struct str take_hex(struct fields *fields, const struct json_member *member, size_t bytes)
{
    struct str value = STR_NONE;

    if (!member->given)
        return value;
    if (!json_hex(&member->value, fields->arena, &value))
        refuse(fields, member, "is not hexadecimal");
    else if (bytes && value.n != bytes)
        refuse(fields, member, "has the wrong length");
    return value;
}

static bool take_true(const struct json_member *member)
{
    return member->given && json_true(&member->value);
}

static size_t take_numbers(struct fields *fields, const struct json_member *member, int64_t *out,
                           size_t count, int64_t max)
{
    struct json_walk walk;
    size_t n = 0;

    if (!member->given)
        return 0;
    json_walk_begin(&walk, &member->value);
    while (json_walk_next(&walk)) {
        if (n == count || !json_int(&walk.value, 0, max, &out[n])) {
            refuse(fields, member, "is out of range");
            return 0;
        }
        n++;
    }
    if (n != count)
        refuse(fields, member, "has too few numbers");
    return n == count ? n : 0;
}

static struct address take_address(struct fields *fields, const struct json_member *member)
{
    int64_t pair[2];

    if (!take_numbers(fields, member, pair, 2, NUMBER_MAX))
        return ADDRESS_START;
    if (pair[0] == 0 || pair[1] == 0)
        refuse(fields, member, "is out of range");
    return (struct address){pair[0], pair[1]};
}

typedef const char *word_of(int value);

/* The number in [from, to] whose word the member is; 0 when it is not given. */
static int take_word(struct fields *fields, const struct json_member *member, word_of *word,
                     int from, int to)
{
    struct str text;

    if (!member->given)
        return 0;
    text = json_text(&member->value, fields->arena);
    for (int i = from; i <= to; i++)
        if (str_eq(text, str_of(word(i))))
            return i;
    refuse(fields, member, "is not a known word");
    return from;
}

static const char *kind_word(int value)
{
    return object_kind((enum entry_kind)value);
}

static const char *role_word(int value)
{
    return object_role((enum role)value);
}

static const char *move_word(int value)
{
    return object_move((enum move_act)value);
}

static const char *scope_word(int value)
{
    return object_scope((enum move_scope)value);
}

static const char *note_word(int value)
{
    return object_note((enum note_act)value);
}

static const char *side_word(int value)
{
    return object_side((enum point_side)value);
}

static const char *workspace_word(int value)
{
    static const char *const words[] = {
        [WORKSPACE_OWN] = "own", [WORKSPACE_ATTACHED] = "attached", [WORKSPACE_NONE] = "none"};

    return words[value];
}

static const char *content_word(int value)
{
    static const char *const words[] = {
        [OBJECT_DIR] = "dir", [OBJECT_FILE] = "file", [OBJECT_PIECES] = "pieces"};

    return words[value];
}

static const char *state_word(int value)
{
    static const char *const words[] = {"live", "deleted", "sub"};

    return words[value];
}

/*
 * JSON that a client once gave, in one of three forms, which stand in the table in this order: as
 * it is, "…_text", "…_hex". Where it came as text it is checked here, because it is copied into
 * replies.
 */
static struct str take_json(struct fields *fields, const struct json_member *forms, size_t max,
                            unsigned types)
{
    struct str bytes = STR_NONE;
    struct json_value value;
    struct fault ignored;

    if (forms[0].given + forms[1].given + forms[2].given > 1)
        refuse(fields, &forms[0], "stands there in two forms");
    if (forms[0].given)
        bytes = forms[0].value.raw;
    else if (forms[1].given)
        bytes = json_text(&forms[1].value, fields->arena);
    else if (forms[2].given)
        bytes = take_hex(fields, &forms[2], 0);
    if (bytes.n > max)
        refuse(fields, &forms[0], "is too long");
    else if (bytes.n &&
             (json_read(bytes, LIMIT_JSON_DEPTH, "", &value, &ignored) || !(value.type & types)))
        refuse(fields, &forms[0], "is not the JSON that belongs there");
    return bytes;
}

#define JSON_FORMS(name, types) \
    JSON_MAY(name, types), JSON_MAY(name "_text", JSON_STRING), JSON_MAY(name "_hex", JSON_STRING)

/* ---- the items ---- */

static void read_parent(struct fields *fields, const struct json_member *member,
                        struct log_session *session)
{
    struct json_member m[] = {
        JSON_MAY("s", JSON_NUMBER),     JSON_MAY("session", JSON_STRING),
        JSON_MAY("title", JSON_STRING), JSON_MAY("message", JSON_STRING),
        JSON_MUST("side", JSON_STRING), JSON_MAY("deleted", JSON_BOOL),
    };

    if (!member->given || fields->code)
        return;
    fields->code = json_members(&member->value, "parent", m, 6, fields->fault);
    session->parent_s = take_int(fields, &m[0], 1, NUMBER_MAX);
    session->parent = (struct session_parent){
        .known = true,
        .session = take_id(fields, &m[1]),
        .title = given_or_empty(take_text(fields, &m[2], LIMIT_TITLE_BYTES)),
        .message = take_id(fields, &m[3]),
        .side = (enum point_side)take_word(fields, &m[4], side_word, SIDE_BEFORE, SIDE_AFTER),
        .deleted = take_true(&m[5]),
    };
}

/* clang-format off */
enum session_member {
    S_S, S_FAMILY, S_STATE, S_ID, S_TITLE, S_AGENT, S_BASE, S_VERSION, S_PARENT, S_ARCHIVED, S_CREATED,
    S_TOUCHED, S_WORKSPACE, S_HOME, S_METADATA, S_LIMITS = S_METADATA + 3, S_SETTINGS = S_LIMITS + 3,
    S_COUNT = S_SETTINGS + 3
};
/* clang-format on */

static const struct json_member session_members[S_COUNT] = {
    [S_S] = JSON_MUST("s", JSON_NUMBER),
    [S_FAMILY] = JSON_MAY("family", JSON_NUMBER),
    [S_STATE] = JSON_MAY("state", JSON_STRING),
    [S_ID] = JSON_MUST("id", JSON_STRING),
    [S_TITLE] = JSON_MAY("title", JSON_STRING),
    [S_AGENT] = JSON_MAY("agent", JSON_STRING),
    [S_BASE] = JSON_MAY("base", JSON_ARRAY),
    [S_VERSION] = JSON_MAY("base_version", JSON_NUMBER),
    [S_PARENT] = JSON_MAY("parent", JSON_OBJECT),
    [S_ARCHIVED] = JSON_MAY("archived", JSON_BOOL),
    [S_CREATED] = JSON_MUST("created_us", JSON_NUMBER),
    [S_TOUCHED] = JSON_MUST("touched_us", JSON_NUMBER),
    [S_WORKSPACE] = JSON_MAY("workspace", JSON_STRING),
    [S_METADATA] = JSON_FORMS("metadata", JSON_OBJECT),
    [S_LIMITS] = JSON_FORMS("limits", JSON_OBJECT),
    [S_HOME] = JSON_MAY("home", JSON_STRING),
    [S_SETTINGS] = JSON_FORMS("settings", JSON_OBJECT),
};

static void read_session(struct fields *fields, const struct json_value *object,
                         struct log_session *out)
{
    struct json_member m[S_COUNT];

    memcpy(m, session_members, sizeof(m));
    fields->code = json_members(object, fields->where, m, S_COUNT, fields->fault);
    if (fields->code)
        return;
    out->s = take_int(fields, &m[S_S], 1, NUMBER_MAX);
    out->family = m[S_FAMILY].given ? take_int(fields, &m[S_FAMILY], 1, NUMBER_MAX) : out->s;
    out->state =
        (enum session_state)take_word(fields, &m[S_STATE], state_word, SESSION_LIVE, SESSION_SUB);
    out->id = take_id(fields, &m[S_ID]);
    out->title = given_or_empty(take_text(fields, &m[S_TITLE], LIMIT_TITLE_BYTES));
    out->agent = given_or_empty(take_text(fields, &m[S_AGENT], LIMIT_AGENT_BYTES));
    out->base = take_address(fields, &m[S_BASE]);
    out->base_version = take_int(fields, &m[S_VERSION], 0, NUMBER_MAX);
    out->archived = take_true(&m[S_ARCHIVED]);
    out->created_us = take_int(fields, &m[S_CREATED], 0, TIME_MAX_US);
    out->touched_us = take_int(fields, &m[S_TOUCHED], 0, TIME_MAX_US);
    out->workspace.mode = (enum workspace_mode)take_word(fields, &m[S_WORKSPACE], workspace_word,
                                                         WORKSPACE_OWN, WORKSPACE_NONE);
    out->metadata = take_json(fields, &m[S_METADATA], LIMIT_METADATA_BYTES, JSON_OBJECT);
    out->limits = take_json(fields, &m[S_LIMITS], LIMIT_METADATA_BYTES, JSON_OBJECT);
    out->home = given_or_empty(take_text(fields, &m[S_HOME], LIMIT_HOME_BYTES));
    if (!home_valid(out->home))
        refuse(fields, &m[S_HOME], "is no word of a-z 0-9 -");
    out->settings = take_json(fields, &m[S_SETTINGS], LIMIT_METADATA_BYTES, JSON_OBJECT);
    read_parent(fields, &m[S_PARENT], out);
}

/* clang-format off */
enum act_member {
    A_AT, A_KIND, A_ROLE, A_FLAGS, A_ID, A_DRAWN, A_TURN, A_AT_US, A_USAGE, A_CALLS, A_RESULTS,
    A_STATE, A_TREE, A_REF, A_MERGED, A_MOVE, A_SCOPE, A_TO, A_SALT, A_CONTENT, A_HASH, A_SPANS, A_ERASED,
    A_BODY, A_COUNT = A_BODY + 3
};
/* clang-format on */

static const struct json_member act_members[A_COUNT] = {
    [A_AT] = JSON_MUST("at", JSON_ARRAY),           [A_KIND] = JSON_MUST("kind", JSON_STRING),
    [A_ROLE] = JSON_MAY("role", JSON_STRING),       [A_FLAGS] = JSON_MAY("flags", JSON_NUMBER),
    [A_ID] = JSON_MUST("id", JSON_STRING),          [A_DRAWN] = JSON_MAY("drawn", JSON_BOOL),
    [A_TURN] = JSON_MAY("turn", JSON_STRING),       [A_AT_US] = JSON_MUST("at_us", JSON_NUMBER),
    [A_USAGE] = JSON_MAY("usage", JSON_ARRAY),      [A_CALLS] = JSON_MAY("calls", JSON_NUMBER),
    [A_RESULTS] = JSON_MAY("results", JSON_NUMBER), [A_STATE] = JSON_MAY("state", JSON_STRING),
    [A_TREE] = JSON_MAY("tree", JSON_STRING),       [A_REF] = JSON_MAY("ref", JSON_ARRAY),
    [A_MERGED] = JSON_MAY("merged", JSON_ARRAY),    [A_MOVE] = JSON_MAY("move", JSON_STRING),
    [A_SCOPE] = JSON_MAY("scope", JSON_STRING),     [A_TO] = JSON_MAY("to", JSON_ARRAY),
    [A_SALT] = JSON_MAY("salt", JSON_STRING),       [A_CONTENT] = JSON_MAY("content", JSON_STRING),
    [A_HASH] = JSON_MUST("hash", JSON_STRING),      [A_SPANS] = JSON_MAY("spans", JSON_STRING),
    [A_ERASED] = JSON_MAY("erased", JSON_BOOL),     [A_BODY] = JSON_FORMS("body", JSON_ANY),
};

/* What an act is, and what it moves or names. */
static void read_act_head(struct fields *fields, const struct json_member *m, struct log_act *out)
{
    out->at = take_address(fields, &m[A_AT]);
    out->kind =
        (enum entry_kind)take_word(fields, &m[A_KIND], kind_word, ENTRY_MESSAGE, ENTRY_MOVE);
    out->role = (enum role)take_word(fields, &m[A_ROLE], role_word, ROLE_USER, ROLE_SYSTEM);
    out->flags = (unsigned)take_int(fields, &m[A_FLAGS], 0, 2 * ENTRY_MERGED - 1);
    out->ref = take_address(fields, &m[A_REF]);
    out->merged = take_address(fields, &m[A_MERGED]);
    if (out->kind == ENTRY_MESSAGE && out->role == ROLE_NONE)
        refuse(fields, &m[A_ROLE], "is missing");
    if ((out->kind == ENTRY_MOVE) != m[A_MOVE].given)
        refuse(fields, &m[A_MOVE], "belongs to a move and to nothing else");
    if (out->kind != ENTRY_MOVE && (m[A_TO].given || m[A_SCOPE].given))
        refuse(fields, &m[A_TO], "belongs to a move and to nothing else");
    out->move = (enum move_act)take_word(fields, &m[A_MOVE], move_word, MOVE_REWIND, MOVE_MERGE);
    out->scope =
        (enum move_scope)take_word(fields, &m[A_SCOPE], scope_word, SCOPE_BOTH, SCOPE_FILES);
    out->to = take_address(fields, &m[A_TO]);
}

/* What stands in a body, and what vouches for it. */
static void read_act_body(struct fields *fields, const struct json_member *m, struct log_act *out)
{
    out->state = take_hex(fields, &m[A_STATE], 0);
    if (m[A_STATE].given && !out->state.p)
        out->state.p = "";
    if (out->state.n > (size_t)2 * LIMIT_STATE_BYTES)
        refuse(fields, &m[A_STATE], "is too long");
    out->tree = take_hex(fields, &m[A_TREE], HASH_BYTES);
    out->salt = take_hex(fields, &m[A_SALT], SALT_BYTES);
    out->content = take_hex(fields, &m[A_CONTENT], HASH_BYTES);
    out->hash = take_hex(fields, &m[A_HASH], HASH_BYTES);
    out->spans = take_hex(fields, &m[A_SPANS], 0);
    out->erased = take_true(&m[A_ERASED]);
    out->body = take_json(fields, &m[A_BODY], LIMIT_ENTRY_BYTES, JSON_ANY);
    if (out->erased && (out->body.n || out->salt.n || out->content.n == 0))
        refuse(fields, &m[A_ERASED], "goes with a content hash and nothing to read");
    if (!out->erased && (out->content.n || out->salt.n == 0))
        refuse(fields, &m[A_SALT], "is missing");
}

static void read_act(struct fields *fields, const struct json_value *object, struct log_act *out)
{
    struct json_member m[A_COUNT];
    int64_t usage[3] = {0};

    memcpy(m, act_members, sizeof(m));
    fields->code = json_members(object, fields->where, m, A_COUNT, fields->fault);
    if (fields->code)
        return;
    read_act_head(fields, m, out);
    out->id = take_id(fields, &m[A_ID]);
    out->id_is_drawn = take_true(&m[A_DRAWN]);
    if (out->id_is_drawn && !id_parse(out->id, &(struct id){0}))
        refuse(fields, &m[A_ID], "is none that tine makes");
    out->turn = take_text(fields, &m[A_TURN], LIMIT_TURN_BYTES);
    out->at_us = take_int(fields, &m[A_AT_US], 0, TIME_MAX_US);
    out->has_usage = take_numbers(fields, &m[A_USAGE], usage, 3, LIMIT_USAGE_COST) > 0;
    out->usage = (struct usage){usage[0], usage[1], usage[2]};
    out->calls = (int)take_int(fields, &m[A_CALLS], 0, LIMIT_ENTRY_BYTES);
    out->results = (int)take_int(fields, &m[A_RESULTS], 0, LIMIT_ENTRY_BYTES);
    read_act_body(fields, m, out);
}

static void read_note(struct fields *fields, const struct json_value *object, struct log_note *out)
{
    struct json_member m[] = {
        JSON_MUST("s", JSON_NUMBER),     JSON_MUST("act", JSON_STRING),
        JSON_MUST("at_us", JSON_NUMBER), JSON_MAY("message", JSON_STRING),
        JSON_MAY("was", JSON_STRING),    JSON_MAY("now", JSON_STRING),
    };
    enum note_act act;

    fields->code = json_members(object, fields->where, m, 6, fields->fault);
    if (fields->code)
        return;
    out->s = take_int(fields, &m[0], 1, NUMBER_MAX);
    act = (enum note_act)take_word(fields, &m[1], note_word, NOTE_CREATED, NOTE_TURN_ENDED);
    out->note = (struct note){
        .act = act,
        .at_us = take_int(fields, &m[2], 0, TIME_MAX_US),
        .message = act == NOTE_TURN_STARTED || act == NOTE_TURN_ENDED
                       ? take_text(fields, &m[3], LIMIT_TURN_BYTES)
                       : take_id(fields, &m[3]),
        .was = take_text(fields, &m[4], LIMIT_TITLE_BYTES),
        .now = take_text(fields, &m[5], LIMIT_TITLE_BYTES),
    };
}

static void read_record(struct fields *fields, const struct json_value *object,
                        struct log_record *out)
{
    struct json_member m[] = {
        JSON_MUST("s", JSON_NUMBER),     JSON_MUST("version", JSON_NUMBER),
        JSON_MAY("kind", JSON_NUMBER),   JSON_MUST("id", JSON_STRING),
        JSON_MAY("turn", JSON_STRING),   JSON_MAY("place", JSON_ARRAY),
        JSON_MUST("at_us", JSON_NUMBER), JSON_FORMS("body", JSON_ANY),
    };

    fields->code = json_members(object, fields->where, m, 10, fields->fault);
    if (fields->code)
        return;
    *out = (struct log_record){
        .s = take_int(fields, &m[0], 1, NUMBER_MAX),
        .version = take_int(fields, &m[1], 1, NUMBER_MAX),
        .kind = (int)take_int(fields, &m[2], INT32_MIN, INT32_MAX),
        .id = take_text(fields, &m[3], LIMIT_ID_BYTES),
        .turn = take_text(fields, &m[4], LIMIT_TURN_BYTES),
        .place = take_address(fields, &m[5]),
        .at_us = take_int(fields, &m[6], 0, TIME_MAX_US),
        .body = take_json(fields, &m[7], LIMIT_ENTRY_BYTES, JSON_ANY),
    };
}

static void read_label(struct fields *fields, const struct json_value *object,
                       struct log_label *out)
{
    struct json_member m[] = {JSON_MUST("in", JSON_NUMBER), JSON_MUST("at", JSON_ARRAY),
                              JSON_MUST("text", JSON_STRING)};

    fields->code = json_members(object, fields->where, m, 3, fields->fault);
    if (fields->code)
        return;
    *out = (struct log_label){
        .in_s = take_int(fields, &m[0], 1, NUMBER_MAX),
        .at = take_address(fields, &m[1]),
        .text = take_text(fields, &m[2], LIMIT_LABEL_BYTES),
    };
    if (out->text.n == 0)
        refuse(fields, &m[2], "is empty");
}

static void read_object(struct fields *fields, const struct json_value *object, struct object *out)
{
    struct json_member m[] = {JSON_MUST("hash", JSON_STRING), JSON_MUST("kind", JSON_STRING),
                              JSON_MAY("size", JSON_NUMBER), JSON_MUST("data", JSON_STRING)};
    struct str hash;

    fields->code = json_members(object, fields->where, m, 4, fields->fault);
    if (fields->code)
        return;
    hash = take_hex(fields, &m[0], HASH_BYTES);
    out->kind = (enum object_kind)take_word(fields, &m[1], content_word, OBJECT_DIR, OBJECT_PIECES);
    out->size = take_int(fields, &m[2], 0, OBJECT_DIR_BYTES);
    if (!base64_read(json_inside(&m[3].value), fields->arena, &out->data))
        refuse(fields, &m[3], "is not base64");
    if (!fields->code && hash.n == HASH_BYTES)
        memcpy(out->hash, hash.p, HASH_BYTES);
}

enum fault_code log_fields_read(enum log_item_kind kind, const struct json_value *object,
                                struct arena *arena, struct log_item *out, struct fault *fault)
{
    static const char *const names[] = {"session", "act", "note", "record", "label", "object"};
    struct fields fields = {.where = names[kind], .arena = arena, .fault = fault};
    struct log_item item;

    memset(&item, 0, sizeof(item));
    item.kind = kind;
    switch (kind) {
    case LOG_SESSION:
        read_session(&fields, object, &item.session);
        break;
    case LOG_ACT:
        read_act(&fields, object, &item.act);
        break;
    case LOG_NOTE:
        read_note(&fields, object, &item.note);
        break;
    case LOG_RECORD:
        read_record(&fields, object, &item.record);
        break;
    case LOG_LABEL:
        read_label(&fields, object, &item.label);
        break;
    case LOG_OBJECT:
        read_object(&fields, object, &item.object);
        break;
    }
    if (!fields.code)
        *out = item;
    return fields.code;
}
