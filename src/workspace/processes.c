#include "workspace/processes.h"

#include "base/array.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    STATUS_MAX = 8 * 1024,   /* of /proc/N/status */
    CHILDREN_MAX = 64 * 1024 /* of /proc/N/task/N/children: some 8,000 children */
};

/* Processes that were seen and not yet looked at. */
struct queue {
    pid_t *pids;
    size_t count, room;
};

static void queue_add(struct queue *queue, pid_t pid)
{
    queue->pids = array_more(queue->pids, queue->count, &queue->room, sizeof(*queue->pids));
    queue->pids[queue->count++] = pid;
}

/* Reads a whole small file; what does not fit is left out. False when it is not there. */
static bool read_text(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;

    if (fd < 0)
        return false;
    for (;;) {
        ssize_t got = read(fd, text + n, room - 1 - n);

        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(fd);
    text[n] = '\0';
    return n > 0;
}

/* The number behind "Name:" in a status, 0 when it has none. */
static int64_t status_number(const char *status, const char *name)
{
    const char *line = strstr(status, name);

    return line ? strtoll(line + strlen(name), NULL, 10) : 0;
}

static void children_of_thread(pid_t pid, const char *thread, struct queue *queue)
{
    char path[64], text[CHILDREN_MAX], *at = text;

    snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid, thread);
    if (!read_text(path, text, sizeof(text)))
        return;
    for (;;) {
        char *end;
        long child = strtol(at, &end, 10);

        if (end == at || child <= 0)
            return;
        queue_add(queue, (pid_t)child);
        at = end;
    }
}

/* A child belongs to the thread that made it, so every thread is asked. */
static void children_of(pid_t pid, int64_t threads, struct queue *queue)
{
    char path[64];
    const struct dirent *entry;
    DIR *dir;

    if (threads <= 1) {
        char name[16];

        snprintf(name, sizeof(name), "%d", (int)pid);
        children_of_thread(pid, name, queue);
        return;
    }
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            children_of_thread(pid, entry->d_name, queue);
    if (dir)
        closedir(dir);
}

void processes_look(pid_t root, int64_t max, struct processes *out)
{
    struct queue queue = {0};
    int64_t shared = 0;

    *out = (struct processes){0};
    queue_add(&queue, root);
    for (size_t i = 0; i < queue.count && out->count <= max; i++) {
        char path[64], status[STATUS_MAX];
        int64_t threads, mine;

        snprintf(path, sizeof(path), "/proc/%d/status", (int)queue.pids[i]);
        if (!read_text(path, status, sizeof(status)))
            continue;
        threads = status_number(status, "\nThreads:");
        mine = status_number(status, "\nRssShmem:") * 1024;
        shared = mine > shared ? mine : shared;
        out->memory_bytes +=
            (status_number(status, "\nRssAnon:") + status_number(status, "\nVmSwap:")) * 1024;
        out->count += threads > 0 ? threads : 1;
        children_of(queue.pids[i], threads, &queue);
    }
    out->memory_bytes += shared;
    free(queue.pids);
}

/*
 * Group by group: the kernel ends a whole group at once, also one that is forking, while a list of
 * processes is old as soon as it was read. Only sessions that were begun below the root have
 * members there, so a group that is not the root's own has no others.
 */
static void kill_listed(const struct queue *queue)
{
    pid_t root_group = getpgid(queue->pids[0]), done = 0;

    for (size_t i = 1; i < queue->count; i++) {
        pid_t group = getpgid(queue->pids[i]);

        if (group > 1 && group != done && group != root_group && group != getpgrp())
            kill(-group, SIGKILL);
        kill(queue->pids[i], SIGKILL);
        done = group;
    }
}

void processes_kill(pid_t root, int ms)
{
    for (int waited = 0; waited <= ms; waited++) {
        struct queue queue = {0};
        bool left;

        queue_add(&queue, root);
        for (size_t i = 0; i < queue.count; i++)
            children_of(queue.pids[i], 2, &queue);
        left = queue.count > 1;
        if (left)
            kill_listed(&queue);
        free(queue.pids);
        if (!left)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000L * 1000}, NULL);
    }
}
