/*
 * Objects in the database, and how they stay there while gc works beside those who name them.
 *
 * gc says when it begins, in a transaction of its own, before it looks at what is reached
 * (sweep.c). It removes only what is not reached and was born and touched no later than that. So:
 * 1. Times of birth and touch are above the beginning of the newest gc, whatever the clock says.
 * 2. Who uses an object that is there already touches it, unless it is that young.
 * 3. Who records a tree says which gc was the newest when its objects were named; if that is
 *    another one by now, they may not be young enough, and have to be named again.
 */
#ifndef STORE_SQLITE_OBJECT_ROW_H
#define STORE_SQLITE_OBJECT_ROW_H

#include "store/files.h"
#include "store/object.h"
#include "store/sqlite/db.h"

/* The number of the object with these bytes, which is made when new. 0 for "{}" and for none. */
FAULT_CHECK enum fault_code object_put(struct db *db, int kind, struct str data, int64_t at_us,
                                       int64_t *out, struct fault *fault);

/* The number of an object, which is made when new. Its hash is trusted. */
FAULT_CHECK enum fault_code object_keep(struct db *db, const struct object *object, int64_t *out,
                                        struct fault *fault);

/* The number of an object by its hash, touched when that is due; 0: it is not there. */
FAULT_CHECK enum fault_code object_name_again(struct db *db, struct str hash, int64_t *out,
                                              struct fault *fault);

/* *known: it is there; *young: and needs no touch. Changes nothing. */
FAULT_CHECK enum fault_code object_look(struct db *db, struct str hash, bool *known, bool *young,
                                        struct fault *fault);

/* The object by its number or by its hash, with data in the arena. FAULT_NOT_FOUND. */
FAULT_CHECK enum fault_code object_at(struct db *db, int64_t number, struct arena *arena,
                                      struct object *out, struct fault *fault);
FAULT_CHECK enum fault_code object_find(struct db *db, const unsigned char hash[HASH_BYTES],
                                        struct arena *arena, struct object *out,
                                        struct fault *fault);

/* The number of a stored tree by its hash. FAULT_NOT_FOUND. */
FAULT_CHECK enum fault_code tree_named(struct db *db, struct str hash, int64_t *out,
                                       struct fault *fault);

/*
 * The number of a tree that a verb is to record; 0 when none is given. FAULT_TREE_STALE,
 * FAULT_NOT_FOUND. tree_empty is never stale and never missing.
 */
FAULT_CHECK enum fault_code tree_record(struct db *db, const struct tree_spec *spec,
                                        int64_t *object, struct fault *fault);

/* The number of the tree without files, which is made when new. */
FAULT_CHECK enum fault_code tree_empty_keep(struct db *db, int64_t at_us, int64_t *out,
                                            struct fault *fault);

/* The hash of a stored object. */
FAULT_CHECK enum fault_code object_hash(struct db *db, int64_t object, struct arena *arena,
                                        struct str *out, struct fault *fault);

/* When gc last began. */
FAULT_CHECK enum fault_code gc_began(struct db *db, int64_t *out, struct fault *fault);

#endif
