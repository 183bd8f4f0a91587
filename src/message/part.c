#include "message/part.h"

#include "base/buf.h"
#include "store/limits.h"

enum { DEPTH_MAX = LIMIT_JSON_DEPTH + 8 };

static const struct {
    const char *name;
    enum part_type type;
} types[] = {
    {"text", PART_TEXT},           {"reasoning", PART_REASONING},
    {"tool_call", PART_TOOL_CALL}, {"tool_result", PART_TOOL_RESULT},
    {"file", PART_FILE},           {"data", PART_DATA},
};

static bool member_of(const struct json_value *object, struct str name, struct json_value *out)
{
    struct json_walk walk;

    if (object->type != JSON_OBJECT)
        return false;
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        if (str_eq(walk.key, name)) {
            *out = walk.value;
            return true;
        }
    return false;
}

static struct str text_of(const struct json_value *object, struct str name, struct arena *arena)
{
    struct json_value value;

    if (!member_of(object, name, &value))
        return STR_NONE;
    return value.type == JSON_STRING ? json_text(&value, arena) : value.raw;
}

static struct part part_of(const struct json_value *object, struct arena *arena)
{
    struct str type = text_of(object, STR("type"), arena);
    struct part part = {.type = PART_OTHER};
    struct json_value error;

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (str_eq(type, str_of(types[i].name)))
            part.type = types[i].type;
    part.name = text_of(object, STR("name"), arena);
    switch (part.type) {
    case PART_TOOL_CALL:
        part.id = text_of(object, STR("id"), arena);
        if (!member_of(object, STR("arguments"), &part.value))
            part.value = (struct json_value){JSON_OBJECT, STR("{}")};
        break;
    case PART_TOOL_RESULT:
        part.id = text_of(object, STR("call"), arena);
        part.text = text_of(object, STR("output"), arena);
        if (!member_of(object, STR("output"), &part.value))
            part.value = (struct json_value){JSON_NULL, STR("null")};
        part.error = member_of(object, STR("error"), &error) && json_true(&error);
        break;
    case PART_FILE:
        part.media_type = text_of(object, STR("media_type"), arena);
        part.bytes = text_of(object, STR("bytes"), arena);
        part.uri = text_of(object, STR("uri"), arena);
        break;
    case PART_DATA:
        part.text = text_of(object, STR("data"), arena);
        break;
    default:
        part.text = text_of(object, STR("text"), arena);
    }
    return part;
}

struct part *parts_of(struct str body, struct arena *arena, size_t *count)
{
    struct json_value value, list;
    struct json_walk walk;
    struct fault fault;
    struct part *parts;
    size_t n = 0;

    *count = 0;
    if (json_read(body, DEPTH_MAX, "body", &value, &fault) ||
        !member_of(&value, STR("parts"), &list) || list.type != JSON_ARRAY)
        return NULL;
    for (json_walk_begin(&walk, &list); json_walk_next(&walk);)
        n++;
    parts = arena_array(arena, n + 1, sizeof(*parts));
    for (json_walk_begin(&walk, &list); json_walk_next(&walk);)
        parts[(*count)++] = part_of(&walk.value, arena);
    return parts;
}

struct str parts_text(struct str body, struct arena *arena)
{
    struct str text = STR_NONE;
    size_t count, bytes = 0;
    const struct part *parts = parts_of(body, arena, &count);
    char *p;

    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_TEXT)
            bytes += parts[i].text.n + 1;
    p = arena_alloc(arena, bytes + 1);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].type != PART_TEXT)
            continue;
        if (text.n)
            p[text.n++] = '\n';
        if (parts[i].text.n)
            memcpy(p + text.n, parts[i].text.p, parts[i].text.n);
        text.p = p;
        text.n += parts[i].text.n;
    }
    return text;
}
