#include "dialect/docker_agent/chat.h"

#include "message/part.h"

enum { DEPTH_MAX = LIMIT_JSON_DEPTH + 8, TEXT_BYTES = 2 * LIMIT_ENTRY_BYTES };

/* What a body has beside its parts that this dialect kept or can give. */
struct beside {
    struct json_value parts;    /* raw; type 0: none */
    struct json_value metadata; /* likewise */
    struct json_value own;      /* metadata.docker_agent */
    struct json_value rest;     /* … and its members that tine has no word for */
};

static void beside_read(struct str body, struct beside *out)
{
    struct json_value whole;
    struct fault fault;

    *out = (struct beside){0};
    if (body.n == 0 || json_read(body, DEPTH_MAX, "body", &whole, &fault) != FAULT_OK ||
        whole.type != JSON_OBJECT)
        return;
    member_at(&whole, "parts", &out->parts);
    if (!member_at(&whole, "metadata", &out->metadata))
        return;
    if (member_at(&out->metadata, "docker_agent", &out->own))
        member_at(&out->own, "rest", &out->rest);
}

static bool kept_member(const struct beside *beside, const char *name, struct json_value *out)
{
    return member_at(&beside->rest, name, out);
}

/* ---- words ---- */

/* The texts of parts of one kind, with a line between them. */
static struct str texts_of(const struct part *parts, size_t count, enum part_type type,
                           struct arena *arena)
{
    struct buf text;
    struct str first = STR_NONE;
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (parts[i].type == type && found++ == 0)
            first = parts[i].text;
    if (found <= 1)
        return first.p ? first : STR("");
    buf_init(&text, TEXT_BYTES);
    found = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].type == type) {
            if (found++)
                buf_add_char(&text, '\n');
            if (parts[i].text.n)
                buf_add_str(&text, parts[i].text);
        }
    return buf_take(&text, arena);
}

struct str chat_text(const struct entry *entry, struct arena *arena)
{
    struct json_value kept;
    struct beside beside;
    size_t count;
    const struct part *parts;

    beside_read(entry->body, &beside);
    if (member_at(&beside.own, "content", &kept) && kept.type == JSON_STRING)
        return json_text(&kept, arena); /* what it has more is in its parts */
    parts = parts_of(entry->body, arena, &count);
    return texts_of(parts, count, entry->role == ROLE_TOOL ? PART_TOOL_RESULT : PART_TEXT, arena);
}

struct str chat_arguments(const struct json_value *arguments, struct arena *arena)
{
    return arguments->type == JSON_STRING ? json_text(arguments, arena) : arguments->raw;
}

/* ---- parts ---- */

static struct str uri_of(const struct json_value *part, struct str media_type, struct arena *arena)
{
    struct str bytes = member_string(part, "bytes", arena);

    if (bytes.p)
        return arena_printf(arena, "data:%.*s;base64,%.*s", STR_ARG(media_type), STR_ARG(bytes));
    return member_string(part, "uri", arena);
}

static void write_file(struct json_out *out, const struct json_value *raw, const struct part *part,
                       struct arena *arena)
{
    struct str uri = uri_of(raw, part->media_type, arena);

    if (str_starts(part->media_type, STR("image/"))) {
        json_out_string(out, "type", STR("image_url"));
        json_out_object(out, "image_url");
        json_out_string(out, "url", uri);
    } else {
        json_out_string(out, "type", STR("file"));
        json_out_object(out, "file");
        json_out_string(out, "path", part->name.n ? part->name : uri);
        json_out_string(out, "mime_type", part->media_type);
    }
    json_out_object_end(out);
}

/* Parts of a message that came some other way. */
static struct str parts_write(const struct beside *beside, const struct part *parts, size_t count,
                              struct arena *arena)
{
    struct json_walk walk;
    struct json_out out;
    struct buf text;
    struct str copy;
    size_t i = 0;

    buf_init(&text, TEXT_BYTES);
    json_out_init(&out, &text);
    json_out_array(&out, NULL);
    for (json_walk_begin(&walk, &beside->parts); json_walk_next(&walk) && i < count; i++) {
        if (parts[i].type != PART_TEXT && parts[i].type != PART_FILE && parts[i].type != PART_DATA)
            continue;
        json_out_object(&out, NULL);
        if (parts[i].type == PART_FILE) {
            write_file(&out, &walk.value, &parts[i], arena);
        } else { /* data is shown as the text of its JSON */
            json_out_string(&out, "type", STR("text"));
            json_out_string(&out, "text", parts[i].text);
        }
        json_out_object_end(&out);
    }
    json_out_array_end(&out);
    copy = text.full ? STR("[]") : arena_dup(arena, buf_str(&text));
    buf_clear(&text);
    return copy;
}

static struct str multi_of(const struct beside *beside, const struct part *parts, size_t count,
                           struct arena *arena)
{
    struct json_value kept;
    bool more = false;

    if (kept_member(beside, "multi_content", &kept))
        return kept.raw;
    for (size_t i = 0; i < count; i++)
        more = more || parts[i].type == PART_FILE || parts[i].type == PART_DATA;
    return more ? parts_write(beside, parts, count, arena) : STR_NONE;
}

struct str chat_parts(const struct entry *entry, struct arena *arena)
{
    struct beside beside;
    size_t count;
    const struct part *parts = parts_of(entry->body, arena, &count);

    beside_read(entry->body, &beside);
    return multi_of(&beside, parts, count, arena);
}

/* ---- the message ---- */

static void write_content(struct json_out *out, const struct entry *entry,
                          const struct beside *beside, const struct part *parts, size_t count,
                          struct arena *arena)
{
    struct json_value kept;
    struct str multi = multi_of(beside, parts, count, arena);

    if (member_at(&beside->own, "content", &kept))
        json_out_raw(out, "content", kept.raw);
    else
        json_out_string(
            out, "content",
            texts_of(parts, count, entry->role == ROLE_TOOL ? PART_TOOL_RESULT : PART_TEXT, arena));
    if (multi.n)
        json_out_raw(out, "multi_content", multi);
}

static void write_calls(struct json_out *out, const struct part *parts, size_t count,
                        struct arena *arena)
{
    bool begun = false;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].type != PART_TOOL_CALL)
            continue;
        if (!begun)
            json_out_array(out, "tool_calls");
        begun = true;
        json_out_object(out, NULL);
        json_out_string(out, "id", parts[i].id);
        json_out_string(out, "type", STR("function"));
        json_out_object(out, "function");
        json_out_string(out, "name", parts[i].name);
        json_out_string(out, "arguments", chat_arguments(&parts[i].value, arena));
        json_out_object_end(out);
        json_out_object_end(out);
    }
    if (begun)
        json_out_array_end(out);
}

/* A message of a tool has one call there: of several results here, that of the first. */
static void write_result(struct json_out *out, const struct part *parts, size_t count)
{
    const struct part *first = NULL;
    bool error = false;

    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_TOOL_RESULT) {
            first = first ? first : &parts[i];
            error = error || parts[i].error;
        }
    if (!first)
        return;
    json_out_string(out, "tool_call_id", first->id);
    if (error)
        json_out_bool(out, "is_error", true);
}

static void write_usage(struct json_out *out, const struct entry *entry)
{
    json_out_object(out, "usage");
    json_out_int(out, "input_tokens", entry->usage.input);
    json_out_int(out, "output_tokens", entry->usage.output);
    json_out_int(out, "cached_input_tokens", 0);
    json_out_int(out, "cached_write_tokens", 0);
    json_out_object_end(out);
}

/* What is known of it and was not given with it. */
static void write_facts(struct json_out *out, const struct entry *entry,
                        const struct beside *beside)
{
    struct json_value value;

    if (!kept_member(beside, "created_at", &value))
        json_out_time(out, "created_at", entry->at_us);
    if (entry->has_usage && !kept_member(beside, "usage", &value))
        write_usage(out, entry);
    if (entry->usage.cost > 0 && !kept_member(beside, "cost", &value))
        json_out_cost(out, "cost", entry->usage.cost);
    if (!kept_member(beside, "model", &value) && member_at(&beside->metadata, "model", &value) &&
        value.type == JSON_STRING)
        json_out_raw(out, "model", value.raw);
}

static void write_kept(struct json_out *out, const struct beside *beside, struct arena *arena)
{
    struct json_walk walk;

    if (beside->rest.type != JSON_OBJECT)
        return;
    for (json_walk_begin(&walk, &beside->rest); json_walk_next(&walk);)
        if (!str_eq(walk.key, STR("multi_content"))) {
            json_out_key(out, json_unescape(walk.key, arena));
            json_out_raw(out, NULL, walk.value.raw);
        }
}

static struct str agent_of(const struct entry *entry, const struct beside *beside,
                           struct arena *arena)
{
    struct json_value name;

    if (member_at(&beside->own, "agent", &name) && name.type == JSON_STRING)
        return json_text(&name, arena);
    return entry->role == ROLE_USER ? STR("") : DOCKER_MEMBER;
}

static const char *role_of(enum role role)
{
    switch (role) {
    case ROLE_ASSISTANT:
        return "assistant";
    case ROLE_TOOL:
        return "tool";
    case ROLE_SYSTEM:
        return "system";
    default:
        return "user";
    }
}

void chat_write(struct json_out *out, const struct entry *entry, struct arena *scratch)
{
    struct json_value implicit;
    struct beside beside;
    struct str reasoning, agent;
    size_t count;
    const struct part *parts = parts_of(entry->body, scratch, &count);

    beside_read(entry->body, &beside);
    agent = agent_of(entry, &beside, scratch);
    json_out_object(out, NULL);
    json_out_string(out, "agentName", agent);
    json_out_string(out, "agent_name", agent);
    json_out_object(out, "message");
    json_out_string(out, "role", str_of(role_of(entry->role)));
    write_content(out, entry, &beside, parts, count, scratch);
    reasoning = texts_of(parts, count, PART_REASONING, scratch);
    if (reasoning.n)
        json_out_string(out, "reasoning_content", reasoning);
    write_calls(out, parts, count, scratch);
    if (entry->role == ROLE_TOOL)
        write_result(out, parts, count);
    write_facts(out, entry, &beside);
    write_kept(out, &beside, scratch);
    json_out_object_end(out);
    if (member_at(&beside.own, "implicit", &implicit) && json_true(&implicit))
        json_out_bool(out, "implicit", true);
    json_out_object_end(out);
}
