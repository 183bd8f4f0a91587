#include "tui/json_lay.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "json/json_in.h"

enum {
    JSON_DEPTH = 64,
    JSON_BYTES = 256 * 1024, /* more is not read, but shown as it is, as far as it is shown */
    GIST_BYTES = 1024,
    GIST_VALUE_BYTES = 300,
    GIST_ROOM = 2 * 1024,
    MEMBERS_SHOWN = 200,
    VALUE_BYTES = 64 * 1024
};

static bool read_object(struct str json, struct json_value *out)
{
    struct fault fault;

    return json.n <= JSON_BYTES && json_read(json, JSON_DEPTH, "it", out, &fault) == FAULT_OK &&
           out->type == JSON_OBJECT;
}

/* A string's text, anything else as it stands. */
static struct str value_text(const struct json_value *value, struct arena *arena)
{
    return value->type == JSON_STRING ? json_text(value, arena) : value->raw;
}

/* The only member, when there is but one, and a string. */
static bool only_text(const struct json_value *object, struct arena *arena, struct str *out)
{
    struct json_walk walk;

    json_walk_begin(&walk, object);
    if (!json_walk_next(&walk) || walk.value.type != JSON_STRING)
        return false;
    *out = json_text(&walk.value, arena);
    return !json_walk_next(&walk);
}

static struct str object_gist(const struct json_value *object, struct arena *arena)
{
    struct json_walk walk;
    struct str only;
    struct buf out;

    if (only_text(object, arena, &only))
        return only;
    buf_init(&out, GIST_ROOM);
    json_walk_begin(&walk, object);
    while (out.n < GIST_BYTES && json_walk_next(&walk)) {
        if (out.n)
            buf_add_char(&out, ' ');
        buf_add_str(&out, utf8_cut(json_unescape(walk.key, arena), GIST_VALUE_BYTES));
        buf_add_char(&out, '=');
        buf_add_str(&out, utf8_cut(value_text(&walk.value, arena), GIST_VALUE_BYTES));
    }
    return buf_take(&out, arena);
}

struct str json_gist(struct str json, struct arena *arena)
{
    struct json_value value;
    struct str gist = read_object(json, &value) ? object_gist(&value, arena) : json;

    return cells_clean(utf8_cut(gist, GIST_BYTES), arena);
}

struct str json_member_of(struct str json, const char *name)
{
    struct json_value value;
    struct json_walk walk;

    if (!read_object(json, &value))
        return STR_NONE;
    json_walk_begin(&walk, &value);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, str_of(name)))
            return walk.value.raw;
    return STR_NONE;
}

static void lay_cut(struct flow *flow, struct str text, struct look look)
{
    struct str shown = utf8_cut(text, VALUE_BYTES);

    flow_exact(flow, shown, look);
    flow_break(flow);
    if (shown.n < text.n)
        flow_text(flow, arena_printf(flow_arena(flow), "… %zu bytes more", text.n - shown.n),
                  look_with(TONE_FAINT, look.bits));
    flow_break(flow);
}

static void lay_member(struct flow *flow, const struct json_walk *walk, struct look look)
{
    struct arena *arena = flow_arena(flow);
    struct str text = value_text(&walk->value, arena);

    flow_text(flow, utf8_cut(json_unescape(walk->key, arena), GIST_VALUE_BYTES),
              look_with(TONE_FAINT, look.bits));
    flow_text(flow, STR(": "), look_with(TONE_FAINT, look.bits));
    if (!text.n || !memchr(text.p, '\n', text.n)) {
        lay_cut(flow, text, look);
        return;
    }
    flow_push(flow, STR("  "), STR("  "), look);
    lay_cut(flow, text, look);
    flow_pop(flow);
}

void json_lay(struct flow *flow, struct str json, struct look look)
{
    struct json_value value;
    struct json_walk walk;
    size_t members = 0;

    flow_break(flow);
    if (!read_object(json, &value)) {
        lay_cut(flow, json, look);
        return;
    }
    json_walk_begin(&walk, &value);
    while (json_walk_next(&walk)) {
        if (members++ == MEMBERS_SHOWN) {
            flow_text(flow, STR("… and more"), look_with(TONE_FAINT, look.bits));
            flow_break(flow);
            return;
        }
        lay_member(flow, &walk, look);
    }
}
