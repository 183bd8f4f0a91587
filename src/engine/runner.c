#include "engine/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 16, PATH_BYTES = 4096 };

struct runner {
    char name[2 * NAME_BYTES + 1];
    char dir[PATH_BYTES]; /* of the files; empty: there is none */
    int fd;
};

static bool path_of(const struct runner *runner, struct str name, char out[PATH_BYTES + 64])
{
    for (size_t i = 0; i < name.n; i++)
        if (!strchr("0123456789abcdef", name.p[i]) || name.p[i] == '\0')
            return false;
    if (name.n != 2 * (size_t)NAME_BYTES)
        return false;
    snprintf(out, PATH_BYTES + 64, "%s/%.*s", runner->dir, STR_ARG(name));
    return true;
}

static void draw_name(struct runner *runner)
{
    unsigned char random[NAME_BYTES];
    size_t have = 0;

    while (have < sizeof(random)) {
        ssize_t got = getrandom(random + have, sizeof(random) - have, 0);

        if (got > 0)
            have += (size_t)got;
    }
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(runner->name + 2 * i, 3, "%02x", random[i]);
}

/* Makes the file and locks it; nobody else has a reason to lock it before. */
static enum fault_code mark(struct runner *runner, struct fault *fault)
{
    char path[PATH_BYTES + 64];

    if (mkdir(runner->dir, 0700) != 0 && errno != EEXIST)
        return fault_set(fault, FAULT_IO, "cannot make the directory \"%s\": %s", runner->dir,
                         strerror(errno));
    path_of(runner, str_of(runner->name), path);
    runner->fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (runner->fd < 0)
        return fault_set(fault, FAULT_IO, "cannot make \"%s\": %s", path, strerror(errno));
    if (flock(runner->fd, LOCK_EX | LOCK_NB) != 0)
        return fault_set(fault, FAULT_IO, "cannot lock \"%s\": %s", path, strerror(errno));
    return FAULT_OK;
}

enum fault_code runner_open(const char *home, struct runner **out, struct fault *fault)
{
    struct runner *runner = calloc(1, sizeof(*runner));

    if (!runner)
        abort();
    runner->fd = -1;
    draw_name(runner);
    if (home) {
        int n = snprintf(runner->dir, sizeof(runner->dir), "%s/runners", home);

        if (n < 0 || (size_t)n >= sizeof(runner->dir)) {
            free(runner);
            return fault_set(fault, FAULT_INVALID, "the path of the home is too long");
        }
        if (mark(runner, fault) != FAULT_OK) {
            runner_close(runner);
            return fault_pass(fault);
        }
    }
    *out = runner;
    return FAULT_OK;
}

void runner_close(struct runner *runner)
{
    char path[PATH_BYTES + 64];

    if (!runner)
        return;
    if (runner->fd >= 0) {
        path_of(runner, str_of(runner->name), path);
        unlink(path);
        close(runner->fd);
    }
    free(runner);
}

struct str runner_name(const struct runner *runner)
{
    return str_of(runner->name);
}

bool runner_alive(const struct runner *runner, struct str name)
{
    char path[PATH_BYTES + 64];
    bool alive;
    int fd;

    if (str_eq(name, str_of(runner->name)))
        return true;
    if (!*runner->dir || !path_of(runner, name, path))
        return false;
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT; /* what cannot be looked at is not ended */
    alive = flock(fd, LOCK_SH | LOCK_NB) != 0;
    if (!alive)
        unlink(path);
    close(fd);
    return alive;
}
