/* A session's directory while somebody uses it. */
#include "base/clock.h"
#include "engine/workspaces_own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
enum fault_code place_refuse(const struct place *place, struct fault *fault)
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
        return place_refuse(place, fault);
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
        return place_refuse(place, fault);
    code = mode == WORKSPACE_NONE ? make_plain(place, fault)
                                  : restore_layout(workspaces_store(place->workspaces), place->tree,
                                                   place->dir.p, place->index.p, fault);
    if (code != FAULT_OK)
        return code;
    place->fd = place_open(place);
    if (place->fd < 0)
        return place_refuse(place, fault);
    return FAULT_OK;
}

/* Where the directory is, and its index. */
void place_name(struct place *place)
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

    if (place_read(place, session, fault) != FAULT_OK)
        return fault_pass(fault);
    before = place->session.workspace;
    place_name(place);
    if (place_lock(place, session, wait_ms, fault) != FAULT_OK ||
        place_read(place, session, fault) != FAULT_OK) /* whoever had it may have changed it */
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

void place_clear(struct place *place)
{
    place_unlock(place);
    if (place->fd >= 0)
        close(place->fd);
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
