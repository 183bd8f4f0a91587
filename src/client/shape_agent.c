#include "client/shapes.h"

static const struct field fields[] = {
    FIELD("id", FIELD_TEXT, tine_agent, id),
    FIELD("namespace", FIELD_TEXT, tine_agent, space),
    FIELD("name", FIELD_TEXT, tine_agent, name),
    FIELD("kind", FIELD_TEXT, tine_agent, kind),
    FIELD("description", FIELD_TEXT, tine_agent, description),
    FIELD("model", FIELD_TEXT, tine_agent, model),
    FIELD("default", FIELD_BOOL, tine_agent, is_default),
};

static const struct tine_agent fresh = {
    .id = "", .space = "", .name = "", .kind = "", .description = ""};

const struct shape shape_agent = {
    .what = "an agent",
    .bytes = sizeof(struct tine_agent),
    .fresh = &fresh,
    .fields = fields,
    .count = FIELD_COUNT(fields),
    .has_json = true,
    .json_at = offsetof(struct tine_agent, json),
};
