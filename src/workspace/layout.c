/*
 * A new directory with what is in a tree. Nobody knows it before it is whole: it is filled under
 * another name, brought to the disk, and renamed. Its files are looked at for the index when the
 * clock has gone on since the last was written, so that the index can be trusted.
 */
#include "workspace/path.h"
#include "workspace/remove.h"
#include "workspace/restore.h"
#include "workspace/slot.h"
#include "workspace/stat_index.h"
#include "workspace/tree_load.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MODE_WHILE = 0700, TICK_MS = 1, TICKS_MAX = 100 };

struct layout {
    struct store *store;
    struct stat_writer *writer;
    int64_t clock_ns; /* of the look for the index */
};

/* A name of a tree as the file system wants it. */
struct name {
    char z[TREE_NAME_BYTES + 1];
};

static struct name name_of(const struct tree_entry *entry)
{
    struct name name;

    memcpy(name.z, entry->name.p, entry->name.n);
    name.z[entry->name.n] = '\0';
    return name;
}

/* What is not kept cannot be made, and some names no tree may bring. */
static bool is_made(const struct tree_entry *entry)
{
    return entry->type != TREE_LEFT && !str_eq(entry->name, STR(".git")) &&
           !str_starts(entry->name, STR(RESTORE_TEMP));
}

/* Calls `act` for each entry of a directory of a tree. */
typedef enum fault_code layout_act(struct layout *layout, int dir, const struct tree_entry *entry,
                                   int depth, struct fault *fault);

static enum fault_code dir_each(struct layout *layout, int dir, const unsigned char *hash,
                                int depth, layout_act *act, struct fault *fault)
{
    struct tree_cursor cursor;
    enum fault_code code;
    struct arena arena;

    if (depth > TREE_DEPTH)
        return fault_set(fault, FAULT_CORRUPT, "a tree is deeper than %d directories", TREE_DEPTH);
    arena_init(&arena);
    code = tree_cursor_open(&cursor, layout->store, hash, &arena, fault);
    while (code == FAULT_OK && !cursor.end) {
        code = act(layout, dir, &cursor.entry, depth, fault);
        if (code == FAULT_OK)
            code = tree_cursor_next(&cursor, fault);
    }
    arena_clear(&arena);
    return code;
}

static int dir_open(int above, const char *name)
{
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- writing ---- */

struct writing {
    int fd;
    const struct tree_entry *entry;
};

static enum fault_code bytes_write(void *context, struct str bytes, struct fault *fault)
{
    const struct writing *writing = context;

    return slot_write(writing->fd, bytes) ? FAULT_OK
                                          : slot_failed(writing->entry->name, "written", fault);
}

static enum fault_code file_make(struct layout *layout, int dir, const struct tree_entry *entry,
                                 struct fault *fault)
{
    struct writing writing = {.entry = entry};
    struct name name = name_of(entry);
    enum fault_code code;

    writing.fd = openat(dir, name.z, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (writing.fd < 0)
        return slot_failed(entry->name, "written", fault);
    code = tree_load_file(layout->store, entry, bytes_write, &writing, fault);
    if (code == FAULT_OK && fchmod(writing.fd, entry->mode) != 0)
        code = slot_failed(entry->name, "given its mode", fault);
    close(writing.fd);
    return code;
}

/* The target is no array here: directories are gone into from beside this, on a small stack. */
static enum fault_code link_make(int dir, const struct tree_entry *entry, const char *name,
                                 struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct arena arena;

    arena_init(&arena);
    if (symlinkat(arena_dup(&arena, entry->target).p, dir, name) != 0)
        code = slot_failed(entry->name, "made", fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code entry_make(struct layout *layout, int dir, const struct tree_entry *entry,
                                  int depth, struct fault *fault)
{
    struct name name = name_of(entry);
    enum fault_code code;
    int fd;

    if (!is_made(entry))
        return FAULT_OK;
    if (tree_is_file(entry->type))
        return file_make(layout, dir, entry, fault);
    if (entry->type == TREE_LINK)
        return link_make(dir, entry, name.z, fault);
    if (mkdirat(dir, name.z, MODE_WHILE) != 0 || (fd = dir_open(dir, name.z)) < 0)
        return slot_failed(entry->name, "made", fault);
    code = dir_each(layout, fd, entry->hash, depth + 1, entry_make, fault);
    close(fd);
    return code;
}

/* ---- the index, and the modes of directories ---- */

static enum fault_code entry_look(struct layout *layout, int dir, const struct tree_entry *entry,
                                  int depth, struct fault *fault)
{
    struct name name = name_of(entry);
    struct stat_id id = {0};
    enum fault_code code;
    struct stat stat;
    int fd;

    if (entry->type != TREE_DIR || !is_made(entry)) {
        /* What was not made is remembered and not found: its directory is put together anew. */
        bool there = is_made(entry) && fstatat(dir, name.z, &stat, AT_SYMLINK_NOFOLLOW) == 0;

        if (there)
            stat_id_of(&stat, &id);
        stat_writer_add(layout->writer, entry, &id, there ? layout->clock_ns : 0);
        return FAULT_OK;
    }
    fd = dir_open(dir, name.z);
    if (fd < 0)
        return slot_failed(entry->name, "opened", fault);
    stat_writer_enter(layout->writer, entry, NULL);
    code = dir_each(layout, fd, entry->hash, depth + 1, entry_look, fault);
    stat_writer_leave(layout->writer);
    if (code == FAULT_OK && fchmod(fd, entry->mode) != 0)
        code = slot_failed(entry->name, "given its mode", fault);
    close(fd);
    return code;
}

/*
 * Until the clock that files get their times from has passed the time of the last that was written,
 * which may be a finer one than that clock shows. Not for long: it may have been set back, and then
 * the files are only read again.
 */
static int64_t clock_wait(void)
{
    struct timespec tick = {0, TICK_MS * 1000000L}, fine;
    int64_t from, now = stat_clock();

    clock_gettime(CLOCK_REALTIME, &fine);
    from = (int64_t)fine.tv_sec * 1000000000 + fine.tv_nsec;
    for (int i = 0; now <= from && i < TICKS_MAX; i++) {
        nanosleep(&tick, NULL);
        now = stat_clock();
    }
    return now;
}

static enum fault_code index_make(struct layout *layout, int dir,
                                  const unsigned char tree[HASH_BYTES], const char *index,
                                  int64_t since_us, struct fault *fault)
{
    struct tree_entry top = {.type = TREE_DIR, .mode = MODE_WHILE};
    enum fault_code code;

    memcpy(top.hash, tree_is_empty(tree) ? tree_empty : tree, HASH_BYTES);
    layout->clock_ns = clock_wait();
    layout->writer = stat_writer_new();
    stat_writer_enter(layout->writer, &top, NULL);
    code = dir_each(layout, dir, tree, 0, entry_look, fault);
    stat_writer_leave(layout->writer);
    if (code == FAULT_OK && index)
        code = stat_writer_save(layout->writer, index, since_us, fault);
    stat_writer_free(layout->writer);
    return code;
}

/* ---- the whole ---- */

static enum fault_code fill(struct store *store, const unsigned char tree[HASH_BYTES], int dir,
                            const char *index, struct fault *fault)
{
    struct layout layout = {.store = store};
    int64_t since_us;

    if (store_objects_since(store, &since_us, fault) != FAULT_OK ||
        dir_each(&layout, dir, tree, 0, entry_make, fault) != FAULT_OK ||
        index_make(&layout, dir, tree, index, since_us, fault) != FAULT_OK)
        return fault_pass(fault);
    return syncfs(dir) == 0 ? FAULT_OK : slot_failed(STR("."), "brought to the disk", fault);
}

static enum fault_code exists(const char *path, struct fault *fault)
{
    return fault_set(fault, FAULT_EXISTS, "\"%.300s\" is there already", path);
}

static enum fault_code temp_rename(int above, const char *temp, const char *name, const char *path,
                                   struct fault *fault)
{
    int done = renameat2(above, temp, above, name, RENAME_NOREPLACE);

    if (done != 0 && (errno == EINVAL || errno == ENOSYS))
        done = renameat(above, temp, above, name); /* takes the place of an empty one at most */
    if (done != 0)
        return errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
                   ? exists(path, fault)
                   : slot_failed(str_of(path), "made", fault);
    return fsync(above) == 0 ? FAULT_OK : slot_failed(str_of(path), "brought to the disk", fault);
}

static enum fault_code make_in(struct store *store, const unsigned char tree[HASH_BYTES], int above,
                               const char *path, const char *name, const char *index,
                               struct fault *fault)
{
    enum fault_code code;
    struct fault second;
    struct slot slot;
    struct stat stat;
    int dir;

    if (fstatat(above, name, &stat, AT_SYMLINK_NOFOLLOW) == 0)
        return exists(path, fault);
    slot_init(&slot, above, name, str_of(path)); /* for its name aside, which one has for itself */
    if (remove_tree(above, slot.aside, fault) != FAULT_OK)
        return fault_pass(fault);
    if (mkdirat(above, slot.aside, MODE_WHILE) != 0 || (dir = dir_open(above, slot.aside)) < 0)
        return slot_failed(str_of(path), "made", fault);
    code = fill(store, tree, dir, index, fault);
    close(dir);
    if (code == FAULT_OK)
        code = temp_rename(above, slot.aside, name, path, fault);
    if (code != FAULT_OK)
        (void)(remove_tree(above, slot.aside, &second) == FAULT_OK);
    return code;
}

enum fault_code restore_layout(struct store *store, const unsigned char tree[HASH_BYTES],
                               const char *path, const char *index, struct fault *fault)
{
    struct str whole = str_of(path), name = path_name(whole);
    struct str above = {whole.p, whole.n - name.n};
    struct arena arena;
    enum fault_code code;
    int dir;

    arena_init(&arena);
    dir = open(above.n ? arena_dup(&arena, above).p : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) {
        code = slot_failed(whole, "made", fault);
    } else {
        code = make_in(store, tree, dir, path, name.p, index, fault);
        close(dir);
    }
    arena_clear(&arena);
    return code;
}
