/*
 * The program behind `make bench`. It measures what is promised about cost, each thing side by
 * side with what it is compared to and in turns, because only such ratios mean something on a
 * machine that does other work as well. The table goes to stdout, progress to stderr.
 *
 *   bench            all groups
 *   bench NAME…      only these
 *
 * Files are made in a directory of its own in $TMPDIR or /tmp. Exit 1 when a bar was missed, 2 when
 * something went wrong.
 */
#include "bench.h"

#include "timing.h"

#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct group {
    const char *name, *title;
    void (*run)(struct bench *bench);
} groups[] = {
    {"fork", "Forks (each with its fsync)", bench_fork},
    {"depth", "Forks of forks, 1,000 deep", bench_depth},
    {"find", "Finding a message by its place", bench_find},
    {"move", "Rewind and undo (each with its fsync)", bench_move},
    {"history", "Reading 10,000 messages of 1 KiB", bench_history},
    {"append", "Appending, 64 threads, 1 KiB each", bench_append},
    {"search", "Searching 100,000 messages of 1 KiB", bench_search},
    {"within", "Searching one conversation of 100,000 messages", bench_within},
    {"memory", "Memory with a million entries", bench_memory},
    {"files", "Files: 10,000 of them, 200 MB", bench_files},
    {"restore", "Restoring in 10,000 files, 200 MB", bench_restore},
    {"branches", "Branches of 10,000 files, 200 MB", bench_branches},
};

enum { GROUP_COUNT = sizeof(groups) / sizeof(*groups) };

/* For bench_fail, which is called from anywhere and from any thread. */
static const struct bench *running;

static void directory_make(struct bench *bench)
{
    const char *parent = getenv("TMPDIR");
    int n = snprintf(bench->directory, sizeof(bench->directory), "%s/tine-bench-XXXXXX",
                     parent && *parent ? parent : "/tmp");

    if (n >= (int)sizeof(bench->directory) || !mkdtemp(bench->directory)) {
        perror("bench: cannot make a directory");
        exit(2);
    }
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void directory_remove(const struct bench *bench)
{
    nftw(bench->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Waits for the user's ^C, which all other threads leave to it. */
static void *interrupt_wait(void *context)
{
    sigset_t signals;
    int got;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigwait(&signals, &got);
    directory_remove(context);
    _exit(128 + got);
}

static void interrupt_begin(struct bench *bench)
{
    sigset_t signals;
    pthread_t thread;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&thread, NULL, interrupt_wait, bench) != 0)
        bench_fail("a thread could not be started");
    pthread_detach(thread);
}

void bench_fail(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("bench: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    if (running)
        directory_remove(running);
    _exit(2);
}

void bench_must(enum fault_code code, const struct fault *fault)
{
    if (code != FAULT_OK)
        bench_fail("%s: %s", fault_name(code), fault->message);
}

void bench_say(const char *format, ...)
{
    va_list args;

    fputs("  … ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

static const struct group *group_named(const char *name)
{
    for (int i = 0; i < GROUP_COUNT; i++)
        if (strcmp(groups[i].name, name) == 0)
            return &groups[i];
    fprintf(stderr, "bench: there is no group \"%s\"; there are:", name);
    for (int i = 0; i < GROUP_COUNT; i++)
        fprintf(stderr, " %s", groups[i].name);
    fputc('\n', stderr);
    exit(2);
}

static void group_run(struct bench *bench, const struct group *group)
{
    int64_t start = timing_now_ns();

    table_group(group->title);
    group->run(bench);
    bench_say("%s took %.0f s", group->name, (double)(timing_now_ns() - start) / 1e9);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    bool all_clear;

    if (argc == 3 && strcmp(argv[1], "--memory-child") == 0)
        return memory_child(argv[2]);
    for (int i = 1; i < argc; i++)
        group_named(argv[i]);
    directory_make(&bench);
    running = &bench;
    interrupt_begin(&bench);
    table_head();
    for (int i = 1; i < argc; i++)
        group_run(&bench, group_named(argv[i]));
    for (int i = 0; argc == 1 && i < GROUP_COUNT; i++)
        group_run(&bench, &groups[i]);
    all_clear = table_end(&bench.table);
    directory_remove(&bench);
    return all_clear ? 0 : 1;
}
