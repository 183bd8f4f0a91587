#include "dialect/ash/content.h"

#include "message/message_in.h"
#include "message/part.h"

/*
 * A block that has no members but those that a part can hold becomes that part, and comes back from
 * it. When one has more (cache_control, a title …), or is a text alone, the whole content is kept
 * in the message's metadata as it was sent, beside the parts that agents read:
 * {"ash":{"content":[…]}}.
 */

/* ---- in ---- */

static size_t characters(struct str s)
{
    size_t count = 0;

    for (size_t i = 0; i < s.n; i++)
        count += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return count;
}

static size_t member_count(const struct json_value *object)
{
    struct json_walk walk;
    size_t count = 0;

    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        count++;
    return count;
}

struct reading {
    struct json_out out; /* the parts */
    struct arena *arena;
    bool plain; /* every block so far can come back from its part */
};

static enum fault_code text_block(struct reading *reading, const struct json_value *block, size_t i,
                                  struct fault *fault)
{
    struct json_value text;

    if (!member_at(block, "text", &text) || text.type != JSON_STRING)
        return fault_set(fault, FAULT_INVALID, "body/content/%zu/text must be string", i);
    reading->plain = reading->plain && member_count(block) == 2;
    json_out_object(&reading->out, NULL);
    json_out_plain(&reading->out, "type", STR("text"));
    json_out_raw(&reading->out, "text", text.raw);
    json_out_object_end(&reading->out);
    return FAULT_OK;
}

/* An image or a document: {"source":{"type":"base64","media_type","data"}}, or "url" with "url". */
static enum fault_code source_block(struct reading *reading, const struct json_value *block,
                                    const char *kind, size_t i, struct fault *fault)
{
    struct json_value source, data, media;
    struct str type = STR_NONE;
    bool bytes, fits;

    if (member_at(block, "source", &source))
        type = member_string(&source, "type", reading->arena);
    bytes = str_eq(type, STR("base64"));
    fits = bytes ? member_at(&source, "data", &data) && member_at(&source, "media_type", &media) &&
                       media.type == JSON_STRING
                 : str_eq(type, STR("url")) && member_at(&source, "url", &data);
    if (!fits || data.type != JSON_STRING)
        return fault_set(fault, FAULT_INVALID,
                         "body/content/%zu/source must be base64 with media_type and data, or url "
                         "with url",
                         i);
    reading->plain =
        reading->plain && member_count(block) == 2 && member_count(&source) == (bytes ? 3 : 2);
    json_out_object(&reading->out, NULL);
    json_out_plain(&reading->out, "type", STR("file"));
    json_out_plain(&reading->out, "name", str_of(kind));
    if (bytes)
        json_out_raw(&reading->out, "media_type", media.raw);
    else
        json_out_plain(&reading->out, "media_type", STR("application/octet-stream"));
    json_out_raw(&reading->out, bytes ? "bytes" : "uri", data.raw);
    json_out_object_end(&reading->out);
    return FAULT_OK;
}

static enum fault_code block_read(struct reading *reading, const struct json_value *block, size_t i,
                                  struct fault *fault)
{
    struct str type = member_string(block, "type", reading->arena);

    if (str_eq(type, STR("text")))
        return text_block(reading, block, i, fault);
    if (str_eq(type, STR("image")))
        return source_block(reading, block, "image", i, fault);
    if (str_eq(type, STR("document")))
        return source_block(reading, block, "document", i, fault);
    return fault_set(fault, FAULT_INVALID,
                     "body/content/%zu must be a block of type text, image or document", i);
}

static enum fault_code blocks_read(struct reading *reading, const struct json_value *content,
                                   struct fault *fault)
{
    struct json_walk walk;
    bool is_text = false;
    size_t i = 0;

    json_out_array(&reading->out, "parts");
    for (json_walk_begin(&walk, content); json_walk_next(&walk); i++) {
        if (i == ASH_CONTENT_BLOCKS)
            return fault_set(fault, FAULT_INVALID, "body/content must NOT have more than %d items",
                             ASH_CONTENT_BLOCKS);
        if (block_read(reading, &walk.value, i, fault) != FAULT_OK)
            return fault_pass(fault);
        is_text = str_eq(member_string(&walk.value, "type", reading->arena), STR("text"));
    }
    if (i == 0)
        return fault_set(fault, FAULT_INVALID, "body/content must NOT have fewer than 1 items");
    json_out_array_end(&reading->out);
    if (reading->plain && !(i == 1 && is_text))
        return FAULT_OK;
    json_out_object(&reading->out, "metadata");
    json_out_object(&reading->out, "ash");
    json_out_raw(&reading->out, "content", content->raw);
    json_out_object_end(&reading->out);
    json_out_object_end(&reading->out);
    return FAULT_OK;
}

enum fault_code ash_content_read(const struct json_value *content, struct arena *arena,
                                 struct entry_spec *out, struct fault *fault)
{
    struct reading reading = {.arena = arena, .plain = true};
    enum fault_code code = FAULT_OK;
    struct message_batch batch;
    struct str message;
    struct buf text;

    if (content->type == JSON_STRING &&
        characters(json_text(content, arena)) > ASH_CONTENT_CHARACTERS)
        return fault_set(fault, FAULT_INVALID, "body/content must NOT have more than %d characters",
                         ASH_CONTENT_CHARACTERS);
    buf_init(&text, (size_t)2 * ASH_BODY_MESSAGE);
    json_out_init(&reading.out, &text);
    json_out_object(&reading.out, NULL);
    if (content->type == JSON_STRING)
        json_out_raw(&reading.out, "text", content->raw);
    else
        code = blocks_read(&reading, content, fault);
    json_out_object_end(&reading.out);
    message = buf_take(&text, arena);
    if (!code)
        code = message_read(message, arena, &batch, fault);
    if (!code)
        *out = batch.entries[0];
    return code;
}

/* ---- out ---- */

static void write_text(struct json_out *out, const char *type, struct str text)
{
    json_out_object(out, NULL);
    json_out_plain(out, "type", str_of(type));
    json_out_string(out, type, text);
    json_out_object_end(out);
}

static void write_file(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct str name = member_string(part, "name", arena);
    struct str media = member_string(part, "media_type", arena);
    bool image = str_eq(name, STR("image")) || /* as source_block names it; else by its type */
                 (!str_eq(name, STR("document")) && str_starts(media, STR("image/")));
    struct json_value data;

    json_out_object(out, NULL);
    json_out_plain(out, "type", image ? STR("image") : STR("document"));
    json_out_object(out, "source");
    if (member_at(part, "bytes", &data)) {
        json_out_plain(out, "type", STR("base64"));
        json_out_string(out, "media_type", media);
        json_out_raw(out, "data", data.raw);
    } else if (member_at(part, "uri", &data)) {
        json_out_plain(out, "type", STR("url"));
        json_out_raw(out, "url", data.raw);
    }
    json_out_object_end(out);
    json_out_object_end(out);
}

static void write_call(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct json_value input = {JSON_OBJECT, STR("{}")};

    member_at(part, "arguments", &input);
    json_out_object(out, NULL);
    json_out_plain(out, "type", STR("tool_use"));
    json_out_string(out, "id", member_string(part, "id", arena));
    json_out_string(out, "name", member_string(part, "name", arena));
    json_out_raw(out, "input", input.raw);
    json_out_object_end(out);
}

static void write_result(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct json_value output = {JSON_STRING, STR("\"\"")}, error;

    member_at(part, "output", &output);
    json_out_object(out, NULL);
    json_out_plain(out, "type", STR("tool_result"));
    json_out_string(out, "tool_use_id", member_string(part, "call", arena));
    json_out_raw(out, "content", output.raw);
    if (member_at(part, "error", &error) && json_true(&error))
        json_out_bool(out, "is_error", true);
    json_out_object_end(out);
}

static void write_part(struct json_out *out, const struct json_value *part, struct arena *arena)
{
    struct str type = member_string(part, "type", arena);
    struct json_value data;

    if (str_eq(type, STR("text")))
        write_text(out, "text", member_string(part, "text", arena));
    else if (str_eq(type, STR("reasoning")))
        write_text(out, "thinking", member_string(part, "text", arena));
    else if (str_eq(type, STR("tool_call")))
        write_call(out, part, arena);
    else if (str_eq(type, STR("tool_result")))
        write_result(out, part, arena);
    else if (str_eq(type, STR("file")))
        write_file(out, part, arena);
    else if (member_at(part, "data", &data))
        write_text(out, "text", data.raw);
}

static void write_blocks(struct json_out *out, const char *key, const struct json_value *body,
                         struct arena *arena)
{
    struct json_walk walk;

    json_out_array(out, key);
    for (member_walk(body, "parts", &walk); json_walk_next(&walk);)
        write_part(out, &walk.value, arena);
    json_out_array_end(out);
}

/* The text of a message that is nothing else: one part, without anything that was kept beside it.
 */
static bool is_text(const struct json_value *body, struct json_value *out)
{
    struct json_walk walk;
    struct json_value type;
    bool one;

    member_walk(body, "parts", &walk);
    if (!json_walk_next(&walk))
        return false;
    one = member_at(&walk.value, "type", &type) && str_eq(type.raw, STR("\"text\"")) &&
          member_at(&walk.value, "text", out);
    return one && !json_walk_next(&walk);
}

static void write_user(struct json_out *out, const struct json_value *body, struct arena *arena)
{
    struct json_value metadata, own, content;

    json_out_plain(out, "type", STR("user"));
    if ((member_at(body, "metadata", &metadata) && member_at(&metadata, "ash", &own) &&
         member_at(&own, "content", &content)) ||
        is_text(body, &content))
        json_out_raw(out, "content", content.raw);
    else
        write_blocks(out, "content", body, arena);
}

static void write_said(struct json_out *out, const char *type, const char *role,
                       const struct json_value *body, const struct entry *entry,
                       struct arena *arena)
{
    json_out_plain(out, "type", str_of(type));
    json_out_object(out, "message");
    json_out_plain(out, "role", str_of(role));
    write_blocks(out, "content", body, arena);
    json_out_object_end(out);
    json_out_string(out, "session_id", entry->session);
}

void ash_content_write(struct json_out *out, const char *key, const struct entry *entry,
                       struct arena *arena)
{
    struct json_value body;

    if (!ash_object(entry->body, &body))
        body = (struct json_value){JSON_OBJECT, STR("{}")};
    json_out_object(out, key);
    switch (entry->role) {
    case ROLE_USER:
        write_user(out, &body, arena);
        break;
    case ROLE_TOOL: /* as a model is told of it: by the user */
        write_said(out, "user", "user", &body, entry, arena);
        break;
    default:
        write_said(out, "assistant", "assistant", &body, entry, arena);
    }
    json_out_object_end(out);
}
