/*
 * Three trees side by side, name by name. Where one side has what the common one has, the other's
 * counts; where both changed, content and mode are merged each for itself.
 *
 *   1. It goes twice over the trees: the first time only to find conflicts, so that nothing is
 *      written when there are any. What the first pass merged is not kept for the second: a text is
 *      merged twice, but memory is bounded by one directory a level and one text.
 *   2. What is not kept (TREE_LEFT) is never brought over and never replaced.
 */
#include "workspace/merge.h"

#include "workspace/git.h"
#include "workspace/tree_diff.h"
#include "workspace/tree_load.h"
#include "workspace/tree_put.h"

#include <git2.h>

enum { CONFLICTS_MAX = 100 * 1000 };

struct merging {
    struct store *store;
    bool force;
    struct tree_put *put; /* NULL: the first pass */
    struct buf path;
    struct arena *arena;
    struct merge_trees out;
    size_t room; /* for conflicts */
};

/* What the three have at a name; NULL where there is nothing. */
struct three {
    const struct tree_entry *base, *ours, *theirs;
};

/* What comes of it. */
struct merged {
    bool there;
    struct tree_entry entry;
};

static enum fault_code clash_add(struct merging *merging, enum merge_clash clash,
                                 struct fault *fault)
{
    struct merge_trees *out = &merging->out;

    if (merging->put)
        return FAULT_OK; /* the first pass has told it */
    if (out->conflict_count == CONFLICTS_MAX)
        return fault_set(fault, FAULT_TOO_LARGE, "more than %d paths conflict", CONFLICTS_MAX);
    out->conflicts = arena_more(merging->arena, out->conflicts, out->conflict_count, &merging->room,
                                sizeof(*out->conflicts));
    out->conflicts[out->conflict_count++] = (struct merge_conflict){
        .path = arena_dup(merging->arena, buf_str(&merging->path)), .clash = clash};
    return FAULT_OK;
}

static bool same(const struct tree_entry *a, const struct tree_entry *b)
{
    return a == b || (a && b && tree_entry_same(a, b));
}

static bool is_type(const struct tree_entry *entry, enum tree_type type)
{
    return entry && entry->type == type;
}

static bool is_file(const struct tree_entry *entry)
{
    return entry && tree_is_file(entry->type);
}

static void take(struct merged *merged, const struct tree_entry *entry)
{
    merged->there = entry != NULL;
    if (entry)
        merged->entry = *entry;
}

/* ---- files ---- */

/* Modes apart from what they are modes of. `base` NULL: both are new. */
static enum fault_code mode_merge(struct merging *merging, const struct three *three,
                                  const struct tree_entry *base, unsigned *mode,
                                  struct fault *fault)
{
    unsigned ours = three->ours->mode, theirs = three->theirs->mode;

    *mode = base && theirs == base->mode ? ours : theirs;
    if (ours == theirs || (base && (ours == base->mode || theirs == base->mode)))
        return FAULT_OK;
    return clash_add(merging, CLASH_MODE, fault);
}

static bool same_content(const struct tree_entry *a, const struct tree_entry *b)
{
    return a->type == b->type && a->size == b->size && memcmp(a->hash, b->hash, HASH_BYTES) == 0;
}

static void content_take(struct merged *merged, const struct tree_entry *entry)
{
    merged->entry.type = entry->type;
    merged->entry.size = entry->size;
    memcpy(merged->entry.hash, entry->hash, HASH_BYTES);
}

static enum fault_code text_put(struct merging *merging, const git_merge_file_result *result,
                                struct merged *merged, struct fault *fault)
{
    struct str text = {result->ptr, result->len};

    if (!result->automergeable)
        return clash_add(merging, CLASH_TEXT, fault);
    if (!merging->put)
        return FAULT_OK;
    return tree_put_content(merging->put, text, &merged->entry, fault);
}

static enum fault_code text_merge(struct merging *merging, const struct str texts[3],
                                  struct merged *merged, struct fault *fault)
{
    git_merge_file_input inputs[3];
    git_merge_file_options options;
    git_merge_file_result result = {0};
    enum fault_code code;

    git_begin();
    if (git_merge_file_options_init(&options, GIT_MERGE_FILE_OPTIONS_VERSION) < 0)
        return git_failed("texts cannot be merged", fault);
    for (int i = 0; i < 3; i++)
        inputs[i] = (git_merge_file_input){
            .version = GIT_MERGE_FILE_INPUT_VERSION, .ptr = texts[i].p, .size = texts[i].n};
    /* The first pass looks for conflicts; the second has them only when it is to force them. */
    options.favor = merging->put ? GIT_MERGE_FILE_FAVOR_THEIRS : GIT_MERGE_FILE_FAVOR_NORMAL;
    if (git_merge_file(&result, &inputs[0], &inputs[1], &inputs[2], &options) < 0)
        return git_failed("texts cannot be merged", fault);
    code = text_put(merging, &result, merged, fault);
    git_merge_file_result_free(&result);
    return code;
}

/* Both changed the content of a file; `merged` has theirs. */
static enum fault_code content_merge(struct merging *merging, const struct three *three,
                                     struct merged *merged, struct fault *fault)
{
    const struct tree_entry *all[3] = {three->base, three->ours, three->theirs};
    struct str texts[3];
    enum fault_code code = FAULT_OK;
    struct arena arena;
    bool text = true;

    for (int i = 0; i < 3; i++)
        text = text && all[i]->size <= MERGE_FILE_BYTES;
    arena_init(&arena);
    for (int i = 0; i < 3 && text && code == FAULT_OK; i++) {
        code = tree_file(merging->store, all[i], MERGE_FILE_BYTES, &arena, &texts[i], fault);
        text = code == FAULT_OK && !git_is_binary(texts[i]);
    }
    if (code == FAULT_OK)
        code = text ? text_merge(merging, texts, merged, fault)
                    : clash_add(merging, CLASH_BINARY, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code files_merge(struct merging *merging, const struct three *three,
                                   struct merged *merged, struct fault *fault)
{
    const struct tree_entry *base = is_file(three->base) ? three->base : NULL;

    take(merged, three->theirs);
    if (mode_merge(merging, three, base, &merged->entry.mode, fault) != FAULT_OK)
        return fault_pass(fault);
    if (same_content(three->ours, three->theirs) || (base && same_content(base, three->ours)))
        return FAULT_OK;
    if (base && same_content(base, three->theirs)) {
        content_take(merged, three->ours);
        return FAULT_OK;
    }
    return base ? content_merge(merging, three, merged, fault)
                : clash_add(merging, CLASH_ADDED, fault);
}

/* ---- directories ---- */

static enum fault_code dir_merge(struct merging *merging, const struct three *three, int depth,
                                 struct buf *bytes, struct fault *fault);

/*
 * One of the two is gone and nothing is left to be in it. That one changed its mode while the other
 * deleted it is a conflict, too.
 */
static enum fault_code dir_gone(struct merging *merging, const struct three *three,
                                struct merged *merged, struct fault *fault)
{
    const struct tree_entry *there = three->ours ? three->ours : three->theirs;

    if (is_type(three->base, TREE_DIR)) {
        if (there->mode == three->base->mode) {
            merged->there = false;
            return FAULT_OK;
        }
        merged->there = three->theirs != NULL;
        return clash_add(merging, CLASH_DELETED, fault);
    }
    return FAULT_OK;
}

/* Ours, theirs or both are directories, and the other is one or nothing. */
static enum fault_code dirs_merge(struct merging *merging, const struct three *three, int depth,
                                  struct merged *merged, struct fault *fault)
{
    const struct tree_entry *there = three->theirs ? three->theirs : three->ours;
    const struct tree_entry *base = is_type(three->base, TREE_DIR) ? three->base : NULL;
    enum fault_code code = FAULT_OK;
    struct buf bytes;

    take(merged, there);
    if (three->ours && three->theirs)
        code = mode_merge(merging, three, base, &merged->entry.mode, fault);
    buf_init(&bytes, OBJECT_DIR_BYTES);
    if (code == FAULT_OK)
        code = dir_merge(merging, three, depth + 1, &bytes, fault);
    if (code == FAULT_OK && bytes.n == 0 && (!three->ours || !three->theirs))
        code = dir_gone(merging, three, merged, fault);
    if (code == FAULT_OK && merged->there && merging->put)
        code = tree_put_add(merging->put, OBJECT_DIR, buf_str(&bytes), merged->entry.hash, fault);
    buf_clear(&bytes);
    return code;
}

/* ---- one name ---- */

/* Something that is not kept is on one side. Ours stays. */
static enum fault_code left_merge(struct merging *merging, const struct three *three,
                                  struct merged *merged, struct fault *fault)
{
    bool base_kept = three->base && three->base->type != TREE_LEFT;

    take(merged, three->ours);
    if (is_type(three->ours, TREE_LEFT) &&
        (is_type(three->theirs, TREE_LEFT) || same(three->base, three->theirs)))
        return FAULT_OK;
    if (!base_kept && (!three->theirs || is_type(three->theirs, TREE_LEFT)))
        return FAULT_OK;
    return clash_add(merging, three->ours && three->theirs ? CLASH_KIND : CLASH_DELETED, fault);
}

/*
 * One has a directory there that was there before, the other made something else of it. When all
 * that the one did inside was to delete, nothing of it stands against that.
 */
static enum fault_code kinds_merge(struct merging *merging, const struct three *three, int depth,
                                   struct merged *merged, struct fault *fault)
{
    bool ours = is_type(three->ours, TREE_DIR);
    struct three inside = {three->base, ours ? three->ours : NULL, ours ? NULL : three->theirs};
    size_t before = merging->out.conflict_count;
    enum fault_code code;
    struct buf bytes;
    bool clean;

    buf_init(&bytes, OBJECT_DIR_BYTES);
    code = dir_merge(merging, &inside, depth + 1, &bytes, fault);
    clean = bytes.n == 0 && merging->out.conflict_count == before;
    buf_clear(&bytes);
    merging->out.conflict_count = before;
    if (code != FAULT_OK)
        return code;
    take(merged, clean && !ours ? three->ours : three->theirs);
    return clean ? FAULT_OK : clash_add(merging, CLASH_KIND, fault);
}

/* Both changed it, each in another way, and at most one of them is a directory. */
static enum fault_code both_merge(struct merging *merging, const struct three *three, int depth,
                                  struct merged *merged, struct fault *fault)
{
    bool dir_before = is_type(three->base, TREE_DIR);

    if (is_file(three->ours) && is_file(three->theirs))
        return files_merge(merging, three, merged, fault);
    if (dir_before && (is_type(three->ours, TREE_DIR) || is_type(three->theirs, TREE_DIR)))
        return kinds_merge(merging, three, depth, merged, fault);
    take(merged, three->theirs);
    if (dir_before && (!three->ours || !three->theirs)) {
        take(merged, three->ours ? three->ours : three->theirs); /* the directory went in both */
        return FAULT_OK;
    }
    if (!three->ours || !three->theirs)
        return clash_add(merging, CLASH_DELETED, fault);
    if (!is_type(three->ours, TREE_LINK) || !is_type(three->theirs, TREE_LINK))
        return clash_add(merging, CLASH_KIND, fault);
    return clash_add(merging, is_type(three->base, TREE_LINK) ? CLASH_BINARY : CLASH_ADDED, fault);
}

static bool dirs_alone(const struct three *three)
{
    bool ours = is_type(three->ours, TREE_DIR), theirs = is_type(three->theirs, TREE_DIR);

    return (ours || theirs) && (ours || !three->ours) && (theirs || !three->theirs);
}

static enum fault_code name_merge(struct merging *merging, const struct three *three, int depth,
                                  struct merged *merged, struct fault *fault)
{
    if (same(three->ours, three->theirs) || same(three->base, three->theirs)) {
        take(merged, three->ours);
        return FAULT_OK;
    }
    if (is_type(three->ours, TREE_LEFT) || is_type(three->theirs, TREE_LEFT))
        return left_merge(merging, three, merged, fault);
    if (dirs_alone(three))
        return dirs_merge(merging, three, depth, merged, fault);
    if (!same(three->base, three->ours))
        return both_merge(merging, three, depth, merged, fault);
    take(merged, three->theirs);
    return FAULT_OK;
}

static enum fault_code entry_merge(struct merging *merging, const struct three *three, int depth,
                                   struct str name, struct buf *bytes, struct fault *fault)
{
    size_t back = merging->path.n;
    struct merged merged = {0};
    enum fault_code code;

    if (back)
        buf_add_char(&merging->path, '/');
    buf_add_str(&merging->path, name);
    if (merging->path.full)
        return fault_set(fault, FAULT_CORRUPT, "a tree is deeper than %d directories", TREE_DEPTH);
    code = name_merge(merging, three, depth, &merged, fault);
    merged.entry.name = name;
    if (code == FAULT_OK && merged.there)
        tree_add(bytes, &merged.entry);
    merging->path.n = back;
    return code;
}

/* The three directories by name. */
static enum fault_code names_merge(struct merging *merging, struct tree_cursor cursors[3],
                                   int depth, struct buf *bytes, struct fault *fault)
{
    for (;;) {
        const struct tree_entry *first = NULL, *at[3] = {NULL, NULL, NULL};
        struct str name;

        for (int i = 0; i < 3; i++)
            if (!cursors[i].end && (!first || str_cmp(cursors[i].entry.name, first->name) < 0))
                first = &cursors[i].entry;
        if (!first)
            return FAULT_OK;
        name = first->name;
        for (int i = 0; i < 3; i++)
            if (!cursors[i].end && str_eq(cursors[i].entry.name, name))
                at[i] = &cursors[i].entry;
        if (entry_merge(merging, &(struct three){at[0], at[1], at[2]}, depth, name, bytes, fault) !=
            FAULT_OK)
            return fault_pass(fault);
        for (int i = 0; i < 3; i++)
            if (at[i] && tree_cursor_next(&cursors[i], fault) != FAULT_OK)
                return fault_pass(fault);
    }
}

static enum fault_code dir_merge(struct merging *merging, const struct three *three, int depth,
                                 struct buf *bytes, struct fault *fault)
{
    const struct tree_entry *all[3] = {three->base, three->ours, three->theirs};
    struct tree_cursor cursors[3];
    enum fault_code code = FAULT_OK;
    struct arena arena;

    if (depth > TREE_DEPTH)
        return fault_set(fault, FAULT_CORRUPT, "a tree is deeper than %d directories", TREE_DEPTH);
    arena_init(&arena);
    for (int i = 0; i < 3 && code == FAULT_OK; i++)
        code = tree_cursor_open(&cursors[i], merging->store,
                                is_type(all[i], TREE_DIR) ? all[i]->hash : NULL, &arena, fault);
    if (code == FAULT_OK)
        code = names_merge(merging, cursors, depth, bytes, fault);
    if (code == FAULT_OK && bytes->full)
        code = fault_set(fault, FAULT_TOO_LARGE, "a directory takes more than %d bytes",
                         OBJECT_DIR_BYTES);
    arena_clear(&arena);
    return code;
}

/* ---- the whole ---- */

static enum fault_code change_count(void *context, const struct tree_change *change,
                                    struct fault *fault)
{
    struct merging *merging = context;

    (void)change, (void)fault;
    merging->out.changed++;
    return FAULT_OK;
}

static enum fault_code write_run(struct merging *merging, const struct three *three,
                                 struct fault *fault)
{
    struct tree_spec *tree = &merging->out.tree;
    enum fault_code code;
    struct buf bytes;

    if (store_objects_since(merging->store, &tree->since_us, fault) != FAULT_OK)
        return fault_pass(fault);
    buf_init(&bytes, OBJECT_DIR_BYTES);
    merging->put = tree_put_new(merging->store);
    code = dir_merge(merging, three, 0, &bytes, fault);
    if (code == FAULT_OK)
        code = tree_put_add(merging->put, OBJECT_DIR, buf_str(&bytes), tree->hash, fault);
    if (code == FAULT_OK)
        code = tree_put_finish(merging->put, fault);
    tree_put_free(merging->put);
    buf_clear(&bytes);
    if (code != FAULT_OK)
        return code;
    tree->given = true;
    return tree_diff(merging->store, three->ours->hash, tree->hash, change_count, merging, fault);
}

static enum fault_code merge_run(struct merging *merging, const struct three *three,
                                 struct fault *fault)
{
    enum fault_code code;
    struct buf bytes;

    buf_init(&bytes, OBJECT_DIR_BYTES);
    code = dir_merge(merging, three, 0, &bytes, fault);
    buf_clear(&bytes);
    if (code != FAULT_OK || (merging->out.conflict_count && !merging->force))
        return code;
    return write_run(merging, three, fault);
}

enum fault_code merge_trees(struct store *store, const unsigned char base[HASH_BYTES],
                            const unsigned char ours[HASH_BYTES],
                            const unsigned char theirs[HASH_BYTES], bool force, struct arena *arena,
                            struct merge_trees *out, struct fault *fault)
{
    struct merging merging = {.store = store, .force = force, .arena = arena};
    const unsigned char *hashes[3] = {base, ours, theirs};
    struct tree_entry tops[3] = {0};
    enum fault_code code;

    for (int i = 0; i < 3; i++) {
        tops[i].type = TREE_DIR;
        memcpy(tops[i].hash, hashes[i], HASH_BYTES);
    }
    buf_init(&merging.path, TREE_PATH_BYTES);
    code = merge_run(&merging, &(struct three){&tops[0], &tops[1], &tops[2]}, fault);
    buf_clear(&merging.path);
    if (code == FAULT_OK)
        *out = merging.out;
    return code;
}

const char *merge_clash_words(enum merge_clash clash)
{
    switch (clash) {
    case CLASH_TEXT:
        return "both changed the same lines";
    case CLASH_BINARY:
        return "both changed it, and it is no text";
    case CLASH_DELETED:
        return "one changed what the other deleted";
    case CLASH_ADDED:
        return "both added it, with other content";
    case CLASH_KIND:
        return "it is a file, a directory or a link on one side and something else on the other";
    case CLASH_MODE:
        return "both changed the mode, each to another";
    }
    return "both changed it";
}

const char *merge_clash_name(enum merge_clash clash)
{
    switch (clash) {
    case CLASH_TEXT:
        return "text";
    case CLASH_BINARY:
        return "binary";
    case CLASH_DELETED:
        return "deleted";
    case CLASH_ADDED:
        return "added";
    case CLASH_KIND:
        return "kind";
    case CLASH_MODE:
        return "mode";
    }
    return "other";
}
