/*
 * Snapshots against a naive reading of the same directory: every name with its mode and all of its
 * bytes, in the directory and in the tree, must be the same.
 */
#include "workspace/yard.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void point(struct yard *yard, const char *path, const char *target)
{
    assert_int_equal(symlinkat(target, yard->dir, path), 0);
}

/* For what need not succeed. */
static bool tried(int result)
{
    return result == 0;
}

/* ---- what is seen ---- */

static void test_empty(void **state)
{
    struct yard *yard = *state;

    yard_must_take(yard);
    assert_memory_equal(yard->last.tree.hash, tree_empty, HASH_BYTES);
    assert_int_equal(yard->last.files, 0);
    yard_must_match(yard);
}

static void test_kinds(void **state)
{
    struct yard *yard = *state;

    yard_put(yard, "plain", STR("hello\n"));
    yard_put(yard, "empty", STR_NONE);
    yard_put(yard, "\xff\xfe bad", STR("not UTF-8"));
    yard_put(yard, "two\nlines", STR("x"));
    yard_put(yard, "-rf *", STR("y"));
    mkdirat(yard->dir, "nothing in it", 0700);
    mkdirat(yard->dir, "a", 0755);
    mkdirat(yard->dir, "a/b", 01777);
    yard_mode(yard, "a/b", 01777);
    yard_put(yard, "a/b/c", STR("deep"));
    yard_put(yard, "a.b", STR("sorts between")); /* '.' is before '/' */
    yard_put(yard, "tool", STR("#!/bin/sh\n"));
    yard_mode(yard, "tool", 06751);
    point(yard, "out", "/etc/passwd");
    point(yard, "dir link", "a/b");
    point(yard, "dangling", "nowhere \xff");
    point(yard, "loop", "loop");
    yard_must_take(yard);
    yard_must_match(yard);
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
        yard_put(yard, name, buf_str(&text));
        buf_clear(&text);
    }
    yard_must_take(yard);
    yard_must_match(yard);
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
        yard_must_take(yard);
        yard_must_match(yard);
        arena_clear(&yard->arena);
    }
}

/* ---- what is not read again ---- */

static void test_unchanged(void **state)
{
    struct yard *yard = *state;
    unsigned char first[HASH_BYTES];
    struct stat before, after;

    yard_fill(yard, 300);
    point(yard, "link", "x");
    grow_old();
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 300);
    assert_int_equal(yard->last.written, 300 + 8);
    memcpy(first, yard->last.tree.hash, HASH_BYTES);
    stat(yard->index, &before);
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 0);
    assert_int_equal(yard->last.written, 0);
    assert_int_equal(yard->last.files, 300);
    assert_memory_equal(first, yard->last.tree.hash, HASH_BYTES);
    stat(yard->index, &after);
    assert_int_equal(before.st_ino, after.st_ino);
    yard_put(yard, "dir3/file3", STR("other"));
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 1);
    assert_int_equal(yard->last.written, 3); /* the file, its directory and the top */
    yard_must_match(yard);
    yard_mode(yard, "dir4", 0700);
    yard_must_take(yard);
    yard_must_match(yard);
    renameat(yard->dir, "dir5", yard->dir, "moved");
    yard_must_take(yard);
    yard_must_match(yard);
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
        yard_must_take(yard);
        assert_string_equal(yard_at(yard, "file") + strlen("file 644 "), text);
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

    yard_put(yard, "busy", STR("x"));
    assert_int_equal(pthread_create(&thread, NULL, scribble, &scribe), 0);
    for (int i = 0; i < rounds; i++) {
        yard_must_take(yard);
        assert_non_null(yard_at(yard, "busy"));
        arena_clear(&yard->arena);
    }
    scribe.stop = true;
    pthread_join(thread, NULL);
    yard_must_take(yard);
}

static void test_changing(void **state)
{
    struct yard *yard = *state;

    yard_fill(yard, 40);
    with_scribe(yard, false, 20);
    yard_must_match(yard);
}

static void test_growing(void **state)
{
    struct yard *yard = *state;
    struct stat stat;

    yard->limits.file_bytes = 3 * MIB;
    with_scribe(yard, true, 10);
    fstatat(yard->dir, "busy", &stat, 0);
    if (stat.st_size > 3 * MIB)
        yard_must_leave(yard, "busy", LEFT_SIZE);
    else
        yard_must_match(yard);
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

        yard_must_take(yard);
        yard_tree(yard, &tree);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        YARD_TEST(test_empty),         YARD_TEST(test_kinds),          YARD_TEST_FILE(test_sizes),
        YARD_TEST(test_random),        YARD_TEST_FILE(test_unchanged), YARD_TEST(test_racy),
        YARD_TEST_FILE(test_changing), YARD_TEST(test_growing),        YARD_TEST(test_swapping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
