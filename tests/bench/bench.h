/* What every measurement works with, and the groups that there are. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "table.h"

#include "base/fault.h"

struct bench {
    char directory[512]; /* of all files; empty at the start, removed at the end */
    struct table table;
};

/* Ends the program, after removing the directory, when the call did not succeed. */
void bench_must(enum fault_code code, const struct fault *fault);
void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* One line on stderr: what is being done. */
void bench_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The groups, in the order in which they run. Each leaves nothing open. */
void bench_fork(struct bench *bench);
void bench_depth(struct bench *bench);
void bench_find(struct bench *bench);
void bench_move(struct bench *bench);
void bench_history(struct bench *bench);
void bench_append(struct bench *bench);
void bench_search(struct bench *bench);
void bench_within(struct bench *bench);
void bench_memory(struct bench *bench);
void bench_files(struct bench *bench);
void bench_restore(struct bench *bench);
void bench_branches(struct bench *bench);

/* What bench_memory runs as a program of its own: prints its own size. */
int memory_child(const char *path);

#endif
