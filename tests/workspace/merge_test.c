/* Merging trees: case by case, by its laws, and beside git. */
#include "support/check.h"
#include "support/rig.h"

#include "git_run.h"
#include "scene.h"
#include "workspace/merge.h"
#include "workspace/tree_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LAW_ROUNDS = 40, GIT_ROUNDS = 20 };

/* ---- trees by hand: "path=content", "path@target", "path/" for a directory, "path!" left ---- */

static void tree_of(struct store *store, const char *const *lines, unsigned char out[HASH_BYTES])
{
    struct tree_spec spec = {0};
    struct fault fault;

    memcpy(spec.hash, tree_empty, HASH_BYTES);
    for (; *lines; lines++) {
        const char *line = *lines, *sign = strpbrk(line, "=@!") ? strpbrk(line, "=@!") : "";
        struct str path = {line, *sign ? (size_t)(sign - line) : strlen(line) - 1};
        struct tree_entry entry = {.mode = 0644};
        struct tree_edit edit = {path, &entry};

        if (path.p[0] == '+') { /* may be executed */
            entry.mode = 0755;
            edit.path = (struct str){path.p + 1, path.n - 1};
        }
        if (*sign == '=') {
            CHECK_OK(tree_put_file(store, str_of(sign + 1), &entry, &fault), &fault);
        } else if (*sign == '@') {
            entry = (struct tree_entry){.type = TREE_LINK, .target = str_of(sign + 1)};
        } else if (*sign == '!') {
            entry = (struct tree_entry){.type = TREE_LEFT, .left = LEFT_SIZE};
        } else {
            entry = (struct tree_entry){.type = TREE_DIR, .mode = 0755};
        }
        CHECK_OK(tree_edit(store, spec.hash, &edit, 1, &spec, &fault), &fault);
    }
    memcpy(out, spec.hash, HASH_BYTES);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

struct merge_case {
    const char *name;
    const char *const *base, *const *ours, *const *theirs;
    const char *clash;       /* "text path …"; NULL: none */
    const char *const *want; /* what comes of it, with force when there is a clash */
};

static const struct merge_case cases[] = {
    {"each another file", LINES("a=1", "b=1"), LINES("a=2", "b=1"), LINES("a=1", "b=2"), NULL,
     LINES("a=2", "b=2")},
    {"both the same", LINES("a=1"), LINES("a=2", "n=x"), LINES("a=2", "n=x"), NULL,
     LINES("a=2", "n=x")},
    {"other lines", LINES("a=1\n2\n3\n4\n5\n"), LINES("a=one\n2\n3\n4\n5\n"),
     LINES("a=1\n2\n3\n4\nfive\n"), NULL, LINES("a=one\n2\n3\n4\nfive\n")},
    {"same lines", LINES("a=1\n2\n3\n4\n5\n"), LINES("a=x\n2\n3\n4\nours\n"),
     LINES("a=y\n2\n3\n4\n5\n"), "text a", LINES("a=y\n2\n3\n4\nours\n")},
    {"mode here, content there", LINES("a=1"), LINES("+a=1"), LINES("a=2"), NULL, LINES("+a=2")},
    {"content here, mode there", LINES("a=1"), LINES("a=2"), LINES("+a=1"), NULL, LINES("+a=2")},
    {"deleted here, changed there", LINES("a=1"), LINES("z=1"), LINES("a=2"), "deleted a",
     LINES("a=2", "z=1")},
    {"changed here, deleted there", LINES("a=1", "z=1"), LINES("a=2", "z=1"), LINES("z=1"),
     "deleted a", LINES("z=1")},
    {"deleted in both", LINES("a=1", "z=1"), LINES("z=1"), LINES("z=1"), NULL, LINES("z=1")},
    {"added in both", LINES("z=1"), LINES("a=1", "z=1"), LINES("a=2", "z=1"), "added a",
     LINES("a=2", "z=1")},
    {"added with another mode", LINES("z=1"), LINES("a=1", "z=1"), LINES("+a=1", "z=1"), "mode a",
     LINES("+a=1", "z=1")},
    {"links apart", LINES("l@1"), LINES("l@2"), LINES("l@3"), "binary l", LINES("l@3")},
    {"a link here, a file there", LINES("z=1"), LINES("l@2", "z=1"), LINES("l=2", "z=1"), "kind l",
     LINES("l=2", "z=1")},
    {"a file here, a directory there", LINES("z=1"), LINES("a=1", "z=1"), LINES("a/b=1", "z=1"),
     "kind a", LINES("a/b=1", "z=1")},
    {"a file became a directory", LINES("a=1"), LINES("a/b=1"), LINES("a=1", "c=1"), NULL,
     LINES("a/b=1", "c=1")},
    {"a directory became a file, changed there", LINES("a/b=1", "a/c=1"), LINES("a=x"),
     LINES("a/b=2", "a/c=1"), "kind a", LINES("a/b=2", "a/c=1")},
    {"a directory became a file, less of it there", LINES("a/b=1", "a/c=1"), LINES("a=x"),
     LINES("a/b=1"), NULL, LINES("a=x")},
    {"less of a directory here, a file there", LINES("a/b=1", "a/c=1"), LINES("a/b=1"),
     LINES("a=x"), NULL, LINES("a=x")},
    {"a directory gone here, a file there", LINES("a/b=1", "z=1"), LINES("z=1"),
     LINES("a=x", "z=1"), NULL, LINES("a=x", "z=1")},
    {"a directory gone, a file added in it", LINES("d/a=1", "z=1"), LINES("z=1"),
     LINES("d/a=1", "d/n=1", "z=1"), NULL, LINES("d/n=1", "z=1")},
    {"a directory gone there, a file added in it here", LINES("d/a=1", "z=1"),
     LINES("d/a=1", "d/n=1", "z=1"), LINES("z=1"), NULL, LINES("d/n=1", "z=1")},
    {"a directory gone, deeper", LINES("d/e/a=1", "d/e/b=1", "z=1"), LINES("z=1"),
     LINES("d/e/a=2", "d/e/b=1", "z=1"), "deleted d/e/a", LINES("d/e/a=2", "z=1")},
    {"empty directories", LINES("z=1"), LINES("d/", "z=1"), LINES("e/", "z=1"), NULL,
     LINES("d/", "e/", "z=1")},
    {"an empty directory gone", LINES("d/", "z=1"), LINES("z=1"), LINES("d/", "z=2"), NULL,
     LINES("z=2")},
    {"not kept there", LINES("z=1"), LINES("z=1"), LINES("big!", "z=2"), NULL, LINES("z=2")},
    {"not kept here", LINES("z=1"), LINES("big!", "z=1"), LINES("z=2"), NULL, LINES("big!", "z=2")},
    {"not kept here, a file there", LINES("z=1"), LINES("big!", "z=1"), LINES("big=1", "z=1"),
     "kind big", LINES("big!", "z=1")},
    {"a file grew there", LINES("big=1"), LINES("big=1"), LINES("big!"), "kind big",
     LINES("big=1")},
    {"not kept in a new directory", LINES("z=1"), LINES("z=1"), LINES("d/a=1", "d/big!", "z=1"),
     NULL, LINES("d/a=1", "z=1")},
    {"many at once", LINES("a=1", "b=1", "c/d=1"), LINES("a=2", "b=2", "c/d=2"),
     LINES("a=3", "b=1", "c/d=3"), "text a text c/d", LINES("a=3", "b=2", "c/d=3")},
};

static void words_of(const struct merge_trees *merge, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t i = 0; i < merge->conflict_count; i++) {
        size_t n = strlen(out);

        assert_true(strlen(merge_clash_words(merge->conflicts[i].clash)) > 0);
        snprintf(out + n, room - n, "%s%s %.*s", i ? " " : "",
                 merge_clash_name(merge->conflicts[i].clash), STR_ARG(merge->conflicts[i].path));
    }
}

static void case_run(struct rig *rig, const struct merge_case *one)
{
    unsigned char base[HASH_BYTES], ours[HASH_BYTES], theirs[HASH_BYTES], want[HASH_BYTES];
    struct merge_trees merge;
    struct arena arena;
    struct fault fault;
    char words[1000];

    print_message("# %s\n", one->name);
    arena_init(&arena);
    tree_of(rig->store, one->base, base);
    tree_of(rig->store, one->ours, ours);
    tree_of(rig->store, one->theirs, theirs);
    tree_of(rig->store, one->want, want);
    CHECK_OK(merge_trees(rig->store, base, ours, theirs, false, &arena, &merge, &fault), &fault);
    words_of(&merge, words, sizeof(words));
    assert_string_equal(words, one->clash ? one->clash : "");
    assert_int_equal(merge.tree.given, !one->clash);
    CHECK_OK(merge_trees(rig->store, base, ours, theirs, true, &arena, &merge, &fault), &fault);
    words_of(&merge, words, sizeof(words));
    assert_string_equal(words, one->clash ? one->clash : "");
    assert_true(merge.tree.given);
    assert_memory_equal(merge.tree.hash, want, HASH_BYTES);
    arena_clear(&arena);
}

static void test_cases(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, &rig_kinds[0], 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        case_run(&rig, &cases[i]);
    rig_close(&rig);
}

/* Nothing is written while it conflicts: not even the text that could be merged. */
static void test_nothing_written(void **state)
{
    unsigned char base[HASH_BYTES], ours[HASH_BYTES], theirs[HASH_BYTES];
    struct store_counts before, after;
    struct merge_trees merge;
    struct arena arena;
    struct fault fault;
    struct rig rig;

    (void)state;
    arena_init(&arena);
    rig_open(&rig, &rig_kinds[0], 1);
    tree_of(rig.store, LINES("a=1", "b=1\n2\n3\n4\n5\n"), base);
    tree_of(rig.store, LINES("a=2", "b=x\n2\n3\n4\n5\n"), ours);
    tree_of(rig.store, LINES("a=3", "b=1\n2\n3\n4\ny\n"), theirs);
    CHECK_OK(store_count(rig.store, &before, &fault), &fault);
    CHECK_OK(merge_trees(rig.store, base, ours, theirs, false, &arena, &merge, &fault), &fault);
    CHECK_OK(store_count(rig.store, &after, &fault), &fault);
    assert_int_equal(merge.conflict_count, 1);
    assert_int_equal(before.objects, after.objects);
    CHECK_OK(merge_trees(rig.store, base, ours, theirs, true, &arena, &merge, &fault), &fault);
    assert_int_equal(merge.changed, 2);
    CHECK_OK(store_count(rig.store, &after, &fault), &fault);
    assert_true(after.objects > before.objects);
    rig_close(&rig);
    arena_clear(&arena);
}

/* ---- laws ---- */

static struct merge_trees merge_of(struct rig *rig, const unsigned char *base,
                                   const unsigned char *ours, const unsigned char *theirs,
                                   bool force, struct arena *arena)
{
    struct merge_trees merge;
    struct fault fault;

    CHECK_OK(merge_trees(rig->store, base, ours, theirs, force, arena, &merge, &fault), &fault);
    return merge;
}

static void law_run(struct rig *rig, uint64_t seed)
{
    struct chance chance = {seed};
    unsigned char base[HASH_BYTES], ours[HASH_BYTES], theirs[HASH_BYTES];
    char work[128], copy[128];
    struct merge_trees here, there;
    struct arena arena;

    arena_init(&arena);
    snprintf(work, sizeof(work), "%s/work", rig->directory);
    snprintf(copy, sizeof(copy), "%s/copy", rig->directory);
    scene_remove(work);
    assert_int_equal(mkdir(work, 0755), 0);
    scene_stir(work, &chance, 60);
    scene_tree(rig->store, work, base);
    scene_copy(work, copy);
    scene_stir(work, &chance, 1 + chance_below(&chance, 15));
    scene_tree(rig->store, work, ours);
    scene_stir(copy, &chance, 1 + chance_below(&chance, 15));
    scene_tree(rig->store, copy, theirs);

    here = merge_of(rig, base, ours, base, false, &arena);
    assert_memory_equal(here.tree.hash, ours, HASH_BYTES);
    assert_int_equal(here.changed, 0);
    here = merge_of(rig, base, base, theirs, false, &arena);
    assert_memory_equal(here.tree.hash, theirs, HASH_BYTES);
    here = merge_of(rig, base, ours, ours, false, &arena);
    assert_memory_equal(here.tree.hash, ours, HASH_BYTES);
    /* the other way round the same conflicts, or the same tree */
    here = merge_of(rig, base, ours, theirs, false, &arena);
    there = merge_of(rig, base, theirs, ours, false, &arena);
    assert_int_equal(here.conflict_count, there.conflict_count);
    for (size_t i = 0; i < here.conflict_count; i++)
        assert_true(str_eq(here.conflicts[i].path, there.conflicts[i].path) &&
                    here.conflicts[i].clash == there.conflicts[i].clash);
    if (here.conflict_count == 0) {
        assert_memory_equal(here.tree.hash, there.tree.hash, HASH_BYTES);
        /* what was merged is in it: nothing comes of merging it once more */
        there = merge_of(rig, base, here.tree.hash, theirs, true, &arena);
        assert_memory_equal(here.tree.hash, there.tree.hash, HASH_BYTES);
    }
    arena_clear(&arena);
}

static void test_laws(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, &rig_kinds[0], 1);
    for (uint64_t seed = 1; seed <= LAW_ROUNDS; seed++)
        law_run(&rig, seed);
    scene_remove(scene_path(rig.directory, "work"));
    scene_remove(scene_path(rig.directory, "copy"));
    rig_close(&rig);
}

/* ---- beside git ---- */

/* Directories above a path that have nothing in them go: git does not know them. */
static void empty_remove(const char *dir, char *path)
{
    for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) > strlen(dir);) {
        *slash = '\0';
        if (rmdir(path) != 0)
            return;
    }
}

/* One step that git knows as well: files of lines, one right, no empty directories. */
static void text_step(const char *dir, const char *name, struct chance *chance)
{
    char path[300], line[1000];
    struct stat stat;
    bool is_file;

    snprintf(path, sizeof(path), "%.200s/%.20s", dir, name);
    is_file = lstat(path, &stat) == 0 && S_ISREG(stat.st_mode);
    if (chance_of(chance, 15)) {
        scene_remove(path);
        empty_remove(dir, path);
        return;
    }
    if (is_file && chance_of(chance, 15)) {
        assert_int_equal(chmod(path, stat.st_mode & 0100 ? 0644 : 0755), 0);
        return;
    }
    if (is_file && chance_of(chance, 80))
        snprintf(line, sizeof(line), "sed -i '%ds/.*/line %d/' %s", 1 + chance_below(chance, 20),
                 chance_below(chance, 1000), name);
    else
        snprintf(line, sizeof(line),
                 "above=$(dirname %s); test -d $above || { rm -rf $above; mkdir -p $above; }; "
                 "rm -rf %s; seq %d > %s",
                 name, name, 10 + chance_below(chance, 12), name);
    assert_int_equal(git_run(dir, line, NULL, NULL), 0);
}

static void text_stir(const char *dir, struct chance *chance, int steps)
{
    static const char *const names[] = {"a", "b", "c", "d/a", "d/b", "d/e/a", "a/x", "a/y", "b/x"};

    for (int i = 0; i < steps; i++)
        text_step(dir, names[chance_below(chance, 9)], chance);
}

/* Without the repository itself. */
static void tree_keep(struct rig *rig, const char *repo, unsigned char out[HASH_BYTES])
{
    char copy[200];

    snprintf(copy, sizeof(copy), "%s/kept", rig->directory);
    scene_copy(repo, copy);
    scene_remove(scene_path(copy, ".git"));
    assert_int_equal(git_run(copy, "find . -mindepth 1 -type d -exec chmod 755 {} +", NULL, NULL),
                     0);
    scene_tree(rig->store, copy, out);
    scene_remove(copy);
}

static void git_round(struct rig *rig, uint64_t seed, int *clean)
{
    struct chance chance = {seed};
    unsigned char base[HASH_BYTES], ours[HASH_BYTES], theirs[HASH_BYTES], want[HASH_BYTES];
    struct merge_trees merge;
    struct arena arena;
    struct str said;
    char repo[128];
    int status;

    arena_init(&arena);
    snprintf(repo, sizeof(repo), "%s/repo", rig->directory);
    assert_int_equal(mkdir(repo, 0755), 0);
    assert_int_equal(git_run(repo, "git init -q -b base .", NULL, NULL), 0);
    text_stir(repo, &chance, 12);
    tree_keep(rig, repo, base);
    assert_int_equal(git_run(repo, "git add -A; git commit -q --allow-empty -m b", NULL, NULL), 0);
    text_stir(repo, &chance, 1 + chance_below(&chance, 6));
    tree_keep(rig, repo, ours);
    assert_int_equal(git_run(repo,
                             "git checkout -q -b ours; git add -A; "
                             "git commit -q --allow-empty -m o; git checkout -q base",
                             NULL, NULL),
                     0);
    text_stir(repo, &chance, 1 + chance_below(&chance, 6));
    tree_keep(rig, repo, theirs);
    status =
        git_run(repo,
                "git checkout -q -b theirs; git add -A; git commit -q --allow-empty -m t; "
                "git checkout -q ours; git merge -q --no-edit -s recursive -X no-renames theirs",
                &arena, &said);
    assert_true(status == 0 || status == 1);
    merge = merge_of(rig, base, ours, theirs, false, &arena);
    if ((status == 0) != (merge.conflict_count == 0)) {
        char words[1000];

        words_of(&merge, words, sizeof(words));
        print_error("seed %d: git says %d: %.*s, not \"%s\"\n", (int)seed, status, STR_ARG(said),
                    words);
    }
    assert_int_equal(status == 0, merge.conflict_count == 0);
    if (status == 0) {
        tree_keep(rig, repo, want);
        assert_memory_equal(merge.tree.hash, want, HASH_BYTES);
        ++*clean;
    }
    scene_remove(repo);
    arena_clear(&arena);
}

static void test_git(void **state)
{
    struct rig rig;
    int clean = 0;

    (void)state;
    if (!git_there()) {
        print_message("# git is not installed\n");
        skip();
    }
    rig_open(&rig, &rig_kinds[0], 1);
    for (uint64_t seed = 1; seed <= GIT_ROUNDS; seed++)
        git_round(&rig, seed, &clean);
    print_message("# %d of %d without conflict\n", clean, GIT_ROUNDS);
    assert_true(clean > 0 && clean < GIT_ROUNDS);
    rig_close(&rig);
}

/* ---- edits ---- */

static void test_edit(void **state)
{
    unsigned char want[HASH_BYTES];
    struct tree_entry file = {.mode = 0644}, private = {.type = TREE_DIR, .mode = 0700}, found;
    struct tree_spec spec;
    struct arena arena;
    struct fault fault;
    struct rig rig;

    (void)state;
    arena_init(&arena);
    rig_open(&rig, &rig_kinds[0], 1);
    CHECK_OK(tree_put_file(rig.store, STR("1"), &file, &fault), &fault);
    tree_of(rig.store, LINES("a=1", "b/c=1", "b/d=1", "e/f=1"), want);
    memcpy(spec.hash, want, HASH_BYTES);
    /* a file becomes a directory, a directory a file, and one goes with all that is in it */
    {
        const struct tree_edit edits[] = {
            {STR("a"), NULL},      {STR("a"), &private}, {STR("a/x"), &file},
            {STR("a/y/z"), &file}, {STR("b"), NULL},     {STR("b/c"), NULL},
            {STR("b/d"), NULL},    {STR("b"), &file},    {STR("e"), NULL},
        };

        CHECK_OK(tree_edit(rig.store, want, edits, 9, &spec, &fault), &fault);
    }
    CHECK_OK(tree_find(rig.store, spec.hash, STR("a"), &arena, &found, &fault), &fault);
    assert_int_equal(found.mode, 0700);
    CHECK_OK(tree_find(rig.store, spec.hash, STR("a/y/z"), &arena, &found, &fault), &fault);
    CHECK_OK(tree_find(rig.store, spec.hash, STR("b"), &arena, &found, &fault), &fault);
    assert_int_equal(found.type, TREE_FILE);
    CHECK_FAULT(tree_find(rig.store, spec.hash, STR("e"), &arena, &found, &fault),
                FAULT_FILE_NOT_FOUND, &fault);
    CHECK_FAULT(tree_find(rig.store, spec.hash, STR("b/c"), &arena, &found, &fault),
                FAULT_FILE_NOT_FOUND, &fault);
    CHECK_FAULT(tree_find(rig.store, spec.hash, STR("a//x"), &arena, &found, &fault),
                FAULT_FILE_NOT_FOUND, &fault);
    CHECK_FAULT(
        tree_edit(rig.store, spec.hash, &(struct tree_edit){STR("b/c"), &file}, 1, &spec, &fault),
        FAULT_PATH_INVALID, &fault);
    /* taking away what is not there changes nothing */
    memcpy(want, spec.hash, HASH_BYTES);
    CHECK_OK(tree_edit(rig.store, want, &(struct tree_edit){STR("q/r"), NULL}, 1, &spec, &fault),
             &fault);
    assert_memory_equal(spec.hash, want, HASH_BYTES);
    rig_close(&rig);
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases), cmocka_unit_test(test_nothing_written),
        cmocka_unit_test(test_laws),  cmocka_unit_test(test_git),
        cmocka_unit_test(test_edit),
    };

    umask(022);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
