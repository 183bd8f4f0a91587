/* One line on stderr that says how far long work is, when somebody watches. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/context.h"

struct progress {
    struct cli *cli;
    int64_t begun_ms, shown_ms;
    bool shown;
};

void progress_begin(struct progress *progress, struct cli *cli);

/* A store_progress; `context` is the struct progress. Shows nothing in the first half second. */
void progress_step(void *context, const char *step, int64_t done, int64_t total);

void progress_end(struct progress *progress); /* takes the line away */

#endif
