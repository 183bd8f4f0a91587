/* Where a session works: commands in it, and all of it as one file. */
#include "dialect/ash/wire.h"

#include "base/base64.h"
#include "dialect/ash/workspace.h"

/* ---- commands ---- */

enum { X_COMMAND, X_TIMEOUT, X_COUNT };

enum { EXIT_TIMED_OUT = 124, EXIT_STOPPED = 137 /* as timeout(1) and a shell say it */ };

static void write_exec(struct json_out *out, const struct exec_result *result, struct arena *arena)
{
    struct str errors = ash_clean(result->errors, arena);
    int code = result->code;

    if (result->stopped) {
        code = result->timed_out ? EXIT_TIMED_OUT : EXIT_STOPPED;
        errors =
            arena_printf(arena, "%.*s%s[%s]\n", STR_ARG(errors),
                         errors.n && errors.p[errors.n - 1] != '\n' ? "\n" : "", result->stopped);
    }
    json_out_int(out, "exitCode", code);
    json_out_string(out, "stdout", ash_clean(result->output, arena));
    json_out_string(out, "stderr", errors);
}

enum fault_code ash_session_exec(struct exchange *x, struct fault *fault)
{
    struct json_member m[X_COUNT] = {
        [X_COMMAND] = JSON_MUST("command", JSON_STRING),
        [X_TIMEOUT] = JSON_MAY("timeout", JSON_NUMBER),
    };
    struct exec_cmd cmd = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct exec_result result;
    struct session session;
    struct agent_def def;
    struct json_out out;
    struct fault none;

    if (ash_session_active(x, &session, fault) != FAULT_OK ||
        ash_members(x, m, X_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[X_TIMEOUT].given && !json_int(&m[X_TIMEOUT].value, 1, EXEC_MS_MAX, &cmd.time_ms))
        return fault_set(fault, FAULT_INVALID, "body/timeout must be between 1 and %d",
                         EXEC_MS_MAX);
    cmd.command = member_text(x, &m[X_COMMAND]);
    cmd.network =
        agents_get(app_of(x)->agents, session.agent, &x->arena, &def, &none) == FAULT_OK &&
        def.network;
    if (workspaces_exec(app_of(x)->workspaces, &cmd, &x->arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &out);
    write_exec(&out, &result, &x->arena);
    return reply_close(x, &out, fault);
}

/* ---- what is not shown ---- */

static bool is_one_of(struct str name, const char *const *list)
{
    for (; *list; list++)
        if (str_eq(name, str_of(*list)))
            return true;
    return false;
}

static struct str last_name(struct str path)
{
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
    size_t before = slash ? (size_t)(slash - path.p) + 1 : 0;

    return (struct str){path.p + before, path.n - before};
}

bool ash_files_skip(struct str path)
{
    static const char *const names[] = {
        "node_modules", ".git",  "__pycache__", ".cache", ".npm", ".pnpm-store",
        ".yarn",        ".venv", "venv",        ".tmp",   "tmp",  NULL,
    };
    static const char *const ends[] = {".sock", ".lock", ".pid", NULL};
    struct str name = last_name(path);

    for (const char *const *end = ends; *end; end++) {
        size_t n = strlen(*end);

        if (name.n >= n && memcmp(name.p + name.n - n, *end, n) == 0)
            return true;
    }
    return is_one_of(name, names);
}

/* A bundle leaves the machine: what usually has secrets in it stays. */
static bool bundle_leaves_out(struct str path)
{
    static const char *const names[] = {
        ".env", ".env.local", ".env.production", ".env.development", ".DS_Store", NULL};

    return ash_files_skip(path) || is_one_of(last_name(path), names);
}

struct files_place ash_files_place(struct exchange *x, const struct session *session)
{
    return (struct files_place){
        .owner = x->request.caller.sees,
        .session = session->id,
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        /* To look at the directory is to record it, which who may only read does not. */
        .live = ash_status_of(session) == ASH_ACTIVE && x->request.caller.right >= RIGHT_WRITE,
    };
}

/* ---- bundles ---- */

enum fault_code ash_workspace_get(struct exchange *x, struct fault *fault)
{
    struct session session;
    struct files_place place;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (session.workspace.mode == WORKSPACE_NONE)
        return fault_set(fault, FAULT_FILE_NOT_FOUND, "No workspace available for this session");
    place = ash_files_place(x, &session);
    buf_reset(&x->reply.body);
    if (workspaces_bundle(app_of(x)->workspaces, &place, bundle_leaves_out, &x->reply.body,
                          fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.type = "application/gzip";
    reply_header(
        x, "Content-Disposition",
        arena_printf(&x->arena, "attachment; filename=\"%.*s.tar.gz\"", STR_ARG(session.id)));
    return reply_check(x, fault);
}

enum fault_code ash_workspace_put(struct exchange *x, struct fault *fault)
{
    struct json_member m[1] = {JSON_MUST("bundle", JSON_STRING)};
    struct session session;
    struct str text, bytes;
    struct json_out out;
    bool live;
    int64_t count;

    if (ash_session(x, &session, fault) != FAULT_OK || ash_members(x, m, 1, fault) != FAULT_OK ||
        ash_files_may_change(&session, fault) != FAULT_OK)
        return fault_pass(fault);
    text = member_text(x, &m[0]);
    if (text.n == 0)
        return fault_set(fault, FAULT_INVALID, "Empty bundle");
    if (!base64_read(text, &x->arena, &bytes))
        return fault_set(fault, FAULT_INVALID, "body/bundle must be base64");
    live = ash_status_of(&session) == ASH_ACTIVE;
    if (workspaces_unbundle(app_of(x)->workspaces, x->request.caller.sees, session.id, bytes,
                            &x->arena, &count, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &out);
    json_out_plain(&out, "message",
                   live ? STR("Workspace restored to live sandbox")
                        : STR("Workspace saved as snapshot"));
    return reply_close(x, &out, fault);
}
