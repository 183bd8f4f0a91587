/*
 * What is in a directory, as a tree of objects in the store. What did not change since the last
 * time is not read again: the index remembers size, times and inode of every file, and its hash.
 * Nothing outside the directory is ever read, whatever links stand in it.
 */
#ifndef WORKSPACE_SNAPSHOT_H
#define WORKSPACE_SNAPSHOT_H

#include "store/store.h"
#include "store/tree.h"

enum {
    SNAPSHOT_DEPTH = 200,     /* directories below one another */
    SNAPSHOT_LEFT_TOLD = 1000 /* paths that are told as left out */
};
#define SNAPSHOT_FILE_BYTES INT64_C(0x4000000)   /* 64 MiB: a larger file is left out */
#define SNAPSHOT_ENTRIES    INT64_C(500000)      /* files and directories: FAULT_TOO_LARGE */
#define SNAPSHOT_BYTES      INT64_C(0x400000000) /* 16 GiB in all files together, likewise */

struct snapshot_limits {
    int64_t file_bytes, entries, bytes; /* 0: as above */
};

struct snapshot_spec {
    struct store *store;
    int dir; /* the directory, open */
    const char
        *index; /* path of its index, which is written anew; missing or broken: all is read */
    struct snapshot_limits limits;
    int cancel_fd; /* readable: FAULT_INTERRUPTED; -1: none */
};

/* A path that is not in the tree. */
struct left_out {
    struct str path; /* any bytes */
    enum tree_left why;
};

struct snapshot {
    struct tree_spec
        tree; /* given; tree_empty for an empty directory, which is put like any other */
    int64_t files, bytes;  /* in the tree */
    int64_t read_bytes;    /* of files that had to be read */
    int64_t read, written; /* files that had to be read; objects that were new to the store */
    struct left_out *left; /* the first SNAPSHOT_LEFT_TOLD of them, in the arena */
    size_t left_count;
    int64_t left_all;
};

/*
 * FAULT_TOO_LARGE, FAULT_IO, FAULT_INTERRUPTED, and those of the store. A file that changes while
 * it is read is kept as it was read, and read again the next time.
 */
FAULT_CHECK enum fault_code snapshot_take(const struct snapshot_spec *spec, struct arena *arena,
                                          struct snapshot *out, struct fault *fault);

const char *tree_left_words(enum tree_left why); /* "larger than the limit" … */

#endif
