/* A family of sessions in the order in which it is drawn: for programs, not part of the library. */
#ifndef CLIENT_KIN_H
#define CLIENT_KIN_H

#include "base/arena.h"

#include <tine.h>

struct kin {
    const struct tine_session *session;
    size_t depth;  /* 0: a root */
    size_t parent; /* its place in the list; itself for a root */
    bool last;     /* of its parent's forks */
};

/*
 * Each session is followed by its forks, by the place where they parted, and theirs. *count, that
 * of the sessions, becomes that of the list: who is his own ancestor is not in it.
 */
struct kin *kin_order(const struct tine_session *sessions, size_t *count, struct arena *arena);

#endif
