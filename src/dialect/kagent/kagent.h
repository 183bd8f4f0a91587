/* kagent's REST interface: sessions, events and tasks as its pages and its runtimes call them. */
#ifndef DIALECT_KAGENT_KAGENT_H
#define DIALECT_KAGENT_KAGENT_H

#include "http/route.h"

extern const struct route_table kagent_routes;

#endif
