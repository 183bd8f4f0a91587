#include "dialect/docker_agent/chat.h"

#include "message/message_in.h"

enum { BUILT_BYTES = 2 * DOCKER_BODY_MESSAGES }; /* some of it stands in it twice */

enum {
    M_ROLE,
    M_CONTENT,
    M_MULTI,
    M_REASONING,
    M_CALLS,
    M_CALL_ID,
    M_ERROR,
    M_USAGE,
    M_COST,
    M_COUNT
};

static const struct json_member message_members[M_COUNT] = {
    [M_ROLE] = JSON_MAY("role", JSON_STRING),
    [M_CONTENT] = JSON_MAY("content", JSON_STRING),
    [M_MULTI] = JSON_MAY("multi_content", JSON_ARRAY),
    [M_REASONING] = JSON_MAY("reasoning_content", JSON_STRING),
    [M_CALLS] = JSON_MAY("tool_calls", JSON_ARRAY),
    [M_CALL_ID] = JSON_MAY("tool_call_id", JSON_STRING),
    [M_ERROR] = JSON_MAY("is_error", JSON_BOOL),
    [M_USAGE] = JSON_MAY("usage", JSON_OBJECT),
    [M_COST] = JSON_MAY("cost", JSON_NUMBER),
};

/* The text of a member of an object; empty when there is none. */
static struct str text_in(const struct json_value *object, const char *name, struct arena *arena)
{
    struct json_member m[] = {JSON_MAY(name, JSON_STRING)};
    struct fault fault;
    struct str text = STR("");

    if (object->type == JSON_OBJECT &&
        docker_members(object, NULL, m, 1, arena, &fault) == FAULT_OK && m[0].given)
        text = json_text(&m[0].value, arena);
    return text.p ? text : STR("");
}

static bool object_in(const struct json_value *object, const char *name, struct arena *arena,
                      struct json_value *out)
{
    struct json_member m[] = {JSON_MAY(name, JSON_OBJECT)};
    struct fault fault;

    if (docker_members(object, NULL, m, 1, arena, &fault) != FAULT_OK || !m[0].given)
        return false;
    *out = m[0].value;
    return true;
}

/* ---- parts ---- */

static void add_text(struct json_out *out, struct str text)
{
    json_out_object(out, NULL);
    json_out_string(out, "type", STR("text"));
    json_out_string(out, "text", text);
    json_out_object_end(out);
}

static void add_data(struct json_out *out, const struct json_value *part)
{
    json_out_object(out, NULL);
    json_out_string(out, "type", STR("data"));
    json_out_raw(out, "data", part->raw);
    json_out_object_end(out);
}

static void add_file(struct json_out *out, struct str name, struct str media_type, struct str uri)
{
    json_out_object(out, NULL);
    json_out_string(out, "type", STR("file"));
    json_out_string(out, "name", name);
    json_out_string(out, "media_type", media_type);
    json_out_string(out, "uri", uri);
    json_out_object_end(out);
}

/* Of "data:image/png;base64,…", the middle. */
static struct str media_type_of(struct str url)
{
    struct str start = STR("data:");
    size_t n = start.n;

    if (!str_starts(url, start))
        return STR("image/*");
    while (n < url.n && url.p[n] != ';' && url.p[n] != ',')
        n++;
    return (struct str){url.p + start.n, n - start.n};
}

static void add_part(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct str type = text_in(part, "type", arena);
    struct json_value inner;

    if (str_eq(type, STR("text"))) {
        add_text(out, text_in(part, "text", arena));
    } else if (str_eq(type, STR("image_url")) && object_in(part, "image_url", arena, &inner)) {
        struct str url = text_in(&inner, "url", arena);

        add_file(out, STR("image"), media_type_of(url), url);
    } else if (str_eq(type, STR("file")) && object_in(part, "file", arena, &inner)) {
        struct str path = text_in(&inner, "path", arena), media;

        if (path.n == 0)
            path = text_in(&inner, "file_id", arena);
        media = text_in(&inner, "mime_type", arena);
        add_file(out, path, media.n ? media : STR("application/octet-stream"), path);
    } else {
        add_data(out, part);
    }
}

/* The arguments are JSON in a string there, and JSON here; a string when they are none. */
static void add_call(struct json_out *out, const struct json_value *call, struct arena *arena)
{
    struct json_value function = {0}, value;
    struct str arguments;
    struct fault fault;

    (void)object_in(call, "function", arena, &function);
    arguments = text_in(&function, "arguments", arena);
    json_out_object(out, NULL);
    json_out_string(out, "type", STR("tool_call"));
    json_out_string(out, "id", text_in(call, "id", arena));
    json_out_string(out, "name", text_in(&function, "name", arena));
    if (arguments.n &&
        json_read(arguments, LIMIT_JSON_DEPTH / 2, "arguments", &value, &fault) == FAULT_OK)
        json_out_raw(out, "arguments", value.raw);
    else
        json_out_string(out, "arguments", arguments);
    json_out_object_end(out);
}

static enum fault_code add_each(struct json_out *out, const struct json_member *list,
                                void (*add)(struct json_out *, const struct json_value *,
                                            struct arena *),
                                struct arena *arena, struct fault *fault)
{
    struct json_walk walk;

    if (!list->given)
        return FAULT_OK;
    for (json_walk_begin(&walk, &list->value); json_walk_next(&walk);) {
        if (walk.value.type != JSON_OBJECT)
            return fault_set(fault, FAULT_INVALID,
                             "invalid request body: \"%s\" must be a list of objects", list->name);
        add(out, &walk.value, arena);
    }
    return FAULT_OK;
}

static enum fault_code add_parts(struct json_out *out, const struct json_member *m, enum role role,
                                 struct arena *arena, struct fault *fault)
{
    struct str content = m[M_CONTENT].given ? json_text(&m[M_CONTENT].value, arena) : STR("");

    json_out_array(out, "parts");
    if (m[M_REASONING].given) {
        json_out_object(out, NULL);
        json_out_string(out, "type", STR("reasoning"));
        json_out_raw(out, "text", m[M_REASONING].value.raw);
        json_out_object_end(out);
    }
    if (role == ROLE_TOOL) {
        json_out_object(out, NULL);
        json_out_string(out, "type", STR("tool_result"));
        json_out_string(out, "call",
                        m[M_CALL_ID].given ? json_text(&m[M_CALL_ID].value, arena) : STR(""));
        json_out_string(out, "output", content);
        json_out_bool(out, "error", docker_flag(&m[M_ERROR]));
        json_out_object_end(out);
    } else if (content.n || (!m[M_MULTI].given && !m[M_CALLS].given)) {
        add_text(out, content);
    }
    if (add_each(out, &m[M_MULTI], add_part, arena, fault) != FAULT_OK ||
        (role == ROLE_ASSISTANT && add_each(out, &m[M_CALLS], add_call, arena, fault) != FAULT_OK))
        return fault_pass(fault);
    json_out_array_end(out);
    return FAULT_OK;
}

/* ---- what stands beside them ---- */

static bool has_word(struct str key)
{
    static const char *const words[] = {
        "role", "content", "reasoning_content", "tool_calls", "tool_call_id", "is_error",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(key, str_of(words[i])))
            return true;
    return false;
}

/* Members that tine has no word for; "multi_content" too, for not all of it is in the parts. */
static void add_rest(struct json_out *out, const struct json_value *message, struct arena *arena)
{
    struct json_walk walk;

    json_out_object(out, "rest");
    for (json_walk_begin(&walk, message); json_walk_next(&walk);) {
        struct str key = json_unescape(walk.key, arena);

        if (has_word(key) || walk.value.type == JSON_NULL)
            continue;
        json_out_key(out, key);
        json_out_raw(out, NULL, walk.value.raw);
    }
    json_out_object_end(out);
}

enum { W_AGENT_OLD, W_AGENT, W_IMPLICIT, W_COUNT };

static enum fault_code add_metadata(struct json_out *out, const struct json_value *message,
                                    const struct json_member *m, const struct json_value *wrapped,
                                    struct arena *arena, struct fault *fault)
{
    struct json_member w[W_COUNT] = {
        [W_AGENT_OLD] = JSON_MAY("agentName", JSON_STRING),
        [W_AGENT] = JSON_MAY("agent_name", JSON_STRING),
        [W_IMPLICIT] = JSON_MAY("implicit", JSON_BOOL),
    };
    const struct json_member *agent = &w[W_AGENT];

    if (wrapped && docker_members(wrapped, "message", w, W_COUNT, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!agent->given)
        agent = &w[W_AGENT_OLD];
    json_out_object(out, "metadata");
    json_out_object(out, "docker_agent");
    if (agent->given)
        json_out_raw(out, "agent", agent->value.raw);
    if (docker_flag(&w[W_IMPLICIT]))
        json_out_bool(out, "implicit", true);
    if (m[M_MULTI].given)
        json_out_raw(out, "content", m[M_CONTENT].given ? m[M_CONTENT].value.raw : STR("\"\""));
    add_rest(out, message, arena);
    json_out_object_end(out);
    json_out_object_end(out);
    return FAULT_OK;
}

static enum fault_code usage_read(const struct json_member *m, struct arena *arena,
                                  struct entry_spec *out, struct fault *fault)
{
    struct json_member u[] = {JSON_MAY("input_tokens", JSON_NUMBER),
                              JSON_MAY("output_tokens", JSON_NUMBER)};

    if (m[M_USAGE].given &&
        docker_members(&m[M_USAGE].value, "usage", u, 2, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if ((u[0].given && !json_int(&u[0].value, 0, LIMIT_USAGE_TOKENS, &out->usage.input)) ||
        (u[1].given && !json_int(&u[1].value, 0, LIMIT_USAGE_TOKENS, &out->usage.output)))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: tokens of \"usage\" must be whole numbers from 0 "
                         "to 1e12");
    if (m[M_COST].given &&
        (!json_cost(&m[M_COST].value, &out->usage.cost) || out->usage.cost > LIMIT_USAGE_COST))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: \"cost\" must be a number from 0 to 1e6");
    out->has_usage = m[M_USAGE].given || m[M_COST].given;
    return FAULT_OK;
}

/* ---- the message ---- */

static const char *role_word(enum role role)
{
    static const char *const words[ROLE_COUNT] = {
        [ROLE_USER] = "user",
        [ROLE_ASSISTANT] = "assistant",
        [ROLE_TOOL] = "tool",
        [ROLE_SYSTEM] = "system",
    };

    return words[role];
}

static bool is_plain(const struct json_value *message)
{
    struct json_walk walk;

    for (json_walk_begin(&walk, message); json_walk_next(&walk);)
        if (!str_eq(walk.key, STR("role")) && !str_eq(walk.key, STR("content")) &&
            walk.value.type != JSON_NULL)
            return false;
    return true;
}

/* The message in tine's own form, which is then read as any other. */
static enum fault_code build(struct buf *text, const struct json_value *message,
                             const struct json_member *m, enum role role,
                             const struct json_value *wrapped, struct arena *arena,
                             struct fault *fault)
{
    struct json_out out;

    json_out_init(&out, text);
    json_out_object(&out, NULL);
    json_out_string(&out, "role", str_of(role_word(role)));
    if (add_parts(&out, m, role, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if ((wrapped || !is_plain(message)) &&
        add_metadata(&out, message, m, wrapped, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_object_end(&out);
    if (text->full)
        return fault_set(fault, FAULT_TOO_LARGE, "the message has too many bytes");
    return FAULT_OK;
}

enum fault_code chat_read(const struct json_value *message, enum role role,
                          const struct json_value *wrapped, struct arena *arena,
                          struct entry_spec *out, struct fault *fault)
{
    struct json_member m[M_COUNT];
    struct message_batch batch;
    struct buf text;
    enum fault_code code;

    memcpy(m, message_members, sizeof(m));
    if (message->type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "invalid request body: a message must be an object");
    if (docker_members(message, "message", m, M_COUNT, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (role == ROLE_NONE &&
        (!m[M_ROLE].given || !message_role(json_text(&m[M_ROLE].value, arena), &role)))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: \"role\" must be \"system\", \"user\", "
                         "\"assistant\" or \"tool\"");
    buf_init(&text, BUILT_BYTES);
    code = build(&text, message, m, role, wrapped, arena, fault);
    if (!code)
        code = message_read(arena_dup(arena, buf_str(&text)), arena, &batch, fault);
    buf_clear(&text);
    if (code)
        return code;
    *out = batch.entries[0];
    return usage_read(m, arena, out, fault);
}
