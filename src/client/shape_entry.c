#include "client/shapes.h"

static const struct field fields[] = {
    FIELD("event", FIELD_INT, tine_entry, event),
    FIELD("act", FIELD_TEXT, tine_entry, act),
    FIELD("message", FIELD_TEXT, tine_entry, about),
    FIELD("was", FIELD_TEXT, tine_entry, was),
    FIELD("now", FIELD_TEXT, tine_entry, now),
    FIELD("created_at", FIELD_TIME, tine_entry, created_ms),
    FIELD_SHAPE("entry", FIELD_OBJECT, tine_entry, message, &shape_message),
};

static const struct tine_entry fresh = {.act = ""};

const struct shape shape_entry = {
    .what = "an entry",
    .bytes = sizeof(struct tine_entry),
    .fresh = &fresh,
    .fields = fields,
    .count = FIELD_COUNT(fields),
    .has_json = true,
    .json_at = offsetof(struct tine_entry, json),
};
