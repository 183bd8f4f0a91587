/*
 * What the last snapshot of a directory saw, kept in a file: for each name its size, times and
 * inode, and what it was in the tree, so that what did not change is not read again.
 *
 * 1. Content is taken for unchanged only when everything that stat tells is the same, and when all
 *    its times were in the past as the content was read: a later change then has a later time.
 * 2. The objects that it names were in the store while gc had last begun at `since_us`.
 * 3. A file that is missing, broken, cut off or of another version is no index: all is read.
 */
#ifndef WORKSPACE_STAT_INDEX_H
#define WORKSPACE_STAT_INDEX_H

#include "base/fault.h"
#include "store/tree.h"

#include <sys/stat.h>

/* What tells one state of a file from another without reading it. */
struct stat_id {
    int64_t size, mtime_ns, ctime_ns;
    uint64_t ino, dev;
    uint32_t mode; /* with the kind of file */
};

/* A time in ns. One that is too far off for that becomes another, but always the same. */
static inline int64_t stat_time(int64_t seconds, int64_t ns)
{
    return (int64_t)((uint64_t)seconds * 1000000000 + (uint64_t)ns);
}

void stat_id_of(const struct stat *stat, struct stat_id *out);
bool stat_id_same(const struct stat_id *a, const struct stat_id *b);

/*
 * The clock that files get their times from, in ns. Read before a file is opened; what its times
 * are not before may be changed again without a sign.
 */
int64_t stat_clock(void);

/* ---- writing: from the top down, names of a directory in the order of their bytes ---- */

struct stat_writer;

struct stat_writer *stat_writer_new(void);
void stat_writer_free(struct stat_writer *writer);

/*
 * A directory; what is added up to stat_writer_leave is in it. The first one is the top, whose name
 * is empty. `rules` is the hash of the rules for leaving out (ignore_rules); NULL: not known.
 */
void stat_writer_enter(struct stat_writer *writer, const struct tree_entry *entry,
                       const unsigned char rules[HASH_BYTES]);
void stat_writer_leave(struct stat_writer *writer);

/*
 * Anything else that is in the tree. `id` is what it was after its content was known, `clock_ns`
 * what stat_clock said before; 0: not to be trusted.
 */
void stat_writer_add(struct stat_writer *writer, const struct tree_entry *entry,
                     const struct stat_id *id, int64_t clock_ns);

/* A name that is left out by the rules. */
void stat_writer_ignored(struct stat_writer *writer, struct str name, bool is_dir);

/* Puts it in the place of the file at `path`, by a rename. FAULT_IO. */
FAULT_CHECK enum fault_code stat_writer_save(struct stat_writer *writer, const char *path,
                                             int64_t since_us, struct fault *fault);

/* ---- reading ---- */

struct stat_index;

struct stat_index *stat_index_open(const char *path); /* NULL: there is none that is whole */
void stat_index_close(struct stat_index *index);
int64_t stat_index_since(const struct stat_index *index);

/* A name as it was remembered; strings point into the index. */
struct stat_entry {
    struct tree_entry entry; /* not filled in but for its name when it was left out by the rules */
    struct stat_id id;       /* of a directory: not given */
    bool trusted;            /* while `id` is the same, `entry` is */
    bool ignored, is_dir;
    size_t at; /* which record it is, for stat_cursor_enter and stat_index_forget */
};

/* Goes through one directory of the index in the order of names. */
struct stat_cursor {
    const struct stat_index *index; /* NULL: nothing is remembered of it */
    size_t at, end;
    int64_t count;              /* of entries of its tree */
    const unsigned char *rules; /* HASH_BYTES; zeros: not known */
};

/* The top and its entry; false for no index. */
bool stat_cursor_top(const struct stat_index *index, struct stat_cursor *out,
                     struct stat_entry *entry);

/* A directory that stat_cursor_next or _find gave; nothing in it when it was none. */
struct stat_cursor stat_cursor_enter(const struct stat_cursor *above,
                                     const struct stat_entry *entry);

/* The next name; false at the end. */
bool stat_cursor_next(struct stat_cursor *cursor, struct stat_entry *out);

/* The name, passing over those before it: so names are asked for in their order. */
bool stat_cursor_find(struct stat_cursor *cursor, struct str name, struct stat_entry *out);

/* Every entry of the whole index in its order, directories before what is in them. */
bool stat_index_each(const struct stat_index *index, size_t *at, struct stat_entry *out);

/* The entry is not trusted any more. */
void stat_index_forget(struct stat_index *index, size_t at);

#endif
