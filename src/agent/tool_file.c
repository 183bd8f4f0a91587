/*
 * The tools that read and write files, without a command. They work in the server itself, so every
 * path is opened with openat2 and RESOLVE_BENEATH: the kernel sees to it that neither "..", nor an
 * absolute path, nor a link that a command has made leads out of the directory, also when it is
 * changed at the same moment.
 */
#include "agent/tool_own.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "base/write_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_beneath(int dir, const char *path, int flags)
{
    /* Not to wait for whoever is at the other end of a pipe. */
    int careful = flags & O_PATH ? 0 : O_NONBLOCK | O_NOCTTY;
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(flags | careful | O_CLOEXEC),
        .mode = flags & O_CREAT ? 0644 : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* Why a path cannot be opened, in words for the model. */
static const char *reason(int number)
{
    switch (number) {
    case EXDEV:
        return "the path leads out of the working directory";
    case ELOOP:
        return "too many symbolic links";
    default:
        return strerror(number);
    }
}

/* The path as the model gave it, relative; commands see the directory as /work. */
static const char *path_of(const struct tool_work *work, const struct json_member *arg)
{
    struct str path = arg->given && arg->value.type == JSON_STRING
                          ? json_text(&arg->value, work->arena)
                          : STR(".");

    if (str_eq(path, STR("/work")))
        path = STR(".");
    else if (str_starts(path, STR("/work/")))
        path = (struct str){path.p + 6, path.n - 6};
    if (path.n && memchr(path.p, '\0', path.n))
        path = STR("");
    return arena_dup(work->arena, path.n ? path : STR(".")).p;
}

static int dir_open(struct tool_work *work)
{
    int dir = open(work->call->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0)
        tool_failed(work, "the working directory is not there: %s", strerror(errno));
    return dir;
}

/* Opens a regular file; -1 after telling the model why not. */
static int file_open(struct tool_work *work, int dir, const char *path, int flags)
{
    int fd = open_beneath(dir, path, flags);
    struct stat info;

    if (fd < 0) {
        tool_failed(work, "%.300s: %s", path, reason(errno));
        return -1;
    }
    if (fstat(fd, &info) || !S_ISREG(info.st_mode)) {
        tool_failed(work, "%.300s is not a file", path);
        close(fd);
        return -1;
    }
    return fd;
}

/* The whole text of a file. */
static bool file_read(struct tool_work *work, const char *path, struct str *out)
{
    int dir = dir_open(work), fd = dir < 0 ? -1 : file_open(work, dir, path, O_RDONLY);
    bool good = false;
    char *bytes;
    size_t n = 0;
    ssize_t got = 0;

    if (dir >= 0)
        close(dir);
    if (fd < 0)
        return false;
    bytes = malloc(TOOL_FILE_BYTES + 1);
    if (!bytes)
        abort();
    while (n <= TOOL_FILE_BYTES && (got = read(fd, bytes + n, TOOL_FILE_BYTES + 1 - n)) > 0)
        n += (size_t)got;
    if (got < 0)
        tool_failed(work, "%.300s: %s", path, strerror(errno));
    else if (n > TOOL_FILE_BYTES)
        tool_failed(work, "%.300s has more than %d bytes; use bash", path, TOOL_FILE_BYTES);
    else if (!utf8_valid((struct str){bytes, n}))
        tool_failed(work, "%.300s is not a text in UTF-8; use bash", path);
    else
        good = true;
    if (good)
        *out = arena_dup(work->arena, (struct str){bytes, n});
    free(bytes);
    close(fd);
    return good;
}

/* Makes the directories above the path. What is wrong is seen when the file is opened. */
static void parents_make(int dir, const char *path)
{
    char part[PATH_MAX];

    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t n = (size_t)(slash - path);
        char *name;
        int above;

        if (n == 0 || n >= sizeof(part))
            return;
        memcpy(part, path, n);
        part[n] = '\0';
        name = strrchr(part, '/');
        if (name)
            *name++ = '\0';
        above = name ? open_beneath(dir, part, O_PATH | O_DIRECTORY) : dup(dir);
        if (above < 0)
            return;
        name = name ? name : part;
        if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            mkdirat(above, name, 0755);
        close(above);
    }
}

static bool file_write(struct tool_work *work, const char *path, struct str text, bool make)
{
    int dir = dir_open(work), fd;

    if (dir < 0)
        return false;
    if (make)
        parents_make(dir, path);
    fd = file_open(work, dir, path, O_WRONLY | (make ? O_CREAT : 0));
    close(dir);
    if (fd < 0)
        return false;
    if (ftruncate(fd, 0) || !write_all(fd, text))
        tool_failed(work, "%.300s: %s", path, strerror(errno));
    close(fd);
    return !work->out->error;
}

/* ---- the tools ---- */

/* The lines from `first`, counted from 1, at most `count` of them. */
static struct str lines_of(struct str text, int64_t first, int64_t count)
{
    size_t from = 0, to;

    for (int64_t i = 1; i < first && from < text.n; i++) {
        const char *end = memchr(text.p + from, '\n', text.n - from);

        from = end ? (size_t)(end - text.p) + 1 : text.n;
    }
    for (to = from; count > 0 && to < text.n; count--) {
        const char *end = memchr(text.p + to, '\n', text.n - to);

        to = end ? (size_t)(end - text.p) + 1 : text.n;
    }
    return (struct str){text.p + from, to - from};
}

enum fault_code tool_read_file(struct tool_work *work, struct fault *fault)
{
    const char *path = path_of(work, &work->args[0]);
    int64_t first = 1, count = INT64_MAX;
    struct str text, some;

    (void)fault;
    if (!file_read(work, path, &text))
        return FAULT_OK;
    if (work->args[1].given && work->args[1].value.type == JSON_NUMBER &&
        !json_int(&work->args[1].value, 0, INT64_MAX, &first))
        tool_failed(work, "offset must be a whole number from 1");
    else if (work->args[2].given && work->args[2].value.type == JSON_NUMBER &&
             !json_int(&work->args[2].value, 1, INT64_MAX, &count))
        tool_failed(work, "limit must be a whole number from 1");
    if (work->out->error)
        return FAULT_OK;
    text = lines_of(text, first, count);
    some = utf8_cut(text, TOOL_OUTPUT_BYTES);
    work->out->output =
        some.n < text.n
            ? arena_printf(work->arena,
                           "%.*s\n[cut: %zu more bytes; read them with offset and limit]",
                           STR_ARG(some), text.n - some.n)
            : some;
    return FAULT_OK;
}

enum fault_code tool_write_file(struct tool_work *work, struct fault *fault)
{
    const char *path = path_of(work, &work->args[0]);
    struct str content = json_text(&work->args[1].value, work->arena);

    (void)fault;
    if (content.n > TOOL_FILE_BYTES)
        tool_failed(work, "content has more than %d bytes", TOOL_FILE_BYTES);
    else if (file_write(work, path, content, true))
        work->out->output = arena_printf(work->arena, "wrote %zu bytes to %s", content.n, path);
    return FAULT_OK;
}

static size_t count_of(struct str text, struct str piece, size_t *first)
{
    const char *at = text.p, *end = text.p + text.n;
    size_t count = 0;

    while ((at = memmem(at, (size_t)(end - at), piece.p, piece.n))) {
        if (count++ == 0)
            *first = (size_t)(at - text.p);
        at++;
    }
    return count;
}

enum fault_code tool_edit_file(struct tool_work *work, struct fault *fault)
{
    const char *path = path_of(work, &work->args[0]);
    struct str old = json_text(&work->args[1].value, work->arena);
    struct str fresh = json_text(&work->args[2].value, work->arena);
    size_t at = 0, count;
    struct str text;

    (void)fault;
    if (old.n == 0) {
        tool_failed(work, "old_text is empty; use write_file for a new file");
        return FAULT_OK;
    }
    if (!file_read(work, path, &text))
        return FAULT_OK;
    count = count_of(text, old, &at);
    if (count == 0) {
        tool_failed(work, "old_text does not stand in %.300s; read the file again", path);
    } else if (count > 1) {
        tool_failed(work, "old_text stands %zu times in %.300s; give more of the lines around it",
                    count, path);
    } else if (text.n + fresh.n > TOOL_FILE_BYTES) {
        tool_failed(work, "%.300s would have more than %d bytes", path, TOOL_FILE_BYTES);
    } else {
        struct buf edited;

        buf_init(&edited, text.n + fresh.n);
        buf_add(&edited, text.p, at);
        buf_add_str(&edited, fresh);
        buf_add(&edited, text.p + at + old.n, text.n - at - old.n);
        if (file_write(work, path, buf_str(&edited), false))
            work->out->output = arena_printf(work->arena, "edited %s", path);
        buf_clear(&edited);
    }
    return FAULT_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A line for one entry: its name, and what it is. Names that are no text are left out. */
static const char *entry_line(int dir, const char *name, struct arena *arena)
{
    struct stat info;

    if (!utf8_valid(str_of(name)) || fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW))
        return NULL;
    if (S_ISDIR(info.st_mode))
        return arena_printf(arena, "%s/", name).p;
    if (S_ISLNK(info.st_mode))
        return arena_printf(arena, "%s (link)", name).p;
    return arena_printf(arena, "%s (%lld bytes)", name, (long long)info.st_size).p;
}

static void list(struct tool_work *work, DIR *dir)
{
    const char **lines = arena_array(work->arena, TOOL_LIST_ENTRIES, sizeof(*lines));
    const struct dirent *entry;
    size_t count = 0, more = 0;
    struct buf text;

    while ((entry = readdir(dir))) {
        const char *line;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (count == TOOL_LIST_ENTRIES) {
            more++;
            continue;
        }
        line = entry_line(dirfd(dir), entry->d_name, work->arena);
        if (line)
            lines[count++] = line;
    }
    qsort(lines, count, sizeof(*lines), by_name);
    buf_init(&text, (size_t)TOOL_OUTPUT_BYTES * 8);
    for (size_t i = 0; i < count; i++)
        buf_add_format(&text, "%s\n", lines[i]);
    if (more)
        buf_add_format(&text, "[and %zu more]\n", more);
    work->out->output = count ? arena_dup(work->arena, buf_str(&text)) : STR("(empty)");
    buf_clear(&text);
}

enum fault_code tool_list_files(struct tool_work *work, struct fault *fault)
{
    const char *path = path_of(work, &work->args[0]);
    int dir = dir_open(work), fd;
    DIR *listing;

    (void)fault;
    if (dir < 0)
        return FAULT_OK;
    fd = open_beneath(dir, path, O_RDONLY | O_DIRECTORY);
    close(dir);
    listing = fd < 0 ? NULL : fdopendir(fd);
    if (!listing) {
        tool_failed(work, "%.300s: %s", path, reason(errno));
        if (fd >= 0)
            close(fd);
        return FAULT_OK;
    }
    list(work, listing);
    closedir(listing);
    return FAULT_OK;
}
