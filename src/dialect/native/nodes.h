/*
 * The nodes of a family's tree, for drawing it: where each session parted, where its turns begin,
 * its labels, its head, and what it has rewound away; in pages.
 */
#ifndef DIALECT_NATIVE_NODES_H
#define DIALECT_NATIVE_NODES_H

#include "dialect/native/handler.h"

/* A session of the family, as far as the nodes need it. */
struct family_row {
    int64_t s;
    struct str id;
    int64_t fork_index, messages;
    bool archived;
    unsigned char base_tree[HASH_BYTES], tree[HASH_BYTES]; /* files at its base and at its head */
    struct str object;                                     /* as it stands in the tree, in JSON */
};

struct family_list {
    struct arena *arena;
    struct family_row *rows;
    size_t count, room;
};

void family_list_add(struct family_list *list, const struct session *session, struct str object);

struct nodes_page {
    struct exchange *x;
    struct json_out *out; /* an object is open in it */
    int64_t limit;
    struct str cursor; /* p == NULL: from the beginning */
};

/* Adds "nodes", and "next" when there are more. */
FAULT_CHECK enum fault_code nodes_write(struct nodes_page *page, const struct family_list *family,
                                        struct fault *fault);

#endif
