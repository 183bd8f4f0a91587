/* A store in memory, and what must hold of everything that one ever took in. */
#ifndef FUZZ_SHELF_H
#define FUZZ_SHELF_H

#include "base/buf.h"
#include "store/store.h"

struct shelf {
    struct store *store;
    int64_t owner;
};

struct shelf shelf_open(void);
void shelf_close(struct shelf *shelf);

/* Each of these ends the program when something is not as it must be. */

void shelf_verify(const struct shelf *shelf); /* verify finds nothing */
void shelf_read(const struct shelf *shelf);   /* everything can be read */
void shelf_use(const struct shelf *shelf);    /* every session can be gone on with and forked */
void shelf_empty(const struct shelf *shelf);  /* all can be deleted, and then nothing is left */

/* Everything as an export; the buffer is the caller's to clear. */
void shelf_export(const struct shelf *shelf, struct buf *out);

#endif
