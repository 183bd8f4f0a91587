#include "client/fields.h"

const char *text_dup(struct reader *reader, struct str text)
{
    return arena_dup(reader->arena, text).p;
}

bool member_find(const struct json_value *object, const char *name, struct json_value *out)
{
    struct str wanted = str_of(name);
    struct json_walk walk;

    if (object->type != JSON_OBJECT)
        return false;
    json_walk_begin(&walk, object);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, wanted) && walk.value.type != JSON_NULL) {
            *out = walk.value;
            return true;
        }
    return false;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool bytes_read(struct reader *reader, const struct json_value *object, const char *name,
                const char **out, size_t *count)
{
    struct json_value member;
    struct str text;
    size_t n = 0;
    unsigned char *bytes;

    if (!member_find(object, name, &member))
        return true;
    text = member.type == JSON_STRING ? json_text(&member, reader->arena) : STR("%");
    bytes = arena_alloc(reader->arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++) {
        int high = text.p[i] == '%' && i + 2 < text.n ? digit_of(text.p[i + 1]) : -1;
        int low = high >= 0 ? digit_of(text.p[i + 2]) : -1;

        if (text.p[i] != '%') {
            bytes[n++] = (unsigned char)text.p[i];
            continue;
        }
        if (low < 0)
            return error_set(reader->error, 0, "protocol",
                             "the reply makes no sense: \"%s\" is something else", name);
        bytes[n++] = (unsigned char)(high * 16 + low);
        i += 2;
    }
    bytes[n] = '\0';
    *out = (const char *)bytes;
    if (count)
        *count = n;
    return true;
}

bool type_check(struct reader *reader, const struct json_value *value, enum json_kind type,
                const char *what)
{
    if (value->type == type)
        return true;
    return error_set(reader->error, 0, "protocol", "the reply makes no sense: %s is no %s", what,
                     type == JSON_OBJECT ? "object" : "list");
}

/* Days from 1970-01-01, by the proleptic Gregorian calendar; a year begins in March here. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t m = month <= 2 ? month + 9 : month - 3;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static bool digits_read(struct str text, size_t at, size_t n, int64_t *out)
{
    *out = 0;
    for (size_t i = at; i < at + n; i++) {
        if (i >= text.n || text.p[i] < '0' || text.p[i] > '9')
            return false;
        *out = *out * 10 + (text.p[i] - '0');
    }
    return true;
}

/* "2024-05-01T12:00:00.000Z", with any number of decimals or none. */
static bool time_read(struct str text, int64_t *out)
{
    int64_t year, month, day, hour, minute, second, ms = 0;
    size_t at = 19;

    if (text.n < 20 || text.p[4] != '-' || text.p[7] != '-' || text.p[10] != 'T' ||
        text.p[13] != ':' || text.p[16] != ':' || text.p[text.n - 1] != 'Z' ||
        !digits_read(text, 0, 4, &year) || !digits_read(text, 5, 2, &month) ||
        !digits_read(text, 8, 2, &day) || !digits_read(text, 11, 2, &hour) ||
        !digits_read(text, 14, 2, &minute) || !digits_read(text, 17, 2, &second) || month < 1 ||
        month > 12)
        return false;
    if (text.p[at] == '.') {
        int64_t scale = 100;

        for (at++; at < text.n - 1; at++, scale /= 10) {
            if (text.p[at] < '0' || text.p[at] > '9')
                return false;
            ms += (text.p[at] - '0') * scale;
        }
    }
    if (at != text.n - 1)
        return false;
    *out = (((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms;
    return true;
}

/* False when the value is not of the field's kind. */
static bool scalar_read(struct reader *reader, enum field_kind kind, const struct json_value *value,
                        void *out)
{
    switch (kind) {
    case FIELD_TEXT:
        if (value->type != JSON_STRING)
            return false;
        *(const char **)out = text_dup(reader, json_text(value, reader->arena));
        return true;
    case FIELD_JSON:
        *(const char **)out = text_dup(reader, value->raw);
        return true;
    case FIELD_INT:
        return value->type == JSON_NUMBER && json_int(value, INT64_MIN, INT64_MAX, out);
    case FIELD_BOOL:
        if (value->type != JSON_BOOL)
            return false;
        *(bool *)out = json_true(value);
        return true;
    case FIELD_TIME:
        return value->type == JSON_STRING && time_read(json_text(value, reader->arena), out);
    case FIELD_COST:
        return value->type == JSON_NUMBER && json_cost(value, out);
    case FIELD_THERE:
        *(bool *)out = true;
        return true;
    case FIELD_INSIDE:
    case FIELD_OBJECT:
    case FIELD_LIST:
        break;
    }
    return false;
}

/* The members of a shape, and what its table cannot say. */
static bool inside_read(struct reader *reader, const struct json_value *value,
                        const struct shape *shape, void *out)
{
    return (!shape->fields ||
            fields_read(reader, value, shape->what, shape->fields, shape->count, out)) &&
           (!shape->rest || shape->rest(reader, value, out));
}

/* One member; `what` is the noun of the object that has it. */
static bool member_read(struct reader *reader, const struct field *field,
                        const struct json_value *value, const char *what, char *out)
{
    void *at = out + field->at;

    if (field->kind == FIELD_INSIDE)
        return inside_read(reader, value, field->shape, at);
    if (field->kind == FIELD_OBJECT)
        return shape_new(reader, value, field->shape, at);
    if (field->kind == FIELD_LIST)
        return list_read(reader, value, field->name, field->shape, at,
                         (size_t *)(void *)(out + field->count_at));
    return scalar_read(reader, field->kind, value, at) ||
           error_set(reader->error, 0, "protocol",
                     "the reply makes no sense: \"%s\" of %s is something else", field->name, what);
}

bool fields_read(struct reader *reader, const struct json_value *object, const char *what,
                 const struct field *fields, size_t count, void *out)
{
    struct json_walk walk;

    if (!type_check(reader, object, JSON_OBJECT, what))
        return false;
    json_walk_begin(&walk, object);
    while (json_walk_next(&walk))
        for (size_t i = 0; i < count; i++)
            if (walk.value.type != JSON_NULL && str_eq(walk.key, str_of(fields[i].name)) &&
                !member_read(reader, &fields[i], &walk.value, what, out))
                return false;
    return true;
}

bool shape_read(struct reader *reader, const struct json_value *value, const struct shape *shape,
                void *out)
{
    if (shape->fresh)
        memcpy(out, shape->fresh, shape->bytes);
    else
        memset(out, 0, shape->bytes);
    if (shape->has_json)
        *(const char **)(void *)((char *)out + shape->json_at) = text_dup(reader, value->raw);
    return inside_read(reader, value, shape, out);
}

bool shape_new(struct reader *reader, const struct json_value *value, const struct shape *shape,
               void *out)
{
    void *object = arena_alloc(reader->arena, shape->bytes);

    *(const void **)out = object;
    return shape_read(reader, value, shape, object);
}

bool list_read(struct reader *reader, const struct json_value *array, const char *name,
               const struct shape *shape, void *out, size_t *count)
{
    struct json_walk walk;
    size_t n = 0;
    char *items;

    if (!type_check(reader, array, JSON_ARRAY, name))
        return false;
    json_walk_begin(&walk, array);
    while (json_walk_next(&walk))
        n++;
    reader->items += (int64_t)n;
    if (reader->items > REPLY_ITEMS)
        return error_set(reader->error, 0, "reply_too_large",
                         "the reply has more than %d things in it", REPLY_ITEMS);
    items = arena_array(reader->arena, n ? n : 1, shape->bytes);
    n = 0;
    json_walk_begin(&walk, array);
    while (json_walk_next(&walk))
        if (!shape_read(reader, &walk.value, shape, items + shape->bytes * n++))
            return false;
    *(const void **)out = items;
    *count = n;
    return true;
}
