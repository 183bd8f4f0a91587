/* Holding what the store and the disk have against the model. */
#include "files_game_own.h"
#include "files_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 1200 };

/* ---- trees ---- */

void game_check_place(struct files_game *game, struct workspaces *workspaces,
                      const struct files_session *session, const struct files_place *place,
                      const struct copy *wanted)
{
    struct files_map got;
    char words[WORDS];

    game_expect(game, "read a tree", files_tree_read(workspaces, place, &got, &game->fault),
                FAULT_OK);
    if (!map_same(&got, &wanted->map))
        game_differs(game, "the tree of session %d at %" PRId64 ".%" PRId64 ": %s", session->number,
                     place->at.address.s, place->at.address.n,
                     map_difference(&got, &wanted->map, words, sizeof(words)));
    map_clear(&got);
}

void game_check_hash(struct files_game *game, const unsigned char hash[HASH_BYTES],
                     struct copy *wanted, const char *what)
{
    char words[WORDS];

    if (wanted->seen && memcmp(wanted->hash, hash, HASH_BYTES) == 0)
        return;
    for (int i = 0; i < game->model.copy_count; i++) {
        const struct copy *other = game->model.copies[i];

        if (other != wanted && other->seen && memcmp(other->hash, hash, HASH_BYTES) == 0)
            game_differs(game, "%s: %s", what,
                         map_difference(&other->map, &wanted->map, words, sizeof(words)));
    }
    if (wanted->seen)
        game_differs(game, "%s: the same files have another hash than before", what);
}

void game_check_tree(struct files_game *game, const struct files_session *session, int place,
                     bool whole)
{
    struct copy *wanted = model_tree(&game->model, session, place);
    struct files_place at = {.owner = game->rig.owner,
                             .session = str_of(session->id),
                             .at = {.by = place ? POINT_ADDRESS : POINT_START,
                                    .side = SIDE_AFTER,
                                    .guard = GUARD_NONE,
                                    .address = model_place_address(&game->model, session, place)}};
    unsigned char tree[HASH_BYTES];
    struct address found;

    game_expect(game, "the tree of a place",
                store_tree_at(game->rig.store, game->rig.owner, at.session, &at.at, &found, tree,
                              &game->fault),
                FAULT_OK);
    game_check_hash(game, tree, wanted, "the tree of a place");
    if (wanted->seen && !whole)
        return;
    game_check_place(game, game->workspaces, session, &at, wanted);
    memcpy(wanted->hash, tree, HASH_BYTES);
    wanted->seen = true;
}

/* ---- directories ---- */

void game_check_dir(struct files_game *game, const struct model_dir *dir)
{
    struct files_map found;
    char words[WORDS];

    if (!dir->there)
        return;
    if (!map_scan(dir->path, &found))
        game_differs(game, "the directory %s cannot be read", dir->path);
    if (!map_same(&found, &dir->map))
        game_differs(game, "in the directory %s: %s", dir->path,
                     map_difference(&found, &dir->map, words, sizeof(words)));
    map_clear(&found);
    for (int i = 0; i < GAME_DIRECTORIES; i++) {
        char kept[300];

        snprintf(kept, sizeof(kept), "%s/" MAP_IGNORED "/kept", game->attached[i].path);
        if (access(kept, F_OK) != 0)
            game_differs(game, "%s is gone", kept);
    }
}

/* ---- acts ---- */

void game_sync(struct files_game *game, struct files_session *session)
{
    struct gathered got = {.arena = &game->arena};
    int known = session->count;
    struct log_spec spec = {.owner = game->rig.owner, .session = str_of(session->id)};

    while (known > session->inherited && !game->model.acts[session->raw[known - 1]]->id[0])
        known--;
    spec.after = model_place_address(&game->model, session, known);
    game_expect(game, "the raw log",
                store_raw_log(game->rig.store, &spec, gather_entry, &got, &game->fault), FAULT_OK);
    for (int i = known; i < session->count; i++) {
        struct model_files_act *act = game->model.acts[session->raw[i]];
        const struct entry *entry;

        if ((size_t)(i - known) >= got.count)
            game_differs(game, "session %d has %zu new acts, and should have %d", session->number,
                         got.count, session->count - known);
        entry = &got.entries[i - known];
        if (entry->kind != act->kind || !address_eq(entry->at, act->at) ||
            ((entry->flags & ENTRY_FOREIGN) != 0) != act->foreign)
            game_differs(game,
                         "act %" PRId64 " of session %d is of kind %d%s, and should be of %d%s",
                         entry->at.n, session->number, (int)entry->kind,
                         entry->flags & ENTRY_FOREIGN ? " foreign" : "", (int)act->kind,
                         act->foreign ? " foreign" : "");
        snprintf(act->id, sizeof(act->id), "%.*s", STR_ARG(entry->id));
        game_check_tree(game, session, i + 1, false);
    }
    if (got.count > (size_t)(session->count - known))
        game_differs(game, "session %d has %zu new acts, and should have %d", session->number,
                     got.count, session->count - known);
}

/* ---- reports ---- */

void game_check_paths(struct files_game *game, const char *what, const struct paths *got,
                      const struct map_paths *wanted)
{
    if ((size_t)got->all != wanted->count)
        game_differs(game, "%s are %" PRId64 ", and should be %zu (\"%.*s\" … and \"%.*s\" …)",
                     what, got->all, wanted->count, got->count ? (int)got->list[0].n : 0,
                     got->count ? got->list[0].p : "", wanted->count ? (int)wanted->list[0].n : 0,
                     wanted->count ? wanted->list[0].p : "");
    for (size_t i = 0; i < got->count; i++)
        if (!map_paths_have(wanted, got->list[i]))
            game_differs(game, "%s: \"%.*s\" should not be there", what, STR_ARG(got->list[i]));
}

/* ---- all of it ---- */

static void problem(void *context, const char *message)
{
    game_differs(context, "verify: %s", message);
}

void game_check_all(struct files_game *game)
{
    struct verify_result result;

    game->looks++;
    for (int i = 0; i < game->model.session_count; i++) {
        const struct files_session *session = game->model.sessions[i];

        if (!session->alive)
            continue;
        game_check_dir(game, session->dir);
        for (int place = 0; place <= session->count; place++) {
            struct copy *copy = model_tree(&game->model, session, place);

            game_check_tree(game, session, place, copy->look != game->looks);
            copy->look = game->looks;
        }
        arena_clear(&game->arena);
    }
    game_expect(game, "verify",
                store_verify(game->rig.store, problem, NULL, game, &result, &game->fault),
                FAULT_OK);
    assert_int_equal(result.problems, 0);
}
