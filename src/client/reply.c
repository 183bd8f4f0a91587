#include "client/reply.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(name, kind, type, member)                  \
    {                                                 \
        (name), (kind), offsetof(struct type, member) \
    }

/* ---- small ones ---- */

static bool usage_read(struct reader *reader, const struct json_value *value,
                       struct tine_usage *out)
{
    static const struct field fields[] = {
        AT("input_tokens", FIELD_INT, tine_usage, input_tokens),
        AT("output_tokens", FIELD_INT, tine_usage, output_tokens),
        AT("cost", FIELD_COST, tine_usage, cost_nano),
    };

    return fields_read(reader, value, "usage", fields, COUNT(fields), out);
}

static bool label_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("label", FIELD_TEXT, tine_label, label),
        AT("message", FIELD_TEXT, tine_label, message),
        AT("index", FIELD_INT, tine_label, index),
        AT("inherited", FIELD_BOOL, tine_label, inherited),
    };
    struct tine_label *label = out;

    *label = (struct tine_label){.message = "", .index = -1};
    return fields_read(reader, value, "a label", fields, COUNT(fields), label);
}

static bool point_read(struct reader *reader, const struct json_value *value,
                       struct tine_point *out)
{
    static const struct field fields[] = {
        AT("message", FIELD_TEXT, tine_point, message),
        AT("side", FIELD_TEXT, tine_point, side),
        AT("index", FIELD_INT, tine_point, index),
        AT("snapped", FIELD_BOOL, tine_point, snapped),
    };

    *out = (struct tine_point){.side = "after"};
    return fields_read(reader, value, "a point", fields, COUNT(fields), out);
}

static bool move_read(struct reader *reader, const struct json_value *value, struct tine_move *out)
{
    static const struct field fields[] = {
        AT("id", FIELD_TEXT, tine_move, id),          AT("act", FIELD_TEXT, tine_move, act),
        AT("from", FIELD_TEXT, tine_move, from),      AT("to", FIELD_TEXT, tine_move, to),
        AT("dropped", FIELD_INT, tine_move, dropped), AT("kept", FIELD_INT, tine_move, kept),
        AT("added", FIELD_INT, tine_move, added),
    };

    *out = (struct tine_move){.act = "rewind"};
    return fields_read(reader, value, "a rewind", fields, COUNT(fields), out);
}

static bool file_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("path", FIELD_TEXT, tine_file, path),
        AT("status", FIELD_TEXT, tine_file, status),
        AT("additions", FIELD_INT, tine_file, additions),
        AT("deletions", FIELD_INT, tine_file, deletions),
        AT("patch", FIELD_TEXT, tine_file, patch),
    };
    struct tine_file *file = out;

    *file = (struct tine_file){.path = "", .status = ""};
    return fields_read(reader, value, "a file", fields, COUNT(fields), file);
}

/* The id and the state of a turn: {"id","state"}. */
static bool turn_read(struct reader *reader, const struct json_value *value, const char **id,
                      const char **state, const char **reason)
{
    struct turn {
        const char *id, *state, *reason;
    } turn = {NULL, NULL, NULL};
    static const struct field fields[] = {
        AT("id", FIELD_TEXT, turn, id),
        AT("state", FIELD_TEXT, turn, state),
        AT("reason", FIELD_TEXT, turn, reason),
    };

    if (!fields_read(reader, value, "a turn", fields, COUNT(fields), &turn))
        return false;
    *id = turn.id;
    *state = turn.state;
    if (reason)
        *reason = turn.reason;
    return true;
}

/* ---- messages ---- */

/* The output of a tool: a string's text, anything else as JSON. */
static void part_text(struct reader *reader, const struct json_value *value, struct tine_part *part)
{
    struct str text = value->type == JSON_STRING ? json_text(value, reader->arena) : value->raw;

    part->text = text_dup(reader, text);
    part->text_bytes = text.n;
}

static bool part_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("type", FIELD_TEXT, tine_part, type),
        AT("id", FIELD_TEXT, tine_part, id),
        AT("name", FIELD_TEXT, tine_part, name),
        AT("arguments", FIELD_JSON, tine_part, arguments),
        AT("call", FIELD_TEXT, tine_part, call),
        AT("error", FIELD_BOOL, tine_part, error),
        AT("media_type", FIELD_TEXT, tine_part, media_type),
        AT("bytes", FIELD_TEXT, tine_part, bytes),
        AT("uri", FIELD_TEXT, tine_part, uri),
    };
    struct tine_part *part = out;
    struct json_value text;

    *part = (struct tine_part){.type = ""};
    part->json = text_dup(reader, value->raw);
    if (!fields_read(reader, value, "a part", fields, COUNT(fields), part))
        return false;
    if (member_find(value, "text", &text) || member_find(value, "output", &text))
        part_text(reader, &text, part);
    return true;
}

static bool message_parts(struct reader *reader, const struct json_value *value,
                          struct tine_message *message)
{
    struct json_value member;
    const void *parts = NULL;

    if (!member_find(value, "parts", &member))
        return true;
    if (!list_read(reader, &member, "\"parts\"", sizeof(struct tine_part), part_read, &parts,
                   &message->part_count))
        return false;
    message->parts = parts;
    return true;
}

/* Where a move goes. */
static bool message_target(struct reader *reader, const struct json_value *value,
                           struct tine_message *message)
{
    static const struct field fields[] = {
        AT("message", FIELD_TEXT, tine_message, to_message),
    };
    struct json_value member;

    if (!message->move || !member_find(value, "to", &member))
        return true;
    return fields_read(reader, &member, "a place", fields, COUNT(fields), message);
}

static bool message_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("id", FIELD_TEXT, tine_message, id),
        AT("index", FIELD_INT, tine_message, index),
        AT("kind", FIELD_TEXT, tine_message, kind),
        AT("role", FIELD_TEXT, tine_message, role),
        AT("turn", FIELD_TEXT, tine_message, turn),
        AT("body", FIELD_JSON, tine_message, body),
        AT("metadata", FIELD_JSON, tine_message, metadata),
        AT("session", FIELD_TEXT, tine_message, session),
        AT("hash", FIELD_TEXT, tine_message, hash),
        AT("move", FIELD_TEXT, tine_message, move),
        AT("messages", FIELD_INT, tine_message, to_index),
        AT("settled", FIELD_BOOL, tine_message, settled),
        AT("interrupted", FIELD_BOOL, tine_message, interrupted),
        AT("erased", FIELD_BOOL, tine_message, erased),
        AT("large", FIELD_BOOL, tine_message, large),
        AT("created_at", FIELD_TIME, tine_message, created_ms),
    };
    struct tine_message *message = out;
    struct json_value member;

    *message =
        (struct tine_message){.id = "", .index = -1, .kind = "message", .session = "", .hash = ""};
    message->json = text_dup(reader, value->raw);
    if (!fields_read(reader, value, "a message", fields, COUNT(fields), message) ||
        !message_parts(reader, value, message) || !message_target(reader, value, message))
        return false;
    message->adopted = member_find(value, "adopted_from", &member);
    message->has_usage = member_find(value, "usage", &member);
    return !message->has_usage || usage_read(reader, &member, &message->usage);
}

/* ---- sessions ---- */

static bool parent_read(struct reader *reader, const struct json_value *value,
                        struct tine_session *session)
{
    static const struct field fields[] = {
        AT("session", FIELD_TEXT, tine_parent, session),
        AT("title", FIELD_TEXT, tine_parent, title),
        AT("message", FIELD_TEXT, tine_parent, message),
        AT("side", FIELD_TEXT, tine_parent, side),
        AT("index", FIELD_INT, tine_parent, index),
        AT("deleted", FIELD_BOOL, tine_parent, deleted),
    };
    struct tine_parent *parent = arena_alloc(reader->arena, sizeof(*parent));

    *parent = (struct tine_parent){.session = "", .title = "", .side = "after"};
    session->parent = parent;
    return fields_read(reader, value, "a parent", fields, COUNT(fields), parent);
}

/* In a tree the parent is an id, and "point" beside it says where. */
static bool tree_parent_read(struct reader *reader, const struct json_value *value,
                             const struct json_value *id, struct tine_session *session)
{
    struct tine_parent *parent = arena_alloc(reader->arena, sizeof(*parent));
    static const struct field at[] = {
        AT("message", FIELD_TEXT, tine_parent, message),
        AT("side", FIELD_TEXT, tine_parent, side),
    };
    static const struct field beside[] = {AT("index", FIELD_INT, tine_parent, index)};
    struct json_value point;

    *parent = (struct tine_parent){.title = "", .side = "after"};
    parent->session = text_dup(reader, json_text(id, reader->arena));
    session->parent = parent;
    if (!fields_read(reader, value, "a session", beside, COUNT(beside), parent))
        return false;
    return !member_find(value, "point", &point) ||
           fields_read(reader, &point, "a point", at, COUNT(at), parent);
}

static bool session_usage(struct reader *reader, const struct json_value *value,
                          struct tine_session *session)
{
    struct json_value usage, member;

    if (!member_find(value, "usage", &usage))
        return true;
    if (!usage_read(reader, &usage, &session->usage))
        return false;
    if (member_find(&usage, "inherited", &member) &&
        !usage_read(reader, &member, &session->inherited))
        return false;
    return !member_find(&usage, "spent", &member) || usage_read(reader, &member, &session->spent);
}

static bool session_workspace(struct reader *reader, const struct json_value *value,
                              struct tine_session *session)
{
    static const struct field fields[] = {
        AT("dir", FIELD_TEXT, tine_session, workspace_dir),
        AT("mode", FIELD_TEXT, tine_session, workspace_mode),
    };
    struct json_value member;

    return !member_find(value, "workspace", &member) ||
           fields_read(reader, &member, "a workspace", fields, COUNT(fields), session);
}

static bool rewound_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("index", FIELD_INT, tine_rewound, index),
        AT("messages", FIELD_INT, tine_rewound, messages),
    };
    struct tine_message *first = arena_alloc(reader->arena, sizeof(*first));
    struct tine_rewound *rewound = out;
    struct json_value member;

    rewound->first = first;
    if (!fields_read(reader, value, "a stretch", fields, COUNT(fields), rewound))
        return false;
    if (member_find(value, "first", &member))
        return message_read(reader, &member, first);
    return error_set(reader->error, 0, "protocol",
                     "the reply makes no sense: a stretch has no first message");
}

/* Labels and what was rewound away, in a tree with details. */
static bool session_details(struct reader *reader, const struct json_value *value,
                            struct tine_session *session)
{
    struct json_value member;
    const void *list = NULL;

    if (member_find(value, "labels", &member)) {
        if (!list_read(reader, &member, "\"labels\"", sizeof(struct tine_label), label_read, &list,
                       &session->label_count))
            return false;
        session->labels = list;
    }
    if (member_find(value, "rewound", &member)) {
        if (!list_read(reader, &member, "\"rewound\"", sizeof(struct tine_rewound), rewound_read,
                       &list, &session->rewound_count))
            return false;
        session->rewound = list;
    }
    return true;
}

static bool session_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("id", FIELD_TEXT, tine_session, id),
        AT("title", FIELD_TEXT, tine_session, title),
        AT("agent", FIELD_TEXT, tine_session, agent),
        AT("user", FIELD_TEXT, tine_session, user),
        AT("head", FIELD_TEXT, tine_session, head),
        AT("messages", FIELD_INT, tine_session, messages),
        AT("state", FIELD_JSON, tine_session, state),
        AT("metadata", FIELD_JSON, tine_session, metadata),
        AT("limits", FIELD_JSON, tine_session, limits),
        AT("children", FIELD_INT, tine_session, children),
        AT("archived", FIELD_BOOL, tine_session, archived),
        AT("created_at", FIELD_TIME, tine_session, created_ms),
        AT("updated_at", FIELD_TIME, tine_session, updated_ms),
        AT("index", FIELD_INT, tine_session, index),
        AT("own_messages", FIELD_INT, tine_session, own_messages),
        AT("current", FIELD_BOOL, tine_session, current),
    };
    struct tine_session *session = out;
    struct json_value member;

    *session = (struct tine_session){.id = "",
                                     .title = "",
                                     .agent = "",
                                     .user = "",
                                     .metadata = "{}",
                                     .limits = "{}",
                                     .workspace_mode = "none"};
    session->json = text_dup(reader, value->raw);
    if (!fields_read(reader, value, "a session", fields, COUNT(fields), session))
        return false;
    if (member_find(value, "parent", &member) &&
        !(member.type == JSON_STRING ? tree_parent_read(reader, value, &member, session)
                                     : parent_read(reader, &member, session)))
        return false;
    if (member_find(value, "turn", &member) &&
        !turn_read(reader, &member, &session->turn, &session->turn_state, NULL))
        return false;
    return session_usage(reader, value, session) && session_workspace(reader, value, session) &&
           session_details(reader, value, session);
}

/* ---- journal, search, agents ---- */

static bool entry_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("event", FIELD_INT, tine_entry, event),
        AT("act", FIELD_TEXT, tine_entry, act),
        AT("message", FIELD_TEXT, tine_entry, about),
        AT("was", FIELD_TEXT, tine_entry, was),
        AT("now", FIELD_TEXT, tine_entry, now),
        AT("created_at", FIELD_TIME, tine_entry, created_ms),
    };
    struct tine_entry *entry = out;
    struct tine_message *message;
    struct json_value member;

    *entry = (struct tine_entry){.act = ""};
    entry->json = text_dup(reader, value->raw);
    if (!fields_read(reader, value, "an entry", fields, COUNT(fields), entry))
        return false;
    if (!member_find(value, "entry", &member))
        return true;
    message = arena_alloc(reader->arena, sizeof(*message));
    entry->message = message;
    return message_read(reader, &member, message);
}

static bool match_read(struct reader *reader, const struct json_value *value, void *out)
{
    int64_t *match = out;
    struct json_walk walk;
    size_t n = 0;

    if (!type_check(reader, value, JSON_ARRAY, "a match"))
        return false;
    json_walk_begin(&walk, value);
    while (json_walk_next(&walk))
        if (n < 2 && walk.value.type == JSON_NUMBER &&
            json_int(&walk.value, 0, INT64_MAX, &match[n]))
            n++;
    if (n == 2 && match[0] <= match[1])
        return true;
    return error_set(reader->error, 0, "protocol", "the reply makes no sense: a match is no pair");
}

static bool hit_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("session", FIELD_TEXT, tine_hit, session),
        AT("title", FIELD_TEXT, tine_hit, title),
        AT("message", FIELD_TEXT, tine_hit, message),
        AT("role", FIELD_TEXT, tine_hit, role),
        AT("snippet", FIELD_TEXT, tine_hit, snippet),
        AT("created_at", FIELD_TIME, tine_hit, created_ms),
    };
    struct tine_hit *hit = out;
    struct json_value member;
    const void *list = NULL;

    *hit = (struct tine_hit){.session = "", .title = "", .snippet = ""};
    hit->json = text_dup(reader, value->raw);
    if (!fields_read(reader, value, "a hit", fields, COUNT(fields), hit))
        return false;
    if (!member_find(value, "matches", &member))
        return true;
    if (!list_read(reader, &member, "\"matches\"", sizeof(int64_t[2]), match_read, &list,
                   &hit->match_count))
        return false;
    hit->matches = (const int64_t(*)[2])list;
    return true;
}

static bool agent_read(struct reader *reader, const struct json_value *value, void *out)
{
    static const struct field fields[] = {
        AT("id", FIELD_TEXT, tine_agent, id),
        AT("namespace", FIELD_TEXT, tine_agent, space),
        AT("name", FIELD_TEXT, tine_agent, name),
        AT("kind", FIELD_TEXT, tine_agent, kind),
        AT("description", FIELD_TEXT, tine_agent, description),
        AT("model", FIELD_TEXT, tine_agent, model),
        AT("default", FIELD_BOOL, tine_agent, is_default),
    };
    struct tine_agent *agent = out;

    *agent = (struct tine_agent){.id = "", .space = "", .name = "", .kind = "", .description = ""};
    agent->json = text_dup(reader, value->raw);
    return fields_read(reader, value, "an agent", fields, COUNT(fields), agent);
}

/* ---- replies ---- */

/* One list of a reply, when it has it. */
static bool member_list(struct reader *reader, const struct json_value *reply, const char *name,
                        size_t bytes, item_read *read, const void **out, size_t *count)
{
    struct json_value member;

    return !member_find(reply, name, &member) ||
           list_read(reader, &member, name, bytes, read, out, count);
}

/* One object of a reply, when it has it. */
static bool member_object(struct reader *reader, const struct json_value *reply, const char *name,
                          size_t bytes, item_read *read, const void **out)
{
    struct json_value member;
    void *object;

    if (!member_find(reply, name, &member))
        return true;
    object = arena_alloc(reader->arena, bytes);
    *out = object;
    return read(reader, &member, object);
}

static bool lists_read(struct reader *reader, const struct json_value *reply,
                       struct tine_result *out)
{
#define LIST(name, read, type, list, count)                                 \
    {                                                                       \
        (name), sizeof(struct type), (read), (const void **)(list), (count) \
    }
    const struct {
        const char *name;
        size_t bytes;
        item_read *read;
        const void **list;
        size_t *count;
    } lists[] = {
        LIST("sessions", session_read, tine_session, &out->sessions, &out->session_count),
        LIST("messages", message_read, tine_message, &out->messages, &out->message_count),
        LIST("entries", entry_read, tine_entry, &out->entries, &out->entry_count),
        LIST("hits", hit_read, tine_hit, &out->hits, &out->hit_count),
        LIST("labels", label_read, tine_label, &out->labels, &out->label_count),
        LIST("agents", agent_read, tine_agent, &out->agents, &out->agent_count),
        LIST("left", message_read, tine_message, &out->left, &out->left_count),
        LIST("right", message_read, tine_message, &out->right, &out->right_count),
    };
#undef LIST

    for (size_t i = 0; i < COUNT(lists); i++)
        if (!member_list(reader, reply, lists[i].name, lists[i].bytes, lists[i].read, lists[i].list,
                         lists[i].count))
            return false;
    return true;
}

/* "files" is a list in a diff, and an object of lists in a move. */
static bool files_read(struct reader *reader, const struct json_value *reply,
                       struct tine_result *out)
{
    struct json_value member;
    const void *list = NULL;

    if (!member_find(reply, "files", &member) || member.type != JSON_ARRAY)
        return true;
    if (!list_read(reader, &member, "\"files\"", sizeof(struct tine_file), file_read, &list,
                   &out->file_count))
        return false;
    out->files = list;
    return true;
}

static bool moves_read(struct reader *reader, const struct json_value *reply,
                       struct tine_result *out)
{
    struct json_value member;

    if (member_find(reply, "point", &member)) {
        struct tine_point *point = arena_alloc(reader->arena, sizeof(*point));

        out->point = point;
        if (!point_read(reader, &member, point))
            return false;
    }
    if (member_find(reply, "rewind", &member)) {
        struct tine_move *move = arena_alloc(reader->arena, sizeof(*move));

        out->move = move;
        if (!move_read(reader, &member, move))
            return false;
    }
    return true;
}

static bool members_read(struct reader *reader, const struct json_value *reply,
                         struct tine_result *out)
{
    static const struct field fields[] = {
        AT("next", FIELD_TEXT, tine_result, next),
        AT("root", FIELD_TEXT, tine_result, root),
        AT("repeated", FIELD_BOOL, tine_result, repeated),
        AT("total", FIELD_INT, tine_result, total),
    };
    struct json_value turn;

    if (!fields_read(reader, reply, "the reply", fields, COUNT(fields), out) ||
        !lists_read(reader, reply, out) || !moves_read(reader, reply, out) ||
        !files_read(reader, reply, out))
        return false;
    if (member_find(reply, "turn", &turn) && turn.type == JSON_OBJECT &&
        !turn_read(reader, &turn, &out->turn, &out->turn_state, &out->reason))
        return false;
    return member_object(reader, reply, "session", sizeof(struct tine_session), session_read,
                         (const void **)&out->session) &&
           member_object(reader, reply, "excluded", sizeof(struct tine_message), message_read,
                         (const void **)&out->excluded) &&
           member_object(reader, reply, "common", sizeof(struct tine_message), message_read,
                         (const void **)&out->common);
}

/* A reply that is one object without a name. */
static bool whole_read(struct reader *reader, const struct json_value *reply, size_t bytes,
                       item_read *read, const void **out)
{
    void *object = arena_alloc(reader->arena, bytes);

    *out = object;
    return read(reader, reply, object);
}

static bool me_read(struct reader *reader, const struct json_value *reply, struct tine_result *out)
{
    static const struct field fields[] = {
        AT("name", FIELD_TEXT, tine_result, name),
        AT("right", FIELD_TEXT, tine_result, right_name),
    };

    return fields_read(reader, reply, "the reply", fields, COUNT(fields), out);
}

static bool raw_read(struct reader *reader, const struct json_value *reply, struct tine_result *out)
{
    static const struct field fields[] = {AT("next", FIELD_TEXT, tine_result, next)};

    return fields_read(reader, reply, "the reply", fields, COUNT(fields), out) &&
           member_list(reader, reply, "entries", sizeof(struct tine_message), message_read,
                       (const void **)&out->messages, &out->message_count);
}

static bool json_check(struct reader *reader, struct str bytes, struct json_value *out)
{
    struct fault fault;

    if (json_read(bytes, REPLY_DEPTH, "the reply", out, &fault) == FAULT_OK)
        return true;
    return error_set(reader->error, 0, "protocol", "%s", fault.message);
}

bool reply_read(struct reader *reader, struct str bytes, enum reply_shape shape,
                struct tine_result *out)
{
    struct json_value reply;

    if (shape == REPLY_NOTHING)
        return true;
    if (!json_check(reader, bytes, &reply) || !type_check(reader, &reply, JSON_OBJECT, "the reply"))
        return false;
    switch (shape) {
    case REPLY_SESSION:
        return whole_read(reader, &reply, sizeof(struct tine_session), session_read,
                          (const void **)&out->session);
    case REPLY_AGENT:
        return whole_read(reader, &reply, sizeof(struct tine_agent), agent_read,
                          (const void **)&out->agent);
    case REPLY_LABEL:
        return whole_read(reader, &reply, sizeof(struct tine_label), label_read,
                          (const void **)&out->label);
    case REPLY_ME:
        return me_read(reader, &reply, out);
    case REPLY_RAW:
        return raw_read(reader, &reply, out);
    case REPLY_MEMBERS:
    case REPLY_NOTHING:
        break;
    }
    return members_read(reader, &reply, out);
}

/* ---- events ---- */

/* In running text the turn is its name, else {"id","state","reason"}. */
static bool event_turn(struct reader *reader, const struct json_value *data, struct tine_event *out)
{
    struct json_value turn;

    if (!member_find(data, "turn", &turn))
        return true;
    if (turn.type != JSON_STRING)
        return turn_read(reader, &turn, &out->turn, &out->turn_state, &out->reason);
    out->turn = text_dup(reader, json_text(&turn, reader->arena));
    return true;
}

static bool event_piece(struct reader *reader, const struct json_value *data,
                        struct tine_event *out)
{
    static const struct field fields[] = {
        AT("session", FIELD_TEXT, tine_event, session),
        AT("kind", FIELD_TEXT, tine_event, kind),
        AT("step", FIELD_INT, tine_event, step),
        AT("offset", FIELD_INT, tine_event, offset),
    };
    static const struct field call_fields[] = {
        AT("id", FIELD_TEXT, tine_event, call),
        AT("name", FIELD_TEXT, tine_event, call_name),
    };
    struct json_value member;

    if (member_find(data, "text", &member) && member.type == JSON_STRING) {
        struct str text = json_text(&member, reader->arena);

        out->text = text_dup(reader, text);
        out->text_bytes = text.n;
    }
    if (member_find(data, "call", &member) &&
        !fields_read(reader, &member, "a call", call_fields, COUNT(call_fields), out))
        return false;
    return fields_read(reader, data, "an event", fields, COUNT(fields), out);
}

bool reply_event(struct reader *reader, struct str data, struct tine_event *out)
{
    struct json_value object;

    return json_check(reader, data, &object) &&
           type_check(reader, &object, JSON_OBJECT, "an event") &&
           event_turn(reader, &object, out) && event_piece(reader, &object, out) &&
           member_object(reader, &object, "message", sizeof(struct tine_message), message_read,
                         (const void **)&out->message);
}
