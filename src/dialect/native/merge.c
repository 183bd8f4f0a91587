/* Merge: the file changes of another session of the family come into this one. */
#include "dialect/native/handler.h"

#include "dialect/native/file_object.h"

enum { M_FROM, M_FORCE, M_EXPECT_HEAD, M_DRY_RUN, M_COUNT };

struct merged {
    struct merge_cmd cmd;
    struct merge_report report;
};

static void write_merged(struct json_out *out, const void *merged_)
{
    const struct merged *merged = merged_;
    const struct merge_report *report = &merged->report;
    const struct merge_result *result = &report->result;

    json_out_object(out, NULL);
    object_write_session(out, "session", &result->session);
    json_out_object(out, "merge");
    json_out_name(out, "id", result->id);
    json_out_string(out, "from", merged->cmd.from);
    json_out_name(out, "base", result->base_id);
    if (merged->cmd.dry_run)
        json_out_null(out, "message");
    else
        object_write_entry(out, "message", &result->entry);
    json_out_object_end(out);
    object_write_files(out, "files", &report->files);
    json_out_array(out, "conflicts");
    object_write_clashes(out, report->conflicts, report->conflict_count);
    json_out_array_end(out);
    json_out_object_end(out);
}

static enum fault_code merge_read(struct exchange *x, struct merge_cmd *cmd, struct fault *fault)
{
    struct json_member m[M_COUNT] = {
        [M_FROM] = JSON_MUST("from", JSON_STRING),
        [M_FORCE] = JSON_MAY("force", JSON_BOOL),
        [M_EXPECT_HEAD] = JSON_MAY("expect_head", JSON_STRING),
        [M_DRY_RUN] = JSON_MAY("dry_run", JSON_BOOL),
    };

    if (body_members(x, m, M_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    cmd->owner = x->request.caller.sees;
    cmd->session = session_of(x);
    cmd->from = member_text(x, &m[M_FROM]);
    cmd->expect_head = member_text(x, &m[M_EXPECT_HEAD]);
    cmd->force = m[M_FORCE].given && json_true(&m[M_FORCE].value);
    cmd->dry_run = m[M_DRY_RUN].given && json_true(&m[M_DRY_RUN].value);
    return FAULT_OK;
}

enum fault_code native_session_merge(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct merged merged = {0};
    struct reply_once once;
    enum fault_code code;

    if (merge_read(x, &merged.cmd, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &once, write_merged, &merged, &merged.cmd.once, fault) != FAULT_OK)
        return fault_pass(fault);
    code = workspaces_merge(app->workspaces, &merged.cmd, &x->arena, &merged.report, fault);
    if (code == FAULT_FILES_CONFLICT)
        conflicts_say(x, &merged.report.files.conflicts, merged.report.conflicts,
                      merged.report.conflict_count);
    if (code)
        return code;
    return once_reply(x, &once, merged.cmd.dry_run ? NULL : &app->counts.merges, fault);
}
