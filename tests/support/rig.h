/* A store with an engine on it, for tests: of every kind there is, with time and chance fixed. */
#ifndef SUPPORT_RIG_H
#define SUPPORT_RIG_H

#include "engine/engine.h"
#include "support/chance.h"

/* A kind of store. Another one is one more row of `rig_kinds`. */
struct rig_kind {
    const char *name;
    bool lasts; /* what was written is there again after closing and opening */
    enum fault_code (*open)(const char *directory, struct store **out, struct fault *fault);
};

extern const struct rig_kind rig_kinds[];
extern const size_t rig_kind_count;

struct rig {
    const struct rig_kind *kind;
    char directory[64]; /* a scratch directory of its own */
    struct store *store;
    struct engine *engine;
    int64_t owner;
    int64_t now_us; /* what the clock says until the test sets it again */
    struct chance chance;
};

void rig_open(struct rig *rig, const struct rig_kind *kind, uint64_t seed);
void rig_close(struct rig *rig); /* also removes the scratch directory */

/* Closes the store and opens it again; for kinds that last. */
void rig_reopen(struct rig *rig);

/* A new scratch directory; its name goes into `path`. */
void scratch_make(char *path, size_t room);
void scratch_remove(const char *path);

#endif
