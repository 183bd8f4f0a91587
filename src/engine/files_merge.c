/* The file changes of one branch come into another. */
#include "engine/workspaces_own.h"
#include "message/message_in.h"
#include "workspace/path.h"

#include <inttypes.h>

struct merging {
    struct workspaces *workspaces;
    struct merge_cmd *cmd;
    struct arena *arena;
    struct merge_report *out;
    struct place *place;
    struct merge_result look;
    struct tree_spec tree;
    struct str words;
};

static struct merge_spec spec_of(const struct merging *merging)
{
    return (struct merge_spec){.owner = merging->cmd->owner,
                               .session = merging->cmd->session,
                               .from = merging->cmd->from,
                               .once = merging->cmd->once};
}

static enum fault_code finish(void *context, int64_t intent, struct fault *fault)
{
    struct merging *merging = context;

    for (int i = 0;; i++) {
        struct entry_spec entry = message_of_text(ROLE_SYSTEM, merging->words, merging->arena);
        struct merge_spec spec = spec_of(merging);
        enum fault_code code;

        spec.files = (struct move_files){.tree = merging->tree, .intent = intent};
        spec.entry = &entry;
        spec.from_at = &merging->look.from_at;
        if (store_objects_since(workspaces_store(merging->workspaces), &spec.files.tree.since_us,
                                fault) != FAULT_OK)
            return fault_pass(fault);
        code = engine_merge(merging->workspaces->engine, &spec, merging->arena,
                            &merging->out->result, fault);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

/* What the message says: for the model, too, which is to know what has changed under it. */
static struct str words_of(const struct merging *merging, const struct session *from)
{
    const struct files_report *files = &merging->out->files;
    struct str title = from->title.n ? from->title : from->id;

    return arena_printf(merging->arena,
                        "Merged the file changes of \"%.*s\" (session %.*s): %" PRId64
                        " written, %" PRId64 " deleted.",
                        STR_ARG(title), STR_ARG(from->id), files->restored.all, files->deleted.all);
}

static enum fault_code refuse(const struct merging *merging, struct fault *fault)
{
    const struct merge_conflict *first = &merging->out->conflicts[0];
    size_t count = merging->out->conflict_count;

    return fault_set(fault, FAULT_FILES_CONFLICT,
                     "%zu path%s cannot be merged; \"%s\": %s. force takes theirs", count,
                     count == 1 ? "" : "s", path_words(first->path, merging->arena).p,
                     merge_clash_words(first->clash));
}

/* The merge of the trees; our side is the directory as it is now. */
static enum fault_code work_out(struct merging *merging, const unsigned char ours[HASH_BYTES],
                                struct fault *fault)
{
    struct merge_report *out = merging->out;
    struct merge_trees trees;

    if (merge_trees(workspaces_store(merging->workspaces), merging->look.base_tree, ours,
                    merging->look.their_tree, merging->cmd->force, merging->arena, &trees,
                    fault) != FAULT_OK)
        return fault_pass(fault);
    out->conflicts = trees.conflicts;
    out->conflict_count = trees.conflict_count;
    for (size_t i = 0; i < trees.conflict_count; i++)
        paths_add(&out->files.conflicts, trees.conflicts[i].path, merging->arena);
    merging->tree = trees.tree;
    if (!trees.tree.given) {
        if (merging->cmd->dry_run)
            return FAULT_OK;
        return refuse(merging, fault);
    }
    if (tree_same(trees.tree.hash, ours))
        return fault_set(fault, FAULT_NOTHING_TO_MERGE,
                         "session \"%.*s\" has no file changes that \"%.*s\" has not",
                         STR_ARG(merging->cmd->from), STR_ARG(merging->cmd->session));
    return report_plan(merging->workspaces, ours, trees.tree.hash, merging->arena, &out->files,
                       fault);
}

static enum fault_code merge_held(struct merging *merging, struct fault *fault)
{
    struct place *place = merging->place;
    struct merge_spec spec = spec_of(merging);
    struct snapshot now = {0};
    struct plan plan = {.deed = DEED_MERGE, .scope = SCOPE_FILES};
    struct deed_spec deed = {.place = place, .plan = &plan, .was = &now, .finish = finish};
    struct session from;

    spec.dry_run = true;
    spec.once = NULL;
    spec.expect_head = merging->cmd->expect_head;
    if (engine_merge(merging->workspaces->engine, &spec, merging->arena, &merging->look, fault) !=
            FAULT_OK ||
        store_session_get(workspaces_store(merging->workspaces), merging->cmd->owner,
                          merging->cmd->from, false, merging->arena, &from, fault) != FAULT_OK)
        return fault_pass(fault);
    merging->out->result = merging->look;
    if (place->fd >= 0) {
        if (place_snapshot(place, -1, merging->arena, &now, fault) != FAULT_OK)
            return fault_pass(fault);
    } else {
        now.tree = (struct tree_spec){.given = true};
        memcpy(now.tree.hash, place->tree, HASH_BYTES);
        if (store_objects_since(workspaces_store(merging->workspaces), &now.tree.since_us, fault) !=
            FAULT_OK)
            return fault_pass(fault);
    }
    if (work_out(merging, now.tree.hash, fault) != FAULT_OK)
        return fault_pass(fault);
    if (merging->cmd->dry_run)
        return FAULT_OK;
    merging->words = words_of(merging, &from);
    plan.from = from.id;
    plan.from_at = merging->look.from_at;
    plan.body = merging->words;
    deed.at = merging->look.head_at;
    deed.context = merging;
    memcpy(deed.is, merging->tree.hash, HASH_BYTES);
    if (place->fd >= 0) /* what was done is told, and not what would be */
        merging->out->files = (struct files_report){.conflicts = merging->out->files.conflicts};
    return deed_do(&deed, merging->arena, &merging->out->files, fault);
}

enum fault_code workspaces_merge(struct workspaces *workspaces, struct merge_cmd *cmd,
                                 struct arena *arena, struct merge_report *out, struct fault *fault)
{
    struct merging merging = {.workspaces = workspaces, .cmd = cmd, .arena = arena, .out = out};
    enum fault_code code;

    *out = (struct merge_report){0};
    if (rule_once(cmd->once, fault) != FAULT_OK)
        return fault_pass(fault);
    if (cmd->once && !cmd->dry_run) {
        if (store_answer_find(workspaces_store(workspaces), cmd->once,
                              engine_now_us(workspaces->engine), arena, fault) != FAULT_OK)
            return fault_pass(fault);
        if (cmd->once->repeated)
            return FAULT_OK;
    }
    if (str_eq(cmd->session, cmd->from))
        return fault_set(fault, FAULT_NOTHING_TO_MERGE, "a session cannot be merged into itself");
    if (!cmd->dry_run && session_record(workspaces, cmd->owner, cmd->from, fault) != FAULT_OK)
        return fault_pass(fault);
    for (int i = 0;; i++) {
        if (place_take(workspaces, cmd->owner, cmd->session, PLACE_AS_IT_IS, PLACE_WAIT_MS,
                       &merging.place, fault) != FAULT_OK)
            return fault_pass(fault);
        *out = (struct merge_report){0};
        code = merging.place->session.workspace.mode == WORKSPACE_NONE
                   ? fault_set(fault, FAULT_WORKSPACE_NONE, "session \"%.*s\" has no files",
                               STR_ARG(cmd->session))
                   : merge_held(&merging, fault);
        place_leave(merging.place);
        if (i == STALE_TRIES || (code != FAULT_TREE_STALE &&
                                 (code != FAULT_HEAD_MOVED || cmd->expect_head.p || cmd->dry_run)))
            return code;
    }
}
