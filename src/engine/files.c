/* Files of sessions, read at any place and written in the live directory. */
#include "engine/workspaces_own.h"
#include "base/array.h"
#include "workspace/path.h"
#include "workspace/tree_diff.h"

#include <assert.h>
#include <stdlib.h>

/* ---- reading ---- */

/* The tree of a place; the directory as it is now is recorded first. */
static enum fault_code tree_of(struct workspaces *workspaces, const struct files_place *at,
                               unsigned char tree[HASH_BYTES], struct fault *fault)
{
    struct point_spec point = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE};
    struct address place;

    if (at->live) {
        enum fault_code code = session_record(workspaces, at->owner, at->session, fault);

        /* While a turn works there, what it recorded last is what there is to see. */
        if (code != FAULT_OK && code != FAULT_TURN_RUNNING && code != FAULT_WORKSPACE_BUSY)
            return code;
    } else {
        point = at->at;
    }
    return store_tree_at(workspaces_store(workspaces), at->owner, at->session, &point, &place, tree,
                         fault);
}

/*
 * A path that is not there because a link stands on its way would lead elsewhere, had we followed
 * it: that is told apart.
 */
static enum fault_code not_there(struct workspaces *workspaces,
                                 const unsigned char tree[HASH_BYTES], struct str path,
                                 struct fault *fault)
{
    struct arena arena;
    bool link = false;

    arena_init(&arena);
    for (struct str way = path_above(path); way.n && !link; way = path_above(way)) {
        struct tree_entry entry;
        struct fault ignored;

        link = tree_find(workspaces_store(workspaces), tree, way, &arena, &entry, &ignored) ==
                   FAULT_OK &&
               entry.type == TREE_LINK;
        if (link)
            fault_write(fault, FAULT_PATH_INVALID, "\"%s\" is a link, which is not followed",
                        path_words(way, &arena).p);
    }
    arena_clear(&arena);
    return fault_pass(fault);
}

/* A file is listed by itself, as `ls` does; through a link nothing is. */
static enum fault_code list_one(struct workspaces *workspaces, const unsigned char tree[HASH_BYTES],
                                struct str path, tree_entry_visit *visit, void *context,
                                bool *listed, struct fault *fault)
{
    struct tree_entry entry;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = tree_find(workspaces_store(workspaces), tree, path, &arena, &entry, fault);
    *listed = code == FAULT_OK && entry.type != TREE_DIR && entry.type != TREE_LINK;
    if (*listed)
        code = visit(context, path, &entry, fault);
    arena_clear(&arena);
    return code;
}

enum fault_code workspaces_list(struct workspaces *workspaces, const struct files_place *place,
                                struct str path, bool deep, tree_entry_visit *visit, void *context,
                                unsigned char tree[HASH_BYTES], struct fault *fault)
{
    bool listed = false;

    if (path_check(path, true, fault) != FAULT_OK ||
        tree_of(workspaces, place, tree, fault) != FAULT_OK)
        return fault_pass(fault);
    if (path.n == 0 && tree_same(tree, tree_empty))
        return FAULT_OK;
    if (path.n && list_one(workspaces, tree, path, visit, context, &listed, fault) != FAULT_OK)
        return fault_pass(fault);
    if (listed)
        return FAULT_OK;
    return tree_list(workspaces_store(workspaces), tree, path, deep, visit, context, fault);
}

enum fault_code workspaces_read(struct workspaces *workspaces, const struct files_place *place,
                                struct str path, struct arena *arena, struct tree_entry *entry,
                                struct str *content, struct fault *fault)
{
    unsigned char tree[HASH_BYTES];

    if (path_check(path, false, fault) != FAULT_OK ||
        tree_of(workspaces, place, tree, fault) != FAULT_OK)
        return fault_pass(fault);
    if (tree_find(workspaces_store(workspaces), tree, path, arena, entry, fault) != FAULT_OK)
        return fault->code == FAULT_FILE_NOT_FOUND ? not_there(workspaces, tree, path, fault)
                                                   : fault_pass(fault);
    *content = STR("");
    switch (entry->type) {
    case TREE_DIR:
        return fault_set(fault, FAULT_PATH_INVALID, "\"%s\" is a directory",
                         path_words(path, arena).p);
    case TREE_LEFT:
        return fault_set(fault, FAULT_FILE_NOT_FOUND, "\"%s\" was not kept: %s",
                         path_words(path, arena).p, tree_left_words(entry->left));
    case TREE_LINK:
        *content = entry->target;
        return FAULT_OK;
    case TREE_FILE:
    case TREE_PIECES:
        break;
    }
    return tree_file(workspaces_store(workspaces), entry, FILES_PUT_BYTES, arena, content, fault);
}

/* ---- writing ---- */

enum fault_code place_take_to_write(struct workspaces *workspaces, int64_t owner,
                                    struct str session, struct place **out, struct fault *fault)
{
    struct place *place;

    if (place_take(workspaces, owner, session, PLACE_LAID_OUT, PLACE_WAIT_MS, &place, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (place->session.workspace.mode == WORKSPACE_NONE) {
        place_leave(place);
        return fault_set(fault, FAULT_WORKSPACE_NONE, "session \"%.*s\" has no files",
                         STR_ARG(session));
    }
    if (run_active(place->session.turn_state)) {
        place_leave(place);
        return fault_set(fault, FAULT_TURN_RUNNING, "a turn is running in session \"%.*s\"",
                         STR_ARG(session));
    }
    *out = place;
    return FAULT_OK;
}

enum fault_code place_record_own(struct place *place, struct arena *arena, struct file_result *out,
                                 struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (int i = 0;; i++) {
        struct append_spec spec = {.owner = place->owner, .session = place->session.id};
        struct entry_spec entry = {0};
        struct append_result result;
        bool changed;

        if (place_look(place, -1, &entry, &changed, fault) != FAULT_OK)
            return fault_pass(fault);
        memcpy(out->tree, changed ? place->seen : place->tree, HASH_BYTES);
        if (!changed)
            return FAULT_OK;
        place_entry(&entry, false);
        code = engine_append(place->workspaces->engine, &spec, &entry, 1, arena, &result, fault);
        if (code == FAULT_OK) {
            place_record(place, &entry);
            out->entry = result.entries[0];
        }
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

static enum fault_code head_check(const struct place *place, struct str expected,
                                  struct fault *fault)
{
    if (expected.p && !str_eq(expected, place->session.head))
        return fault_set(fault, FAULT_HEAD_MOVED, "the head is \"%.*s\", not \"%.*s\"",
                         STR_ARG(place->session.head), STR_ARG(expected));
    return FAULT_OK;
}

/* What is at the path now, if it is something that may be written over. */
static enum fault_code look_at(struct place *place, const struct file_cmd *cmd, struct arena *arena,
                               struct tree_entry *entry, bool *there, struct fault *fault)
{
    enum fault_code code =
        tree_find(workspaces_store(place->workspaces), place->tree, cmd->path, arena, entry, fault);

    *there = code == FAULT_OK;
    if (code == FAULT_FILE_NOT_FOUND)
        return FAULT_OK;
    if (code != FAULT_OK)
        return code;
    if (entry->type == TREE_DIR)
        return fault_set(fault, FAULT_PATH_INVALID, "\"%s\" is a directory",
                         path_words(cmd->path, arena).p);
    return FAULT_OK;
}

static enum fault_code write_held(struct place *place, const struct file_cmd *cmd,
                                  struct arena *arena, struct file_result *out, struct fault *fault)
{
    struct tree_entry entry;
    unsigned mode = cmd->mode;
    bool there;

    if (head_check(place, cmd->expect_head, fault) != FAULT_OK ||
        place_record_foreign(place, fault) != FAULT_OK ||
        look_at(place, cmd, arena, &entry, &there, fault) != FAULT_OK)
        return fault_pass(fault);
    if (cmd->remove) {
        if (restore_delete(place->fd, cmd->path, fault) != FAULT_OK)
            return fault_pass(fault);
        return place_record_own(place, arena, out, fault);
    }
    if (mode == 0)
        mode = there && tree_is_file(entry.type) ? entry.mode : 0644;
    out->made = !there;
    if (restore_put(place->fd, cmd->path, mode, cmd->content, fault) != FAULT_OK ||
        place_record_own(place, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    /* A path that the rules of the workspace leave out is written all the same. */
    if (tree_find(workspaces_store(place->workspaces), out->tree, cmd->path, arena, &out->file,
                  fault) != FAULT_OK) {
        if (fault->code != FAULT_FILE_NOT_FOUND)
            return fault_pass(fault);
        out->file = (struct tree_entry){.type = TREE_FILE,
                                        .mode = mode,
                                        .size = (int64_t)cmd->content.n,
                                        .name = path_name(cmd->path)};
    }
    return FAULT_OK;
}

enum fault_code workspaces_put(struct workspaces *workspaces, struct file_cmd *cmd,
                               struct arena *arena, struct file_result *out, struct fault *fault)
{
    struct place *place;
    enum fault_code code;

    *out = (struct file_result){0};
    if (path_check(cmd->path, false, fault) != FAULT_OK)
        return fault_pass(fault);
    if (cmd->mode & ~(unsigned)0777)
        return fault_set(fault, FAULT_INVALID, "the mode must be between 0 and 0777");
    if (cmd->content.n > FILES_PUT_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the file has %zu bytes; the limit is %d",
                         cmd->content.n, FILES_PUT_BYTES);
    if (place_take_to_write(workspaces, cmd->owner, cmd->session, &place, fault) != FAULT_OK)
        return fault_pass(fault);
    code = write_held(place, cmd, arena, out, fault);
    place_leave(place);
    return code;
}

/* ---- one path back ---- */

/* What is to be changed at a path, and below it. */
struct path_edits {
    struct str path;
    struct tree_edit *list;
    size_t count, room;
    struct arena arena;
};

static enum fault_code edit_add(void *context, const struct tree_change *change,
                                struct fault *fault)
{
    struct path_edits *edits = context;
    struct tree_entry *is = NULL;

    (void)fault;
    if (!str_eq(change->path, edits->path) && !path_is_in(change->path, edits->path))
        return FAULT_OK;
    edits->list = array_more(edits->list, edits->count, &edits->room, sizeof(*edits->list));
    if (change->is) {
        is = arena_alloc(&edits->arena, sizeof(*is));
        *is = *change->is;
        is->target = arena_dup(&edits->arena, is->target);
    }
    edits->list[edits->count++] =
        (struct tree_edit){.path = arena_dup(&edits->arena, change->path), .is = is};
    return FAULT_OK;
}

/* The tree `now`, with one path as it is in `then`. */
static enum fault_code path_back(struct store *store, const unsigned char now[HASH_BYTES],
                                 const unsigned char then[HASH_BYTES], struct str path,
                                 struct tree_spec *out, struct fault *fault)
{
    struct path_edits edits = {.path = path};
    enum fault_code code;

    arena_init(&edits.arena);
    code = tree_diff(store, now, then, edit_add, &edits, fault);
    if (code == FAULT_OK)
        code = tree_edit(store, now, edits.list, edits.count, out, fault);
    free(edits.list);
    arena_clear(&edits.arena);
    return code;
}

struct bringing {
    struct place *place;
    const struct files_place *from;
    struct tree_spec tree;
    struct arena *arena;
    struct move_result result;
};

/* One path back is a rewind of files alone, to a tree that has only that path from then. */
static enum fault_code bring_finish(void *context, int64_t intent, struct fault *fault)
{
    struct bringing *bringing = context;
    struct place *place = bringing->place;

    for (int i = 0;; i++) {
        struct move_spec spec = {.owner = place->owner,
                                 .session = place->session.id,
                                 .act = MOVE_REWIND,
                                 .scope = SCOPE_FILES,
                                 .point = bringing->from->at,
                                 .files = {.tree = bringing->tree, .intent = intent}};
        enum fault_code code;

        if (store_objects_since(workspaces_store(place->workspaces), &spec.files.tree.since_us,
                                fault) != FAULT_OK)
            return fault_pass(fault);
        code = engine_rewind(place->workspaces->engine, &spec, bringing->arena, &bringing->result,
                             fault);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

static enum fault_code restore_held(struct place *place, const struct files_place *from,
                                    struct str path, struct arena *arena,
                                    struct files_report *report, struct file_result *out,
                                    struct fault *fault)
{
    struct store *store = workspaces_store(place->workspaces);
    struct bringing bringing = {.place = place, .from = from, .arena = arena};
    struct plan plan = {.deed = DEED_MOVE, .act = MOVE_REWIND, .scope = SCOPE_FILES};
    struct snapshot now;
    struct deed_spec deed = {.place = place,
                             .plan = &plan,
                             .at = place->session.head_at,
                             .was = &now,
                             .finish = bring_finish,
                             .context = &bringing};
    unsigned char then[HASH_BYTES];

    if (store_tree_at(store, from->owner, from->session, &from->at, &plan.target, then, fault) !=
            FAULT_OK ||
        tree_find(store, then, path, arena, &out->file, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->file.type == TREE_LEFT)
        return fault_set(fault, FAULT_FILE_NOT_FOUND, "\"%s\" was not kept: %s",
                         path_words(path, arena).p, tree_left_words(out->file.left));
    if (place_snapshot(place, -1, arena, &now, fault) != FAULT_OK ||
        path_back(store, now.tree.hash, then, path, &bringing.tree, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(out->tree, bringing.tree.hash, HASH_BYTES);
    if (tree_same(now.tree.hash, bringing.tree.hash))
        return FAULT_OK; /* it is as it was then */
    memcpy(deed.is, bringing.tree.hash, HASH_BYTES);
    if (deed_do(&deed, arena, report, fault) != FAULT_OK)
        return fault_pass(fault);
    out->entry.id = bringing.result.to;
    return FAULT_OK;
}

enum fault_code workspaces_restore(struct workspaces *workspaces, const struct files_place *from,
                                   struct str path, struct arena *arena,
                                   struct files_report *report, struct file_result *out,
                                   struct fault *fault)
{
    enum fault_code code;

    if (path_check(path, false, fault) != FAULT_OK)
        return fault_pass(fault);
    for (int i = 0;; i++) {
        struct place *place;

        *report = (struct files_report){0};
        *out = (struct file_result){0};
        if (place_take_to_write(workspaces, from->owner, from->session, &place, fault) != FAULT_OK)
            return fault_pass(fault);
        code = restore_held(place, from, path, arena, report, out, fault);
        place_leave(place);
        if (i == STALE_TRIES || (code != FAULT_TREE_STALE && code != FAULT_HEAD_MOVED))
            return code;
    }
}

/* ---- what differs ---- */

struct differing {
    struct workspaces *workspaces;
    bool patches;
    file_diff_visit *visit;
    void *context;
    struct arena arena;
};

static bool is_told(const struct tree_change *change)
{
    const struct tree_entry *is = change->is, *was = change->was;

    assert(is || was);
    if ((is && is->type != TREE_DIR) || (was && was->type != TREE_DIR))
        return true;
    if (is && was)
        return true; /* its mode */
    return tree_same((is ? is : was)->hash, tree_empty);
}

static enum fault_code differ(void *context, const struct tree_change *change, struct fault *fault)
{
    struct differing *differing = context;
    struct patch patch = {0};
    enum fault_code code;

    if (!is_told(change))
        return FAULT_OK;
    code = patch_make(workspaces_store(differing->workspaces), change, !differing->patches,
                      &differing->arena, &patch, fault);
    if (code == FAULT_OK)
        code = differing->visit(differing->context, change, &patch, fault);
    arena_clear(&differing->arena);
    return code;
}

enum fault_code workspaces_diff(struct workspaces *workspaces, const struct files_place *left,
                                const struct files_place *right, bool patches,
                                file_diff_visit *visit, void *context, struct fault *fault)
{
    struct differing differing = {
        .workspaces = workspaces, .patches = patches, .visit = visit, .context = context};
    unsigned char was[HASH_BYTES], is[HASH_BYTES];
    enum fault_code code;

    if (tree_of(workspaces, left, was, fault) != FAULT_OK ||
        tree_of(workspaces, right, is, fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&differing.arena);
    code = tree_diff(workspaces_store(workspaces), was, is, differ, &differing, fault);
    arena_clear(&differing.arena);
    return code;
}

struct counting {
    int64_t count, max;
};

static enum fault_code count_change(void *context, const struct tree_change *change,
                                    struct fault *fault)
{
    struct counting *counting = context;

    if (!is_told(change))
        return FAULT_OK;
    if (++counting->count == counting->max)
        return fault_set(fault, FAULT_INTERRUPTED, "enough was counted");
    return FAULT_OK;
}

enum fault_code workspaces_count_changes(struct workspaces *workspaces,
                                         const unsigned char was[HASH_BYTES],
                                         const unsigned char is[HASH_BYTES], int64_t max,
                                         int64_t *out, struct fault *fault)
{
    struct counting counting = {0, max};
    enum fault_code code =
        tree_diff(workspaces_store(workspaces), was, is, count_change, &counting, fault);

    *out = counting.count;
    return code == FAULT_INTERRUPTED ? FAULT_OK : code;
}
