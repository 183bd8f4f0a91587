/* Directories for tests of files: filled by chance, copied, compared byte by byte, kept as trees.
 */
#ifndef WORKSPACE_SCENE_H
#define WORKSPACE_SCENE_H

#include "store/store.h"
#include "support/chance.h"

/* A path below a directory; lives until the next call but seven. */
const char *scene_path(const char *dir, const char *below);

void scene_write(const char *path, struct str content, unsigned mode);
struct str scene_read(const char *path, struct arena *arena);

/* Some steps of chance: writes, deletes, renames, links, modes, kinds that change; any names. */
void scene_stir(const char *dir, struct chance *chance, int steps);

/* A copy at a path where nothing is, or nothing but an older copy. */
void scene_copy(const char *from, const char *to);
void scene_remove(const char *path);

/* The same names, kinds, modes, bytes and targets? Says what differs first. */
bool scene_same(const char *a, const char *b);

/* Is there a name that begins so anywhere below? */
bool scene_has_name(const char *dir, const char *start);

/* Keeps the directory as a tree, the plain way; what is neither file, link nor directory as left.
 */
void scene_tree(struct store *store, const char *dir, unsigned char out[HASH_BYTES]);

#endif
