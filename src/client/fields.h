/*
 * Members of JSON objects into members of structs, by tables. What the table does not name is
 * passed over, so that a newer server can say more; what has another type than expected is an
 * error.
 */
#ifndef CLIENT_FIELDS_H
#define CLIENT_FIELDS_H

#include "base/arena.h"
#include "client/error.h"
#include "json/json_in.h"

/* While one reply or event is read. */
struct reader {
    struct arena *arena;
    struct tine_error *error;
    int64_t items; /* elements of lists so far */
};

enum field_kind {
    FIELD_TEXT, /* const char *; null leaves it */
    FIELD_JSON, /* const char *: any value as it stands; null leaves it */
    FIELD_INT,  /* int64_t; null leaves it */
    FIELD_BOOL, /* bool */
    FIELD_TIME, /* int64_t: milliseconds since 1970 */
    FIELD_COST  /* int64_t: in 1e-9 */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t at; /* offsetof */
};

enum { REPLY_DEPTH = 100, REPLY_ITEMS = 1000 * 1000 };

/* `what` is the noun of the object, for the error. */
bool fields_read(struct reader *reader, const struct json_value *object, const char *what,
                 const struct field *fields, size_t count, void *out);

/* The member of an object; false when it has none, or it is null. */
bool member_find(const struct json_value *object, const char *name, struct json_value *out);

const char *text_dup(struct reader *reader, struct str text); /* with a NUL */

/* Is `value` of that type? If not, the error is set. */
bool type_check(struct reader *reader, const struct json_value *value, enum json_kind type,
                const char *what);

/*
 * Reads the elements of an array: `read` for each, into elements of `bytes` bytes that are zero.
 * *out and *count are set on success.
 */
typedef bool item_read(struct reader *reader, const struct json_value *value, void *out);
bool list_read(struct reader *reader, const struct json_value *array, const char *what,
               size_t bytes, item_read *read, const void **out, size_t *count);

#endif
