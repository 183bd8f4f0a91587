/* A2A, the protocol between agents: every agent at an address of its own, JSON-RPC over HTTP. */
#ifndef DIALECT_A2A_A2A_H
#define DIALECT_A2A_A2A_H

#include "dialect/app.h"

enum { A2A_TABLES = 3 };

/* The same routes below /a2a, /api/a2a and /kagent/api/a2a: /{namespace}/{agent} and its card. */
extern const struct route_table a2a_tables[A2A_TABLES];

#endif
