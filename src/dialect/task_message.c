/* Messages of A2A 0.3: from entries, and from tasks that were saved. */
#include "dialect/tasks_own.h"

/* ---- metadata ---- */

struct str task_invocation(const struct json_value *object, struct arena *arena)
{
    struct json_value metadata;
    struct str id;

    if (!member_at(object, "metadata", &metadata))
        return STR_NONE;
    id = member_string(&metadata, "adk_invocation_id", arena);
    return id.n ? id : member_string(&metadata, "kagent_invocation_id", arena);
}

static int64_t count_of(const struct json_value *usage, const char *name)
{
    struct json_value value;
    int64_t count;

    if (!member_at(usage, name, &value) || value.type != JSON_NUMBER ||
        !json_int(&value, 0, LIMIT_USAGE_TOKENS, &count))
        return 0;
    return count;
}

bool task_tokens(const struct json_value *object, struct tokens *out)
{
    struct json_value metadata, usage;

    if (!member_at(object, "metadata", &metadata) ||
        (!member_at(&metadata, "adk_usage_metadata", &usage) &&
         !member_at(&metadata, "kagent_usage_metadata", &usage)) ||
        usage.type != JSON_OBJECT)
        return false;
    *out =
        (struct tokens){count_of(&usage, "totalTokenCount"), count_of(&usage, "promptTokenCount"),
                        count_of(&usage, "candidatesTokenCount")};
    return true;
}

void task_tokens_write(struct json_out *out, const char *key, const struct tokens *tokens)
{
    json_out_object(out, key);
    json_out_int(out, "totalTokenCount", tokens->total);
    json_out_int(out, "promptTokenCount", tokens->prompt);
    json_out_int(out, "candidatesTokenCount", tokens->candidates);
    json_out_object_end(out);
}

void task_usage_write(struct json_out *out, const struct entry *entry)
{
    struct tokens tokens = {entry->usage.input + entry->usage.output, entry->usage.input,
                            entry->usage.output};

    if (entry->has_usage)
        task_tokens_write(out, "kagent_usage_metadata", &tokens);
}

/* ---- a message that came as one of A2A ---- */

/* What a message is copied with. */
struct copy {
    struct str task, context, invocation;
    struct str id;             /* in place of none, and of an empty one */
    const struct entry *entry; /* NULL: it is none */
    struct arena *arena;
};

/* Which of the members that are not copied were there. */
struct rewritten {
    bool kind, context, task, metadata;
};

/* The metadata as it was, with the invocation. */
static void metadata_write(struct json_out *out, const struct json_value *metadata,
                           const struct copy *copy)
{
    struct json_value known;
    struct json_walk walk;

    json_out_object(out, "metadata");
    if (metadata->type == JSON_OBJECT)
        for (json_walk_begin(&walk, metadata); json_walk_next(&walk);) {
            if (walk.value.type == JSON_NULL && str_starts(walk.key, STR("kagent_")))
                continue;
            json_out_key(out, json_unescape(walk.key, copy->arena));
            json_out_raw(out, NULL, walk.value.raw);
        }
    if (copy->invocation.n && !member_at(metadata, "kagent_invocation_id", &known))
        json_out_string(out, "kagent_invocation_id", copy->invocation);
    if (copy->entry && !member_at(metadata, "kagent_usage_metadata", &known))
        task_usage_write(out, copy->entry);
    json_out_object_end(out);
}

static bool member_rewrite(struct json_out *out, const struct json_walk *walk,
                           const struct copy *copy, struct rewritten *done)
{
    if (str_eq(walk->key, STR("contextId"))) {
        json_out_string(out, "contextId", copy->context);
        done->context = true;
    } else if (str_eq(walk->key, STR("taskId"))) {
        json_out_string(out, "taskId", copy->task);
        done->task = true;
    } else if (str_eq(walk->key, STR("metadata"))) {
        metadata_write(out, &walk->value, copy);
        done->metadata = true;
    } else if (str_eq(walk->key, STR("kind"))) {
        json_out_plain(out, "kind", STR("message"));
        done->kind = true;
    } else if (str_eq(walk->key, STR("messageId"))) {
        json_out_string(out, "messageId", copy->id);
    } else {
        return false;
    }
    return true;
}

/* Everything as it came, but for the ids of task and context. */
static void message_copy(struct json_out *out, const char *key, const struct json_value *message,
                         const struct copy *copy)
{
    static const struct json_value none = {JSON_NULL, {"null", 4}};
    struct rewritten done = {0};
    struct json_value id;
    struct json_walk walk;

    json_out_object(out, key);
    if (!member_at(message, "messageId", &id))
        json_out_string(out, "messageId", copy->id);
    for (json_walk_begin(&walk, message); json_walk_next(&walk);) {
        if (walk.value.type == JSON_NULL || member_rewrite(out, &walk, copy, &done))
            continue;
        json_out_key(out, json_unescape(walk.key, copy->arena));
        json_out_raw(out, NULL, walk.value.raw);
    }
    if (!done.kind)
        json_out_plain(out, "kind", STR("message"));
    if (!done.context)
        json_out_string(out, "contextId", copy->context);
    if (!done.task)
        json_out_string(out, "taskId", copy->task);
    if (!done.metadata && (copy->invocation.n || (copy->entry && copy->entry->has_usage)))
        metadata_write(out, &none, copy);
    json_out_object_end(out);
}

/* ---- a message in the words of tine ---- */

static void part_open(struct json_out *out, const char *kind)
{
    json_out_object(out, NULL);
    json_out_plain(out, "kind", str_of(kind));
}

static void part_type(struct json_out *out, const char *type)
{
    json_out_object(out, "metadata");
    json_out_plain(out, "kagent_type", str_of(type));
    json_out_object_end(out);
}

/* A member as it is, or what stands for it when it is missing. */
static void member_put(struct json_out *out, const char *key, const struct json_value *part,
                       const char *name, struct str missing)
{
    struct json_value value;

    json_out_raw(out, key, member_at(part, name, &value) ? value.raw : missing);
}

static void put_call(struct json_out *out, const struct json_value *part)
{
    part_open(out, "data");
    json_out_object(out, "data");
    member_put(out, "id", part, "id", STR("\"\""));
    member_put(out, "name", part, "name", STR("\"\""));
    member_put(out, "args", part, "arguments", STR("{}"));
    json_out_object_end(out);
    part_type(out, "function_call");
}

static void put_result(struct json_out *out, const struct json_value *part)
{
    part_open(out, "data");
    json_out_object(out, "data");
    member_put(out, "id", part, "call", STR("\"\""));
    member_put(out, "name", part, "name", STR("\"\""));
    json_out_object(out, "response");
    member_put(out, "result", part, "output", STR("null"));
    member_put(out, "isError", part, "error", STR("false"));
    json_out_object_end(out);
    json_out_object_end(out);
    part_type(out, "function_response");
}

static void put_file(struct json_out *out, const struct json_value *part)
{
    struct json_value value;

    part_open(out, "file");
    json_out_object(out, "file");
    member_put(out, "name", part, "name", STR("\"\""));
    member_put(out, "mimeType", part, "media_type", STR("\"application/octet-stream\""));
    if (member_at(part, "uri", &value))
        json_out_raw(out, "uri", value.raw);
    else
        member_put(out, "bytes", part, "bytes", STR("\"\""));
    json_out_object_end(out);
}

static void put_text(struct json_out *out, const struct json_value *part)
{
    part_open(out, "text");
    member_put(out, "text", part, "text", STR("\"\""));
}

/* What the model thought is no part of its answer. */
static void put_reasoning(struct json_out *out, const struct json_value *part)
{
    part_open(out, "data");
    json_out_object(out, "data");
    member_put(out, "text", part, "text", STR("\"\""));
    json_out_object_end(out);
    part_type(out, "reasoning");
}

static void put_data(struct json_out *out, const struct json_value *part)
{
    part_open(out, "data");
    member_put(out, "data", part, "data", STR("{}"));
}

static const struct {
    const char *type;
    void (*put)(struct json_out *out, const struct json_value *part);
} puts_of[] = {
    {"text", put_text},          {"reasoning", put_reasoning}, {"tool_call", put_call},
    {"tool_result", put_result}, {"file", put_file},           {"data", put_data},
};

static void part_write(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct str type = member_string(part, "type", arena);

    for (size_t i = 0; i < sizeof(puts_of) / sizeof(puts_of[0]); i++)
        if (str_eq(type, str_of(puts_of[i].type))) {
            puts_of[i].put(out, part);
            json_out_object_end(out);
            return;
        }
}

/* A message has one part at least: what was erased is empty text. */
static void parts_write(struct json_out *out, const struct json_value *body, struct arena *arena)
{
    struct json_walk walk;

    json_out_array(out, "parts");
    for (member_walk(body, "parts", &walk); json_walk_next(&walk);)
        part_write(out, &walk.value, arena);
    if (!out->comma)
        json_out_raw(out, NULL, STR("{\"kind\":\"text\",\"text\":\"\"}"));
    json_out_array_end(out);
}

static void entry_write(struct json_out *out, const char *key, const struct entry *entry,
                        const struct json_value *body, const struct copy *copy)
{
    json_out_object(out, key);
    json_out_plain(out, "kind", STR("message"));
    json_out_string(out, "messageId", entry->id);
    json_out_plain(out, "role", entry->role == ROLE_USER ? STR("user") : STR("agent"));
    parts_write(out, body, copy->arena);
    json_out_string(out, "contextId", copy->context);
    json_out_string(out, "taskId", copy->task);
    json_out_object(out, "metadata");
    if (copy->invocation.n)
        json_out_string(out, "kagent_invocation_id", copy->invocation);
    if (entry->role == ROLE_USER)
        json_out_plain(out, "kagent_author", STR("user"));
    task_usage_write(out, entry);
    json_out_object_end(out);
    json_out_object_end(out);
}

void task_message_write(struct json_out *out, const char *key, const struct entry *entry,
                        struct str task, struct str context, struct arena *arena)
{
    struct json_value body = {JSON_OBJECT, STR("{}")}, metadata, a2a, message;
    struct copy copy = {
        .task = task,
        .context = context,
        .invocation = entry->turn.n ? entry->turn : entry->id,
        .id = entry->id,
        .entry = entry,
        .arena = arena,
    };
    struct fault unread;

    if (json_read(entry->body, TASK_DEPTH, "the body", &body, &unread) != FAULT_OK)
        body = (struct json_value){JSON_OBJECT, STR("{}")};
    if (!member_at(&body, "metadata", &metadata) || !member_at(&metadata, "a2a", &a2a) ||
        !member_at(&a2a, "message", &message) || message.type != JSON_OBJECT) {
        entry_write(out, key, entry, &body, &copy);
        return;
    }
    if (member_string(&message, "messageId", arena).n)
        copy.id = member_string(&message, "messageId", arena);
    message_copy(out, key, &message, &copy);
}

void task_message_put(struct json_out *out, const struct task_message *message, struct str task,
                      struct str context, struct arena *arena)
{
    struct copy copy = {
        .task = task,
        .context = context,
        .invocation = message->invocation,
        .id = message->id,
        .arena = arena,
    };

    if (message->entry)
        task_message_write(out, NULL, message->entry, task, context, arena);
    else
        message_copy(out, NULL, &message->saved, &copy);
}

/* ---- what a turn waits for ---- */

/*
 * A tool that needs a yes is told as kagent's runtime tells it, which its pages know how to ask;
 * beside it stands a sentence for everybody else.
 */
static void confirmation_write(struct json_out *out, const struct question *question)
{
    part_open(out, "data");
    json_out_object(out, "data");
    json_out_string(out, "id", question->id);
    json_out_plain(out, "name", STR("adk_request_confirmation"));
    json_out_object(out, "args");
    json_out_object(out, "originalFunctionCall");
    json_out_string(out, "id", question->id);
    json_out_string(out, "name", question->name);
    json_out_raw(out, "args", question->arguments.n ? question->arguments : STR("{}"));
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object(out, "metadata");
    json_out_plain(out, "kagent_type", STR("function_call"));
    json_out_bool(out, "kagent_is_long_running", true);
    json_out_object_end(out);
    json_out_object_end(out);
}

void task_question_write(struct json_out *out, const char *key, const struct question *question,
                         struct str task, struct str context, struct str turn, struct arena *arena)
{
    struct str text = question->text;

    if (text.n == 0)
        text = arena_printf(arena, "May the tool \"%.*s\" be run?", STR_ARG(question->name));
    json_out_object(out, key);
    json_out_plain(out, "kind", STR("message"));
    json_out_string(out, "messageId",
                    arena_printf(arena, "%.*s-ask-%.*s", STR_ARG(turn), STR_ARG(question->id)));
    json_out_plain(out, "role", STR("agent"));
    json_out_array(out, "parts");
    part_open(out, "text");
    json_out_string(out, "text", text);
    json_out_object_end(out);
    if (question->kind == ASK_TOOL)
        confirmation_write(out, question);
    json_out_array_end(out);
    json_out_string(out, "contextId", context);
    json_out_string(out, "taskId", task);
    json_out_object(out, "metadata");
    json_out_string(out, "kagent_invocation_id", turn);
    json_out_object_end(out);
    json_out_object_end(out);
}

void task_remark_write(struct json_out *out, const char *key, struct str text, struct str task,
                       struct str context, struct str turn, struct arena *arena)
{
    json_out_object(out, key);
    json_out_plain(out, "kind", STR("message"));
    json_out_string(out, "messageId",
                    arena_printf(arena, "%.*s-status", STR_ARG(turn.n ? turn : task)));
    json_out_plain(out, "role", STR("agent"));
    json_out_array(out, "parts");
    part_open(out, "text");
    json_out_string(out, "text", text);
    json_out_object_end(out);
    json_out_array_end(out);
    if (context.n)
        json_out_string(out, "contextId", context);
    if (task.n)
        json_out_string(out, "taskId", task);
    json_out_object_end(out);
}
