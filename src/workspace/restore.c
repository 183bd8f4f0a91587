/*
 * The trees are walked side by side; each directory on the way is open while what is in it is done,
 * and every name is looked up in the open directory above it. So a name that becomes a link
 * meanwhile leads nowhere.
 *
 *   1. What is new is written under a temporary name and is on the disk before it is put in place;
 *      that waits until a batch is together, as one wait for the disk does for all of it.
 *   2. Things are deleted and directories made at once, in the order of the walk. A directory goes
 *      after what was in it.
 *   3. A directory in which nothing may be written is made writable for the time being. It gets its
 *      mode when nothing waits for it any more. A kill leaves it with the mode that it has or is to
 *      have and rights for its owner; that is taken for its mode the next time.
 *   4. What is already as it should be may have been done by one that was killed before it was on
 *      the disk: its directory counts as touched.
 */
#include "workspace/restore.h"

#include "workspace/path.h"
#include "workspace/slot.h"
#include "workspace/tree_descend.h"
#include "workspace/tree_load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    OWNER_RIGHTS = 0700,
    FEW = 32,          /* up to so many files or directories are brought to the disk one by one */
    BATCH_ITEMS = 256, /* files that wait to be put in place */
    BATCH_FRAMES = 128 /* directories that are kept open for them */
};
#define BATCH_BYTES INT64_C(0x4000000)

enum frame_kind { FRAME_KEPT, FRAME_MADE, FRAME_GONE };

/* A directory on the way. */
struct frame {
    struct frame *above;
    struct frame *next; /* of those that wait for their mode */
    char *path;
    int fd; /* -1: it cannot be gone into, or is not there */
    enum frame_kind kind;
    int waiting;     /* files of the batch that go there */
    bool hands_off;  /* it is not to be touched itself */
    bool in_the_way; /* something else stands at its name */
    bool touched;    /* must be brought to the disk */
    bool stale;      /* somebody died here, and left something aside */
    bool set_mode, tell_mode;
    unsigned mode; /* with set_mode: to be given at the end */
};

/* A file or link that is written and waits to be put in place. */
struct item {
    struct frame *frame;
    const char *name, *temp;
    struct str path;
    struct tree_entry *from, to; /* from NULL: there is nothing */
    int fd;                      /* -1: a link, or it is closed already */
};

struct restore {
    const struct restore_spec *spec;
    dev_t dev;
    struct frame *top; /* the innermost one */
    struct frame *done;
    size_t done_count;
    struct item items[BATCH_ITEMS];
    size_t count;
    int64_t bytes;
    int open;             /* files of the batch that are still open */
    bool many;            /* some of it is closed: only the whole disk can be asked */
    struct arena arena;   /* of the batch */
    unsigned long number; /* of the next temporary name */
    /* what is to be brought to the disk at the end */
    int touched[FEW];
    size_t touched_count;
    bool touched_many;
    /* a deletion that waits for the next change: perhaps a directory comes there */
    struct {
        bool there;
        struct arena arena;
        struct str path;
        struct tree_entry entry;
    } held;
};

static struct restore *restore_new(const struct restore_spec *spec)
{
    struct restore *restore = calloc(1, sizeof(*restore));

    if (!restore)
        abort();
    restore->spec = spec;
    arena_init(&restore->arena);
    arena_init(&restore->held.arena);
    return restore;
}

static enum fault_code tell(const struct restore *restore, enum restore_deed deed, struct str path,
                            struct fault *fault)
{
    if (!restore->spec->visit)
        return FAULT_OK;
    return restore->spec->visit(restore->spec->context, deed, path, fault);
}

/* Tells what became of a path; what was so before is not told. */
static enum fault_code tell_end(const struct restore *restore, enum slot_end end,
                                enum restore_deed deed, struct str path, struct fault *fault)
{
    if (end == SLOT_ALREADY)
        return FAULT_OK;
    return tell(restore, end == SLOT_LEFT ? RESTORE_LEFT : deed, path, fault);
}

static bool is_skipped(const struct restore *restore, struct str path)
{
    return restore->spec->skips && restore->spec->skips(restore->spec->skips_context, path);
}

/* A name that no tree may bring: a repository's own, and ours. */
static bool is_barred(struct str name)
{
    return str_eq(name, STR(".git")) || str_starts(name, STR(RESTORE_TEMP));
}

/* ---- bringing to the disk ---- */

/* The descriptor is taken over. */
static void sync_later(struct restore *restore, int fd)
{
    if (restore->touched_count < FEW) {
        restore->touched[restore->touched_count++] = fd;
    } else {
        restore->touched_many = true;
        close(fd);
    }
}

static enum fault_code sync_failed(struct fault *fault)
{
    return slot_failed(STR("."), "brought to the disk", fault);
}

static enum fault_code sync_touched(struct restore *restore, struct fault *fault)
{
    if (restore->touched_many)
        return syncfs(restore->spec->dir) == 0 ? FAULT_OK : sync_failed(fault);
    for (size_t i = 0; i < restore->touched_count; i++)
        if (fsync(restore->touched[i]) != 0)
            return sync_failed(fault);
    return FAULT_OK;
}

/* All are started first, so that the disk is not waited for once for each. */
static enum fault_code sync_batch(struct restore *restore, struct fault *fault)
{
    if (restore->many)
        return syncfs(restore->spec->dir) == 0 ? FAULT_OK : sync_failed(fault);
    for (size_t i = 0; i < restore->count; i++)
        if (restore->items[i].fd >= 0)
            sync_file_range(restore->items[i].fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    for (size_t i = 0; i < restore->count; i++)
        if (restore->items[i].fd >= 0 && fsync(restore->items[i].fd) != 0)
            return slot_failed(restore->items[i].path, "brought to the disk", fault);
    return FAULT_OK;
}

/* ---- directories ---- */

static struct frame *frame_new(struct frame *above, struct str path, enum frame_kind kind)
{
    struct frame *frame = calloc(1, sizeof(*frame));

    if (!frame)
        abort();
    frame->path = strndup(path.n ? path.p : "", path.n);
    if (!frame->path)
        abort();
    frame->above = above;
    frame->kind = kind;
    frame->fd = -1;
    return frame;
}

static void frame_free(struct frame *frame)
{
    if (frame->fd >= 0)
        close(frame->fd);
    free(frame->path);
    free(frame);
}

/*
 * Opens a directory below an open one for working in it, whatever its mode; `stat` is how it was
 * found. errno: ENOENT, or ENOTDIR and others when it cannot be gone into.
 */
static int dir_open(const struct restore *restore, int above, const char *name, struct stat *stat)
{
    int path_fd = openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd = -1;
    char proc[64];

    if (path_fd < 0)
        return -1;
    snprintf(proc, sizeof(proc), "/proc/self/fd/%d", path_fd);
    if (fstat(path_fd, stat) == 0) {
        errno = EXDEV; /* something is mounted there: not ours */
        if (stat->st_dev == restore->dev) {
            if ((stat->st_mode & OWNER_RIGHTS) != OWNER_RIGHTS && geteuid() != 0)
                chmod(proc, (stat->st_mode & TREE_MODE) | OWNER_RIGHTS);
            fd = openat(path_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        }
    }
    close(path_fd);
    return fd;
}

/* Removes what one that was killed was writing, and sees whether it left more. */
static void frame_clean(struct frame *frame)
{
    int fd = openat(frame->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (!stream) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(stream))) {
        struct str name = str_of(entry->d_name);

        if (!str_starts(name, STR(RESTORE_TEMP)))
            continue;
        if (str_starts(name, STR(SLOT_NEW)))
            unlinkat(frame->fd, entry->d_name, 0);
        else
            frame->stale = true;
    }
    closedir(stream);
}

/* Opens what is there. False when there is no directory that can be gone into. */
static bool frame_open(struct restore *restore, struct frame *frame, const char *name,
                       struct stat *stat)
{
    frame->fd = dir_open(restore, frame->above->fd, name, stat);
    if (frame->fd < 0) {
        frame->in_the_way = errno != ENOENT;
        return false;
    }
    if ((stat->st_mode & OWNER_RIGHTS) != OWNER_RIGHTS && geteuid() != 0) {
        frame->set_mode = frame->touched = true;
        frame->mode = stat->st_mode & TREE_MODE;
    }
    frame_clean(frame);
    return true;
}

static void mode_later(struct frame *frame, unsigned mode, bool is_told)
{
    frame->set_mode = frame->touched = true;
    frame->mode = mode;
    frame->tell_mode = is_told;
}

/* A directory that is in both trees. */
static enum fault_code frame_keep(struct restore *restore, struct frame *frame, const char *name,
                                  const struct tree_change *change, struct fault *fault)
{
    unsigned was = change->was->mode, is = change->is->mode, now;
    struct stat stat;

    if (!frame_open(restore, frame, name, &stat))
        return was == is || frame->hands_off ? FAULT_OK
                                             : tell(restore, RESTORE_LEFT, change->path, fault);
    now = stat.st_mode & TREE_MODE;
    if (frame->hands_off)
        return FAULT_OK;
    if (now == is) {
        frame->touched = frame->touched || was != is;
    } else if (now == was || now == (was | OWNER_RIGHTS) || now == (is | OWNER_RIGHTS)) {
        mode_later(frame, is, was != is);
    } else if (was != is) {
        return tell(restore, RESTORE_LEFT, change->path, fault);
    }
    return FAULT_OK;
}

/* A directory that comes. */
static enum fault_code frame_make(struct restore *restore, struct frame *frame, const char *name,
                                  const struct tree_change *change, struct fault *fault)
{
    struct frame *above = frame->above;
    unsigned mode = change->is->mode;
    struct stat stat;
    bool made;

    if (above->fd < 0)
        return frame->hands_off ? FAULT_OK : tell(restore, RESTORE_LEFT, change->path, fault);
    made = !frame->hands_off && mkdirat(above->fd, name, OWNER_RIGHTS) == 0;
    if (!made && !frame->hands_off && errno != EEXIST && !slot_is_denied(errno))
        return slot_failed(change->path, "made", fault);
    above->touched = above->touched || !frame->hands_off;
    if (!frame_open(restore, frame, name, &stat) || frame->hands_off)
        return frame->hands_off ? FAULT_OK : tell(restore, RESTORE_LEFT, change->path, fault);
    if (made || (stat.st_mode & TREE_MODE) == OWNER_RIGHTS) {
        if (!made && mode == OWNER_RIGHTS)
            return FAULT_OK;
        mode_later(frame, mode, true);
        return FAULT_OK;
    }
    if ((stat.st_mode & TREE_MODE) == mode)
        return FAULT_OK;
    return tell(restore, RESTORE_LEFT, change->path, fault);
}

/* It is empty now, if nobody else put anything there. `is_told`: what comes there tells of it. */
static enum fault_code frame_remove(struct restore *restore, struct frame *frame, bool is_told,
                                    struct fault *fault)
{
    struct str path = str_of(frame->path);
    struct frame *above = frame->above;
    struct str name = path_name(path);
    bool removed;

    if (frame->hands_off || above->fd < 0)
        return FAULT_OK;
    if (frame->fd < 0) {
        above->touched = true;
        return frame->in_the_way && !is_told ? tell(restore, RESTORE_LEFT, path, fault) : FAULT_OK;
    }
    removed = unlinkat(above->fd, name.p, AT_REMOVEDIR) == 0;
    if (!removed && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT && errno != ENOTDIR &&
        !slot_is_denied(errno))
        return slot_failed(path, "deleted", fault);
    if (removed) {
        above->touched = true;
        frame->set_mode = frame->touched = false;
        return tell(restore, RESTORE_DELETED, path, fault);
    }
    return is_told ? FAULT_OK : tell(restore, RESTORE_LEFT, path, fault);
}

/* Nothing waits for it any more: it gets its mode. Frees it. */
static enum fault_code frame_finish(struct restore *restore, struct frame *frame,
                                    struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    if (frame->fd >= 0 && frame->set_mode) {
        bool set = fchmod(frame->fd, frame->mode) == 0;

        if (!set && !slot_is_denied(errno))
            code = slot_failed(str_of(frame->path), "given its mode", fault);
        else if (frame->tell_mode)
            code = tell(restore, set ? RESTORE_WRITTEN : RESTORE_LEFT, str_of(frame->path), fault);
    }
    if (frame->fd >= 0 && frame->touched) {
        sync_later(restore, frame->fd);
        frame->fd = -1;
    }
    frame_free(frame);
    return code;
}

/* Leaves the innermost directory. */
static enum fault_code frame_leave(struct restore *restore, bool is_told, struct fault *fault)
{
    struct frame *frame = restore->top;
    enum fault_code code = FAULT_OK;

    if (frame->kind == FRAME_GONE)
        code = frame_remove(restore, frame, is_told, fault);
    restore->top = frame->above;
    if (code == FAULT_OK && frame->waiting == 0)
        return frame_finish(restore, frame, fault);
    frame->next = restore->done;
    restore->done = frame;
    restore->done_count++;
    return code;
}

/* ---- the batch ---- */

static enum fault_code item_place(struct restore *restore, struct item *item, struct fault *fault)
{
    enum slot_end end;
    struct slot slot;

    if (item->fd >= 0)
        close(item->fd);
    item->fd = -1;
    slot_init(&slot, item->frame->fd, item->name, item->path);
    item->frame->touched = true;
    if (slot_put(&slot, item->temp, item->from, &item->to, &end, fault) != FAULT_OK)
        return fault_pass(fault);
    return tell_end(restore, end, RESTORE_WRITTEN, item->path, fault);
}

/* Files that were not put in place go. */
static void batch_drop(struct restore *restore, size_t from)
{
    for (size_t i = from; i < restore->count; i++) {
        struct item *item = &restore->items[i];

        if (item->fd >= 0)
            close(item->fd);
        unlinkat(item->frame->fd, item->temp, 0);
    }
    restore->count = 0;
}

static enum fault_code frames_finish(struct restore *restore, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    while (restore->done) {
        struct frame *frame = restore->done;
        struct fault second;

        restore->done = frame->next;
        if (code == FAULT_OK)
            code = frame_finish(restore, frame, fault);
        else
            (void)(frame_finish(restore, frame, &second) == FAULT_OK);
    }
    restore->done_count = 0;
    return code;
}

static enum fault_code batch_flush(struct restore *restore, struct fault *fault)
{
    enum fault_code code = sync_batch(restore, fault);
    size_t done = 0;

    while (code == FAULT_OK && done < restore->count)
        code = item_place(restore, &restore->items[done++], fault);
    for (size_t i = 0; i < restore->count; i++)
        restore->items[i].frame->waiting--;
    batch_drop(restore, done);
    restore->bytes = restore->open = 0;
    restore->many = false;
    arena_clear(&restore->arena);
    if (code == FAULT_OK)
        code = frames_finish(restore, fault);
    return code;
}

static struct tree_entry *entry_dup(const struct tree_entry *entry, struct arena *arena)
{
    struct tree_entry *copy;

    if (!entry)
        return NULL;
    copy = arena_alloc(arena, sizeof(*copy));
    *copy = *entry;
    copy->name = STR_NONE;
    copy->target = arena_dup(arena, entry->target);
    return copy;
}

static enum fault_code bytes_write(void *context, struct str bytes, struct fault *fault)
{
    const struct item *item = context;

    return slot_write(item->fd, bytes) ? FAULT_OK : slot_failed(item->path, "written", fault);
}

/* Writes what is to come under the temporary name. False with errno when it cannot be begun. */
static bool temp_begin(struct item *item)
{
    if (item->to.type == TREE_LINK)
        return symlinkat(item->to.target.p, item->frame->fd, item->temp) == 0;
    item->fd = openat(item->frame->fd, item->temp,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return item->fd >= 0;
}

static enum fault_code temp_write(struct restore *restore, struct item *item, struct fault *fault)
{
    if (item->fd < 0)
        return FAULT_OK;
    if (tree_load_file(restore->spec->store, &item->to, bytes_write, item, fault) != FAULT_OK)
        return fault_pass(fault);
    if (fchmod(item->fd, item->to.mode) != 0) /* last: writing takes set-id bits away */
        return slot_failed(item->path, "given its mode", fault);
    return FAULT_OK;
}

static void item_count(struct restore *restore, struct item *item)
{
    restore->count++;
    restore->bytes += item->to.size;
    item->frame->waiting++;
    if (item->fd < 0)
        return;
    if (restore->open == FEW) {
        restore->many = true;
        close(item->fd);
        item->fd = -1;
    } else {
        restore->open++;
    }
}

/* A file or link that comes, or becomes another. */
static enum fault_code item_add(struct restore *restore, const char *name,
                                const struct tree_change *change, struct fault *fault)
{
    struct item *item = &restore->items[restore->count];
    struct arena *arena = &restore->arena;
    enum fault_code code;
    bool begun;

    *item = (struct item){.frame = restore->top, .fd = -1};
    item->name = arena_dup(arena, str_of(name)).p;
    item->path = arena_dup(arena, change->path);
    item->from = entry_dup(change->was, arena);
    item->to = *entry_dup(change->is, arena);
    do {
        item->temp =
            arena_printf(arena, SLOT_NEW "%lx-%lx", (unsigned long)getpid(), restore->number++).p;
        begun = temp_begin(item);
    } while (!begun && errno == EEXIST);
    if (!begun)
        return slot_is_denied(errno) ? tell(restore, RESTORE_LEFT, change->path, fault)
                                     : slot_failed(change->path, "written", fault);
    code = temp_write(restore, item, fault);
    if (code != FAULT_OK) {
        close(item->fd); /* a link cannot fail here */
        unlinkat(item->frame->fd, item->temp, 0);
        return code;
    }
    item_count(restore, item);
    if (restore->count == BATCH_ITEMS || restore->bytes >= BATCH_BYTES)
        return batch_flush(restore, fault);
    return FAULT_OK;
}

/* ---- changes ---- */

static bool same_content(const struct tree_entry *a, const struct tree_entry *b)
{
    return a && b && tree_is_file(a->type) && a->type == b->type && a->size == b->size &&
           memcmp(a->hash, b->hash, HASH_BYTES) == 0;
}

static enum fault_code mode_change(struct restore *restore, struct slot *slot,
                                   const struct tree_change *change, struct fault *fault)
{
    enum slot_end end;
    int fd = -1;

    if (slot_chmod(slot, change->was, change->is, &end, &fd, fault) != FAULT_OK)
        return fault_pass(fault);
    if (fd >= 0)
        sync_later(restore, fd);
    return tell_end(restore, end, RESTORE_WRITTEN, change->path, fault);
}

/* A file or link that comes or changes. */
static enum fault_code put(struct restore *restore, const char *name,
                           const struct tree_change *change, struct fault *fault)
{
    struct frame *frame = restore->top;
    struct slot slot;
    enum slot_is is;

    if (frame->fd < 0)
        return tell(restore, RESTORE_LEFT, change->path, fault);
    slot_init(&slot, frame->fd, name, change->path);
    if (frame->stale && slot_mend(&slot, change->was, change->is) == SLOT_LEFT)
        return tell(restore, RESTORE_LEFT, change->path, fault);
    if (same_content(change->was, change->is))
        return mode_change(restore, &slot, change, fault);
    is = slot_look(frame->fd, name, change->was, change->is);
    if (is == SLOT_TO) {
        frame->touched = true;
        return FAULT_OK;
    }
    if (is != (change->was ? SLOT_FROM : SLOT_NOTHING))
        return tell(restore, RESTORE_LEFT, change->path, fault);
    return item_add(restore, name, change, fault);
}

/* Is a directory at the name? */
static bool is_dir(int dir, const char *name)
{
    struct stat stat;

    return fstatat(dir, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(stat.st_mode);
}

/* A file or link that goes. `dir_comes`: a directory comes in its place, and tells of the path. */
static enum fault_code take(struct restore *restore, struct str path,
                            const struct tree_entry *entry, bool dir_comes, struct fault *fault)
{
    struct frame *frame = restore->top;
    const char *name = path_name(path).p;
    struct slot slot;
    enum slot_end end;

    if (frame->fd < 0 || (dir_comes && is_dir(frame->fd, name)))
        return FAULT_OK;
    slot_init(&slot, frame->fd, name, path);
    frame->touched = true;
    if (frame->stale && slot_mend(&slot, entry, NULL) == SLOT_LEFT)
        return tell(restore, RESTORE_LEFT, path, fault);
    if (slot_take(&slot, entry, &end, fault) != FAULT_OK)
        return fault_pass(fault);
    return dir_comes ? FAULT_OK : tell_end(restore, end, RESTORE_DELETED, path, fault);
}

static enum fault_code held_take(struct restore *restore, const struct tree_change *next,
                                 struct fault *fault)
{
    enum fault_code code;
    bool dir_comes;

    if (!restore->held.there)
        return FAULT_OK;
    dir_comes = next && !next->was && str_eq(next->path, restore->held.path);
    restore->held.there = false;
    code = take(restore, restore->held.path, &restore->held.entry, dir_comes, fault);
    arena_clear(&restore->held.arena);
    return code;
}

static void hold(struct restore *restore, const struct tree_change *change)
{
    restore->held.there = true;
    restore->held.path = arena_dup(&restore->held.arena, change->path);
    restore->held.entry = *entry_dup(change->was, &restore->held.arena);
}

static enum fault_code dir_change(struct restore *restore, const struct tree_change *change,
                                  const char *name, bool hands_off, struct fault *fault)
{
    enum frame_kind kind = !change->was ? FRAME_MADE : !change->is ? FRAME_GONE : FRAME_KEPT;
    struct frame *frame = frame_new(restore->top, change->path, kind);
    struct stat stat;

    restore->top = frame;
    frame->hands_off = hands_off;
    if (is_barred(path_name(change->path)))
        return tell(restore, RESTORE_LEFT, change->path, fault);
    if (kind == FRAME_MADE)
        return frame_make(restore, frame, name, change, fault);
    if (frame->above->fd < 0)
        return FAULT_OK;
    if (kind == FRAME_KEPT)
        return frame_keep(restore, frame, name, change, fault);
    frame_open(restore, frame, name, &stat);
    return FAULT_OK;
}

static bool is_type(const struct tree_entry *entry, enum tree_type type)
{
    return entry && entry->type == type;
}

static enum fault_code name_change(struct restore *restore, const struct tree_change *change,
                                   struct fault *fault)
{
    bool hands_off = is_skipped(restore, change->path);
    struct str name = path_name(change->path);
    char z[TREE_NAME_BYTES + 1];

    memcpy(z, name.p, name.n);
    z[name.n] = '\0';
    if (is_type(change->was, TREE_LEFT) || is_type(change->is, TREE_LEFT))
        return hands_off ? FAULT_OK : tell(restore, RESTORE_LEFT, change->path, fault);
    if (is_type(change->was, TREE_DIR) || is_type(change->is, TREE_DIR))
        return dir_change(restore, change, z, hands_off, fault);
    if (hands_off)
        return FAULT_OK;
    if (is_barred(name))
        return tell(restore, RESTORE_LEFT, change->path, fault);
    if (change->is)
        return put(restore, z, change, fault);
    hold(restore, change);
    return FAULT_OK;
}

static enum fault_code change_apply(void *context, const struct tree_change *change,
                                    struct fault *fault)
{
    struct restore *restore = context;

    if (held_take(restore, change, fault) != FAULT_OK)
        return fault_pass(fault);
    while (!path_is_in(change->path, str_of(restore->top->path))) {
        bool comes = !change->was && str_eq(change->path, str_of(restore->top->path));

        if (frame_leave(restore, comes, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    if (restore->done_count >= BATCH_FRAMES && batch_flush(restore, fault) != FAULT_OK)
        return fault_pass(fault);
    return name_change(restore, change, fault);
}

/* ---- the whole ---- */

static enum fault_code top_open(struct restore *restore, struct fault *fault)
{
    struct stat stat;

    restore->top = frame_new(NULL, STR(""), FRAME_KEPT);
    if (fstat(restore->spec->dir, &stat) != 0)
        return slot_failed(STR("."), "opened", fault);
    restore->dev = stat.st_dev;
    restore->top->fd = dir_open(restore, restore->spec->dir, ".", &stat);
    if (restore->top->fd < 0)
        return slot_failed(STR("."), "opened", fault);
    if ((stat.st_mode & OWNER_RIGHTS) != OWNER_RIGHTS && geteuid() != 0)
        mode_later(restore->top, stat.st_mode & TREE_MODE, false);
    frame_clean(restore->top);
    return FAULT_OK;
}

static enum fault_code apply(struct restore *restore, struct fault *fault)
{
    const struct restore_spec *spec = restore->spec;

    if (top_open(restore, fault) != FAULT_OK ||
        tree_descend(spec->store, spec->from, spec->to, change_apply, restore, fault) != FAULT_OK ||
        held_take(restore, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    while (restore->top)
        if (frame_leave(restore, false, fault) != FAULT_OK)
            return fault_pass(fault);
    if (batch_flush(restore, fault) != FAULT_OK)
        return fault_pass(fault);
    return sync_touched(restore, fault);
}

/* After a fault: directories get back their modes, and nothing temporary stays. */
static void restore_free(struct restore *restore)
{
    struct fault ignored;

    while (restore->top) {
        struct frame *frame = restore->top;

        restore->top = frame->above;
        frame->next = restore->done;
        restore->done = frame;
    }
    batch_drop(restore, 0);
    for (struct frame *frame = restore->done; frame; frame = frame->next)
        frame->tell_mode = false;
    (void)(frames_finish(restore, &ignored) == FAULT_OK);
    for (size_t i = 0; i < restore->touched_count; i++)
        close(restore->touched[i]);
    arena_clear(&restore->arena);
    arena_clear(&restore->held.arena);
    free(restore);
}

enum fault_code restore_apply(const struct restore_spec *spec, struct fault *fault)
{
    struct restore *restore;
    enum fault_code code;

    if (memcmp(spec->from, spec->to, HASH_BYTES) == 0)
        return FAULT_OK;
    restore = restore_new(spec);
    code = apply(restore, fault);
    restore_free(restore);
    return code;
}
