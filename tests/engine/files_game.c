#include "files_game_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t files_game_seed(void)
{
    const char *given = getenv("TINE_SEED");
    struct timespec now;

    if (given && *given)
        return strtoull(given, NULL, 10);
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000003 + (uint64_t)now.tv_nsec;
}

int files_game_operations(int operations)
{
    const char *given = getenv("TINE_OPS");

    return given && *given ? (int)strtol(given, NULL, 10) : operations;
}

/* ---- saying what happens ---- */

void game_doing(struct files_game *game, const char *format, ...)
{
    char *line = game->lines[game->step % GAME_LINES];
    va_list args;

    va_start(args, format);
    vsnprintf(line, GAME_LINE, format, args);
    va_end(args);
}

void game_also(struct files_game *game, const char *format, ...)
{
    char *line = game->lines[game->step % GAME_LINES];
    size_t n = strlen(line);
    va_list args;

    va_start(args, format);
    vsnprintf(line + n, GAME_LINE - n, format, args);
    va_end(args);
}

void game_differs(struct files_game *game, const char *format, ...)
{
    char message[2000];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    for (int i = GAME_LINES - 1; i >= 0; i--)
        if (game->step >= i)
            print_error("%d: %s\n", game->step - i, game->lines[(game->step - i) % GAME_LINES]);
    print_error("at operation %d: %s\n", game->step, message);
    fail();
    abort();
}

void game_expect(struct files_game *game, const char *what, enum fault_code got,
                 enum fault_code wanted)
{
    if (got != wanted)
        game_differs(game, "%s gave %s (%s), and should give %s", what, fault_name(got),
                     got == FAULT_OK ? "-" : game->fault.message, fault_name(wanted));
}

/* ---- sessions ---- */

int game_living(const struct files_game *game)
{
    int count = 0;

    for (int i = 0; i < game->model.session_count; i++)
        count += game->model.sessions[i]->alive;
    return count;
}

struct files_session *game_pick(struct files_game *game)
{
    int skip = chance_below(&game->chance, game_living(game));

    for (int i = 0;; i++)
        if (game->model.sessions[i]->alive && skip-- == 0)
            return game->model.sessions[i];
}

static void create(struct files_game *game)
{
    struct create_spec spec = {
        .owner = game->rig.owner, .title = STR("t"), .agent = STR("test/none")};
    struct files_session *session;
    struct model_dir *dir = NULL;
    struct session made;

    if (chance_of(&game->chance, 30)) {
        dir = &game->attached[chance_below(&game->chance, GAME_DIRECTORIES)];
        spec.workspace = (struct workspace){WORKSPACE_ATTACHED, str_of(dir->path)};
    }
    game_expect(game, "create",
                engine_create(game->rig.engine, &spec, &game->arena, &made, &game->fault),
                FAULT_OK);
    session = model_session_add(&game->model, NULL, 0);
    session->s = made.s;
    snprintf(session->id, sizeof(session->id), "%.*s", STR_ARG(made.id));
    snprintf(session->own.path, sizeof(session->own.path), "%s/work/%" PRId64, game->rig.directory,
             made.s);
    if (dir)
        session->dir = dir;
    game_doing(game, "create session %d%s%s", session->number, dir ? " in " : "",
               dir ? dir->path : "");
}

/* ---- the house ---- */

static void workspaces_begin(struct files_game *game)
{
    struct workspaces_options options = {.engine = game->rig.engine, .home = game->rig.directory};
    int64_t left = -1;

    game_expect(game, "open", workspaces_open(&options, &game->workspaces, &game->fault), FAULT_OK);
    game_expect(game, "recover", workspaces_recover(game->workspaces, &left, &game->fault),
                FAULT_OK);
    assert_int_equal(left, 0);
}

static void reopen(struct files_game *game)
{
    if (!game->rig.kind->lasts)
        return;
    game_doing(game, "reopen");
    workspaces_close(game->workspaces);
    rig_reopen(&game->rig);
    workspaces_begin(game);
}

static void collect(struct files_game *game)
{
    struct gc_spec spec = {0};
    struct gc_result result;
    struct timespec now;
    int64_t removed;

    game_doing(game, "gc");
    clock_gettime(CLOCK_REALTIME, &now);
    spec.now_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    game_expect(game, "gc", store_gc(game->rig.store, &spec, NULL, NULL, &result, &game->fault),
                FAULT_OK);
    game_expect(game, "sweep", workspaces_sweep(game->workspaces, &removed, &game->fault),
                FAULT_OK);
    game_check_all(game);
}

/* A session as it was taken in by another store. */
static void check_import(struct files_game *game, struct rig *other, struct workspaces *workspaces,
                         const struct files_session *session)
{
    struct files_place at = {.owner = other->owner, .session = str_of(session->id)};
    struct session taken;
    struct files_map found;
    struct str dir;

    for (int i = 0; i < session->count; i++) {
        const struct model_files_act *act = game->model.acts[session->raw[i]];
        struct copy *wanted = model_tree(&game->model, session, i);
        unsigned char tree[HASH_BYTES];
        struct address found_at;

        if (act->kind == ENTRY_MOVE)
            continue;
        at.at = (struct point_spec){
            .by = POINT_MESSAGE, .side = SIDE_BEFORE, .guard = GUARD_NONE, .name = str_of(act->id)};
        game_expect(game, "the tree of a place that was taken in",
                    store_tree_at(other->store, other->owner, at.session, &at.at, &found_at, tree,
                                  &game->fault),
                    FAULT_OK);
        game_check_hash(game, tree, wanted, "the tree of a place that was taken in");
        if (wanted->look != game->looks)
            game_check_place(game, workspaces, session, &at, wanted);
        wanted->look = game->looks;
    }
    game_expect(game, "a session that was taken in",
                store_session_get(other->store, other->owner, at.session, false, &game->arena,
                                  &taken, &game->fault),
                FAULT_OK);
    game_expect(game, "lay out",
                workspaces_dir(workspaces, &taken, &game->arena, &dir, &game->fault), FAULT_OK);
    if (!map_scan(dir.p, &found) || !map_same(&found, &model_head_tree(&game->model, session)->map))
        game_differs(game, "the directory of session %d is another after the way through an export",
                     session->number);
    map_clear(&found);
}

/* All of it out, and into another store. */
static void export_all(struct files_game *game)
{
    struct gathered items = {.arena = &game->arena};
    struct replay replay = {&items, 0};
    struct workspaces *workspaces;
    struct workspaces_options options;
    struct rig other;

    game_doing(game, "export and import");
    game_expect(
        game, "export",
        store_export(game->rig.store, game->rig.owner, STR(""), gather_item, &items, &game->fault),
        FAULT_OK);
    rig_open(&other, &rig_kinds[0], 1);
    game_expect(game, "import",
                store_import(other.store, other.owner, replay_item, &replay, &game->fault),
                FAULT_OK);
    options = (struct workspaces_options){.engine = other.engine, .home = other.directory};
    game_expect(game, "open another home", workspaces_open(&options, &workspaces, &game->fault),
                FAULT_OK);
    game->looks++;
    for (int i = 0; i < game->model.session_count; i++)
        if (game->model.sessions[i]->alive)
            check_import(game, &other, workspaces, game->model.sessions[i]);
    workspaces_close(workspaces);
    rig_close(&other);
    game->imported++;
}

/* ---- playing ---- */

static void play_one(struct files_game *game)
{
    static const struct {
        int weight;
        game_operation *play;
    } table[] = {
        {250, game_foreign}, {200, game_turn},   {130, game_rewind}, {80, game_undo},
        {50, game_redo},     {70, game_fork},    {50, game_adopt},   {70, game_merge},
        {35, game_put},      {25, game_restore}, {20, game_look},    {15, game_delete_file},
        {12, game_attach},   {12, game_detach},
    };
    struct files_session *session = game_pick(game);
    int what = chance_below(&game->chance, 1050);

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); what -= table[i++].weight)
        if (what < table[i].weight) {
            table[i].play(game, session);
            return;
        }
    if (what < 10 && game_living(game) > 2)
        game_delete(game, session);
    else if (what < 13)
        collect(game);
    else if (what < 20)
        reopen(game);
    else if (what < 22)
        export_all(game);
}

static void check_some(struct files_game *game)
{
    const struct files_session *session = game_pick(game);

    for (int i = 0; i < game->model.session_count; i++)
        if (game->model.sessions[i]->alive)
            game_check_dir(game, game->model.sessions[i]->dir);
    game_check_tree(game, session, session->count, chance_of(&game->chance, 10));
    game_check_tree(game, session, chance_below(&game->chance, session->count + 1),
                    chance_of(&game->chance, 5));
}

static void keep_going(struct files_game *game)
{
    struct files_session *session = game_pick(game);

    if (game_living(game) < 3)
        create(game);
    else if (session->count + 10 > GAME_ACTS || session->undos + 10 > STEPS_MAX)
        game_delete(game, session);
    else
        play_one(game);
}

/* Something that is left out, and that no move may touch. */
static void ignored_make(const struct model_dir *dir)
{
    char path[300];

    snprintf(path, sizeof(path), "%s/" MAP_IGNORED, dir->path);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/" MAP_IGNORED "/kept", dir->path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void game_open(struct files_game *game, const struct rig_kind *kind, uint64_t seed)
{
    rig_open(&game->rig, kind, seed);
    game->chance.state = seed;
    arena_init(&game->arena);
    files_model_open(&game->model);
    scratch_make(game->away, sizeof(game->away));
    for (int i = 0; i < GAME_DIRECTORIES; i++) {
        snprintf(game->attached[i].path, sizeof(game->attached[i].path), "%s/%d", game->away, i);
        assert_int_equal(mkdir(game->attached[i].path, 0755), 0);
        game->attached[i].there = true;
        ignored_make(&game->attached[i]);
    }
    workspaces_begin(game);
    create(game);
}

static void game_close(struct files_game *game)
{
    workspaces_close(game->workspaces);
    for (int i = 0; i < GAME_DIRECTORIES; i++)
        map_clear(&game->attached[i].map);
    files_model_close(&game->model);
    arena_clear(&game->arena);
    scratch_remove(game->away);
    rig_close(&game->rig);
}

/* What is gone with the process anyway need not wait for the disk. Returns what was set before. */
static char *disk_leave(const struct rig_kind *kind)
{
    const char *given = getenv("TMPDIR");
    char *before = given ? strdup(given) : NULL;

    if (!kind->lasts && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return before;
}

static void disk_return(char *before)
{
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

void files_game_play(const struct rig_kind *kind, uint64_t seed, int operations)
{
    struct files_game *game = calloc(1, sizeof(*game));
    mode_t mask = umask(022);
    char *disk = disk_leave(kind);

    assert_non_null(game);
    game_open(game, kind, seed);
    for (game->step = 1; game->step <= operations; game->step++) {
        game->lines[game->step % GAME_LINES][0] = '\0';
        game->rig.now_us += 1000;
        keep_going(game);
        check_some(game);
        arena_clear(&game->arena);
    }
    game_doing(game, "the end");
    collect(game);
    export_all(game);
    printf("# %d operations: %" PRId64 " moves of files, %" PRId64 " refused, %" PRId64
           " forced, %" PRId64 " merges, %" PRId64 " exports\n",
           operations, game->moved, game->refused, game->forced, game->merged, game->imported);
    if (operations >= 1000) {
        assert_true(game->moved > 20 && game->refused > 5);
        assert_true(game->forced > 5 && game->merged > 3);
    }
    game_close(game);
    free(game);
    disk_return(disk);
    umask(mask);
}
