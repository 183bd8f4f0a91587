/*
 * Writes JSON into a buffer. Each call writes one value, as the member `key` of the object that is
 * open, or without a key (NULL) as an element or the whole. Strings must be valid UTF-8.
 */
#ifndef JSON_JSON_OUT_H
#define JSON_JSON_OUT_H

#include "base/buf.h"

#include <stdint.h>

struct json_out {
    struct buf *buf;
    bool comma; /* something stands before the next value */
};

void json_out_init(struct json_out *out, struct buf *buf);

void json_out_object(struct json_out *out, const char *key);
void json_out_object_end(struct json_out *out);
void json_out_array(struct json_out *out, const char *key);
void json_out_array_end(struct json_out *out);

/* For members whose name is not known when the program is written. */
void json_out_key(struct json_out *out, struct str key);

void json_out_string(struct json_out *out, const char *key, struct str value);
void json_out_plain(struct json_out *out, const char *key,
                    struct str value); /* a string that needs no escaping, such as an id */
void json_out_int(struct json_out *out, const char *key, int64_t value);
void json_out_bool(struct json_out *out, const char *key, bool value);
void json_out_null(struct json_out *out, const char *key);
void json_out_raw(struct json_out *out, const char *key, struct str json); /* JSON as it is */

/* The string, or null when it is empty. */
void json_out_name(struct json_out *out, const char *key, struct str value);

/* The members of an object without its braces; nothing for an empty one. */
void json_out_members(struct json_out *out, struct str object);

void json_out_time(struct json_out *out, const char *key,
                   int64_t us); /* "2024-05-01T12:00:00.000Z" */
void json_out_cost(struct json_out *out, const char *key, int64_t nano); /* 1500000000 is 1.5 */
void json_out_hex(struct json_out *out, const char *key, const void *bytes, size_t n);

#endif
