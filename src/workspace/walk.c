#include "workspace/walk.h"

#include "workspace/ignore.h"
#include "workspace/restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
    LOOKS = 3,              /* at a name that is something else each time */
    NAMES_BYTES = 64 * 1024 /* of names that the kernel gives at once */
};

void walk_init(struct walk *walk, const struct snapshot_limits *limits, int cancel_fd,
               struct intake *intake, const struct stat_index *index)
{
    *walk =
        (struct walk){.limits = *limits, .cancel_fd = cancel_fd, .intake = intake, .index = index};
    arena_init(&walk->nodes);
    buf_init(&walk->path, IGNORE_PATH_BYTES);
    walk->ignore = ignore_new();
    walk->buffer = malloc(NAMES_BYTES);
    if (!walk->buffer)
        abort();
}

void walk_clear(struct walk *walk)
{
    ignore_free(walk->ignore);
    buf_clear(&walk->path);
    arena_clear(&walk->nodes);
    free(walk->buffer);
}

/* ---- the names of a directory ---- */

static enum fault_code io_fault(const struct walk *walk, const char *what, struct fault *fault)
{
    return fault_set(fault, FAULT_IO, "cannot %s \"%.*s\": %s", what, STR_ARG(buf_str(&walk->path)),
                     strerror(errno));
}

/* Lacks the process something, so that nothing is said about the file? */
static bool is_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

static bool is_unseen(struct str name)
{
    return str_eq(name, STR(".")) || str_eq(name, STR("..")) || str_eq(name, STR(".git")) ||
           str_starts(name, STR(RESTORE_TEMP));
}

static struct node *node_new(struct walk *walk, const struct dirent64 *dirent, struct str name)
{
    struct node *node = arena_alloc(&walk->nodes, sizeof(*node));

    node->sight.entry.name = arena_dup(&walk->nodes, name);
    node->kind_known = dirent->d_type != DT_UNKNOWN;
    node->maybe_dir = dirent->d_type == DT_DIR;
    return node;
}

static enum fault_code name_count(struct walk *walk, struct str name, struct fault *fault)
{
    if (name.n > TREE_NAME_BYTES)
        return fault_set(fault, FAULT_IO, "a name of %zu bytes in \"%.*s\"", name.n,
                         STR_ARG(buf_str(&walk->path)));
    if (++walk->names > walk->limits.entries)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the directory has more than %lld files and directories",
                         (long long)walk->limits.entries);
    return FAULT_OK;
}

/* Adds the names to a list, newest first. */
static enum fault_code names_read(struct walk *walk, int fd, struct node **list, size_t *count,
                                  struct fault *fault)
{
    ssize_t got;

    while ((got = getdents64(fd, walk->buffer, NAMES_BYTES)) > 0) {
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *dirent = (const void *)(walk->buffer + at);
            struct str name = str_of(dirent->d_name);
            struct node *node;

            at += dirent->d_reclen;
            if (is_unseen(name))
                continue;
            if (name_count(walk, name, fault) != FAULT_OK)
                return fault_pass(fault);
            node = node_new(walk, dirent, name);
            node->next = *list;
            *list = node;
            ++*count;
        }
    }
    if (got < 0 && errno != ENOENT) /* a directory that was removed has no names */
        return io_fault(walk, "read", fault);
    return FAULT_OK;
}

static int node_order(const void *a, const void *b)
{
    const struct node *const *x = a, *const *y = b;

    return str_cmp((*x)->sight.entry.name, (*y)->sight.entry.name);
}

static struct node *nodes_sort(struct node *list, size_t count)
{
    struct node **row = malloc(count * sizeof(void *)), *first;

    if (!row)
        abort();
    for (size_t i = 0; i < count; i++, list = list->next)
        row[i] = list;
    qsort(row, count, sizeof(void *), node_order);
    for (size_t i = 0; i < count; i++)
        row[i]->next = i + 1 < count ? row[i + 1] : NULL;
    first = row[0];
    free(row);
    return first;
}

/* ---- what a name stands for ---- */

static void leave_out(struct node *node, enum tree_left why)
{
    struct str name = node->sight.entry.name;

    node->sight.entry = (struct tree_entry){.type = TREE_LEFT, .left = why, .name = name};
}

/* False with `errno`. `*mounted`: something else is mounted on it. */
static bool name_stat(int fd, const char *name, struct stat_id *out, bool *mounted)
{
    struct statx x;

    if (statx(fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &x) != 0)
        return false;
    *out = (struct stat_id){
        .size = (int64_t)x.stx_size,
        .mtime_ns = stat_time(x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec),
        .ctime_ns = stat_time(x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec),
        .ino = x.stx_ino,
        .dev = makedev(x.stx_dev_major, x.stx_dev_minor),
        .mode = x.stx_mode,
    };
    *mounted = x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
    return true;
}

/* What came of a look. */
enum look {
    LOOK_DONE,
    LOOK_AGAIN, /* the name stands for something else by now */
    LOOK_FAULT
};

/* A name that was there and cannot be opened or read. */
static enum look look_failed(struct walk *walk, struct node *node, struct fault *fault)
{
    if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR || errno == EINVAL)
        return LOOK_AGAIN;
    if (is_shortage(errno)) {
        (void)io_fault(walk, "open what is in", fault);
        return LOOK_FAULT;
    }
    leave_out(node, LEFT_UNREADABLE);
    return LOOK_DONE;
}

/* Is the name what the index remembers? Then that is what it is. */
static bool take_remembered(struct node *node, const struct stat_entry *known)
{
    struct str name = node->sight.entry.name;

    if (!known || !known->trusted || !stat_id_same(&known->id, &node->sight.id))
        return false;
    node->sight.entry = known->entry;
    node->sight.entry.name = name;
    node->sight.clock_ns = INT64_MAX;
    node->reused = true;
    return true;
}

/* Counts a file that is kept. */
static bool size_fits(struct walk *walk, int64_t size, struct fault *fault)
{
    walk->bytes += size;
    if (walk->bytes <= walk->limits.bytes)
        return true;
    (void)fault_set(fault, FAULT_TOO_LARGE, "the files of the directory have more than %lld bytes",
                    (long long)walk->limits.bytes);
    return false;
}

static enum look look_file(struct walk *walk, int dir, struct node *node,
                           const struct stat_entry *known, struct fault *fault)
{
    struct sight *sight = &node->sight;
    struct stat stat;
    int fd;

    if (sight->id.size > walk->limits.file_bytes) {
        leave_out(node, LEFT_SIZE);
        return LOOK_DONE;
    }
    if (take_remembered(node, known) && tree_is_file(sight->entry.type))
        return size_fits(walk, sight->id.size, fault) ? LOOK_DONE : LOOK_FAULT;
    node->reused = false;
    fd =
        openat(dir, sight->entry.name.p, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return look_failed(walk, node, fault);
    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode)) {
        close(fd);
        return LOOK_AGAIN;
    }
    if (!size_fits(walk, stat.st_size, fault)) {
        close(fd);
        return LOOK_FAULT;
    }
    node->given = true;
    if (intake_give(walk->intake, fd, sight))
        return LOOK_DONE;
    return intake_wait(walk->intake, fault) == FAULT_OK ? LOOK_DONE : LOOK_FAULT;
}

static enum look look_link(struct walk *walk, int dir, struct node *node,
                           const struct stat_entry *known, struct fault *fault)
{
    struct tree_entry *entry = &node->sight.entry;
    ssize_t n;

    if (take_remembered(node, known) && entry->type == TREE_LINK)
        return LOOK_DONE;
    node->reused = false;
    /* The names that stood there have all been read; an array of its own would be in the stack once
     * for each directory on the way. */
    n = readlinkat(dir, entry->name.p, walk->buffer, TREE_TARGET_BYTES + 1);
    if (n < 0)
        return look_failed(walk, node, fault);
    if (n > TREE_TARGET_BYTES) {
        leave_out(node, LEFT_UNREADABLE);
        return LOOK_DONE;
    }
    entry->type = TREE_LINK;
    entry->target = arena_dup(&walk->nodes, (struct str){walk->buffer, (size_t)n});
    return LOOK_DONE;
}

/* What the index has of the name that is looked at. */
struct known {
    const struct stat_entry *entry; /* NULL: nothing */
    struct stat_cursor inside;      /* of a directory */
};

static enum fault_code dir_walk(struct walk *walk, int fd, struct node *dir,
                                const struct known *known, int depth, struct fault *fault);

static enum fault_code dir_enter(struct walk *walk, int fd, struct node *node,
                                 const struct known *known, int depth, struct fault *fault)
{
    size_t n = walk->path.n;
    enum fault_code code;

    if (n)
        buf_add_char(&walk->path, '/');
    buf_add_str(&walk->path, node->sight.entry.name);
    if (walk->path.full)
        return fault_set(fault, FAULT_TOO_LARGE, "a path of more than %d bytes", IGNORE_PATH_BYTES);
    code = dir_walk(walk, fd, node, known, depth, fault);
    walk->path.n = n;
    return code;
}

static enum look look_dir(struct walk *walk, int dir, struct node *node, const struct known *known,
                          int depth, struct fault *fault)
{
    enum fault_code code;
    struct stat stat;
    int fd;

    if (depth >= SNAPSHOT_DEPTH) {
        leave_out(node, LEFT_DEPTH);
        return LOOK_DONE;
    }
    fd = openat(dir, node->sight.entry.name.p,
                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return look_failed(walk, node, fault);
    if (fstat(fd, &stat) != 0 || stat.st_ino != node->sight.id.ino ||
        stat.st_dev != node->sight.id.dev) {
        close(fd);
        return LOOK_AGAIN;
    }
    node->sight.entry.type = TREE_DIR;
    node->sight.entry.mode = node->sight.id.mode & TREE_MODE;
    code = dir_enter(walk, fd, node, known, depth + 1, fault);
    close(fd);
    return code == FAULT_OK ? LOOK_DONE : LOOK_FAULT;
}

static enum look look(struct walk *walk, int dir, struct node *node, const struct known *known,
                      int depth, struct fault *fault)
{
    struct sight *sight = &node->sight;
    bool mounted;

    sight->clock_ns = stat_clock();
    if (!name_stat(dir, sight->entry.name.p, &sight->id, &mounted)) {
        node->gone = errno == ENOENT;
        return node->gone ? LOOK_DONE : look_failed(walk, node, fault);
    }
    if (mounted || (S_ISDIR(sight->id.mode) && sight->id.dev != walk->dev)) {
        leave_out(node, LEFT_MOUNT);
        return LOOK_DONE;
    }
    switch (sight->id.mode & S_IFMT) {
    case S_IFREG:
        return look_file(walk, dir, node, known->entry, fault);
    case S_IFLNK:
        return look_link(walk, dir, node, known->entry, fault);
    case S_IFDIR:
        return look_dir(walk, dir, node, known, depth, fault);
    default:
        leave_out(node, LEFT_SPECIAL);
        return LOOK_DONE;
    }
}

static enum fault_code node_look(struct walk *walk, int dir, struct node *node,
                                 const struct known *known, int depth, struct fault *fault)
{
    for (int i = 0; i < LOOKS; i++) {
        enum look found = look(walk, dir, node, known, depth, fault);

        if (found == LOOK_FAULT)
            return fault_pass(fault);
        if (found == LOOK_DONE)
            return FAULT_OK;
    }
    leave_out(node, LEFT_UNREADABLE);
    return FAULT_OK;
}

/* ---- the walk ---- */

/* Is the name left out by the rules? While they are the same, so is what is remembered. */
static bool is_ignored(struct walk *walk, int dir, struct node *node,
                       const struct stat_entry *known, bool same_rules)
{
    struct str name = node->sight.entry.name;

    if (!node->kind_known) {
        struct stat_id id;
        bool mounted;

        node->maybe_dir = name_stat(dir, name.p, &id, &mounted) && S_ISDIR(id.mode);
    }
    if (known && same_rules && known->is_dir == node->maybe_dir)
        return known->ignored;
    return ignore_has(walk->ignore, name, node->maybe_dir);
}

/* Has the index what is not kept, too? A file that was given belongs to the intake now. */
static void node_compare(struct node *node, const struct stat_entry *known)
{
    const struct tree_entry *entry = &node->sight.entry;

    if (node->given)
        return;
    if (node->ignored)
        node->reused = known && known->ignored && known->is_dir == node->maybe_dir;
    else if (known && !known->ignored && entry->type == TREE_LEFT)
        node->reused = known->entry.type == TREE_LEFT && known->entry.left == entry->left;
}

static enum fault_code node_walk(struct walk *walk, int dir, struct node *node,
                                 struct stat_cursor *cursor, bool same_rules, int depth,
                                 struct fault *fault)
{
    struct known known = {0};
    struct stat_entry entry;

    if (stat_cursor_find(cursor, node->sight.entry.name, &entry)) {
        known.entry = &entry;
        known.inside = stat_cursor_enter(cursor, &entry);
    }
    node->ignored = is_ignored(walk, dir, node, known.entry, same_rules);
    if (!node->ignored && node_look(walk, dir, node, &known, depth, fault) != FAULT_OK)
        return fault_pass(fault);
    node_compare(node, known.entry);
    return FAULT_OK;
}

static struct dir_facts *facts_new(struct walk *walk, const struct known *known)
{
    struct dir_facts *facts = arena_alloc(&walk->nodes, sizeof(*facts));

    ignore_rules(walk->ignore, facts->rules);
    if (!known->inside.index)
        return facts;
    facts->known = true;
    facts->same_rules = memcmp(facts->rules, known->inside.rules, HASH_BYTES) == 0;
    memcpy(facts->hash, known->entry->entry.hash, HASH_BYTES);
    facts->mode = known->entry->entry.mode;
    facts->count = known->inside.count;
    return facts;
}

static enum fault_code names_walk(struct walk *walk, int fd, struct node *dir,
                                  const struct known *known, int depth, struct fault *fault)
{
    struct stat_cursor cursor = known->inside;
    size_t count = 0;

    if (names_read(walk, fd, &dir->first, &count, fault) != FAULT_OK)
        return fault_pass(fault);
    if (count)
        dir->first = nodes_sort(dir->first, count);
    for (struct node *node = dir->first; node; node = node->next)
        if (node_walk(walk, fd, node, &cursor, dir->facts->same_rules, depth, fault) != FAULT_OK)
            return fault_pass(fault);
    return FAULT_OK;
}

static enum fault_code dir_walk(struct walk *walk, int fd, struct node *dir,
                                const struct known *known, int depth, struct fault *fault)
{
    enum fault_code code;

    if (intake_cancelled(walk->cancel_fd))
        return fault_set(fault, FAULT_INTERRUPTED, "stopped while the directory was looked at");
    if (ignore_enter(walk->ignore, fd, buf_str(&walk->path), fault) != FAULT_OK)
        return fault_pass(fault);
    dir->facts = facts_new(walk, known);
    code = names_walk(walk, fd, dir, known, depth, fault);
    ignore_leave(walk->ignore);
    return code;
}

static enum fault_code top_walk(struct walk *walk, int fd, struct node *top, struct fault *fault)
{
    struct known known = {0};
    struct stat_entry entry;
    struct stat stat;

    if (fstat(fd, &stat) != 0)
        return fault_set(fault, FAULT_IO, "cannot look at the directory: %s", strerror(errno));
    walk->dev = stat.st_dev;
    if (stat_cursor_top(walk->index, &known.inside, &entry))
        known.entry = &entry;
    top->sight.entry.type = TREE_DIR;
    return dir_walk(walk, fd, top, &known, 0, fault);
}

enum fault_code walk_run(struct walk *walk, int dir, struct node **out, struct fault *fault)
{
    struct node *top = arena_alloc(&walk->nodes, sizeof(*top));
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum fault_code code;

    if (fd < 0)
        return fault_set(fault, FAULT_IO, "cannot open the directory: %s", strerror(errno));
    code = top_walk(walk, fd, top, fault);
    close(fd);
    if (code == FAULT_OK)
        *out = top;
    return code;
}
