/*
 * A tree with some paths changed. Only the directories on the way to an edit are read and written
 * anew; at any time one directory of each level is in memory.
 */
#include "workspace/path.h"
#include "workspace/tree_diff.h"
#include "workspace/tree_load.h"
#include "workspace/tree_put.h"

enum { DIR_MODE = 0755 };

/* The edits in one directory, which begins at `skip` in their paths. */
struct group {
    const struct tree_edit *edits;
    size_t count, skip;
};

static struct str edit_name(const struct group *group, size_t i)
{
    struct str path = group->edits[i].path;
    const char *from = path.p + group->skip;
    const char *slash = memchr(from, '/', path.n - group->skip);

    return (struct str){from, slash ? (size_t)(slash - from) : path.n - group->skip};
}

static bool edit_is_at(const struct group *group, size_t i, struct str name)
{
    return group->edits[i].path.n == group->skip + name.n;
}

/* Takes the edits of the first name off. */
static struct group name_take(struct group *group, struct str *name)
{
    struct group one = *group;

    *name = edit_name(group, 0);
    for (one.count = 1; one.count < group->count; one.count++)
        if (!str_eq(edit_name(group, one.count), *name))
            break;
    group->edits += one.count;
    group->count -= one.count;
    return one;
}

static enum fault_code dir_edit(struct store *store, struct tree_put *put, const unsigned char *dir,
                                struct group group, int depth, unsigned char out[HASH_BYTES],
                                struct fault *fault);

/* What stands at a name, or nothing. */
struct held {
    bool there;
    struct tree_entry entry;
};

static void put_at(struct held *held, const struct tree_entry *is, struct str name)
{
    if (!is) {
        held->there = false;
    } else if (is->type == TREE_DIR) {
        if (!held->there || held->entry.type != TREE_DIR) {
            held->entry = (struct tree_entry){.type = TREE_DIR};
            memcpy(held->entry.hash, tree_empty, HASH_BYTES);
        }
        held->entry.mode = is->mode;
        held->there = true;
    } else {
        held->entry = *is;
        held->there = true;
    }
    held->entry.name = name;
}

/* Does any of them put something there? */
static bool puts_any(const struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->edits[i].is)
            return true;
    return false;
}

static enum fault_code put_below(struct store *store, struct tree_put *put, struct held *held,
                                 struct group below, int depth, struct fault *fault)
{
    bool is_dir = held->there && held->entry.type == TREE_DIR;
    char shown[PATH_SHOWN];

    if (!is_dir && !puts_any(&below))
        return FAULT_OK;
    if (held->there && !is_dir)
        return fault_set(fault, FAULT_PATH_INVALID, "a file is in the way of \"%s\"",
                         path_show(below.edits[0].path, shown));
    if (!held->there)
        put_at(held, &(struct tree_entry){.type = TREE_DIR, .mode = DIR_MODE}, held->entry.name);
    below.skip += held->entry.name.n + 1;
    return dir_edit(store, put, held->entry.hash, below, depth + 1, held->entry.hash, fault);
}

/* All edits of one name, in their order: at it, below it, and at it again when it was taken out. */
static enum fault_code name_edit(struct store *store, struct tree_put *put, struct held *held,
                                 struct group one, struct str name, int depth, struct fault *fault)
{
    size_t i = 0;

    while (i < one.count) {
        struct group below = {one.edits + i, 0, one.skip};

        if (edit_is_at(&one, i, name)) {
            put_at(held, one.edits[i++].is, name);
            continue;
        }
        while (i < one.count && !edit_is_at(&one, i, name)) {
            below.count++;
            i++;
        }
        held->entry.name = name;
        if (put_below(store, put, held, below, depth, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code names_edit(struct store *store, struct tree_put *put,
                                  struct tree_cursor *cursor, struct group group, int depth,
                                  struct buf *out, struct fault *fault)
{
    while (!cursor->end || group.count) {
        int order = cursor->end    ? 1
                    : !group.count ? -1
                                   : str_cmp(cursor->entry.name, edit_name(&group, 0));
        struct held held = {.there = order <= 0};

        if (held.there)
            held.entry = cursor->entry;
        if (order >= 0) {
            struct str name;
            struct group one = name_take(&group, &name);

            if (name_edit(store, put, &held, one, name, depth, fault) != FAULT_OK)
                return fault_pass(fault);
        }
        if (held.there)
            tree_add(out, &held.entry);
        if (order <= 0 && tree_cursor_next(cursor, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code dir_edit(struct store *store, struct tree_put *put, const unsigned char *dir,
                                struct group group, int depth, unsigned char out[HASH_BYTES],
                                struct fault *fault)
{
    struct tree_cursor cursor;
    enum fault_code code;
    struct arena arena;
    struct buf bytes;

    if (depth > TREE_DEPTH)
        return fault_set(fault, FAULT_PATH_INVALID, "a path is deeper than %d directories",
                         TREE_DEPTH);
    arena_init(&arena);
    buf_init(&bytes, OBJECT_DIR_BYTES);
    code = tree_cursor_open(&cursor, store, dir, &arena, fault);
    if (code == FAULT_OK)
        code = names_edit(store, put, &cursor, group, depth, &bytes, fault);
    if (code == FAULT_OK && bytes.full)
        code = fault_set(fault, FAULT_TOO_LARGE, "a directory takes more than %d bytes",
                         OBJECT_DIR_BYTES);
    if (code == FAULT_OK)
        code = tree_put_add(put, OBJECT_DIR, buf_str(&bytes), out, fault);
    buf_clear(&bytes);
    arena_clear(&arena);
    return code;
}

enum fault_code tree_edit(struct store *store, const unsigned char tree[HASH_BYTES],
                          const struct tree_edit *edits, size_t count, struct tree_spec *out,
                          struct fault *fault)
{
    struct tree_spec spec = {.given = true};
    struct tree_put *put;
    enum fault_code code;

    if (store_objects_since(store, &spec.since_us, fault) != FAULT_OK)
        return fault_pass(fault);
    put = tree_put_new(store);
    code = dir_edit(store, put, tree, (struct group){edits, count, 0}, 0, spec.hash, fault);
    if (code == FAULT_OK)
        code = tree_put_finish(put, fault);
    tree_put_free(put);
    if (code == FAULT_OK)
        *out = spec;
    return code;
}
