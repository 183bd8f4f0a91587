#include "message/message_in.h"

#include "base/escape.h"
#include "json/json_in.h"
#include "store/limits.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WHERE_MAX = 64 }; /* "messages[123].parts[123456789]" */

bool message_role(struct str name, enum role *out)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_USER] = "user",
        [ROLE_ASSISTANT] = "assistant",
        [ROLE_TOOL] = "tool",
        [ROLE_SYSTEM] = "system",
    };

    for (int i = ROLE_USER; i < ROLE_COUNT; i++)
        if (str_eq(name, str_of(names[i]))) {
            *out = (enum role)i;
            return true;
        }
    return false;
}

/* ---- parts ---- */

/* What is found while the parts of a message are looked at. */
struct parts {
    struct json_value array;
    struct span *spans; /* with places in `array` */
    size_t span_count;
    int calls, results;
};

static void span_add(struct parts *parts, const struct json_value *string)
{
    struct str inside = json_inside(string);

    if (inside.n)
        parts->spans[parts->span_count++] =
            (struct span){(uint32_t)(inside.p - parts->array.raw.p), (uint32_t)inside.n};
}

static enum fault_code part_text(const struct json_value *part, const char *where,
                                 struct parts *parts, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("type", JSON_STRING), JSON_MUST("text", JSON_STRING)};
    enum fault_code code = json_members(part, where, m, 2, fault);

    if (!code)
        span_add(parts, &m[1].value);
    return code;
}

static enum fault_code part_reasoning(const struct json_value *part, const char *where,
                                      struct parts *parts, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("type", JSON_STRING), JSON_MUST("text", JSON_STRING)};

    (void)parts;
    return json_members(part, where, m, 2, fault);
}

static enum fault_code part_tool_call(const struct json_value *part, const char *where,
                                      struct parts *parts, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("type", JSON_STRING), JSON_MUST("id", JSON_STRING),
                              JSON_MUST("name", JSON_STRING), JSON_MUST("arguments", JSON_ANY)};

    parts->calls++;
    return json_members(part, where, m, 4, fault);
}

static enum fault_code part_tool_result(const struct json_value *part, const char *where,
                                        struct parts *parts, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("type", JSON_STRING), JSON_MUST("call", JSON_STRING),
                              JSON_MUST("output", JSON_ANY), JSON_MAY("error", JSON_BOOL)};
    enum fault_code code = json_members(part, where, m, 4, fault);

    parts->results++;
    if (!code && m[2].value.type == JSON_STRING)
        span_add(parts, &m[2].value);
    return code;
}

static enum fault_code part_file(const struct json_value *part, const char *where,
                                 struct parts *parts, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("type", JSON_STRING), JSON_MUST("name", JSON_STRING),
                              JSON_MUST("media_type", JSON_STRING), JSON_MAY("bytes", JSON_STRING),
                              JSON_MAY("uri", JSON_STRING)};
    enum fault_code code = json_members(part, where, m, 5, fault);

    (void)parts;
    if (!code && m[3].given == m[4].given)
        return fault_set(fault, FAULT_INVALID, "%s needs either \"bytes\" or \"uri\"", where);
    return code;
}

static enum fault_code part_data(const struct json_value *part, const char *where,
                                 struct parts *parts, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("type", JSON_STRING), JSON_MUST("data", JSON_OBJECT)};

    (void)parts;
    return json_members(part, where, m, 2, fault);
}

static const struct part_type {
    struct str name;
    enum fault_code (*read)(const struct json_value *, const char *, struct parts *,
                            struct fault *);
} part_types[] = {
    {{"text", 4}, part_text},           {{"reasoning", 9}, part_reasoning},
    {{"tool_call", 9}, part_tool_call}, {{"tool_result", 11}, part_tool_result},
    {{"file", 4}, part_file},           {{"data", 4}, part_data},
};

/* The member "type" of a part, which decides what else it may have. */
static bool part_type_of(const struct json_value *part, struct str *out)
{
    struct json_walk walk;

    if (part->type != JSON_OBJECT)
        return false;
    json_walk_begin(&walk, part);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, STR("type")) && walk.value.type == JSON_STRING) {
            *out = json_inside(&walk.value);
            return true;
        }
    return false;
}

static enum fault_code part_read(const struct json_value *part, const char *where,
                                 struct parts *parts, struct fault *fault)
{
    struct str type;

    if (!part_type_of(part, &type))
        return fault_set(fault, FAULT_INVALID, "%s must be an object with a \"type\"", where);
    for (size_t i = 0; i < sizeof(part_types) / sizeof(part_types[0]); i++)
        if (str_eq(type, part_types[i].name))
            return part_types[i].read(part, where, parts, fault);
    return fault_set(fault, FAULT_INVALID, "%s has the unknown type \"%.*s\"", where,
                     (int)(type.n < 64 ? type.n : 64), type.p);
}

static enum fault_code parts_read(const struct json_value *array, const char *prefix,
                                  struct arena *arena, struct parts *out, struct fault *fault)
{
    struct parts parts = {.array = *array};
    struct json_walk walk;
    size_t count = 0, i = 0;

    for (json_walk_begin(&walk, array); json_walk_next(&walk);)
        count++;
    if (count == 0)
        return fault_set(fault, FAULT_INVALID, "%sparts is empty", prefix);
    parts.spans = arena_array(arena, count, sizeof(parts.spans[0]));
    for (json_walk_begin(&walk, array); json_walk_next(&walk); i++) {
        char where[WHERE_MAX];
        enum fault_code code;

        snprintf(where, sizeof(where), "%sparts[%zu]", prefix, i);
        code = part_read(&walk.value, where, &parts, fault);
        if (code)
            return code;
    }
    *out = parts;
    return FAULT_OK;
}

/* ---- bodies ---- */

#define BODY_START "{\"parts\":"
#define TEXT_START BODY_START "[{\"type\":\"text\",\"text\":\""

/* The body around a literal text, whose inside is searched. */
static void body_of_text(struct entry_spec *spec, struct str inside, struct str metadata,
                         struct arena *arena)
{
    struct span *span = arena_alloc(arena, sizeof(*span));

    *span = (struct span){sizeof(TEXT_START) - 1, (uint32_t)inside.n};
    spec->spans = span;
    spec->span_count = inside.n > 0;
    spec->body = metadata.n ? arena_printf(arena, TEXT_START "%.*s\"}],\"metadata\":%.*s}",
                                           STR_ARG(inside), STR_ARG(metadata))
                            : arena_printf(arena, TEXT_START "%.*s\"}]}", STR_ARG(inside));
}

static void body_of_parts(struct entry_spec *spec, struct parts *parts, struct str metadata,
                          struct arena *arena)
{
    for (size_t i = 0; i < parts->span_count; i++)
        parts->spans[i].from += (uint32_t)(sizeof(BODY_START) - 1);
    spec->spans = parts->spans;
    spec->span_count = parts->span_count;
    spec->calls = parts->calls;
    spec->results = parts->results;
    spec->body = metadata.n ? arena_printf(arena, BODY_START "%.*s,\"metadata\":%.*s}",
                                           STR_ARG(parts->array.raw), STR_ARG(metadata))
                            : arena_printf(arena, BODY_START "%.*s}", STR_ARG(parts->array.raw));
}

static enum turn_rule turn_rule_of(enum role role)
{
    switch (role) {
    case ROLE_USER:
        return TURN_NEW;
    case ROLE_SYSTEM:
        return TURN_NONE;
    default:
        return TURN_JOIN;
    }
}

struct entry_spec message_of_text(enum role role, struct str text, struct arena *arena)
{
    struct entry_spec spec = {.kind = ENTRY_MESSAGE, .role = role, .turn_rule = turn_rule_of(role)};
    struct buf inside;

    buf_init(&inside, text.n * 6);
    escape_json(&inside, text);
    body_of_text(&spec, buf_str(&inside), STR_NONE, arena);
    buf_clear(&inside);
    return spec;
}

/* ---- what stands beside the parts ---- */

static enum fault_code usage_read(const struct json_value *object, const char *prefix,
                                  struct usage *out, struct fault *fault)
{
    struct json_member m[] = {JSON_MAY("input_tokens", JSON_NUMBER),
                              JSON_MAY("output_tokens", JSON_NUMBER),
                              JSON_MAY("cost", JSON_NUMBER)};
    struct usage usage = {0};
    char where[WHERE_MAX];
    enum fault_code code;

    snprintf(where, sizeof(where), "%susage", prefix);
    code = json_members(object, where, m, 3, fault);
    if (code)
        return code;
    if ((m[0].given && !json_int(&m[0].value, 0, LIMIT_USAGE_TOKENS, &usage.input)) ||
        (m[1].given && !json_int(&m[1].value, 0, LIMIT_USAGE_TOKENS, &usage.output)))
        return fault_set(
            fault, FAULT_INVALID,
            "\"input_tokens\" and \"output_tokens\" in %s must be whole numbers from 0 "
            "to 1e12",
            where);
    if (m[2].given && (!json_cost(&m[2].value, &usage.cost) || usage.cost > LIMIT_USAGE_COST))
        return fault_set(fault, FAULT_INVALID, "\"cost\" in %s must be a number from 0 to 1e6",
                         where);
    *out = usage;
    return FAULT_OK;
}

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct state_item *)a)->key, ((const struct state_item *)b)->key);
}

enum fault_code message_state(const struct json_value *object, const char *what,
                              struct arena *arena, struct state *out, struct fault *fault)
{
    struct state state = {0};
    struct json_walk walk;
    size_t count = 0;

    if (object->type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "%s must be an object", what);
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        count++;
    state.items = arena_array(arena, count + 1, sizeof(state.items[0]));
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        state.items[state.count++] = (struct state_item){
            json_unescape(walk.key, arena),
            walk.value.type == JSON_NULL ? STR_NONE : walk.value.raw,
        };
    qsort(state.items, state.count, sizeof(state.items[0]), by_key);
    for (size_t i = 1; i < state.count; i++)
        if (str_eq(state.items[i - 1].key, state.items[i].key))
            return fault_set(fault, FAULT_INVALID, "key \"%.*s\" stands twice in %s",
                             STR_ARG(state.items[i].key), what);
    *out = state;
    return FAULT_OK;
}

enum {
    M_TEXT,
    M_PARTS,
    M_ROLE,
    M_ID,
    M_METADATA,
    M_STATE,
    M_TURN,
    M_USAGE,
    M_RUN, /* from here on: not in the messages of a batch */
    M_EXPECT_HEAD,
    M_BUSY, /* these two: only in a request to send */
    M_COUNT
};

static const struct json_member message_members[M_COUNT] = {
    [M_TEXT] = JSON_MAY("text", JSON_STRING),
    [M_PARTS] = JSON_MAY("parts", JSON_ARRAY),
    [M_ROLE] = JSON_MAY("role", JSON_STRING),
    [M_ID] = JSON_MAY("id", JSON_STRING),
    [M_METADATA] = JSON_MAY("metadata", JSON_OBJECT),
    [M_STATE] = JSON_MAY("state", JSON_OBJECT),
    [M_TURN] = JSON_MAY("turn", JSON_STRING),
    [M_USAGE] = JSON_MAY("usage", JSON_OBJECT),
    [M_RUN] = JSON_MAY("run", JSON_BOOL),
    [M_EXPECT_HEAD] = JSON_MAY("expect_head", JSON_STRING),
    [M_BUSY] = JSON_MAY("busy", JSON_STRING),
};

/* Role, id and turn. */
static enum fault_code names_read(const struct json_member *m, const char *prefix,
                                  struct arena *arena, struct entry_spec *spec, struct fault *fault)
{
    spec->role = ROLE_USER;
    if (m[M_ROLE].given && !message_role(json_text(&m[M_ROLE].value, arena), &spec->role))
        return fault_set(fault, FAULT_INVALID,
                         "%srole must be \"user\", \"assistant\", \"tool\" or \"system\"", prefix);
    spec->turn_rule = turn_rule_of(spec->role);
    if (m[M_ID].given) {
        spec->id = json_text(&m[M_ID].value, arena);
        if (spec->id.n == 0)
            return fault_set(fault, FAULT_INVALID, "%sid is empty", prefix);
    }
    if (m[M_TURN].given) {
        spec->turn = json_text(&m[M_TURN].value, arena);
        spec->turn_rule = TURN_NAMED;
        if (spec->turn.n == 0)
            return fault_set(fault, FAULT_INVALID, "%sturn is empty", prefix);
    }
    return FAULT_OK;
}

static enum fault_code body_read(const struct json_member *m, const char *prefix,
                                 struct arena *arena, struct entry_spec *spec, struct fault *fault)
{
    struct str metadata = m[M_METADATA].given ? m[M_METADATA].value.raw : STR_NONE;
    struct parts parts = {0};
    enum fault_code code;

    if (m[M_TEXT].given == m[M_PARTS].given)
        return fault_set(fault, FAULT_INVALID, "one of \"%stext\" and \"%sparts\" must be given%s",
                         prefix, prefix, m[M_TEXT].given ? ", not both" : "");
    if (m[M_TEXT].given) {
        body_of_text(spec, json_inside(&m[M_TEXT].value), metadata, arena);
        return FAULT_OK;
    }
    code = parts_read(&m[M_PARTS].value, prefix, arena, &parts, fault);
    if (!code)
        body_of_parts(spec, &parts, metadata, arena);
    return code;
}

/* `prefix` is "" for the outermost message, "messages[3]." in a batch. */
static enum fault_code spec_read(const struct json_member *m, const char *prefix,
                                 struct arena *arena, struct entry_spec *out, struct fault *fault)
{
    struct entry_spec spec = {.kind = ENTRY_MESSAGE};
    enum fault_code code = names_read(m, prefix, arena, &spec, fault);

    if (!code)
        code = body_read(m, prefix, arena, &spec, fault);
    if (!code && m[M_STATE].given)
        code = message_state(&m[M_STATE].value, "state", arena, &spec.state, fault);
    if (!code && m[M_USAGE].given) {
        spec.has_usage = true;
        code = usage_read(&m[M_USAGE].value, prefix, &spec.usage, fault);
    }
    if (!code)
        *out = spec;
    return code;
}

static enum message_run run_of(const struct json_member *member)
{
    if (!member->given)
        return RUN_NOT_SAID;
    return json_true(&member->value) ? RUN_YES : RUN_NO;
}

/* "run" and what else belongs to the whole request; `m` begins with M_RUN. */
static enum fault_code send_read(const struct json_member *m, struct arena *arena,
                                 struct message_batch *batch, struct fault *fault)
{
    const struct json_member *head = &m[M_EXPECT_HEAD - M_RUN], *busy = &m[M_BUSY - M_RUN];

    batch->run = run_of(&m[0]);
    if (head->given) {
        struct str text = json_text(&head->value, arena);

        batch->expect_head = text.p ? text : STR("");
    }
    if (busy->given) {
        struct str word = json_text(&busy->value, arena);

        batch->wait = str_eq(word, STR("wait"));
        if (!batch->wait && !str_eq(word, STR("refuse")))
            return fault_set(fault, FAULT_INVALID, "\"busy\" must be \"refuse\" or \"wait\"");
    }
    return FAULT_OK;
}

static enum fault_code batch_read(const struct json_value *object, bool send, struct arena *arena,
                                  struct message_batch *out, struct fault *fault)
{
    struct json_member top[] = {
        JSON_MUST("messages", JSON_ARRAY),
        message_members[M_RUN],
        message_members[M_EXPECT_HEAD],
        message_members[M_BUSY],
    };
    struct message_batch batch = {0};
    struct json_walk walk;
    size_t count = 0;
    enum fault_code code = json_members(object, NULL, top, send ? 4 : 2, fault);

    if (!code)
        code = send_read(&top[1], arena, &batch, fault);
    if (code)
        return code;
    for (json_walk_begin(&walk, &top[0].value); json_walk_next(&walk);)
        count++;
    if (count == 0)
        return fault_set(fault, FAULT_INVALID, "messages is empty");
    if (count > LIMIT_BATCH_ENTRIES)
        return fault_set(fault, FAULT_TOO_LARGE, "messages has %zu elements, at most %d are taken",
                         count, LIMIT_BATCH_ENTRIES);
    batch.entries = arena_array(arena, count, sizeof(batch.entries[0]));
    for (json_walk_begin(&walk, &top[0].value); json_walk_next(&walk);) {
        struct json_member m[M_COUNT];
        char where[WHERE_MAX];

        memcpy(m, message_members, sizeof(m));
        snprintf(where, sizeof(where), "messages[%zu]", batch.count);
        code = json_members(&walk.value, where, m, M_RUN, fault);
        snprintf(where, sizeof(where), "messages[%zu].", batch.count);
        if (!code)
            code = spec_read(m, where, arena, &batch.entries[batch.count++], fault);
        if (code)
            return code;
    }
    *out = batch;
    return FAULT_OK;
}

static bool has_member(const struct json_value *object, struct str name)
{
    struct json_walk walk;

    json_walk_begin(&walk, object);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, name))
            return true;
    return false;
}

static enum fault_code read_any(struct str bytes, bool send, struct arena *arena,
                                struct message_batch *out, struct fault *fault)
{
    struct json_member m[M_COUNT];
    struct message_batch batch = {.count = 1, .single = true};
    struct json_value value;
    enum fault_code code;

    if (bytes.n > LIMIT_BATCH_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the message has more than %d bytes",
                         LIMIT_BATCH_BYTES);
    code = json_read(bytes, LIMIT_JSON_DEPTH, "the message", &value, fault);
    if (code)
        return code;
    if (value.type == JSON_OBJECT && has_member(&value, STR("messages")))
        return batch_read(&value, send, arena, out, fault);
    memcpy(m, message_members, sizeof(m));
    code = json_members(&value, NULL, m, send ? M_COUNT : M_EXPECT_HEAD, fault);
    if (!code)
        code = send_read(&m[M_RUN], arena, &batch, fault);
    if (code)
        return code;
    batch.entries = arena_alloc(arena, sizeof(batch.entries[0]));
    code = spec_read(m, "", arena, &batch.entries[0], fault);
    if (!code)
        *out = batch;
    return code;
}

enum fault_code message_read(struct str bytes, struct arena *arena, struct message_batch *out,
                             struct fault *fault)
{
    return read_any(bytes, false, arena, out, fault);
}

enum fault_code message_send_read(struct str bytes, struct arena *arena, struct message_batch *out,
                                  struct fault *fault)
{
    return read_any(bytes, true, arena, out, fault);
}
