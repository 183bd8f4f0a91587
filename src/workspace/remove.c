#include "workspace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LEVELS = 64, /* directories open at once; what is below is brought up first */
    NAME_MAX_BYTES = 64
};

struct removal {
    int top;               /* where deep directories are brought */
    unsigned long *number; /* of the next name there; goes on from one pass to the next */
    bool brought;
};

static enum fault_code failed(const char *name, struct fault *fault)
{
    return fault_set(fault, FAULT_IO, "\"%s\" cannot be removed: %s", name, strerror(errno));
}

static enum fault_code empty(struct removal *removal, int dir, int level, struct fault *fault);

/* Opens a directory for emptying it: what is in one that cannot be read or written goes, too. */
static int dir_open(int above, const char *name)
{
    enum { FLAGS = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int path_fd = openat(above, name, O_PATH | FLAGS), dir;
    char proc[NAME_MAX_BYTES];

    if (path_fd < 0)
        return -1;
    snprintf(proc, sizeof(proc), "/proc/self/fd/%d", path_fd);
    chmod(proc, 0700);
    dir = openat(path_fd, ".", O_RDONLY | FLAGS);
    close(path_fd);
    return dir;
}

/* Brings a directory up, under a name that nothing has: one of an earlier pass, or a user's own. */
static enum fault_code bring_up(struct removal *removal, int above, const char *name,
                                struct fault *fault)
{
    char temp[NAME_MAX_BYTES];

    do
        snprintf(temp, sizeof(temp), ".deep-%lu", (*removal->number)++);
    while (faccessat(removal->top, temp, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    removal->brought = true;
    return renameat(above, name, removal->top, temp) == 0 ? FAULT_OK : failed(name, fault);
}

static enum fault_code remove_dir(struct removal *removal, int above, const char *name, int level,
                                  struct fault *fault)
{
    enum fault_code code;
    int dir;

    if (level == LEVELS)
        return bring_up(removal, above, name, fault);
    dir = dir_open(above, name);
    if (dir < 0)
        return failed(name, fault);
    code = empty(removal, dir, level, fault);
    if (code == FAULT_OK && unlinkat(above, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
        return failed(name, fault);
    return code;
}

/* Takes everything out of a directory, and closes it. */
static enum fault_code empty(struct removal *removal, int dir, int level, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    const struct dirent *entry;
    DIR *stream = fdopendir(dir);

    if (!stream) {
        close(dir);
        return failed("a directory", fault);
    }
    while (code == FAULT_OK && (entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dir, entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        code = errno == EISDIR || errno == EPERM
                   ? remove_dir(removal, dir, entry->d_name, level + 1, fault)
                   : failed(entry->d_name, fault);
    }
    closedir(stream);
    return code;
}

/* One pass; a deep directory that was brought up is found by the next. */
static enum fault_code pass(int above, const char *name, unsigned long *number, bool *again,
                            struct fault *fault)
{
    struct removal removal = {.number = number};
    int dir = dir_open(above, name);
    enum fault_code code;

    *again = false;
    if (dir < 0)
        return errno == ENOENT ? FAULT_OK : failed(name, fault);
    removal.top = dup(dir);
    if (removal.top < 0) {
        close(dir);
        return failed(name, fault);
    }
    code = empty(&removal, dir, 0, fault);
    close(removal.top);
    if (code != FAULT_OK)
        return code;
    *again = removal.brought;
    if (!*again && unlinkat(above, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
        if (errno != ENOTEMPTY)
            return failed(name, fault);
        *again = true;
    }
    return FAULT_OK;
}

enum fault_code remove_tree(int above, const char *name, struct fault *fault)
{
    unsigned long number = 0;
    bool again = true;

    if (unlinkat(above, name, 0) == 0 || errno == ENOENT)
        return FAULT_OK;
    for (int i = 0; again && i < 100000; i++)
        if (pass(above, name, &number, &again, fault) != FAULT_OK)
            return fault_pass(fault);
    if (again)
        return fault_set(fault, FAULT_IO, "\"%s\" is being filled while it is removed", name);
    return FAULT_OK;
}
