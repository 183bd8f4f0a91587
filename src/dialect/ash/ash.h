/* The wire of ash: its routes, for its TypeScript and Python clients. docs/wires.md says more. */
#ifndef DIALECT_ASH_ASH_H
#define DIALECT_ASH_ASH_H

#include "dialect/app.h"

extern const struct route_table ash_routes; /* below /ash */

#endif
