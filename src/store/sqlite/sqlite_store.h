/* The store in one SQLite file, with search.db beside it. */
#ifndef STORE_SQLITE_SQLITE_STORE_H
#define STORE_SQLITE_SQLITE_STORE_H

#include "store/store.h"

struct sqlite_store_options {
    const char *path; /* NULL: in memory, gone when closed */
    int busy_ms;      /* how long a busy file is waited for; 0: the default */
    size_t group_max; /* pieces that are committed together; 0: the default; 1: one commit each */
};

/*
 * Opens, creating or migrating as needed (a file of an older schema is copied to
 * `<path>.before-v<N>` first). FAULT_SCHEMA for a file of a newer tine, or of another program: it
 * is left untouched.
 */
FAULT_CHECK enum fault_code sqlite_store_open(const struct sqlite_store_options *options,
                                              struct store **out, struct fault *fault);

const char *sqlite_store_version(void); /* of the library: "3.40.1" */

#endif
