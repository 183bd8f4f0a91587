#include "store/sqlite/tree_walk.h"

#include "base/array.h"
#include "store/sqlite/object_row.h"

#include <stdlib.h>

/* An object that is to be looked at, or whose parts have all been and that is to be told. */
struct walk_step {
    int64_t object;
    bool done;
};

void tree_walk_init(struct tree_walk *walk, struct db *db, tree_walk_visit *visit, void *context)
{
    *walk = (struct tree_walk){.db = db, .visit = visit, .context = context};
    arena_init(&walk->arena);
}

void tree_walk_clear(struct tree_walk *walk)
{
    marks_clear(&walk->seen);
    arena_clear(&walk->arena);
    free(walk->steps);
    walk->steps = NULL;
    walk->count = walk->room = 0;
}

static void push(struct tree_walk *walk, int64_t object, bool done)
{
    walk->steps = array_more(walk->steps, walk->count, &walk->room, sizeof(*walk->steps));
    walk->steps[walk->count++] = (struct walk_step){object, done};
}

/* ---- what an object names ---- */

/* How many bytes the list of the pieces of a file has. */
static int64_t list_bytes(int64_t file_bytes)
{
    return (file_bytes / OBJECT_PIECE_BYTES + (file_bytes % OBJECT_PIECE_BYTES != 0)) * HASH_BYTES;
}

static enum fault_code parts_of_dir(struct str content, tree_part_visit *visit, void *context,
                                    struct fault *fault)
{
    struct tree_reader reader;
    struct tree_entry entry;
    bool end;

    tree_open(&reader, content);
    for (;;) {
        struct tree_part part = {.hash = entry.hash};

        if (tree_next(&reader, &entry, &end, fault) != FAULT_OK)
            return fault_pass(fault);
        if (end)
            return FAULT_OK;
        switch (entry.type) {
        case TREE_FILE:
            part.kind = OBJECT_FILE;
            part.size = entry.size;
            break;
        case TREE_PIECES:
            part.kind = OBJECT_PIECES;
            part.size = list_bytes(entry.size);
            break;
        case TREE_DIR:
            part.kind = OBJECT_DIR;
            part.size = -1;
            break;
        case TREE_LINK:
        case TREE_LEFT:
            continue;
        }
        if (visit(context, &part, fault) != FAULT_OK)
            return fault_pass(fault);
    }
}

static enum fault_code parts_of_file(struct str content, tree_part_visit *visit, void *context,
                                     struct fault *fault)
{
    if (content.n % HASH_BYTES)
        return fault_set(fault, FAULT_CORRUPT, "a list of pieces has %zu bytes", content.n);
    for (size_t at = 0; at < content.n; at += HASH_BYTES) {
        bool last = at + HASH_BYTES == content.n;
        struct tree_part part = {OBJECT_FILE, last ? -1 : OBJECT_PIECE_BYTES,
                                 (const unsigned char *)content.p + at};

        if (visit(context, &part, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

enum fault_code tree_parts(enum object_kind kind, struct str content, tree_part_visit *visit,
                           void *context, struct fault *fault)
{
    if (kind == OBJECT_DIR)
        return parts_of_dir(content, visit, context, fault);
    return kind == OBJECT_PIECES ? parts_of_file(content, visit, context, fault) : FAULT_OK;
}

enum fault_code tree_part_find(struct db *db, const struct tree_part *part, int64_t *object,
                               struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_OBJECT_BELOW, ARGS(arg_bytes(part->hash, HASH_BYTES)));
    int64_t number, size;
    int kind;
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "something that its tree of files names is missing");
    number = sqlite3_column_int64(q, 0);
    kind = sqlite3_column_int(q, 1);
    size = sqlite3_column_int64(q, 2);
    sqlite3_reset(q);
    if (kind != (int)part->kind || (part->size >= 0 && part->size != size))
        return fault_set(fault, FAULT_CORRUPT,
                         "object %lld is not what its tree of files says of it", (long long)number);
    *object = number;
    return FAULT_OK;
}

/* ---- the walk ---- */

static enum fault_code walk_tell(struct tree_walk *walk, int64_t object, struct fault *fault)
{
    return walk->visit ? walk->visit(walk->context, object, fault) : FAULT_OK;
}

static enum fault_code walk_part(void *context, const struct tree_part *part, struct fault *fault)
{
    struct tree_walk *walk = context;
    int64_t object;

    if (tree_part_find(walk->db, part, &object, fault) != FAULT_OK)
        return fault_pass(fault);
    if (part->kind != OBJECT_FILE) {
        if (!marks_have(&walk->seen, object))
            push(walk, object, false);
        return FAULT_OK;
    }
    return marks_add(&walk->seen, object) ? walk_tell(walk, object, fault) : FAULT_OK;
}

/* Puts the parts of an object on top of it. */
static enum fault_code walk_open(struct tree_walk *walk, int64_t number, struct fault *fault)
{
    struct object object;
    struct str content;
    enum fault_code code;

    if (!marks_add(&walk->seen, number))
        return FAULT_OK; /* another part of the tree has it, too */
    push(walk, number, true);
    code = object_at(walk->db, number, &walk->arena, &object, fault);
    if (code == FAULT_OK)
        code = object_unpack(object.data, object.size, &walk->arena, &content, fault);
    if (code == FAULT_OK)
        code = tree_parts(object.kind, content, walk_part, walk, fault);
    if (code == FAULT_OK)
        walk->directories += object.kind == OBJECT_DIR;
    arena_clear(&walk->arena);
    return code;
}

static enum fault_code root_check(struct tree_walk *walk, int64_t tree, struct fault *fault)
{
    struct object object;
    enum fault_code code = object_at(walk->db, tree, &walk->arena, &object, fault);

    arena_clear(&walk->arena);
    if (code == FAULT_NOT_FOUND)
        return fault_set(fault, FAULT_CORRUPT, "its tree of files is missing");
    if (code == FAULT_OK && object.kind != OBJECT_DIR)
        return fault_set(fault, FAULT_CORRUPT, "its tree of files is no directory");
    return code;
}

enum fault_code tree_walk(struct tree_walk *walk, int64_t tree, struct fault *fault)
{
    enum fault_code code;

    if (marks_have(&walk->seen, tree))
        return FAULT_OK;
    code = root_check(walk, tree, fault);
    walk->count = 0;
    if (code == FAULT_OK)
        push(walk, tree, false);
    while (code == FAULT_OK && walk->count) {
        struct walk_step step = walk->steps[--walk->count];

        code =
            step.done ? walk_tell(walk, step.object, fault) : walk_open(walk, step.object, fault);
    }
    return code;
}
