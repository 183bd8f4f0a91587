/* Paths that clients write: relative, below the top, each name a real name. */
#ifndef WORKSPACE_PATH_H
#define WORKSPACE_PATH_H

#include "base/fault.h"
#include "base/str.h"

/*
 * FAULT_PATH_INVALID says what is wrong: absolute, "." or "..", an empty name, NUL, a name of more
 * than 255 bytes, more than LIMIT_DIR_BYTES in all, below more than TREE_DEPTH directories, a first
 * or later name ".git" or one of those that a restore writes under (RESTORE_TEMP). An empty path is
 * allowed with `may_be_top`.
 */
FAULT_CHECK enum fault_code path_check(struct str path, bool may_be_top, struct fault *fault);

/* The name at its end, and what is before it (empty: the top). */
struct str path_name(struct str path);
struct str path_above(struct str path);

/*
 * Opens the directory `path` below `top`, never leaving it and never through a link, however the
 * names change meanwhile (openat2, RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS). FAULT_FILE_NOT_FOUND;
 * FAULT_PATH_INVALID when a link or something else that is no directory is in the way.
 */
FAULT_CHECK enum fault_code path_open_dir(int top, struct str path, int *out, struct fault *fault);

/* The same for kernels without openat2: name by name, each opened in the one before it. */
FAULT_CHECK enum fault_code path_walk_dir(int top, struct str path, int *out, struct fault *fault);

/*
 * The order in which trees tell paths: name by name, so that a directory stands right before what
 * is in it.
 */
int path_cmp(struct str a, struct str b);

/* Is `path` somewhere in the directory `dir`? Everything but the top itself is in the top. */
bool path_is_in(struct str path, struct str dir);

/* A path for people: valid UTF-8, controls and other bytes as \xHH. */
struct arena;
struct str path_words(struct str path, struct arena *arena);

/* The same for a message: its end when it is long. Returns `out`. */
enum { PATH_SHOWN = 256 };
const char *path_show(struct str path, char out[PATH_SHOWN]);

#endif
