#include "dialect/kagent/event.h"

#include "base/utf8.h"
#include "message/message_out.h"

#include <stdlib.h>

/* The body of an entry that is an event ends with the token and two braces more. */
#define TOKEN_START "\"metadata\":{\"adk\":{\"data\":"
#define TOKEN_END   "}}}"

/* The last member that has one of these names and is not null; false when there is none. */
static bool member_find(const struct json_value *object, const char *const *names,
                        struct json_value *out)
{
    struct json_walk walk;

    if (object->type != JSON_OBJECT)
        return false;
    for (; *names; names++) {
        bool found = false;

        for (json_walk_begin(&walk, object); json_walk_next(&walk);)
            if (str_eq(walk.key, str_of(*names))) {
                *out = walk.value;
                found = true;
            }
        if (found && out->type != JSON_NULL)
            return true;
    }
    return false;
}

#define MEMBER(object, out, ...) \
    member_find((object), (const char *const[]){__VA_ARGS__, NULL}, (out))

static struct str text_member(const struct json_value *object, const char *const *names,
                              struct arena *arena)
{
    struct json_value value;

    if (!member_find(object, names, &value) || value.type != JSON_STRING)
        return STR_NONE;
    return json_text(&value, arena);
}

#define TEXT_MEMBER(object, arena, ...) \
    text_member((object), (const char *const[]){__VA_ARGS__, NULL}, (arena))

static enum event_shape shape_of(const struct json_value *event, struct arena *arena)
{
    struct json_value any;

    if (MEMBER(event, &any, "invocation_id"))
        return EVENT_PYTHON;
    if (MEMBER(event, &any, "invocationId", "InvocationID"))
        return EVENT_GO;
    if (str_eq(TEXT_MEMBER(event, arena, "type"), STR("conversation_items")))
        return EVENT_ITEMS;
    return EVENT_OTHER;
}

/* By key, and those of one key as they stand: values point into the same text. */
static int by_key(const void *a, const void *b)
{
    const struct adk_change *x = a, *y = b;
    int order = str_cmp(x->key, y->key);

    return order ? order : x->value.p < y->value.p ? -1 : x->value.p > y->value.p;
}

/* Of a key that stands twice the last value counts. */
static void delta_read(const struct json_value *object, struct arena *arena, struct adk_delta *out)
{
    struct json_walk walk;
    size_t count = 0, n = 0;

    if (object->type != JSON_OBJECT)
        return;
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        count++;
    out->items = arena_array(arena, count + 1, sizeof(*out->items));
    for (json_walk_begin(&walk, object); json_walk_next(&walk);) {
        struct str key = json_unescape(walk.key, arena);

        if (!adk_key_temporary(key))
            out->items[n++] = (struct adk_change){key, walk.value.raw};
    }
    qsort(out->items, n, sizeof(*out->items), by_key);
    for (size_t i = 0; i < n; i++) {
        if (out->count && str_eq(out->items[out->count - 1].key, out->items[i].key))
            out->count--;
        out->items[out->count++] = out->items[i];
    }
}

static int64_t tokens_of(const struct json_value *usage, const char *const *names)
{
    struct json_value value;
    int64_t count;

    if (!member_find(usage, names, &value) || value.type != JSON_NUMBER ||
        !json_int(&value, 0, LIMIT_USAGE_TOKENS, &count))
        return 0;
    return count;
}

#define TOKENS(usage, ...) tokens_of((usage), (const char *const[]){__VA_ARGS__, NULL})

static void usage_read(const struct json_value *event, struct event_read *out)
{
    struct json_value usage;

    if (!MEMBER(event, &usage, "usage_metadata", "usageMetadata", "UsageMetadata") ||
        usage.type != JSON_OBJECT)
        return;
    out->usage.input = TOKENS(&usage, "prompt_token_count", "promptTokenCount");
    out->usage.output = TOKENS(&usage, "candidates_token_count", "candidatesTokenCount");
    out->has_usage = out->usage.input + out->usage.output > 0;
}

void event_read(struct str text, struct arena *arena, struct event_read *out)
{
    struct json_value event, actions, delta;
    struct fault none;

    *out = (struct event_read){0};
    if (json_read(text, EVENT_DEPTH, "data", &event, &none) != FAULT_OK ||
        event.type != JSON_OBJECT)
        return;
    out->shape = shape_of(&event, arena);
    out->invocation = TEXT_MEMBER(&event, arena, "invocation_id", "invocationId", "InvocationID");
    out->author = TEXT_MEMBER(&event, arena, "author", "Author");
    usage_read(&event, out);
    if (!MEMBER(&event, &out->content, "content", "Content"))
        out->content = (struct json_value){0};
    if (!MEMBER(&event, &actions, "actions", "Actions"))
        return;
    out->rewind =
        TEXT_MEMBER(&actions, arena, "rewind_before_invocation_id", "rewindBeforeInvocationId");
    if (MEMBER(&actions, &delta, "state_delta", "stateDelta", "StateDelta"))
        delta_read(&delta, arena, &out->delta);
}

void event_read_token(struct str token, struct arena *arena, struct event_read *out)
{
    struct json_value string = {JSON_STRING, token};

    event_read(json_text(&string, arena), arena, out);
}

/* ---- as an entry ---- */

static struct str metadata_of(struct str token, struct arena *arena)
{
    return arena_printf(arena, "{\"adk\":{\"data\":%.*s}}", STR_ARG(token));
}

static void state_of(const struct adk_delta *delta, struct arena *arena, struct state *out)
{
    out->items = arena_array(arena, delta->count + 1, sizeof(*out->items));
    out->count = delta->count;
    for (size_t i = 0; i < delta->count; i++) {
        struct str value = delta->items[i].value;

        out->items[i] =
            (struct state_item){delta->items[i].key, str_eq(value, STR("null")) ? STR_NONE : value};
    }
}

/* A part of a message that is text: of it only what people read, and what the model thought. */
static bool part_add(struct message_out *message, const struct json_value *part,
                     struct arena *arena)
{
    struct str text = TEXT_MEMBER(part, arena, "text");
    struct json_value thought;

    if (text.n == 0 || !utf8_valid(text))
        return false;
    if (MEMBER(part, &thought, "thought") && json_true(&thought)) {
        message_out_reasoning(message, text);
        return false;
    }
    message_out_text(message, text);
    return true;
}

static bool parts_add(struct message_out *message, const struct json_value *content,
                      struct arena *arena)
{
    struct json_value parts;
    struct json_walk walk;
    bool any = false;

    if (!MEMBER(content, &parts, "parts", "Parts") || parts.type != JSON_ARRAY)
        return false;
    for (json_walk_begin(&walk, &parts); json_walk_next(&walk);)
        any |= part_add(message, &walk.value, arena);
    return any;
}

enum fault_code event_entry(const struct event_read *event, struct str id, struct str token,
                            bool shown, struct arena *arena, struct entry_spec *out,
                            struct fault *fault)
{
    struct str metadata = metadata_of(token, arena);
    struct message_out message;
    bool text = false;

    if (token.n > EVENT_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "data has %zu bytes; the limit is %d", token.n,
                         EVENT_BYTES);
    message_out_begin(&message, arena);
    if (shown && event->content.type == JSON_OBJECT)
        text = parts_add(&message, &event->content, arena);
    *out = message_out_end(
        &message, str_eq(event->author, STR("user")) ? ROLE_USER : ROLE_ASSISTANT, STR_NONE);
    if (text)
        out->body = arena_printf(arena, "%.*s,\"metadata\":%.*s}", (int)out->body.n - 1,
                                 out->body.p, STR_ARG(metadata));
    else
        *out = (struct entry_spec){
            .kind = ENTRY_EVENT,
            .body = arena_printf(arena, "{\"metadata\":%.*s}", STR_ARG(metadata)),
        };
    out->id = id;
    out->turn_rule = event->invocation.n ? TURN_NAMED : TURN_NONE;
    out->turn = event->invocation;
    out->has_usage = event->has_usage;
    out->usage = event->usage;
    state_of(&event->delta, arena, &out->state);
    return FAULT_OK;
}

/* Is it one JSON string and nothing behind it? */
static bool is_string(struct str token)
{
    size_t i = 1;

    if (token.n < 2 || token.p[0] != '"')
        return false;
    while (i < token.n && token.p[i] != '"')
        i += token.p[i] == '\\' ? 2 : 1;
    return i == token.n - 1;
}

struct str event_token(struct str body)
{
    static const struct str start = {TOKEN_START, sizeof(TOKEN_START) - 1};
    struct json_value value, metadata, adk, data;
    struct fault none;

    /* Most bodies are events alone: then the token stands between what is known. */
    if (body.n > start.n + sizeof(TOKEN_END) && body.p[0] == '{' &&
        str_starts((struct str){body.p + 1, body.n - 1}, start)) {
        struct str token = {body.p + 1 + start.n, body.n - 1 - start.n - (sizeof(TOKEN_END) - 1)};

        if (is_string(token)) /* what was imported may have more there */
            return token;
    }
    if (json_read(body, EVENT_DEPTH, "body", &value, &none) != FAULT_OK ||
        !MEMBER(&value, &metadata, "metadata") || !MEMBER(&metadata, &adk, "adk") ||
        !MEMBER(&adk, &data, "data") || data.type != JSON_STRING)
        return STR_NONE;
    return data.raw;
}
