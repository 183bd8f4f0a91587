/* Protocol 0.3: the form in which tasks and messages are kept, so most of it passes as it is. */
#include "dialect/a2a/codec.h"

#include "dialect/member.h"

#include <stdio.h>

enum { LIST_DEFAULT = 50, LIST_MAX = 100 };

static const struct {
    const char *name;
    enum a2a_method method;
} methods[] = {
    {"message/send", METHOD_SEND},
    {"message/stream", METHOD_STREAM},
    {"tasks/get", METHOD_GET},
    {"tasks/list", METHOD_LIST},
    {"tasks/cancel", METHOD_CANCEL},
    {"tasks/resubscribe", METHOD_SUBSCRIBE},
    {"tasks/pushNotificationConfig/set", METHOD_PUSH},
    {"tasks/pushNotificationConfig/get", METHOD_PUSH},
    {"tasks/pushNotificationConfig/list", METHOD_PUSH},
    {"tasks/pushNotificationConfig/delete", METHOD_PUSH},
    {"agent/getAuthenticatedExtendedCard", METHOD_CARD},
};

static enum a2a_method method_find(struct str name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(name, str_of(methods[i].name)))
            return methods[i].method;
    return METHOD_NONE;
}

/* ---- members that may be missing ---- */

static enum fault_code wrong_type(const char *where, const char *name, const char *what,
                                  struct fault *fault)
{
    return fault_set(fault, FAULT_INVALID, "%s.%s must be %s", where, name, what);
}

static enum fault_code text_member(const struct json_value *object, const char *where,
                                   const char *name, struct arena *arena, struct str *out,
                                   struct fault *fault)
{
    struct json_value value;

    *out = STR_NONE;
    if (!member_at(object, name, &value))
        return FAULT_OK;
    if (value.type != JSON_STRING)
        return wrong_type(where, name, "a string", fault);
    *out = json_text(&value, arena);
    if (!out->p)
        *out = STR("");
    return FAULT_OK;
}

static enum fault_code count_member(const struct json_value *object, const char *where,
                                    const char *name, int64_t max, int64_t *out,
                                    struct fault *fault)
{
    struct json_value value;

    if (!member_at(object, name, &value))
        return FAULT_OK;
    if (value.type != JSON_NUMBER || !json_int(&value, 0, max, out))
        return fault_set(fault, FAULT_INVALID, "%s.%s must be a whole number from 0 to %lld", where,
                         name, (long long)max);
    return FAULT_OK;
}

static enum fault_code flag_member(const struct json_value *object, const char *where,
                                   const char *name, bool *out, struct fault *fault)
{
    struct json_value value;

    if (!member_at(object, name, &value))
        return FAULT_OK;
    if (value.type != JSON_BOOL)
        return wrong_type(where, name, "true or false", fault);
    *out = json_true(&value);
    return FAULT_OK;
}

static enum fault_code object_member(const struct json_value *object, const char *where,
                                     const char *name, struct json_value *out, struct fault *fault)
{
    *out = (struct json_value){JSON_OBJECT, STR("{}")};
    if (member_at(object, name, out) && out->type != JSON_OBJECT)
        return wrong_type(where, name, "an object", fault);
    if (out->type != JSON_OBJECT)
        *out = (struct json_value){JSON_OBJECT, STR("{}")};
    return FAULT_OK;
}

/* ---- the parts of a message ---- */

enum { WHERE_MAX = 64, PARTS_MAX = 1000 };

static enum fault_code part_text(const struct json_value *part, const char *where,
                                 struct json_out *out, struct fault *fault)
{
    struct json_value text;

    if (!member_at(part, "text", &text) || text.type != JSON_STRING)
        return wrong_type(where, "text", "a string", fault);
    json_out_plain(out, "type", STR("text"));
    json_out_raw(out, "text", text.raw);
    return FAULT_OK;
}

static enum fault_code part_data(const struct json_value *part, const char *where,
                                 struct json_out *out, struct fault *fault)
{
    struct json_value data;

    if (!member_at(part, "data", &data) || data.type != JSON_OBJECT)
        return wrong_type(where, "data", "an object", fault);
    json_out_plain(out, "type", STR("data"));
    json_out_raw(out, "data", data.raw);
    return FAULT_OK;
}

/* A string of a file, or what stands for it when it is missing. */
static enum fault_code file_string(const struct json_value *file, const char *where,
                                   const char *name, struct str missing, struct json_out *out,
                                   const char *key, struct fault *fault)
{
    struct json_value value;

    if (!member_at(file, name, &value)) {
        json_out_raw(out, key, missing);
        return FAULT_OK;
    }
    if (value.type != JSON_STRING)
        return wrong_type(where, name, "a string", fault);
    json_out_raw(out, key, value.raw);
    return FAULT_OK;
}

static enum fault_code part_file(const struct json_value *part, const char *where,
                                 struct json_out *out, struct fault *fault)
{
    struct json_value file, bytes, uri;
    bool has_bytes, has_uri;

    if (!member_at(part, "file", &file) || file.type != JSON_OBJECT)
        return wrong_type(where, "file", "an object", fault);
    has_bytes = member_at(&file, "bytes", &bytes);
    has_uri = member_at(&file, "uri", &uri);
    if (has_bytes == has_uri)
        return fault_set(fault, FAULT_INVALID, "%s.file needs either \"bytes\" or \"uri\"", where);
    json_out_plain(out, "type", STR("file"));
    if (file_string(&file, where, "name", STR("\"file\""), out, "name", fault) != FAULT_OK ||
        file_string(&file, where, "mimeType", STR("\"application/octet-stream\""), out,
                    "media_type", fault) != FAULT_OK)
        return fault_pass(fault);
    return has_bytes ? file_string(&file, where, "bytes", STR_NONE, out, "bytes", fault)
                     : file_string(&file, where, "uri", STR_NONE, out, "uri", fault);
}

/* The parts of a message, while they are read. */
struct reading {
    struct arena *arena;
    struct a2a_send *send;
    struct json_out out; /* as the native API has them */
    struct buf text;
};

static enum fault_code part_read(struct reading *reading, const struct json_value *part,
                                 const char *where, struct fault *fault)
{
    struct a2a_send *send = reading->send;
    struct json_out *out = &reading->out;
    struct str kind = member_string(part, "kind", reading->arena);

    if (part->type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "%s must be an object", where);
    if (str_eq(kind, STR("text"))) {
        if (reading->text.n)
            buf_add_char(&reading->text, '\n');
        buf_add_str(&reading->text, member_string(part, "text", reading->arena));
        return part_text(part, where, out, fault);
    }
    if (str_eq(kind, STR("data"))) {
        if (!send->decision.type && !member_at(part, "data", &send->decision))
            send->decision.type = 0;
        return part_data(part, where, out, fault);
    }
    if (str_eq(kind, STR("file")))
        return part_file(part, where, out, fault);
    return fault_set(fault, FAULT_INVALID, "%s.kind must be \"text\", \"file\" or \"data\"", where);
}

static enum fault_code parts_write(struct reading *reading, const struct json_value *parts,
                                   struct fault *fault)
{
    struct json_out *out = &reading->out;
    struct json_walk walk;
    size_t i = 0;

    json_out_array(out, NULL);
    for (json_walk_begin(&walk, parts); json_walk_next(&walk); i++) {
        char where[WHERE_MAX];

        if (i == PARTS_MAX)
            return fault_set(fault, FAULT_INVALID, "params.message.parts has more than %d parts",
                             PARTS_MAX);
        snprintf(where, sizeof(where), "params.message.parts[%zu]", i);
        json_out_object(out, NULL);
        if (part_read(reading, &walk.value, where, fault) != FAULT_OK)
            return fault_pass(fault);
        json_out_object_end(out);
    }
    json_out_array_end(out);
    if (i == 0)
        return fault_set(fault, FAULT_INVALID, "params.message.parts is empty");
    return FAULT_OK;
}

static enum fault_code parts_read(struct arena *arena, struct a2a_send *send, struct fault *fault)
{
    struct reading reading = {.arena = arena, .send = send};
    struct json_value parts;
    struct buf buf;
    enum fault_code code;

    if (!member_at(&send->message, "parts", &parts) || parts.type != JSON_ARRAY)
        return wrong_type("params.message", "parts", "an array", fault);
    buf_init(&buf, LIMIT_BATCH_BYTES);
    buf_init(&reading.text, LIMIT_BATCH_BYTES);
    json_out_init(&reading.out, &buf);
    code = parts_write(&reading, &parts, fault);
    if (code == FAULT_OK) {
        send->parts = arena_dup(arena, buf_str(&buf));
        send->text = arena_dup(arena, buf_str(&reading.text));
    }
    buf_clear(&reading.text);
    buf_clear(&buf);
    return code;
}

/* ---- message/send and message/stream ---- */

/* In the message's metadata or beside the message. */
static enum fault_code rewind_read(const struct json_value *params, struct arena *arena,
                                   struct a2a_send *send, struct fault *fault)
{
    static const char name[] = "kagent_rewind_before_invocation_id";
    struct json_value metadata;

    for (int i = 0; i < 2 && !send->rewinds; i++) {
        const struct json_value *object = i == 0 ? &send->message : params;
        const char *where = i == 0 ? "params.message" : "params";
        char inside[WHERE_MAX];

        snprintf(inside, sizeof(inside), "%s.metadata", where);
        if (object_member(object, where, "metadata", &metadata, fault) != FAULT_OK ||
            text_member(&metadata, inside, name, arena, &send->rewind_before, fault) != FAULT_OK)
            return fault_pass(fault);
        send->rewinds = send->rewind_before.p != NULL;
    }
    return FAULT_OK;
}

static enum fault_code message_check(const struct json_value *message, struct arena *arena,
                                     struct fault *fault)
{
    struct str id, kind, role;

    if (text_member(message, "params.message", "messageId", arena, &id, fault) != FAULT_OK ||
        text_member(message, "params.message", "kind", arena, &kind, fault) != FAULT_OK ||
        text_member(message, "params.message", "role", arena, &role, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!id.p)
        return fault_set(fault, FAULT_INVALID, "params.message.messageId is missing");
    if (kind.p && !str_eq(kind, STR("message")))
        return fault_set(fault, FAULT_INVALID, "params.message.kind must be \"message\"");
    if (!str_eq(role, STR("user")))
        return fault_set(fault, FAULT_INVALID, "params.message.role must be \"user\"");
    return FAULT_OK;
}

static enum fault_code configuration_read(const struct json_value *params, struct a2a_send *send,
                                          int *error, struct fault *fault)
{
    static const char where[] = "params.configuration";
    struct json_value configuration, push;
    bool blocking = true;

    if (object_member(params, "params", "configuration", &configuration, fault) != FAULT_OK ||
        flag_member(&configuration, where, "blocking", &blocking, fault) != FAULT_OK ||
        count_member(&configuration, where, "historyLength", INT32_MAX, &send->history, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    send->now = !blocking;
    if (!member_at(&configuration, "pushNotificationConfig", &push))
        return FAULT_OK;
    *error = ERROR_PUSH;
    return fault_set(fault, FAULT_INVALID, "push notifications are not supported");
}

static enum fault_code send_read(const struct json_value *params, struct arena *arena,
                                 struct a2a_send *out, int *error, struct fault *fault)
{
    *out = (struct a2a_send){.history = -1};
    *error = ERROR_PARAMS;
    if (!member_at(params, "message", &out->message))
        return fault_set(fault, FAULT_INVALID, "params.message is missing");
    if (out->message.type != JSON_OBJECT)
        return wrong_type("params", "message", "an object", fault);
    if (text_member(&out->message, "params.message", "contextId", arena, &out->context, fault) !=
            FAULT_OK ||
        text_member(&out->message, "params.message", "taskId", arena, &out->task, fault) !=
            FAULT_OK ||
        rewind_read(params, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->rewinds)
        return FAULT_OK;
    if (message_check(&out->message, arena, fault) != FAULT_OK ||
        parts_read(arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    return configuration_read(params, out, error, fault);
}

/* ---- about tasks ---- */

static enum fault_code ask_read(const struct json_value *params, enum a2a_method method,
                                struct arena *arena, struct a2a_ask *out, int *error,
                                struct fault *fault)
{
    *out = (struct a2a_ask){.history = -1, .page_size = LIST_DEFAULT};
    *error = ERROR_PARAMS;
    if (text_member(params, "params", "id", arena, &out->id, fault) != FAULT_OK ||
        count_member(params, "params", "historyLength", INT32_MAX, &out->history, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    if (method != METHOD_LIST)
        return out->id.n ? FAULT_OK : fault_set(fault, FAULT_INVALID, "params.id is missing");
    if (text_member(params, "params", "contextId", arena, &out->context, fault) != FAULT_OK ||
        text_member(params, "params", "status", arena, &out->state, fault) != FAULT_OK ||
        text_member(params, "params", "pageToken", arena, &out->page_token, fault) != FAULT_OK ||
        count_member(params, "params", "pageSize", LIST_MAX, &out->page_size, fault) != FAULT_OK ||
        flag_member(params, "params", "includeArtifacts", &out->artifacts, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->page_size == 0)
        return fault_set(fault, FAULT_INVALID, "params.pageSize must be from 1 to %d", LIST_MAX);
    return out->context.n ? FAULT_OK
                          : fault_set(fault, FAULT_INVALID, "params.contextId is missing");
}

/* ---- what goes out ---- */

static void task_out(struct json_out *out, const char *key, struct str task)
{
    json_out_raw(out, key, task);
}

static void ids_out(struct json_out *out, const struct a2a_event *event)
{
    json_out_string(out, "taskId", event->task);
    json_out_string(out, "contextId", event->context);
}

static void status_out(struct json_out *out, const struct a2a_event *event)
{
    json_out_plain(out, "kind", STR("status-update"));
    ids_out(out, event);
    json_out_object(out, "status");
    json_out_plain(out, "state", str_of(event->state));
    if (event->message.n)
        json_out_raw(out, "message", event->message);
    json_out_time(out, "timestamp", event->at_us);
    json_out_object_end(out);
    json_out_bool(out, "final", event->final);
}

static void artifact_out(struct json_out *out, const struct a2a_event *event)
{
    json_out_plain(out, "kind", STR("artifact-update"));
    ids_out(out, event);
    json_out_object(out, "artifact");
    json_out_string(out, "artifactId", event->artifact);
    json_out_array(out, "parts");
    json_out_object(out, NULL);
    json_out_plain(out, "kind", STR("text"));
    json_out_string(out, "text", event->text);
    json_out_object_end(out);
    json_out_array_end(out);
    json_out_object_end(out);
    json_out_bool(out, "append", event->append);
    json_out_bool(out, "lastChunk", event->last);
}

static void event_out(struct json_out *out, const char *key, const struct a2a_event *event)
{
    if (event->kind == EVENT_TASK) {
        task_out(out, key, event->body);
        return;
    }
    json_out_object(out, key);
    if (event->kind == EVENT_STATUS)
        status_out(out, event);
    else
        artifact_out(out, event);
    if (event->metadata.n)
        json_out_raw(out, "metadata", event->metadata);
    json_out_object_end(out);
}

static void list_out(struct json_out *out, const char *key, const struct str *tasks, size_t count,
                     const struct a2a_ask *ask, struct str next, int64_t total)
{
    json_out_object(out, key);
    json_out_array(out, "tasks");
    for (size_t i = 0; i < count; i++)
        json_out_raw(out, NULL, tasks[i]);
    json_out_array_end(out);
    json_out_string(out, "nextPageToken", next);
    json_out_int(out, "pageSize", ask->page_size);
    json_out_int(out, "totalSize", total);
    json_out_object_end(out);
}

const struct a2a_codec a2a_codec_03 = {
    .version = "0.3",
    .method = method_find,
    .read_send = send_read,
    .read_ask = ask_read,
    .write_task = task_out,
    .write_event = event_out,
    .write_list = list_out,
};
