#include "support/plant.h"

void plant_init(struct plant *plant, struct store *store, struct arena *arena)
{
    *plant = (struct plant){store, arena, hasher_new(), packer_new(), 0};
}

void plant_clear(struct plant *plant)
{
    hasher_free(plant->hasher);
    packer_free(plant->packer);
    *plant = (struct plant){0};
}

struct object plant_make(struct plant *plant, enum object_kind kind, struct str content)
{
    struct object object = {.kind = kind, .size = (int64_t)content.n};

    object_name(plant->hasher, kind, content, object.hash);
    object.data = object_pack(plant->packer, content, plant->arena);
    return object;
}

enum fault_code plant_put(struct plant *plant, enum object_kind kind, struct str content,
                          unsigned char hash[HASH_BYTES], struct fault *fault)
{
    struct object object = plant_make(plant, kind, content);
    bool have;

    memcpy(hash, object.hash, HASH_BYTES);
    if (store_objects_have(plant->store, (const unsigned char(*)[HASH_BYTES]) & object.hash, 1,
                           &have, fault) != FAULT_OK)
        return fault_pass(fault);
    if (have)
        return FAULT_OK;
    plant->objects++;
    return store_objects_put(plant->store, &object, 1, fault);
}

static enum fault_code put_pieces(struct plant *plant, struct str content, struct tree_entry *out,
                                  struct fault *fault)
{
    struct buf list;
    enum fault_code code = FAULT_OK;

    buf_init(&list, 1 << 20);
    for (size_t at = 0; code == FAULT_OK && at < content.n; at += OBJECT_PIECE_BYTES) {
        size_t left = content.n - at;
        struct str piece = {content.p + at, left < OBJECT_PIECE_BYTES ? left : OBJECT_PIECE_BYTES};
        unsigned char hash[HASH_BYTES];

        code = plant_put(plant, OBJECT_FILE, piece, hash, fault);
        buf_add(&list, hash, HASH_BYTES);
    }
    if (code == FAULT_OK)
        code = plant_put(plant, OBJECT_PIECES, buf_str(&list), out->hash, fault);
    buf_clear(&list);
    return code;
}

enum fault_code plant_file(struct plant *plant, struct str name, struct str content,
                           struct tree_entry *out, struct fault *fault)
{
    bool small = content.n <= OBJECT_PIECE_BYTES;

    *out = (struct tree_entry){.type = small ? TREE_FILE : TREE_PIECES,
                               .mode = 0644,
                               .size = (int64_t)content.n,
                               .name = name};
    return small ? plant_put(plant, OBJECT_FILE, content, out->hash, fault)
                 : put_pieces(plant, content, out, fault);
}

enum fault_code plant_dir(struct plant *plant, struct str name, const struct tree_entry *entries,
                          size_t count, struct tree_entry *out, struct fault *fault)
{
    struct buf bytes;
    enum fault_code code;

    buf_init(&bytes, OBJECT_DIR_BYTES);
    for (size_t i = 0; i < count; i++)
        tree_add(&bytes, &entries[i]);
    *out = (struct tree_entry){.type = TREE_DIR, .mode = 0755, .name = name};
    code = plant_put(plant, OBJECT_DIR, buf_str(&bytes), out->hash, fault);
    buf_clear(&bytes);
    return code;
}

/* ---- looking ---- */

static enum fault_code fetch(struct plant *plant, const unsigned char hash[HASH_BYTES],
                             enum object_kind kind, struct str *content, struct fault *fault)
{
    unsigned char found[HASH_BYTES];
    struct object object;

    if (store_object_get(plant->store, hash, plant->arena, &object, fault) != FAULT_OK ||
        object_unpack(object.data, object.size, plant->arena, content, fault) != FAULT_OK)
        return fault_pass(fault);
    object_name(plant->hasher, kind, *content, found);
    if (object.kind != kind || memcmp(found, hash, HASH_BYTES) != 0 ||
        memcmp(object.hash, hash, HASH_BYTES) != 0)
        return fault_set(fault, FAULT_CORRUPT, "an object is another");
    return FAULT_OK;
}

static enum fault_code check_file(struct plant *plant, const struct tree_entry *entry,
                                  struct fault *fault)
{
    struct str list, piece;
    size_t size = 0;

    if (entry->type == TREE_FILE) {
        if (fetch(plant, entry->hash, OBJECT_FILE, &piece, fault) != FAULT_OK)
            return fault_pass(fault);
        size = piece.n;
    } else {
        if (fetch(plant, entry->hash, OBJECT_PIECES, &list, fault) != FAULT_OK)
            return fault_pass(fault);
        for (size_t at = 0; at < list.n; at += HASH_BYTES) {
            if (fetch(plant, (const unsigned char *)list.p + at, OBJECT_FILE, &piece, fault) !=
                FAULT_OK)
                return fault_pass(fault);
            size += piece.n;
        }
    }
    if ((int64_t)size != entry->size)
        return fault_set(fault, FAULT_CORRUPT, "a file has another size");
    return FAULT_OK;
}

enum fault_code plant_check(struct plant *plant, const unsigned char tree[HASH_BYTES],
                            struct fault *fault)
{
    struct tree_reader reader;
    struct tree_entry entry;
    struct str content;
    bool end;

    if (fetch(plant, tree, OBJECT_DIR, &content, fault) != FAULT_OK)
        return fault_pass(fault);
    tree_open(&reader, content);
    for (;;) {
        enum fault_code code = tree_next(&reader, &entry, &end, fault);

        if (code != FAULT_OK || end)
            return code;
        if (entry.type == TREE_DIR)
            code = plant_check(plant, entry.hash, fault);
        else if (tree_is_file(entry.type))
            code = check_file(plant, &entry, fault);
        if (code != FAULT_OK)
            return code;
    }
}
