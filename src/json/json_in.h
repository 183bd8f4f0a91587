/*
 * JSON that comes from outside. It is checked once, whole, against RFC 8259 and no looser; after
 * that it is walked as raw bytes, so that what is kept is kept byte for byte: large integers,
 * spacing and escapes survive. Nothing is built in memory for it.
 */
#ifndef JSON_JSON_IN_H
#define JSON_JSON_IN_H

#include "base/arena.h"
#include "base/fault.h"

#include <stdint.h>

enum json_kind {
    JSON_NULL = 1,
    JSON_BOOL = 2,
    JSON_NUMBER = 4,
    JSON_STRING = 8,
    JSON_ARRAY = 16,
    JSON_OBJECT = 32,
    JSON_ANY = 63
};

/* A checked value: its bytes, without the white space around them. */
struct json_value {
    enum json_kind type;
    struct str raw;
};

/*
 * Checks all of `bytes`: one value, valid UTF-8, nested at most `depth` deep. FAULT_INVALID says
 * what is wrong at which byte, and begins with `what` ("metadata is not valid JSON: …").
 */
FAULT_CHECK enum fault_code json_read(struct str bytes, int depth, const char *what,
                                      struct json_value *out, struct fault *fault);

/* Walks the members of an object or the elements of an array. */
struct json_walk {
    struct str key;          /* raw inside of the member's name; empty in an array */
    struct json_value value; /* of the member, or the element */
    struct str rest;
};

void json_walk_begin(struct json_walk *walk, const struct json_value *value);
bool json_walk_next(struct json_walk *walk);

/* A member that an object may have, and what was found of it. */
struct json_member {
    const char *name;
    unsigned types; /* of enum json_kind, or-ed */
    bool required;
    bool given;
    struct json_value value;
};

/* Rows of a table of members. */
#define JSON_MUST(name_, types_)                             \
    {                                                        \
        .name = (name_), .types = (types_), .required = true \
    }
#define JSON_MAY(name_, types_)            \
    {                                      \
        .name = (name_), .types = (types_) \
    }

/*
 * Finds the members of an object. Refused, by name: members that are not in the table, that stand
 * there twice, of another type, or missing. `where` ("parts[3]") goes into the message; NULL: the
 * object is the outermost one.
 */
FAULT_CHECK enum fault_code json_members(const struct json_value *object, const char *where,
                                         struct json_member *members, size_t count,
                                         struct fault *fault);

/* The text of a string. It points into the input when nothing in it is escaped, else into the
 * arena. */
struct str json_text(const struct json_value *string, struct arena *arena);

/* The text that the raw inside of a string stands for, likewise. */
struct str json_unescape(struct str inside, struct arena *arena);

/* The raw inside of a string, between its quotes. */
struct str json_inside(const struct json_value *string);

bool json_true(const struct json_value *value);

/* False when the number has a fraction or an exponent, or is out of range. */
bool json_int(const struct json_value *number, int64_t min, int64_t max, int64_t *out);

/*
 * A decimal number in integers of 1e-9, exact up to nine decimals, rounded to nearest beyond.
 * False when it is negative or does not fit.
 */
bool json_cost(const struct json_value *number, int64_t *out);

/* Bytes written as hexadecimal digits; false when the string is something else. */
bool json_hex(const struct json_value *string, struct arena *arena, struct str *out);

#endif
