#include "support/grove.h"

#include "store/tree.h"
#include "support/check.h"

#include <stdio.h>

/* Puts an object, and tells its name. */
static void plant(struct store *store, struct packer *packer, enum object_kind kind,
                  struct str content, unsigned char hash[HASH_BYTES])
{
    struct hasher *hasher = hasher_new();
    struct object object = {.kind = kind, .size = (int64_t)content.n};
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    object_name(hasher, kind, content, object.hash);
    object.data = object_pack(packer, content, &arena);
    CHECK_OK(store_objects_put(store, &object, 1, &fault), &fault);
    memcpy(hash, object.hash, HASH_BYTES);
    arena_clear(&arena);
    hasher_free(hasher);
}

void grove_plant(struct grove *grove, struct store *store)
{
    struct packer *packer = packer_new();

    memcpy(grove->trees[0], tree_empty, HASH_BYTES);
    for (int i = 1; i < GROVE_TREES; i++) {
        char content[16];
        struct tree_entry file = {.type = TREE_FILE, .mode = 0644, .name = STR("leaf")};
        struct buf dir;

        snprintf(content, sizeof(content), "%d\n", i);
        file.size = (int64_t)strlen(content);
        plant(store, packer, OBJECT_FILE, str_of(content), file.hash);
        buf_init(&dir, OBJECT_DIR_BYTES);
        tree_add(&dir, &file);
        plant(store, packer, OBJECT_DIR, buf_str(&dir), grove->trees[i]);
        buf_clear(&dir);
    }
    packer_free(packer);
}

struct tree_spec grove_tree(const struct grove *grove, struct store *store, int tree)
{
    struct tree_spec spec = {.given = true};
    struct fault fault;

    memcpy(spec.hash, grove->trees[tree], HASH_BYTES);
    CHECK_OK(store_objects_since(store, &spec.since_us, &fault), &fault);
    return spec;
}

int grove_which(const struct grove *grove, const unsigned char hash[HASH_BYTES])
{
    for (int i = 0; i < GROVE_TREES; i++)
        if (memcmp(grove->trees[i], hash, HASH_BYTES) == 0)
            return i;
    return -1;
}
