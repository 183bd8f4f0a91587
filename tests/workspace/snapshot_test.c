/*
 * Snapshots against a naive reading of the same directory: every name with its mode and all of its
 * bytes, in the directory and in the tree, must be the same.
 */
#include "support/check.h"
#include "support/rig.h"

#include "base/buf.h"
#include "workspace/restore.h"
#include "workspace/snapshot.h"
#include "workspace/stat_index.h"
#include "workspace/tree_diff.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

enum { MIB = 1024 * 1024 };

struct yard {
    struct rig rig;
    char scratch[64], index[128];
    int dir;
    struct snapshot_limits limits;
    int cancel_fd;
    struct arena arena;
    struct fault fault;
    struct snapshot last;
};

static int setup_with(void **state, const struct rig_kind *kind)
{
    struct yard *yard = calloc(1, sizeof(*yard));
    char path[128];

    rig_open(&yard->rig, kind, 1);
    scratch_make(yard->scratch, sizeof(yard->scratch));
    snprintf(yard->index, sizeof(yard->index), "%s/index", yard->scratch);
    snprintf(path, sizeof(path), "%s/work", yard->scratch);
    assert_int_equal(mkdir(path, 0755), 0);
    yard->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    yard->cancel_fd = -1;
    arena_init(&yard->arena);
    *state = yard;
    return 0;
}

static int setup(void **state)
{
    return setup_with(state, &rig_kinds[0]);
}

/* With a store that several threads use at once. */
static int setup_file(void **state)
{
    return setup_with(state, &rig_kinds[1]);
}

static int teardown(void **state)
{
    struct yard *yard = *state;

    arena_clear(&yard->arena);
    close(yard->dir);
    rig_close(&yard->rig);
    scratch_remove(yard->scratch);
    free(yard);
    return 0;
}

static enum fault_code take(struct yard *yard)
{
    struct snapshot_spec spec = {
        .store = yard->rig.store,
        .dir = yard->dir,
        .index = yard->index,
        .limits = yard->limits,
        .cancel_fd = yard->cancel_fd,
    };

    return snapshot_take(&spec, &yard->arena, &yard->last, &yard->fault);
}

static void must_take(struct yard *yard)
{
    CHECK_OK(take(yard), &yard->fault);
    assert_true(yard->last.tree.given);
}

/* Long enough that files written before are not young any more. */
static void grow_old(void)
{
    usleep(30 * 1000);
}

static void put(struct yard *yard, const char *path, struct str text)
{
    int fd = openat(yard->dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), (ssize_t)text.n);
    close(fd);
}

/* A file of that size, nearly all of it holes. */
static void put_size(struct yard *yard, const char *path, off_t size)
{
    int fd;

    put(yard, path, STR("some bytes"));
    fd = openat(yard->dir, path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, size), 0);
    close(fd);
}

static void mode(struct yard *yard, const char *path, unsigned bits)
{
    assert_int_equal(fchmodat(yard->dir, path, bits, 0), 0);
}

static void point(struct yard *yard, const char *path, const char *target)
{
    assert_int_equal(symlinkat(target, yard->dir, path), 0);
}

/* For what need not succeed. */
static bool tried(int result)
{
    return result == 0;
}

/* ---- the naive reading ---- */

struct line {
    struct str path, what; /* kind, mode, and content or target */
};

struct lines {
    struct arena *arena;
    struct line *row;
    size_t count, room;
    struct store *store;
};

static void line_add(struct lines *lines, struct str path, struct str what)
{
    if (lines->count == lines->room) {
        lines->room = lines->room ? 2 * lines->room : 64;
        lines->row = realloc(lines->row, lines->room * sizeof(*lines->row));
    }
    lines->row[lines->count++] =
        (struct line){arena_dup(lines->arena, path), arena_dup(lines->arena, what)};
}

static int line_order(const void *a, const void *b)
{
    return str_cmp(((const struct line *)a)->path, ((const struct line *)b)->path);
}

static void slurp(int dir, const char *name, struct buf *out)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    char bytes[64 * 1024];
    ssize_t n;

    assert_true(fd >= 0);
    while ((n = read(fd, bytes, sizeof(bytes))) > 0)
        buf_add(out, bytes, (size_t)n);
    close(fd);
}

static void name_read(struct lines *lines, int dir, const char *name, struct str path);

static void dir_read(struct lines *lines, int fd, struct str path)
{
    DIR *dir = fdopendir(dup(fd));
    const struct dirent *entry;

    rewinddir(dir);
    while ((entry = readdir(dir))) {
        struct str below;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        below =
            arena_printf(lines->arena, "%.*s%s%s", STR_ARG(path), path.n ? "/" : "", entry->d_name);
        name_read(lines, fd, entry->d_name, below);
    }
    closedir(dir);
}

static void name_read(struct lines *lines, int dir, const char *name, struct str path)
{
    struct stat stat;
    struct buf what;

    buf_init(&what, 256 * MIB);
    assert_int_equal(fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW), 0);
    if (S_ISDIR(stat.st_mode)) {
        int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        buf_add_format(&what, "dir %o", stat.st_mode & 07777);
        line_add(lines, path, buf_str(&what));
        dir_read(lines, fd, path);
        close(fd);
    } else if (S_ISLNK(stat.st_mode)) {
        char target[5000];
        ssize_t n = readlinkat(dir, name, target, sizeof(target));

        buf_add_format(&what, "link %.*s", (int)n, target);
        line_add(lines, path, buf_str(&what));
    } else {
        assert_true(S_ISREG(stat.st_mode));
        buf_add_format(&what, "file %o ", stat.st_mode & 07777);
        slurp(dir, name, &what);
        line_add(lines, path, buf_str(&what));
    }
    buf_clear(&what);
}

static enum fault_code gather_entry_line(void *context, struct str path,
                                         const struct tree_entry *entry, struct fault *fault)
{
    struct lines *lines = context;
    struct buf what;

    (void)fault;
    buf_init(&what, 256 * MIB);
    if (entry->type == TREE_DIR)
        buf_add_format(&what, "dir %o", entry->mode);
    else if (entry->type == TREE_LINK)
        buf_add_format(&what, "link %.*s", STR_ARG(entry->target));
    else if (entry->type == TREE_LEFT)
        buf_add_format(&what, "left %d", entry->left);
    else {
        struct fault own;
        struct str content;

        buf_add_format(&what, "file %o ", entry->mode);
        CHECK_OK(tree_file(lines->store, entry, 256 * MIB, lines->arena, &content, &own), &own);
        assert_int_equal(content.n, entry->size);
        buf_add_str(&what, content);
    }
    line_add(lines, path, buf_str(&what));
    buf_clear(&what);
    return FAULT_OK;
}

static void tree_read(struct yard *yard, struct lines *out)
{
    *out = (struct lines){.arena = &yard->arena, .store = yard->rig.store};
    CHECK_OK(tree_list(yard->rig.store, yard->last.tree.hash, STR_NONE, true, gather_entry_line,
                       out, &yard->fault),
             &yard->fault);
    if (out->count)
        qsort(out->row, out->count, sizeof(*out->row), line_order);
}

/* The tree of the last snapshot is what is in the directory. */
static void must_match(struct yard *yard)
{
    struct lines disk = {.arena = &yard->arena}, tree;

    dir_read(&disk, yard->dir, STR_NONE);
    if (disk.count)
        qsort(disk.row, disk.count, sizeof(*disk.row), line_order);
    tree_read(yard, &tree);
    for (size_t i = 0; i < disk.count && i < tree.count; i++) {
        if (!str_eq(disk.row[i].path, tree.row[i].path))
            fail_msg("the directory has \"%s\", the tree \"%s\"", disk.row[i].path.p,
                     tree.row[i].path.p);
        if (!str_eq(disk.row[i].what, tree.row[i].what))
            fail_msg("\"%s\" is \"%.40s\" in the directory, \"%.40s\" in the tree",
                     disk.row[i].path.p, disk.row[i].what.p, tree.row[i].what.p);
    }
    assert_int_equal(disk.count, tree.count);
    free(disk.row);
    free(tree.row);
}

/* What the tree has at a path, as tree_read writes it; NULL: nothing. */
static const char *at(struct yard *yard, const char *path)
{
    struct lines tree;
    const char *found = NULL;

    tree_read(yard, &tree);
    for (size_t i = 0; i < tree.count; i++)
        if (str_eq(tree.row[i].path, str_of(path)))
            found = tree.row[i].what.p;
    free(tree.row);
    return found;
}

static void must_be_left(struct yard *yard, const char *path, enum tree_left why)
{
    char what[16];
    bool told = false;

    snprintf(what, sizeof(what), "left %d", why);
    assert_non_null(at(yard, path));
    assert_string_equal(at(yard, path), what);
    for (size_t i = 0; i < yard->last.left_count; i++)
        told = told ||
               (str_eq(yard->last.left[i].path, str_of(path)) && yard->last.left[i].why == why);
    assert_true(told);
}

/* ---- what is seen ---- */

static void test_empty(void **state)
{
    struct yard *yard = *state;

    must_take(yard);
    assert_memory_equal(yard->last.tree.hash, tree_empty, HASH_BYTES);
    assert_int_equal(yard->last.files, 0);
    must_match(yard);
}

static void test_kinds(void **state)
{
    struct yard *yard = *state;

    put(yard, "plain", STR("hello\n"));
    put(yard, "empty", STR_NONE);
    put(yard, "\xff\xfe bad", STR("not UTF-8"));
    put(yard, "two\nlines", STR("x"));
    put(yard, "-rf *", STR("y"));
    mkdirat(yard->dir, "nothing in it", 0700);
    mkdirat(yard->dir, "a", 0755);
    mkdirat(yard->dir, "a/b", 01777);
    mode(yard, "a/b", 01777);
    put(yard, "a/b/c", STR("deep"));
    put(yard, "a.b", STR("sorts between")); /* '.' is before '/' */
    put(yard, "tool", STR("#!/bin/sh\n"));
    mode(yard, "tool", 06751);
    point(yard, "out", "/etc/passwd");
    point(yard, "dir link", "a/b");
    point(yard, "dangling", "nowhere \xff");
    point(yard, "loop", "loop");
    must_take(yard);
    must_match(yard);
    assert_int_equal(yard->last.files, 8);
    assert_int_equal(yard->last.left_all, 0);
}

static void test_sizes(void **state)
{
    static const off_t sizes[] = {0,           1,       4095,           MIB - 1,
                                  MIB,         MIB + 1, 2 * MIB - 1,    2 * MIB,
                                  2 * MIB + 1, 3 * MIB, 7 * MIB + 12345};
    struct yard *yard = *state;
    char name[16];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct buf text;

        buf_init(&text, 16 * MIB);
        while ((off_t)text.n < sizes[i])
            buf_add_char(&text, (char)(text.n * 31 / 7 % 251));
        snprintf(name, sizeof(name), "file%zu", i);
        put(yard, name, buf_str(&text));
        buf_clear(&text);
    }
    must_take(yard);
    must_match(yard);
}

/* Random changes of every kind, each round against the naive reading. */
static void change_one(struct yard *yard, struct chance *chance)
{
    static const char *const names[] = {"a", "b", "c", "d/a", "d/b", "d/e/a", "d/e/b", "f", "f/x"};
    enum { NAMES = sizeof(names) / sizeof(*names) };
    const char *name = names[chance_below(chance, NAMES)];
    char text[32];
    int fd;

    switch (chance_below(chance, 9)) {
    case 0:
    case 1: /* often of the same size */
        snprintf(text, sizeof(text), "text %d", chance_below(chance, 10));
        fd = openat(yard->dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
        if (fd >= 0)
            assert_true(write(fd, text, strlen(text)) > 0);
        close(fd);
        break;
    case 2:
        unlinkat(yard->dir, name, 0);
        break;
    case 3:
        unlinkat(yard->dir, name, AT_REMOVEDIR);
        break;
    case 4:
        renameat(yard->dir, name, yard->dir, names[chance_below(chance, NAMES)]);
        break;
    case 5:
        mkdirat(yard->dir, chance_of(chance, 50) ? "d" : "d/e", 0755);
        mkdirat(yard->dir, name, 0755);
        break;
    case 6:
        tried(symlinkat(names[chance_below(chance, NAMES)], yard->dir, name));
        break;
    case 7: /* root reads it whatever its mode; others need theirs */
        tried(fchmodat(yard->dir, name, (mode_t)(0700 | chance_below(chance, 0100)),
                       AT_SYMLINK_NOFOLLOW));
        break;
    default:
        tried(linkat(yard->dir, name, yard->dir, names[chance_below(chance, NAMES)], 0));
        break;
    }
}

static void test_random(void **state)
{
    struct yard *yard = *state;
    struct chance chance = {.state = 7};

    for (int round = 0; round < 150; round++) {
        int changes = chance_below(&chance, 6);

        while (changes--)
            change_one(yard, &chance);
        if (chance_of(&chance, 20))
            grow_old();
        must_take(yard);
        must_match(yard);
        arena_clear(&yard->arena);
    }
}

/* ---- what is not read again ---- */

static void fill(struct yard *yard, int count)
{
    char path[64], text[64];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "dir%d", i % 7);
        mkdirat(yard->dir, path, 0755);
        snprintf(path, sizeof(path), "dir%d/file%d", i % 7, i);
        snprintf(text, sizeof(text), "the text of %d", i);
        put(yard, path, str_of(text));
    }
}

static void test_unchanged(void **state)
{
    struct yard *yard = *state;
    unsigned char first[HASH_BYTES];
    struct stat before, after;

    fill(yard, 300);
    point(yard, "link", "x");
    grow_old();
    must_take(yard);
    assert_int_equal(yard->last.read, 300);
    assert_int_equal(yard->last.written, 300 + 8);
    memcpy(first, yard->last.tree.hash, HASH_BYTES);
    stat(yard->index, &before);
    must_take(yard);
    assert_int_equal(yard->last.read, 0);
    assert_int_equal(yard->last.written, 0);
    assert_int_equal(yard->last.files, 300);
    assert_memory_equal(first, yard->last.tree.hash, HASH_BYTES);
    stat(yard->index, &after);
    assert_int_equal(before.st_ino, after.st_ino);
    put(yard, "dir3/file3", STR("other"));
    must_take(yard);
    assert_int_equal(yard->last.read, 1);
    assert_int_equal(yard->last.written, 3); /* the file, its directory and the top */
    must_match(yard);
    mode(yard, "dir4", 0700);
    must_take(yard);
    must_match(yard);
    renameat(yard->dir, "dir5", yard->dir, "moved");
    must_take(yard);
    must_match(yard);
}

/* The same size, the same time of change, the same inode, at once: seen all the same. */
static void test_racy(void **state)
{
    struct yard *yard = *state;

    for (int i = 0; i < 200; i++) {
        struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
        char text[16];
        int fd;

        snprintf(text, sizeof(text), "%05d", i);
        fd = openat(yard->dir, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        assert_int_equal(write(fd, text, 5), 5);
        futimens(fd, old);
        close(fd);
        must_take(yard);
        assert_string_equal(at(yard, "file") + strlen("file 644 "), text);
        arena_clear(&yard->arena);
        if (i % 10 == 0)
            usleep(2000);
    }
}

/* ---- what changes meanwhile ---- */

struct scribe {
    struct yard *yard;
    atomic_bool stop;
    bool grows;
};

static void *scribble(void *context)
{
    struct scribe *scribe = context;
    int fd = openat(scribe->yard->dir, "busy", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    char bytes[4096];

    for (unsigned i = 0; !scribe->stop; i++) {
        memset(bytes, (int)(i % 256), sizeof(bytes));
        if (scribe->grows ? write(fd, bytes, sizeof(bytes)) < 0
                          : pwrite(fd, bytes, sizeof(bytes), 0) < 0)
            break;
    }
    close(fd);
    return NULL;
}

static void with_scribe(struct yard *yard, bool grows, int rounds)
{
    struct scribe scribe = {.yard = yard, .grows = grows};
    pthread_t thread;

    put(yard, "busy", STR("x"));
    assert_int_equal(pthread_create(&thread, NULL, scribble, &scribe), 0);
    for (int i = 0; i < rounds; i++) {
        must_take(yard);
        assert_non_null(at(yard, "busy"));
        arena_clear(&yard->arena);
    }
    scribe.stop = true;
    pthread_join(thread, NULL);
    must_take(yard);
}

static void test_changing(void **state)
{
    struct yard *yard = *state;

    fill(yard, 40);
    with_scribe(yard, false, 20);
    must_match(yard);
}

static void test_growing(void **state)
{
    struct yard *yard = *state;
    struct stat stat;

    yard->limits.file_bytes = 3 * MIB;
    with_scribe(yard, true, 10);
    fstatat(yard->dir, "busy", &stat, 0);
    if (stat.st_size > 3 * MIB)
        must_be_left(yard, "busy", LEFT_SIZE);
    else
        must_match(yard);
}

/* Names that become something else all the time, among them links out of the directory. */
static void *swap_names(void *context)
{
    struct scribe *scribe = context;
    int dir = scribe->yard->dir;

    while (!scribe->stop) {
        mkdirat(dir, "swap", 0755);
        unlinkat(dir, "swap", AT_REMOVEDIR);
        tried(symlinkat("/etc", dir, "swap"));
        unlinkat(dir, "swap", 0);
        mkfifoat(dir, "swap", 0644);
        unlinkat(dir, "swap", 0);
        for (int i = 0; i < 20; i++) { /* a file, and at once a link to one */
            close(openat(dir, "swap", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
            tried(symlinkat("/etc/passwd", dir, "link"));
            tried(renameat(dir, "link", dir, "swap"));
            unlinkat(dir, "swap", 0);
        }
    }
    return NULL;
}

static void test_swapping(void **state)
{
    struct yard *yard = *state;
    struct scribe scribe = {.yard = yard};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, swap_names, &scribe), 0);
    for (int i = 0; i < 100; i++) {
        struct lines tree;

        must_take(yard);
        tree_read(yard, &tree);
        for (size_t j = 0; j < tree.count; j++) { /* nothing from behind a link */
            assert_true(!memchr(tree.row[j].path.p, '/', tree.row[j].path.n));
            assert_null(strstr(tree.row[j].what.p, "root:"));
        }
        free(tree.row);
        arena_clear(&yard->arena);
    }
    scribe.stop = true;
    pthread_join(thread, NULL);
}

/* ---- what is left out ---- */

static void test_special(void **state)
{
    struct yard *yard = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    mkfifoat(yard->dir, "fifo", 0644);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/work/socket", yard->scratch);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    put(yard, "plain", STR("x"));
    must_take(yard);
    must_be_left(yard, "fifo", LEFT_SPECIAL);
    must_be_left(yard, "socket", LEFT_SPECIAL);
    if (mknodat(yard->dir, "null", S_IFCHR | 0666, makedev(1, 3)) == 0) {
        must_take(yard);
        must_be_left(yard, "null", LEFT_SPECIAL);
    }
    assert_int_equal(yard->last.files, 1);
    grow_old();
    must_take(yard);
    must_take(yard);
    assert_int_equal(yard->last.read, 0);
    close(fd);
}

static void test_large(void **state)
{
    struct yard *yard = *state;

    put_size(yard, "sparse", (off_t)1 << 40);
    put_size(yard, "just over", 64 * MIB + 1);
    put_size(yard, "holes", 5 * MIB);
    must_take(yard);
    must_be_left(yard, "sparse", LEFT_SIZE);
    must_be_left(yard, "just over", LEFT_SIZE);
    assert_int_equal(yard->last.left_all, 2);
    unlinkat(yard->dir, "sparse", 0);
    unlinkat(yard->dir, "just over", 0);
    must_take(yard);
    must_match(yard);
    yard->limits.file_bytes = 5 * MIB - 1; /* a limit that became smaller counts at once */
    must_take(yard);
    must_be_left(yard, "holes", LEFT_SIZE);
}

static void test_many_left(void **state)
{
    struct yard *yard = *state;
    char name[16];

    for (int i = 0; i < SNAPSHOT_LEFT_TOLD + 5; i++) {
        snprintf(name, sizeof(name), "fifo%d", i);
        mkfifoat(yard->dir, name, 0644);
    }
    must_take(yard);
    assert_int_equal(yard->last.left_count, SNAPSHOT_LEFT_TOLD);
    assert_int_equal(yard->last.left_all, SNAPSHOT_LEFT_TOLD + 5);
}

static void deep_make(int top, int depth)
{
    int fd = dup(top);

    for (int i = 0; i < depth; i++) {
        int below;

        assert_int_equal(mkdirat(fd, "d", 0755), 0);
        below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = below;
    }
    close(fd);
}

/* Goes down to the lowest one, which no path reaches, and removes each on the way up. */
static void deep_remove(int top)
{
    int fd = dup(top), next, depth = 0;

    while ((next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
        close(fd);
        fd = next;
        depth++;
    }
    while (depth--) {
        next = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
        assert_int_equal(unlinkat(fd, "d", AT_REMOVEDIR), 0);
    }
    close(fd);
}

/* In memory where there is such a place: so many directories take a disk half a minute. */
static void test_deep(void **state)
{
    struct yard *yard = *state;
    char path[2 * SNAPSHOT_DEPTH + 2], place[] = "/dev/shm/tine-test-XXXXXX";

    if (mkdtemp(place)) {
        close(yard->dir);
        yard->dir = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    deep_make(yard->dir, 10 * 1000);
    must_take(yard);
    for (size_t i = 0; i < sizeof(path) - 1; i++)
        path[i] = i % 2 ? '/' : 'd';
    path[sizeof(path) - 1] = '\0';
    must_be_left(yard, path, LEFT_DEPTH);
    deep_remove(yard->dir);
    deep_make(yard->dir, SNAPSHOT_DEPTH);
    must_take(yard);
    must_match(yard);
    deep_remove(yard->dir);
    rmdir(place);
}

/* Root reads everything, unless it lays that power down. */
static void powers(uint32_t *keep, bool take_back)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    uint32_t dac = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);

    assert_int_equal(syscall(SYS_capget, &head, data), 0);
    if (!take_back)
        *keep = data[0].effective;
    data[0].effective = take_back ? *keep : data[0].effective & ~dac;
    assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

static void test_unreadable(void **state)
{
    struct yard *yard = *state;
    uint32_t keep = 0;

    put(yard, "secret", STR("x"));
    mode(yard, "secret", 0);
    mkdirat(yard->dir, "closed", 0);
    mkdirat(yard->dir, "half", 0700);
    put(yard, "half/file", STR("y"));
    mode(yard, "half", 0400); /* its names can be read, nothing else */
    powers(&keep, false);
    must_take(yard);
    powers(&keep, true);
    must_be_left(yard, "secret", LEFT_UNREADABLE);
    must_be_left(yard, "closed", LEFT_UNREADABLE);
    must_be_left(yard, "half/file", LEFT_UNREADABLE);
    mode(yard, "secret", 0600);
    mode(yard, "closed", 0700);
    mode(yard, "half", 0700);
    must_take(yard);
    must_match(yard);
}

/* Lacking descriptors is not the fault of a file: nothing is said about it. */
static void test_no_descriptors(void **state)
{
    struct yard *yard = *state;
    struct rlimit was, low;
    enum fault_code code;
    int probe;

    deep_make(yard->dir, 60);
    must_take(yard);
    probe = dup(0);
    close(probe);
    getrlimit(RLIMIT_NOFILE, &was);
    low = was;
    low.rlim_cur = (rlim_t)probe + 20;
    setrlimit(RLIMIT_NOFILE, &low);
    code = take(yard);
    setrlimit(RLIMIT_NOFILE, &was);
    CHECK_FAULT(code, FAULT_IO, &yard->fault);
    must_take(yard);
    must_match(yard);
}

static void test_mount(void **state)
{
    struct yard *yard = *state;
    char path[128];

    mkdirat(yard->dir, "mnt", 0755);
    mkdirat(yard->dir, "bound", 0755);
    put(yard, "file", STR("below"));
    mkdirat(yard->dir, "other", 0755);
    put(yard, "other/x", STR("x"));
    if (unshare(CLONE_FS | CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        skip();
    snprintf(path, sizeof(path), "%s/work/mnt", yard->scratch);
    if (mount("tmpfs", path, "tmpfs", 0, NULL) != 0)
        skip();
    {
        char from[128], to[128];

        snprintf(from, sizeof(from), "%s/work/other", yard->scratch);
        snprintf(to, sizeof(to), "%s/work/bound", yard->scratch);
        assert_int_equal(mount(from, to, NULL, MS_BIND, NULL), 0);
        snprintf(from, sizeof(from), "%s/work/other/x", yard->scratch);
        snprintf(to, sizeof(to), "%s/work/file", yard->scratch);
        assert_int_equal(mount(from, to, NULL, MS_BIND, NULL), 0);
    }
    close(yard->dir);
    snprintf(path, sizeof(path), "%s/work", yard->scratch);
    yard->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    put(yard, "mnt/inside", STR("of another file system"));
    must_take(yard);
    must_be_left(yard, "mnt", LEFT_MOUNT);
    must_be_left(yard, "bound", LEFT_MOUNT); /* of the same one */
    must_be_left(yard, "file", LEFT_MOUNT);
    assert_null(at(yard, "mnt/inside"));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"mnt", "bound", "file"};

        snprintf(path, sizeof(path), "%s/work/%s", yard->scratch, names[i]);
        assert_int_equal(umount(path), 0);
    }
    must_take(yard);
    must_match(yard);
}

static void test_git_and_temps(void **state)
{
    struct yard *yard = *state;

    mkdirat(yard->dir, ".git", 0755);
    put(yard, ".git/HEAD", STR("ref: refs/heads/main\n"));
    mkdirat(yard->dir, "sub", 0755);
    put(yard, "sub/.git", STR("gitdir: elsewhere\n"));
    put(yard, "sub/" RESTORE_TEMP "1", STR("half"));
    put(yard, "sub/file", STR("x"));
    put(yard, ".gitignore", STR("!.git\n"));
    must_take(yard);
    assert_null(at(yard, ".git"));
    assert_null(at(yard, ".git/HEAD"));
    assert_null(at(yard, "sub/.git"));
    assert_null(at(yard, "sub/" RESTORE_TEMP "1"));
    assert_non_null(at(yard, "sub/file"));
    assert_int_equal(yard->last.files, 2);
    assert_int_equal(yard->last.left_all, 0);
}

static void test_ignored(void **state)
{
    struct yard *yard = *state;

    mkdirat(yard->dir, "src", 0755);
    mkdirat(yard->dir, "node_modules", 0755);
    put(yard, "node_modules/x", STR("derived"));
    put(yard, "src/a.o", STR("object"));
    put(yard, "src/a.c", STR("source"));
    put(yard, ".gitignore", STR("*.o\n"));
    grow_old();
    for (int i = 0; i < 3; i++) { /* also as it is remembered */
        must_take(yard);
        assert_int_equal(yard->last.read, i ? 0 : 2);
        assert_null(at(yard, "src/a.o"));
        assert_null(at(yard, "node_modules"));
        assert_non_null(at(yard, "src/a.c"));
        assert_int_equal(yard->last.left_all, 0);
    }
    put(yard, "src/b.o", STR("a new one"));
    must_take(yard);
    assert_null(at(yard, "src/b.o"));
    put(yard, "src/.tineignore", STR("!b.o\n")); /* nothing but the rules changed */
    must_take(yard);
    assert_null(at(yard, "src/a.o"));
    assert_non_null(at(yard, "src/b.o"));
    put(yard, ".gitignore", STR("*.c\n"));
    must_take(yard);
    assert_null(at(yard, "src/a.c"));
    assert_non_null(at(yard, "src/a.o"));
    /* A name that is left out as a directory only. */
    put(yard, ".gitignore", STR("thing/\n"));
    mkdirat(yard->dir, "thing", 0755);
    must_take(yard);
    assert_null(at(yard, "thing"));
    unlinkat(yard->dir, "thing", AT_REMOVEDIR);
    put(yard, "thing", STR("a file now"));
    must_take(yard);
    assert_non_null(at(yard, "thing"));
}

static void test_limits(void **state)
{
    struct yard *yard = *state;
    int pipes[2];

    fill(yard, 50);
    yard->limits.entries = 57;
    must_take(yard);
    yard->limits.entries = 56;
    CHECK_FAULT(take(yard), FAULT_TOO_LARGE, &yard->fault);
    yard->limits = (struct snapshot_limits){.bytes = 100};
    CHECK_FAULT(take(yard), FAULT_TOO_LARGE, &yard->fault);
    yard->limits = (struct snapshot_limits){0};
    assert_int_equal(pipe(pipes), 0);
    yard->cancel_fd = pipes[0];
    must_take(yard);
    assert_int_equal(write(pipes[1], "x", 1), 1);
    CHECK_FAULT(take(yard), FAULT_INTERRUPTED, &yard->fault);
    close(pipes[0]);
    close(pipes[1]);
}

/* ---- the index ---- */

static void index_bytes(struct yard *yard, struct buf *out)
{
    buf_init(out, 16 * MIB);
    slurp(AT_FDCWD, yard->index, out);
}

static void index_write(struct yard *yard, struct str bytes)
{
    int fd = open(yard->index, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
    close(fd);
}

/* Times that were not in the past as a file was opened are no sign of anything. */
static void test_index_trust(void **state)
{
    static const struct {
        int64_t mtime_ns, ctime_ns, clock_ns, size;
        bool trusted;
    } cases[] = {
        {10, 10, 11, 3, true},  {11, 10, 11, 3, false}, {10, 11, 11, 3, false},
        {12, 12, 11, 3, false}, {10, 10, 0, 3, false},  {10, 10, 11, 4, false},
    };
    enum { COUNT = sizeof(cases) / sizeof(*cases) };
    struct yard *yard = *state;
    struct tree_entry top = {.type = TREE_DIR, .mode = 0755}, file = {.size = 3};
    struct stat_writer *writer = stat_writer_new();
    struct stat_index *index;
    struct stat_cursor cursor;
    struct stat_entry entry;

    stat_writer_enter(writer, &top, NULL);
    stat_writer_ignored(writer, STR("-"), true);
    for (int i = 0; i < COUNT; i++) {
        struct stat_id id = {
            .size = cases[i].size, .mtime_ns = cases[i].mtime_ns, .ctime_ns = cases[i].ctime_ns};
        char name[2] = {(char)('a' + i), '\0'};

        file.name = str_of(name);
        stat_writer_add(writer, &file, &id, cases[i].clock_ns);
    }
    stat_writer_leave(writer);
    CHECK_OK(stat_writer_save(writer, yard->index, 77, &yard->fault), &yard->fault);
    stat_writer_free(writer);
    index = stat_index_open(yard->index);
    assert_non_null(index);
    assert_int_equal(stat_index_since(index), 77);
    assert_true(stat_cursor_top(index, &cursor, &entry));
    assert_int_equal(cursor.count, COUNT);
    assert_false(stat_cursor_find(&cursor, STR("!"), &entry));
    assert_true(stat_cursor_find(&cursor, STR("-"), &entry));
    assert_true(entry.ignored && entry.is_dir);
    for (int i = 0; i < COUNT; i++) {
        assert_true(stat_cursor_next(&cursor, &entry));
        assert_int_equal(entry.trusted, cases[i].trusted);
    }
    assert_false(stat_cursor_next(&cursor, &entry));
    stat_index_close(index);
}

static void test_index_broken(void **state)
{
    struct yard *yard = *state;
    struct chance chance = {.state = 3};
    struct buf whole;

    fill(yard, 20);
    grow_old();
    must_take(yard);
    index_bytes(yard, &whole);
    for (int i = 0; i < 60; i++) {
        size_t n = i % 2 ? whole.n : (size_t)chance_below(&chance, (int)whole.n);
        size_t spot = (size_t)chance_below(&chance, (int)whole.n);

        whole.p[spot] ^= 0x10;
        index_write(yard, (struct str){whole.p, n});
        assert_null(stat_index_open(yard->index));
        whole.p[spot] ^= 0x10;
        must_take(yard);
        assert_int_equal(yard->last.read, 20);
        must_match(yard);
        arena_clear(&yard->arena);
    }
    index_write(yard, buf_str(&whole));
    must_take(yard);
    assert_int_equal(yard->last.read, 0);
    unlink(yard->index);
    assert_int_equal(mkfifo(yard->index, 0600), 0);
    must_take(yard);
    assert_int_equal(yard->last.read, 20);
    buf_clear(&whole);
}

/* One of another directory does no harm. */
static void test_index_foreign(void **state)
{
    struct yard *yard = *state;
    int first = yard->dir;

    fill(yard, 10);
    grow_old();
    must_take(yard);
    mkdirat(first, "copy", 0755);
    yard->dir = openat(first, "copy", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fill(yard, 10);
    put(yard, "dir0/file0", STR("other than there"));
    must_take(yard);
    assert_int_equal(yard->last.read, 10);
    must_match(yard);
    close(first);
}

static void sweep(struct yard *yard)
{
    struct timespec now;
    struct gc_spec spec;
    struct gc_result result;

    usleep(2000);
    clock_gettime(CLOCK_REALTIME, &now);
    spec = (struct gc_spec){.now_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000};
    CHECK_OK(store_gc(yard->rig.store, &spec, NULL, NULL, &result, &yard->fault), &yard->fault);
}

/* Nobody recorded the tree, so gc took everything: it is all put again. */
static void test_after_gc(void **state)
{
    struct yard *yard = *state;
    int64_t since;

    fill(yard, 100);
    put_size(yard, "large", 3 * MIB);
    grow_old();
    must_take(yard);
    since = yard->last.tree.since_us;
    sweep(yard);
    must_take(yard);
    assert_int_not_equal(since, yard->last.tree.since_us);
    assert_int_equal(yard->last.read, 101);
    must_match(yard);
    must_take(yard);
    assert_int_equal(yard->last.read, 0);
    must_match(yard);
}

/* gc took some of it: only that is read again, also a large file whose list alone is there. */
static void test_after_gc_some(void **state)
{
    struct yard *yard = *state;
    struct tree_entry entry;
    struct object list;

    put_size(yard, "large", 3 * MIB);
    put(yard, "a", STR("one"));
    put(yard, "b", STR("two"));
    grow_old();
    must_take(yard);
    CHECK_OK(tree_find(yard->rig.store, yard->last.tree.hash, STR("large"), &yard->arena, &entry,
                       &yard->fault),
             &yard->fault);
    assert_int_equal(entry.type, TREE_PIECES);
    CHECK_OK(store_object_get(yard->rig.store, entry.hash, &yard->arena, &list, &yard->fault),
             &yard->fault);
    sweep(yard);
    CHECK_OK(tree_put_file(yard->rig.store, STR("one"), &entry, &yard->fault), &yard->fault);
    CHECK_OK(store_objects_put(yard->rig.store, &list, 1, &yard->fault), &yard->fault);
    must_take(yard);
    assert_int_equal(yard->last.read, 2);
    must_match(yard);
}

/* Another store in its place: the index names what is not in it. */
static void test_other_store(void **state)
{
    struct yard *yard = *state;

    fill(yard, 30);
    put_size(yard, "large", 3 * MIB);
    grow_old();
    must_take(yard);
    rig_close(&yard->rig);
    rig_open(&yard->rig, &rig_kinds[0], 1);
    must_take(yard);
    assert_int_equal(yard->last.read, 31);
    must_match(yard);
}

int main(void)
{
#define TEST(name)      cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_FILE(name) cmocka_unit_test_setup_teardown(name, setup_file, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_empty),         TEST(test_kinds),          TEST_FILE(test_sizes),
        TEST(test_random),        TEST_FILE(test_unchanged), TEST(test_racy),
        TEST_FILE(test_changing), TEST(test_growing),        TEST(test_swapping),
        TEST(test_special),       TEST(test_large),          TEST(test_many_left),
        TEST(test_deep),          TEST(test_unreadable),     TEST(test_no_descriptors),
        TEST(test_git_and_temps), TEST(test_ignored),        TEST(test_limits),
        TEST(test_index_trust),   TEST(test_index_broken),   TEST(test_index_foreign),
        TEST_FILE(test_after_gc), TEST(test_after_gc_some),  TEST(test_other_store),
        TEST(test_mount),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
