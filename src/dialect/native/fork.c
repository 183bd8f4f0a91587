/* Fork: a new session that begins at a place of another. */
#include "dialect/native/handler.h"

enum {
    F_TITLE = POINT_MEMBERS,
    F_AGENT,
    F_METADATA,
    F_ID,
    F_FILES,
    F_EXPECT_HEAD,
    F_DRY_RUN,
    F_COUNT
};

/* What a fork takes, with what its members point to. */
struct fork_body {
    struct fork_spec spec;
    struct str title, agent, metadata;
    enum fork_files files;
};

struct forked {
    struct fork_result result;
    struct files_report report;
};

static enum fault_code fork_read(struct exchange *x, struct fork_body *out, struct fault *fault)
{
    struct json_member m[F_COUNT] = {
        POINT_ROWS,
        [F_TITLE] = JSON_MAY("title", JSON_STRING),
        [F_AGENT] = JSON_MAY("agent", JSON_STRING),
        [F_METADATA] = JSON_MAY("metadata", JSON_OBJECT),
        [F_ID] = JSON_MAY("id", JSON_STRING),
        [F_FILES] = JSON_MAY("files", JSON_STRING),
        [F_EXPECT_HEAD] = JSON_MAY("expect_head", JSON_STRING),
        [F_DRY_RUN] = JSON_MAY("dry_run", JSON_BOOL),
    };
    struct fork_spec *spec = &out->spec;

    if (body_members(x, m, F_COUNT, fault) != FAULT_OK ||
        point_members(x, m, &spec->point, fault) != FAULT_OK ||
        files_member(x, &m[F_FILES], &out->files, fault) != FAULT_OK)
        return fault_pass(fault);
    out->title = member_text(x, &m[F_TITLE]);
    out->agent = member_text(x, &m[F_AGENT]);
    out->metadata = m[F_METADATA].given ? m[F_METADATA].value.raw : STR_NONE;
    spec->title = m[F_TITLE].given ? &out->title : NULL;
    spec->agent = m[F_AGENT].given ? &out->agent : NULL;
    spec->metadata = m[F_METADATA].given ? &out->metadata : NULL;
    spec->id = member_text(x, &m[F_ID]);
    if (m[F_ID].given && spec->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"id\" is empty");
    spec->expect_head = member_text(x, &m[F_EXPECT_HEAD]);
    spec->dry_run = m[F_DRY_RUN].given && json_true(&m[F_DRY_RUN].value);
    return FAULT_OK;
}

static void write_fork(struct json_out *out, const void *forked_)
{
    const struct forked *forked = forked_;

    json_out_object(out, NULL);
    object_write_fork(out, &forked->result, &forked->report);
    json_out_object_end(out);
}

enum fault_code native_session_fork(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct fork_body body = {0};
    struct reply_once once;
    struct forked forked = {0};

    if (fork_read(x, &body, fault) != FAULT_OK)
        return fault_pass(fault);
    body.spec.owner = x->request.caller.sees;
    body.spec.session = session_of(x);
    if (once_begin(x, STR_NONE, &once, write_fork, &forked, &body.spec.once, fault) != FAULT_OK ||
        (body.spec.agent && agent_check(x, body.agent, body.spec.once, fault) != FAULT_OK) ||
        workspaces_fork(app->workspaces, &body.spec, body.files, &x->arena, &forked.result,
                        &forked.report, fault) != FAULT_OK)
        return fault_pass(fault);
    if (body.spec.dry_run)
        x->reply.status = 200; /* nothing was made */
    return once_reply(x, &once, body.spec.dry_run ? NULL : &app->counts.forks, fault);
}
