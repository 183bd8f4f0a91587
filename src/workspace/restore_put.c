/* One file, written or deleted by whoever was asked to. */
#include "workspace/path.h"
#include "workspace/restore.h"
#include "workspace/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

enum { DIR_MODE = 0755 };

/* Makes the directories on the way that are missing, one below the other, and opens the last. */
static enum fault_code dirs_make(int top, struct str path, int *out, struct fault *fault)
{
    enum fault_code code = path_open_dir(top, path, out, fault);
    struct str name = path_name(path);
    char z[TREE_NAME_BYTES + 1];
    int above;

    if (code != FAULT_FILE_NOT_FOUND)
        return code;
    if (dirs_make(top, path_above(path), &above, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(z, name.p, name.n);
    z[name.n] = '\0';
    code = FAULT_OK;
    if (mkdirat(above, z, DIR_MODE) != 0 && errno != EEXIST)
        code = slot_failed(path, "made", fault);
    else if (fsync(above) != 0)
        code = slot_failed(path, "brought to the disk", fault);
    close(above);
    return code == FAULT_OK ? path_open_dir(top, path, out, fault) : code;
}

static enum fault_code temp_write(int dir, const char *temp, struct str path, unsigned mode,
                                  struct str content, struct fault *fault)
{
    int fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum fault_code code = FAULT_OK;

    if (fd < 0)
        return slot_failed(path, "written", fault);
    if (!slot_write(fd, content) || fchmod(fd, mode & TREE_MODE) != 0 || fsync(fd) != 0)
        code = slot_failed(path, "written", fault);
    close(fd);
    return code;
}

/* A directory, a device or the like is never replaced or deleted. */
static enum fault_code look(int dir, const char *name, struct str path, bool *there,
                            struct fault *fault)
{
    struct stat stat;
    char shown[PATH_SHOWN];

    *there = fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*there)
        return errno == ENOENT ? FAULT_OK : slot_failed(path, "looked at", fault);
    if (!S_ISREG(stat.st_mode) && !S_ISLNK(stat.st_mode))
        return fault_set(fault, FAULT_PATH_INVALID, "\"%s\" is %s", path_show(path, shown),
                         S_ISDIR(stat.st_mode) ? "a directory" : "neither a file nor a link");
    return FAULT_OK;
}

static enum fault_code name_put(int dir, const char *name, struct str path, unsigned mode,
                                struct str content, struct fault *fault)
{
    char temp[SLOT_TEMP_BYTES];
    unsigned long drawn = 0;
    enum fault_code code;
    bool there;

    if (look(dir, name, path, &there, fault) != FAULT_OK)
        return fault_pass(fault);
    if (getrandom(&drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
        return slot_failed(path, "written", fault);
    snprintf(temp, sizeof(temp), SLOT_NEW "%lx", drawn);
    code = temp_write(dir, temp, path, mode, content, fault);
    if (code == FAULT_OK && renameat(dir, temp, dir, name) != 0)
        code = slot_failed(path, "written", fault);
    if (code != FAULT_OK)
        unlinkat(dir, temp, 0);
    else if (fsync(dir) != 0)
        code = slot_failed(path, "brought to the disk", fault);
    return code;
}

static void name_copy(struct str path, char z[TREE_NAME_BYTES + 1])
{
    struct str name = path_name(path);

    memcpy(z, name.p, name.n);
    z[name.n] = '\0';
}

enum fault_code restore_put(int dir, struct str path, unsigned mode, struct str content,
                            struct fault *fault)
{
    char name[TREE_NAME_BYTES + 1];
    enum fault_code code;
    int above;

    if (path_check(path, false, fault) != FAULT_OK ||
        dirs_make(dir, path_above(path), &above, fault) != FAULT_OK)
        return fault_pass(fault);
    name_copy(path, name);
    code = name_put(above, name, path, mode, content, fault);
    close(above);
    return code;
}

static enum fault_code name_delete(int dir, const char *name, struct str path, struct fault *fault)
{
    char shown[PATH_SHOWN];
    bool there;

    if (look(dir, name, path, &there, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!there)
        return fault_set(fault, FAULT_FILE_NOT_FOUND, "there is no file \"%s\"",
                         path_show(path, shown));
    if (unlinkat(dir, name, 0) != 0)
        return slot_failed(path, "deleted", fault);
    return fsync(dir) == 0 ? FAULT_OK : slot_failed(path, "deleted", fault);
}

enum fault_code restore_delete(int dir, struct str path, struct fault *fault)
{
    char name[TREE_NAME_BYTES + 1];
    enum fault_code code;
    int above;

    if (path_check(path, false, fault) != FAULT_OK ||
        path_open_dir(dir, path_above(path), &above, fault) != FAULT_OK)
        return fault_pass(fault);
    name_copy(path, name);
    code = name_delete(above, name, path, fault);
    close(above);
    return code;
}
