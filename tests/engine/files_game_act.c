/* What happens in the directories of the game, by turns, by the API and by others. */
#include "files_game_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- somebody else, and turns ---- */

static void change_some(struct files_game *game, struct model_dir *dir, int most)
{
    char words[GAME_LINE] = "";
    int changes = chance_below(&game->chance, most + 1);

    for (int i = 0; i < changes; i++)
        hand_change(dir, &game->chance, words, sizeof(words));
    game_also(game, ":%s", words);
}

void game_foreign(struct files_game *game, struct files_session *session)
{
    if (!session->dir->there)
        return;
    game_doing(game, "by hand in the directory of session %d", session->number);
    change_some(game, session->dir, 5);
}

static void record_foreign(struct files_game *game, struct files_session *session)
{
    if (session->dir->there)
        model_files(&game->model, session, model_dir_tree(&game->model, session), true);
}

struct turning {
    struct place *place;
    char name[32];
    struct append_spec spec;
};

static void say(struct files_game *game, struct turning *turning, struct entry_spec *entries,
                size_t count, enum run_act act, enum run_state state)
{
    struct append_result result;

    turning->spec.run = (struct run_step){
        .act = act, .turn = str_of(turning->name), .state = state, .holder = STR("the game")};
    for (size_t i = 0; i < count; i++)
        if (!(entries[i].flags & ENTRY_FOREIGN)) {
            entries[i].turn_rule = TURN_NAMED;
            entries[i].turn = str_of(turning->name);
        }
    game_expect(game, "append",
                engine_append(game->rig.engine, &turning->spec, entries, count, &game->arena,
                              &result, &game->fault),
                FAULT_OK);
}

static bool look(struct files_game *game, struct turning *turning, struct entry_spec *entry)
{
    bool changed;

    game_expect(game, "look", place_look(turning->place, -1, entry, &changed, &game->fault),
                FAULT_OK);
    return changed;
}

static void turn_begin(struct files_game *game, struct files_session *session,
                       struct turning *turning)
{
    struct entry_spec entries[2] = {{0}, {.kind = ENTRY_MESSAGE, .role = ROLE_USER}};
    bool changed = look(game, turning, &entries[0]);

    if (changed)
        place_entry(&entries[0], true);
    say(game, turning, entries + !changed, 1 + (size_t)changed, RUN_BEGIN, RUN_RUNNING);
    if (changed)
        place_record(turning->place, &entries[0]);
    record_foreign(game, session);
    model_entry(&game->model, session, ENTRY_MESSAGE, NULL, false);
}

/* A tool has worked, and tells of it. */
static void turn_work(struct files_game *game, struct files_session *session,
                      struct turning *turning)
{
    struct entry_spec entry = {.kind = ENTRY_MESSAGE, .role = ROLE_TOOL};
    bool changed;

    change_some(game, session->dir, 4);
    changed = look(game, turning, &entry);
    say(game, turning, &entry, 1, RUN_GO_ON, RUN_RUNNING);
    if (changed)
        place_record(turning->place, &entry);
    model_entry(&game->model, session, ENTRY_MESSAGE, model_dir_tree(&game->model, session), false);
}

static void turn_end(struct files_game *game, struct files_session *session,
                     struct turning *turning)
{
    struct entry_spec entry = {0};
    int before = game->model.act_count;
    bool changed;

    if (chance_of(&game->chance, 40))
        change_some(game, session->dir, 3);
    changed = look(game, turning, &entry);
    if (changed)
        place_entry(&entry, false);
    say(game, turning, &entry, changed, RUN_END, RUN_DONE);
    if (changed)
        place_record(turning->place, &entry);
    model_files(&game->model, session, model_dir_tree(&game->model, session), false);
    if (game->model.act_count > before)
        game->model.acts[before]->of_turn = true;
}

void game_turn(struct files_game *game, struct files_session *session)
{
    struct turning turning = {.spec = {.owner = game->rig.owner, .session = str_of(session->id)}};
    int tools = chance_below(&game->chance, 4);

    if (session->count + 8 > GAME_ACTS)
        return;
    game_doing(game, "a turn in session %d", session->number);
    snprintf(turning.name, sizeof(turning.name), "turn-%d", game->step);
    game_expect(game, "take the directory",
                place_hold(game->workspaces, game->rig.owner, str_of(session->id), 1000,
                           &turning.place, &game->fault),
                FAULT_OK);
    assert_string_equal(place_dir(turning.place), session->dir->path);
    model_lay_out(&game->model, session);
    turn_begin(game, session, &turning);
    for (int i = 0; i < tools; i++)
        turn_work(game, session, &turning);
    turn_end(game, session, &turning);
    place_leave(turning.place);
    game_sync(game, session);
}

void game_look(struct files_game *game, struct files_session *session)
{
    struct files_place live = {
        .owner = game->rig.owner, .session = str_of(session->id), .live = true};

    game_doing(game, "look at session %d", session->number);
    game_check_place(game, game->workspaces, session, &live, model_dir_tree(&game->model, session));
    record_foreign(game, session);
    game_sync(game, session);
}

/* ---- one file ---- */

/* The directories on the way to a path. False: something else is in the way. */
static bool parents_make(struct files_map *map, struct str path, bool inherit)
{
    for (size_t i = 1; i < path.n; i++) {
        struct map_node node = {
            .path = {path.p, i}, .kind = MAP_DIR, .mode = 0755, .bytes = STR("")};
        const struct map_node *there;
        size_t above = i;

        if (path.p[i] != '/')
            continue;
        there = map_find(map, node.path);
        if (there && there->kind != MAP_DIR)
            return false;
        if (there)
            continue;
        while (above > 0 && path.p[--above] != '/')
            ;
        there = above ? map_find(map, (struct str){path.p, above}) : NULL;
        if (inherit && there)
            node.mode |= there->mode & 02000; /* so the kernel does it */
        map_put(map, &node);
    }
    return true;
}

static bool parents_clear(const struct files_map *map, struct str path)
{
    struct files_map copy = map_copy(map);
    bool clear = parents_make(&copy, path, false);

    map_clear(&copy);
    return clear;
}

/* A path that is there, or one that may come, perhaps below something that is no directory. */
static struct str some_path(struct files_game *game, const struct files_map *map)
{
    struct str found;
    size_t n;
    char *path;

    if (map->count && chance_of(&game->chance, 60))
        return arena_dup(&game->arena, map->nodes[hand_pick(map, &game->chance)].path);
    path = hand_path(map, &game->chance, &n);
    found = arena_dup(&game->arena, (struct str){path, n});
    free(path);
    if (chance_of(&game->chance, 20)) {
        struct str below = hand_name(&game->chance);
        char *longer = arena_alloc(&game->arena, found.n + below.n + 2);

        memcpy(longer, found.p, found.n);
        longer[found.n] = '/';
        memcpy(longer + found.n + 1, below.p, below.n);
        found = (struct str){longer, found.n + 1 + below.n};
    }
    return found;
}

void game_put(struct files_game *game, struct files_session *session)
{
    struct file_cmd cmd = {.owner = game->rig.owner,
                           .session = str_of(session->id),
                           .content = hand_bytes(&game->chance),
                           .mode = chance_of(&game->chance, 50) ? 0 : 0750};
    struct model_dir *dir = session->dir;
    const struct map_node *there;
    struct file_result result;
    enum fault_code code, wanted = FAULT_OK;

    model_lay_out(&game->model, session);
    cmd.path = some_path(game, &dir->map);
    game_doing(game, "put \"%.*s\" in session %d", STR_ARG(cmd.path), session->number);
    code = workspaces_put(game->workspaces, &cmd, &game->arena, &result, &game->fault);
    record_foreign(game, session);
    there = map_find(&dir->map, cmd.path);
    if (!parents_clear(&dir->map, cmd.path) || (there && there->kind == MAP_DIR))
        wanted = FAULT_PATH_INVALID;
    game_expect(game, "put", code, wanted);
    if (code == FAULT_OK) {
        struct map_node node = {.path = cmd.path, .kind = MAP_FILE, .bytes = cmd.content};

        node.mode = cmd.mode ? cmd.mode : there && there->kind == MAP_FILE ? there->mode : 0644;
        if (result.made != !there || result.file.mode != node.mode)
            game_differs(game, "what is said of the file that was put");
        (void)parents_make(&dir->map, cmd.path, true);
        map_put(&dir->map, &node);
        model_files(&game->model, session, model_dir_tree(&game->model, session), false);
    }
    free((void *)(uintptr_t)cmd.content.p);
    game_sync(game, session);
}

void game_delete_file(struct files_game *game, struct files_session *session)
{
    struct file_cmd cmd = {
        .owner = game->rig.owner, .session = str_of(session->id), .remove = true};
    struct model_dir *dir = session->dir;
    const struct map_node *there;
    struct file_result result;
    enum fault_code code, wanted;

    model_lay_out(&game->model, session);
    cmd.path = some_path(game, &dir->map);
    game_doing(game, "delete \"%.*s\" in session %d", STR_ARG(cmd.path), session->number);
    code = workspaces_put(game->workspaces, &cmd, &game->arena, &result, &game->fault);
    record_foreign(game, session);
    there = map_find(&dir->map, cmd.path);
    wanted = !parents_clear(&dir->map, cmd.path) ? FAULT_PATH_INVALID
             : !there                            ? FAULT_FILE_NOT_FOUND
             : there->kind == MAP_DIR            ? FAULT_PATH_INVALID
                                                 : FAULT_OK;
    game_expect(game, "delete a file", code, wanted);
    if (code == FAULT_OK) {
        map_remove(&dir->map, cmd.path);
        model_files(&game->model, session, model_dir_tree(&game->model, session), false);
    }
    game_sync(game, session);
}

void game_restore(struct files_game *game, struct files_session *session)
{
    struct files_place from = {.owner = game->rig.owner, .session = str_of(session->id)};
    struct model_dir *dir = session->dir;
    struct files_report report;
    struct file_result result;
    enum fault_code code, wanted = FAULT_OK;
    struct copy *then;
    struct str path;
    int place;

    from.at = game_point(game, session, &place);
    then = model_tree(&game->model, session, place);
    path = some_path(game, &then->map);
    game_doing(game, "restore \"%.*s\" in session %d as at %d", STR_ARG(path), session->number,
               place);
    code = workspaces_restore(game->workspaces, &from, path, &game->arena, &report, &result,
                              &game->fault);
    model_lay_out(&game->model, session);
    if (!map_find(&then->map, path))
        wanted = FAULT_FILE_NOT_FOUND;
    else if (!parents_clear(&dir->map, path))
        wanted = FAULT_PATH_INVALID;
    game_expect(game, "restore one path", code, wanted);
    if (code == FAULT_OK) {
        struct copy *now = model_dir_tree(&game->model, session), *is;

        map_remove(&dir->map, path);
        (void)parents_make(&dir->map, path, false);
        map_graft(&dir->map, &then->map, path, path);
        is = model_dir_tree(&game->model, session);
        if (is != now) { /* a rewind of files alone */
            model_files(&game->model, session, now, true);
            model_go(&game->model, session, session->count, SCOPE_FILES, MODEL_NEW);
            model_files(&game->model, session, is, false);
        }
        if (report.skipped.all)
            game_differs(game, "left alone: \"%.*s\"", STR_ARG(report.skipped.list[0]));
    }
    game_sync(game, session);
}

/* ---- where a session works ---- */

static void set(struct files_game *game, const struct files_session *session,
                struct workspace workspace)
{
    struct workspace_spec spec = {
        .owner = game->rig.owner, .session = str_of(session->id), .workspace = workspace};
    struct session result;

    game_expect(game, "set the workspace",
                workspaces_set(game->workspaces, &spec, &game->arena, &result, &game->fault),
                FAULT_OK);
    assert_int_equal(result.workspace.mode, workspace.mode);
}

void game_attach(struct files_game *game, struct files_session *session)
{
    struct model_dir *dir = &game->attached[chance_below(&game->chance, GAME_DIRECTORIES)];

    game_doing(game, "attach session %d to %s", session->number, dir->path);
    set(game, session, (struct workspace){WORKSPACE_ATTACHED, str_of(dir->path)});
    record_foreign(game, session);
    session->dir = dir;
    record_foreign(game, session);
    game_sync(game, session);
}

/* Were the files in the own directory recorded at some time? */
static bool was_recorded(const struct files_game *game, const struct files_session *session,
                         const struct copy *tree)
{
    if (tree == model_tree(&game->model, session, session->inherited))
        return true;
    for (int i = session->inherited; i < session->count; i++) {
        const struct model_files_act *act = game->model.acts[session->raw[i]];

        if (act->tree == tree && act->before != tree)
            return true;
    }
    return false;
}

/* Its own directory, if it had one before, gets the files as they are recorded now. */
void game_detach(struct files_game *game, struct files_session *session)
{
    struct copy *now;

    if (session->dir == &session->own)
        return;
    game_doing(game, "detach session %d", session->number);
    set(game, session, (struct workspace){WORKSPACE_OWN, STR("")});
    record_foreign(game, session);
    now = model_head_tree(&game->model, session);
    session->dir = &session->own;
    if (session->own.there) {
        struct copy *found = model_dir_tree(&game->model, session);

        if (found != now && !was_recorded(game, session, found)) {
            model_files(&game->model, session, found, true);
            model_files(&game->model, session, now, false);
        }
        model_dir_set(&session->own, &now->map);
    }
    game_sync(game, session);
}

void game_delete(struct files_game *game, struct files_session *session)
{
    struct delete_spec spec = {.owner = game->rig.owner, .session = str_of(session->id)};

    game_doing(game, "delete session %d", session->number);
    game_expect(game, "delete", workspaces_delete(game->workspaces, &spec, &game->fault), FAULT_OK);
    session->alive = false;
    if (session->own.there) {
        struct files_map nothing;

        if (map_scan(session->own.path, &nothing))
            game_differs(game, "the directory of a deleted session is still there");
    }
    session->own.there = false;
}
