#include "scene.h"

#include "support/check.h"
#include "support/rig.h"
#include "workspace/tree_put.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATHS = 8, PATH_BYTES = 8192, DEPTH = 4, NAMES_MAX = 4096 };

const char *scene_path(const char *dir, const char *below)
{
    static _Thread_local char paths[PATHS][PATH_BYTES];
    static _Thread_local unsigned next;
    char *path = paths[next++ % PATHS];

    snprintf(path, PATH_BYTES, "%s/%s", dir, below);
    return path;
}

void scene_write(const char *path, struct str content, unsigned mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);

    if (fd < 0)
        print_error("%s: %s\n", path, strerror(errno));
    assert_true(fd >= 0);
    while (content.n) {
        ssize_t n = write(fd, content.p, content.n);

        assert_true(n > 0);
        content.p += n;
        content.n -= (size_t)n;
    }
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

struct str scene_read(const char *path, struct arena *arena)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW);
    struct stat stat;
    char *bytes;
    size_t got = 0;
    ssize_t n;

    assert_true(fd >= 0 && fstat(fd, &stat) == 0);
    bytes = arena_alloc(arena, (size_t)stat.st_size + 1);
    while ((n = read(fd, bytes + got, (size_t)stat.st_size - got)) > 0)
        got += (size_t)n;
    close(fd);
    return (struct str){bytes, got};
}

static void run(const char *program, const char *a, const char *b, const char *c)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        execlp(program, program, a, b, c, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

void scene_copy(const char *from, const char *to)
{
    scene_remove(to);
    run("cp", "-a", from, to);
}

void scene_remove(const char *path)
{
    run("rm", "-rf", "--", path);
}

/* ---- chance ---- */

static const char *const names[] = {"a",        "b",          "c",       "a.txt",
                                    "a-b",      "ü",          "no\nw",   "two words",
                                    "\xff\xfe", "\"quoted\"", "back\\s", "-dash"};
enum { NAME_COUNT = sizeof(names) / sizeof(*names) };

/* A path of chance: into directories that are there, or one name further. */
static void path_draw(const char *dir, struct chance *chance, char path[PATH_BYTES])
{
    struct stat stat;

    snprintf(path, PATH_BYTES, "%s", dir);
    for (int depth = 0; depth < DEPTH; depth++) {
        size_t n = strlen(path);

        snprintf(path + n, PATH_BYTES - n, "/%s", names[chance_below(chance, NAME_COUNT)]);
        if (lstat(path, &stat) != 0 || !S_ISDIR(stat.st_mode) || chance_of(chance, 30))
            return;
    }
}

static void file_stir(const char *path, struct chance *chance)
{
    static const unsigned modes[] = {0644, 0644, 0755, 0600, 0444, 04755, 02750, 01777};
    size_t lines = (size_t)chance_below(chance, 60), n;
    char *bytes;
    struct buf text;

    buf_init(&text, 8 * 1024 * 1024);
    if (chance_of(chance, 3)) { /* kept in pieces */
        bytes = buf_extend(&text, n = 1024 * 1024 + (size_t)chance_below(chance, 2000000));
        memset(bytes, 0, n);
        for (size_t i = 0; i < n; i += 1000)
            bytes[i] = (char)chance_next(chance);
    } else {
        for (size_t i = 0; i < lines; i++)
            buf_add_format(&text, "line %d\n", chance_below(chance, 12));
        if (chance_of(chance, 20))
            buf_add_text(&text, "no newline at the end");
        if (chance_of(chance, 10))
            buf_add(&text, "\0binary", 7);
    }
    unlink(path);
    scene_write(path, buf_str(&text), modes[chance_below(chance, 8)]);
    buf_clear(&text);
}

static void mode_stir(const char *path, const struct stat *stat, struct chance *chance)
{
    static const unsigned modes[] = {0755, 0700, 0750, 0555, 01777, 02755};

    if (S_ISDIR(stat->st_mode))
        assert_int_equal(chmod(path, modes[chance_below(chance, 6)]), 0);
    else if (S_ISREG(stat->st_mode))
        assert_int_equal(chmod(path, chance_of(chance, 50) ? 0640 : 0711), 0);
}

static void step(const char *dir, struct chance *chance)
{
    char path[PATH_BYTES], other[PATH_BYTES];
    int what = chance_below(chance, 100);
    struct stat stat;
    bool there;

    path_draw(dir, chance, path);
    there = lstat(path, &stat) == 0;
    if (what < 15 && there) {
        scene_remove(path);
    } else if (what < 30 && there) {
        mode_stir(path, &stat, chance);
    } else if (what < 38 && there) {
        path_draw(dir, chance, other);
        (void)!rename(path, other); /* it may be its own directory */
    } else if (what < 55) {
        if (there && chance_of(chance, 50))
            scene_remove(path);
        (void)!mkdir(path, 0755);
    } else if (what < 65) {
        if (there)
            scene_remove(path);
        (void)!symlink(names[chance_below(chance, NAME_COUNT)], path);
    } else {
        if (there && !S_ISREG(stat.st_mode))
            scene_remove(path);
        file_stir(path, chance);
    }
}

void scene_stir(const char *dir, struct chance *chance, int steps)
{
    for (int i = 0; i < steps; i++)
        step(dir, chance);
}

/* ---- comparing ---- */

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory in the order of their bytes. */
static size_t names_of(const char *path, struct arena *arena, const char **out)
{
    DIR *stream = opendir(path);
    const struct dirent *entry;
    size_t count = 0;

    if (!stream)
        print_error("%s: %s\n", path, strerror(errno));
    assert_non_null(stream);
    while ((entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_true(count < NAMES_MAX);
        out[count++] = arena_dup(arena, str_of(entry->d_name)).p;
    }
    closedir(stream);
    qsort(out, count, sizeof(*out), name_order);
    return count;
}

static bool differs(const char *a, const char *b, const char *how)
{
    print_message("%s and %s differ: %s\n", a, b, how);
    return false;
}

static bool dirs_same(const char *a, const char *b)
{
    const char **in_a = calloc(NAMES_MAX, sizeof(*in_a)), **in_b = calloc(NAMES_MAX, sizeof(*in_b));
    struct arena arena;
    size_t count;
    bool same;

    arena_init(&arena);
    count = names_of(a, &arena, in_a);
    same = names_of(b, &arena, in_b) == count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(in_a[i], in_b[i]) == 0;
    if (!same)
        differs(a, b, "names");
    for (size_t i = 0; same && i < count; i++) {
        struct str one = arena_printf(&arena, "%s/%s", a, in_a[i]);
        struct str other = arena_printf(&arena, "%s/%s", b, in_b[i]);

        same = scene_same(one.p, other.p);
    }
    arena_clear(&arena);
    free(in_a);
    free(in_b);
    return same;
}

static bool links_same(const char *a, const char *b)
{
    char one[PATH_BYTES], other[PATH_BYTES];
    ssize_t n = readlink(a, one, sizeof(one)), m = readlink(b, other, sizeof(other));

    return (n > 0 && n == m && memcmp(one, other, (size_t)n) == 0) || differs(a, b, "target");
}

static bool files_same(const char *a, const char *b)
{
    struct arena arena;
    bool same;

    arena_init(&arena);
    same = str_eq(scene_read(a, &arena), scene_read(b, &arena));
    arena_clear(&arena);
    return same || differs(a, b, "content");
}

/* The mode of the topmost directories is not compared: no tree has it. */
bool scene_same(const char *a, const char *b)
{
    static _Thread_local int depth;
    struct stat one, other;
    bool same = true;

    assert_int_equal(lstat(a, &one), 0);
    assert_int_equal(lstat(b, &other), 0);
    if (depth == 0 ? (one.st_mode & S_IFMT) != (other.st_mode & S_IFMT)
                   : one.st_mode != other.st_mode)
        return differs(a, b, "mode");
    depth++;
    if (S_ISDIR(one.st_mode))
        same = dirs_same(a, b);
    else if (S_ISLNK(one.st_mode))
        same = links_same(a, b);
    else if (S_ISREG(one.st_mode))
        same = files_same(a, b);
    depth--;
    return same;
}

bool scene_has_name(const char *dir, const char *start)
{
    const char **in = calloc(NAMES_MAX, sizeof(*in));
    struct arena arena;
    bool has = false;
    size_t count;

    arena_init(&arena);
    count = names_of(dir, &arena, in);
    for (size_t i = 0; i < count && !has; i++) {
        struct str path = arena_printf(&arena, "%s/%s", dir, in[i]);
        struct stat stat;

        has = strncmp(in[i], start, strlen(start)) == 0 ||
              (lstat(path.p, &stat) == 0 && S_ISDIR(stat.st_mode) && scene_has_name(path.p, start));
    }
    arena_clear(&arena);
    free(in);
    return has;
}

/* ---- trees ---- */

static void tree_make(struct tree_put *put, const char *dir, unsigned char out[HASH_BYTES]);

static void entry_fill(struct tree_put *put, const char *path, struct arena *arena,
                       struct tree_entry *entry)
{
    struct fault fault;
    struct stat stat;

    assert_int_equal(lstat(path, &stat), 0);
    entry->mode = stat.st_mode & TREE_MODE;
    if (S_ISDIR(stat.st_mode)) {
        entry->type = TREE_DIR;
        tree_make(put, path, entry->hash);
    } else if (S_ISLNK(stat.st_mode)) {
        char *target = arena_alloc(arena, TREE_TARGET_BYTES);

        entry->type = TREE_LINK;
        entry->mode = 0;
        entry->target = (struct str){target, (size_t)readlink(path, target, TREE_TARGET_BYTES)};
    } else if (S_ISREG(stat.st_mode)) {
        CHECK_OK(tree_put_content(put, scene_read(path, arena), entry, &fault), &fault);
    } else {
        entry->type = TREE_LEFT;
        entry->left = LEFT_SPECIAL;
        entry->mode = 0;
    }
}

static void tree_make(struct tree_put *put, const char *dir, unsigned char out[HASH_BYTES])
{
    const char **in = calloc(NAMES_MAX, sizeof(*in));
    struct arena arena;
    struct fault fault;
    struct buf bytes;
    size_t count;

    arena_init(&arena);
    buf_init(&bytes, OBJECT_DIR_BYTES);
    count = names_of(dir, &arena, in);
    for (size_t i = 0; i < count; i++) {
        struct tree_entry entry = {.name = str_of(in[i])};

        entry_fill(put, arena_printf(&arena, "%s/%s", dir, in[i]).p, &arena, &entry);
        tree_add(&bytes, &entry);
    }
    CHECK_OK(tree_put_add(put, OBJECT_DIR, buf_str(&bytes), out, &fault), &fault);
    buf_clear(&bytes);
    arena_clear(&arena);
    free(in);
}

void scene_tree(struct store *store, const char *dir, unsigned char out[HASH_BYTES])
{
    struct tree_put *put = tree_put_new(store);
    struct fault fault;

    tree_make(put, dir, out);
    CHECK_OK(tree_put_finish(put, &fault), &fault);
    tree_put_free(put);
}
