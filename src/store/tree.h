/*
 * A directory as an object: its entries in the order of their names' bytes. The tree of a workspace
 * is its topmost directory. What was there and is not kept (too large, a device …) has an entry, so
 * that whoever restores knows that something is in the way. docs/files.md gives the bytes.
 */
#ifndef STORE_TREE_H
#define STORE_TREE_H

#include "base/buf.h"
#include "base/fault.h"
#include "base/hash.h"

#include <stdint.h>

enum tree_type {
    TREE_FILE,   /* hash: of an OBJECT_FILE */
    TREE_PIECES, /* a file; hash: of an OBJECT_PIECES */
    TREE_DIR,    /* hash: of an OBJECT_DIR */
    TREE_LINK,   /* a symbolic link; `target`, no hash */
    TREE_LEFT    /* something that is not kept: `left` says why; no hash */
};

enum tree_left {
    LEFT_SIZE = 1,   /* a file over the limit */
    LEFT_SPECIAL,    /* a device, a FIFO, a socket */
    LEFT_DEPTH,      /* a directory below too many others */
    LEFT_UNREADABLE, /* permissions, or an error of the disk */
    LEFT_MOUNT       /* another file system is mounted there */
};

enum { TREE_NAME_BYTES = 255, TREE_TARGET_BYTES = 4096, TREE_MODE = 07777 };

struct tree_entry {
    enum tree_type type;
    enum tree_left left; /* TREE_LEFT */
    unsigned mode;       /* permission bits of a file or directory, set-id and sticky included */
    int64_t size;        /* of a file's content; else 0 */
    struct str name;     /* any bytes but '/' and NUL; not ".", ".." */
    unsigned char hash[HASH_BYTES];
    struct str target;
};

static inline bool tree_is_file(enum tree_type type)
{
    return type == TREE_FILE || type == TREE_PIECES;
}

/* The same thing under the same or another name? */
bool tree_entry_same(const struct tree_entry *a, const struct tree_entry *b);

/* Adds an entry to an encoding; the caller keeps the order. */
void tree_add(struct buf *out, const struct tree_entry *entry);

/* Reads an encoding from its start; strings point into it. */
struct tree_reader {
    struct str bytes; /* what is still to be read */
    struct str last;  /* name read last */
};
void tree_open(struct tree_reader *reader, struct str bytes);

/* The next entry, or *end. FAULT_CORRUPT: anything that tree_add cannot have made in order. */
FAULT_CHECK enum fault_code tree_next(struct tree_reader *reader, struct tree_entry *out, bool *end,
                                      struct fault *fault);

/* Hash of the directory without entries. A session without files has it too: no tree is that one.
 */
extern const unsigned char tree_empty[HASH_BYTES];

#endif
