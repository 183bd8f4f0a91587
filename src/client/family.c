/* The family of a session, its journal, labels and what search finds. */
#include "client/errand.h"

#include <inttypes.h>
#include <stdio.h>

bool tine_tree(struct tine *tine, const char *session, bool details, struct tine_result **out,
               struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/tree", error);
    path_query(&errand.path, "messages", details ? "1" : NULL);
    path_query(&errand.path, "limit", details ? "1" : NULL); /* of the nodes for drawing */
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_ancestors(struct tine *tine, const char *session, struct tine_result **out,
                    struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/ancestors", error);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_children(struct tine *tine, const char *session, struct tine_result **out,
                   struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/children", error);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_diff(struct tine *tine, const char *session, const struct tine_diff_options *options,
               struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/diff", error);
    path_query(&errand.path, "with", options->with);
    path_query(&errand.path, "at", options->at);
    path_query(&errand.path, "with_at", options->with_at);
    path_query(&errand.path, "part", options->part ? "1" : NULL);
    path_query(&errand.path, "patch", options->no_patches ? "0" : NULL);
    path_query_int(&errand.path, "limit", options->limit);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_journal(struct tine *tine, const char *session, int64_t since, int64_t limit,
                  const char *cursor, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/journal", error);
    path_query_int(&errand.path, "since", cursor ? 0 : since);
    path_query_int(&errand.path, "limit", limit);
    path_query(&errand.path, "cursor", cursor);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_labels(struct tine *tine, const char *session, struct tine_result **out,
                 struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "GET", session, "/labels", error);
    return errand_end(&errand, REPLY_MEMBERS, out);
}

bool tine_label(struct tine *tine, const char *session, const char *message, bool part,
                const char *text, struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, text ? "PUT" : "DELETE", session, "/labels", error);
    path_word(&errand.path, message);
    path_query(&errand.path, "part", part ? "1" : NULL);
    if (text) {
        errand_body(&errand);
        errand_text(&errand, "label", text);
    }
    return errand_end(&errand, REPLY_LABEL, out);
}

/* A place, which may be 0. */
static void query_place(struct path *path, const char *name, const int64_t *place)
{
    char digits[32];

    if (!place)
        return;
    snprintf(digits, sizeof(digits), "%" PRId64, *place);
    path_query(path, name, digits);
}

bool tine_search(struct tine *tine, const struct tine_search_options *options,
                 struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin(&errand, tine, "GET", error);
    path_add(&errand.path, "/search");
    path_query(&errand.path, "q", options->words ? options->words : "");
    path_query(&errand.path, "session", options->session);
    query_place(&errand.path, "before", options->before);
    query_place(&errand.path, "after", options->after);
    path_query_int(&errand.path, "limit", options->limit);
    return errand_end(&errand, REPLY_HITS, out);
}
