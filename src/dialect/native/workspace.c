/* Where a session works: a directory of its own, one that was there before, or none. */
#include "dialect/native/workspace.h"

#include <limits.h>
#include <stdlib.h>

enum { W_MODE, W_DIR, W_COUNT };

static enum fault_code mode_read(struct str word, enum workspace_mode *out, struct fault *fault)
{
    for (int i = WORKSPACE_OWN; i <= WORKSPACE_NONE; i++)
        if (str_eq(word, str_of(object_workspace((enum workspace_mode)i)))) {
            *out = (enum workspace_mode)i;
            return FAULT_OK;
        }
    return fault_set(fault, FAULT_INVALID, "\"mode\" must be \"own\", \"attached\" or \"none\"");
}

/* Whoever names a directory of the machine can read and write all that the server can there. */
static enum fault_code members_check(struct exchange *x, const struct json_member *m,
                                     struct workspace *out, struct fault *fault)
{
    struct workspace workspace = {.dir = STR("")};
    char real[PATH_MAX];

    if (mode_read(member_text(x, &m[W_MODE]), &workspace.mode, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[W_DIR].given != (workspace.mode == WORKSPACE_ATTACHED))
        return fault_set(fault, FAULT_INVALID,
                         "\"dir\" goes with \"mode\": \"attached\", and with no other");
    if (m[W_DIR].given) {
        workspace.dir = arena_dup(&x->arena, member_text(x, &m[W_DIR]));
        if (caller_may(x, RIGHT_ADMIN, "attach a directory of this machine", fault) != FAULT_OK ||
            workspaces_check_dir(app_of(x)->workspaces, &workspace, fault) != FAULT_OK)
            return fault_pass(fault);
        if (realpath(workspace.dir.p, real)) /* one name for each directory */
            workspace.dir = arena_dup(&x->arena, str_of(real));
    }
    *out = workspace;
    return FAULT_OK;
}

enum fault_code workspace_member(struct exchange *x, const struct json_member *member,
                                 struct workspace *out, struct fault *fault)
{
    struct json_member m[W_COUNT] = {
        [W_MODE] = JSON_MUST("mode", JSON_STRING),
        [W_DIR] = JSON_MAY("dir", JSON_STRING),
    };

    if (!member->given)
        return FAULT_OK;
    if (json_members(&member->value, "workspace", m, W_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    return members_check(x, m, out, fault);
}

static void write_session(struct json_out *out, const void *session)
{
    object_write_session(out, NULL, session);
}

enum fault_code native_workspace_put(struct exchange *x, struct fault *fault)
{
    struct json_member m[W_COUNT] = {
        [W_MODE] = JSON_MUST("mode", JSON_STRING),
        [W_DIR] = JSON_MAY("dir", JSON_STRING),
    };
    struct workspace_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct session session;

    if (body_members(x, m, W_COUNT, fault) != FAULT_OK ||
        members_check(x, m, &spec.workspace, fault) != FAULT_OK ||
        workspaces_set(app_of(x)->workspaces, &spec, &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_object(x, write_session, &session, fault);
}

/* The directory itself, which is laid out for that; only the operator can go there. */
enum fault_code native_workspace_get(struct exchange *x, struct fault *fault)
{
    struct session session;
    struct json_out out;
    struct str dir = STR_NONE;

    if (store_session_get(app_of(x)->store, x->request.caller.sees, session_of(x), false, &x->arena,
                          &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (x->request.caller.right >= RIGHT_ADMIN &&
        workspaces_dir(app_of(x)->workspaces, &session, &x->arena, &dir, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &out);
    object_write_dir(&out, dir);
    json_out_string(&out, "mode", str_of(object_workspace(session.workspace.mode)));
    return reply_close(x, &out, fault);
}
