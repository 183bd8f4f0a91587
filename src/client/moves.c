/* Fork, rewind, undo, redo, adopt. */
#include "client/errand.h"
#include "client/point.h"

bool tine_fork(struct tine *tine, const char *session, const struct tine_fork_options *options,
               struct tine_result **out, struct tine_error *error)
{
    static const struct tine_fork_options none = {0};
    struct errand errand;

    options = options ? options : &none;
    errand_begin_session(&errand, tine, "POST", session, "/fork", error);
    errand_body(&errand);
    point_write(&errand, &options->point);
    errand_text(&errand, "id", options->id);
    errand_text(&errand, "title", options->title);
    errand_text(&errand, "agent", options->agent);
    errand_json(&errand, "metadata", options->metadata);
    errand_text(&errand, "files", options->files);
    errand_text(&errand, "expect_head", options->expect_head);
    errand_flag(&errand, "dry_run", options->dry_run);
    errand.transfer.key = options->key;
    return errand_end(&errand, REPLY_MEMBERS, out);
}

/* What the four moves have in common. */
static bool move(struct errand *errand, const struct tine_move_options *options,
                 struct tine_result **out)
{
    errand_text(errand, "expect_head", options->expect_head);
    errand_flag(errand, "force", options->force);
    errand_flag(errand, "dry_run", options->dry_run);
    errand->transfer.key = options->key;
    return errand_end(errand, REPLY_MEMBERS, out);
}

static const struct tine_move_options no_options = {0};

bool tine_rewind(struct tine *tine, const char *session, const struct tine_move_options *options,
                 struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    options = options ? options : &no_options;
    errand_begin_session(&errand, tine, "POST", session, "/rewind", error);
    errand_body(&errand);
    point_write(&errand, &options->point);
    errand_text(&errand, "scope", options->scope);
    return move(&errand, options, out);
}

bool tine_undo(struct tine *tine, const char *session, const struct tine_move_options *options,
               struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "POST", session, "/undo", error);
    errand_body(&errand);
    return move(&errand, options ? options : &no_options, out);
}

bool tine_redo(struct tine *tine, const char *session, const struct tine_move_options *options,
               struct tine_result **out, struct tine_error *error)
{
    struct errand errand;

    errand_begin_session(&errand, tine, "POST", session, "/redo", error);
    errand_body(&errand);
    return move(&errand, options ? options : &no_options, out);
}

bool tine_adopt(struct tine *tine, const char *session, const char *from,
                const struct tine_move_options *options, struct tine_result **out,
                struct tine_error *error)
{
    struct errand errand;

    options = options ? options : &no_options;
    errand_begin_session(&errand, tine, "POST", session, "/adopt", error);
    errand_body(&errand);
    errand_text(&errand, "from", from ? from : "");
    errand_text(&errand, "scope", options->scope);
    return move(&errand, options, out);
}
