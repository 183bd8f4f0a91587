/*
 * A process that restores is killed at any instant; the next one finishes it or takes it back, and
 * the directory is as the plain copy of that state. Likewise a directory that is being laid out is
 * there whole or not at all.
 */
#include "support/check.h"
#include "support/rig.h"

#include "scene.h"
#include "workspace/restore.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILLS = 220, KILLS_A_SCENE = 22, LAYOUT_KILLS = 40 };

/* No store is open in the parent: no process takes one over by fork. */
struct ground {
    char directory[64];
    char work[128], one[128], two[128], laid[128];
    unsigned char tree_one[HASH_BYTES], tree_two[HASH_BYTES];
    int64_t took_us; /* what a restore takes */
};

static struct store *store_of(const struct ground *ground)
{
    struct store *store;
    struct fault fault;

    CHECK_OK(rig_kinds[1].open(ground->directory, &store, &fault), &fault);
    return store;
}

static int64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void keep(const struct ground *ground, const char *copy, unsigned char out[HASH_BYTES])
{
    struct store *store = store_of(ground);

    scene_copy(ground->work, copy);
    scene_tree(store, ground->work, out);
    store_close(store);
}

/* Two states that differ in much: enough for a kill to fall somewhere. */
static void ground_fill(struct ground *ground, struct chance *chance)
{
    scene_remove(ground->work);
    assert_int_equal(mkdir(ground->work, 0755), 0);
    scene_stir(ground->work, chance, 250);
    keep(ground, ground->one, ground->tree_one);
    scene_stir(ground->work, chance, 200);
    keep(ground, ground->two, ground->tree_two);
}

static enum fault_code no_left(void *context, enum restore_deed deed, struct str path,
                               struct fault *fault)
{
    (void)context;
    if (deed == RESTORE_LEFT)
        return fault_set(fault, FAULT_INTERNAL, "\"%.*s\" was left alone", STR_ARG(path));
    return FAULT_OK;
}

/* In a child: says when it begins, and restores. */
static void restore_child(const struct ground *ground, const unsigned char *from,
                          const unsigned char *to, int ready)
{
    struct restore_spec spec = {.store = store_of(ground),
                                .dir = open(ground->work, O_RDONLY | O_DIRECTORY),
                                .visit = no_left};
    struct fault fault;

    memcpy(spec.from, from, HASH_BYTES);
    memcpy(spec.to, to, HASH_BYTES);
    if (write(ready, "!", 1) != 1)
        _exit(3);
    if (restore_apply(&spec, &fault) != FAULT_OK) {
        fprintf(stderr, "%s\n", fault.message);
        _exit(2);
    }
    _exit(0);
}

static void layout_child(const struct ground *ground, int ready)
{
    struct store *store = store_of(ground);
    struct fault fault;

    if (write(ready, "!", 1) != 1)
        _exit(3);
    _exit(restore_layout(store, ground->tree_two, ground->laid, NULL, &fault) == FAULT_OK ? 0 : 2);
}

/* Runs it in a child and kills that after so long; -1: never. Returns how it ended. */
static int child_run(struct ground *ground, const unsigned char *from, const unsigned char *to,
                     int64_t kill_us)
{
    int pipes[2], status;
    int64_t begun;
    pid_t child;
    char byte;

    assert_int_equal(pipe(pipes), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (from)
            restore_child(ground, from, to, pipes[1]);
        layout_child(ground, pipes[1]);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    begun = now_us();
    if (kill_us >= 0) {
        struct timespec wait = {kill_us / 1000000, kill_us % 1000000 * 1000};

        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (kill_us < 0)
        ground->took_us = now_us() - begun;
    return status;
}

static void ground_open(struct ground *ground)
{
    scratch_make(ground->directory, sizeof(ground->directory));
    snprintf(ground->work, sizeof(ground->work), "%s/work", ground->directory);
    snprintf(ground->one, sizeof(ground->one), "%s/one", ground->directory);
    snprintf(ground->two, sizeof(ground->two), "%s/two", ground->directory);
    snprintf(ground->laid, sizeof(ground->laid), "%s/laid", ground->directory);
}

/* Killed, and then finished or taken back. True when it was killed before it was done. */
static bool round_run(struct ground *ground, struct chance *chance, bool *at_two)
{
    const unsigned char *from = *at_two ? ground->tree_two : ground->tree_one;
    const unsigned char *to = *at_two ? ground->tree_one : ground->tree_two;
    int status, kills = 1 + chance_below(chance, 3);
    bool back = chance_of(chance, 35), killed = false;

    for (int i = 0; i < kills; i++) { /* one that finishes may be killed as well */
        status = child_run(ground, from, to, chance_below(chance, (int)ground->took_us + 1));
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        killed = killed || WIFSIGNALED(status);
    }
    assert_int_equal(back ? child_run(ground, to, from, -1) : child_run(ground, from, to, -1), 0);
    *at_two = *at_two == back;
    assert_true(scene_same(ground->work, *at_two ? ground->two : ground->one));
    assert_false(scene_has_name(ground->work, RESTORE_TEMP));
    return killed;
}

static void test_kill(void **state)
{
    struct chance chance = {20240607};
    struct ground ground;
    bool at_two = true;
    int killed = 0, rounds = 0;

    (void)state;
    ground_open(&ground);
    while (killed < KILLS) {
        if (rounds++ % KILLS_A_SCENE == 0) {
            ground_fill(&ground, &chance);
            at_two = true;
            assert_int_equal(child_run(&ground, ground.tree_two, ground.tree_one, -1), 0);
            assert_int_equal(child_run(&ground, ground.tree_one, ground.tree_two, -1), 0);
        }
        killed += round_run(&ground, &chance, &at_two);
        assert_true(rounds < 10 * KILLS);
    }
    print_message("# %d rounds, %d with a kill before the end\n", rounds, killed);
    scene_remove(ground.directory);
}

static void test_layout_kill(void **state)
{
    struct chance chance = {7};
    struct ground ground;
    int whole = 0;

    (void)state;
    ground_open(&ground);
    ground_fill(&ground, &chance);
    assert_int_equal(child_run(&ground, NULL, NULL, -1), 0);
    for (int i = 0; i < LAYOUT_KILLS; i++) {
        scene_remove(ground.laid);
        child_run(&ground, NULL, NULL, chance_below(&chance, (int)ground.took_us / 2 + 1));
        if (access(ground.laid, F_OK) == 0) {
            assert_true(scene_same(ground.laid, ground.two));
            whole++;
        }
    }
    scene_remove(ground.laid);
    assert_int_equal(child_run(&ground, NULL, NULL, -1), 0);
    assert_true(scene_same(ground.laid, ground.two));
    assert_false(scene_has_name(ground.directory, RESTORE_TEMP));
    print_message("# %d of %d were whole\n", whole, LAYOUT_KILLS);
    scene_remove(ground.directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_layout_kill),
    };

    umask(022);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
