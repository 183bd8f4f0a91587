/* Restoring a directory: against copies, with others at work in it, and where it must not go. */
#include "support/check.h"
#include "support/rig.h"

#include "scene.h"
#include "workspace/restore.h"
#include "workspace/slot.h"
#include "workspace/snapshot.h"
#include "workspace/tree_diff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 12, NOBODY = 65534 };

struct stage {
    struct rig rig;
    char work[128], one[128], two[128];
    unsigned char tree_one[HASH_BYTES], tree_two[HASH_BYTES];
};

static void stage_open(struct stage *stage, uint64_t seed)
{
    rig_open(&stage->rig, &rig_kinds[0], seed);
    snprintf(stage->work, sizeof(stage->work), "%s/work", stage->rig.directory);
    snprintf(stage->one, sizeof(stage->one), "%s/one", stage->rig.directory);
    snprintf(stage->two, sizeof(stage->two), "%s/two", stage->rig.directory);
    assert_int_equal(mkdir(stage->work, 0755), 0);
}

static void stage_close(struct stage *stage)
{
    scene_remove(stage->work);
    rig_close(&stage->rig);
}

/* What the directory is now is to be the first state, or the second. */
static void keep_one(struct stage *stage)
{
    scene_copy(stage->work, stage->one);
    scene_tree(stage->rig.store, stage->work, stage->tree_one);
}

static void keep_two(struct stage *stage)
{
    scene_copy(stage->work, stage->two);
    scene_tree(stage->rig.store, stage->work, stage->tree_two);
}

struct told {
    struct arena arena;
    int written, deleted, left;
    struct str last_left;
    char lefts[4096];
};

static enum fault_code told_visit(void *context, enum restore_deed deed, struct str path,
                                  struct fault *fault)
{
    struct told *told = context;
    size_t n = strlen(told->lefts);

    (void)fault;
    told->written += deed == RESTORE_WRITTEN;
    told->deleted += deed == RESTORE_DELETED;
    told->left += deed == RESTORE_LEFT;
    if (deed == RESTORE_LEFT)
        snprintf(told->lefts + n, sizeof(told->lefts) - n, "%.*s|", STR_ARG(path));
    return FAULT_OK;
}

static struct told restore_skipping(const struct stage *stage, const unsigned char *from,
                                    const unsigned char *to,
                                    bool (*skips)(void *context, struct str path))
{
    struct told told = {0};
    struct restore_spec spec = {.store = stage->rig.store,
                                .dir = open(stage->work, O_RDONLY | O_DIRECTORY),
                                .skips = skips,
                                .visit = told_visit,
                                .context = &told};
    struct fault fault;

    memcpy(spec.from, from, HASH_BYTES);
    memcpy(spec.to, to, HASH_BYTES);
    CHECK_OK(restore_apply(&spec, &fault), &fault);
    close(spec.dir);
    return told;
}

static struct told restore(const struct stage *stage, const unsigned char *from,
                           const unsigned char *to)
{
    return restore_skipping(stage, from, to, NULL);
}

static const char *in_work(const struct stage *stage, const char *path)
{
    return scene_path(stage->work, path);
}

static void check_content(const char *path, const char *want)
{
    struct arena arena;

    arena_init(&arena);
    CHECK_STR(scene_read(path, &arena), want);
    arena_clear(&arena);
}

/* ---- against copies ---- */

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct stage stage;
        struct chance chance = {seed};
        struct told told;

        print_message("# seed %d\n", (int)seed);
        stage_open(&stage, seed);
        scene_stir(stage.work, &chance, 40 + chance_below(&chance, 100));
        keep_one(&stage);
        scene_stir(stage.work, &chance, 1 + chance_below(&chance, 60));
        keep_two(&stage);
        told = restore(&stage, stage.tree_two, stage.tree_one);
        if (told.left)
            print_error("left: %s\n", told.lefts);
        assert_int_equal(told.left, 0);
        assert_true(scene_same(stage.work, stage.one));
        assert_false(scene_has_name(stage.work, RESTORE_TEMP));

        told = restore(&stage, stage.tree_two, stage.tree_one);
        assert_int_equal(told.left + told.written + told.deleted, 0);
        told = restore(&stage, stage.tree_one, stage.tree_two);
        assert_int_equal(told.left, 0);
        assert_true(scene_same(stage.work, stage.two));
        stage_close(&stage);
    }
}

/* More files than are brought to the disk one by one, in more directories than are kept open. */
static void test_many(void **state)
{
    struct stage stage;
    struct told told;

    (void)state;
    stage_open(&stage, 1);
    keep_one(&stage);
    for (int i = 0; i < 300; i++) {
        char name[64];

        snprintf(name, sizeof(name), "d%d", i);
        assert_int_equal(mkdir(in_work(&stage, name), 0755), 0);
        for (int j = 0; j < 4; j++) {
            snprintf(name, sizeof(name), "d%d/f%d", i, j);
            scene_write(in_work(&stage, name), str_of(name), 0644);
        }
    }
    keep_two(&stage);
    told = restore(&stage, stage.tree_two, stage.tree_one);
    assert_int_equal(told.deleted, 1500);
    assert_true(scene_same(stage.work, stage.one));
    told = restore(&stage, stage.tree_one, stage.tree_two);
    assert_int_equal(told.written, 1500);
    assert_int_equal(told.left, 0);
    assert_true(scene_same(stage.work, stage.two));
    stage_close(&stage);
}

static void test_deep(void **state)
{
    struct stage stage;
    int fd;

    (void)state;
    stage_open(&stage, 1);
    keep_one(&stage);
    fd = open(stage.work, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 200; i++) {
        char name[201];
        int next;

        memset(name, 'x', 200);
        name[200] = '\0';
        assert_int_equal(mkdirat(fd, name, 0755), 0);
        next = openat(fd, name, O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(fd);
        fd = next;
    }
    close(openat(fd, "file", O_CREAT | O_WRONLY, 0644));
    close(fd);
    /* Too deep for the plain functions: the tree is built from its end. */
    {
        struct tree_entry entry = {.type = TREE_FILE, .mode = 0644};
        char name[201];
        struct fault fault;
        struct tree_spec spec;
        struct buf path;

        memset(name, 'x', 200);
        name[200] = '\0';
        buf_init(&path, 65536);
        for (int i = 0; i < 200; i++)
            buf_add_format(&path, "%s/", name);
        buf_add_text(&path, "file");
        CHECK_OK(tree_put_file(stage.rig.store, STR(""), &entry, &fault), &fault);
        CHECK_OK(tree_edit(stage.rig.store, tree_empty, &(struct tree_edit){buf_str(&path), &entry},
                           1, &spec, &fault),
                 &fault);
        memcpy(stage.tree_two, spec.hash, HASH_BYTES);
        buf_clear(&path);
    }
    assert_int_equal(restore(&stage, stage.tree_two, tree_empty).deleted, 201);
    assert_true(scene_same(stage.work, stage.one));
    assert_int_equal(restore(&stage, tree_empty, stage.tree_two).written, 201);
    assert_int_equal(restore(&stage, stage.tree_two, tree_empty).deleted, 201);
    stage_close(&stage);
}

/* ---- others at work ---- */

static void test_others(void **state)
{
    struct stage stage;
    struct told told;

    (void)state;
    stage_open(&stage, 1);
    scene_write(in_work(&stage, "changed"), STR("one"), 0644);
    scene_write(in_work(&stage, "mode"), STR("one"), 0644);
    scene_write(in_work(&stage, "gone"), STR("one"), 0644);
    scene_write(in_work(&stage, "comes back"), STR("one"), 0644);
    scene_write(in_work(&stage, "fine"), STR("one"), 0644);
    assert_int_equal(mkdir(in_work(&stage, "swapped"), 0755), 0);
    scene_write(in_work(&stage, "swapped/in"), STR("one"), 0644);
    keep_one(&stage);
    scene_write(in_work(&stage, "changed"), STR("two"), 0644);
    scene_write(in_work(&stage, "mode"), STR("one"), 0600);
    scene_write(in_work(&stage, "gone"), STR("two"), 0644);
    scene_write(in_work(&stage, "fine"), STR("two"), 0644);
    scene_write(in_work(&stage, "swapped/in"), STR("two"), 0644);
    unlink(in_work(&stage, "comes back"));
    assert_int_equal(mkdir(in_work(&stage, "new"), 0755), 0);
    scene_write(in_work(&stage, "new/file"), STR("two"), 0644);
    assert_int_equal(mkdir(in_work(&stage, "full"), 0755), 0);
    keep_two(&stage);
    /* and now somebody else */
    scene_write(in_work(&stage, "changed"), STR("six"), 0644);
    scene_write(in_work(&stage, "mode"), STR("six"), 0600);
    unlink(in_work(&stage, "gone"));
    assert_int_equal(mkfifo(in_work(&stage, "comes back"), 0600), 0);
    assert_int_equal(rename(in_work(&stage, "swapped"), in_work(&stage, "moved")), 0);
    assert_int_equal(symlink("moved", in_work(&stage, "swapped")), 0);
    scene_write(in_work(&stage, "new/other"), STR("six"), 0644);
    assert_int_equal(mkdir(in_work(&stage, "full/of"), 0755), 0);

    told = restore(&stage, stage.tree_two, stage.tree_one);
    assert_string_equal(told.lefts, "changed|comes back|full|gone|mode|new|swapped/in|");
    assert_int_equal(told.written, 1);
    assert_int_equal(told.deleted, 1); /* new/file */
    check_content(in_work(&stage, "changed"), "six");
    check_content(in_work(&stage, "mode"), "six");
    check_content(in_work(&stage, "fine"), "one");
    check_content(in_work(&stage, "new/other"), "six");
    check_content(in_work(&stage, "moved/in"), "two");
    assert_false(scene_has_name(stage.work, RESTORE_TEMP));
    stage_close(&stage);
}

static void test_kinds_in_the_way(void **state)
{
    static const char *const kinds[] = {"directory", "link", "fifo", "socket", "device", "file"};

    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        struct stage stage;
        struct told told;
        int made = 0;

        stage_open(&stage, 1);
        keep_one(&stage);
        scene_write(in_work(&stage, "f"), STR("two"), 0644);
        assert_int_equal(mkdir(in_work(&stage, "d"), 0755), 0);
        scene_write(in_work(&stage, "d/f"), STR("two"), 0644);
        keep_two(&stage);
        scene_remove(in_work(&stage, "d"));
        unlink(in_work(&stage, "f"));
        for (int i = 0; i < 2; i++) {
            const char *path = in_work(&stage, i ? "d" : "f");

            switch (kind) {
            case 0:
                made = mkdir(path, 0711);
                break;
            case 1:
                made = symlink("/nonexistent", path);
                break;
            case 2:
                made = mkfifo(path, 0600);
                break;
            case 3:
                made = mknod(path, S_IFSOCK | 0600, 0);
                break;
            case 4:
                made = mknod(path, S_IFCHR | 0600, makedev(1, 3));
                break;
            default:
                scene_write(path, STR("six"), 0600);
            }
            if (made != 0)
                break;
        }
        if (made != 0) {
            print_message("# a %s cannot be made here\n", kinds[kind]);
            stage_close(&stage);
            continue;
        }
        told = restore(&stage, stage.tree_one, stage.tree_two);
        print_message("# %s: %s\n", kinds[kind], told.lefts);
        assert_true(strstr(told.lefts, "f|") != NULL);
        assert_true(strstr(told.lefts, "d|") != NULL);
        if (kind == 0)
            check_content(in_work(&stage, "d/f"), "two"); /* that there is a directory is right */
        told = restore(&stage, stage.tree_two, stage.tree_one);
        assert_true(strstr(told.lefts, "f|") != NULL);
        stage_close(&stage);
    }
}

static bool skip_b(void *context, struct str path)
{
    (void)context;
    return str_eq(path, STR("b")) || str_eq(path, STR("d"));
}

static void test_skips(void **state)
{
    struct stage stage;
    struct told told;

    (void)state;
    stage_open(&stage, 1);
    keep_one(&stage);
    scene_write(in_work(&stage, "a"), STR("x"), 0644);
    scene_write(in_work(&stage, "b"), STR("x"), 0644);
    assert_int_equal(mkdir(in_work(&stage, "d"), 0755), 0);
    scene_write(in_work(&stage, "d/f"), STR("x"), 0644);
    keep_two(&stage);
    told = restore_skipping(&stage, stage.tree_two, stage.tree_one, skip_b);
    assert_int_equal(told.deleted, 2);
    assert_int_equal(told.left, 0);
    assert_int_equal(access(in_work(&stage, "a"), F_OK), -1);
    check_content(in_work(&stage, "b"), "x");
    assert_int_equal(access(in_work(&stage, "d"), F_OK), 0);
    stage_close(&stage);
}

/* What a tree does not keep is left, and so is what it may not bring. */
static void test_not_kept(void **state)
{
    struct stage stage;
    struct told told;

    (void)state;
    stage_open(&stage, 1);
    assert_int_equal(mkdir(in_work(&stage, "d"), 0755), 0);
    assert_int_equal(mkfifo(in_work(&stage, "d/pipe"), 0600), 0);
    keep_one(&stage);
    unlink(in_work(&stage, "d/pipe"));
    scene_write(in_work(&stage, "d/pipe"), STR("now a file"), 0644);
    assert_int_equal(mkdir(in_work(&stage, ".git"), 0755), 0);
    scene_write(in_work(&stage, ".git/config"), STR("evil"), 0644);
    assert_int_equal(mkdir(in_work(&stage, "d/.git"), 0755), 0);
    scene_write(in_work(&stage, "d/.git/hook"), STR("evil"), 0755);
    keep_two(&stage);
    scene_remove(in_work(&stage, ".git"));
    scene_remove(in_work(&stage, "d/.git"));
    told = restore(&stage, stage.tree_one, stage.tree_two);
    assert_string_equal(told.lefts, ".git|.git/config|d/.git|d/.git/hook|d/pipe|");
    assert_int_equal(told.written, 0);
    assert_int_equal(access(in_work(&stage, ".git"), F_OK), -1);
    told = restore(&stage, stage.tree_two, stage.tree_one);
    assert_string_equal(told.lefts, ".git|d/.git|d/pipe|");
    check_content(in_work(&stage, "d/pipe"), "now a file");
    stage_close(&stage);
}

/* Where something was not kept then, nobody knows what was in it: what is there now stays. */
static void test_not_kept_dir(void **state)
{
    struct stage stage;
    struct told told;

    (void)state;
    stage_open(&stage, 1);
    assert_int_equal(mkfifo(in_work(&stage, "d"), 0600), 0);
    keep_one(&stage);
    unlink(in_work(&stage, "d"));
    assert_int_equal(mkdir(in_work(&stage, "d"), 0755), 0);
    scene_write(in_work(&stage, "d/mine"), STR("mine"), 0644);
    keep_two(&stage);
    told = restore(&stage, stage.tree_two, stage.tree_one);
    assert_string_equal(told.lefts, "d|");
    assert_int_equal(told.written + told.deleted, 0);
    check_content(in_work(&stage, "d/mine"), "mine");
    told = restore(&stage, stage.tree_one, stage.tree_two);
    assert_string_equal(told.lefts, "d|");
    assert_int_equal(told.written + told.deleted, 0);
    stage_close(&stage);
}

/* ---- modes that are in the way ---- */

static void read_only_run(struct stage *stage)
{
    struct told told;
    struct stat stat;

    assert_int_equal(mkdir(in_work(stage, "d"), 0755), 0);
    assert_int_equal(mkdir(in_work(stage, "d/e"), 0755), 0);
    scene_write(in_work(stage, "d/e/f"), STR("one"), 0400);
    scene_write(in_work(stage, "d/g"), STR("one"), 0644);
    assert_int_equal(chmod(in_work(stage, "d/e"), 0500), 0);
    assert_int_equal(chmod(in_work(stage, "d"), 0555), 0);
    keep_one(stage);
    assert_int_equal(chmod(in_work(stage, "d"), 0755), 0);
    assert_int_equal(chmod(in_work(stage, "d/e"), 0755), 0);
    unlink(in_work(stage, "d/e/f"));
    scene_write(in_work(stage, "d/g"), STR("two"), 0444);
    assert_int_equal(chmod(in_work(stage, "d/e"), 0500), 0);
    assert_int_equal(chmod(in_work(stage, "d"), 0555), 0);
    keep_two(stage);
    told = restore(stage, stage->tree_two, stage->tree_one);
    assert_string_equal(told.lefts, "");
    assert_true(scene_same(stage->work, stage->one));
    told = restore(stage, stage->tree_one, stage->tree_two);
    assert_string_equal(told.lefts, "");
    assert_true(scene_same(stage->work, stage->two));
    /* one that was killed left the directory writable */
    assert_int_equal(chmod(in_work(stage, "d"), 0755), 0);
    told = restore(stage, stage->tree_one, stage->tree_two);
    assert_int_equal(lstat(in_work(stage, "d"), &stat), 0);
    assert_int_equal(stat.st_mode & 07777, 0555);
    told = restore(stage, stage->tree_two, tree_empty);
    assert_string_equal(told.lefts, "");
    assert_int_equal(access(in_work(stage, "d"), F_OK), -1);
}

/* In a process that no mode lets through; root would not notice. */
static void test_read_only(void **state)
{
    char directory[64];
    struct stage stage;
    int status;
    pid_t child;

    (void)state;
    scratch_make(directory, sizeof(directory)); /* where anybody may write */
    assert_int_equal(chmod(directory, 0777), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("TMPDIR", directory, 1);
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(2);
        stage_open(&stage, 1);
        read_only_run(&stage);
        stage_close(&stage);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    scene_remove(directory);
    assert_int_equal(status, 0);
}

/* ---- what one that died left ---- */

static void test_stale(void **state)
{
    struct stage stage;
    struct told told;
    struct slot slot;
    int fd;

    (void)state;
    stage_open(&stage, 1);
    scene_write(in_work(&stage, "a"), STR("one"), 0644);
    scene_write(in_work(&stage, "b"), STR("one"), 0644);
    scene_write(in_work(&stage, "c"), STR("one"), 0644);
    keep_one(&stage);
    scene_write(in_work(&stage, "a"), STR("two"), 0644);
    scene_write(in_work(&stage, "b"), STR("two"), 0644);
    unlink(in_work(&stage, "c"));
    keep_two(&stage);
    fd = open(stage.work, O_RDONLY | O_DIRECTORY);
    scene_write(in_work(&stage, SLOT_NEW "77"), STR("half wri"), 0600);
    /* a: exchanged, and the old one not yet removed */
    slot_init(&slot, fd, "a", STR("a"));
    assert_int_equal(rename(in_work(&stage, "a"), in_work(&stage, slot.aside)), 0);
    scene_write(in_work(&stage, "a"), STR("one"), 0644);
    /* b: exchanged for what is not ours */
    slot_init(&slot, fd, "b", STR("b"));
    scene_write(in_work(&stage, slot.aside), STR("six"), 0644);
    scene_write(in_work(&stage, "b"), STR("one"), 0644);
    told = restore(&stage, stage.tree_two, stage.tree_one);
    assert_string_equal(told.lefts, "b|");
    check_content(in_work(&stage, "a"), "one");
    check_content(in_work(&stage, "b"), "six");
    check_content(in_work(&stage, "c"), "one");
    assert_false(scene_has_name(stage.work, RESTORE_TEMP));
    /* c: moved aside to be deleted, but it is another */
    slot_init(&slot, fd, "c", STR("c"));
    scene_write(in_work(&stage, "c"), STR("six"), 0644);
    assert_int_equal(rename(in_work(&stage, "c"), in_work(&stage, slot.aside)), 0);
    told = restore(&stage, stage.tree_one, stage.tree_two);
    assert_string_equal(told.lefts, "b|c|");
    check_content(in_work(&stage, "c"), "six");
    close(fd);
    stage_close(&stage);
}

/* Where renameat2 is missing, the same comes of it. */
static void test_slot_plain(void **state)
{
    struct stage stage;
    struct arena arena;
    struct tree_entry from = {.type = TREE_FILE, .mode = 0644}, to = from;
    struct fault fault;
    enum slot_end end;
    struct slot slot;
    int fd;

    (void)state;
    stage_open(&stage, 1);
    arena_init(&arena);
    fd = open(stage.work, O_RDONLY | O_DIRECTORY);
    CHECK_OK(tree_put_file(stage.rig.store, STR("from"), &from, &fault), &fault);
    CHECK_OK(tree_put_file(stage.rig.store, STR("to"), &to, &fault), &fault);
    slot_init(&slot, fd, "f", STR("f"));
    slot.plain = true;

    scene_write(in_work(&stage, "temp"), STR("from"), 0644);
    CHECK_OK(slot_put(&slot, "temp", NULL, &from, &end, &fault), &fault);
    assert_int_equal(end, SLOT_DONE);
    scene_write(in_work(&stage, "temp"), STR("to"), 0644);
    CHECK_OK(slot_put(&slot, "temp", NULL, &to, &end, &fault), &fault);
    assert_int_equal(end, SLOT_LEFT);
    check_content(in_work(&stage, "f"), "from");
    scene_write(in_work(&stage, "temp"), STR("to"), 0644);
    CHECK_OK(slot_put(&slot, "temp", &from, &to, &end, &fault), &fault);
    assert_int_equal(end, SLOT_DONE);
    check_content(in_work(&stage, "f"), "to");
    scene_write(in_work(&stage, "f"), STR("six"), 0644);
    scene_write(in_work(&stage, "temp"), STR("to"), 0644);
    CHECK_OK(slot_put(&slot, "temp", &from, &to, &end, &fault), &fault);
    assert_int_equal(end, SLOT_LEFT);
    check_content(in_work(&stage, "f"), "six");
    CHECK_OK(slot_take(&slot, &to, &end, &fault), &fault);
    assert_int_equal(end, SLOT_LEFT);
    scene_write(in_work(&stage, "f"), STR("to"), 0644);
    CHECK_OK(slot_take(&slot, &to, &end, &fault), &fault);
    assert_int_equal(end, SLOT_DONE);
    assert_true(slot.plain);
    assert_int_equal(rmdir(stage.work), 0); /* nothing stayed */
    assert_int_equal(mkdir(stage.work, 0755), 0);
    close(fd);
    arena_clear(&arena);
    stage_close(&stage);
}

/* ---- one file ---- */

static void test_put(void **state)
{
    struct stage stage;
    struct fault fault;
    struct stat stat;
    int fd;

    (void)state;
    stage_open(&stage, 1);
    fd = open(stage.work, O_RDONLY | O_DIRECTORY);
    CHECK_OK(restore_put(fd, STR("a/b/c"), 0755, STR("text"), &fault), &fault);
    check_content(in_work(&stage, "a/b/c"), "text");
    assert_int_equal(lstat(in_work(&stage, "a/b/c"), &stat), 0);
    assert_int_equal(stat.st_mode & 07777, 0755);
    CHECK_OK(restore_put(fd, STR("a/b/c"), 0644, STR(""), &fault), &fault);
    check_content(in_work(&stage, "a/b/c"), "");
    CHECK_FAULT(restore_put(fd, STR("a/b"), 0644, STR(""), &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(restore_put(fd, STR("a/b/c/d"), 0644, STR(""), &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(restore_put(fd, STR("../x"), 0644, STR(""), &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(restore_put(fd, STR("/tmp/x"), 0644, STR(""), &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(restore_put(fd, STR(".git/config"), 0644, STR(""), &fault), FAULT_PATH_INVALID,
                &fault);
    assert_int_equal(symlink("..", in_work(&stage, "up")), 0);
    assert_int_equal(symlink("../stolen", in_work(&stage, "link")), 0);
    CHECK_FAULT(restore_put(fd, STR("up/stolen"), 0644, STR(""), &fault), FAULT_PATH_INVALID,
                &fault);
    CHECK_FAULT(restore_delete(fd, STR("up/work"), &fault), FAULT_PATH_INVALID, &fault);
    CHECK_OK(restore_put(fd, STR("link"), 0644, STR("here"), &fault), &fault);
    check_content(in_work(&stage, "link"), "here");
    assert_int_equal(access(scene_path(stage.rig.directory, "stolen"), F_OK), -1);
    CHECK_OK(restore_delete(fd, STR("link"), &fault), &fault);
    CHECK_FAULT(restore_delete(fd, STR("link"), &fault), FAULT_FILE_NOT_FOUND, &fault);
    CHECK_FAULT(restore_delete(fd, STR("a"), &fault), FAULT_PATH_INVALID, &fault);
    CHECK_FAULT(restore_delete(fd, STR("x/y"), &fault), FAULT_FILE_NOT_FOUND, &fault);
    close(fd);
    stage_close(&stage);
}

/* ---- a new directory ---- */

static void snapshot_check(const struct stage *stage, const char *dir, const char *index)
{
    struct snapshot_spec spec = {.store = stage->rig.store,
                                 .dir = open(dir, O_RDONLY | O_DIRECTORY),
                                 .index = index,
                                 .cancel_fd = -1};
    struct snapshot snapshot;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    CHECK_OK(snapshot_take(&spec, &arena, &snapshot, &fault), &fault);
    assert_int_equal(snapshot.read, 0);
    assert_memory_equal(snapshot.tree.hash, stage->tree_one, HASH_BYTES);
    close(spec.dir);
    arena_clear(&arena);
}

static void test_layout(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct stage stage;
        struct chance chance = {seed};
        struct fault fault;
        char index[200], dir[200];

        stage_open(&stage, seed);
        snprintf(index, sizeof(index), "%s/index", stage.rig.directory);
        snprintf(dir, sizeof(dir), "%s/laid out", stage.rig.directory);
        if (seed > 1)
            scene_stir(stage.work, &chance, 100);
        keep_one(&stage);
        CHECK_OK(restore_layout(stage.rig.store, stage.tree_one, dir, index, &fault), &fault);
        assert_true(scene_same(dir, stage.one));
        snapshot_check(&stage, dir, index);
        CHECK_FAULT(restore_layout(stage.rig.store, stage.tree_one, dir, index, &fault),
                    FAULT_EXISTS, &fault);
        assert_true(scene_same(dir, stage.one));
        assert_false(scene_has_name(stage.rig.directory, RESTORE_TEMP));
        stage_close(&stage);
    }
}

/* A tree that is damaged brings nothing, and what was half made is gone. */
static void test_layout_fails(void **state)
{
    struct stage stage;
    struct fault fault;
    char dir[200];
    struct tree_entry entry = {.type = TREE_FILE, .mode = 0644, .size = 4};
    struct tree_entry good = {.type = TREE_FILE, .mode = 0644};
    struct tree_spec spec;

    (void)state;
    stage_open(&stage, 1);
    snprintf(dir, sizeof(dir), "%s/laid out", stage.rig.directory);
    memset(entry.hash, 7, HASH_BYTES);
    CHECK_OK(tree_put_file(stage.rig.store, STR("good"), &good, &fault), &fault);
    CHECK_OK(tree_edit(stage.rig.store, tree_empty,
                       (struct tree_edit[]){{STR("a/good"), &good}, {STR("b"), &entry}}, 2, &spec,
                       &fault),
             &fault);
    CHECK_FAULT(restore_layout(stage.rig.store, spec.hash, dir, NULL, &fault), FAULT_CORRUPT,
                &fault);
    assert_int_equal(access(dir, F_OK), -1);
    assert_false(scene_has_name(stage.rig.directory, RESTORE_TEMP));
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_kinds_in_the_way),
        cmocka_unit_test(test_skips),
        cmocka_unit_test(test_not_kept),
        cmocka_unit_test(test_not_kept_dir),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_slot_plain),
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_layout_fails),
    };

    umask(022);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
