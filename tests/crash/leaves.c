#include "leaves.h"

#include "support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRS = 4, PATH_ROOM = 512 };

void leaf_make(int place, unsigned char what, struct leaf *out)
{
    struct chance chance = {(uint64_t)place * 1000 + what};
    int kind = chance_below(&chance, 20), n;

    *out = (struct leaf){0};
    if (what == 0 || kind < 2)
        return;
    if (kind < 5) {
        out->kind = LEAF_LINK;
        out->n = (size_t)snprintf(out->bytes, LEAF_BYTES, "../link %d of %d", what, place);
    } else if (kind < 7) {
        out->kind = LEAF_DIR;
        out->mode = chance_of(&chance, 50) ? 0755 : 0711;
    } else {
        out->kind = LEAF_FILE;
        out->mode = place % 3 ? 0644 : 0750;
        n = snprintf(out->bytes, LEAF_BYTES, "file %d of %d ", what, place);
        out->n = (size_t)n + (size_t)chance_below(&chance, 3000);
        memset(out->bytes + n, 'a' + what % 26, out->n - (size_t)n);
    }
}

struct str leaf_path(int place, char out[64])
{
    int n = place % DIRS == 3 ? snprintf(out, 64, "dir0/inside/leaf %d", place)
                              : snprintf(out, 64, "dir%d/leaf %d", place % DIRS, place);

    return (struct str){out, (size_t)n};
}

int leaf_place(struct str path)
{
    char name[64];

    for (int i = 0; i < LEAVES; i++)
        if (str_eq(leaf_path(i, name), path))
            return i;
    return -1;
}

struct leaves leaves_change(const struct leaves *was, struct chance *chance, int most)
{
    struct leaves is = *was;
    int count = 1 + chance_below(chance, most);

    for (int i = 0; i < count; i++)
        is.what[chance_below(chance, LEAVES)] = (unsigned char)chance_below(chance, 256);
    return is;
}

/* Different numbers may stand for the same thing. */
static bool leaf_same(int place, unsigned char a, unsigned char b)
{
    struct leaf *one, *other;
    bool same;

    if (a == b)
        return true;
    one = malloc(sizeof(*one));
    other = malloc(sizeof(*other));
    assert_non_null(one);
    assert_non_null(other);
    leaf_make(place, a, one);
    leaf_make(place, b, other);
    same = memcmp(one, other, sizeof(*one)) == 0;
    free(one);
    free(other);
    return same;
}

bool leaves_same(const struct leaves *a, const struct leaves *b)
{
    for (int i = 0; i < LEAVES; i++)
        if (!leaf_same(i, a->what[i], b->what[i]))
            return false;
    return true;
}

/* ---- the disk ---- */

static void leaf_write(const char *path, const struct leaf *leaf)
{
    int fd;

    switch (leaf->kind) {
    case LEAF_NOTHING:
        break;
    case LEAF_LINK:
        assert_int_equal(symlink(leaf->bytes, path), 0);
        break;
    case LEAF_DIR:
        assert_int_equal(mkdir(path, leaf->mode), 0);
        break;
    case LEAF_FILE:
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, leaf->mode);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, leaf->bytes, leaf->n), leaf->n);
        close(fd);
        break;
    }
}

/* Each path is there whole or not at all, whenever this is cut off. */
static void leaf_change(const char *directory, int place, const struct leaf *was,
                        const struct leaf *is)
{
    char path[PATH_ROOM], temp[PATH_ROOM], name[64];

    leaf_path(place, name);
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    snprintf(temp, sizeof(temp), "%s/.tine-tmp-n%d", directory, place);
    if (unlink(temp) != 0 && errno == EISDIR)
        rmdir(temp);
    leaf_write(temp, is);
    if (was->kind == LEAF_DIR && is->kind != LEAF_DIR)
        assert_int_equal(rmdir(path), 0);
    else if (was->kind != LEAF_NOTHING && (is->kind == LEAF_NOTHING || is->kind == LEAF_DIR))
        if (was->kind != LEAF_DIR)
            assert_int_equal(unlink(path), 0);
    if (is->kind != LEAF_NOTHING)
        assert_int_equal(rename(temp, path), 0);
}

void leaves_write(const char *directory, const struct leaves *was, const struct leaves *is)
{
    static const char *const dirs[] = {"dir0", "dir1", "dir2", "dir0/inside"};
    struct leaf *one = malloc(sizeof(*one)), *other = malloc(sizeof(*other));
    char path[PATH_ROOM];

    assert_non_null(one);
    assert_non_null(other);
    for (int i = 0; i < DIRS; i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, dirs[i]);
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
    }
    for (int i = 0; i < LEAVES; i++) {
        if (leaf_same(i, was->what[i], is->what[i]))
            continue;
        leaf_make(i, was->what[i], one);
        leaf_make(i, is->what[i], other);
        leaf_change(directory, i, one, other);
    }
    free(one);
    free(other);
}

/* ---- reading back ---- */

bool leaf_known(int place, const struct leaf *found, const struct leaves *const *candidates,
                int count, unsigned char *out)
{
    struct leaf *leaf = malloc(sizeof(*leaf));
    bool known = false;

    assert_non_null(leaf);
    for (int i = 0; i < count && !known; i++) {
        *out = candidates[i]->what[place];
        leaf_make(place, *out, leaf);
        known = leaf->kind == found->kind && leaf->mode == found->mode && leaf->n == found->n &&
                memcmp(leaf->bytes, found->bytes, leaf->n) == 0;
    }
    free(leaf);
    return known;
}

static void leaf_scan(const char *path, struct leaf *out)
{
    struct stat stat;
    ssize_t n = 0;
    int fd;

    *out = (struct leaf){0};
    if (lstat(path, &stat) != 0)
        return;
    out->mode = stat.st_mode & 07777;
    if (S_ISDIR(stat.st_mode)) {
        out->kind = LEAF_DIR;
    } else if (S_ISLNK(stat.st_mode)) {
        out->kind = LEAF_LINK;
        out->mode = 0;
        n = readlink(path, out->bytes, LEAF_BYTES);
    } else {
        out->kind = LEAF_FILE;
        fd = open(path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? 0 : read(fd, out->bytes, LEAF_BYTES);
        if (fd >= 0)
            close(fd);
    }
    out->n = n < 0 ? 0 : (size_t)n;
}

bool leaves_read(const char *directory, const struct leaves *const *candidates, int count,
                 struct leaves *out, char *words, size_t room)
{
    struct leaf *leaf = malloc(sizeof(*leaf));
    char path[PATH_ROOM], name[64];
    bool known = true;

    assert_non_null(leaf);
    for (int i = 0; known && i < LEAVES; i++) {
        leaf_path(i, name);
        snprintf(path, sizeof(path), "%s/%s", directory, name);
        leaf_scan(path, leaf);
        known = leaf_known(i, leaf, candidates, count, &out->what[i]);
        if (!known)
            snprintf(words, room, "%s is of kind %d, mode %o, \"%.40s\" (%zu bytes)", path,
                     leaf->kind, leaf->mode, leaf->bytes, leaf->n);
    }
    free(leaf);
    return known;
}
