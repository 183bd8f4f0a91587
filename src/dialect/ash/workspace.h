/* The files of a session: where they are looked at, and which are not shown. */
#ifndef DIALECT_ASH_WORKSPACE_H
#define DIALECT_ASH_WORKSPACE_H

#include "dialect/ash/wire.h"

/* The directory as it is while the session is active, else the files as they are recorded. */
struct files_place ash_files_place(struct exchange *x, const struct session *session);

/* Is it what ash does not keep: caches, environments, sockets? Looks at the last name only. */
bool ash_files_skip(struct str path);

/* An ended session stays as it is: FAULT_INVALID. */
FAULT_CHECK static inline enum fault_code ash_files_may_change(const struct session *session,
                                                               struct fault *fault)
{
    if (ash_status_of(session) == ASH_ENDED)
        return fault_set(fault, FAULT_INVALID, "Session is ended");
    return FAULT_OK;
}

#endif
