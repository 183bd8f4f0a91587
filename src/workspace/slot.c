#include "workspace/slot.h"

#include "base/hex.h"
#include "store/object.h"
#include "workspace/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEY_BYTES = 16 };

void slot_init(struct slot *slot, int dir, const char *name, struct str path)
{
    unsigned char hash[HASH_BYTES];
    char key[2 * KEY_BYTES];

    *slot = (struct slot){.dir = dir, .name = name, .path = path};
    hash_whole(str_of(name), hash);
    hex_write(hash, KEY_BYTES, key);
    snprintf(slot->aside, sizeof(slot->aside), SLOT_ASIDE "%.*s", 2 * KEY_BYTES, key);
    snprintf(slot->spare, sizeof(slot->spare), SLOT_SPARE "%.*s", 2 * KEY_BYTES, key);
}

enum fault_code slot_failed(struct str path, const char *what, struct fault *fault)
{
    int error = errno;
    char shown[PATH_SHOWN];

    path_show(path, shown);
    if (error == ENOSPC || error == EDQUOT)
        return fault_set(fault, FAULT_FULL, "\"%s\" cannot be %s: the disk is full", shown, what);
    return fault_set(fault, FAULT_IO, "\"%s\" cannot be %s: %s", shown, what, strerror(error));
}

bool slot_is_denied(int error)
{
    return error == EACCES || error == EPERM || error == EROFS || error == ETXTBSY ||
           error == EBUSY || error == ENAMETOOLONG;
}

bool slot_write(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return true;
}

/* ---- looking ---- */

/* Opens for reading what an O_PATH descriptor stands for: that very file, no name in between. */
static int reopen(int path_fd)
{
    char name[64];

    snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
    return open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static size_t read_full(int fd, char *to, size_t n)
{
    size_t got = 0;

    while (got < n) {
        ssize_t some = read(fd, to + got, n - got);

        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0)
            break;
        got += (size_t)some;
    }
    return got;
}

/* Hash of `size` bytes as a tree names them; false when there are more or fewer. */
static bool content_name(int fd, int64_t size, unsigned char out[HASH_BYTES])
{
    size_t room = size < OBJECT_PIECE_BYTES ? (size_t)size + 1 : OBJECT_PIECE_BYTES;
    char *bytes = malloc(room), more;
    struct hasher *hasher = hasher_new();
    struct buf list;
    bool whole = true;

    if (!bytes)
        abort();
    buf_init(&list, OBJECT_DIR_BYTES);
    for (int64_t rest = size; whole && rest > 0;) {
        size_t n = rest < OBJECT_PIECE_BYTES ? (size_t)rest : OBJECT_PIECE_BYTES;

        whole = read_full(fd, bytes, n) == n;
        object_name(hasher, OBJECT_FILE, (struct str){bytes, n}, out);
        buf_add(&list, out, HASH_BYTES);
        rest -= (int64_t)n;
    }
    if (size == 0)
        object_name(hasher, OBJECT_FILE, STR(""), out);
    if (size > OBJECT_PIECE_BYTES)
        object_name(hasher, OBJECT_PIECES, buf_str(&list), out);
    whole = whole && !list.full && read_full(fd, &more, 1) == 0;
    buf_clear(&list);
    hasher_free(hasher);
    free(bytes);
    return whole;
}

static bool may_be(const struct stat *stat, const struct tree_entry *entry)
{
    return entry && tree_is_file(entry->type) && entry->size == stat->st_size &&
           entry->mode == (stat->st_mode & TREE_MODE);
}

static enum slot_is file_look(int path_fd, const struct stat *stat, const struct tree_entry *from,
                              const struct tree_entry *to)
{
    bool maybe_from = may_be(stat, from), maybe_to = may_be(stat, to), whole;
    unsigned char hash[HASH_BYTES];
    int fd;

    if (!maybe_from && !maybe_to)
        return SLOT_OTHER;
    fd = reopen(path_fd);
    if (fd < 0)
        return SLOT_OTHER;
    whole = content_name(fd, stat->st_size, hash);
    close(fd);
    if (whole && maybe_to && memcmp(hash, to->hash, HASH_BYTES) == 0)
        return SLOT_TO;
    if (whole && maybe_from && memcmp(hash, from->hash, HASH_BYTES) == 0)
        return SLOT_FROM;
    return SLOT_OTHER;
}

static enum slot_is link_look(int path_fd, const struct tree_entry *from,
                              const struct tree_entry *to)
{
    char bytes[TREE_TARGET_BYTES + 1];
    ssize_t n = readlinkat(path_fd, "", bytes, sizeof(bytes));
    struct str target = {bytes, n > 0 ? (size_t)n : 0};

    if (to && to->type == TREE_LINK && str_eq(to->target, target))
        return SLOT_TO;
    if (from && from->type == TREE_LINK && str_eq(from->target, target))
        return SLOT_FROM;
    return SLOT_OTHER;
}

enum slot_is slot_look(int dir, const char *name, const struct tree_entry *from,
                       const struct tree_entry *to)
{
    int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    enum slot_is is = SLOT_OTHER;
    struct stat stat;

    if (fd < 0)
        return errno == ENOENT ? SLOT_NOTHING : SLOT_OTHER;
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
        is = file_look(fd, &stat, from, to);
    else if (S_ISLNK(stat.st_mode))
        is = link_look(fd, from, to);
    close(fd);
    return is;
}

/* ---- moving ---- */

/* Moves a name where there is nothing; EEXIST. */
static int move_new(struct slot *slot, const char *from, const char *to)
{
    if (!slot->plain) {
        if (renameat2(slot->dir, from, slot->dir, to, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EINVAL && errno != ENOSYS)
            return -1;
        slot->plain = true;
    }
    if (linkat(slot->dir, from, slot->dir, to, 0) != 0)
        return -1;
    return unlinkat(slot->dir, from, 0);
}

/* Exchanges what is aside with what is there; ENOENT when there is nothing. */
static int swap(struct slot *slot)
{
    if (!slot->plain) {
        if (renameat2(slot->dir, slot->aside, slot->dir, slot->name, RENAME_EXCHANGE) == 0)
            return 0;
        if (errno != EINVAL && errno != ENOSYS)
            return -1;
        slot->plain = true;
    }
    if (renameat(slot->dir, slot->name, slot->dir, slot->spare) != 0)
        return -1;
    if (move_new(slot, slot->aside, slot->name) != 0) {
        int error = errno;

        if (move_new(slot, slot->spare, slot->name) != 0)
            return -1; /* slot_mend tells of it the next time */
        errno = error;
        return -1;
    }
    return renameat(slot->dir, slot->spare, slot->dir, slot->aside);
}

static enum fault_code put_failed(struct slot *slot, const char *temp, enum slot_end *out,
                                  struct fault *fault)
{
    int error = errno;

    unlinkat(slot->dir, temp, 0);
    errno = error;
    if (!slot_is_denied(error) && error != EEXIST && error != ENOENT)
        return slot_failed(slot->path, "written", fault);
    *out = SLOT_LEFT;
    return FAULT_OK;
}

static enum fault_code put_new(struct slot *slot, const char *temp, const struct tree_entry *to,
                               enum slot_end *out, struct fault *fault)
{
    if (move_new(slot, temp, slot->name) == 0) {
        *out = SLOT_DONE;
        return FAULT_OK;
    }
    if (errno == EEXIST && slot_look(slot->dir, slot->name, NULL, to) == SLOT_TO) {
        unlinkat(slot->dir, temp, 0);
        *out = SLOT_ALREADY;
        return FAULT_OK;
    }
    return put_failed(slot, temp, out, fault);
}

enum fault_code slot_put(struct slot *slot, const char *temp, const struct tree_entry *from,
                         const struct tree_entry *to, enum slot_end *out, struct fault *fault)
{
    if (!from)
        return put_new(slot, temp, to, out, fault);
    if (move_new(slot, temp, slot->aside) != 0)
        return put_failed(slot, temp, out, fault);
    if (swap(slot) != 0)
        return put_failed(slot, slot->aside, out, fault);
    *out = SLOT_DONE;
    if (slot_look(slot->dir, slot->aside, from, to) == SLOT_OTHER) {
        *out = SLOT_LEFT;
        /* What comes aside now is ours, unless somebody was there in between once more. */
        if (swap(slot) != 0 || slot_look(slot->dir, slot->aside, from, to) == SLOT_OTHER)
            return FAULT_OK;
    }
    if (unlinkat(slot->dir, slot->aside, 0) != 0 && errno != ENOENT)
        return slot_failed(slot->path, "written", fault);
    return FAULT_OK;
}

enum fault_code slot_take(struct slot *slot, const struct tree_entry *from, enum slot_end *out,
                          struct fault *fault)
{
    enum slot_is is = slot_look(slot->dir, slot->name, from, NULL);

    *out = is == SLOT_NOTHING ? SLOT_ALREADY : SLOT_LEFT;
    if (is != SLOT_FROM)
        return FAULT_OK;
    if (move_new(slot, slot->name, slot->aside) != 0) {
        if (errno == ENOENT)
            *out = SLOT_ALREADY;
        else if (!slot_is_denied(errno) && errno != EEXIST)
            return slot_failed(slot->path, "deleted", fault);
        return FAULT_OK;
    }
    if (slot_look(slot->dir, slot->aside, from, NULL) != SLOT_FROM) {
        if (move_new(slot, slot->aside, slot->name) != 0 && errno != EEXIST)
            return slot_failed(slot->path, "put back", fault);
        return FAULT_OK;
    }
    if (unlinkat(slot->dir, slot->aside, 0) != 0)
        return slot_failed(slot->path, "deleted", fault);
    *out = SLOT_DONE;
    return FAULT_OK;
}

enum fault_code slot_chmod(struct slot *slot, const struct tree_entry *from,
                           const struct tree_entry *to, enum slot_end *out, int *fd,
                           struct fault *fault)
{
    int path_fd = openat(slot->dir, slot->name, O_PATH | O_NOFOLLOW | O_CLOEXEC), file = -1;
    enum slot_is is = SLOT_OTHER;
    struct stat stat;

    *out = SLOT_LEFT;
    if (path_fd >= 0 && fstat(path_fd, &stat) == 0 && S_ISREG(stat.st_mode)) {
        is = file_look(path_fd, &stat, from, to);
        file = is == SLOT_OTHER ? -1 : reopen(path_fd);
    }
    if (path_fd >= 0)
        close(path_fd);
    if (file < 0)
        return FAULT_OK;
    if (is == SLOT_FROM && fchmod(file, to->mode) != 0) {
        bool denied = slot_is_denied(errno);
        enum fault_code code = denied ? FAULT_OK : slot_failed(slot->path, "given its mode", fault);

        close(file);
        return code;
    }
    *out = is == SLOT_FROM ? SLOT_DONE : SLOT_ALREADY;
    *fd = file;
    return FAULT_OK;
}

/* ---- what others left ---- */

static bool same_file(int dir, const char *a, const char *b)
{
    struct stat one, other;

    return fstatat(dir, a, &one, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(dir, b, &other, AT_SYMLINK_NOFOLLOW) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* One temporary name: ours goes, and what is somebody else's comes back to its place. */
static bool mend_one(struct slot *slot, const char *temp, const struct tree_entry *from,
                     const struct tree_entry *to)
{
    enum slot_is is = slot_look(slot->dir, temp, from, to);

    if (is == SLOT_NOTHING)
        return true;
    if (is != SLOT_OTHER || same_file(slot->dir, temp, slot->name))
        return unlinkat(slot->dir, temp, 0) == 0;
    if (move_new(slot, temp, slot->name) == 0)
        return false; /* it is back, and not what was expected */
    if (slot_look(slot->dir, slot->name, from, to) != SLOT_OTHER &&
        renameat2(slot->dir, temp, slot->dir, slot->name, RENAME_EXCHANGE) == 0 &&
        slot_look(slot->dir, temp, from, to) != SLOT_OTHER)
        unlinkat(slot->dir, temp, 0);
    return false;
}

enum slot_end slot_mend(struct slot *slot, const struct tree_entry *from,
                        const struct tree_entry *to)
{
    bool aside = mend_one(slot, slot->aside, from, to);
    bool spare = mend_one(slot, slot->spare, from, to);

    return aside && spare ? SLOT_ALREADY : SLOT_LEFT;
}
