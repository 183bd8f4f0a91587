/* The rules for leaving out: by hand, and on random patterns and paths against git itself. */
#include "support/chance.h"
#include "support/check.h"
#include "support/rig.h"

#include "base/arena.h"
#include "base/buf.h"
#include "workspace/glob.h"
#include "workspace/ignore.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct yard {
    char path[64];
    int dir;
    struct fault fault;
};

static int setup(void **state)
{
    struct yard *yard = calloc(1, sizeof(*yard));

    scratch_make(yard->path, sizeof(yard->path));
    yard->dir = open(yard->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(yard->dir >= 0);
    *state = yard;
    return 0;
}

static int teardown(void **state)
{
    struct yard *yard = *state;

    close(yard->dir);
    scratch_remove(yard->path);
    free(yard);
    return 0;
}

static void file_put(int dir, const char *path, struct str text)
{
    int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), (ssize_t)text.n);
    close(fd);
}

/* ---- by hand ---- */

static bool matches(const char *pattern, const char *text)
{
    struct arena arena;
    bool yes;

    arena_init(&arena);
    yes = glob_matches(glob_make(str_of(pattern), &arena), str_of(text));
    arena_clear(&arena);
    return yes;
}

static void test_glob(void **state)
{
    (void)state;
    assert_true(matches("", ""));
    assert_true(matches("*", ""));
    assert_true(matches("a*c", "abbc"));
    assert_false(matches("a*c", "ab/c"));
    assert_true(matches("a/**/c", "a/c"));
    assert_true(matches("a/**/c", "a/x/y/c"));
    assert_false(matches("a/**/c", "a/xc"));
    assert_true(matches("**/c", "c"));
    assert_true(matches("a/**", "a/x/y"));
    assert_false(matches("a/**", "a"));
    assert_true(matches("[a-c]?", "bx"));
    assert_false(matches("[!a-c]", "b"));
    assert_true(matches("[]-]", "]"));
    assert_true(matches("[[:digit:]x]", "7"));
    assert_false(matches("[[:nothing:]]", "7"));
    assert_false(matches("[a", "a"));
    assert_false(matches("a\\", "a"));
    assert_true(matches("\\*", "*"));
}

/* Patterns that make a matcher slow which tries one way after another. */
static void test_glob_hostile(void **state)
{
    char pattern[GLOB_TOKENS + 2], text[256];

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (size_t i = 0; i < 200; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[200] = 'b';
    pattern[201] = '\0';
    for (int i = 0; i < 1000; i++)
        assert_false(matches(pattern, text));
    memset(pattern, 'a', sizeof(pattern) - 1);
    pattern[sizeof(pattern) - 1] = '\0';
    assert_false(matches(pattern, pattern));
    pattern[GLOB_TOKENS] = '\0';
    assert_true(matches(pattern, pattern));
}

static bool has(struct yard *yard, const char *name, bool is_dir)
{
    struct ignore *ignore = ignore_new();
    bool yes;

    CHECK_OK(ignore_enter(ignore, yard->dir, STR_NONE, &yard->fault), &yard->fault);
    yes = ignore_has(ignore, str_of(name), is_dir);
    ignore_leave(ignore);
    ignore_free(ignore);
    return yes;
}

static void test_built_in(void **state)
{
    struct yard *yard = *state;

    assert_true(has(yard, "node_modules", true));
    assert_false(has(yard, "node_modules", false));
    assert_true(has(yard, "__pycache__", true));
    assert_false(has(yard, "build", true));
    file_put(yard->dir, ".gitignore", STR("!node_modules/\n"));
    assert_false(has(yard, "node_modules", true));
}

static void test_own_file(void **state)
{
    struct yard *yard = *state;

    file_put(yard->dir, ".gitignore", STR("*.log\n!keep.log"));
    assert_true(has(yard, "a.log", false));
    assert_false(has(yard, "keep.log", false));
    file_put(yard->dir, ".tineignore", STR("!a.log\nkeep.log\n"));
    assert_false(has(yard, "a.log", false));
    assert_true(has(yard, "keep.log", false));
    assert_true(has(yard, "b.log", false));
}

static void test_exclude(void **state)
{
    struct yard *yard = *state;

    mkdirat(yard->dir, ".git", 0755);
    mkdirat(yard->dir, ".git/info", 0755);
    file_put(yard->dir, ".git/info/exclude", STR("secret\nopen\n"));
    file_put(yard->dir, ".gitignore", STR("!open\n"));
    assert_true(has(yard, "secret", false));
    assert_false(has(yard, "open", false));
}

/* Rules are no way out of the directory, and none to wait. */
static void test_strange_files(void **state)
{
    struct yard *yard = *state;

    file_put(yard->dir, "rules", STR("a\n"));
    assert_int_equal(symlinkat("rules", yard->dir, ".gitignore"), 0);
    assert_int_equal(mkfifoat(yard->dir, ".tineignore", 0644), 0);
    assert_false(has(yard, "a", false));
    unlinkat(yard->dir, ".gitignore", 0);
    unlinkat(yard->dir, ".tineignore", 0);
    mkdirat(yard->dir, ".gitignore", 0755);
    assert_false(has(yard, "a", false));
}

static void test_hash(void **state)
{
    struct yard *yard = *state;
    unsigned char top[HASH_BYTES], below[HASH_BYTES], again[HASH_BYTES];
    struct ignore *ignore = ignore_new();
    int sub;

    mkdirat(yard->dir, "sub", 0755);
    sub = openat(yard->dir, "sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK_OK(ignore_enter(ignore, yard->dir, STR_NONE, &yard->fault), &yard->fault);
    ignore_rules(ignore, top);
    CHECK_OK(ignore_enter(ignore, sub, STR("sub"), &yard->fault), &yard->fault);
    ignore_rules(ignore, below);
    assert_memory_equal(top, below, HASH_BYTES);
    ignore_leave(ignore);
    file_put(yard->dir, "sub/.gitignore", STR("a\n"));
    CHECK_OK(ignore_enter(ignore, sub, STR("sub"), &yard->fault), &yard->fault);
    ignore_rules(ignore, below);
    assert_memory_not_equal(top, below, HASH_BYTES);
    assert_true(ignore_has(ignore, STR("a"), false));
    ignore_leave(ignore);
    ignore_rules(ignore, again);
    assert_memory_equal(top, again, HASH_BYTES);
    assert_false(ignore_has(ignore, STR("a"), false));
    ignore_free(ignore);
    close(sub);
}

/* A longer file of rules counts up to a whole line, so that no pattern is cut short. */
static void test_long_file(void **state)
{
    struct yard *yard = *state;
    struct buf text;

    buf_init(&text, (size_t)IGNORE_FILE_BYTES * 2);
    buf_add_text(&text, "first\n");
    while (text.n < IGNORE_FILE_BYTES - 3)
        buf_add_char(&text, '#');
    buf_add_text(&text, "\nabcdef\n");
    file_put(yard->dir, ".gitignore", buf_str(&text));
    assert_true(has(yard, "first", false));
    assert_false(has(yard, "ab", false));
    assert_false(has(yard, "abcdef", false));
    buf_clear(&text);
}

/* ---- against git ---- */

enum { ROUNDS = 100, NAMES_MAX = 12, DEPTH = 4 };

struct round {
    struct chance chance;
    struct yard *yard;
    struct ignore *ignore;
    struct buf paths; /* of everything there is, each with a NUL */
    struct buf left;  /* of what is left out by our rules */
};

static const char *const name_parts[] = {"a", "b",  "c",    "ab", "foo", "bar",      ".",  "x.o",
                                         "-", " ",  "!",    "#",  "*",   "[",        "]",  "\\",
                                         "?", "\n", "\xff", "A",  "1",   "\xc3\xa4", "\t", "^"};

static const char *const pattern_parts[] = {"a",
                                            "b",
                                            "c",
                                            "ab",
                                            "foo",
                                            "bar",
                                            ".",
                                            "x.o",
                                            "*",
                                            "*",
                                            "*",
                                            "**",
                                            "***",
                                            "?",
                                            "/",
                                            "/",
                                            "/",
                                            "**/",
                                            "/**",
                                            "/**/",
                                            "[ab]",
                                            "[!a]",
                                            "[^b",
                                            "[a-c]",
                                            "[[:alpha:]]",
                                            "[[:punct:]-a]",
                                            "[]a]",
                                            "[\\]x]",
                                            "[a\\-c]",
                                            "[[:x",
                                            "[",
                                            "]",
                                            "\\",
                                            "\\*",
                                            "!",
                                            "#",
                                            " ",
                                            "\\ ",
                                            "\r",
                                            "\xff",
                                            "A",
                                            "1",
                                            "-",
                                            "[[:space:][:digit:]]",
                                            "^"};

#define PICK(chance, list) ((list)[chance_below((chance), (int)(sizeof(list) / sizeof(*(list))))])

static void name_draw(struct round *round, struct buf *out)
{
    buf_reset(out);
    do
        buf_add_text(out, PICK(&round->chance, name_parts));
    while (chance_of(&round->chance, 45));
    if (strcmp(out->p, ".") == 0 || strcmp(out->p, "..") == 0)
        buf_add_text(out, "a");
}

static void rules_draw(struct round *round, struct buf *out)
{
    int lines = 1 + chance_below(&round->chance, 12);

    buf_reset(out);
    if (chance_of(&round->chance, 5))
        buf_add_text(out, "\xef\xbb\xbf");
    while (lines--) {
        if (chance_of(&round->chance, 20))
            buf_add_char(out, '!');
        if (chance_of(&round->chance, 20))
            buf_add_char(out, '/');
        do
            buf_add_text(out, PICK(&round->chance, pattern_parts));
        while (chance_of(&round->chance, 60));
        if (chance_of(&round->chance, 15))
            buf_add_char(out, '/');
        if (chance_of(&round->chance, 2))
            buf_add_char(out, '\0');
        if (lines || chance_of(&round->chance, 80))
            buf_add_text(out, chance_of(&round->chance, 10) ? "\r\n" : "\n");
    }
}

static void path_note(struct buf *out, struct str path)
{
    buf_add_str(out, path);
    buf_add_char(out, '\0');
}

/* Fills a directory, asking our rules about each name as it goes. */
static void dir_fill(struct round *round, int dir, struct str path, int depth, bool is_left)
{
    int names = 1 + chance_below(&round->chance, NAMES_MAX);
    struct buf text, below;

    buf_init(&text, 64 * 1024);
    buf_init(&below, 64 * 1024);
    if (depth == 0 || chance_of(&round->chance, 30)) {
        rules_draw(round, &text);
        file_put(dir, ".gitignore", buf_str(&text));
    }
    CHECK_OK(ignore_enter(round->ignore, dir, path, &round->yard->fault), &round->yard->fault);
    while (names--) {
        bool is_dir = depth < DEPTH && chance_of(&round->chance, 35), is_out;
        struct str name;

        name_draw(round, &text);
        name = buf_str(&text);
        if (is_dir ? mkdirat(dir, name.p, 0755) != 0 : faccessat(dir, name.p, F_OK, 0) == 0)
            continue;
        if (!is_dir)
            file_put(dir, name.p, STR_NONE);
        buf_reset(&below);
        buf_add_str(&below, path);
        if (path.n)
            buf_add_char(&below, '/');
        buf_add_str(&below, name);
        path_note(&round->paths, buf_str(&below));
        is_out = is_left || ignore_has(round->ignore, name, is_dir);
        if (is_out)
            path_note(&round->left, buf_str(&below));
        if (is_dir) {
            int sub = openat(dir, name.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

            dir_fill(round, sub, buf_str(&below), depth + 1, is_out);
            close(sub);
        }
    }
    ignore_leave(round->ignore);
    buf_clear(&text);
    buf_clear(&below);
}

static void file_slurp(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "r");
    char bytes[4096];
    size_t n;

    assert_non_null(file);
    while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
        buf_add(out, bytes, n);
    fclose(file);
}

static void path_print(struct str path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] > ' ' && path.p[i] < 127)
            fputc(path.p[i], stderr);
        else
            fprintf(stderr, "\\x%02x", (unsigned char)path.p[i]);
}

/* Both lists are in the order of `paths`. */
static void lists_compare(const struct round *round, const struct buf *theirs, uint64_t seed)
{
    const char *ours = round->left.p, *git = theirs->p;

    for (size_t i = 0; i < round->paths.n; i += strlen(round->paths.p + i) + 1) {
        const char *path = round->paths.p + i;
        bool we = ours && strcmp(ours, path) == 0, they = git && strcmp(git, path) == 0;

        if (we)
            ours += strlen(ours) + 1;
        if (they)
            git += strlen(git) + 1;
        if (we != they) {
            fprintf(stderr, "seed %llu, %s: ", (unsigned long long)seed, round->yard->path);
            path_print(str_of(path));
            fprintf(stderr, ": git %s, we %s\n", they ? "leaves it out" : "keeps it",
                    we ? "leave it out" : "keep it");
            fail();
        }
    }
}

static int64_t nuls_in(const struct buf *buf)
{
    int64_t count = 0;

    for (size_t i = 0; i < buf->n; i++)
        count += buf->p[i] == '\0';
    return count;
}

static void round_run(struct yard *yard, uint64_t seed, int64_t *paths, int64_t *left)
{
    struct round round = {{seed}, yard, ignore_new(), {0}, {0}};
    char command[1024], work[128], list[192];
    struct buf theirs;
    int dir;

    buf_init(&round.paths, 1 << 24);
    buf_init(&round.left, 1 << 24);
    buf_init(&theirs, 1 << 24);
    snprintf(work, sizeof(work), "%s/work%llu", yard->path, (unsigned long long)seed);
    snprintf(list, sizeof(list), "%s.list", work);
    assert_int_equal(mkdir(work, 0755), 0);
    dir = open(work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    dir_fill(&round, dir, STR_NONE, 0, false);
    close(dir);
    file_put(yard->dir, list, buf_str(&round.paths));
    snprintf(command, sizeof(command),
             "git --git-dir='%s/repo' --work-tree='%s' check-ignore --no-index -z --stdin "
             "<'%s' >'%s.out'",
             yard->path, work, list, list);
    assert_true(system(command) >= 0);
    snprintf(command, sizeof(command), "%s.out", list);
    file_slurp(command, &theirs);
    lists_compare(&round, &theirs, seed);
    *paths += nuls_in(&round.paths);
    *left += nuls_in(&round.left);
    buf_clear(&round.paths);
    buf_clear(&round.left);
    buf_clear(&theirs);
    ignore_free(round.ignore);
}

static void test_git(void **state)
{
    struct yard *yard = *state;
    const char *start = getenv("TINE_SEED"), *rounds = getenv("TINE_ROUNDS");
    uint64_t seed = start && *start ? strtoull(start, NULL, 10) : 1;
    long count = rounds && *rounds ? strtol(rounds, NULL, 10) : ROUNDS;
    char command[256];
    int64_t paths = 0, left = 0;

    if (system("git --version >/dev/null 2>&1") != 0)
        skip();
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    snprintf(command, sizeof(command),
             "git init -q --bare '%s/repo' && "
             "git --git-dir='%s/repo' config core.bare false",
             yard->path, yard->path);
    assert_int_equal(system(command), 0);
    for (long i = 0; i < count; i++)
        round_run(yard, seed + (uint64_t)i, &paths, &left);
    print_message("# %ld rounds from seed %llu: %lld paths, %lld left out\n", count,
                  (unsigned long long)seed, (long long)paths, (long long)left);
    assert_true(left > paths / 20 && left < paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glob),
        cmocka_unit_test(test_glob_hostile),
        cmocka_unit_test_setup_teardown(test_built_in, setup, teardown),
        cmocka_unit_test_setup_teardown(test_own_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_exclude, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strange_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hash, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_git, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
