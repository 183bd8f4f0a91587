#include "agent/agent_def.h"

#include "json/json_in.h"
#include "json/json_out.h"
#include "store/limits.h"

#include <stddef.h>
#include <stdio.h>

enum field_kind { FIELD_TEXT, FIELD_BOOL, FIELD_INT, FIELD_PRICE };

/* The members of the body, in the order in which they are written. */
static const struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    int64_t max;
} fields[] = {
#define FIELD(name_, kind_, max_)                              \
    {                                                          \
#name_, kind_, offsetof(struct agent_def, name_), max_ \
    }
    FIELD(kind, FIELD_TEXT, 64),
    FIELD(description, FIELD_TEXT, 4096),
    FIELD(model, FIELD_TEXT, 256),
    FIELD(prompt, FIELD_TEXT, INT64_C(128) * 1024),
    FIELD(base_url, FIELD_TEXT, 2048),
    FIELD(key_env, FIELD_TEXT, 128),
    FIELD(tools, FIELD_TEXT, 256),
    FIELD(script, FIELD_TEXT, INT64_C(128) * 1024),
    FIELD(extra, FIELD_TEXT, AGENT_EXTRA_BYTES),
    FIELD(network, FIELD_BOOL, 0),
    {"default", FIELD_BOOL, offsetof(struct agent_def, is_default), 0},
    FIELD(context_tokens, FIELD_INT, INT64_C(100) * 1000 * 1000),
    FIELD(output_tokens, FIELD_INT, INT64_C(100) * 1000 * 1000),
    FIELD(steps_max, FIELD_INT, 1000),
    FIELD(timeout_ms, FIELD_INT, INT64_C(24) * 3600 * 1000),
    FIELD(input_price, FIELD_PRICE, INT64_C(1000000) * 1000000000),
    FIELD(output_price, FIELD_PRICE, INT64_C(1000000) * 1000000000),
#undef FIELD
};

enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]) };

static void *place(struct agent_def *def, const struct field *field)
{
    return (char *)def + field->offset;
}

struct agent_def agent_def_copy(const struct agent_def *def, struct arena *arena)
{
    struct agent_def copy = *def;

    copy.name = arena_dup(arena, def->name);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (fields[i].kind == FIELD_TEXT) {
            struct str *text = place(&copy, &fields[i]);

            *text = arena_dup(arena, *text);
        }
    return copy;
}

struct str agent_def_write(const struct agent_def *def, struct arena *arena)
{
    struct agent_def copy = *def;
    struct json_out out;
    struct buf buf;

    buf_init(&buf, (size_t)8 * LIMIT_AGENT_BODY_BYTES);
    json_out_init(&out, &buf);
    json_out_object(&out, NULL);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        const void *at = place(&copy, &fields[i]);
        const char *name = fields[i].name;

        if (fields[i].kind == FIELD_TEXT && ((const struct str *)at)->n)
            json_out_string(&out, name, *(const struct str *)at);
        else if (fields[i].kind == FIELD_BOOL && *(const bool *)at)
            json_out_bool(&out, name, true);
        else if (fields[i].kind == FIELD_INT && *(const int64_t *)at)
            json_out_int(&out, name, *(const int64_t *)at);
        else if (fields[i].kind == FIELD_PRICE && *(const int64_t *)at)
            json_out_cost(&out, name, *(const int64_t *)at);
    }
    json_out_object_end(&out);
    return buf_take(&buf, arena);
}

static enum fault_code text_read(const struct field *field, const struct json_value *value,
                                 struct arena *arena, struct str *out, struct fault *fault)
{
    struct str text = json_text(value, arena);

    if ((int64_t)text.n > field->max)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "member \"%s\" has %zu bytes, at most %lld are taken", field->name, text.n,
                         (long long)field->max);
    if (text.n && memchr(text.p, '\0', text.n))
        return fault_set(fault, FAULT_INVALID, "member \"%s\" has a NUL in it", field->name);
    *out = text;
    return FAULT_OK;
}

static enum fault_code field_read(const struct field *field, const struct json_value *value,
                                  struct arena *arena, void *at, struct fault *fault)
{
    switch (field->kind) {
    case FIELD_TEXT:
        return text_read(field, value, arena, at, fault);
    case FIELD_BOOL:
        *(bool *)at = json_true(value);
        return FAULT_OK;
    case FIELD_INT:
        if (json_int(value, 0, field->max, at))
            return FAULT_OK;
        return fault_set(fault, FAULT_INVALID,
                         "member \"%s\" must be a whole number from 0 to %lld", field->name,
                         (long long)field->max);
    case FIELD_PRICE:
    default:
        if (json_cost(value, at) && *(int64_t *)at <= field->max)
            return FAULT_OK;
        return fault_set(fault, FAULT_INVALID, "member \"%s\" must be a number from 0 to 1e6",
                         field->name);
    }
}

enum fault_code agent_def_read(struct str body, struct arena *arena, struct agent_def *out,
                               struct fault *fault)
{
    static const unsigned types[] = {
        [FIELD_TEXT] = JSON_STRING,
        [FIELD_BOOL] = JSON_BOOL,
        [FIELD_INT] = JSON_NUMBER,
        [FIELD_PRICE] = JSON_NUMBER,
    };
    struct json_member members[FIELD_COUNT] = {0};
    struct agent_def def = {0};
    struct json_value value;
    enum fault_code code;

    if (body.n > LIMIT_AGENT_BODY_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the agent has more than %d bytes",
                         LIMIT_AGENT_BODY_BYTES);
    code = json_read(body, LIMIT_JSON_DEPTH, "the agent", &value, fault);
    if (code)
        return code;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        members[i] = (struct json_member){
            .name = fields[i].name, .types = types[fields[i].kind], .required = i == 0};
    code = json_members(&value, NULL, members, FIELD_COUNT, fault);
    for (size_t i = 0; !code && i < FIELD_COUNT; i++)
        if (members[i].given)
            code = field_read(&fields[i], &members[i].value, arena, place(&def, &fields[i]), fault);
    if (!code)
        *out = def;
    return code;
}
