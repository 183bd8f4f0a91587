/* The rules of a merge, said once more and as plainly as they go. */
#include "files_map.h"

#include <stdio.h>
#include <stdlib.h>

struct merging {
    const struct files_map *base, *ours, *theirs;
    struct files_map *out;
    struct map_paths *clashes;
};

size_t map_card(const int numbers[CARD_NUMBERS], char out[CARD_BYTES])
{
    int n = 0;

    for (int line = 0; line < 9; line++)
        n += line % 4 == 0
                 ? snprintf(out + n, CARD_BYTES - (size_t)n, "number %d\n", numbers[line / 4])
                 : snprintf(out + n, CARD_BYTES - (size_t)n, "line %d stays\n", line);
    return (size_t)n;
}

bool map_card_read(struct str bytes, int numbers[CARD_NUMBERS])
{
    char whole[CARD_BYTES], again[CARD_BYTES];

    if (bytes.n >= CARD_BYTES)
        return false;
    memcpy(whole, bytes.p, bytes.n);
    whole[bytes.n] = '\0';
    if (sscanf(whole,
               "number %d line 1 stays line 2 stays line 3 stays "
               "number %d line 5 stays line 6 stays line 7 stays number %d",
               &numbers[0], &numbers[1], &numbers[2]) != 3)
        return false;
    return str_eq(bytes, (struct str){again, map_card(numbers, again)});
}

/* The same, with everything below it. */
static bool deep_same(const struct files_map *a, const struct files_map *b, struct str path)
{
    if (map_differs(a, b, path))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (str_is_below(a->nodes[i].path, path) && map_differs(a, b, a->nodes[i].path))
            return false;
    for (size_t i = 0; i < b->count; i++)
        if (str_is_below(b->nodes[i].path, path) && map_differs(a, b, b->nodes[i].path))
            return false;
    return true;
}

static bool is_kind(const struct map_node *node, enum map_kind kind)
{
    return node && node->kind == kind;
}

static unsigned merge_mode(struct merging *merging, const struct map_node *base,
                           const struct map_node *ours, const struct map_node *theirs)
{
    bool known = base && base->kind == ours->kind;

    if (ours->mode == theirs->mode)
        return ours->mode;
    if (known && base->mode == theirs->mode)
        return ours->mode;
    if (!known || base->mode != ours->mode)
        map_paths_add(merging->clashes, ours->path);
    return theirs->mode;
}

/* Both changed a text. True when it can be merged line by line; `out` is theirs where it cannot. */
static bool merge_lines(const struct map_node *base, const struct map_node *ours,
                        const struct map_node *theirs, char out[CARD_BYTES], size_t *n)
{
    int b[CARD_NUMBERS], o[CARD_NUMBERS], t[CARD_NUMBERS];
    bool clean = true;

    *n = 0;
    if (!map_card_read(base->bytes, b) || !map_card_read(ours->bytes, o) ||
        !map_card_read(theirs->bytes, t))
        return false;
    for (int i = 0; i < CARD_NUMBERS; i++) {
        clean = clean && (o[i] == b[i] || t[i] == b[i] || o[i] == t[i]);
        if (t[i] == b[i])
            t[i] = o[i];
    }
    *n = map_card(t, out);
    return clean;
}

static void merge_files(struct merging *merging, const struct map_node *base,
                        const struct map_node *ours, const struct map_node *theirs)
{
    struct map_node node = *theirs;
    char card[CARD_BYTES];
    size_t n = 0;

    if (!is_kind(base, MAP_FILE))
        base = NULL;
    node.mode = merge_mode(merging, base, ours, theirs);
    if (base && str_eq(base->bytes, theirs->bytes)) {
        node.bytes = ours->bytes;
    } else if (!str_eq(ours->bytes, theirs->bytes) &&
               (!base || !str_eq(base->bytes, ours->bytes))) {
        if (!base || !merge_lines(base, ours, theirs, card, &n))
            map_paths_add(merging->clashes, node.path);
        if (n)
            node.bytes = (struct str){card, n};
    }
    map_put(merging->out, &node);
}

static void merge_inside(struct merging *merging, struct str dir);

/* A directory on one side or both, and nothing else on the other. */
static void merge_dirs(struct merging *merging, const struct map_node *base,
                       const struct map_node *ours, const struct map_node *theirs)
{
    struct map_node node = theirs ? *theirs : *ours;

    if (ours && theirs)
        node.mode = merge_mode(merging, is_kind(base, MAP_DIR) ? base : NULL, ours, theirs);
    merge_inside(merging, node.path);
    if ((!ours || !theirs) && is_kind(base, MAP_DIR) && !map_has_below(merging->out, node.path)) {
        if (node.mode == base->mode)
            return; /* deleted by one, not changed by the other */
        map_paths_add(merging->clashes, node.path);
        if (!theirs)
            return;
    }
    map_put(merging->out, &node);
}

/* Has one side changed nothing in a directory but that some of it is deleted? */
static bool only_deleted(const struct files_map *base, const struct files_map *side, struct str dir)
{
    for (size_t i = 0; i < side->count; i++)
        if (str_is_below(side->nodes[i].path, dir) && map_differs(base, side, side->nodes[i].path))
            return false;
    return true;
}

/* Both made something else of it. True when the one is in nobody's way. */
static bool merge_kinds(const struct merging *merging, struct str path,
                        const struct files_map **wins)
{
    const struct map_node *ours = map_find(merging->ours, path);
    const struct map_node *theirs = map_find(merging->theirs, path);

    *wins = merging->theirs;
    if (!is_kind(map_find(merging->base, path), MAP_DIR))
        return false;
    if (!ours || !theirs) { /* the directory went on both sides */
        *wins = ours ? merging->ours : merging->theirs;
        return true;
    }
    if (is_kind(ours, MAP_DIR))
        return only_deleted(merging->base, merging->ours, path);
    if (!is_kind(theirs, MAP_DIR) || !only_deleted(merging->base, merging->theirs, path))
        return false;
    *wins = merging->ours;
    return true;
}

static void merge_path(struct merging *merging, struct str path)
{
    const struct map_node *base = map_find(merging->base, path);
    const struct map_node *ours = map_find(merging->ours, path);
    const struct map_node *theirs = map_find(merging->theirs, path);
    const struct files_map *wins;

    if (deep_same(merging->ours, merging->theirs, path) ||
        deep_same(merging->base, merging->theirs, path)) {
        map_graft(merging->out, merging->ours, path, path);
    } else if ((!ours || ours->kind == MAP_DIR) && (!theirs || theirs->kind == MAP_DIR)) {
        merge_dirs(merging, base, ours, theirs);
    } else if (deep_same(merging->base, merging->ours, path)) {
        map_graft(merging->out, merging->theirs, path, path);
    } else if (is_kind(ours, MAP_FILE) && is_kind(theirs, MAP_FILE)) {
        merge_files(merging, base, ours, theirs);
    } else {
        if (!merge_kinds(merging, path, &wins))
            map_paths_add(merging->clashes, path);
        map_graft(merging->out, wins, path, path);
    }
}

/* The paths right below a directory that one of the three has, each once. */
static void names_below(const struct files_map *map, struct str dir, struct map_paths *out)
{
    for (size_t i = 0; i < map->count; i++) {
        struct str path = map->nodes[i].path;
        size_t from = dir.n + (dir.n > 0);

        if (str_is_below(path, dir) && !memchr(path.p + from, '/', path.n - from) &&
            !map_paths_have(out, path))
            map_paths_add(out, path);
    }
}

static void merge_inside(struct merging *merging, struct str dir)
{
    struct map_paths names = {0};

    names_below(merging->base, dir, &names);
    names_below(merging->ours, dir, &names);
    names_below(merging->theirs, dir, &names);
    for (size_t i = 0; i < names.count; i++)
        merge_path(merging, names.list[i]);
    map_paths_clear(&names);
}

void map_merge(const struct files_map *base, const struct files_map *ours,
               const struct files_map *theirs, struct files_map *out, struct map_paths *clashes)
{
    struct merging merging = {base, ours, theirs, out, clashes};

    *out = (struct files_map){0};
    merge_inside(&merging, STR(""));
}
