/*
 * A snapshot is made in three steps. The walk goes through the directory from the top down, holds
 * what it sees against the index, and gives the files that may have changed to the intake, which
 * reads them beside it. When all are in, the directories are put into the store from the bottom up,
 * the topmost last: who finds a tree in the store finds everything in it. Then the index is written
 * anew, if anything is to be remembered otherwise.
 */
#include "workspace/snapshot.h"

#include "store/limits.h"
#include "workspace/ignore.h"
#include "workspace/intake.h"
#include "workspace/walk.h"

#include <stdlib.h>

struct taking {
    const struct snapshot_spec *spec;
    struct arena *arena; /* the caller's */
    int64_t since_us;
    struct stat_index *index;
    bool dirs_known; /* the directories that the index names are in the store */
    bool dirty;      /* the index is to be written */
    struct intake *intake;
    struct walk walk;
    struct buf path; /* of the directory that is being finished */
    struct snapshot out;
};

const char *tree_left_words(enum tree_left why)
{
    switch (why) {
    case LEFT_SIZE:
        return "larger than the limit";
    case LEFT_SPECIAL:
        return "a device, a FIFO or a socket";
    case LEFT_DEPTH:
        return "below too many directories";
    case LEFT_UNREADABLE:
        return "cannot be read";
    case LEFT_MOUNT:
        return "another file system is mounted there";
    }
    return "not kept";
}

/* ---- from the bottom up ---- */

static bool is_entry(const struct node *node)
{
    return !node->ignored && !node->gone;
}

/* Counts what is in the tree, and tells of what is not. */
static void node_report(struct taking *taking, const struct node *node)
{
    const struct tree_entry *entry = &node->sight.entry;
    struct snapshot *out = &taking->out;

    if (tree_is_file(entry->type)) {
        out->files++;
        out->bytes += entry->size;
    }
    if (entry->type != TREE_LEFT || out->left_all++ >= SNAPSHOT_LEFT_TOLD)
        return;
    out->left[out->left_count++] =
        (struct left_out){arena_printf(taking->arena, "%.*s%s%.*s", STR_ARG(buf_str(&taking->path)),
                                       taking->path.n ? "/" : "", STR_ARG(entry->name)),
                          entry->left};
}

static enum fault_code dir_put(struct taking *taking, struct node *dir, struct fault *fault)
{
    struct buf bytes;
    enum fault_code code;

    buf_init(&bytes, OBJECT_DIR_BYTES);
    for (const struct node *node = dir->first; node; node = node->next)
        if (is_entry(node))
            tree_add(&bytes, &node->sight.entry);
    if (bytes.full)
        code = fault_set(fault, FAULT_TOO_LARGE, "too many names in \"%.*s\"",
                         STR_ARG(buf_str(&taking->path)));
    else
        code =
            intake_put(taking->intake, OBJECT_DIR, buf_str(&bytes), dir->sight.entry.hash, fault);
    buf_clear(&bytes);
    return code;
}

static enum fault_code dir_finish(struct taking *taking, struct node *dir, struct fault *fault);

static enum fault_code child_finish(struct taking *taking, struct node *node, struct fault *fault)
{
    size_t n = taking->path.n;
    enum fault_code code;

    node_report(taking, node);
    if (node->sight.entry.type != TREE_DIR)
        return FAULT_OK;
    if (n)
        buf_add_char(&taking->path, '/');
    buf_add_str(&taking->path, node->sight.entry.name);
    code = dir_finish(taking, node, fault);
    taking->path.n = n;
    return code;
}

/* Finds the hash of a directory: the one that is remembered when nothing in it changed. */
static enum fault_code dir_finish(struct taking *taking, struct node *dir, struct fault *fault)
{
    const struct dir_facts *facts = dir->facts;
    bool same = facts->known;
    int64_t count = 0;

    for (struct node *node = dir->first; node; node = node->next) {
        if (is_entry(node) && child_finish(taking, node, fault) != FAULT_OK)
            return fault_pass(fault);
        if (is_entry(node)) {
            count++;
            same = same && node->reused;
        } else if (!node->reused) {
            taking->dirty = true; /* another name that is left out */
        }
    }
    same = same && count == facts->count;
    dir->reused = same && facts->mode == dir->sight.entry.mode;
    if (!dir->reused || !facts->same_rules)
        taking->dirty = true;
    if (same && taking->dirs_known) {
        memcpy(dir->sight.entry.hash, facts->hash, HASH_BYTES);
        return FAULT_OK;
    }
    return dir_put(taking, dir, fault);
}

/* ---- the index ---- */

static void index_add(struct stat_writer *writer, const struct node *dir)
{
    stat_writer_enter(writer, &dir->sight.entry, dir->facts->rules);
    for (const struct node *node = dir->first; node; node = node->next) {
        if (node->ignored)
            stat_writer_ignored(writer, node->sight.entry.name, node->maybe_dir);
        else if (node->gone)
            continue;
        else if (node->sight.entry.type == TREE_DIR)
            index_add(writer, node);
        else
            stat_writer_add(writer, &node->sight.entry, &node->sight.id, node->sight.clock_ns);
    }
    stat_writer_leave(writer);
}

static enum fault_code index_save(struct taking *taking, const struct node *top,
                                  struct fault *fault)
{
    struct stat_writer *writer;
    enum fault_code code;

    if (!taking->dirty)
        return FAULT_OK;
    writer = stat_writer_new();
    index_add(writer, top);
    code = stat_writer_save(writer, taking->spec->index, taking->since_us, fault);
    stat_writer_free(writer);
    return code;
}

/* Hashes that the index names, asked about together. */
struct asking {
    unsigned char hashes[LIMIT_HAVE][HASH_BYTES];
    bool have[LIMIT_HAVE];
    size_t at[LIMIT_HAVE]; /* which entries they belong to */
    bool pieces[LIMIT_HAVE];
    size_t count;
};

/* Has the store all pieces of a large file, whose list it has? */
static enum fault_code pieces_ask(struct taking *taking, const unsigned char hash[HASH_BYTES],
                                  bool *have, struct fault *fault)
{
    enum fault_code code;
    struct object object;
    struct arena arena;
    struct str list;

    arena_init(&arena);
    *have = true;
    code = store_object_get(taking->spec->store, hash, &arena, &object, fault);
    if (code == FAULT_OK)
        code = object_unpack(object.data, object.size, &arena, &list, fault);
    while (code == FAULT_OK && list.n >= HASH_BYTES && *have) {
        size_t count = list.n / HASH_BYTES < LIMIT_HAVE ? list.n / HASH_BYTES : LIMIT_HAVE;
        bool *each = arena_array(&arena, count, sizeof(bool));

        code = store_objects_have(taking->spec->store, (const unsigned char(*)[HASH_BYTES])list.p,
                                  count, each, fault);
        for (size_t i = 0; code == FAULT_OK && i < count; i++)
            *have = *have && each[i];
        list = (struct str){list.p + count * HASH_BYTES, list.n - count * HASH_BYTES};
    }
    arena_clear(&arena);
    return code;
}

static enum fault_code ask(struct taking *taking, struct asking *asking, struct fault *fault)
{
    if (asking->count &&
        store_objects_have(taking->spec->store, (const unsigned char(*)[HASH_BYTES])asking->hashes,
                           asking->count, asking->have, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < asking->count; i++) {
        bool have = asking->have[i];

        if (have && asking->pieces[i] &&
            pieces_ask(taking, asking->hashes[i], &have, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!have)
            stat_index_forget(taking->index, asking->at[i]);
    }
    asking->count = 0;
    return FAULT_OK;
}

/* gc has begun since the index was made: names all files again, and forgets what is not there. */
static enum fault_code index_name_again(struct taking *taking, struct fault *fault)
{
    struct asking *asking = calloc(1, sizeof(*asking));
    enum fault_code code = FAULT_OK;
    struct stat_entry entry;
    size_t at = 0;

    if (!asking)
        abort();
    while (code == FAULT_OK && stat_index_each(taking->index, &at, &entry)) {
        if (!entry.trusted || !tree_is_file(entry.entry.type))
            continue;
        memcpy(asking->hashes[asking->count], entry.entry.hash, HASH_BYTES);
        asking->pieces[asking->count] = entry.entry.type == TREE_PIECES;
        asking->at[asking->count++] = entry.at;
        if (asking->count == LIMIT_HAVE)
            code = ask(taking, asking, fault);
    }
    if (code == FAULT_OK)
        code = ask(taking, asking, fault);
    free(asking);
    return code;
}

/*
 * Is the topmost directory that the index names in this store? It is put after everything in it; so
 * where it is, all else is, unless gc has begun since.
 */
static enum fault_code index_fits(struct taking *taking, bool *out, struct fault *fault)
{
    struct stat_cursor cursor;
    struct stat_entry top;
    struct object object;
    struct arena arena;
    enum fault_code code;

    *out = false;
    if (!stat_cursor_top(taking->index, &cursor, &top))
        return FAULT_OK;
    arena_init(&arena);
    code = store_object_get(taking->spec->store, top.entry.hash, &arena, &object, fault);
    arena_clear(&arena);
    *out = code == FAULT_OK;
    return code == FAULT_NOT_FOUND ? FAULT_OK : code;
}

static enum fault_code index_open(struct taking *taking, struct fault *fault)
{
    taking->index = stat_index_open(taking->spec->index);
    taking->dirty = true;
    if (!taking->index)
        return FAULT_OK;
    if (stat_index_since(taking->index) == taking->since_us) {
        if (index_fits(taking, &taking->dirs_known, fault) != FAULT_OK)
            return fault_pass(fault);
        taking->dirty = !taking->dirs_known;
    }
    return taking->dirs_known ? FAULT_OK : index_name_again(taking, fault);
}

/* ---- all of it ---- */

static enum fault_code tree_make(struct taking *taking, struct node **top, struct fault *fault)
{
    if (walk_run(&taking->walk, taking->spec->dir, top, fault) != FAULT_OK ||
        intake_wait(taking->intake, fault) != FAULT_OK ||
        dir_finish(taking, *top, fault) != FAULT_OK)
        return fault_pass(fault);
    return intake_flush(taking->intake, fault);
}

static enum fault_code take(struct taking *taking, const struct snapshot_limits *limits,
                            struct fault *fault)
{
    struct snapshot *out = &taking->out;
    enum fault_code code;
    struct node *top;

    if (store_objects_since(taking->spec->store, &taking->since_us, fault) != FAULT_OK ||
        index_open(taking, fault) != FAULT_OK)
        return fault_pass(fault);
    taking->intake = intake_new(taking->spec->store, limits->file_bytes, taking->spec->cancel_fd);
    walk_init(&taking->walk, limits, taking->spec->cancel_fd, taking->intake, taking->index);
    code = tree_make(taking, &top, fault);
    if (code == FAULT_OK && out->bytes > limits->bytes)
        code = fault_set(fault, FAULT_TOO_LARGE, "the files have more than %lld bytes",
                         (long long)limits->bytes);
    if (code == FAULT_OK) {
        out->tree = (struct tree_spec){.given = true, .since_us = taking->since_us};
        memcpy(out->tree.hash, top->sight.entry.hash, HASH_BYTES);
        intake_count(taking->intake, &out->read, &out->written);
        code = index_save(taking, top, fault);
    }
    intake_free(taking->intake); /* before the nodes that its threads fill in */
    walk_clear(&taking->walk);
    return code;
}

enum fault_code snapshot_take(const struct snapshot_spec *spec, struct arena *arena,
                              struct snapshot *out, struct fault *fault)
{
    struct taking taking = {.spec = spec, .arena = arena};
    struct snapshot_limits limits = {
        .file_bytes = spec->limits.file_bytes ? spec->limits.file_bytes : SNAPSHOT_FILE_BYTES,
        .entries = spec->limits.entries ? spec->limits.entries : SNAPSHOT_ENTRIES,
        .bytes = spec->limits.bytes ? spec->limits.bytes : SNAPSHOT_BYTES,
    };
    enum fault_code code;

    buf_init(&taking.path, IGNORE_PATH_BYTES);
    taking.out.left = arena_array(arena, SNAPSHOT_LEFT_TOLD, sizeof(struct left_out));
    code = take(&taking, &limits, fault);
    if (code == FAULT_OK)
        *out = taking.out;
    stat_index_close(taking.index);
    buf_clear(&taking.path);
    return code;
}
