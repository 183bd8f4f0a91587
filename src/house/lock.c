#include "house/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { ADDRESS_MAX = 512, LOCK_TRIES = 20, START_TRIES = 40, START_WAIT_MS = 50 };

struct lock {
    int fd;
};

static enum fault_code lock_open(const char *home, int flags, int *out, struct fault *fault)
{
    char path[4096];
    int n = snprintf(path, sizeof(path), "%s/server.lock", home);

    if (n < 0 || (size_t)n >= sizeof(path))
        return fault_set(fault, FAULT_INVALID, "the path of the home is too long");
    *out = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*out < 0)
        return fault_set(fault, errno == ENOENT ? FAULT_NOT_FOUND : FAULT_IO,
                         "cannot open \"%s\": %s", path, strerror(errno));
    return FAULT_OK;
}

/* What the file says, up to the end of its line. */
static size_t read_address(int fd, char out[ADDRESS_MAX + 1])
{
    ssize_t n = pread(fd, out, ADDRESS_MAX, 0);
    size_t length = n > 0 ? (size_t)n : 0;
    char *end;

    out[length] = '\0';
    end = strchr(out, '\n');
    return end ? (size_t)(end - out) : 0;
}

/* A command that looks whether there is a server has the lock for a moment, too. */
static bool lock_try(int fd)
{
    static const struct timespec moment = {0, 10 * 1000000L};
    char address[ADDRESS_MAX + 1];

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (read_address(fd, address) > 0)
            return false;
        nanosleep(&moment, NULL);
    }
    return false;
}

enum fault_code lock_take(const char *home, struct lock **out, struct fault *fault)
{
    char address[ADDRESS_MAX + 1];
    struct lock *lock;
    size_t n;
    int fd;

    if (lock_open(home, O_RDWR | O_CREAT, &fd, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!lock_try(fd)) {
        n = read_address(fd, address);
        close(fd);
        return fault_set(fault, FAULT_BUSY, "a server has the home \"%s\" already%s%.*s", home,
                         n ? ": " : "", (int)n, address);
    }
    if (ftruncate(fd, 0) != 0) {
        close(fd);
        return fault_set(fault, FAULT_IO, "cannot write the lock file of the home: %s",
                         strerror(errno));
    }
    lock = calloc(1, sizeof(*lock));
    if (!lock)
        abort();
    lock->fd = fd;
    *out = lock;
    return FAULT_OK;
}

enum fault_code lock_say(struct lock *lock, const char *address, struct fault *fault)
{
    char line[ADDRESS_MAX + 2];
    int n = snprintf(line, sizeof(line), "%s\n", address);

    if (n < 0 || (size_t)n >= sizeof(line) || pwrite(lock->fd, line, (size_t)n, 0) != n)
        return fault_set(fault, FAULT_IO, "cannot write the lock file of the home");
    return FAULT_OK;
}

void lock_free(struct lock *lock)
{
    if (!lock)
        return;
    if (ftruncate(lock->fd, 0) != 0) {
        /* The file then names a server that is gone; nobody believes it without the lock. */
    }
    close(lock->fd);
    free(lock);
}

enum fault_code lock_find(const char *home, struct arena *arena, struct str *address,
                          struct fault *fault)
{
    static const struct timespec moment = {0, START_WAIT_MS * 1000000L};
    char text[ADDRESS_MAX + 1];
    enum fault_code code;
    size_t n = 0;
    int fd;

    *address = STR_NONE;
    code = lock_open(home, O_RDONLY, &fd, fault);
    if (code == FAULT_NOT_FOUND)
        return FAULT_OK;
    if (code != FAULT_OK)
        return code;
    /* A server that has the lock and does not say where it listens is just starting. */
    for (int i = 0; i < START_TRIES; i++) {
        if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
            flock(fd, LOCK_UN);
            break;
        }
        n = read_address(fd, text);
        if (n)
            break;
        nanosleep(&moment, NULL);
    }
    close(fd);
    if (n)
        *address = arena_dup(arena, (struct str){text, n});
    return FAULT_OK;
}
