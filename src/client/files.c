/* Files of a session: listed, read, written, brought back, merged; where it works. */
#include "client/errand.h"

#include "base/utf8.h"

bool tine_files(struct tine *tine, const char *session, const struct tine_files_options *options,
                struct tine_result **out, struct tine_error *error)
{
    static const struct tine_files_options none = {0};
    struct errand errand;

    options = options ? options : &none;
    errand_begin_session(&errand, tine, "GET", session, "/files", error);
    path_query(&errand.path, "path", options->path);
    path_query_int(&errand.path, "limit", options->limit);
    if (options->cursor) { /* knows the rest */
        path_query(&errand.path, "cursor", options->cursor);
    } else {
        path_query(&errand.path, "at", options->at);
        path_query(&errand.path, "part", options->at && options->part ? "1" : NULL);
        path_query(&errand.path, "deep", options->deep ? "1" : NULL);
        path_query(&errand.path, "live", options->live ? "1" : NULL);
    }
    return errand_end(&errand, REPLY_MEMBERS, out);
}

static void begin_file(struct errand *errand, struct tine *tine, const char *method,
                       const char *session, const char *path, struct tine_error *error)
{
    errand_begin_session(errand, tine, method, session, "/files", error);
    path_steps(&errand->path, path);
    errand->transfer.is_bytes = true;
}

bool tine_file_read(struct tine *tine, const char *session, const char *path, const char *at,
                    bool part, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    begin_file(&errand, tine, "GET", session, path, error);
    path_query(&errand.path, "at", at);
    path_query(&errand.path, "part", at && part ? "1" : NULL);
    return errand_end(&errand, REPLY_CONTENT, out);
}

bool tine_file_write(struct tine *tine, const char *session, const char *path, const void *bytes,
                     size_t count, const struct tine_file_options *options,
                     struct tine_result **out, struct tine_error *error)
{
    static const struct tine_file_options none = {0};
    struct errand errand;

    options = options ? options : &none;
    begin_file(&errand, tine, "PUT", session, path, error);
    path_query(&errand.path, "mode", options->mode);
    path_query(&errand.path, "expect_head", options->expect_head);
    errand.transfer.body = count ? (struct str){bytes, count} : STR("");
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_file_delete(struct tine *tine, const char *session, const char *path,
                      const char *expect_head, struct tine_error *error)
{
    struct errand errand;

    begin_file(&errand, tine, "DELETE", session, path, error);
    path_query(&errand.path, "expect_head", expect_head);
    return errand_end(&errand, REPLY_MEMBERS, NULL);
}

/* "path", or "path_bytes" for one that is no text. */
static void path_write(struct errand *errand, const char *path)
{
    struct path escaped;

    if (utf8_valid(str_of(path))) {
        errand_text(errand, "path", path ? path : "");
        return;
    }
    path_init(&escaped);
    path_steps(&escaped, path);
    errand->path.wrong = errand->path.wrong || escaped.wrong || escaped.text.full;
    errand_text(errand, "path_bytes", escaped.text.n ? buf_str(&escaped.text).p + 1 : "");
    path_clear(&escaped);
}

bool tine_restore(struct tine *tine, const char *session, const char *path, const char *at,
                  bool part, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "POST", session, "/restore", error);
    errand_body(&errand);
    path_write(&errand, path);
    errand_text(&errand, "at", at ? at : "");
    errand_flag(&errand, "part", part);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_merge(struct tine *tine, const char *session, const char *from,
                const struct tine_merge_options *options, struct tine_result **out,
                struct tine_error *error)
{
    static const struct tine_merge_options none = {0};
    struct errand errand;

    options = options ? options : &none;
    errand_begin_session(&errand, tine, "POST", session, "/merge", error);
    errand_body(&errand);
    errand_text(&errand, "from", from ? from : "");
    errand_text(&errand, "expect_head", options->expect_head);
    errand_flag(&errand, "force", options->force);
    errand_flag(&errand, "dry_run", options->dry_run);
    errand.transfer.key = options->key;
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_conflicts(struct tine *tine, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;
    bool done;

    *out = NULL;
    if (tine->problem.n == 0)
        return error_set(error, 0, "usage", "the newest call was not refused");
    errand_begin(&errand, tine, "GET", error);
    buf_init(&errand.transfer.reply, PROBLEM_BYTES);
    buf_add_str(&errand.transfer.reply, buf_str(&tine->problem));
    done = errand_result(&errand, REPLY_MEMBERS, out);
    errand_clear(&errand);
    return done;
}

/* ---- where it works ---- */

bool tine_workspace(struct tine *tine, const char *session, struct tine_result **out,
                    struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/workspace", error);
    return errand_end(&errand, REPLY_WORKSPACE, out);
}

bool tine_workspace_set(struct tine *tine, const char *session, const char *mode, const char *dir,
                        struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "PUT", session, "/workspace", error);
    errand_body(&errand);
    errand_text(&errand, "mode", mode ? mode : "");
    errand_text(&errand, "dir", dir);
    return errand_end(&errand, REPLY_SESSION, out);
}
