/* From the name of a point to its address. */
#ifndef STORE_SQLITE_POINT_FIND_H
#define STORE_SQLITE_POINT_FIND_H

#include "store/sqlite/entry_row.h"

/* `session` is the id that the caller used, for messages. */
FAULT_CHECK enum fault_code point_find(struct db *db, const struct link *link, struct str session,
                                       const struct point_spec *spec, struct arena *arena,
                                       struct point *out, struct fault *fault);

/* The entry that the point names, without its guard. FAULT_POINT_INVALID when it names none. */
FAULT_CHECK enum fault_code point_anchor(struct db *db, const struct link *link, struct str session,
                                         const struct point_spec *spec, struct arena *arena,
                                         struct address *out, struct fault *fault);

/* The message before which the cut was made, for the client to put into its input. */
FAULT_CHECK enum fault_code point_excluded(struct db *db, const struct link *link,
                                           const struct point *point, struct arena *arena,
                                           bool *has, struct entry *out, struct fault *fault);

/* The entry of that exact id which the session has; ADDRESS_START when there is none. */
FAULT_CHECK enum fault_code entry_named(struct db *db, const struct link *link, struct str id,
                                        struct address *out, struct fault *fault);

#endif
