/* The last part of gc: objects that nothing reaches go. */
#ifndef STORE_SQLITE_SWEEP_H
#define STORE_SQLITE_SWEEP_H

#include "store/sqlite/own.h"

/* Others write meanwhile. Adds to result->objects. FAULT_CORRUPT: a tree cannot be read; then
 * nothing goes. */
FAULT_CHECK enum fault_code sweep_objects(struct sqlite_store *store, const struct gc_spec *spec,
                                          store_progress *progress, void *context,
                                          struct gc_result *result, struct fault *fault);

#endif
