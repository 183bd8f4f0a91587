#include "client/reply.h"

#include "client/shapes.h"

static bool json_check(struct reader *reader, struct str bytes, struct json_value *out)
{
    struct fault fault;

    if (json_read(bytes, REPLY_DEPTH, "the reply", out, &fault) == FAULT_OK)
        return true;
    return error_set(reader->error, 0, "protocol", "%s", fault.message);
}

/* ---- replies ---- */

static const struct field turn_fields[] = {
    FIELD("id", FIELD_TEXT, tine_result, turn),
    FIELD("state", FIELD_TEXT, tine_result, turn_state),
    FIELD("reason", FIELD_TEXT, tine_result, reason),
};

/* A turn may be a name; "files" is a list of files, but an object of lists of paths in a move. */
static bool members_rest(struct reader *reader, const struct json_value *reply,
                         struct tine_result *out)
{
    struct json_value member;

    if (member_find(reply, "turn", &member) && member.type == JSON_OBJECT &&
        !fields_read(reader, &member, "a turn", turn_fields, FIELD_COUNT(turn_fields), out))
        return false;
    if (!member_find(reply, "files", &member))
        return true;
    if (member.type == JSON_ARRAY)
        return list_read(reader, &member, "files", &shape_file, &out->files, &out->file_count);
    return shape_new(reader, &member, &shape_files_report, &out->report);
}

static const struct field members_fields[] = {
    FIELD("next", FIELD_TEXT, tine_result, next),
    FIELD("root", FIELD_TEXT, tine_result, root),
    FIELD("repeated", FIELD_BOOL, tine_result, repeated),
    FIELD("total", FIELD_INT, tine_result, total),
    FIELD_ITEMS("sessions", tine_result, sessions, session_count, &shape_session),
    FIELD_ITEMS("messages", tine_result, messages, message_count, &shape_message),
    FIELD_ITEMS("entries", tine_result, entries, entry_count, &shape_entry),
    FIELD_ITEMS("hits", tine_result, hits, hit_count, &shape_hit),
    FIELD_ITEMS("labels", tine_result, labels, label_count, &shape_label),
    FIELD_ITEMS("agents", tine_result, agents, agent_count, &shape_agent),
    FIELD_ITEMS("left", tine_result, left, left_count, &shape_message),
    FIELD_ITEMS("right", tine_result, right, right_count, &shape_message),
    FIELD_SHAPE("session", FIELD_OBJECT, tine_result, session, &shape_session),
    FIELD_SHAPE("excluded", FIELD_OBJECT, tine_result, excluded, &shape_message),
    FIELD("common", FIELD_TEXT, tine_result, common),
    FIELD("index", FIELD_INT, tine_result, shared),
    FIELD("left_more", FIELD_BOOL, tine_result, left_more),
    FIELD("right_more", FIELD_BOOL, tine_result, right_more),
    FIELD("files_more", FIELD_BOOL, tine_result, files_more),
    FIELD("left_out", FIELD_INT, tine_result, left_out),
    FIELD("tree", FIELD_TEXT, tine_result, tree),
    FIELD("entry", FIELD_TEXT, tine_result, entry),
    FIELD("conflicts_more", FIELD_INT, tine_result, conflicts_more),
    FIELD_ITEMS("conflicts", tine_result, conflicts, conflict_count, &shape_conflict),
    FIELD_SHAPE("file", FIELD_OBJECT, tine_result, file, &shape_file),
    FIELD_SHAPE("merge", FIELD_OBJECT, tine_result, merge, &shape_merge),
    FIELD_SHAPE("point", FIELD_OBJECT, tine_result, point, &shape_point),
    FIELD_SHAPE("rewind", FIELD_OBJECT, tine_result, move, &shape_move),
};

static const struct field me_fields[] = {
    FIELD("name", FIELD_TEXT, tine_result, name),
    FIELD("right", FIELD_TEXT, tine_result, right_name),
};

static const struct field workspace_fields[] = {
    FIELD("dir", FIELD_TEXT, tine_result, workspace_dir),
    FIELD("mode", FIELD_TEXT, tine_result, workspace_mode),
};

static bool workspace_read(struct reader *reader, const struct json_value *reply,
                           struct tine_result *out)
{
    out->workspace_mode = "none";
    return fields_read(reader, reply, "a workspace", workspace_fields,
                       FIELD_COUNT(workspace_fields), out) &&
           bytes_read(reader, reply, "dir_bytes", &out->workspace_dir, NULL);
}

static const struct field hits_fields[] = {
    FIELD("next", FIELD_INT, tine_result, next_place),
    FIELD_ITEMS("hits", tine_result, hits, hit_count, &shape_hit),
};

static bool hits_read(struct reader *reader, const struct json_value *reply,
                      struct tine_result *out)
{
    out->next_place = -1;
    return fields_read(reader, reply, "hits", hits_fields, FIELD_COUNT(hits_fields), out);
}

static const struct field raw_fields[] = {
    FIELD("next", FIELD_TEXT, tine_result, next),
    FIELD_ITEMS("entries", tine_result, messages, message_count, &shape_message),
};

bool reply_read(struct reader *reader, struct str bytes, enum reply_shape shape,
                struct tine_result *out)
{
    static const char what[] = "the reply";
    struct json_value reply;

    if (shape == REPLY_CONTENT) {
        out->content = bytes.p;
        out->content_bytes = bytes.n;
    }
    if (shape == REPLY_CONTENT || shape == REPLY_NOTHING)
        return true;
    if (!json_check(reader, bytes, &reply) || !type_check(reader, &reply, JSON_OBJECT, what))
        return false;
    switch (shape) {
    case REPLY_SESSION:
        return shape_new(reader, &reply, &shape_session, &out->session);
    case REPLY_AGENT:
        return shape_new(reader, &reply, &shape_agent, &out->agent);
    case REPLY_LABEL:
        return shape_new(reader, &reply, &shape_label, &out->label);
    case REPLY_ME:
        return fields_read(reader, &reply, what, me_fields, FIELD_COUNT(me_fields), out);
    case REPLY_WORKSPACE:
        return workspace_read(reader, &reply, out);
    case REPLY_HITS:
        return hits_read(reader, &reply, out);
    case REPLY_RAW:
        return fields_read(reader, &reply, what, raw_fields, FIELD_COUNT(raw_fields), out);
    case REPLY_MEMBERS:
    case REPLY_CONTENT:
    case REPLY_NOTHING:
        break;
    }
    return fields_read(reader, &reply, what, members_fields, FIELD_COUNT(members_fields), out) &&
           members_rest(reader, &reply, out);
}

/* ---- events ---- */

static const struct field ask_fields[] = {
    FIELD("id", FIELD_TEXT, tine_event, ask),
    FIELD("tool", FIELD_TEXT, tine_event, ask_tool),
    FIELD("arguments", FIELD_JSON, tine_event, ask_arguments),
    FIELD("question", FIELD_TEXT, tine_event, ask_question),
};

static const struct shape ask = {.what = "an ask",
                                 .bytes = sizeof(struct tine_event),
                                 .fields = ask_fields,
                                 .count = FIELD_COUNT(ask_fields)};

static const struct field event_turn_fields[] = {
    FIELD("id", FIELD_TEXT, tine_event, turn),
    FIELD("state", FIELD_TEXT, tine_event, turn_state),
    FIELD("reason", FIELD_TEXT, tine_event, reason),
    {.name = "asks", .kind = FIELD_INSIDE, .at = 0, .shape = &ask},
};

static const struct field call_fields[] = {
    FIELD("id", FIELD_TEXT, tine_event, call),
    FIELD("name", FIELD_TEXT, tine_event, call_name),
};

static const struct shape call = {.what = "a call",
                                  .bytes = sizeof(struct tine_event),
                                  .fields = call_fields,
                                  .count = FIELD_COUNT(call_fields)};

static const struct field event_fields[] = {
    FIELD("session", FIELD_TEXT, tine_event, session),
    FIELD("kind", FIELD_TEXT, tine_event, kind),
    FIELD("step", FIELD_INT, tine_event, step),
    FIELD("offset", FIELD_INT, tine_event, offset),
    {.name = "call", .kind = FIELD_INSIDE, .at = 0, .shape = &call},
    FIELD_SHAPE("message", FIELD_OBJECT, tine_event, message, &shape_message),
};

/* In running text the turn is its name, else {"id","state","reason"}. */
static bool event_turn(struct reader *reader, const struct json_value *data, struct tine_event *out)
{
    struct json_value turn;

    if (!member_find(data, "turn", &turn))
        return true;
    if (turn.type != JSON_STRING)
        return fields_read(reader, &turn, "a turn", event_turn_fields,
                           FIELD_COUNT(event_turn_fields), out);
    out->turn = text_dup(reader, json_text(&turn, reader->arena));
    return true;
}

static void event_text(struct reader *reader, const struct json_value *data, struct tine_event *out)
{
    struct json_value member;
    struct str text;

    if (!member_find(data, "text", &member) || member.type != JSON_STRING)
        return;
    text = json_text(&member, reader->arena);
    out->text = text_dup(reader, text);
    out->text_bytes = text.n;
}

bool reply_event(struct reader *reader, struct str data, struct tine_event *out)
{
    struct json_value object;

    if (!json_check(reader, data, &object) ||
        !fields_read(reader, &object, "an event", event_fields, FIELD_COUNT(event_fields), out))
        return false;
    event_text(reader, &object, out);
    return event_turn(reader, &object, out);
}
