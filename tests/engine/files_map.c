#include "files_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct str own(struct str s)
{
    char *p = malloc(s.n + 1);

    if (!p)
        abort();
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (struct str){p, s.n};
}

static void give_back(struct str s)
{
    free((void *)(uintptr_t)s.p);
}

static void node_clear(struct map_node *node)
{
    give_back(node->path);
    give_back(node->bytes);
}

static struct map_node node_copy(const struct map_node *node)
{
    struct map_node copy = *node;

    copy.path = own(node->path);
    copy.bytes = own(node->bytes);
    return copy;
}

void map_clear(struct files_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        node_clear(&map->nodes[i]);
    free(map->nodes);
    *map = (struct files_map){0};
}

struct files_map map_copy(const struct files_map *from)
{
    struct files_map map = {.count = from->count, .room = from->count};

    if (!from->count)
        return map;
    map.nodes = malloc(from->count * sizeof(*map.nodes));
    if (!map.nodes)
        abort();
    for (size_t i = 0; i < from->count; i++)
        map.nodes[i] = node_copy(&from->nodes[i]);
    return map;
}

/* Where the path is, or would be. */
static size_t map_place(const struct files_map *map, struct str path)
{
    size_t low = 0, high = map->count;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (str_cmp(map->nodes[mid].path, path) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct map_node *map_find(const struct files_map *map, struct str path)
{
    size_t i = map_place(map, path);

    return i < map->count && str_eq(map->nodes[i].path, path) ? &map->nodes[i] : NULL;
}

void map_put(struct files_map *map, const struct map_node *node)
{
    size_t i = map_place(map, node->path);
    struct map_node copy = node_copy(node);

    if (i < map->count && str_eq(map->nodes[i].path, node->path)) {
        node_clear(&map->nodes[i]);
        map->nodes[i] = copy;
        return;
    }
    if (map->count == map->room) {
        map->room = map->room ? map->room * 2 : 16;
        map->nodes = realloc(map->nodes, map->room * sizeof(*map->nodes));
        if (!map->nodes)
            abort();
    }
    memmove(&map->nodes[i + 1], &map->nodes[i], (map->count - i) * sizeof(*map->nodes));
    map->nodes[i] = copy;
    map->count++;
}

bool str_is_below(struct str path, struct str directory)
{
    if (directory.n == 0)
        return path.n > 0;
    return path.n > directory.n && path.p[directory.n] == '/' && str_starts(path, directory);
}

bool map_has_below(const struct files_map *map, struct str path)
{
    for (size_t i = 0; i < map->count; i++)
        if (str_is_below(map->nodes[i].path, path))
            return true;
    return false;
}

void map_remove(struct files_map *map, struct str path)
{
    struct str gone = own(path); /* it may be one of the map's own */
    size_t to = 0;

    for (size_t i = 0; i < map->count; i++) {
        if (str_eq(map->nodes[i].path, gone) || str_is_below(map->nodes[i].path, gone))
            node_clear(&map->nodes[i]);
        else
            map->nodes[to++] = map->nodes[i];
    }
    map->count = to;
    give_back(gone);
}

void map_graft(struct files_map *map, const struct files_map *from, struct str path, struct str to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct map_node node = from->nodes[i];
        struct str rest;
        char *moved;

        if (!str_eq(node.path, path) && !str_is_below(node.path, path))
            continue;
        rest = (struct str){node.path.p + path.n, node.path.n - path.n};
        moved = malloc(to.n + rest.n + 1);
        if (!moved)
            abort();
        memcpy(moved, to.p, to.n);
        memcpy(moved + to.n, rest.p, rest.n);
        node.path = (struct str){moved, to.n + rest.n};
        map_put(map, &node);
        free(moved);
    }
}

bool map_node_same(const struct map_node *a, const struct map_node *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && a->mode == b->mode && str_eq(a->bytes, b->bytes);
}

bool map_same(const struct files_map *a, const struct files_map *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!str_eq(a->nodes[i].path, b->nodes[i].path) ||
            !map_node_same(&a->nodes[i], &b->nodes[i]))
            return false;
    return true;
}

bool map_differs(const struct files_map *a, const struct files_map *b, struct str path)
{
    return !map_node_same(map_find(a, path), map_find(b, path));
}

static void words(const struct map_node *node, char *out, size_t room)
{
    static const char *const kinds[] = {"file", "directory", "link"};

    if (node)
        snprintf(out, room, "%s %04o, %zu bytes \"%.*s\"", kinds[node->kind], node->mode,
                 node->bytes.n, node->bytes.n > 80 ? 80 : (int)node->bytes.n, node->bytes.p);
    else
        snprintf(out, room, "nothing");
}

static void path_print(struct str path, char *out, size_t room)
{
    size_t at = 0;

    for (size_t i = 0; i < path.n && at + 5 < room; i++) {
        unsigned char c = (unsigned char)path.p[i];

        if (c >= ' ' && c < 127)
            out[at++] = (char)c;
        else
            at += (size_t)snprintf(out + at, room - at, "\\x%02x", c);
    }
    out[at] = '\0';
}

const char *map_difference(const struct files_map *got, const struct files_map *want, char *out,
                           size_t room)
{
    struct map_paths paths = {0};
    char one[200], other[200], path[300];

    out[0] = '\0';
    map_diff(got, want, &paths);
    if (paths.count) {
        words(map_find(got, paths.list[0]), one, sizeof(one));
        words(map_find(want, paths.list[0]), other, sizeof(other));
        path_print(paths.list[0], path, sizeof(path));
        snprintf(out, room, "\"%s\" is %s, and should be %s (%zu paths differ)", path, one, other,
                 paths.count);
    }
    map_paths_clear(&paths);
    return out;
}

/* ---- the disk ---- */

static bool file_read(int dir, const char *name, struct map_node *node)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    size_t room = 1024, n = 0;
    char *bytes = malloc(room);
    ssize_t got;

    if (!bytes)
        abort();
    while (fd >= 0 && (got = read(fd, bytes + n, room - n)) > 0) {
        n += (size_t)got;
        if (n == room && !(bytes = realloc(bytes, room *= 2)))
            abort();
    }
    node->bytes = (struct str){bytes, n};
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool link_read(int dir, const char *name, struct map_node *node)
{
    char *bytes = malloc(5000);
    ssize_t n = bytes ? readlinkat(dir, name, bytes, 5000) : -1;

    node->bytes = (struct str){bytes, n < 0 ? 0 : (size_t)n};
    return n >= 0;
}

static bool dir_scan(int fd, struct str prefix, struct files_map *out);

static bool name_scan(int dir, const char *name, struct str path, struct files_map *out)
{
    struct map_node node = {.path = path};
    struct stat stat;
    bool good = false;

    if (fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    node.mode = stat.st_mode & 07777;
    if (S_ISREG(stat.st_mode)) {
        good = file_read(dir, name, &node);
    } else if (S_ISLNK(stat.st_mode)) {
        node.kind = MAP_LINK;
        node.mode = 0;
        good = link_read(dir, name, &node);
    } else if (S_ISDIR(stat.st_mode)) {
        node.kind = MAP_DIR;
        good =
            dir_scan(openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path, out);
    }
    if (good)
        map_put(out, &node);
    give_back(node.bytes);
    return good;
}

static bool dir_scan(int fd, struct str prefix, struct files_map *out)
{
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    bool good = stream != NULL;

    while (good && (entry = readdir(stream))) {
        size_t n = strlen(entry->d_name);
        char *path;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (prefix.n == 0 && strcmp(entry->d_name, MAP_IGNORED) == 0))
            continue;
        path = malloc(prefix.n + n + 2);
        if (!path)
            abort();
        memcpy(path, prefix.p, prefix.n);
        if (prefix.n)
            path[prefix.n] = '/';
        memcpy(path + prefix.n + (prefix.n > 0), entry->d_name, n);
        good = name_scan(dirfd(stream), entry->d_name,
                         (struct str){path, prefix.n + n + (prefix.n > 0)}, out);
        free(path);
    }
    if (stream)
        closedir(stream);
    return good;
}

bool map_scan(const char *directory, struct files_map *out)
{
    *out = (struct files_map){0};
    return dir_scan(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), STR(""), out);
}

/* ---- paths ---- */

bool map_paths_have(const struct map_paths *paths, struct str path)
{
    for (size_t i = 0; i < paths->count; i++)
        if (str_eq(paths->list[i], path))
            return true;
    return false;
}

void map_paths_add(struct map_paths *paths, struct str path)
{
    if (paths->count == paths->room) {
        paths->room = paths->room ? paths->room * 2 : 16;
        paths->list = realloc(paths->list, paths->room * sizeof(*paths->list));
        if (!paths->list)
            abort();
    }
    paths->list[paths->count++] = own(path);
}

void map_paths_clear(struct map_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        give_back(paths->list[i]);
    free(paths->list);
    *paths = (struct map_paths){0};
}

void map_diff(const struct files_map *a, const struct files_map *b, struct map_paths *out)
{
    for (size_t i = 0; i < a->count; i++)
        if (!map_node_same(&a->nodes[i], map_find(b, a->nodes[i].path)))
            map_paths_add(out, a->nodes[i].path);
    for (size_t i = 0; i < b->count; i++)
        if (!map_find(a, b->nodes[i].path))
            map_paths_add(out, b->nodes[i].path);
}
