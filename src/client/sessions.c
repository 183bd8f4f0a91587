/* Sessions: made, listed, looked at, changed, deleted; their pages. */
#include "client/errand.h"

#include <stdlib.h>

bool tine_create(struct tine *tine, const struct tine_session_options *options,
                 struct tine_result **out, struct tine_error *error)
{
    static const struct tine_session_options none = {0};
    struct errand errand;

    options = options ? options : &none;
    errand_begin(&errand, tine, "POST", error);
    path_add(&errand.path, "/sessions");
    errand_body(&errand);
    errand_text(&errand, "id", options->id);
    errand_text(&errand, "title", options->title);
    errand_text(&errand, "agent", options->agent);
    errand_json(&errand, "metadata", options->metadata);
    errand_json(&errand, "limits", options->limits);
    errand_json(&errand, "state", options->state);
    if (options->workspace_mode) {
        json_out_object(&errand.body, "workspace");
        errand_text(&errand, "mode", options->workspace_mode);
        errand_text(&errand, "dir", options->workspace_dir);
        json_out_object_end(&errand.body);
    }
    errand.transfer.key = options->key;
    return errand_end(&errand, REPLY_SESSION, out);
}

bool tine_sessions(struct tine *tine, const struct tine_list_options *options,
                   struct tine_result **out, struct tine_error *error)
{
    static const struct tine_list_options none = {0};
    static const char *const archived[] = {NULL, "1", "all"};
    struct errand errand;

    options = options ? options : &none;
    errand_begin(&errand, tine, "GET", error);
    path_add(&errand.path, "/sessions");
    path_query(&errand.path, "agent", options->agent);
    path_query(&errand.path, "q", options->words);
    path_query(&errand.path, "parent", options->parent);
    path_query(&errand.path, "archived", archived[options->archived]);
    path_query_int(&errand.path, "limit", options->limit);
    path_query(&errand.path, "cursor", options->cursor);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_session(struct tine *tine, const char *session, bool part, struct tine_result **out,
                  struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "", error);
    path_query(&errand.path, "part", part ? "1" : NULL);
    return errand_end(&errand, REPLY_SESSION, out);
}

bool tine_update(struct tine *tine, const char *session, const struct tine_update_options *options,
                 struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "PATCH", session, "", error);
    errand_body(&errand);
    errand_text(&errand, "title", options->title);
    errand_json(&errand, "metadata", options->metadata);
    errand_json(&errand, "limits", options->limits);
    if (options->archived)
        json_out_bool(&errand.body, "archived", *options->archived);
    return errand_end(&errand, REPLY_SESSION, out);
}

bool tine_delete(struct tine *tine, const char *session, bool purge, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "DELETE", session, "", error);
    path_query(&errand.path, "purge", purge ? "1" : NULL);
    return errand_end(&errand, REPLY_MEMBERS, NULL);
}

/* ---- pages ---- */

bool tine_pages_next(struct tine_pages *pages, const char **cursor)
{
    char *next = NULL;

    if (pages->begun) {
        if (!pages->page || !pages->page->next)
            return false;
        next = strdup(pages->page->next);
        if (!next)
            abort();
        tine_result_free(pages->page);
        free(pages->cursor);
        pages->page = NULL;
        pages->cursor = next;
        *cursor = next;
    }
    pages->begun = true;
    return true;
}

void tine_pages_end(struct tine_pages *pages)
{
    tine_result_free(pages->page);
    free(pages->cursor);
    *pages = (struct tine_pages){0};
}
