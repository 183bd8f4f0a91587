/*
 * The file is only appended to, under a lock. When it has grown to twice what is kept, whoever
 * appends writes the newest part of it anew and puts that in its place by a rename; so at every
 * moment there is a whole file there. A program that waited for the lock of the file that was
 * replaced finds out by its inode, and opens the new one.
 */
#include "tui/history.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/write_all.h"
#include "json/json_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINE_BYTES_MAX = HISTORY_BYTES_MAX, /* of a line: a longer entry is not written */
    LOCK_TRIES = 50,                    /* 2 ms each: nobody waits long for a history */
    LOCK_PAUSE_MS = 2,
    OPEN_TRIES = 10, /* of a file that is being replaced all the time */
    ESCAPED_MAX = 6  /* bytes that one byte becomes: \u001f */
};

struct history {
    char *path; /* NULL: none */
    struct str *entries;
    size_t count, room, bytes;
    size_t lines;     /* of the file, as far as is known here */
    bool newest_kept; /* … in the file */
};

/* ---- in memory ---- */

static bool is_blank(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ' && text.p[i] != '\t' && text.p[i] != '\n' && text.p[i] != '\r')
            return false;
    return true;
}

static void trim(struct history *history)
{
    size_t drop = 0;

    while (history->count - drop > HISTORY_MAX || history->bytes > HISTORY_BYTES_MAX) {
        history->bytes -= history->entries[drop].n;
        free((char *)history->entries[drop++].p);
    }
    history->count -= drop;
    if (drop)
        memmove(history->entries, history->entries + drop,
                history->count * sizeof *history->entries);
}

/* One that is too long would take the place of all others. */
static bool is_kept(struct str text)
{
    return !is_blank(text) && text.n <= HISTORY_BYTES_MAX;
}

/* False: it is not kept, or the newest one already. */
static bool put(struct history *history, struct str text)
{
    char *copy;

    if (!is_kept(text))
        return false;
    if (history->count && str_eq(history->entries[history->count - 1], text))
        return false;
    copy = malloc(text.n);
    if (!copy)
        abort();
    memcpy(copy, text.p, text.n);
    history->entries =
        array_more(history->entries, history->count, &history->room, sizeof *history->entries);
    history->entries[history->count++] = (struct str){copy, text.n};
    history->bytes += text.n;
    trim(history);
    return true;
}

size_t history_count(const struct history *history)
{
    return history->count;
}

struct str history_at(const struct history *history, size_t index)
{
    return history->entries[index];
}

/* ---- the file ---- */

static bool next_line(struct str *rest, struct str *line)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;

    if (!rest->n)
        return false;
    *line = (struct str){rest->p, end ? (size_t)(end - rest->p) : rest->n};
    rest->p += line->n + (end != NULL);
    rest->n -= line->n + (end != NULL);
    return true;
}

/* The newest HISTORY_FILE_MAX bytes of the file; of a line that is cut there, nothing. */
static bool read_tail(int fd, struct buf *out)
{
    off_t size = lseek(fd, 0, SEEK_END), from = 0;
    ssize_t n = 1;

    if (size < 0)
        return false;
    if (size > HISTORY_FILE_MAX)
        from = size - HISTORY_FILE_MAX;
    while (n > 0 && out->n < HISTORY_FILE_MAX) {
        char piece[16 * 1024];

        n = pread(fd, piece, sizeof piece, from);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0) {
            buf_add(out, piece, (size_t)n);
            from += n;
        }
    }
    return n >= 0 && !out->full;
}

static struct str whole_lines(const struct buf *bytes)
{
    struct str all = buf_str(bytes), cut;

    if (all.n >= HISTORY_FILE_MAX)
        (void)next_line(&all, &cut);
    return all;
}

/* Takes in what is in the file, as far as it can be understood. */
static void take_lines(struct history *history, struct str rest)
{
    struct str line;

    while (next_line(&rest, &line)) {
        struct json_value value;
        struct fault fault;
        struct arena arena;

        history->lines++;
        if (line.n < 2 || line.p[0] != '"' ||
            json_read(line, 1, "the line", &value, &fault) != FAULT_OK)
            continue;
        arena_init(&arena);
        (void)put(history, json_text(&value, &arena));
        history->newest_kept = true;
        arena_clear(&arena);
    }
}

static void read_file(struct history *history, int fd)
{
    struct buf bytes;

    buf_init(&bytes, HISTORY_FILE_MAX + 64 * 1024);
    history->lines = 0;
    if (read_tail(fd, &bytes))
        take_lines(history, whole_lines(&bytes));
    buf_clear(&bytes);
}

static bool lock(int fd)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        clock_pause_ms(LOCK_PAUSE_MS);
    }
    return false;
}

static void make_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory;

    if (!slash || slash == path)
        return;
    directory = strndup(path, (size_t)(slash - path));
    if (!directory)
        abort();
    (void)mkdir(directory, 0700);
    free(directory);
}

/* The file, locked, which still has that name; -1: it cannot be had. */
static int open_locked(const struct history *history)
{
    for (int i = 0; i < OPEN_TRIES; i++) {
        int fd = open(history->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
        struct stat opened, named;

        if (fd < 0 && errno == ENOENT && i == 0) {
            make_directory(history->path);
            continue;
        }
        if (fd < 0)
            return -1;
        if (fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode) || !lock(fd)) {
            close(fd);
            return -1;
        }
        if (stat(history->path, &named) == 0 && named.st_ino == opened.st_ino &&
            named.st_dev == opened.st_dev) {
            if (opened.st_mode & 077)
                (void)fchmod(fd, 0600);
            return fd;
        }
        close(fd);
    }
    return -1;
}

static void add_line(struct buf *out, struct str text)
{
    buf_add_char(out, '"');
    escape_json(out, text);
    buf_add_text(out, "\"\n");
}

/* Puts a file in its place that has what is kept of it, of all programs. */
static void rewrite(struct history *history, int fd)
{
    struct history all = {.path = NULL};
    struct buf bytes, name;
    int new;

    buf_init(&bytes, (size_t)HISTORY_BYTES_MAX * ESCAPED_MAX + (size_t)HISTORY_MAX * 4);
    buf_init(&name, PATH_MAX + 32);
    buf_add_format(&name, "%s.%ld", history->path, (long)getpid());
    read_file(&all, fd);
    for (size_t i = 0; i < all.count; i++)
        add_line(&bytes, all.entries[i]);
    new = bytes.full || name.full
              ? -1
              : open(name.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (new >= 0) {
        bool written = write_all(new, buf_str(&bytes)) && fsync(new) == 0;

        if (close(new) == 0 && written && rename(name.p, history->path) == 0)
            history->lines = all.count;
        else
            (void)unlink(name.p);
    }
    for (size_t i = 0; i < all.count; i++)
        free((char *)all.entries[i].p);
    free(all.entries);
    buf_clear(&bytes);
    buf_clear(&name);
}

/* A line that a program did not finish is ended, so that this one is not lost with it. */
static bool is_ended(int fd, off_t size)
{
    char last = '\n';

    return size == 0 || (pread(fd, &last, 1, size - 1) == 1 && last == '\n');
}

static void append(struct history *history, struct str text)
{
    struct buf line;
    struct stat file;
    int fd;

    buf_init(&line, LINE_BYTES_MAX);
    fd = open_locked(history);
    if (fd >= 0 && fstat(fd, &file) == 0) {
        if (!is_ended(fd, file.st_size))
            buf_add_char(&line, '\n');
        add_line(&line, text);
        if (!line.full && write_all(fd, buf_str(&line))) {
            history->lines++;
            if (file.st_size > HISTORY_FILE_MAX / 2 || history->lines > (size_t)2 * HISTORY_MAX)
                rewrite(history, fd);
        }
    }
    if (fd >= 0)
        close(fd);
    buf_clear(&line);
}

/* ---- the history ---- */

struct history *history_new(const char *path)
{
    struct history *history = calloc(1, sizeof *history);
    int fd;

    if (!history)
        abort();
    if (!path)
        return history;
    history->path = strdup(path);
    if (!history->path)
        abort();
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        struct stat file;

        if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode))
            read_file(history, fd);
        close(fd);
    }
    return history;
}

void history_free(struct history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->count; i++)
        free((char *)history->entries[i].p);
    free(history->entries);
    free(history->path);
    free(history);
}

void history_add(struct history *history, struct str text, bool kept)
{
    bool added = put(history, text);

    if (!is_kept(text) || (!added && (history->newest_kept || !kept)))
        return;
    history->newest_kept = kept;
    if (kept && history->path)
        append(history, text);
}
