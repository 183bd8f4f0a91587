/* What a hostile command tries; used with the sandbox and without it. */
#ifndef WORKSPACE_HOSTILE_H
#define WORKSPACE_HOSTILE_H

#include "support/check.h"
#include "support/rig.h"
#include "workspace/sandbox.h"

/* A directory for the command, and the last result. */
struct trial {
    char dir[64];
    struct arena arena;
    struct fault fault;
    struct sandbox_spec spec; /* for the next run; dir and cancel_fd are set */
    struct sandbox_result result;
    int64_t took_ms;
};

void trial_open(struct trial *trial);
void trial_close(struct trial *trial);

/* Runs `bash -c script`; the sandbox itself must be made. */
void trial_run(struct trial *trial, const char *script);

/* Must have exited with this code and printed this. */
void trial_expect(struct trial *trial, const char *script, int code, const char *output);

/* How many processes of the machine have this word in their command line. */
int trial_count(const char *word);

bool trial_printed(const struct trial *trial, const char *text);

#endif
