/* Who may use a session's directory: one at a time. */
#include "base/clock.h"
#include "engine/workspaces_own.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOOK_MS = 10,  /* how often a lock is tried again */
    AGAIN_MS = 200 /* how often the session is looked at meanwhile */
};

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

enum fault_code place_read(struct place *place, struct str session, struct fault *fault)
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
            return place_refuse(place, fault);
        if (flock(place->lock, LOCK_EX | LOCK_NB) == 0 && lock_counts(place) && held_add(place))
            return FAULT_OK;
        close(place->lock);
        place->lock = -1;
        if (waited % AGAIN_MS == 0 && place_read(place, session, fault) != FAULT_OK)
            return fault_pass(fault);
        if (waited >= wait_ms || run_active(place->session.turn_state))
            return lock_refuse(place, fault);
        clock_pause_ms(LOOK_MS);
    }
}

enum fault_code place_lock(struct place *place, struct str session, int wait_ms,
                           struct fault *fault)
{
    bool waits = wait_begin(place->workspaces);
    enum fault_code code = lock_wait(place, session, waits ? wait_ms : 0, fault);

    if (waits)
        wait_end(place->workspaces);
    return code;
}

void place_unlock(struct place *place)
{
    held_remove(place);
    if (place->lock >= 0)
        close(place->lock);
    place->lock = -1;
}
