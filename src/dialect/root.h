/*
 * At the root of the server every dialect answers on the paths that its documents print. One
 * function with one table finds the dialect; no dialect knows of it.
 */
#ifndef DIALECT_ROOT_H
#define DIALECT_ROOT_H

#include "dialect/app.h"

/* All tables of the server: those with a prefix of their own, the service's, and the root's. */
const struct route_table *const *root_tables(size_t *count);

/* Is it a dialect that a listener, --root or the header Tine-Dialect may name? */
bool root_knows(struct str name);

#endif
