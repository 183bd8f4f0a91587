/*
 * Messages in the words of docker-agent and of ash: what came in is given back equal, and what is
 * given back comes in as the same message again.
 */
#include "check.h"
#include "fuzz.h"

#include "base/utf8.h"
#include "dialect/ash/content.h"
#include "dialect/docker_agent/chat.h"
#include "dialect/kagent/same.h"
#include "store/limits.h"

static struct entry entry_of(const struct entry_spec *spec)
{
    return (struct entry){.kind = spec->kind,
                          .role = spec->role,
                          .id = STR("id"),
                          .session = STR("s"),
                          .turn = STR("t"),
                          .body = spec->body,
                          .has_usage = spec->has_usage,
                          .usage = spec->usage};
}

static struct json_value member_of(const struct json_value *object, const char *name)
{
    struct json_value value;

    return member_at(object, name, &value) ? value : (struct json_value){0};
}

/* ---- docker-agent ---- */

static struct json_value chat_written(const struct entry_spec *spec, struct arena *arena)
{
    struct entry entry = entry_of(spec);
    struct json_out out;
    struct buf text;
    struct str parts;

    assert(utf8_valid(chat_text(&entry, arena)));
    parts = chat_parts(&entry, arena);
    if (parts.p)
        check_json(parts);
    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    chat_write(&out, &entry, arena);
    return check_buf(&text, arena);
}

/* The value of a member; *count: how many have that name. */
static struct json_value named(const struct json_value *object, struct str name,
                               struct arena *arena, size_t *count)
{
    struct json_value value = {0};
    struct json_walk walk;

    *count = 0;
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        if (str_eq(json_unescape(walk.key, arena), name)) {
            value = walk.value;
            (*count)++;
        }
    return value;
}

/* Each name stands there once. */
static bool is_simple(const struct json_value *object, struct arena *arena)
{
    struct json_walk walk;

    for (json_walk_begin(&walk, object); json_walk_next(&walk);) {
        struct str key = json_unescape(walk.key, arena);
        size_t count;

        named(object, key, arena, &count);
        if (count > 1)
            return false;
        for (size_t i = 0; i < key.n; i++)
            if (key.p[i] >= 'A' && key.p[i] <= 'Z')
                return false; /* docker-agent takes it for the name in small letters */
    }
    return true;
}

/* Members that come back in tine's own words. */
static bool is_reworded(struct str key)
{
    static const char *const words[] = {
        "role", "reasoning_content", "tool_calls", "tool_call_id", "is_error",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(key, str_of(words[i])))
            return true;
    return false;
}

static void chat_equal(const struct json_value *in, const struct json_value *out,
                       struct arena *arena)
{
    struct json_walk walk;

    for (json_walk_begin(&walk, in); json_walk_next(&walk);) {
        struct str key = json_unescape(walk.key, arena);
        struct json_value back;
        size_t count;

        if (walk.value.type == JSON_NULL || is_reworded(key))
            continue;
        back = named(out, key, arena, &count);
        assert(count == 1 && json_same(walk.value.raw, back.raw, arena));
    }
    assert(is_simple(out, arena));
}

static void chat_check(const struct json_value *message, struct arena *arena)
{
    struct json_value first, second, inner, again;
    struct entry_spec spec;
    struct fault fault;

    if (chat_read(message, ROLE_NONE, NULL, arena, &spec, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID || fault.code == FAULT_TOO_LARGE);
        return;
    }
    first = chat_written(&spec, arena);
    inner = member_of(&first, "message");
    if (!is_simple(message, arena))
        return;
    chat_equal(message, &inner, arena);
    if (chat_read(&inner, ROLE_NONE, &first, arena, &spec, &fault) != FAULT_OK)
        abort();
    second = chat_written(&spec, arena);
    again = member_of(&second, "message");
    assert(json_same(inner.raw, again.raw, arena));
}

/* ---- ash ---- */

static void content_check(const struct json_value *content, struct arena *arena)
{
    struct entry_spec spec;
    struct entry entry;
    struct json_out out;
    struct json_value back;
    struct fault fault;
    struct buf text;

    if (content->type != JSON_STRING && content->type != JSON_ARRAY)
        return;
    if (ash_content_read(content, arena, &spec, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID || fault.code == FAULT_TOO_LARGE);
        return;
    }
    entry = entry_of(&spec);
    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    ash_content_write(&out, NULL, &entry, arena);
    back = check_buf(&text, arena);
    back = member_of(&back, "content");
    assert(back.type && json_same(content->raw, back.raw, arena));
}

/* A message of tine's own, in the words of both. */
static void body_check(const struct json_value *body, struct arena *arena)
{
    for (int role = ROLE_NONE + 1; role < ROLE_COUNT; role++) {
        struct entry_spec spec = {
            .kind = ENTRY_MESSAGE, .role = (enum role)role, .body = body->raw};
        struct entry entry = entry_of(&spec);
        struct json_out out;
        struct buf text;

        chat_written(&spec, arena);
        buf_init(&text, CHECK_BYTES);
        json_out_init(&out, &text);
        ash_content_write(&out, NULL, &entry, arena);
        check_buf(&text, arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_value value;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    if (json_read((struct str){(const char *)data, size}, LIMIT_JSON_DEPTH, "input", &value,
                  &fault) == FAULT_OK) {
        chat_check(&value, &arena);
        content_check(&value, &arena);
        if (value.type == JSON_OBJECT)
            body_check(&value, &arena);
    }
    arena_clear(&arena);
    return 0;
}
