/* Files of a session, one by one. */
#include "dialect/ash/workspace.h"

#include "base/base64.h"

enum {
    FILES_AT_ONCE = 500,
    FILE_JSON_BYTES = 1024 * 1024,
    FILE_WRITE_BYTES = 50 * 1024 * 1024,
};

static struct str source_of(const struct session *session)
{
    return ash_status_of(session) == ASH_ACTIVE ? STR("sandbox") : STR("snapshot");
}

/* ---- the list ---- */

struct listing {
    struct json_out out;
    const struct session *session;
    bool hidden; /* these, too */
};

/* Is the file, or a directory on the way to it, one that is not shown by itself? */
static bool is_hidden(struct str path)
{
    while (path.n) {
        const char *slash = memrchr(path.p, '/', path.n);
        size_t before = slash ? (size_t)(slash - path.p) + 1 : 0;

        if (path.p[before] == '.' || ash_files_skip(path))
            return true;
        path.n = slash ? before - 1 : 0;
    }
    return false;
}

static enum fault_code visit(void *context, struct str path, const struct tree_entry *entry,
                             struct fault *fault)
{
    struct listing *list = context;
    struct arena arena;

    (void)fault;
    if (!tree_is_file(entry->type) || (!list->hidden && is_hidden(path)))
        return FAULT_OK;
    arena_init(&arena);
    json_out_object(&list->out, NULL);
    json_out_string(&list->out, "path", ash_clean(path, &arena));
    json_out_int(&list->out, "size", entry->size);
    json_out_time(&list->out, "modifiedAt", list->session->updated_us); /* at the latest */
    json_out_object_end(&list->out);
    arena_clear(&arena);
    return FAULT_OK;
}

enum fault_code ash_files_list(struct exchange *x, struct fault *fault)
{
    struct listing list = {.hidden = query_flag(x, 0)};
    unsigned char tree[HASH_BYTES];
    struct files_place place;
    struct session session;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    list.session = &session;
    place = ash_files_place(x, &session);
    reply_open(x, &list.out);
    json_out_array(&list.out, "files");
    if (workspaces_list(app_of(x)->workspaces, &place, STR(""), true, visit, &list, tree, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&list.out);
    json_out_plain(&list.out, "source", source_of(&session));
    return reply_close(x, &list.out, fault);
}

/* ---- reading ---- */

static enum fault_code path_of(struct exchange *x, struct str *out, struct fault *fault)
{
    *out = x->request.params[1];
    if (!ash_path_fits(*out))
        return fault_set(fault, FAULT_PATH_INVALID, "Invalid file path");
    return FAULT_OK;
}

static enum fault_code reply_json(struct exchange *x, const struct session *session,
                                  struct str path, struct str content, struct fault *fault)
{
    struct json_out out;

    if (content.n > FILE_JSON_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "File too large: %zu bytes, at most %d as JSON",
                         content.n, FILE_JSON_BYTES);
    reply_open(x, &out);
    json_out_string(&out, "path", ash_clean(path, &x->arena));
    json_out_string(&out, "content", ash_clean(content, &x->arena));
    json_out_int(&out, "size", (int64_t)content.n);
    json_out_plain(&out, "source", source_of(session));
    return reply_close(x, &out, fault);
}

/* Whatever an agent has written must never run as a page of this server. */
static enum fault_code reply_raw(struct exchange *x, const struct session *session,
                                 struct str content, struct fault *fault)
{
    reply_header(x, "X-Ash-Source", source_of(session));
    reply_header(x, "Content-Disposition", STR("attachment"));
    reply_header(x, "Content-Security-Policy", STR("sandbox; default-src 'none'"));
    x->reply.type = "application/octet-stream";
    buf_reset(&x->reply.body);
    buf_add_str(&x->reply.body, content);
    return reply_check(x, fault);
}

enum fault_code ash_file_get(struct exchange *x, struct fault *fault)
{
    struct files_place place;
    struct session session;
    struct tree_entry entry;
    struct str path, content;

    if (ash_session(x, &session, fault) != FAULT_OK || path_of(x, &path, fault) != FAULT_OK)
        return fault_pass(fault);
    place = ash_files_place(x, &session);
    if (workspaces_read(app_of(x)->workspaces, &place, path, &x->arena, &entry, &content, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (str_eq(query_text(x, 0), STR("json")))
        return reply_json(x, &session, path, content, fault);
    return reply_raw(x, &session, content, fault);
}

/* ---- writing ---- */

enum { W_FILES, W_TARGET, W_COUNT };

struct writing {
    struct file_put *files;
    size_t count;
};

/* A file whose content is wrong is not written, and says so beside the others. */
static enum fault_code file_read(struct exchange *x, const struct json_value *object, size_t i,
                                 struct str target, struct file_put *out, struct fault *fault)
{
    struct json_value path, content;

    if (!member_at(object, "path", &path) || path.type != JSON_STRING ||
        !member_at(object, "content", &content) || content.type != JSON_STRING)
        return fault_set(fault, FAULT_INVALID, "body/files/%zu must have \"path\" and \"content\"",
                         i);
    *out = (struct file_put){.path = json_text(&path, &x->arena)};
    if (!ash_path_fits(out->path))
        return fault_set(fault, FAULT_PATH_INVALID, "Invalid file path");
    if (target.n)
        out->path = arena_printf(&x->arena, "%.*s/%.*s", STR_ARG(target), STR_ARG(out->path));
    if (!base64_read(json_text(&content, &x->arena), &x->arena, &out->content))
        return fault_set(fault, FAULT_INVALID, "body/files/%zu/content must be base64", i);
    if (out->content.n > FILE_WRITE_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "body/files/%zu has more than %d bytes", i,
                         FILE_WRITE_BYTES);
    return FAULT_OK;
}

static enum fault_code writing_read(struct exchange *x, struct writing *out, struct fault *fault)
{
    struct json_member m[W_COUNT] = {
        [W_FILES] = JSON_MUST("files", JSON_ARRAY),
        [W_TARGET] = JSON_MAY("targetPath", JSON_STRING),
    };
    struct json_walk walk;
    struct str target;

    if (ash_members(x, m, W_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    target = member_text(x, &m[W_TARGET]);
    while (target.n && target.p[target.n - 1] == '/')
        target.n--;
    if (str_eq(target, STR(".")))
        target.n = 0;
    if (m[W_TARGET].given && target.n && !ash_path_fits(target))
        return fault_set(fault, FAULT_PATH_INVALID, "Invalid file path");
    *out = (struct writing){.files = arena_array(&x->arena, FILES_AT_ONCE, sizeof(*out->files))};
    for (json_walk_begin(&walk, &m[W_FILES].value); json_walk_next(&walk); out->count++) {
        if (out->count == FILES_AT_ONCE)
            return fault_set(fault, FAULT_INVALID, "body/files must NOT have more than %d items",
                             FILES_AT_ONCE);
        if (file_read(x, &walk.value, out->count, target, &out->files[out->count], fault) !=
            FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static void write_written(struct json_out *out, const struct writing *writing)
{
    json_out_array(out, "files");
    for (size_t i = 0; i < writing->count; i++) {
        const struct file_put *file = &writing->files[i];

        json_out_object(out, NULL);
        json_out_string(out, "path", file->path);
        json_out_bool(out, "written", !file->fault.code);
        if (file->fault.code)
            json_out_string(out, "error", str_of(file->fault.message));
        else
            json_out_int(out, "size", (int64_t)file->content.n);
        json_out_object_end(out);
    }
    json_out_array_end(out);
}

enum fault_code ash_files_put(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct writing writing;
    struct session session;
    struct json_out out;

    if (ash_session(x, &session, fault) != FAULT_OK ||
        ash_files_may_change(&session, fault) != FAULT_OK ||
        writing_read(x, &writing, fault) != FAULT_OK ||
        workspaces_put_all(app->workspaces, x->request.caller.sees, session.id, writing.files,
                           writing.count, &x->arena, fault) != FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app->counts.file_writes, (long long)writing.count);
    reply_open(x, &out);
    write_written(&out, &writing);
    return reply_close(x, &out, fault);
}

enum fault_code ash_file_delete(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct file_cmd cmd = {
        .owner = x->request.caller.sees, .session = session_of(x), .remove = true};
    struct file_result result;
    struct session session;
    struct json_out out;

    if (ash_session(x, &session, fault) != FAULT_OK ||
        ash_files_may_change(&session, fault) != FAULT_OK ||
        path_of(x, &cmd.path, fault) != FAULT_OK ||
        workspaces_put(app->workspaces, &cmd, &x->arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app->counts.file_writes, 1);
    reply_open(x, &out);
    json_out_string(&out, "path", ash_clean(cmd.path, &x->arena));
    json_out_bool(&out, "deleted", true);
    return reply_close(x, &out, fault);
}
