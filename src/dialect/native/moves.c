/* Rewind, undo, redo and adopt. */
#include "dialect/native/handler.h"

/* The reply to a move needs to know which one it was. */
struct moved {
    enum move_act act;
    struct move_result result;
    struct files_report report;
};

static void write_moved(struct json_out *out, const void *moved_)
{
    const struct moved *moved = moved_;

    json_out_object(out, NULL);
    object_write_move(out, moved->act, &moved->result, &moved->report);
    json_out_object_end(out);
}

static enum fault_code scope_read(struct exchange *x, const struct json_member *member,
                                  enum move_scope *out, struct fault *fault)
{
    struct str word = member_text(x, member);

    *out = SCOPE_BOTH;
    if (!member->given)
        return FAULT_OK;
    for (int i = SCOPE_BOTH; i <= SCOPE_FILES; i++)
        if (str_eq(word, str_of(object_scope((enum move_scope)i)))) {
            *out = (enum move_scope)i;
            return FAULT_OK;
        }
    return fault_set(fault, FAULT_INVALID,
                     "\"scope\" must be \"both\", \"conversation\" or \"files\"");
}

static bool is_true(const struct json_member *member)
{
    return member->given && json_true(&member->value);
}

enum { R_SCOPE = POINT_MEMBERS, R_FORCE, R_EXPECT_HEAD, R_DRY_RUN, R_COUNT };

static enum fault_code rewind_read(struct exchange *x, struct move_spec *spec, bool *force,
                                   struct fault *fault)
{
    struct json_member m[R_COUNT] = {
        POINT_ROWS,
        [R_SCOPE] = JSON_MAY("scope", JSON_STRING),
        [R_FORCE] = JSON_MAY("force", JSON_BOOL),
        [R_EXPECT_HEAD] = JSON_MAY("expect_head", JSON_STRING),
        [R_DRY_RUN] = JSON_MAY("dry_run", JSON_BOOL),
    };

    if (body_members(x, m, R_COUNT, fault) != FAULT_OK ||
        point_members(x, m, &spec->point, fault) != FAULT_OK ||
        scope_read(x, &m[R_SCOPE], &spec->scope, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->expect_head = member_text(x, &m[R_EXPECT_HEAD]);
    spec->dry_run = is_true(&m[R_DRY_RUN]);
    *force = is_true(&m[R_FORCE]);
    return FAULT_OK;
}

/* Conversation and files together. */
static enum fault_code move(struct exchange *x, struct move_spec *spec, bool force,
                            struct moved *moved, struct fault *fault)
{
    enum fault_code code = workspaces_move(app_of(x)->workspaces, spec, force, &x->arena,
                                           &moved->result, &moved->report, fault);

    if (code == FAULT_FILES_CONFLICT)
        conflicts_say(x, &moved->report.conflicts, NULL, 0);
    return code;
}

enum fault_code native_session_rewind(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct move_spec spec = {
        .owner = x->request.caller.sees, .session = session_of(x), .act = MOVE_REWIND};
    struct moved moved = {.act = MOVE_REWIND};
    struct reply_once once;
    bool force;

    if (rewind_read(x, &spec, &force, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &once, write_moved, &moved, &spec.once, fault) != FAULT_OK ||
        move(x, &spec, force, &moved, fault) != FAULT_OK)
        return fault_pass(fault);
    return once_reply(x, &once, spec.dry_run ? NULL : &app->counts.rewinds, fault);
}

/* Undo and redo take the same body, and the scope of what they take back. */
static enum fault_code back(struct exchange *x, enum move_act act, atomic_llong *counter,
                            struct fault *fault)
{
    struct json_member m[] = {
        JSON_MAY("expect_head", JSON_STRING),
        JSON_MAY("dry_run", JSON_BOOL),
        JSON_MAY("force", JSON_BOOL),
    };
    struct move_spec spec = {.owner = x->request.caller.sees, .session = session_of(x), .act = act};
    struct moved moved = {.act = act};
    struct reply_once once;

    if (body_members(x, m, 3, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.expect_head = member_text(x, &m[0]);
    spec.dry_run = is_true(&m[1]);
    if (once_begin(x, STR_NONE, &once, write_moved, &moved, &spec.once, fault) != FAULT_OK ||
        move(x, &spec, is_true(&m[2]), &moved, fault) != FAULT_OK)
        return fault_pass(fault);
    return once_reply(x, &once, spec.dry_run ? NULL : counter, fault);
}

enum fault_code native_session_undo(struct exchange *x, struct fault *fault)
{
    return back(x, MOVE_UNDO, &app_of(x)->counts.undos, fault);
}

enum fault_code native_session_redo(struct exchange *x, struct fault *fault)
{
    return back(x, MOVE_REDO, &app_of(x)->counts.redos, fault);
}

enum { A_FROM, A_SCOPE, A_FORCE, A_EXPECT_HEAD, A_DRY_RUN, A_COUNT };

static enum fault_code adopt_read(struct exchange *x, struct adopt_spec *spec, bool *force,
                                  struct fault *fault)
{
    struct json_member m[A_COUNT] = {
        [A_FROM] = JSON_MUST("from", JSON_STRING),
        [A_SCOPE] = JSON_MAY("scope", JSON_STRING),
        [A_FORCE] = JSON_MAY("force", JSON_BOOL),
        [A_EXPECT_HEAD] = JSON_MAY("expect_head", JSON_STRING),
        [A_DRY_RUN] = JSON_MAY("dry_run", JSON_BOOL),
    };

    if (body_members(x, m, A_COUNT, fault) != FAULT_OK ||
        scope_read(x, &m[A_SCOPE], &spec->scope, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->from = member_text(x, &m[A_FROM]);
    spec->expect_head = member_text(x, &m[A_EXPECT_HEAD]);
    spec->dry_run = is_true(&m[A_DRY_RUN]);
    *force = is_true(&m[A_FORCE]);
    return FAULT_OK;
}

enum fault_code native_session_adopt(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct adopt_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct moved moved = {.act = MOVE_ADOPT};
    struct reply_once once;
    enum fault_code code;
    bool force;

    if (adopt_read(x, &spec, &force, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &once, write_moved, &moved, &spec.once, fault) != FAULT_OK)
        return fault_pass(fault);
    code = workspaces_adopt(app->workspaces, &spec, force, &x->arena, &moved.result, &moved.report,
                            fault);
    if (code == FAULT_FILES_CONFLICT)
        conflicts_say(x, &moved.report.conflicts, NULL, 0);
    if (code)
        return code;
    return once_reply(x, &once, spec.dry_run ? NULL : &app->counts.adopts, fault);
}
