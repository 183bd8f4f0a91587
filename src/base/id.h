/* UUID version 7: 16 bytes that sort by the time they were made. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/str.h"

#include <stdint.h>

enum { ID_BYTES = 16, ID_TEXT = 36 };

struct id {
    unsigned char b[ID_BYTES];
};

/* 48 bits of milliseconds, 12 bits of counter, 62 bits of randomness (of which 2 are fixed). */
struct id id_make(int64_t ms, unsigned counter, const unsigned char random[8]);

/* Writes the 36 characters and a NUL. */
void id_format(const struct id *id, char text[ID_TEXT + 1]);

/* Reads the canonical form (lower case, hyphens in place); false for anything else. */
bool id_parse(struct str text, struct id *out);

/* The range of ids whose text starts with `start`; false when no id can. An empty start is refused.
 */
bool id_range(struct str start, struct id *first, struct id *last);

#endif
