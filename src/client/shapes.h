/* The shapes of what the server answers with: a struct of tine.h each. */
#ifndef CLIENT_SHAPES_H
#define CLIENT_SHAPES_H

#include "client/fields.h"

extern const struct shape shape_usage;
extern const struct shape shape_message;
extern const struct shape shape_label;
extern const struct shape shape_session;
extern const struct shape shape_entry;
extern const struct shape shape_hit;
extern const struct shape shape_agent;
extern const struct shape shape_point;
extern const struct shape shape_move;
extern const struct shape shape_file;
extern const struct shape shape_files_report;
extern const struct shape shape_conflict;
extern const struct shape shape_merge;

#endif
