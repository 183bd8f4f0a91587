#include "workspace/tree_put.h"

#include "workspace/tree_diff.h"

#include <stdlib.h>

enum { OBJECTS_MAX = 1024 };

struct tree_put {
    struct store *store;
    struct packer *packer;
    struct hasher *hasher;
    struct arena arena; /* of what waits */
    struct object objects[OBJECTS_MAX];
    size_t count, bytes;
};

struct tree_put *tree_put_new(struct store *store)
{
    struct tree_put *put = calloc(1, sizeof(*put));

    if (!put)
        abort();
    put->store = store;
    put->packer = packer_new();
    put->hasher = hasher_new();
    arena_init(&put->arena);
    return put;
}

void tree_put_free(struct tree_put *put)
{
    if (!put)
        return;
    packer_free(put->packer);
    hasher_free(put->hasher);
    arena_clear(&put->arena);
    free(put);
}

enum fault_code tree_put_finish(struct tree_put *put, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    if (put->count)
        code = store_objects_put(put->store, put->objects, put->count, fault);
    arena_clear(&put->arena);
    put->count = put->bytes = 0;
    return code;
}

enum fault_code tree_put_add(struct tree_put *put, enum object_kind kind, struct str content,
                             unsigned char hash[HASH_BYTES], struct fault *fault)
{
    struct object object = {.kind = kind, .size = (int64_t)content.n};

    object_name(put->hasher, kind, content, object.hash);
    memcpy(hash, object.hash, HASH_BYTES);
    /* Room is made before the packing, as what is packed lives where the others wait. */
    if (put->count == OBJECTS_MAX || put->bytes + content.n + 1 > OBJECT_PUT_BYTES)
        if (tree_put_finish(put, fault) != FAULT_OK)
            return fault_pass(fault);
    object.data = object_pack(put->packer, content, &put->arena);
    put->bytes += object.data.n;
    put->objects[put->count++] = object;
    return FAULT_OK;
}

static enum fault_code pieces_add(struct tree_put *put, struct str content,
                                  unsigned char hash[HASH_BYTES], struct fault *fault)
{
    size_t count = (content.n + OBJECT_PIECE_BYTES - 1) / OBJECT_PIECE_BYTES;
    unsigned char *list = malloc(count * HASH_BYTES);
    enum fault_code code = FAULT_OK;

    if (!list)
        abort();
    for (size_t i = 0; i < count && code == FAULT_OK; i++) {
        size_t at = i * OBJECT_PIECE_BYTES;
        size_t n = content.n - at < OBJECT_PIECE_BYTES ? content.n - at : OBJECT_PIECE_BYTES;

        code = tree_put_add(put, OBJECT_FILE, (struct str){content.p + at, n},
                            list + i * HASH_BYTES, fault);
    }
    if (code == FAULT_OK)
        code = tree_put_add(put, OBJECT_PIECES,
                            (struct str){(const char *)list, count * HASH_BYTES}, hash, fault);
    free(list);
    return code;
}

enum fault_code tree_put_content(struct tree_put *put, struct str content, struct tree_entry *out,
                                 struct fault *fault)
{
    bool whole = content.n <= OBJECT_PIECE_BYTES;
    unsigned char hash[HASH_BYTES];
    enum fault_code code;

    code = whole ? tree_put_add(put, OBJECT_FILE, content, hash, fault)
                 : pieces_add(put, content, hash, fault);
    if (code != FAULT_OK)
        return code;
    out->type = whole ? TREE_FILE : TREE_PIECES;
    out->size = (int64_t)content.n;
    memcpy(out->hash, hash, HASH_BYTES);
    return FAULT_OK;
}

enum fault_code tree_put_file(struct store *store, struct str content, struct tree_entry *out,
                              struct fault *fault)
{
    struct tree_put *put = tree_put_new(store);
    struct tree_entry entry = *out;
    enum fault_code code = tree_put_content(put, content, &entry, fault);

    if (code == FAULT_OK)
        code = tree_put_finish(put, fault);
    tree_put_free(put);
    if (code == FAULT_OK)
        *out = entry;
    return code;
}
