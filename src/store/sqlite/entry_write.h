/* An entry that a caller wants to have, written at the end of a session. */
#ifndef STORE_SQLITE_ENTRY_WRITE_H
#define STORE_SQLITE_ENTRY_WRITE_H

#include "store/sqlite/writer.h"

/* What the entry names, found before anything was written. */
struct entry_names {
    struct address ref; /* ENTRY_SUBSESSION, ENTRY_MERGED */
    int64_t tree;       /* object; 0: none */
};

/* `session` is the writer's, as the caller names it. */
FAULT_CHECK enum fault_code entry_write(struct writer *writer, const struct entry_spec *spec,
                                        const struct entry_names *names, struct str session,
                                        struct arena *arena, struct entry *out,
                                        struct fault *fault);

#endif
