/* Somebody's hand in a directory: random changes, made on the disk and in its copy alike. */
#ifndef ENGINE_FILES_HAND_H
#define ENGINE_FILES_HAND_H

#include "files_model.h"
#include "support/chance.h"

enum { HAND_PATHS = 40 }; /* about so many in one directory */

/* One change; what it was goes into `words`. */
void hand_change(struct model_dir *dir, struct chance *chance, char *words, size_t room);

/* A path that is there (an index into the map; -1: nothing is), or one that may come. */
int hand_pick(const struct files_map *map, struct chance *chance);
struct str hand_name(struct chance *chance);

/* A new path below a directory of the map or below the top; the caller frees it. */
char *hand_path(const struct files_map *map, struct chance *chance, size_t *n);

/* What a file may have in it; the caller frees it. */
struct str hand_bytes(struct chance *chance);

#endif
