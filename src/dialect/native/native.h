/*
 * The native API over HTTP: its routes, what their handlers work with, and how events are written.
 * Who starts the server fills a app and hands it to server_open as `app`.
 */
#ifndef DIALECT_NATIVE_NATIVE_H
#define DIALECT_NATIVE_NATIVE_H

#include "dialect/app.h"

extern const struct route_table native_routes;  /* below /api/v1 */
extern const struct route_table service_routes; /* /healthz, /readyz, /metrics, /docs */

/* For hub_new: an event in the words of the native API. */
struct hub_word native_event_render(const struct event *event, struct arena *arena);

/* For turns_options: a piece of running text, and the type under which hub_tell sends it. */
struct str native_piece_render(const struct turn_piece *piece, struct arena *arena);
#define NATIVE_PIECE_TYPE "message.delta"

#endif
