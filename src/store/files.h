/* What a store keeps of the files of sessions beside the objects: where they are, what is moving.
 */
#ifndef STORE_FILES_H
#define STORE_FILES_H

#include "base/hash.h"
#include "store/address.h"
#include "store/entry.h"

enum workspace_mode {
    WORKSPACE_OWN,      /* a directory that tine makes when it is first needed */
    WORKSPACE_ATTACHED, /* one that was there before */
    WORKSPACE_NONE
};

struct workspace {
    enum workspace_mode mode;
    struct str dir; /* WORKSPACE_ATTACHED: an absolute path; else empty */
};

/* A tree that a verb is to record. */
struct tree_spec {
    bool given;
    unsigned char hash[HASH_BYTES];
    /*
     * When gc had last begun as the objects were named (store_objects_since): FAULT_TREE_STALE when
     * it has begun since, for then some may be gone. Name them again and come back.
     */
    int64_t since_us;
};

/* An act that changed the files of a session, in the order of numbers. */
struct files_act {
    struct address at;
    unsigned char before[HASH_BYTES], after[HASH_BYTES]; /* tree_empty: none */
    bool foreign; /* somebody else did it, between turns (ENTRY_FOREIGN) */
};

typedef enum fault_code files_act_visit(void *context, const struct files_act *act,
                                        struct fault *fault);

/*
 * What is about to happen to a directory, kept from before the first file is touched until the act
 * that tells of it is stored with it. A session has at most one; while it has one, no turn begins
 * and no other move is made (FAULT_WORKSPACE_BUSY).
 */
struct intent {
    int64_t i;     /* its number; 0: none */
    int64_t owner; /* of the session */
    struct str session;
    int64_t s;
    struct str dir; /* absolute path, and what it was then */
    int64_t dev, ino;
    unsigned char from[HASH_BYTES], to[HASH_BYTES];
    struct str body; /* how the engine finishes it; at most LIMIT_INTENT_BYTES */
    int64_t at_us;
};

typedef enum fault_code intent_visit(void *context, const struct intent *intent,
                                     struct fault *fault);

#endif
