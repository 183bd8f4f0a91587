#include "workspace/path.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "store/limits.h"
#include "workspace/restore.h"
#include "workspace/tree_load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME_BYTES = 255 };

/* Takes the first name off a path. */
static struct str name_take(struct str *rest)
{
    const char *slash = rest->n ? memchr(rest->p, '/', rest->n) : NULL;
    struct str name = {rest->p, slash ? (size_t)(slash - rest->p) : rest->n};
    size_t taken = name.n + (slash ? 1 : 0);

    if (rest->n)
        *rest = (struct str){rest->p + taken, rest->n - taken};
    return name;
}

/* What is wrong with a name; NULL: nothing. */
static const char *name_wrong(struct str name)
{
    if (name.n == 0)
        return "has an empty name in it";
    if (str_eq(name, STR(".")) || str_eq(name, STR("..")))
        return "has \".\" or \"..\" in it";
    if (str_eq(name, STR(".git")))
        return "has \".git\" in it";
    if (str_starts(name, STR(RESTORE_TEMP)))
        return "has a name that tine uses while it writes files";
    return name.n > NAME_BYTES ? "has a name of more than 255 bytes in it" : NULL;
}

enum fault_code path_check(struct str path, bool may_be_top, struct fault *fault)
{
    struct str rest = path;
    const char *wrong = NULL;
    char shown[PATH_SHOWN];

    if (path.n == 0)
        return may_be_top ? FAULT_OK : fault_set(fault, FAULT_PATH_INVALID, "the path is empty");
    if (path.n > LIMIT_DIR_BYTES)
        return fault_set(fault, FAULT_PATH_INVALID, "the path has more than %d bytes",
                         LIMIT_DIR_BYTES);
    if (path.p[0] == '/')
        wrong = "is absolute; it must be relative to the top of the files";
    else if (memchr(path.p, '\0', path.n))
        wrong = "has a NUL in it";
    else if (path.p[path.n - 1] == '/')
        wrong = "ends with a slash";
    for (int i = 0; !wrong && rest.n; i++)
        wrong = i > TREE_DEPTH ? "has too many names in it" : name_wrong(name_take(&rest));
    if (wrong)
        return fault_set(fault, FAULT_PATH_INVALID, "the path \"%s\" %s", path_show(path, shown),
                         wrong);
    return FAULT_OK;
}

struct str path_name(struct str path)
{
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

    return slash ? (struct str){slash + 1, path.n - (size_t)(slash + 1 - path.p)} : path;
}

struct str path_above(struct str path)
{
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

    return slash ? (struct str){path.p, (size_t)(slash - path.p)} : STR("");
}

int path_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n, i = 0;

    while (i < n && a.p[i] == b.p[i])
        i++;
    if (i == n)
        return a.n < b.n ? -1 : a.n > b.n;
    if (a.p[i] == '/')
        return -1;
    if (b.p[i] == '/')
        return 1;
    return (unsigned char)a.p[i] < (unsigned char)b.p[i] ? -1 : 1;
}

bool path_is_in(struct str path, struct str dir)
{
    if (dir.n == 0)
        return path.n > 0;
    return path.n > dir.n && str_starts(path, dir) && path.p[dir.n] == '/';
}

/* ---- directories ---- */

static enum fault_code open_failed(struct str path, struct fault *fault)
{
    char shown[PATH_SHOWN];

    path_show(path, shown);
    if (errno == ENOENT)
        return fault_set(fault, FAULT_FILE_NOT_FOUND, "there is no directory \"%s\"", shown);
    if (errno == ENOTDIR || errno == ELOOP || errno == EXDEV || errno == ENAMETOOLONG)
        return fault_set(fault, FAULT_PATH_INVALID,
                         "a link or something else that is no directory is in the way of \"%s\"",
                         shown);
    return fault_set(fault, FAULT_IO, "the directory \"%s\" cannot be opened: %s", shown,
                     strerror(errno));
}

enum fault_code path_walk_dir(int top, struct str path, int *out, struct fault *fault)
{
    int dir = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct str rest = path;

    if (path_check(path, true, fault) != FAULT_OK) {
        if (dir >= 0)
            close(dir);
        return fault_pass(fault);
    }
    while (dir >= 0 && rest.n) {
        struct str name = name_take(&rest);
        char z[NAME_BYTES + 1];
        int above = dir, saved;

        memcpy(z, name.p, name.n);
        z[name.n] = '\0';
        dir = openat(above, z, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        saved = errno;
        close(above);
        errno = saved;
    }
    if (dir < 0)
        return open_failed(path, fault);
    *out = dir;
    return FAULT_OK;
}

enum fault_code path_open_dir(int top, struct str path, int *out, struct fault *fault)
{
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    char z[LIMIT_DIR_BYTES + 1];
    long fd;

    if (path_check(path, true, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(z, path.n ? path.p : ".", path.n ? path.n : 1);
    z[path.n ? path.n : 1] = '\0';
    do
        fd = syscall(SYS_openat2, top, z, &how, sizeof(how));
    while (fd < 0 && (errno == EINTR || errno == EAGAIN)); /* EAGAIN: names changed on the way */
    if (fd < 0 &&
        (errno == ENOSYS || errno == EPERM)) /* some sandboxes forbid what they do not know */
        return path_walk_dir(top, path, out, fault);
    if (fd < 0)
        return open_failed(path, fault);
    *out = (int)fd;
    return FAULT_OK;
}

/* ---- for people ---- */

/* The next character as it can be shown. */
static void words_add(struct buf *out, struct str path, size_t *at)
{
    size_t from = *at;
    uint32_t point = utf8_next(path, at);
    struct str one = {path.p + from, *at - from};

    if (point < 0x20 || (point >= 0x7f && point < 0xa0) || !utf8_valid(one))
        for (size_t i = 0; i < one.n; i++)
            buf_add_format(out, "\\x%02x", (unsigned)(unsigned char)one.p[i]);
    else if (point == '\\')
        buf_add_text(out, "\\\\");
    else
        buf_add_str(out, one);
}

struct str path_words(struct str path, struct arena *arena)
{
    struct buf words;

    buf_init(&words, path.n * 4 + 1);
    for (size_t at = 0; at < path.n;)
        words_add(&words, path, &at);
    return buf_take(&words, arena);
}

const char *path_show(struct str path, char out[PATH_SHOWN])
{
    struct arena arena;
    struct str words;

    arena_init(&arena);
    words = path_words(path, &arena);
    if (words.n < PATH_SHOWN) {
        snprintf(out, PATH_SHOWN, "%.*s", STR_ARG(words));
    } else {
        size_t skip = words.n - (PATH_SHOWN - 1 - strlen("…"));

        while (skip < words.n && ((unsigned char)words.p[skip] & 0xc0) == 0x80)
            skip++;
        snprintf(out, PATH_SHOWN, "…%.*s", (int)(words.n - skip), words.p + skip);
    }
    arena_clear(&arena);
    return out;
}
