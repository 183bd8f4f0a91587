/* The files of a session at some place, read through the workspaces, as a plain list. */
#ifndef ENGINE_FILES_TREE_H
#define ENGINE_FILES_TREE_H

#include "engine/workspaces.h"
#include "files_map.h"

/* FAULT_TOO_LARGE above FILES_TREE_PATHS; FAULT_INVALID when something was not kept. */
enum { FILES_TREE_PATHS = 2000 };

FAULT_CHECK enum fault_code files_tree_read(struct workspaces *workspaces,
                                            const struct files_place *place, struct files_map *out,
                                            struct fault *fault);

#endif
