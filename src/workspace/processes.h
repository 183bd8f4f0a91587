/* The processes below one process, as /proc shows them. */
#ifndef WORKSPACE_PROCESSES_H
#define WORKSPACE_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

struct processes {
    int64_t count;        /* processes and threads */
    int64_t memory_bytes; /* what belongs to them alone, and the largest piece that they share */
};

/* Looks at the process and everything below it, but stops when more than `max` were found. */
void processes_look(pid_t root, int64_t max, struct processes *out);

/* Kills everything below the process, but not itself, until nothing is left or `ms` are over. */
void processes_kill(pid_t root, int ms);

#endif
