/* A directory to take snapshots of, and the naive reading that they are compared with. */
#ifndef TESTS_WORKSPACE_YARD_H
#define TESTS_WORKSPACE_YARD_H

#include "support/check.h"
#include "support/rig.h"

#include "base/buf.h"
#include "workspace/snapshot.h"

#include <sys/types.h>

enum { MIB = 1024 * 1024 };

struct yard {
    struct rig rig;
    char scratch[64], index[128];
    int dir;
    struct snapshot_limits limits;
    int cancel_fd;
    struct arena arena;
    struct fault fault;
    struct snapshot last;
};

int yard_setup(void **state);
int yard_setup_file(void **state); /* with a store that several threads use at once */
int yard_teardown(void **state);

#define YARD_TEST(name)      cmocka_unit_test_setup_teardown(name, yard_setup, yard_teardown)
#define YARD_TEST_FILE(name) cmocka_unit_test_setup_teardown(name, yard_setup_file, yard_teardown)

enum fault_code yard_take(struct yard *yard);
void yard_must_take(struct yard *yard);
void grow_old(void); /* long enough that files written before are not young any more */

void yard_put(struct yard *yard, const char *path, struct str text);
void yard_put_size(struct yard *yard, const char *path, off_t size); /* nearly all of it holes */
void yard_mode(struct yard *yard, const char *path, unsigned bits);
void yard_fill(struct yard *yard, int count);
void file_slurp(int dir, const char *name, struct buf *out);

struct line {
    struct str path, what; /* kind, mode, and content or target */
};

struct lines {
    struct arena *arena;
    struct line *row;
    size_t count, room;
    struct store *store;
};

void yard_tree(struct yard *yard, struct lines *out); /* of the last snapshot; free out->row */

/* The tree of the last snapshot is what is in the directory. */
void yard_must_match(struct yard *yard);

/* What the tree has at a path, as yard_tree writes it; NULL: nothing. */
const char *yard_at(struct yard *yard, const char *path);
void yard_must_leave(struct yard *yard, const char *path, enum tree_left why);

#endif
