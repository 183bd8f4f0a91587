#include "workspace/tree_load.h"

#include "base/hex.h"

bool tree_is_empty(const unsigned char *tree)
{
    static const unsigned char zeros[HASH_BYTES];

    return !tree || memcmp(tree, tree_empty, HASH_BYTES) == 0 ||
           memcmp(tree, zeros, HASH_BYTES) == 0;
}

static enum fault_code broken(const unsigned char hash[HASH_BYTES], const char *how,
                              struct fault *fault)
{
    char hex[2 * HASH_BYTES];

    hex_write(hash, HASH_BYTES, hex);
    return fault_set(fault, FAULT_CORRUPT, "object %.12s of a tree %s", hex, how);
}

/* The content of an object of a kind, at most `max` bytes of it. */
static enum fault_code load(struct store *store, const unsigned char hash[HASH_BYTES],
                            enum object_kind kind, int64_t max, struct arena *arena,
                            struct str *out, struct fault *fault)
{
    enum fault_code code;
    unsigned char name[HASH_BYTES];
    struct object object;
    struct hasher *hasher;
    struct str content;

    code = store_object_get(store, hash, arena, &object, fault);
    if (code == FAULT_NOT_FOUND)
        return broken(hash, "is missing", fault);
    if (code != FAULT_OK)
        return code;
    if (object.kind != kind || object.size > max)
        return broken(hash, "is not what it should be", fault);
    if (object_unpack(object.data, object.size, arena, &content, fault) != FAULT_OK)
        return fault_pass(fault);
    hasher = hasher_new();
    object_name(hasher, kind, content, name);
    hasher_free(hasher);
    if (memcmp(name, hash, HASH_BYTES) != 0)
        return broken(hash, "is damaged", fault);
    *out = content;
    return FAULT_OK;
}

enum fault_code tree_load_dir(struct store *store, const unsigned char *hash, struct arena *arena,
                              struct tree_reader *out, struct fault *fault)
{
    struct str content = STR("");

    if (!tree_is_empty(hash) &&
        load(store, hash, OBJECT_DIR, OBJECT_DIR_BYTES, arena, &content, fault) != FAULT_OK)
        return fault_pass(fault);
    tree_open(out, content);
    return FAULT_OK;
}

/* ---- files ---- */

struct pieces {
    struct store *store;
    const struct tree_entry *entry;
    tree_bytes_visit *visit;
    void *context;
};

static enum fault_code load_piece(const struct pieces *pieces, const unsigned char *hash,
                                  int64_t size, struct fault *fault)
{
    enum fault_code code;
    struct arena arena;
    struct str content;

    arena_init(&arena);
    code = load(pieces->store, hash, OBJECT_FILE, OBJECT_PIECE_BYTES, &arena, &content, fault);
    if (code == FAULT_OK && (int64_t)content.n != size)
        code = broken(hash, "is not as large as it should be", fault);
    if (code == FAULT_OK)
        code = pieces->visit(pieces->context, content, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code load_pieces(const struct pieces *pieces, struct str list,
                                   struct fault *fault)
{
    int64_t rest = pieces->entry->size;

    for (size_t at = 0; at < list.n; at += HASH_BYTES) {
        int64_t size = rest < OBJECT_PIECE_BYTES ? rest : OBJECT_PIECE_BYTES;

        if (load_piece(pieces, (const unsigned char *)list.p + at, size, fault) != FAULT_OK)
            return fault_pass(fault);
        rest -= size;
    }
    return FAULT_OK;
}

enum fault_code tree_load_file(struct store *store, const struct tree_entry *entry,
                               tree_bytes_visit *visit, void *context, struct fault *fault)
{
    struct pieces pieces = {store, entry, visit, context};
    int64_t count = entry->size / OBJECT_PIECE_BYTES + (entry->size % OBJECT_PIECE_BYTES != 0);
    enum fault_code code;
    struct arena arena;
    struct str list;

    if (entry->type == TREE_FILE && entry->size <= OBJECT_PIECE_BYTES)
        return load_piece(&pieces, entry->hash, entry->size, fault);
    if (entry->type != TREE_PIECES || count > OBJECT_DIR_BYTES / HASH_BYTES)
        return broken(entry->hash, "is not a file", fault);
    arena_init(&arena);
    code = load(store, entry->hash, OBJECT_PIECES, count * HASH_BYTES, &arena, &list, fault);
    if (code == FAULT_OK && (int64_t)list.n != count * HASH_BYTES)
        code = broken(entry->hash, "does not have all pieces", fault);
    if (code == FAULT_OK)
        code = load_pieces(&pieces, list, fault);
    arena_clear(&arena);
    return code;
}

/* ---- cursors ---- */

enum fault_code tree_cursor_open(struct tree_cursor *cursor, struct store *store,
                                 const unsigned char *hash, struct arena *arena,
                                 struct fault *fault)
{
    if (tree_load_dir(store, hash, arena, &cursor->reader, fault) != FAULT_OK)
        return fault_pass(fault);
    return tree_cursor_next(cursor, fault);
}

enum fault_code tree_cursor_next(struct tree_cursor *cursor, struct fault *fault)
{
    return tree_next(&cursor->reader, &cursor->entry, &cursor->end, fault);
}
