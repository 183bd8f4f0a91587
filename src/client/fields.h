/*
 * Members of JSON objects into members of structs, by tables. What the table does not name is
 * passed over, so that a newer server can say more; what has another type than expected is an
 * error. A shape is the table of a whole struct, and may hold others.
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
    FIELD_TEXT,   /* const char *; null leaves it */
    FIELD_JSON,   /* const char *: any value as it stands; null leaves it */
    FIELD_INT,    /* int64_t; null leaves it */
    FIELD_BOOL,   /* bool */
    FIELD_TIME,   /* int64_t: milliseconds since 1970 */
    FIELD_COST,   /* int64_t: in 1e-9 */
    FIELD_THERE,  /* bool: there is such a member */
    FIELD_INSIDE, /* an object, whose members go into the same struct, from `at` on */
    FIELD_OBJECT, /* const pointer: an object that is a struct of its own; null leaves it */
    FIELD_LIST    /* const pointer, and a size_t at `count_at`; null leaves them */
};

struct shape;

struct field {
    const char *name;
    enum field_kind kind;
    size_t at;                 /* offsetof */
    const struct shape *shape; /* of the last three kinds */
    size_t count_at;
};

#define FIELD(text, type, struct_name, member)                                     \
    {                                                                              \
        .name = (text), .kind = (type), .at = offsetof(struct struct_name, member) \
    }
#define FIELD_SHAPE(text, type, struct_name, member, member_shape)                  \
    {                                                                               \
        .name = (text), .kind = (type), .at = offsetof(struct struct_name, member), \
        .shape = (member_shape)                                                     \
    }
#define FIELD_ITEMS(text, struct_name, member, count, item_shape)                       \
    {                                                                                   \
        .name = (text), .kind = FIELD_LIST, .at = offsetof(struct struct_name, member), \
        .shape = (item_shape), .count_at = offsetof(struct struct_name, count)          \
    }
#define FIELD_COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

struct shape {
    const char *what;  /* its noun, for errors */
    size_t bytes;      /* of the struct */
    const void *fresh; /* the struct before anything is read; NULL: all zero */
    const struct field *fields;
    size_t count;
    bool has_json; /* the object as it came goes to `json_at` */
    size_t json_at;
    /* Reads what a table cannot say, when the fields are there; NULL: nothing more. */
    bool (*rest)(struct reader *reader, const struct json_value *value, void *out);
};

enum { REPLY_DEPTH = 100, REPLY_ITEMS = 1000 * 1000 };

/* `what` is the noun of the object, for the error. */
bool fields_read(struct reader *reader, const struct json_value *object, const char *what,
                 const struct field *fields, size_t count, void *out);

/* The member of an object; false when it has none, or it is null. */
bool member_find(const struct json_value *object, const char *name, struct json_value *out);

const char *text_dup(struct reader *reader, struct str text); /* with a NUL */

/*
 * The bytes of a member that has them as text, with %HH for most, with a NUL behind them; *out and
 * *count (may be NULL) stay when there is no such member.
 */
bool bytes_read(struct reader *reader, const struct json_value *object, const char *name,
                const char **out, size_t *count);

/* Is `value` of that type? If not, the error is set. */
bool type_check(struct reader *reader, const struct json_value *value, enum json_kind type,
                const char *what);

/* A struct of that shape, from the beginning. */
bool shape_read(struct reader *reader, const struct json_value *value, const struct shape *shape,
                void *out);

/* The same, in memory of the reader's; *out is a pointer to it. */
bool shape_new(struct reader *reader, const struct json_value *value, const struct shape *shape,
               void *out);

/* The elements of an array; *out is a pointer to them. `name` is that of the member. */
bool list_read(struct reader *reader, const struct json_value *array, const char *name,
               const struct shape *shape, void *out, size_t *count);

#endif
