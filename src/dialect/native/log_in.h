/* Reads an export (see log_form.h), line by line; trusts nothing in it. */
#ifndef DIALECT_NATIVE_LOG_IN_H
#define DIALECT_NATIVE_LOG_IN_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/log_item.h"

#include <stdio.h>

struct log_in {
    FILE *file; /* or, when NULL, … */
    struct str memory;
    struct buf line;
    struct arena arena; /* of the item at hand */
    struct hasher *hasher;
    bool begun, ended;
    int64_t number; /* of the line at hand, from 1 */
    int64_t items, sessions;
};

/* Neither closes the file nor frees the memory. */
void log_in_init_file(struct log_in *in, FILE *file);
void log_in_init_memory(struct log_in *in, struct str memory);
void log_in_clear(struct log_in *in);

/*
 * A log_item_next; `context` is the struct log_in. Every fault names the line. A file that was cut
 * off or changed ends with FAULT_INVALID, not with *end; so do numbers and sizes out of range, and
 * members that are not known. What the numbers refer to is for the store to check.
 */
FAULT_CHECK enum fault_code log_in_next(void *context, struct log_item *item, bool *end,
                                        struct fault *fault);

#endif
