/* Fork and rewind, before an invocation. */
#include "dialect/boundary.h"

#include "base/utf8.h"
#include "dialect/kagent/handler.h"
#include "dialect/once_reply.h"
#include "message/part.h"

enum { NAME_WORDS_BYTES = 60 }; /* of a message that a name is made of */

enum { M_BOUNDARY, M_SESSION, M_REQUEST, M_COUNT };

/* What both are asked with. */
struct asked {
    struct who who;
    struct str session;
    struct str invocation; /* p == NULL: not said */
    struct str request_id;
};

static enum fault_code asked_read(struct exchange *x, bool named, struct asked *out,
                                  struct fault *fault)
{
    struct json_member m[M_COUNT] = {
        [M_BOUNDARY] = JSON_MAY("rewind_before_invocation_id", JSON_STRING),
        [M_SESSION] = JSON_MAY("session_id", JSON_STRING),
        [M_REQUEST] = JSON_MAY("request_id", JSON_STRING),
    };

    if (kagent_who(x, &out->who, fault) != FAULT_OK ||
        (x->request.body.n && kagent_body_find(x, m, M_COUNT, fault) != FAULT_OK))
        return fault_pass(fault);
    out->session = named ? member_text(x, &m[M_SESSION]) : session_of(x);
    if (out->session.n == 0)
        return fault_set(fault, FAULT_INVALID, "session_id is required");
    out->invocation = member_text(x, &m[M_BOUNDARY]);
    out->request_id = member_text(x, &m[M_REQUEST]);
    return FAULT_OK;
}

/* A request that is carried out once: by the header, or by a member of the body. */
static enum fault_code once_asked(struct exchange *x, const struct asked *asked,
                                  struct reply_once *self, reply_write *write, const void *result,
                                  struct once **out, struct fault *fault)
{
    if (once_begin(x, asked->request_id.n ? asked->request_id : STR_NONE, self, write, result, out,
                   fault) != FAULT_OK)
        return fault_pass(fault);
    if (*out)
        (*out)->owner = asked->who.owner;
    return FAULT_OK;
}

/* ---- fork ---- */

/* What was said first. */
struct first_said {
    struct arena *arena;
    struct str text;
};

static enum fault_code see_first(void *context, const struct entry *entry, struct fault *fault)
{
    struct first_said *first = context;

    first->text = arena_dup(first->arena, parts_text(entry->body, first->arena));
    return visit_enough(fault);
}

/* Its first words, without line breaks. */
static enum fault_code first_words(struct exchange *x, const struct asked *asked, struct str *out,
                                   struct fault *fault)
{
    struct first_said first = {.arena = &x->arena};
    struct history_spec spec = {.owner = asked->who.owner, .session = asked->session, .limit = 1};
    enum fault_code code = store_history(app_of(x)->store, &spec, see_first, &first, NULL, fault);
    char *words;
    size_t n = 0;

    if (code && code != FAULT_INTERRUPTED)
        return code;
    first.text = utf8_cut(first.text, NAME_WORDS_BYTES);
    words = arena_alloc(&x->arena, first.text.n + 1);
    for (size_t i = 0; i < first.text.n; i++) {
        char c = first.text.p[i];

        if ((unsigned char)c < 0x20 || c == 0x7f)
            c = ' ';
        if (c != ' ' || (n && words[n - 1] != ' '))
            words[n++] = c;
    }
    while (n && words[n - 1] == ' ')
        n--;
    *out = (struct str){words, n};
    return FAULT_OK;
}

static enum fault_code fork_name(struct exchange *x, const struct asked *asked,
                                 const struct session *source, struct str *out, struct fault *fault)
{
    struct str name = source->title;

    if (name.n == 0 && first_words(x, asked, &name, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = name.n
               ? utf8_cut(arena_printf(&x->arena, "Fork of %.*s", STR_ARG(name)), LIMIT_TITLE_BYTES)
               : STR("Fork");
    return FAULT_OK;
}

/* Nothing said, or a boundary that is nowhere: everything, as far as it has settled. */
static enum fault_code fork_point(struct exchange *x, const struct asked *asked,
                                  struct point_spec *out, struct fault *fault)
{
    enum fault_code code = FAULT_TURN_NOT_FOUND;

    if (asked->invocation.p)
        code = boundary_find(app_of(x), asked->who.owner, asked->session, asked->invocation,
                             &x->arena, out, fault);
    if (code == FAULT_TURN_NOT_FOUND) {
        *out = (struct point_spec){.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_SNAP};
        code = FAULT_OK;
    }
    return code;
}

struct forked {
    struct fork_result result;
    struct str user;
    struct arena *arena;
};

static void write_forked(struct json_out *out, const void *forked_)
{
    const struct forked *forked = forked_;

    json_out_object(out, NULL);
    json_out_bool(out, "error", false);
    kagent_session_write(out, "data", &forked->result.session, forked->user, forked->arena);
    json_out_string(out, "message", STR("Successfully forked session"));
    json_out_object_end(out);
}

static enum fault_code fork_session(struct exchange *x, bool named, struct fault *fault)
{
    struct app *app = app_of(x);
    struct asked asked = {0};
    struct files_report report;
    struct forked forked = {.arena = &x->arena};
    struct reply_once once;
    struct session source;
    struct str name;
    struct fork_spec spec = {.home = STR("kagent"), .title = &name};

    if (asked_read(x, named, &asked, fault) != FAULT_OK ||
        kagent_session_find(x, &asked.who, asked.session, "Session not found", &source, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    spec.owner = asked.who.owner;
    spec.session = asked.session;
    forked.user = asked.who.name;
    if (once_asked(x, &asked, &once, write_forked, &forked, &spec.once, fault) != FAULT_OK ||
        fork_point(x, &asked, &spec.point, fault) != FAULT_OK ||
        fork_name(x, &asked, &source, &name, fault) != FAULT_OK ||
        workspaces_fork(app->workspaces, &spec, FORK_FILES_POINT, &x->arena, &forked.result,
                        &report, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to fork session");
    return once_reply(x, &once, &app->counts.forks, fault);
}

enum fault_code kagent_session_fork(struct exchange *x, struct fault *fault)
{
    return fork_session(x, false, fault);
}

enum fault_code kagent_session_fork_named(struct exchange *x, struct fault *fault)
{
    return fork_session(x, true, fault);
}

/* ---- rewind ---- */

struct gone_back {
    struct move_result result;
    struct str user, invocation;
    struct arena *arena;
};

static void write_rewound(struct json_out *out, const void *rewound_)
{
    const struct gone_back *rewound = rewound_;

    json_out_object(out, NULL);
    json_out_bool(out, "error", false);
    json_out_object(out, "data");
    kagent_session_write(out, "session", &rewound->result.session, rewound->user, rewound->arena);
    json_out_string(out, "invocation_id", boundary_marker(rewound->result.id, rewound->arena));
    json_out_string(out, "rewind_before_invocation_id", rewound->invocation);
    json_out_int(out, "removed_messages", rewound->result.dropped);
    json_out_object_end(out);
    json_out_string(out, "message", STR("Successfully rewound session"));
    json_out_object_end(out);
}

static enum fault_code rewind_asked(struct exchange *x, const struct asked *asked,
                                    struct fault *fault)
{
    struct move_spec spec = {
        .owner = asked->who.owner,
        .session = asked->session,
    };
    struct gone_back rewound = {
        .user = asked->who.name, .invocation = asked->invocation, .arena = &x->arena};
    struct reply_once once;
    struct session session;
    enum fault_code code;

    if (kagent_session_find(x, &asked->who, asked->session, "Session not found", &session, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (!asked->invocation.p)
        return fault_set(fault, FAULT_INVALID, "rewind_before_invocation_id is required");
    if (once_asked(x, asked, &once, write_rewound, &rewound, &spec.once, fault) != FAULT_OK)
        return fault_pass(fault);
    code = boundary_find(app_of(x), spec.owner, spec.session, asked->invocation, &x->arena,
                         &spec.point, fault);
    if (code == FAULT_TURN_NOT_FOUND) /* in the words of ADK, and a bad request here */
        return fault_set(fault, FAULT_INVALID, "Invocation ID not found: %.*s",
                         (int)(asked->invocation.n < 200 ? asked->invocation.n : 200),
                         asked->invocation.p);
    if (code || boundary_rewind(app_of(x), &spec, &x->arena, &rewound.result, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to rewind session");
    return once_reply(x, &once, &app_of(x)->counts.rewinds, fault);
}

enum fault_code kagent_session_rewind(struct exchange *x, struct fault *fault)
{
    struct asked asked = {0};

    if (asked_read(x, false, &asked, fault) != FAULT_OK)
        return fault_pass(fault);
    return rewind_asked(x, &asked, fault);
}

enum fault_code kagent_history_put(struct exchange *x, struct fault *fault)
{
    (void)x;
    return fault_set(fault, FAULT_METHOD,
                     "the effective history is computed from the log and cannot be written: a "
                     "client could rewrite the past. POST …/rewind changes it, GET …/tasks gives "
                     "it");
}
