/* Text that looks like text: words of a fixed vocabulary, few of them often, and now and then a
 * rare one. */
#ifndef BENCH_PROSE_H
#define BENCH_PROSE_H

#include "base/buf.h"

#include <stdint.h>

#define PROSE_RARE   "xylophone" /* in one of PROSE_RARE_EVERY texts */
#define PROSE_COMMON "tabo"      /* in nearly every long text */

enum { PROSE_RARE_EVERY = 10 * 1000 };

struct prose {
    uint64_t state; /* the same seed gives the same texts */
    uint64_t texts;
};

/* Adds a text of about `bytes`. */
void prose_add(struct prose *prose, size_t bytes, struct buf *out);

#endif
