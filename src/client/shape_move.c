/* What forks and rewinds answer with. */
#include "client/shapes.h"

static const struct field point_fields[] = {
    FIELD("message", FIELD_TEXT, tine_point, message),
    FIELD("side", FIELD_TEXT, tine_point, side),
    FIELD("index", FIELD_INT, tine_point, index),
    FIELD("snapped", FIELD_BOOL, tine_point, snapped),
};

static const struct tine_point point_fresh = {.side = "after"};

const struct shape shape_point = {
    .what = "a point",
    .bytes = sizeof(struct tine_point),
    .fresh = &point_fresh,
    .fields = point_fields,
    .count = FIELD_COUNT(point_fields),
};

static const struct field move_fields[] = {
    FIELD("id", FIELD_TEXT, tine_move, id),          FIELD("act", FIELD_TEXT, tine_move, act),
    FIELD("from", FIELD_TEXT, tine_move, from),      FIELD("to", FIELD_TEXT, tine_move, to),
    FIELD("dropped", FIELD_INT, tine_move, dropped), FIELD("kept", FIELD_INT, tine_move, kept),
    FIELD("added", FIELD_INT, tine_move, added),
};

static const struct tine_move move_fresh = {.act = "rewind"};

const struct shape shape_move = {
    .what = "a rewind",
    .bytes = sizeof(struct tine_move),
    .fresh = &move_fresh,
    .fields = move_fields,
    .count = FIELD_COUNT(move_fields),
};
