/*
 * A name in an open directory, and putting things there or taking them away so that nothing
 * unexpected is lost: what is to go is moved aside first and looked at there, where nobody else has
 * it by name, and comes back when it is not what was expected.
 *
 *   1. Names that begin with SLOT_NEW hold what is being written; whoever finds one removes it.
 *   2. A name SLOT_ASIDE (or SLOT_SPARE) belongs to one name of the same directory, by its hash.
 *      When a process dies at the worst instant, it holds something of somebody else: slot_mend
 *      looks before it removes.
 */
#ifndef WORKSPACE_SLOT_H
#define WORKSPACE_SLOT_H

#include "base/fault.h"
#include "store/tree.h"
#include "workspace/restore.h"

#include <sys/stat.h>

#define SLOT_NEW   RESTORE_TEMP "n"
#define SLOT_ASIDE RESTORE_TEMP "a"
#define SLOT_SPARE RESTORE_TEMP "s"

enum { SLOT_TEMP_BYTES = 64 };

struct slot {
    int dir;
    const char *name;
    struct str path; /* for messages */
    bool plain;      /* renameat2 is not there: the same by other, slower means */
    char aside[SLOT_TEMP_BYTES], spare[SLOT_TEMP_BYTES];
};

void slot_init(struct slot *slot, int dir, const char *name, struct str path);

enum slot_is {
    SLOT_NOTHING,
    SLOT_FROM, /* what `from` says: kind, mode and content */
    SLOT_TO,   /* what `to` says */
    SLOT_OTHER /* anything else, or it cannot be read */
};

/* `from` and `to` may be NULL. No device is opened, and no link followed. */
enum slot_is slot_look(int dir, const char *name, const struct tree_entry *from,
                       const struct tree_entry *to);

enum slot_end {
    SLOT_DONE,
    SLOT_ALREADY, /* it was so before */
    SLOT_LEFT     /* left alone */
};

/*
 * Puts what stands under the temporary name `temp` there, in place of `from`, or where there is
 * nothing when `from` is NULL. The temporary name is gone afterwards.
 */
FAULT_CHECK enum fault_code slot_put(struct slot *slot, const char *temp,
                                     const struct tree_entry *from, const struct tree_entry *to,
                                     enum slot_end *out, struct fault *fault);

/* Takes away what is there if it is `from`. */
FAULT_CHECK enum fault_code slot_take(struct slot *slot, const struct tree_entry *from,
                                      enum slot_end *out, struct fault *fault);

/*
 * Changes the mode alone. With SLOT_DONE or SLOT_ALREADY, *fd is the file, for fsync; the caller
 * closes it.
 */
FAULT_CHECK enum fault_code slot_chmod(struct slot *slot, const struct tree_entry *from,
                                       const struct tree_entry *to, enum slot_end *out, int *fd,
                                       struct fault *fault);

/* Clears up what a process that died left at this name. SLOT_LEFT: something of somebody else. */
enum slot_end slot_mend(struct slot *slot, const struct tree_entry *from,
                        const struct tree_entry *to);

/* errno as a fault; FAULT_FULL when there is no room. */
enum fault_code slot_failed(struct str path, const char *what, struct fault *fault);

/* Is it only this path that cannot be changed? Then it is left alone and the rest goes on. */
bool slot_is_denied(int error);

/* Writes all of it. errno tells of a failure. */
bool slot_write(int fd, struct str bytes);

#endif
