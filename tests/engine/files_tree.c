#include "files_tree.h"

struct listing {
    struct arena arena;
    struct map_node *nodes;
    size_t count;
};

static enum fault_code list_entry(void *context, struct str path, const struct tree_entry *entry,
                                  struct fault *fault)
{
    struct listing *listing = context;
    struct map_node *node = &listing->nodes[listing->count];

    if (entry->type == TREE_LEFT)
        return fault_set(fault, FAULT_INVALID, "something was not kept");
    if (++listing->count > FILES_TREE_PATHS)
        return fault_set(fault, FAULT_TOO_LARGE, "there are too many paths");
    *node = (struct map_node){.path = arena_dup(&listing->arena, path), .bytes = STR("")};
    node->kind = entry->type == TREE_LINK ? MAP_LINK : entry->type == TREE_DIR ? MAP_DIR : MAP_FILE;
    node->mode = entry->type == TREE_LINK ? 0 : entry->mode;
    return FAULT_OK;
}

static enum fault_code fill(struct workspaces *workspaces, const struct files_place *place,
                            struct listing *listing, struct files_map *out, struct fault *fault)
{
    struct files_place at = *place;
    unsigned char tree[HASH_BYTES];

    if (workspaces_list(workspaces, &at, STR(""), true, list_entry, listing, tree, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (at.live) /* it was recorded just now */
        at = (struct files_place){
            .owner = at.owner, .session = at.session, .at = {.by = POINT_END, .guard = GUARD_NONE}};
    for (size_t i = 0; i < listing->count; i++) {
        struct map_node *node = &listing->nodes[i];
        struct tree_entry entry;

        if (node->kind != MAP_DIR && workspaces_read(workspaces, &at, node->path, &listing->arena,
                                                     &entry, &node->bytes, fault) != FAULT_OK)
            return fault_pass(fault);
        map_put(out, node);
    }
    return FAULT_OK;
}

enum fault_code files_tree_read(struct workspaces *workspaces, const struct files_place *place,
                                struct files_map *out, struct fault *fault)
{
    struct listing listing = {.count = 0};
    enum fault_code code;

    *out = (struct files_map){0};
    arena_init(&listing.arena);
    listing.nodes = arena_array(&listing.arena, FILES_TREE_PATHS + 1, sizeof(*listing.nodes));
    code = fill(workspaces, place, &listing, out, fault);
    arena_clear(&listing.arena);
    if (code != FAULT_OK)
        map_clear(out);
    return code;
}
