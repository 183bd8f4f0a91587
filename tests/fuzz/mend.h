/*
 * Reads a damaged export as if its writer had computed the hashes over the damage: the last line
 * and the path hash of every act agree with what stands there. So whatever else is wrong in it gets
 * past the hashes and meets the store.
 */
#ifndef FUZZ_MEND_H
#define FUZZ_MEND_H

#include "dialect/native/log_in.h"

struct mend {
    struct log_in in;
    struct buf text; /* the export with its new last line */
    struct hasher *hasher;
    struct mend_place *places; /* acts so far; number 0 is the base of a session */
    size_t count, room;
    unsigned char hash[HASH_BYTES]; /* of the act at hand */
};

void mend_init(struct mend *mend, struct str export);
void mend_clear(struct mend *mend);

/* A log_item_next; `context` is the struct mend. */
FAULT_CHECK enum fault_code mend_next(void *context, struct log_item *item, bool *end,
                                      struct fault *fault);

#endif
