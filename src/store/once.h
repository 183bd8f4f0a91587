/*
 * A request that is carried out once however often it is sent: the key that the client chose, and
 * the answer, which is kept in the transaction of the act itself.
 */
#ifndef STORE_ONCE_H
#define STORE_ONCE_H

#include "base/arena.h"
#include "base/hash.h"

#include <stdint.h>

struct once {
    int64_t owner;                     /* the scope of the key */
    struct str key;                    /* at most LIMIT_KEY_BYTES */
    unsigned char request[HASH_BYTES]; /* of method, path and body */
    /*
     * Writes the answer to be kept, from the verb's `out`, which is filled by then; called inside
     * the transaction, perhaps more than once, and must not call the store. So `out` may have been
     * written though the verb fails. A dry run keeps no answer.
     */
    struct str (*render)(void *context, struct arena *arena);
    void *context;
    /* set by the verb */
    bool repeated;     /* the key was there, with the same request: nothing was done … */
    struct str answer; /* … and this was its answer; the verb's `out` is not written. Else the one
                          that was rendered */
};

#endif
