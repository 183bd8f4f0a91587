/* Paths that clients write: what is refused, and where an open directory may lie. */
#include "support/check.h"
#include "support/rig.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "scene.h"
#include "store/limits.h"
#include "workspace/path.h"
#include "workspace/remove.h"
#include "workspace/tree_load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_check(void **state)
{
    static const char *const good[] = {"a",         "a/b",      "...", ".gitignore",    "a b",
                                       "new\nline", "\xff\xfe", "-",   "a/.tineignore", "~",
                                       "C:\\x"};
    static const char *const bad[] = {
        "/",    "/a",          "//a",    "a//b",           "a/",           ".",
        "..",   "a/..",        "../a",   "a/../b",         "a/./b",        "./a",
        ".git", ".git/config", "a/.git", "a/.git/hooks/x", ".tine-tmp-n1", "a/.tine-tmp-x/b"};
    char name[300], path[LIMIT_DIR_BYTES + 10];
    struct fault fault;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        CHECK_OK(path_check(str_of(good[i]), false, &fault), &fault);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK_FAULT(path_check(str_of(bad[i]), true, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(path_check(STR(""), false, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_OK(path_check(STR(""), true, &fault), &fault);
    CHECK_FAULT(path_check(STR("a\0b"), true, &fault), FAULT_PATH_INVALID, &fault);
    memset(name, 'n', sizeof(name));
    CHECK_OK(path_check((struct str){name, 255}, false, &fault), &fault);
    CHECK_FAULT(path_check((struct str){name, 256}, false, &fault), FAULT_PATH_INVALID, &fault);
    for (size_t i = 0; i < sizeof(path); i++)
        path[i] = i % 20 == 19 ? '/' : 'p';
    CHECK_OK(path_check((struct str){path, LIMIT_DIR_BYTES - 1}, false, &fault), &fault);
    CHECK_FAULT(path_check((struct str){path, LIMIT_DIR_BYTES + 1}, false, &fault),
                FAULT_PATH_INVALID, &fault);
    for (size_t i = 0; i < sizeof(path); i++)
        path[i] = i % 2 ? '/' : 'p';
    CHECK_OK(path_check((struct str){path, 2 * TREE_DEPTH + 1}, false, &fault), &fault);
    CHECK_FAULT(path_check((struct str){path, 2 * TREE_DEPTH + 3}, false, &fault),
                FAULT_PATH_INVALID, &fault);
}

static void test_parts(void **state)
{
    (void)state;
    CHECK_STR(path_name(STR("a/b/c")), "c");
    CHECK_STR(path_above(STR("a/b/c")), "a/b");
    CHECK_STR(path_name(STR("a")), "a");
    CHECK_STR(path_above(STR("a")), "");
    assert_true(path_is_in(STR("a/b"), STR("a")));
    assert_true(path_is_in(STR("a"), STR("")));
    assert_false(path_is_in(STR("ab"), STR("a")));
    assert_false(path_is_in(STR("a"), STR("a")));
    assert_false(path_is_in(STR(""), STR("")));
    assert_true(path_cmp(STR("a/b"), STR("a.txt")) < 0);
    assert_true(path_cmp(STR("a.txt"), STR("a/b")) > 0);
    assert_true(path_cmp(STR("a"), STR("a/b")) < 0);
    assert_true(path_cmp(STR("a\x01"), STR("a/b")) > 0);
    assert_true(path_cmp(STR("\xff"), STR("a")) > 0);
    assert_int_equal(path_cmp(STR("a/b"), STR("a/b")), 0);
}

static void test_words(void **state)
{
    struct arena arena;
    char shown[PATH_SHOWN], name[2000];

    (void)state;
    arena_init(&arena);
    CHECK_STR(path_words(STR("a/ü\n\xff\\\x7f"), &arena), "a/ü\\x0a\\xff\\\\\\x7f");
    CHECK_STR(path_words(STR(""), &arena), "");
    for (size_t i = 0; i < sizeof(name); i += 2)
        memcpy(name + i, "ü", 2);
    path_show((struct str){name, sizeof(name)}, shown);
    assert_true(strlen(shown) < PATH_SHOWN && strlen(shown) > PATH_SHOWN - 8);
    assert_true(utf8_valid(str_of(shown)));
    arena_clear(&arena);
}

typedef enum fault_code open_dir(int top, struct str path, int *out, struct fault *fault);

static void open_run(open_dir *open_it)
{
    char directory[64];
    struct fault fault;
    int top, fd;

    scratch_make(directory, sizeof(directory));
    top = open(directory, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdir(scene_path(directory, "in"), 0755), 0);
    assert_int_equal(mkdir(scene_path(directory, "in/deep"), 0755), 0);
    scene_write(scene_path(directory, "file"), STR(""), 0644);
    assert_int_equal(symlink("in", scene_path(directory, "link")), 0);
    assert_int_equal(symlink("/", scene_path(directory, "in/root")), 0);
    assert_int_equal(symlink("/proc/self/fd", scene_path(directory, "in/magic")), 0);
    CHECK_OK(open_it(top, STR(""), &fd, &fault), &fault);
    close(fd);
    CHECK_OK(open_it(top, STR("in/deep"), &fd, &fault), &fault);
    close(fd);
    CHECK_FAULT(open_it(top, STR("none"), &fd, &fault), FAULT_FILE_NOT_FOUND, &fault);
    CHECK_FAULT(open_it(top, STR("in/none/x"), &fd, &fault), FAULT_FILE_NOT_FOUND, &fault);
    CHECK_FAULT(open_it(top, STR("file"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("file/x"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("link"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("link/deep"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("in/root/etc"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("in/magic/0"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("../x"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(open_it(top, STR("/etc"), &fd, &fault), FAULT_PATH_INVALID, &fault);
    close(top);
    scene_remove(directory);
}

static void test_open(void **state)
{
    (void)state;
    open_run(path_open_dir);
}

static void test_walk(void **state)
{
    (void)state;
    open_run(path_walk_dir);
}

/* Deeper than descriptors go, and with names in the way that a removal may want for itself. */
static void test_remove(void **state)
{
    enum { DEEP = 1000 };
    char directory[64];
    struct fault fault;
    int top, at;

    (void)state;
    scratch_make(directory, sizeof(directory));
    top = open(directory, O_RDONLY | O_DIRECTORY);
    assert_true(top >= 0);
    assert_int_equal(mkdirat(top, "x", 0755), 0);
    assert_int_equal(mkdirat(top, "x/.deep-1", 0755), 0);
    assert_int_equal(mkdirat(top, "x/.deep-1/in", 0755), 0);
    assert_int_equal(symlinkat("nowhere", top, "x/.deep-2"), 0);
    at = openat(top, "x", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEEP; i++) {
        int below;

        assert_int_equal(mkdirat(at, "d", 0755), 0);
        below = openat(at, "d", O_RDONLY | O_DIRECTORY);
        assert_true(below >= 0);
        assert_int_equal(fchmod(at, i % 2 ? 0500 : 0000), 0);
        close(at);
        at = below;
    }
    close(at);
    CHECK_OK(remove_tree(top, "x", &fault), &fault);
    assert_int_equal(faccessat(top, "x", F_OK, AT_SYMLINK_NOFOLLOW), -1);
    close(top);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check), cmocka_unit_test(test_parts), cmocka_unit_test(test_words),
        cmocka_unit_test(test_open),  cmocka_unit_test(test_walk),  cmocka_unit_test(test_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
