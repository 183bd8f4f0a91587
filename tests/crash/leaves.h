/*
 * Directories that can be told by a few bytes: fixed paths, and at each of them one of 256 things,
 * which its number says. So a log can name a whole directory, and a directory can be read back.
 */
#ifndef CRASH_LEAVES_H
#define CRASH_LEAVES_H

#include "base/str.h"
#include "support/chance.h"

enum { LEAVES = 64, LEAF_BYTES = 4096 };

struct leaves {
    unsigned char what[LEAVES]; /* 0: nothing */
};

enum leaf_kind { LEAF_NOTHING, LEAF_FILE, LEAF_LINK, LEAF_DIR };

struct leaf {
    enum leaf_kind kind;
    unsigned mode; /* of a file that of its place; of a directory its own */
    char bytes[LEAF_BYTES];
    size_t n;
};

void leaf_make(int place, unsigned char what, struct leaf *out);
struct str leaf_path(int place, char out[64]);
int leaf_place(struct str path); /* -1: none of them */

/* Other things at some of the places. */
struct leaves leaves_change(const struct leaves *was, struct chance *chance, int most);

/* Changes the directory from the one to the other, path by path, by plain means. */
void leaves_write(const char *directory, const struct leaves *was, const struct leaves *is);

/*
 * What is in a directory, when at each place stands what one of the candidates has there. Names
 * that begin with ".tine-tmp-" are passed over. False: `words` says what is wrong.
 */
bool leaves_read(const char *directory, const struct leaves *const *candidates, int count,
                 struct leaves *out, char *words, size_t room);

/* The same of one thing that was found, from a directory or a tree. */
bool leaf_known(int place, const struct leaf *found, const struct leaves *const *candidates,
                int count, unsigned char *out);

bool leaves_same(const struct leaves *a, const struct leaves *b);

#endif
