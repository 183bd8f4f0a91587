#include "workspace/yard.h"

#include "workspace/tree_diff.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

int yard_setup(void **state)
{
    return setup_with(state, &rig_kinds[0]);
}

/* With a store that several threads use at once. */
int yard_setup_file(void **state)
{
    return setup_with(state, &rig_kinds[1]);
}

int yard_teardown(void **state)
{
    struct yard *yard = *state;

    arena_clear(&yard->arena);
    close(yard->dir);
    rig_close(&yard->rig);
    scratch_remove(yard->scratch);
    free(yard);
    return 0;
}

enum fault_code yard_take(struct yard *yard)
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

void yard_must_take(struct yard *yard)
{
    CHECK_OK(yard_take(yard), &yard->fault);
    assert_true(yard->last.tree.given);
}

/* Long enough that files written before are not young any more. */
void grow_old(void)
{
    usleep(30 * 1000);
}

void yard_put(struct yard *yard, const char *path, struct str text)
{
    int fd = openat(yard->dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), (ssize_t)text.n);
    close(fd);
}

/* A file of that size, nearly all of it holes. */
void yard_put_size(struct yard *yard, const char *path, off_t size)
{
    int fd;

    yard_put(yard, path, STR("some bytes"));
    fd = openat(yard->dir, path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, size), 0);
    close(fd);
}

void yard_mode(struct yard *yard, const char *path, unsigned bits)
{
    assert_int_equal(fchmodat(yard->dir, path, bits, 0), 0);
}

/* ---- the naive reading ---- */

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

void file_slurp(int dir, const char *name, struct buf *out)
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
        file_slurp(dir, name, &what);
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

void yard_tree(struct yard *yard, struct lines *out)
{
    *out = (struct lines){.arena = &yard->arena, .store = yard->rig.store};
    CHECK_OK(tree_list(yard->rig.store, yard->last.tree.hash, STR_NONE, true, gather_entry_line,
                       out, &yard->fault),
             &yard->fault);
    if (out->count)
        qsort(out->row, out->count, sizeof(*out->row), line_order);
}

/* The tree of the last snapshot is what is in the directory. */
void yard_must_match(struct yard *yard)
{
    struct lines disk = {.arena = &yard->arena}, tree;

    dir_read(&disk, yard->dir, STR_NONE);
    if (disk.count)
        qsort(disk.row, disk.count, sizeof(*disk.row), line_order);
    yard_tree(yard, &tree);
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
const char *yard_at(struct yard *yard, const char *path)
{
    struct lines tree;
    const char *found = NULL;

    yard_tree(yard, &tree);
    for (size_t i = 0; i < tree.count; i++)
        if (str_eq(tree.row[i].path, str_of(path)))
            found = tree.row[i].what.p;
    free(tree.row);
    return found;
}

void yard_must_leave(struct yard *yard, const char *path, enum tree_left why)
{
    char what[16];
    bool told = false;

    snprintf(what, sizeof(what), "left %d", why);
    assert_non_null(yard_at(yard, path));
    assert_string_equal(yard_at(yard, path), what);
    for (size_t i = 0; i < yard->last.left_count; i++)
        told = told ||
               (str_eq(yard->last.left[i].path, str_of(path)) && yard->last.left[i].why == why);
    assert_true(told);
}

void yard_fill(struct yard *yard, int count)
{
    char path[64], text[64];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "dir%d", i % 7);
        mkdirat(yard->dir, path, 0755);
        snprintf(path, sizeof(path), "dir%d/file%d", i % 7, i);
        snprintf(text, sizeof(text), "the text of %d", i);
        yard_put(yard, path, str_of(text));
    }
}
