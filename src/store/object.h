/*
 * Bytes that are kept once and named by their hash: files, directories, metadata. An object never
 * changes; it goes when nothing names it any more (store_gc).
 */
#ifndef STORE_OBJECT_H
#define STORE_OBJECT_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/hash.h"

#include <stdint.h>

enum object_kind {
    OBJECT_JSON = 1, /* metadata or limits of a session */
    OBJECT_DIR,      /* a directory (store/tree.h); a tree of files is its topmost one */
    OBJECT_FILE,     /* what is in a file, or in a piece of one */
    OBJECT_PIECES    /* a large file: the hashes of its pieces, one after another */
};

enum {
    OBJECT_PIECE_BYTES = 1024 * 1024,   /* a file above this is kept in pieces of this size */
    OBJECT_PUT_BYTES = 4 * 1024 * 1024, /* at most so many packed bytes in one store_objects_put */
    OBJECT_DIR_BYTES = 64 * 1024 * 1024 /* of one directory's encoding */
};

struct object {
    unsigned char hash[HASH_BYTES]; /* of the kind and the content */
    enum object_kind kind;
    int64_t size;    /* of the content */
    struct str data; /* the content as it is kept: packed, but for OBJECT_JSON */
};

/* SHA-256 of the kind (8 bytes, big-endian) and the content. */
void object_name(struct hasher *hasher, enum object_kind kind, struct str content,
                 unsigned char out[HASH_BYTES]);

/* A byte that says how, then the content: zstd when that is shorter. One packer per thread. */
struct packer;
struct packer *packer_new(void);
void packer_free(struct packer *packer);
struct str object_pack(struct packer *packer, struct str content, struct arena *arena);

/* FAULT_CORRUPT when it is not what object_pack made of `size` bytes. `out` may point into `data`.
 */
FAULT_CHECK enum fault_code object_unpack(struct str data, int64_t size, struct arena *arena,
                                          struct str *out, struct fault *fault);

#endif
