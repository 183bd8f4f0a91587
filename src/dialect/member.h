/* Members of JSON that was checked before, in objects whose other members do not matter. */
#ifndef DIALECT_MEMBER_H
#define DIALECT_MEMBER_H

#include "json/json_in.h"

/* The member of that name; false when it is no object, has none, or the member is null. */
static inline bool member_at(const struct json_value *object, const char *name,
                             struct json_value *out)
{
    struct str wanted = str_of(name);
    struct json_walk walk;

    if (object->type != JSON_OBJECT)
        return false;
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        if (str_eq(walk.key, wanted)) {
            *out = walk.value;
            return walk.value.type != JSON_NULL;
        }
    return false;
}

/* The text of a member that is a string; empty for everything else. */
static inline struct str member_string(const struct json_value *object, const char *name,
                                       struct arena *arena)
{
    struct json_value value;

    if (!member_at(object, name, &value) || value.type != JSON_STRING)
        return STR_NONE;
    return json_text(&value, arena);
}

/* The elements of a member that is an array: ready to be walked, also when there are none. */
static inline void member_walk(const struct json_value *object, const char *name,
                               struct json_walk *walk)
{
    static const struct json_value none = {JSON_ARRAY, {"[]", 2}};
    struct json_value value;

    if (!member_at(object, name, &value) || value.type != JSON_ARRAY)
        value = none;
    json_walk_begin(walk, &value);
}

#endif
