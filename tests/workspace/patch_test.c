/* Patches: as text, as counts, and as `git apply` takes them. */
#include "support/check.h"
#include "support/rig.h"

#include "git_run.h"
#include "scene.h"
#include "workspace/patch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 8 };

/* One change put together by hand. */
static struct tree_entry file_of(struct rig *rig, struct str content, unsigned mode)
{
    struct tree_entry entry = {.mode = mode};
    struct fault fault;

    CHECK_OK(tree_put_file(rig->store, content, &entry, &fault), &fault);
    return entry;
}

static struct patch patch_of(struct rig *rig, const char *path, const struct tree_entry *was,
                             const struct tree_entry *is, bool lines_only, struct arena *arena)
{
    struct tree_change change = {str_of(path), was, is};
    struct patch patch;
    struct fault fault;

    CHECK_OK(patch_make(rig->store, &change, lines_only, arena, &patch, &fault), &fault);
    return patch;
}

static void test_texts(void **state)
{
    struct tree_entry one, two, bare, link = {.type = TREE_LINK, .target = STR("to")};
    struct arena arena;
    struct patch patch;
    struct rig rig;

    (void)state;
    arena_init(&arena);
    rig_open(&rig, &rig_kinds[0], 1);
    one = file_of(&rig, STR("a\nb\nc\n"), 0644);
    two = file_of(&rig, STR("a\nB\nc\nd\n"), 0755);
    bare = file_of(&rig, STR("a\nb\nc"), 0644);
    patch = patch_of(&rig, "x y", &one, &two, false, &arena);
    assert_int_equal(patch.additions, 2);
    assert_int_equal(patch.deletions, 1);
    CHECK_STR(patch.text, "diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n"
                          "--- a/x y\t\n+++ b/x y\t\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
    patch = patch_of(&rig, "x", NULL, &bare, false, &arena);
    CHECK_STR(patch.text, "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n"
                          "@@ -0,0 +1,3 @@\n+a\n+b\n+c\n\\ No newline at end of file\n");
    patch = patch_of(&rig, "n\n\xff", &one, NULL, false, &arena);
    CHECK_STR(patch.text, "diff --git \"a/n\\012\\377\" \"b/n\\012\\377\"\n"
                          "deleted file mode 100644\n--- \"a/n\\012\\377\"\n+++ /dev/null\n"
                          "@@ -1,3 +0,0 @@\n-a\n-b\n-c\n");
    patch = patch_of(&rig, "l", &bare, &link, false, &arena);
    assert_int_equal(patch.additions, 1);
    assert_int_equal(patch.deletions, 3);
    assert_non_null(strstr(patch.text.p, "new file mode 120000"));
    patch = patch_of(&rig, "x", &one, &two, true, &arena);
    assert_int_equal(patch.additions, 2);
    assert_int_equal(patch.text.n, 0);
    rig_close(&rig);
    arena_clear(&arena);
}

static void test_not_text(void **state)
{
    struct tree_entry small, zero, big, directory = {.type = TREE_DIR, .mode = 0755},
                                        left = {.type = TREE_LEFT, .left = LEFT_SIZE};
    struct arena arena;
    struct patch patch;
    struct rig rig;
    char *bytes;

    (void)state;
    arena_init(&arena);
    rig_open(&rig, &rig_kinds[0], 1);
    bytes = arena_alloc(&arena, PATCH_FILE_BYTES + 1);
    memset(bytes, '\n', PATCH_FILE_BYTES + 1);
    small = file_of(&rig, STR("x\n"), 0644);
    zero = file_of(&rig, STR("a\0b"), 0644);
    big = file_of(&rig, (struct str){bytes, PATCH_FILE_BYTES + 1}, 0644);
    patch = patch_of(&rig, "x", &small, &zero, false, &arena);
    assert_true(patch.binary && patch.text.n == 0 && !patch.too_long);
    patch = patch_of(&rig, "x", &big, &small, false, &arena);
    assert_true(patch.binary && patch.additions == 0 && patch.deletions == 0);
    patch = patch_of(&rig, "x", &small, &left, false, &arena);
    assert_true(patch.binary);
    patch = patch_of(&rig, "x", NULL, &directory, false, &arena);
    assert_true(!patch.binary && patch.text.n == 0);
    /* a mode can be told of anything */
    {
        struct tree_entry other = zero;

        other.mode = 0755;
        patch = patch_of(&rig, "x", &zero, &other, false, &arena);
        assert_false(patch.binary);
        CHECK_STR(patch.text, "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
    }
    /* too long for a patch, not too large to be counted */
    big = file_of(&rig, (struct str){bytes, PATCH_BYTES}, 0644);
    patch = patch_of(&rig, "x", NULL, &big, false, &arena);
    assert_true(patch.too_long && patch.text.n == 0);
    assert_int_equal(patch.additions, PATCH_BYTES);
    rig_close(&rig);
    arena_clear(&arena);
}

/* ---- with git ---- */

struct applying {
    struct store *store;
    const char *two, *patched;
    struct buf text;
};

static const char *path_z(const char *dir, struct str path)
{
    char below[4096];

    snprintf(below, sizeof(below), "%.*s", STR_ARG(path));
    return scene_path(dir, below);
}

/* What no patch tells is brought over by hand. */
static enum fault_code change_gather(void *context, const struct tree_change *change,
                                     struct fault *fault)
{
    struct applying *applying = context;
    struct patch patch;
    struct arena arena;

    arena_init(&arena);
    if (patch_make(applying->store, change, false, &arena, &patch, fault) != FAULT_OK)
        return fault_pass(fault);
    assert_false(patch.too_long);
    buf_add_str(&applying->text, patch.text);
    if (patch.binary && change->was) /* it may be in the way of what a patch brings */
        scene_remove(path_z(applying->patched, change->path));
    arena_clear(&arena);
    return FAULT_OK;
}

/* The directories between `dir` and what is below it. */
static void above_make(const char *dir, const char *path)
{
    char made[9000];

    snprintf(made, sizeof(made), "%s", path);
    for (char *slash = made + strlen(dir) + 1; (slash = strchr(slash, '/'));) {
        *slash = '\0';
        (void)!mkdir(made, 0755);
        *slash++ = '/';
    }
}

static enum fault_code binary_bring(void *context, const struct tree_change *change,
                                    struct fault *fault)
{
    struct applying *applying = context;
    struct patch patch;
    struct arena arena;

    arena_init(&arena);
    if (patch_make(applying->store, change, true, &arena, &patch, fault) != FAULT_OK)
        return fault_pass(fault);
    if (patch.binary && change->is) {
        above_make(applying->patched, path_z(applying->patched, change->path));
        scene_copy(path_z(applying->two, change->path), path_z(applying->patched, change->path));
    }
    arena_clear(&arena);
    return FAULT_OK;
}

/* Empty directories are nothing to git, and of modes it knows one bit. */
static void plain_make(const char *dir)
{
    char line[9000];

    snprintf(line, sizeof(line),
             "find . -type f -perm -100 -exec chmod 755 {} + ; "
             "find . -type f ! -perm -100 -exec chmod 644 {} + ; "
             "find . -mindepth 1 -type d -exec chmod 00755 {} + ; "
             "find . -mindepth 1 -depth -type d -empty -delete");
    assert_int_equal(git_run(dir, line, NULL, NULL), 0);
}

static void round_run(uint64_t seed)
{
    struct chance chance = {seed};
    struct rig rig;
    struct applying applying = {0};
    unsigned char one[HASH_BYTES], two[HASH_BYTES];
    char work[128], before[128], patched[128], file[128];
    struct fault fault;

    rig_open(&rig, &rig_kinds[0], seed);
    snprintf(work, sizeof(work), "%s/work", rig.directory);
    snprintf(before, sizeof(before), "%s/before", rig.directory);
    snprintf(patched, sizeof(patched), "%s/patched", rig.directory);
    snprintf(file, sizeof(file), "%s/patch", rig.directory);
    assert_int_equal(mkdir(work, 0755), 0);
    scene_stir(work, &chance, 60);
    scene_tree(rig.store, work, one);
    scene_copy(work, patched);
    scene_stir(work, &chance, 40);
    scene_tree(rig.store, work, two);

    applying.store = rig.store;
    applying.two = work;
    applying.patched = patched;
    buf_init(&applying.text, 16 * 1024 * 1024);
    CHECK_OK(tree_diff(rig.store, one, two, change_gather, &applying, &fault), &fault);
    scene_write(file, buf_str(&applying.text), 0644);
    plain_make(patched);
    if (applying.text.n) {
        if (git_run(patched, "git apply --whitespace=nowarn ../patch", NULL, NULL) != 0) {
            print_error("seed %d: git does not take %s\n", (int)seed, file);
            fail();
        }
    }
    CHECK_OK(tree_diff(rig.store, one, two, binary_bring, &applying, &fault), &fault);
    plain_make(patched);
    plain_make(work);
    assert_true(scene_same(patched, work));
    buf_clear(&applying.text);
    scene_remove(work);
    rig_close(&rig);
}

static void test_git_apply(void **state)
{
    (void)state;
    if (!git_there()) {
        print_message("# git is not installed\n");
        skip();
    }
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        round_run(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_not_text),
        cmocka_unit_test(test_git_apply),
    };

    umask(022);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
