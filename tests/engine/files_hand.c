#include "files_hand.h"

#include "support/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 4, DEPTH_MAX = 2 * DEPTH, PATH_ROOM = 4096 };

static const char long_name[] =
    "a name of 255 bytes "
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

struct str hand_name(struct chance *chance)
{
    static const struct str names[] = {
        {"a", 1},        {"b", 1},
        {"c.txt", 5},    {"d", 1},
        {"e", 1},        {"new\nline", 8},
        {"\xff\xfe", 2}, {"two words", 9},
        {"-rf", 3},      {".hidden", 7},
        {"a.b", 3},      {"a-b", 3},
        {"\xc3\xa4", 2}, {"back\\slash", 10},
        {"a!", 2},       {long_name, 255},
        {"\x01\x7f", 2}, {"*", 1},
        {"ab", 2},       {"~", 1},
    };

    return names[chance_below(chance, (int)(sizeof(names) / sizeof(names[0])))];
}

int hand_pick(const struct files_map *map, struct chance *chance)
{
    return map->count ? chance_below(chance, (int)map->count) : -1;
}

static int depth_of(struct str path)
{
    int depth = 1;

    for (size_t i = 0; i < path.n; i++)
        depth += path.p[i] == '/';
    return depth;
}

static char *path_join(struct str dir, struct str name, size_t *n)
{
    char *path = malloc(dir.n + name.n + 2);

    assert_non_null(path);
    if (dir.n)
        memcpy(path, dir.p, dir.n);
    if (dir.n)
        path[dir.n] = '/';
    memcpy(path + dir.n + (dir.n > 0), name.p, name.n);
    *n = dir.n + (dir.n > 0) + name.n;
    path[*n] = '\0';
    return path;
}

char *hand_path(const struct files_map *map, struct chance *chance, size_t *n)
{
    struct str dir = STR("");

    for (int i = 0; i < 6 && map->count; i++) {
        const struct map_node *node = &map->nodes[hand_pick(map, chance)];

        if (node->kind == MAP_DIR && depth_of(node->path) < DEPTH)
            dir = node->path;
    }
    return path_join(chance_of(chance, 30) ? STR("") : dir, hand_name(chance), n);
}

/* ---- what may be in a file ---- */

static struct str bytes_own(const char *p, size_t n)
{
    char *own = malloc(n + 1);

    assert_non_null(own);
    memcpy(own, p, n);
    own[n] = '\0';
    return (struct str){own, n};
}

static struct str bytes_large(struct chance *chance)
{
    size_t n = (size_t)1024 * 1024 + (size_t)chance_below(chance, 300000);
    char *p = malloc(n + 1);

    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)('a' + (int)((i / 1000 + i) % 26));
    p[chance_below(chance, (int)n)] = '\0';
    return (struct str){p, n};
}

struct str hand_bytes(struct chance *chance)
{
    int numbers[CARD_NUMBERS] = {chance_below(chance, 4), chance_below(chance, 4),
                                 chance_below(chance, 4)};
    char text[CARD_BYTES];
    int what = chance_below(chance, 200), n;

    if (what < 100)
        return bytes_own(text, map_card(numbers, text));
    if (what < 150) {
        n = snprintf(text, sizeof(text), "a line that says %d", chance_below(chance, 100));
        return bytes_own(text, (size_t)n);
    }
    if (what < 175) {
        n = snprintf(text, sizeof(text), "%d", chance_below(chance, 90) + 10);
        text[n] = '\0';
        return bytes_own(text, (size_t)n + 1);
    }
    if (what < 199)
        return bytes_own("", 0);
    return bytes_large(chance);
}

/* The same file a little later. */
static struct str bytes_edited(struct str was, struct chance *chance)
{
    int numbers[CARD_NUMBERS];
    char text[CARD_BYTES], *more;

    if (chance_of(chance, 15))
        return hand_bytes(chance);
    if (map_card_read(was, numbers)) {
        numbers[chance_below(chance, CARD_NUMBERS)] = chance_below(chance, 100);
        return bytes_own(text, map_card(numbers, text));
    }
    more = malloc(was.n + 2); /* appended to, without a new line */
    assert_non_null(more);
    memcpy(more, was.p, was.n);
    if (was.n && chance_of(chance, 50)) { /* as long as before, in the same instant */
        more[was.n - 1] = (char)('0' + chance_below(chance, 10));
        return (struct str){more, was.n};
    }
    more[was.n] = (char)('a' + chance_below(chance, 26));
    return (struct str){more, was.n + 1};
}

static unsigned file_mode(struct chance *chance)
{
    static const unsigned modes[] = {0644, 0644, 0600, 0755, 0444, 04755, 02755, 01644, 06711, 0};
    unsigned mode = modes[chance_below(chance, 10)];

    return geteuid() == 0 ? mode : mode | 0600;
}

static unsigned dir_mode(struct chance *chance)
{
    static const unsigned modes[] = {0755, 0755, 0700, 01777, 02775, 0500, 0555, 0};
    unsigned mode = modes[chance_below(chance, 8)];

    return geteuid() == 0 ? mode : mode | 0700;
}

/* ---- the disk ---- */

struct hand {
    struct model_dir *dir;
    struct chance *chance;
    char *words;
    size_t room;
};

static const char *disk_path(const struct hand *hand, struct str path, char out[PATH_ROOM])
{
    int n = snprintf(out, PATH_ROOM, "%s/", hand->dir->path);

    assert_true((size_t)n + path.n < PATH_ROOM);
    memcpy(out + n, path.p, path.n);
    out[(size_t)n + path.n] = '\0';
    return out;
}

static void say(struct hand *hand, const char *what, struct str path)
{
    size_t n = strlen(hand->words);

    snprintf(hand->words + n, hand->room - n, " %s \"%.*s\"", what, path.n > 30 ? 30 : (int)path.n,
             path.p);
}

static void disk_write(const struct hand *hand, const struct map_node *node, int flags)
{
    char path[PATH_ROOM];
    int fd = open(disk_path(hand, node->path, path),
                  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, node->bytes.p, node->bytes.n), node->bytes.n);
    assert_int_equal(fchmod(fd, node->mode), 0);
    close(fd);
}

/* Removes it with all that is in it: the deepest are the last in the map. */
static void disk_remove(const struct hand *hand, struct str path)
{
    const struct files_map *map = &hand->dir->map;
    char name[PATH_ROOM];

    for (size_t i = map->count; i-- > 0;)
        if (str_is_below(map->nodes[i].path, path) && map->nodes[i].kind != MAP_DIR)
            assert_int_equal(unlink(disk_path(hand, map->nodes[i].path, name)), 0);
    for (int depth = DEPTH_MAX; depth > 0; depth--)
        for (size_t i = map->count; i-- > 0;)
            if (str_is_below(map->nodes[i].path, path) && map->nodes[i].kind == MAP_DIR &&
                depth_of(map->nodes[i].path) == depth)
                assert_int_equal(rmdir(disk_path(hand, map->nodes[i].path, name)), 0);
    assert_int_equal(remove(disk_path(hand, path, name)), 0);
}

static void take_away(struct hand *hand, struct str path)
{
    disk_remove(hand, path);
    map_remove(&hand->dir->map, path);
}

static void put_file(struct hand *hand, struct str path)
{
    struct map_node node = {.path = path,
                            .kind = MAP_FILE,
                            .mode = file_mode(hand->chance),
                            .bytes = hand_bytes(hand->chance)};

    disk_write(hand, &node, O_EXCL);
    map_put(&hand->dir->map, &node);
    free((void *)(uintptr_t)node.bytes.p);
}

static void put_dir(struct hand *hand, struct str path)
{
    struct map_node node = {.path = path, .kind = MAP_DIR, .mode = dir_mode(hand->chance)};
    char name[PATH_ROOM];

    assert_int_equal(mkdir(disk_path(hand, path, name), 0700), 0);
    assert_int_equal(chmod(name, node.mode), 0);
    map_put(&hand->dir->map, &node);
}

static void put_link(struct hand *hand, struct str path)
{
    static const char *const targets[] = {"a",    "nowhere", "../..", "/etc/passwd",
                                          "d/..", ".",       "/",     "\xff\n"};
    struct map_node node = {
        .path = path, .kind = MAP_LINK, .bytes = str_of(targets[chance_below(hand->chance, 8)])};
    char name[PATH_ROOM];

    assert_int_equal(symlink(node.bytes.p, disk_path(hand, path, name)), 0);
    map_put(&hand->dir->map, &node);
}

/* Something where nothing is. */
static void put_some(struct hand *hand, struct str path)
{
    int what = chance_below(hand->chance, 10);

    say(hand, what < 6 ? "file" : what < 8 ? "dir" : "link", path);
    if (what < 6)
        put_file(hand, path);
    else if (what < 8)
        put_dir(hand, path);
    else
        put_link(hand, path);
}

static void edit(struct hand *hand, const struct map_node *old)
{
    struct map_node node = *old;

    node.bytes = bytes_edited(old->bytes, hand->chance);
    say(hand, "edit", node.path);
    disk_write(hand, &node, O_TRUNC);
    map_put(&hand->dir->map, &node);
    free((void *)(uintptr_t)node.bytes.p);
}

static void change_mode(struct hand *hand, const struct map_node *old)
{
    struct map_node node = *old;
    char name[PATH_ROOM];

    node.mode = old->kind == MAP_DIR ? dir_mode(hand->chance) : file_mode(hand->chance);
    say(hand, "chmod", node.path);
    assert_int_equal(chmod(disk_path(hand, node.path, name), node.mode), 0);
    map_put(&hand->dir->map, &node);
}

/* How many names below one another there are from here on. */
static int height_of(const struct files_map *map, struct str path)
{
    int height = 1;

    for (size_t i = 0; i < map->count; i++)
        if (str_is_below(map->nodes[i].path, path) &&
            depth_of(map->nodes[i].path) - depth_of(path) + 1 > height)
            height = depth_of(map->nodes[i].path) - depth_of(path) + 1;
    return height;
}

static void rename_to(struct hand *hand, struct str old)
{
    struct files_map *map = &hand->dir->map;
    char from[PATH_ROOM], to[PATH_ROOM];
    size_t n;
    char *path = hand_path(map, hand->chance, &n);
    struct str new = {path, n}, kept = bytes_own(old.p, old.n);

    if (!map_find(map, new) && !str_is_below(new, kept) &&
        depth_of(new) - 1 + height_of(map, kept) <= DEPTH_MAX) {
        struct files_map before = map_copy(map);

        say(hand, "rename", kept);
        say(hand, "to", new);
        assert_int_equal(rename(disk_path(hand, kept, from), disk_path(hand, new, to)), 0);
        map_remove(map, kept);
        map_graft(map, &before, kept, new);
        map_clear(&before);
    }
    free((void *)(uintptr_t)kept.p);
    free(path);
}

static void add(struct hand *hand)
{
    size_t n;
    char *path = hand_path(&hand->dir->map, hand->chance, &n);

    if (!map_find(&hand->dir->map, (struct str){path, n}))
        put_some(hand, (struct str){path, n});
    free(path);
}

/* A file becomes a directory, a directory a link … */
static void become(struct hand *hand, struct str old)
{
    struct str path = bytes_own(old.p, old.n);

    take_away(hand, path);
    put_some(hand, path);
    free((void *)(uintptr_t)path.p);
}

void hand_change(struct model_dir *dir, struct chance *chance, char *words, size_t room)
{
    struct hand hand = {dir, chance, words, room};
    int what = chance_below(chance, 100), i = hand_pick(&dir->map, chance);
    const struct map_node *node;

    if (i < 0 || (what < 35 && dir->map.count < HAND_PATHS)) {
        add(&hand);
        return;
    }
    node = &dir->map.nodes[i];
    if (what < 60 && node->kind == MAP_FILE) {
        edit(&hand, node);
    } else if (what < 70 && node->kind != MAP_LINK) {
        change_mode(&hand, node);
    } else if (what < 78 && dir->map.count < HAND_PATHS) {
        rename_to(&hand, node->path);
    } else if (what < 84) {
        become(&hand, node->path);
    } else {
        struct str path = node->path;

        say(&hand, "remove", path);
        take_away(&hand, path);
    }
}
