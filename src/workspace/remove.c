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
    int top; /* where deep directories are brought */
    unsigned long brought;
};

static enum fault_code failed(const char *name, struct fault *fault)
{
    return fault_set(fault, FAULT_IO, "\"%s\" cannot be removed: %s", name, strerror(errno));
}

static enum fault_code empty(struct removal *removal, int dir, int level, struct fault *fault);

static enum fault_code remove_dir(struct removal *removal, int above, const char *name, int level,
                                  struct fault *fault)
{
    enum fault_code code;
    int dir;

    if (level == LEVELS) {
        char temp[NAME_MAX_BYTES];

        snprintf(temp, sizeof(temp), ".deep-%lu", removal->brought++);
        return renameat(above, name, removal->top, temp) == 0 ? FAULT_OK : failed(name, fault);
    }
    dir = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 && errno == EACCES && fchmodat(above, name, 0700, 0) == 0)
        dir = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return failed(name, fault);
    fchmod(dir, 0700); /* what is in a directory that cannot be written goes, too */
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
static enum fault_code pass(int above, const char *name, bool *again, struct fault *fault)
{
    struct removal removal = {.brought = 0};
    int dir = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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
    *again = removal.brought > 0;
    if (!*again && unlinkat(above, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
        if (errno != ENOTEMPTY)
            return failed(name, fault);
        *again = true;
    }
    return FAULT_OK;
}

enum fault_code remove_tree(int above, const char *name, struct fault *fault)
{
    bool again = true;

    if (unlinkat(above, name, 0) == 0 || errno == ENOENT)
        return FAULT_OK;
    for (int i = 0; again && i < 100000; i++)
        if (pass(above, name, &again, fault) != FAULT_OK)
            return fault_pass(fault);
    if (again)
        return fault_set(fault, FAULT_IO, "\"%s\" is being filled while it is removed", name);
    return FAULT_OK;
}
