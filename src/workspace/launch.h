/*
 * Starts the process that a command runs under: bubblewrap, or without the sandbox a keeper, which
 * adopts whatever the command leaves behind. Nothing of the server is open in it.
 */
#ifndef WORKSPACE_LAUNCH_H
#define WORKSPACE_LAUNCH_H

#include "workspace/sandbox.h"

#include <sys/types.h>

struct launch {
    pid_t pid;       /* bubblewrap or the keeper; leads a session */
    int pid_fd;      /* readable when it has ended */
    int output_fd;   /* what the command prints; does not block */
    int errors_fd;   /* … to stderr, when that comes by itself; else -1 */
    int info_fd;     /* bubblewrap: who is inside, in JSON; the keeper: how the command ended */
    int go_fd;       /* a byte here lets the command begin; -1: it has begun */
    int go_other_fd; /* the other end, to see whether the byte was taken */
};

/* The spec's limits are filled in. FAULT_SANDBOX, FAULT_IO. */
FAULT_CHECK enum fault_code launch_bubble(const struct sandbox_spec *spec, struct arena *arena,
                                          struct launch *out, struct fault *fault);
FAULT_CHECK enum fault_code launch_keeper(const struct sandbox_spec *spec, struct arena *arena,
                                          struct launch *out, struct fault *fault);

void launch_close(struct launch *launch); /* the descriptors */

#endif
