/*
 * A directory as a plain list of paths with what is there, copied and compared as a whole: the
 * other opinion on what the files of a session are. Knows nothing of trees and objects.
 */
#ifndef ENGINE_FILES_MAP_H
#define ENGINE_FILES_MAP_H

#include "base/str.h"

#include <stddef.h>

enum map_kind { MAP_FILE, MAP_DIR, MAP_LINK };

struct map_node {
    struct str path; /* any bytes */
    enum map_kind kind;
    unsigned mode;    /* 0 of a link */
    struct str bytes; /* of a file, or where a link leads */
};

/* In the order of the paths' bytes. Owns its strings. */
struct files_map {
    struct map_node *nodes;
    size_t count, room;
};

void map_clear(struct files_map *map);
struct files_map map_copy(const struct files_map *from);

const struct map_node *map_find(const struct files_map *map, struct str path); /* NULL: nothing */
void map_put(struct files_map *map, const struct map_node *node); /* in place of what is there */
void map_remove(struct files_map *map, struct str path);          /* with all that is in it */
bool map_has_below(const struct files_map *map, struct str path);

/* Copies what `from` has at the path, and below it, to the same or another path. */
void map_graft(struct files_map *map, const struct files_map *from, struct str path, struct str to);

bool map_node_same(const struct map_node *a, const struct map_node *b); /* but for the path */
bool map_same(const struct files_map *a, const struct files_map *b);

/* The first path in which they differ, in words; empty when they do not. */
const char *map_difference(const struct files_map *got, const struct files_map *want, char *out,
                           size_t room);

/* Is the path another thing in the one than in the other? Directories differ by mode alone. */
bool map_differs(const struct files_map *a, const struct files_map *b, struct str path);

/* A name that no snapshot takes in: it is passed over in the topmost directory, too. */
#define MAP_IGNORED "node_modules"

/* What is in a directory of the disk; false with errno when it cannot be read. */
bool map_scan(const char *directory, struct files_map *out);

/* Some paths, in order, each once. */
struct map_paths {
    struct str *list;
    size_t count, room;
};

void map_paths_add(struct map_paths *paths, struct str path);
void map_paths_clear(struct map_paths *paths);
bool map_paths_have(const struct map_paths *paths, struct str path);

/* Every path that differs between the two. */
void map_diff(const struct files_map *a, const struct files_map *b, struct map_paths *out);

bool str_is_below(struct str path, struct str directory); /* "" is above all */

/* ---- merging ---- */

/*
 * What comes of ours and theirs since `base`, theirs winning where both changed the same; and the
 * paths where both did, each as often as something clashes there. Texts that both changed must be
 * cards (map_card) or have one line.
 */
void map_merge(const struct files_map *base, const struct files_map *ours,
               const struct files_map *theirs, struct files_map *out, struct map_paths *clashes);

/* A text of nine lines of which the lines 0, 4 and 8 say a number each. */
enum { CARD_NUMBERS = 3, CARD_BYTES = 256 };
size_t map_card(const int numbers[CARD_NUMBERS], char out[CARD_BYTES]);
bool map_card_read(struct str bytes, int numbers[CARD_NUMBERS]);

#endif
