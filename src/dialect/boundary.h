/*
 * An invocation as the place before which a conversation is cut: kagent's way, over its own calls
 * and over A2A.
 */
#ifndef DIALECT_BOUNDARY_H
#define DIALECT_BOUNDARY_H

#include "dialect/app.h"

/*
 * The point before the first entry of that invocation in the raw log; or before the rewind whose
 * marker has that invocation id. FAULT_INVALID for an empty one and for "header_update", which
 * comes again in every turn; FAULT_TURN_NOT_FOUND.
 */
FAULT_CHECK enum fault_code boundary_find(struct app *app, int64_t owner, struct str session,
                                          struct str invocation, struct arena *arena,
                                          struct point_spec *out, struct fault *fault);

/* The invocation id that the marker of a move has: "e-" and the id of the move. */
struct str boundary_marker(struct str move, struct arena *arena);

/*
 * Rewinds the session to a point that boundary_find gave. ADK writes a marker also when nothing
 * changes, so this is an act in any case. FAULT_FILES_CONFLICT names the files.
 */
FAULT_CHECK enum fault_code boundary_rewind(struct app *app, struct move_spec *spec,
                                            struct arena *arena, struct move_result *out,
                                            struct fault *fault);

/* State that a rewind does not move: for struct move_spec. */
extern const struct str boundary_keep[2]; /* "app:", "user:" */

#endif
