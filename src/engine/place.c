/* A session's directory while somebody uses it. */
#include "engine/workspaces_own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 10,  /* how often a lock is tried again */
    AGAIN_MS = 200 /* how often the session is looked at meanwhile */
};

static void pause_ms(int ms)
{
    struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};

    nanosleep(&time, NULL);
}

static int64_t clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- the lock ---- */

static int lock_open(const struct place *place)
{
    struct arena arena;
    int fd;

    if (place->session.workspace.mode == WORKSPACE_ATTACHED)
        return open(place->dir.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    arena_init(&arena);
    fd = open(arena_printf(&arena, "%s.lock", place->index.p).p,
              O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    arena_clear(&arena);
    return fd;
}

/*
 * A lock is on one directory, and one that is attached may have another in it that is attached,
 * too. False when somebody works there. The same directory is kept apart by its lock.
 */
static bool held_add(struct place *place)
{
    struct workspaces *workspaces = place->workspaces;
    const struct place *other;

    if (place->session.workspace.mode != WORKSPACE_ATTACHED)
        return true;
    pthread_mutex_lock(&workspaces->lock);
    for (other = workspaces->held; other; other = other->next_held)
        if (dir_is_inside(place->dir.p, other->dir.p) || dir_is_inside(other->dir.p, place->dir.p))
            break;
    if (!other) {
        place->is_held = true;
        place->next_held = workspaces->held;
        workspaces->held = place;
    }
    pthread_mutex_unlock(&workspaces->lock);
    return !other;
}

static void held_remove(struct place *place)
{
    struct workspaces *workspaces = place->workspaces;
    struct place **at = &workspaces->held;

    if (!place->is_held)
        return;
    pthread_mutex_lock(&workspaces->lock);
    while (*at != place)
        at = &(*at)->next_held;
    *at = place->next_held;
    pthread_mutex_unlock(&workspaces->lock);
    place->is_held = false;
}

/* Somebody who removed the session may have taken the file away while we waited for it. */
static bool lock_counts(const struct place *place)
{
    struct stat held, there;
    struct arena arena;
    bool same;

    if (place->session.workspace.mode == WORKSPACE_ATTACHED)
        return true;
    arena_init(&arena);
    same = fstat(place->lock, &held) == 0 &&
           stat(arena_printf(&arena, "%s.lock", place->index.p).p, &there) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
    arena_clear(&arena);
    return same;
}

static enum fault_code lock_refuse(const struct place *place, struct fault *fault)
{
    if (run_active(place->session.turn_state))
        return fault_set(fault, FAULT_TURN_RUNNING, "a turn is running in session \"%.*s\"",
                         STR_ARG(place->session.id));
    if (place->session.workspace.mode == WORKSPACE_ATTACHED)
        return fault_set(fault, FAULT_WORKSPACE_BUSY,
                         "another session, or another program, works in \"%s\"", place->dir.p);
    return fault_set(fault, FAULT_WORKSPACE_BUSY, "the files of session \"%.*s\" are in use",
                     STR_ARG(place->session.id));
}

static enum fault_code session_read(struct place *place, struct str session, struct fault *fault)
{
    if (store_session_get(workspaces_store(place->workspaces), place->owner, session, false,
                          &place->arena, &place->session, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(place->tree, place->session.tree, HASH_BYTES);
    return FAULT_OK;
}

/* False when too many wait already. */
static bool wait_begin(struct workspaces *workspaces)
{
    bool may;

    pthread_mutex_lock(&workspaces->lock);
    may = workspaces->waiting < PLACE_WAITERS;
    workspaces->waiting += may;
    pthread_mutex_unlock(&workspaces->lock);
    return may;
}

static void wait_end(struct workspaces *workspaces)
{
    pthread_mutex_lock(&workspaces->lock);
    workspaces->waiting--;
    pthread_mutex_unlock(&workspaces->lock);
}

/* Waits for whoever has it, but not for a turn of the session itself: that may take long. */
static enum fault_code lock_wait(struct place *place, struct str session, int wait_ms,
                                 struct fault *fault)
{
    for (int waited = 0;; waited += LOOK_MS) {
        place->lock = lock_open(place);
        if (place->lock < 0)
            return fault_set(fault, FAULT_WORKSPACE_BLOCKED,
                             "the directory \"%s\" cannot be used: %s", place->dir.p,
                             strerror(errno));
        if (flock(place->lock, LOCK_EX | LOCK_NB) == 0 && lock_counts(place) && held_add(place))
            return FAULT_OK;
        close(place->lock);
        place->lock = -1;
        if (waited % AGAIN_MS == 0 && session_read(place, session, fault) != FAULT_OK)
            return fault_pass(fault);
        if (waited >= wait_ms || run_active(place->session.turn_state))
            return lock_refuse(place, fault);
        pause_ms(LOOK_MS);
    }
}

static enum fault_code lock_take(struct place *place, struct str session, int wait_ms,
                                 struct fault *fault)
{
    bool waits = wait_begin(place->workspaces);
    enum fault_code code = lock_wait(place, session, waits ? wait_ms : 0, fault);

    if (waits)
        wait_end(place->workspaces);
    return code;
}

/* ---- the directory ---- */

static bool is_ours(const struct place *place)
{
    return place->session.workspace.mode != WORKSPACE_ATTACHED;
}

/* Of a directory of ours whose rights somebody took away, the rights come back. */
int place_open(const struct place *place)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW };
    int fd = open(place->dir.p, FLAGS);

    if (fd >= 0 || errno != EACCES || !is_ours(place))
        return fd;
    if (chmod(place->dir.p, 0700) != 0) {
        errno = EACCES;
        return -1;
    }
    return open(place->dir.p, FLAGS);
}

/* Where the directories of ours are is nobody's business. */
static enum fault_code dir_refuse(const struct place *place, struct fault *fault)
{
    if (is_ours(place))
        return fault_set(fault, FAULT_WORKSPACE_BLOCKED,
                         "the directory of session \"%.*s\" cannot be used: %s",
                         STR_ARG(place->session.id), strerror(errno));
    return fault_set(fault, FAULT_WORKSPACE_BLOCKED, "the directory \"%s\" cannot be used: %s",
                     place->dir.p, strerror(errno));
}

/* A session without files of its own works in a directory that is nobody's memory. */
static enum fault_code make_plain(const struct place *place, struct fault *fault)
{
    if (mkdir(place->dir.p, 0700) != 0 && errno != EEXIST)
        return fault_set(fault, FAULT_IO, "cannot make the directory \"%s\": %s", place->dir.p,
                         strerror(errno));
    return FAULT_OK;
}

static enum fault_code lay_out(struct place *place, enum place_need need, struct fault *fault)
{
    enum workspace_mode mode = place->session.workspace.mode;
    enum fault_code code;

    place->fd = place_open(place);
    if (place->fd >= 0 || (need == PLACE_AS_IT_IS && mode != WORKSPACE_ATTACHED && errno == ENOENT))
        return FAULT_OK;
    if (mode == WORKSPACE_ATTACHED || errno != ENOENT)
        return dir_refuse(place, fault);
    code = mode == WORKSPACE_NONE ? make_plain(place, fault)
                                  : restore_layout(workspaces_store(place->workspaces), place->tree,
                                                   place->dir.p, place->index.p, fault);
    if (code != FAULT_OK)
        return code;
    place->fd = place_open(place);
    if (place->fd < 0)
        return fault_set(fault, FAULT_IO, "the directory \"%s\" cannot be opened: %s", place->dir.p,
                         strerror(errno));
    return FAULT_OK;
}

/* Where the directory is, and its index. */
static void place_name(struct place *place)
{
    const char *home = place->workspaces->home;
    int64_t s = place->session.s;

    place->dir = place->session.workspace.mode == WORKSPACE_ATTACHED
                     ? place->session.workspace.dir
                     : arena_printf(&place->arena, "%s/work/%" PRId64, home, s);
    place->index = arena_printf(&place->arena, "%s/index/%" PRId64, home, s);
}

static enum fault_code place_fill(struct place *place, struct str session, enum place_need need,
                                  int wait_ms, struct fault *fault)
{
    struct workspace before;

    if (session_read(place, session, fault) != FAULT_OK)
        return fault_pass(fault);
    before = place->session.workspace;
    place_name(place);
    if (lock_take(place, session, wait_ms, fault) != FAULT_OK ||
        session_read(place, session, fault) != FAULT_OK) /* whoever had it may have changed it */
        return fault_pass(fault);
    if (before.mode != place->session.workspace.mode ||
        !str_eq(before.dir, place->session.workspace.dir))
        return fault_set(fault, FAULT_WORKSPACE_BUSY,
                         "the directory of session \"%.*s\" was just changed", STR_ARG(session));
    if (intent_settle(place, fault) != FAULT_OK)
        return fault_pass(fault);
    return lay_out(place, need, fault);
}

enum fault_code place_take(struct workspaces *workspaces, int64_t owner, struct str session,
                           enum place_need need, int wait_ms, struct place **out,
                           struct fault *fault)
{
    struct place *place = calloc(1, sizeof(*place));

    if (!place)
        abort();
    place->workspaces = workspaces;
    place->owner = owner;
    place->lock = place->fd = -1;
    arena_init(&place->arena);
    if (place_fill(place, session, need, wait_ms, fault) != FAULT_OK) {
        place_leave(place);
        return fault_pass(fault);
    }
    *out = place;
    return FAULT_OK;
}

enum fault_code place_hold(struct workspaces *workspaces, int64_t owner, struct str session,
                           int wait_ms, struct place **out, struct fault *fault)
{
    return place_take(workspaces, owner, session, PLACE_LAID_OUT, wait_ms, out, fault);
}

static void place_clear(struct place *place)
{
    held_remove(place);
    if (place->fd >= 0)
        close(place->fd);
    if (place->lock >= 0)
        close(place->lock);
    arena_clear(&place->arena);
}

void place_leave(struct place *place)
{
    if (!place)
        return;
    place_clear(place);
    free(place);
}

const char *place_dir(const struct place *place)
{
    return place->dir.p;
}

/* ---- snapshots ---- */

enum fault_code place_snapshot(struct place *place, int cancel_fd, struct arena *arena,
                               struct snapshot *out, struct fault *fault)
{
    struct snapshot_spec spec = {
        .store = workspaces_store(place->workspaces),
        .dir = place->fd,
        .index = place->index.p,
        .limits = place->workspaces->limits,
        .cancel_fd = cancel_fd,
    };
    struct workspaces *workspaces = place->workspaces;
    int64_t began = clock_us();
    enum fault_code code;

    if (is_ours(place) && geteuid() != 0)
        fchmod(place->fd, 0700); /* its own mode is not kept, and it must be read */
    code = snapshot_take(&spec, arena, out, fault);

    pthread_mutex_lock(&workspaces->lock);
    workspaces->counts.snapshots++;
    workspaces->counts.snapshot_us += clock_us() - began;
    if (code == FAULT_OK) {
        workspaces->counts.files_read += out->read;
        workspaces->counts.bytes_read += out->read_bytes;
    }
    pthread_mutex_unlock(&workspaces->lock);
    return code;
}

enum fault_code place_look(struct place *place, int cancel_fd, struct entry_spec *entry,
                           bool *changed, struct fault *fault)
{
    struct snapshot snapshot;
    struct arena arena;
    enum fault_code code;

    *changed = false;
    if (place->session.workspace.mode == WORKSPACE_NONE || place->fd < 0)
        return FAULT_OK;
    arena_init(&arena);
    code = place_snapshot(place, cancel_fd, &arena, &snapshot, fault);
    arena_clear(&arena);
    if (code != FAULT_OK || tree_same(snapshot.tree.hash, place->tree))
        return code;
    memcpy(place->seen, snapshot.tree.hash, HASH_BYTES);
    entry->tree = (struct str){(const char *)place->seen, HASH_BYTES};
    entry->tree_since = snapshot.tree.since_us;
    if (snapshot.left_all)
        entry->flags |= ENTRY_LEFT_OUT;
    *changed = true;
    return FAULT_OK;
}

void place_record(struct place *place, const struct entry_spec *entry)
{
    memcpy(place->tree, entry->tree.p, HASH_BYTES);
    place->unseen = false;
}

void place_entry(struct entry_spec *entry, bool foreign)
{
    entry->kind = ENTRY_FILES;
    entry->role = ROLE_NONE;
    entry->turn_rule = TURN_NONE;
    entry->body = STR("{}");
    if (foreign)
        entry->flags |= ENTRY_FOREIGN;
}

enum fault_code place_record_foreign(struct place *place, struct fault *fault)
{
    for (int i = 0;; i++) {
        struct append_spec spec = {.owner = place->owner, .session = place->session.id};
        struct entry_spec entry = {0};
        struct append_result result;
        struct arena arena;
        enum fault_code code;
        bool changed;

        if (place_look(place, -1, &entry, &changed, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!changed)
            return FAULT_OK;
        place_entry(&entry, true);
        arena_init(&arena);
        code = engine_append(place->workspaces->engine, &spec, &entry, 1, &arena, &result, fault);
        arena_clear(&arena);
        if (code == FAULT_OK)
            place_record(place, &entry);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

enum fault_code session_record(struct workspaces *workspaces, int64_t owner, struct str session,
                               struct fault *fault)
{
    struct place *place;
    enum fault_code code;

    if (place_take(workspaces, owner, session, PLACE_AS_IT_IS, PLACE_WAIT_MS, &place, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    code = place_record_foreign(place, fault);
    place_leave(place);
    return code;
}

/* ---- back to the own directory ---- */

/* Is a tree one that the session had at some time, so that it can be had again? */
struct had {
    const unsigned char *tree;
    bool found;
};

static enum fault_code had_act(void *context, const struct files_act *act, struct fault *fault)
{
    struct had *had = context;

    (void)fault;
    had->found =
        had->found || tree_same(act->before, had->tree) || tree_same(act->after, had->tree);
    return FAULT_OK;
}

/* Others changed what is in the own directory while nobody looked: it is recorded before it goes.
 */
static enum fault_code record_found(struct place *place, const struct snapshot *found,
                                    struct fault *fault)
{
    struct append_spec spec = {.owner = place->owner, .session = place->session.id};
    struct had had = {found->tree.hash, tree_same(found->tree.hash, place->session.base_tree)};
    struct entry_spec entries[2] = {{0}, {0}};
    struct append_result result;
    struct arena arena;
    enum fault_code code;

    if (store_files_acts(workspaces_store(place->workspaces), place->owner, place->session.id,
                         ADDRESS_START, had_act, &had, fault) != FAULT_OK)
        return fault_pass(fault);
    if (had.found)
        return FAULT_OK;
    for (int i = 0; i < 2; i++) {
        const unsigned char *tree = i ? place->tree : found->tree.hash;

        place_entry(&entries[i], i == 0);
        entries[i].tree = (struct str){(const char *)tree, HASH_BYTES};
        entries[i].tree_since = found->tree.since_us;
    }
    if (found->left_all)
        entries[0].flags |= ENTRY_LEFT_OUT;
    arena_init(&arena);
    code = engine_append(place->workspaces->engine, &spec, entries, 2, &arena, &result, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code refit(struct place *place, struct fault *fault)
{
    struct restore_spec spec = {.store = workspaces_store(place->workspaces), .dir = place->fd};
    struct snapshot found;
    struct arena arena;
    enum fault_code code;

    for (int i = 0;; i++) {
        arena_init(&arena);
        code = place_snapshot(place, -1, &arena, &found, fault);
        if (code == FAULT_OK && !tree_same(found.tree.hash, place->tree))
            code = record_found(place, &found, fault);
        arena_clear(&arena);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            break;
    }
    if (code != FAULT_OK)
        return code;
    memcpy(spec.from, found.tree.hash, HASH_BYTES);
    memcpy(spec.to, place->tree, HASH_BYTES);
    return restore_apply(&spec, fault);
}

enum fault_code session_refit(struct workspaces *workspaces, int64_t owner, struct str session,
                              struct fault *fault)
{
    struct place place = {.workspaces = workspaces, .owner = owner, .lock = -1, .fd = -1};
    enum fault_code code;

    arena_init(&place.arena);
    code = session_read(&place, session, fault);
    if (code == FAULT_OK) {
        place.session.workspace = (struct workspace){WORKSPACE_OWN, STR("")};
        place_name(&place);
        code = lock_take(&place, session, 0, fault); /* nobody works there */
    }
    if (code == FAULT_OK) {
        place.fd = place_open(&place);
        if (place.fd >= 0)
            code = refit(&place, fault);
        else if (errno != ENOENT)
            code = dir_refuse(&place, fault);
    }
    place_clear(&place);
    return code;
}
