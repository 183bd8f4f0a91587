#include "engine/workspaces_own.h"
#include "base/numbers.h"
#include "workspace/path.h"
#include "workspace/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static enum fault_code make_dir(const char *home, const char *name, struct fault *fault)
{
    struct arena arena;
    struct str path;
    enum fault_code code = FAULT_OK;

    arena_init(&arena);
    path = arena_printf(&arena, "%s/%s", home, name);
    if (mkdir(path.p, 0700) != 0 && errno != EEXIST)
        code = fault_set(fault, FAULT_IO, "cannot make the directory \"%s\": %s", path.p,
                         strerror(errno));
    arena_clear(&arena);
    return code;
}

enum fault_code workspaces_open(const struct workspaces_options *options, struct workspaces **out,
                                struct fault *fault)
{
    struct workspaces *workspaces;

    if (make_dir(options->home, "work", fault) != FAULT_OK ||
        make_dir(options->home, "index", fault) != FAULT_OK)
        return fault_pass(fault);
    workspaces = calloc(1, sizeof(*workspaces));
    if (!workspaces)
        abort();
    workspaces->engine = options->engine;
    pthread_mutex_init(&workspaces->lock, NULL);
    workspaces->limits = options->limits;
    workspaces->home = realpath(options->home, NULL);
    workspaces->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!workspaces->home || workspaces->stop_fd < 0) {
        fault_write(fault, FAULT_IO, "the home \"%s\" cannot be used: %s", options->home,
                    strerror(errno));
        workspaces_close(workspaces);
        return fault_pass(fault);
    }
    *out = workspaces;
    return FAULT_OK;
}

void workspaces_close(struct workspaces *workspaces)
{
    if (!workspaces)
        return;
    if (workspaces->stop_fd >= 0)
        close(workspaces->stop_fd);
    pthread_mutex_destroy(&workspaces->lock);
    free(workspaces->home);
    free(workspaces);
}

void workspaces_count(struct workspaces *workspaces, struct workspaces_counts *out)
{
    pthread_mutex_lock(&workspaces->lock);
    *out = workspaces->counts;
    pthread_mutex_unlock(&workspaces->lock);
}

void workspaces_count_report(struct workspaces *workspaces, const struct files_report *report)
{
    pthread_mutex_lock(&workspaces->lock);
    workspaces->counts.restored += report->restored.all;
    workspaces->counts.deleted += report->deleted.all;
    pthread_mutex_unlock(&workspaces->lock);
}

enum fault_code empty_tree_keep(struct workspaces *workspaces, struct tree_spec *out,
                                struct fault *fault)
{
    struct object object = {.kind = OBJECT_DIR};
    struct packer *packer = packer_new();
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    memcpy(object.hash, tree_empty, HASH_BYTES);
    object.data = object_pack(packer, STR(""), &arena);
    *out = (struct tree_spec){.given = true};
    memcpy(out->hash, tree_empty, HASH_BYTES);
    code = store_objects_since(workspaces_store(workspaces), &out->since_us, fault);
    if (code == FAULT_OK)
        code = store_objects_put(workspaces_store(workspaces), &object, 1, fault);
    packer_free(packer);
    arena_clear(&arena);
    return code;
}

/* ---- where a session works ---- */

bool dir_is_inside(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    return strncmp(path, dir, n) == 0 && (n == 1 || path[n] == '/' || path[n] == '\0');
}

enum fault_code workspaces_check_dir(struct workspaces *workspaces,
                                     const struct workspace *workspace, struct fault *fault)
{
    char real[PATH_MAX];
    struct stat stat_;

    if (workspace->mode != WORKSPACE_ATTACHED) {
        if (workspace->dir.n)
            return fault_set(fault, FAULT_INVALID,
                             "a directory is named only for a workspace that is attached");
        return FAULT_OK;
    }
    if (workspace->dir.n == 0 || workspace->dir.p[0] != '/')
        return fault_set(fault, FAULT_INVALID, "the directory to attach needs an absolute path");
    if (workspace->dir.n > LIMIT_DIR_BYTES || memchr(workspace->dir.p, '\0', workspace->dir.n))
        return fault_set(fault, FAULT_INVALID, "the path of the directory is too long, or none");
    if (!realpath(workspace->dir.p, real) || stat(real, &stat_) != 0)
        return fault_set(fault, FAULT_INVALID, "the directory \"%s\" is not there: %s",
                         workspace->dir.p, strerror(errno));
    if (!S_ISDIR(stat_.st_mode))
        return fault_set(fault, FAULT_INVALID, "\"%s\" is no directory", workspace->dir.p);
    if (dir_is_inside(real, workspaces->home) || dir_is_inside(workspaces->home, real))
        return fault_set(fault, FAULT_INVALID,
                         "\"%s\" cannot be attached: tine keeps its own files in \"%s\"",
                         workspace->dir.p, workspaces->home);
    return FAULT_OK;
}

enum fault_code workspaces_set(struct workspaces *workspaces, struct workspace_spec *spec,
                               struct arena *arena, struct session *out, struct fault *fault)
{
    struct store *store = workspaces_store(workspaces);
    struct session before;
    struct workspace wanted = spec->workspace;
    char real[PATH_MAX];
    enum fault_code code;

    if (workspaces_check_dir(workspaces, &wanted, fault) != FAULT_OK ||
        store_session_get(store, spec->owner, spec->session, false, arena, &before, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    if (wanted.mode == WORKSPACE_ATTACHED) {
        if (!realpath(wanted.dir.p, real))
            return fault_set(fault, FAULT_INVALID, "the directory \"%s\" is not there",
                             wanted.dir.p);
        spec->workspace.dir = arena_dup(arena, str_of(real));
    }
    code = session_record(workspaces, spec->owner, spec->session, fault);
    if (code == FAULT_WORKSPACE_BLOCKED || code == FAULT_IO || code == FAULT_CORRUPT)
        code = intent_give_up(workspaces, before.s, fault);
    if (code == FAULT_OK && wanted.mode == WORKSPACE_OWN && before.workspace.mode != WORKSPACE_OWN)
        code = session_refit(workspaces, spec->owner, spec->session, fault);
    if (code != FAULT_OK)
        return code;
    spec->at_us = engine_now_us(workspaces->engine);
    if (store_workspace_set(store, spec, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (wanted.mode == WORKSPACE_NONE)
        return FAULT_OK;
    code = session_record(workspaces, spec->owner, spec->session, fault);
    if (code != FAULT_OK) { /* too large, or not to be read: as it was before */
        struct workspace_spec back = *spec;
        struct fault ignored;

        back.workspace = before.workspace;
        if (store_workspace_set(store, &back, arena, out, &ignored) != FAULT_OK)
            return fault_pass(fault);
        return code;
    }
    return store_session_get(store, spec->owner, spec->session, false, arena, out, fault);
}

struct str workspaces_path(struct workspaces *workspaces, const struct session *session,
                           struct arena *arena)
{
    if (session->workspace.mode == WORKSPACE_OWN)
        return arena_printf(arena, "%s/work/%" PRId64, workspaces->home, session->s);
    return session->workspace.mode == WORKSPACE_ATTACHED ? session->workspace.dir : STR("");
}

enum fault_code workspaces_dir(struct workspaces *workspaces, const struct session *session,
                               struct arena *arena, struct str *out, struct fault *fault)
{
    struct place *place;

    *out = workspaces_path(workspaces, session, arena);
    if (session->workspace.mode != WORKSPACE_OWN || workspaces_has_dir(workspaces, session))
        return FAULT_OK;
    if (place_take(workspaces, OWNER_ANY, session->id, PLACE_LAID_OUT, PLACE_WAIT_MS, &place,
                   fault) != FAULT_OK)
        return fault_pass(fault);
    place_leave(place);
    return FAULT_OK;
}

bool workspaces_has_dir(struct workspaces *workspaces, const struct session *session)
{
    struct arena arena;
    bool has;

    if (session->workspace.mode != WORKSPACE_OWN)
        return session->workspace.mode == WORKSPACE_ATTACHED;
    arena_init(&arena);
    has =
        access(arena_printf(&arena, "%s/work/%" PRId64, workspaces->home, session->s).p, F_OK) == 0;
    arena_clear(&arena);
    return has;
}

/* ---- sessions that go ---- */

static int open_below(const struct workspaces *workspaces, const char *name)
{
    struct arena arena;
    int fd;

    arena_init(&arena);
    fd = open(arena_printf(&arena, "%s/%s", workspaces->home, name).p,
              O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    arena_clear(&arena);
    return fd;
}

/* Everything below the home that is of session s. */
static enum fault_code clear_away(struct workspaces *workspaces, int64_t s, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct arena arena;
    int work = open_below(workspaces, "work"), index = open_below(workspaces, "index");

    arena_init(&arena);
    if (work >= 0)
        code = remove_tree(work, arena_printf(&arena, "%" PRId64, s).p, fault);
    if (index >= 0) {
        unlinkat(index, arena_printf(&arena, "%" PRId64, s).p, 0);
        unlinkat(index, arena_printf(&arena, "%" PRId64 ".lock", s).p, 0);
    }
    if (work >= 0)
        close(work);
    if (index >= 0)
        close(index);
    arena_clear(&arena);
    return code;
}

enum fault_code workspaces_delete(struct workspaces *workspaces, struct delete_spec *spec,
                                  struct fault *fault)
{
    struct place *place = NULL;
    struct session session;
    struct fault ignored;
    struct arena arena;
    enum fault_code code, held;

    arena_init(&arena);
    code = store_session_get(workspaces_store(workspaces), spec->owner, spec->session, false,
                             &arena, &session, fault);
    if (code == FAULT_OK && session.state == SESSION_SUB)
        code =
            fault_set(fault, FAULT_INVALID,
                      "session \"%.*s\" is a sub-session: it goes with the last one that it is in",
                      STR_ARG(session.id));
    if (code == FAULT_OK) {
        /* Nobody is to lose the ground under his feet: a turn that works there leaves it for gc. */
        held = place_take(workspaces, spec->owner, spec->session, PLACE_AS_IT_IS, PLACE_WAIT_MS,
                          &place, &ignored);
        code = engine_delete(workspaces->engine, spec, fault);
        if (code == FAULT_OK && held != FAULT_TURN_RUNNING && held != FAULT_WORKSPACE_BUSY &&
            clear_away(workspaces, session.s, &ignored) != FAULT_OK)
            code = FAULT_OK; /* what cannot go now goes with the next gc, too */
        if (held == FAULT_OK)
            place_leave(place);
    }
    arena_clear(&arena);
    return code;
}

static enum fault_code see_session(void *context, const struct session *session,
                                   struct fault *fault)
{
    (void)fault;
    numbers_add(context, session->s);
    return FAULT_OK;
}

static void see_directories(struct workspaces *workspaces, struct numbers *out)
{
    int fd = open_below(workspaces, "work");
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (stream && (entry = readdir(stream))) {
        char *end;
        long long s = strtoll(entry->d_name, &end, 10);

        if (s > 0 && (*end == '\0' || *end == '.'))
            numbers_add(out, s);
    }
    if (stream)
        closedir(stream);
}

enum fault_code workspaces_sweep(struct workspaces *workspaces, int64_t *removed,
                                 struct fault *fault)
{
    struct list_spec all = {.owner = OWNER_ANY, .archived = -1};
    struct numbers have = {0}, live = {0}; /* sessions that have a directory, and that live */
    struct fault ignored;
    enum fault_code code;

    *removed = 0;
    see_directories(workspaces, &have); /* first: a session made since has none of these */
    code = store_session_list(workspaces_store(workspaces), &all, see_session, &live, fault);
    numbers_sort(&live);
    for (size_t i = 0; code == FAULT_OK && i < have.count; i++) {
        if (numbers_have(&live, have.items[i]))
            continue;
        /* One that cannot go now is tried again by the next gc; the others go. */
        *removed += clear_away(workspaces, have.items[i], &ignored) == FAULT_OK;
    }
    numbers_clear(&have);
    numbers_clear(&live);
    return code;
}
