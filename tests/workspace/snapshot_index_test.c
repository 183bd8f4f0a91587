/* What a snapshot remembers of files that it has read, and when it does not believe that. */
#include "workspace/yard.h"

#include "workspace/stat_index.h"
#include "workspace/tree_diff.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the index ---- */

static void index_bytes(struct yard *yard, struct buf *out)
{
    buf_init(out, 16 * MIB);
    file_slurp(AT_FDCWD, yard->index, out);
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

    yard_fill(yard, 20);
    grow_old();
    yard_must_take(yard);
    index_bytes(yard, &whole);
    for (int i = 0; i < 60; i++) {
        size_t n = i % 2 ? whole.n : (size_t)chance_below(&chance, (int)whole.n);
        size_t spot = (size_t)chance_below(&chance, (int)whole.n);

        whole.p[spot] ^= 0x10;
        index_write(yard, (struct str){whole.p, n});
        assert_null(stat_index_open(yard->index));
        whole.p[spot] ^= 0x10;
        yard_must_take(yard);
        assert_int_equal(yard->last.read, 20);
        yard_must_match(yard);
        arena_clear(&yard->arena);
    }
    index_write(yard, buf_str(&whole));
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 0);
    unlink(yard->index);
    assert_int_equal(mkfifo(yard->index, 0600), 0);
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 20);
    buf_clear(&whole);
}

/* One of another directory does no harm. */
static void test_index_foreign(void **state)
{
    struct yard *yard = *state;
    int first = yard->dir;

    yard_fill(yard, 10);
    grow_old();
    yard_must_take(yard);
    mkdirat(first, "copy", 0755);
    yard->dir = openat(first, "copy", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    yard_fill(yard, 10);
    yard_put(yard, "dir0/file0", STR("other than there"));
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 10);
    yard_must_match(yard);
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

    yard_fill(yard, 100);
    yard_put_size(yard, "large", 3 * MIB);
    grow_old();
    yard_must_take(yard);
    since = yard->last.tree.since_us;
    sweep(yard);
    yard_must_take(yard);
    assert_int_not_equal(since, yard->last.tree.since_us);
    assert_int_equal(yard->last.read, 101);
    yard_must_match(yard);
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 0);
    yard_must_match(yard);
}

/* gc took some of it: only that is read again, also a large file whose list alone is there. */
static void test_after_gc_some(void **state)
{
    struct yard *yard = *state;
    struct tree_entry entry;
    struct object list;

    yard_put_size(yard, "large", 3 * MIB);
    yard_put(yard, "a", STR("one"));
    yard_put(yard, "b", STR("two"));
    grow_old();
    yard_must_take(yard);
    CHECK_OK(tree_find(yard->rig.store, yard->last.tree.hash, STR("large"), &yard->arena, &entry,
                       &yard->fault),
             &yard->fault);
    assert_int_equal(entry.type, TREE_PIECES);
    CHECK_OK(store_object_get(yard->rig.store, entry.hash, &yard->arena, &list, &yard->fault),
             &yard->fault);
    sweep(yard);
    CHECK_OK(tree_put_file(yard->rig.store, STR("one"), &entry, &yard->fault), &yard->fault);
    CHECK_OK(store_objects_put(yard->rig.store, &list, 1, &yard->fault), &yard->fault);
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 2);
    yard_must_match(yard);
}

/* Another store in its place: the index names what is not in it. */
static void test_other_store(void **state)
{
    struct yard *yard = *state;

    yard_fill(yard, 30);
    yard_put_size(yard, "large", 3 * MIB);
    grow_old();
    yard_must_take(yard);
    rig_close(&yard->rig);
    rig_open(&yard->rig, &rig_kinds[0], 1);
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 31);
    yard_must_match(yard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        YARD_TEST(test_index_trust),   YARD_TEST(test_index_broken),  YARD_TEST(test_index_foreign),
        YARD_TEST_FILE(test_after_gc), YARD_TEST(test_after_gc_some), YARD_TEST(test_other_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
