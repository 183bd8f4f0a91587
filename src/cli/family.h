/* A family of sessions in memory, in the order in which it is drawn. */
#ifndef CLI_FAMILY_H
#define CLI_FAMILY_H

#include "cli/context.h"
#include "client/kin.h"

struct family_member {
    struct kin kin;
    const struct tine_parent
        *lost; /* of a root: its source, which was deleted; NULL: it had none */
};

struct family {
    struct family_member *members; /* a fork stands somewhere behind its parent */
    size_t count;
};

/*
 * Reads the family that a session belongs to, with labels and what was rewound away. Ordered for
 * drawing: each session is followed by its forks, by the place where they parted, and theirs.
 */
FAULT_CHECK enum fault_code family_read(struct cli *cli, const char *session, struct family *out,
                                        struct fault *fault);

#endif
