/*
 * Restoring while others swap directories and files for links that lead outside: nothing outside
 * is ever touched, and every path inside ends as it is in one of the two trees.
 */
#include "support/check.h"
#include "support/rig.h"

#include "scene.h"
#include "workspace/path.h"
#include "workspace/restore.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 12, RACE_MS = 1500 };

struct race {
    struct rig rig;
    char work[128], outside[128], outside_before[128];
    unsigned char one[HASH_BYTES], two[HASH_BYTES];
    atomic_bool over;
    atomic_int swaps;
};

static void fill(const char *dir, const char *text)
{
    for (int i = 0; i < FILES; i++) {
        char path[300];

        snprintf(path, sizeof(path), "%.250s/f%d", dir, i);
        scene_write(path, str_of(text), 0644);
    }
}

static void race_open(struct race *race)
{
    *race = (struct race){0};
    rig_open(&race->rig, &rig_kinds[0], 1);
    snprintf(race->work, sizeof(race->work), "%s/work", race->rig.directory);
    snprintf(race->outside, sizeof(race->outside), "%s/outside", race->rig.directory);
    snprintf(race->outside_before, sizeof(race->outside_before), "%s/before", race->rig.directory);
    assert_int_equal(mkdir(race->work, 0755), 0);
    assert_int_equal(mkdir(scene_path(race->work, "d"), 0755), 0);
    assert_int_equal(mkdir(scene_path(race->work, "d/sub"), 0755), 0);
    fill(scene_path(race->work, "d"), "one");
    fill(scene_path(race->work, "d/sub"), "one");
    scene_write(scene_path(race->work, "file"), STR("one"), 0644);
    scene_tree(race->rig.store, race->work, race->one);
    /* What is outside looks just as what is expected inside: the worst that could be followed. */
    scene_copy(scene_path(race->work, "d"), race->outside);
    scene_copy(race->outside, race->outside_before);
    fill(scene_path(race->work, "d"), "two");
    fill(scene_path(race->work, "d/sub"), "two");
    scene_write(scene_path(race->work, "d/new"), STR("two"), 0644);
    scene_write(scene_path(race->work, "file"), STR("two"), 0600);
    scene_tree(race->rig.store, race->work, race->two);
}

/* A directory goes and a link is in its place, and back. */
static void *swap_dir(void *context)
{
    struct race *race = context;
    char dir[200], away[200];

    snprintf(dir, sizeof(dir), "%s/d", race->work);
    snprintf(away, sizeof(away), "%s/away", race->work);
    while (!atomic_load(&race->over)) {
        if (rename(dir, away) != 0)
            continue;
        (void)!symlink(race->outside, dir);
        unlink(dir);
        while (rename(away, dir) != 0) /* a restore may have made one: it has nothing in it */
            rmdir(dir);
        atomic_fetch_add(&race->swaps, 1);
    }
    return NULL;
}

/* One deeper, by an exchange: at no time is there nothing. */
static void *swap_sub(void *context)
{
    struct race *race = context;
    char dir[200], link[200];

    snprintf(dir, sizeof(dir), "%s/d/sub", race->work);
    snprintf(link, sizeof(link), "%s/link", race->work);
    (void)!symlink(race->outside, link);
    while (!atomic_load(&race->over)) {
        if (renameat2(AT_FDCWD, dir, AT_FDCWD, link, RENAME_EXCHANGE) != 0)
            continue;
        while (renameat2(AT_FDCWD, dir, AT_FDCWD, link, RENAME_EXCHANGE) != 0)
            ;
        atomic_fetch_add(&race->swaps, 1);
    }
    unlink(link);
    return NULL;
}

static void *swap_file(void *context)
{
    struct race *race = context;
    char file[200], link[200], target[200];

    snprintf(file, sizeof(file), "%s/file", race->work);
    snprintf(link, sizeof(link), "%s/file-link", race->work);
    snprintf(target, sizeof(target), "%s/f0", race->outside);
    (void)!symlink(target, link);
    while (!atomic_load(&race->over)) {
        if (renameat2(AT_FDCWD, file, AT_FDCWD, link, RENAME_EXCHANGE) != 0)
            continue;
        (void)!renameat2(AT_FDCWD, file, AT_FDCWD, link, RENAME_EXCHANGE);
        atomic_fetch_add(&race->swaps, 1);
    }
    return NULL;
}

static enum fault_code left_count(void *context, enum restore_deed deed, struct str path,
                                  struct fault *fault)
{
    int *left = context;

    (void)path, (void)fault;
    *left += deed == RESTORE_LEFT;
    return FAULT_OK;
}

static int restore(struct race *race, const unsigned char *from, const unsigned char *to)
{
    int left = 0;
    struct restore_spec spec = {.store = race->rig.store,
                                .dir = open(race->work, O_RDONLY | O_DIRECTORY),
                                .visit = left_count,
                                .context = &left};
    struct fault fault;

    memcpy(spec.from, from, HASH_BYTES);
    memcpy(spec.to, to, HASH_BYTES);
    CHECK_OK(restore_apply(&spec, &fault), &fault);
    close(spec.dir);
    return left;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Also nothing was touched and put right again. */
static void outside_check(const struct race *race, const struct stat *before)
{
    struct stat after;

    assert_true(scene_same(race->outside, race->outside_before));
    assert_int_equal(stat(race->outside, &after), 0);
    assert_int_equal(after.st_mtim.tv_sec, before->st_mtim.tv_sec);
    assert_int_equal(after.st_mtim.tv_nsec, before->st_mtim.tv_nsec);
}

static void race_run(void *(*attack)(void *), bool settles)
{
    struct race race;
    struct stat before;
    pthread_t thread;
    int64_t until;
    int rounds = 0, left = 0;

    race_open(&race);
    assert_int_equal(stat(race.outside, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, attack, &race), 0);
    for (until = now_ms() + RACE_MS; now_ms() < until; rounds++) {
        left += restore(&race, race.two, race.one);
        outside_check(&race, &before);
        left += restore(&race, race.one, race.two);
        outside_check(&race, &before);
    }
    atomic_store(&race.over, true);
    pthread_join(thread, NULL);
    print_message("# %d rounds, %d swaps, %d paths left alone\n", rounds, atomic_load(&race.swaps),
                  left);
    assert_true(atomic_load(&race.swaps) > 0);
    if (settles) {
        unsigned char tree[HASH_BYTES];

        assert_int_equal(restore(&race, race.two, race.one), 0);
        scene_tree(race.rig.store, race.work, tree);
        assert_memory_equal(tree, race.one, HASH_BYTES);
    }
    scene_remove(race.work);
    rig_close(&race.rig);
}

static void test_swap_dir(void **state)
{
    (void)state;
    race_run(swap_dir, false);
}

static void test_swap_sub(void **state)
{
    (void)state;
    race_run(swap_sub, true);
}

static void test_swap_file(void **state)
{
    (void)state;
    race_run(swap_file, false);
}

/* The same with the function that opens directories for all others. */

static void test_open_dir(void **state)
{
    struct race race;
    struct stat outside, inside, got;
    pthread_t thread;
    struct fault fault;
    int top, fd, opened = 0;

    (void)state;
    race_open(&race);
    top = open(race.work, O_RDONLY | O_DIRECTORY);
    assert_int_equal(stat(race.outside, &outside), 0);
    assert_int_equal(stat(scene_path(race.work, "d/sub"), &inside), 0);
    assert_int_equal(pthread_create(&thread, NULL, swap_sub, &race), 0);
    for (int i = 0; i < 20000; i++) {
        enum fault_code code = i % 2 ? path_open_dir(top, STR("d/sub"), &fd, &fault)
                                     : path_walk_dir(top, STR("d/sub"), &fd, &fault);

        if (code != FAULT_OK) {
            assert_int_equal(code, FAULT_PATH_INVALID);
            continue;
        }
        assert_int_equal(fstat(fd, &got), 0);
        assert_true(got.st_ino == inside.st_ino && got.st_ino != outside.st_ino);
        close(fd);
        opened++;
    }
    atomic_store(&race.over, true);
    pthread_join(thread, NULL);
    print_message("# opened %d of 20000\n", opened);
    assert_true(opened > 0);
    close(top);
    scene_remove(race.work);
    rig_close(&race.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swap_dir),
        cmocka_unit_test(test_swap_sub),
        cmocka_unit_test(test_swap_file),
        cmocka_unit_test(test_open_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
