/* Directories as bytes: one form for each, and nothing else is read. */
#include "store/object.h"
#include "store/tree.h"
#include "support/check.h"

#include <stdlib.h>

static const unsigned char some[HASH_BYTES] = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
};
static struct fault fault;

static struct tree_entry file(const char *name)
{
    struct tree_entry entry = {.type = TREE_FILE, .mode = 0644, .size = 300, .name = str_of(name)};

    memcpy(entry.hash, some, HASH_BYTES);
    return entry;
}

static void no_files_have_this_hash(void **state)
{
    struct hasher *hasher = hasher_new();
    unsigned char hash[HASH_BYTES];

    (void)state;
    object_name(hasher, OBJECT_DIR, STR(""), hash);
    assert_memory_equal(hash, tree_empty, HASH_BYTES);
    hasher_free(hasher);
}

static void check_entry(const struct tree_entry *a, const struct tree_entry *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->left, b->left);
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->size, b->size);
    assert_true(str_eq(a->name, b->name) && str_eq(a->target, b->target));
    assert_memory_equal(a->hash, b->hash, HASH_BYTES);
    assert_true(tree_entry_same(a, b));
}

static void entries_come_back(void **state)
{
    struct tree_entry entries[8] = {
        file("\x01new\nline"), file("B"), file("a"),       file("a.b"), file("a0"),
        file("dir"),           file("l"), file("\xff\xfe")};
    struct tree_reader reader;
    struct tree_entry entry;
    struct buf bytes;
    bool end;

    (void)state;
    entries[1].type = TREE_PIECES;
    entries[1].size = INT64_MAX;
    entries[1].mode = TREE_MODE;
    entries[2].size = 0;
    entries[2].mode = 0;
    entries[3] =
        (struct tree_entry){.type = TREE_LEFT, .left = LEFT_MOUNT, .name = entries[3].name};
    entries[5].type = TREE_DIR;
    entries[5].size = 0;
    entries[6] = (struct tree_entry){
        .type = TREE_LINK, .name = entries[6].name, .target = STR("../\xff there")};
    buf_init(&bytes, 10000);
    for (size_t i = 0; i < 8; i++)
        tree_add(&bytes, &entries[i]);
    tree_open(&reader, buf_str(&bytes));
    for (size_t i = 0; i < 8; i++) {
        CHECK_OK(tree_next(&reader, &entry, &end, &fault), &fault);
        assert_false(end);
        check_entry(&entry, &entries[i]);
    }
    CHECK_OK(tree_next(&reader, &entry, &end, &fault), &fault);
    assert_true(end);
    buf_clear(&bytes);
}

/* docs/files.md gives these bytes. */
static void the_bytes_are_these(void **state)
{
    struct tree_entry link = {.type = TREE_LINK, .name = STR("l"), .target = STR("a")};
    struct tree_entry left = {.type = TREE_LEFT, .name = STR("z"), .left = LEFT_SPECIAL};
    struct tree_entry a = file("a");
    struct buf bytes;

    (void)state;
    buf_init(&bytes, 1000);
    tree_add(&bytes, &a);
    tree_add(&bytes, &link);
    tree_add(&bytes, &left);
    assert_int_equal(bytes.n, 39 + 5 + 4);
    assert_memory_equal(bytes.p,
                        "\x00\x01"
                        "a"
                        "\xa4\x03\xac\x02",
                        7);
    assert_memory_equal(bytes.p + 7, some, HASH_BYTES);
    assert_memory_equal(bytes.p + 39,
                        "\x03\x01l\x01"
                        "a\x04\x01z\x02",
                        9);
    buf_clear(&bytes);
}

static void check_refused(struct str bytes)
{
    struct tree_reader reader;
    struct tree_entry entry;
    bool end = false;
    enum fault_code code = FAULT_OK;

    tree_open(&reader, bytes);
    while (code == FAULT_OK && !end)
        code = tree_next(&reader, &entry, &end, &fault);
    CHECK_FAULT(code, FAULT_CORRUPT, &fault);
}

#define NAME_51   "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
#define LONG_NAME NAME_51 NAME_51 NAME_51 NAME_51 NAME_51
#define HASH      "0123456789abcdef0123456789abcdef"

static void other_bytes_are_refused(void **state)
{
    const struct str wrong[] = {
        STR("\x05\x01"
            "a\x01"), /* a type that is none */
        STR("\x80\x00\x01"
            "a\xa4\x03\x00" HASH), /* a number in two bytes for one */
        STR("\x03\x00\x01"
            "a"), /* no name */
        STR("\x03\x01/\x01"
            "a"), /* names that cannot be */
        STR("\x03\x01\x00\x01"
            "a"),
        STR("\x03\x01.\x01"
            "a"),
        STR("\x03\x02..\x01"
            "a"),
        STR("\x03\x80\x02" LONG_NAME "n\x01"
            "a"),             /* 256 bytes */
        STR("\x03\x01l\x00"), /* no target */
        STR("\x03\x01l\x02"
            "a\x00"), /* one with a NUL */
        STR("\x03\x01l\x02"
            "a"),             /* cut off */
        STR("\x04\x01z\x00"), /* reasons that are none */
        STR("\x04\x01z\x06"),
        STR("\x00\x01"
            "a\x80\x40\x00" HASH), /* a mode of 010000 */
        STR("\x00\x01"
            "a\x00\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01" HASH), /* 64 bits */
        STR("\x02\x01"
            "a\x00"
            "0123456789abcdef0123456789abcde"),
        STR("\x03\x01"
            "b\x01x\x03\x01"
            "a\x01x"), /* out of order */
        STR("\x03\x01"
            "a\x01x\x03\x01"
            "a\x01x"), /* twice */
        STR("\x03\x02"
            "ab\x01x\x03\x01"
            "a\x01x"),
    };
    struct tree_entry entry = file("a");
    struct buf bytes;

    (void)state;
    _Static_assert(sizeof(LONG_NAME) == 256, "one byte short of too long");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        check_refused(wrong[i]);
    buf_init(&bytes, 1000);
    tree_add(&bytes, &entry);
    for (size_t n = 1; n < bytes.n; n++)
        check_refused((struct str){bytes.p, n});
    buf_clear(&bytes);
}

static void a_name_of_255_bytes_is_read(void **state)
{
    struct tree_entry entry = file(LONG_NAME), back;
    struct tree_reader reader;
    struct buf bytes;
    bool end;

    (void)state;
    buf_init(&bytes, 1000);
    tree_add(&bytes, &entry);
    tree_open(&reader, buf_str(&bytes));
    CHECK_OK(tree_next(&reader, &back, &end, &fault), &fault);
    check_entry(&entry, &back);
    buf_clear(&bytes);
}

static void what_differs_is_not_the_same(void **state)
{
    struct tree_entry a = file("a"), b = file("b"), link = {.type = TREE_LINK, .target = STR("x")};
    struct tree_entry other = link, left = {.type = TREE_LEFT, .left = LEFT_SIZE}, why = left;

    (void)state;
    assert_true(tree_entry_same(&a, &b)); /* whatever their names */
    b.mode = 0755;
    assert_false(tree_entry_same(&a, &b));
    b = a;
    b.hash[31] ^= 1;
    assert_false(tree_entry_same(&a, &b));
    b = a;
    b.type = TREE_PIECES;
    assert_false(tree_entry_same(&a, &b));
    other.mode = 0777; /* links have none */
    assert_true(tree_entry_same(&link, &other));
    other.target = STR("y");
    assert_false(tree_entry_same(&link, &other));
    assert_true(tree_entry_same(&left, &why));
    why.left = LEFT_DEPTH;
    assert_false(tree_entry_same(&left, &why));
    assert_false(tree_entry_same(&left, &link));
}

static void add_a_slash(void)
{
    struct tree_entry entry = file("a/b");
    struct buf bytes;

    buf_init(&bytes, 1000);
    tree_add(&bytes, &entry);
}

static void a_name_that_cannot_be_is_a_bug(void **state)
{
    (void)state;
    check_aborts(add_a_slash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_files_have_this_hash),
        cmocka_unit_test(entries_come_back),
        cmocka_unit_test(the_bytes_are_these),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(a_name_of_255_bytes_is_read),
        cmocka_unit_test(what_differs_is_not_the_same),
        cmocka_unit_test(a_name_that_cannot_be_is_a_bug),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
