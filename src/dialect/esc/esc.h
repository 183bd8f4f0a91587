/* The Esc-Esc server's way to fork: POST /session/{id}/fork, at the root only. */
#ifndef DIALECT_ESC_ESC_H
#define DIALECT_ESC_ESC_H

#include "dialect/app.h"

extern const struct route_table esc_routes;

#endif
