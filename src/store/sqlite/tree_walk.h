/*
 * Everything that trees are made of, each object once, however many trees share it: a directory
 * after all that is in it, a list of pieces after its pieces.
 */
#ifndef STORE_SQLITE_TREE_WALK_H
#define STORE_SQLITE_TREE_WALK_H

#include "store/object.h"
#include "store/sqlite/db.h"
#include "store/sqlite/marks.h"
#include "store/tree.h"

typedef enum fault_code tree_walk_visit(void *context, int64_t object, struct fault *fault);

struct tree_walk {
    struct db *db;
    tree_walk_visit *visit; /* NULL: nobody is told */
    void *context;
    struct marks seen;   /* objects by their numbers */
    int64_t directories; /* that were read */
    struct walk_step *steps;
    size_t count, room;
    struct arena arena; /* of the object at hand */
};

void tree_walk_init(struct tree_walk *walk, struct db *db, tree_walk_visit *visit, void *context);
void tree_walk_clear(struct tree_walk *walk);

/*
 * Goes through a tree. FAULT_CORRUPT when something of it is missing, of another kind or size than
 * what names it says, or cannot be read; the walk may then go on with another tree.
 */
FAULT_CHECK enum fault_code tree_walk(struct tree_walk *walk, int64_t tree, struct fault *fault);

/* What an object names: calls for each. Nothing for a file. FAULT_CORRUPT. */
struct tree_part {
    enum object_kind kind;
    int64_t size; /* of its content; -1: not known from what names it */
    const unsigned char *hash;
};
typedef enum fault_code tree_part_visit(void *context, const struct tree_part *part,
                                        struct fault *fault);
FAULT_CHECK enum fault_code tree_parts(enum object_kind kind, struct str content,
                                       tree_part_visit *visit, void *context, struct fault *fault);

/* What a part names must be there as it says. FAULT_CORRUPT. */
FAULT_CHECK enum fault_code tree_part_find(struct db *db, const struct tree_part *part,
                                           int64_t *object, struct fault *fault);

#endif
