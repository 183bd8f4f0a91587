#include "workspace/tree_diff.h"

#include "workspace/path.h"
#include "workspace/tree_descend.h"
#include "workspace/tree_load.h"

struct walk {
    struct store *store;
    struct buf path;
    bool dirs; /* also directories that differ in nothing but what is in them */
    bool left; /* what is not kept on one side is told once, and not gone into on the other */
    tree_change_visit *visit;
    void *context;
};

/* Goes into a name below the path; the length to go back to comes out. */
static enum fault_code path_enter(struct buf *path, struct str name, size_t *back,
                                  struct fault *fault)
{
    *back = path->n;
    if (path->n)
        buf_add_char(path, '/');
    buf_add_str(path, name);
    if (path->full)
        return fault_set(fault, FAULT_CORRUPT, "a tree is deeper than %d directories", TREE_DEPTH);
    return FAULT_OK;
}

static void path_leave(struct buf *path, size_t back)
{
    path->n = back;
    path->p[back] = '\0';
}

static enum fault_code level(struct walk *walk, const unsigned char *was, const unsigned char *is,
                             int depth, struct fault *fault);

static enum fault_code tell(struct walk *walk, const struct tree_entry *was,
                            const struct tree_entry *is, struct fault *fault)
{
    struct tree_change change = {buf_str(&walk->path), was, is};

    return walk->visit(walk->context, &change, fault);
}

/* Something that is only on one side, with all that is in it. */
static enum fault_code alone(struct walk *walk, const struct tree_entry *was,
                             const struct tree_entry *is, int depth, struct fault *fault)
{
    const struct tree_entry *there = was ? was : is;

    if (tell(walk, was, is, fault) != FAULT_OK)
        return fault_pass(fault);
    if (there->type != TREE_DIR)
        return FAULT_OK;
    return level(walk, was ? was->hash : NULL, is ? is->hash : NULL, depth + 1, fault);
}

static enum fault_code both_dirs(struct walk *walk, const struct tree_entry *was,
                                 const struct tree_entry *is, int depth, struct fault *fault)
{
    bool inside = memcmp(was->hash, is->hash, HASH_BYTES) != 0;

    if ((was->mode != is->mode || (inside && walk->dirs)) && tell(walk, was, is, fault) != FAULT_OK)
        return fault_pass(fault);
    return inside ? level(walk, was->hash, is->hash, depth + 1, fault) : FAULT_OK;
}

/* A name with what it was and what it is; one of them may be NULL. */
static enum fault_code name_look(struct walk *walk, const struct tree_entry *was,
                                 const struct tree_entry *is, int depth, struct fault *fault)
{
    enum fault_code code;
    size_t back;

    if (was && is && tree_entry_same(was, is))
        return FAULT_OK;
    if (path_enter(&walk->path, was ? was->name : is->name, &back, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!was || !is) {
        code = alone(walk, was, is, depth, fault);
    } else if (walk->left && (was->type == TREE_LEFT || is->type == TREE_LEFT)) {
        code = tell(walk, was, is, fault);
    } else if (was->type == TREE_DIR && is->type == TREE_DIR) {
        code = both_dirs(walk, was, is, depth, fault);
    } else if (was->type == TREE_DIR || is->type == TREE_DIR) {
        code = alone(walk, was, NULL, depth, fault);
        if (code == FAULT_OK)
            code = alone(walk, NULL, is, depth, fault);
    } else {
        code = tell(walk, was, is, fault);
    }
    path_leave(&walk->path, back);
    return code;
}

/* Both directories side by side, by name. */
static enum fault_code beside(struct walk *walk, struct tree_cursor *was, struct tree_cursor *is,
                              int depth, struct fault *fault)
{
    while (!was->end || !is->end) {
        int order = was->end ? 1 : is->end ? -1 : str_cmp(was->entry.name, is->entry.name);

        if (name_look(walk, order <= 0 ? &was->entry : NULL, order >= 0 ? &is->entry : NULL, depth,
                      fault) != FAULT_OK)
            return fault_pass(fault);
        if (order <= 0 && tree_cursor_next(was, fault) != FAULT_OK)
            return fault_pass(fault);
        if (order >= 0 && tree_cursor_next(is, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code level(struct walk *walk, const unsigned char *was, const unsigned char *is,
                             int depth, struct fault *fault)
{
    struct tree_cursor before, after;
    enum fault_code code;
    struct arena arena;

    if (depth > TREE_DEPTH)
        return fault_set(fault, FAULT_CORRUPT, "a tree is deeper than %d directories", TREE_DEPTH);
    arena_init(&arena);
    code = tree_cursor_open(&before, walk->store, was, &arena, fault);
    if (code == FAULT_OK)
        code = tree_cursor_open(&after, walk->store, is, &arena, fault);
    if (code == FAULT_OK)
        code = beside(walk, &before, &after, depth, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code walk_run(struct store *store, const unsigned char was[HASH_BYTES],
                                const unsigned char is[HASH_BYTES], bool dirs, bool left,
                                tree_change_visit *visit, void *context, struct fault *fault)
{
    struct walk walk = {
        .store = store, .dirs = dirs, .left = left, .visit = visit, .context = context};
    enum fault_code code;

    if (memcmp(was, is, HASH_BYTES) == 0)
        return FAULT_OK;
    buf_init(&walk.path, TREE_PATH_BYTES);
    code = level(&walk, was, is, 0, fault);
    buf_clear(&walk.path);
    return code;
}

enum fault_code tree_diff(struct store *store, const unsigned char was[HASH_BYTES],
                          const unsigned char is[HASH_BYTES], tree_change_visit *visit,
                          void *context, struct fault *fault)
{
    return walk_run(store, was, is, false, false, visit, context, fault);
}

enum fault_code tree_plan(struct store *store, const unsigned char was[HASH_BYTES],
                          const unsigned char is[HASH_BYTES], tree_change_visit *visit,
                          void *context, struct fault *fault)
{
    return walk_run(store, was, is, false, true, visit, context, fault);
}

enum fault_code tree_descend(struct store *store, const unsigned char was[HASH_BYTES],
                             const unsigned char is[HASH_BYTES], tree_change_visit *visit,
                             void *context, struct fault *fault)
{
    return walk_run(store, was, is, true, true, visit, context, fault);
}

/* ---- one tree ---- */

static enum fault_code not_there(struct str path, struct fault *fault)
{
    char shown[PATH_SHOWN];

    return fault_set(fault, FAULT_FILE_NOT_FOUND, "there is no file \"%s\"",
                     path_show(path, shown));
}

/* The name in a directory of a tree; its strings are in the arena. */
static enum fault_code name_find(struct store *store, const unsigned char *dir, struct str name,
                                 struct arena *arena, struct tree_entry *out, bool *found,
                                 struct fault *fault)
{
    struct tree_cursor cursor;

    *found = false;
    if (tree_cursor_open(&cursor, store, dir, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    while (!cursor.end && !*found) {
        *found = str_eq(cursor.entry.name, name);
        if (*found)
            *out = cursor.entry;
        else if (tree_cursor_next(&cursor, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

enum fault_code tree_find(struct store *store, const unsigned char tree[HASH_BYTES],
                          struct str path, struct arena *arena, struct tree_entry *out,
                          struct fault *fault)
{
    struct tree_entry entry = {.type = TREE_DIR, .mode = 0755};
    bool found = true;

    memcpy(entry.hash, tree, HASH_BYTES);
    for (size_t at = 0; at < path.n && found;) {
        const char *slash = memchr(path.p + at, '/', path.n - at);
        size_t n = slash ? (size_t)(slash - path.p) - at : path.n - at;

        if (entry.type != TREE_DIR)
            return not_there(path, fault);
        if (name_find(store, entry.hash, (struct str){path.p + at, n}, arena, &entry, &found,
                      fault) != FAULT_OK)
            return fault_pass(fault);
        at += n + 1;
    }
    if (!found)
        return not_there(path, fault);
    *out = entry;
    return FAULT_OK;
}

struct listing {
    struct store *store;
    struct buf path;
    bool deep;
    tree_entry_visit *visit;
    void *context;
};

static enum fault_code list_dir(struct listing *listing, const unsigned char *dir, int depth,
                                struct fault *fault);

static enum fault_code list_entry(struct listing *listing, const struct tree_entry *entry,
                                  int depth, struct fault *fault)
{
    enum fault_code code;
    size_t back;

    if (path_enter(&listing->path, entry->name, &back, fault) != FAULT_OK)
        return fault_pass(fault);
    code = listing->visit(listing->context, buf_str(&listing->path), entry, fault);
    if (code == FAULT_OK && listing->deep && entry->type == TREE_DIR)
        code = list_dir(listing, entry->hash, depth + 1, fault);
    path_leave(&listing->path, back);
    return code;
}

static enum fault_code list_dir(struct listing *listing, const unsigned char *dir, int depth,
                                struct fault *fault)
{
    struct tree_cursor cursor;
    enum fault_code code;
    struct arena arena;

    if (depth > TREE_DEPTH)
        return fault_set(fault, FAULT_CORRUPT, "a tree is deeper than %d directories", TREE_DEPTH);
    arena_init(&arena);
    code = tree_cursor_open(&cursor, listing->store, dir, &arena, fault);
    while (code == FAULT_OK && !cursor.end) {
        code = list_entry(listing, &cursor.entry, depth, fault);
        if (code == FAULT_OK)
            code = tree_cursor_next(&cursor, fault);
    }
    arena_clear(&arena);
    return code;
}

enum fault_code tree_list(struct store *store, const unsigned char tree[HASH_BYTES],
                          struct str path, bool deep, tree_entry_visit *visit, void *context,
                          struct fault *fault)
{
    struct listing listing = {.store = store, .deep = deep, .visit = visit, .context = context};
    struct tree_entry entry;
    enum fault_code code;
    struct arena arena;

    arena_init(&arena);
    code = tree_find(store, tree, path, &arena, &entry, fault);
    arena_clear(&arena);
    if (code != FAULT_OK)
        return code;
    if (entry.type != TREE_DIR) {
        char shown[PATH_SHOWN];

        return fault_set(fault, FAULT_PATH_INVALID, "\"%s\" is not a directory",
                         path_show(path, shown));
    }
    buf_init(&listing.path, TREE_PATH_BYTES);
    buf_add_str(&listing.path, path);
    code = list_dir(&listing, entry.hash, 0, fault);
    buf_clear(&listing.path);
    return code;
}

/* ---- files ---- */

struct whole {
    char *p;
    size_t n;
};

static enum fault_code whole_add(void *context, struct str bytes, struct fault *fault)
{
    struct whole *whole = context;

    (void)fault;
    if (bytes.n)
        memcpy(whole->p + whole->n, bytes.p, bytes.n);
    whole->n += bytes.n;
    return FAULT_OK;
}

enum fault_code tree_file(struct store *store, const struct tree_entry *entry, int64_t max,
                          struct arena *arena, struct str *out, struct fault *fault)
{
    struct whole whole = {0};

    if (!tree_is_file(entry->type))
        return fault_set(fault, FAULT_PATH_INVALID, "it is not a file that is kept");
    if (entry->size > max)
        return fault_set(fault, FAULT_TOO_LARGE, "the file has more than %lld bytes",
                         (long long)max);
    whole.p = arena_alloc(arena, (size_t)entry->size + 1);
    if (tree_load_file(store, entry, whole_add, &whole, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (struct str){whole.p, whole.n};
    return FAULT_OK;
}
