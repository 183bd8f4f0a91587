#include "client/shapes.h"

static const struct field usage_fields[] = {
    FIELD("input_tokens", FIELD_INT, tine_usage, input_tokens),
    FIELD("output_tokens", FIELD_INT, tine_usage, output_tokens),
    FIELD("cost", FIELD_COST, tine_usage, cost_nano),
};

const struct shape shape_usage = {
    .what = "usage",
    .bytes = sizeof(struct tine_usage),
    .fields = usage_fields,
    .count = FIELD_COUNT(usage_fields),
};

/* The output of a tool: a string's text, anything else as JSON. */
static void part_text(struct reader *reader, const struct json_value *value, struct tine_part *part)
{
    struct str text = value->type == JSON_STRING ? json_text(value, reader->arena) : value->raw;

    part->text = text_dup(reader, text);
    part->text_bytes = text.n;
}

static const struct field part_fields[] = {
    FIELD("type", FIELD_TEXT, tine_part, type),
    FIELD("id", FIELD_TEXT, tine_part, id),
    FIELD("name", FIELD_TEXT, tine_part, name),
    FIELD("arguments", FIELD_JSON, tine_part, arguments),
    FIELD("call", FIELD_TEXT, tine_part, call),
    FIELD("error", FIELD_BOOL, tine_part, error),
    FIELD("media_type", FIELD_TEXT, tine_part, media_type),
    FIELD("bytes", FIELD_TEXT, tine_part, bytes),
    FIELD("uri", FIELD_TEXT, tine_part, uri),
};

static bool part_rest(struct reader *reader, const struct json_value *value, void *out)
{
    struct json_value text;

    if (member_find(value, "text", &text) || member_find(value, "output", &text))
        part_text(reader, &text, out);
    return true;
}

static const struct tine_part part_fresh = {.type = ""};

static const struct shape shape_part = {
    .what = "a part",
    .bytes = sizeof(struct tine_part),
    .fresh = &part_fresh,
    .fields = part_fields,
    .count = FIELD_COUNT(part_fields),
    .has_json = true,
    .json_at = offsetof(struct tine_part, json),
    .rest = part_rest,
};

static const struct field message_fields[] = {
    FIELD("id", FIELD_TEXT, tine_message, id),
    FIELD("index", FIELD_INT, tine_message, index),
    FIELD("kind", FIELD_TEXT, tine_message, kind),
    FIELD("role", FIELD_TEXT, tine_message, role),
    FIELD("turn", FIELD_TEXT, tine_message, turn),
    FIELD("body", FIELD_JSON, tine_message, body),
    FIELD("metadata", FIELD_JSON, tine_message, metadata),
    FIELD("session", FIELD_TEXT, tine_message, session),
    FIELD("hash", FIELD_TEXT, tine_message, hash),
    FIELD("files", FIELD_TEXT, tine_message, files),
    FIELD("left_out", FIELD_BOOL, tine_message, left_out),
    FIELD("foreign", FIELD_BOOL, tine_message, foreign),
    FIELD("move", FIELD_TEXT, tine_message, move),
    FIELD("scope", FIELD_TEXT, tine_message, scope),
    FIELD("messages", FIELD_INT, tine_message, to_index),
    FIELD("settled", FIELD_BOOL, tine_message, settled),
    FIELD("interrupted", FIELD_BOOL, tine_message, interrupted),
    FIELD("erased", FIELD_BOOL, tine_message, erased),
    FIELD("large", FIELD_BOOL, tine_message, large),
    FIELD("created_at", FIELD_TIME, tine_message, created_ms),
    FIELD_ITEMS("parts", tine_message, parts, part_count, &shape_part),
    FIELD("adopted_from", FIELD_THERE, tine_message, adopted),
    FIELD("merged_from", FIELD_THERE, tine_message, merged),
    FIELD("usage", FIELD_THERE, tine_message, has_usage),
    FIELD_SHAPE("usage", FIELD_INSIDE, tine_message, usage, &shape_usage),
};

/* Where a move goes. */
static const struct field target_fields[] = {
    FIELD("message", FIELD_TEXT, tine_message, to_message),
};

static bool message_rest(struct reader *reader, const struct json_value *value, void *out)
{
    const struct tine_message *message = out;
    struct json_value to;

    return !message->move || !member_find(value, "to", &to) ||
           fields_read(reader, &to, "a place", target_fields, FIELD_COUNT(target_fields), out);
}

static const struct tine_message message_fresh = {
    .id = "", .index = -1, .kind = "message", .session = "", .hash = ""};

const struct shape shape_message = {
    .what = "a message",
    .bytes = sizeof(struct tine_message),
    .fresh = &message_fresh,
    .fields = message_fields,
    .count = FIELD_COUNT(message_fields),
    .has_json = true,
    .json_at = offsetof(struct tine_message, json),
    .rest = message_rest,
};
