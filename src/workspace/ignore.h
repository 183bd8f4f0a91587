/*
 * Which paths of a directory are left out of its snapshots without a word: the built-in list
 * (node_modules … docs/files.md has it), then .gitignore, then .tineignore of each directory
 * on the way, the deeper and the later one winning, by git's rules. The files are read by
 * descriptor, never through a link.
 */
#ifndef WORKSPACE_IGNORE_H
#define WORKSPACE_IGNORE_H

#include "base/fault.h"
#include "base/hash.h"
#include "base/str.h"

/* More than that is not looked at. */
enum {
    IGNORE_FILE_BYTES = 256 * 1024, /* of one file of rules */
    IGNORE_BYTES = 1024 * 1024,     /* of all the files on the way to a directory */
    IGNORE_RULES = 10 * 1000,       /* in them */
    IGNORE_PATH_BYTES = 64 * 1024   /* of a path: FAULT_TOO_LARGE */
};

struct ignore;

struct ignore *ignore_new(void);
void ignore_free(struct ignore *ignore);

/*
 * Enters a directory: reads its rules from `dir`, whose path below the top is `path` (empty: the
 * top itself, where .git/info/exclude counts too). Directories are entered from the top down, and
 * left in the other order.
 */
FAULT_CHECK enum fault_code ignore_enter(struct ignore *ignore, int dir, struct str path,
                                         struct fault *fault);
void ignore_leave(struct ignore *ignore);

/* Is a name in the directory entered last left out? */
bool ignore_has(struct ignore *ignore, struct str name, bool is_dir);

/* Hash of all rules in force here: while it is the same, so are the answers. */
void ignore_rules(const struct ignore *ignore, unsigned char out[HASH_BYTES]);

#endif
