/* A set of numbers of objects: a bit for each number up to the highest. */
#ifndef STORE_SQLITE_MARKS_H
#define STORE_SQLITE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct marks {
    unsigned char *bits;
    size_t room; /* bytes */
};

void marks_clear(struct marks *marks); /* empty again, memory given back; {0} is empty, too */

bool marks_add(struct marks *marks, int64_t number); /* false: it was there already */
bool marks_have(const struct marks *marks, int64_t number);

#endif
