/* The target of a request line, taken apart: path decoded, query as it came. */
#ifndef HTTP_TARGET_H
#define HTTP_TARGET_H

#include "base/arena.h"
#include "base/fault.h"

struct target {
    struct str path;      /* decoded */
    struct str raw_path;  /* as it came */
    const char *flaw;     /* why only a route that takes the rest of any path may have it: it is no
                             UTF-8, or has control characters or dot segments; NULL: nothing */
    struct str query;     /* raw, without the question mark */
    struct str authority; /* of an absolute target; p == NULL: it had none */
};

/* FAULT_MALFORMED names what is wrong. "*" is a path of its own. */
FAULT_CHECK enum fault_code target_read(struct str raw, struct arena *arena, struct target *out,
                                        struct fault *fault);

/*
 * Decodes %XX, and with `plus` a plus as a space. FAULT_MALFORMED for a bad escape, a control
 * character or what is not UTF-8; `what` is the word for it in the message.
 */
FAULT_CHECK enum fault_code target_decode(struct str raw, bool plus, const char *what,
                                          struct arena *arena, struct str *out,
                                          struct fault *fault);

/* Decodes %XX to any bytes; FAULT_MALFORMED for a bad escape. */
FAULT_CHECK enum fault_code target_decode_bytes(struct str raw, bool plus, const char *what,
                                                struct arena *arena, struct str *out,
                                                struct fault *fault);

/*
 * The path of a file at the end of a raw path, as bytes. FAULT_PATH_INVALID for one that steps
 * upwards, in whatever disguise, or has a slash or a NUL inside a name.
 */
FAULT_CHECK enum fault_code target_decode_rest(struct str raw, struct arena *arena, struct str *out,
                                               struct fault *fault);

/* Is a piece of a raw path this word? */
bool target_is(struct str raw, struct str word);

/* Has the path a name "." or ".."? */
bool target_has_dots(struct str path);

/* Adds the target for a log: a token in its query is left out, odd bytes are escaped. */
struct buf;
void target_log(struct buf *out, struct str raw, size_t max);

#endif
