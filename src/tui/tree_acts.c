/* What the keys of the tree do to the marked row. */
#include "client/error.h"
#include "tui/ask.h"
#include "tui/choice.h"
#include "tui/compare_view.h"
#include "tui/move_words.h"
#include "tui/moves.h"
#include "tui/session_row.h"
#include "tui/tree_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    JOURNAL_PAGE = 1000,
    JOURNAL_PAGES = 500 /* beyond that the end of a stretch is not looked for */
};

/* ---- places ---- */

/*
 * A place that only the server can name: the end of a stretch that was rewound away, or the message
 * after which a fork parted.
 */
struct sought {
    const char *session; /* that is asked */
    const char *first;   /* message that the stretch begins with; NULL: it is no stretch */
    int64_t index;       /* of a parting: the place of its last message; -1: it is none */
    const char *message; /* that was found; NULL: the end */
};

enum deed { DEED_FORK, DEED_REWIND, DEED_COMPARE };

/* Something to be done when its places are known. */
struct deed_errand {
    struct errand errand;
    struct tui *tui;
    enum deed deed;
    const char *session; /* to which it is done */
    struct sought sought[2];
    const char *titles[2]; /* of a comparison */
};

/* The newest message of the stretch: the last one that the journal has before the next move. */
static bool stretch_end(struct sought *sought, struct tine *tine, struct arena *arena,
                        struct tine_error *error)
{
    struct tine_pages pages = {0};
    const char *cursor = NULL;
    bool inside = false, over = false, ok = true;

    for (int i = 0; !over && i < JOURNAL_PAGES && tine_pages_next(&pages, &cursor); i++) {
        ok = tine_journal(tine, sought->session, 0, JOURNAL_PAGE, cursor, &pages.page, error);
        if (!ok)
            break;
        for (size_t e = 0; !over && e < pages.page->entry_count; e++) {
            const struct tine_message *message = pages.page->entries[e].message;

            if (!message)
                continue;
            inside |= strcmp(message->id, sought->first) == 0;
            over = inside && message->move;
            if (inside && !over && strcmp(message->kind, "message") == 0)
                sought->message = arena_dup(arena, str_of(message->id)).p;
        }
    }
    tine_pages_end(&pages);
    if (ok && !sought->message)
        sought->message = sought->first;
    return ok;
}

/* A fork that was itself rewound to before where it parted has no such message any more. */
static bool parting(struct sought *sought, struct tine *tine, struct arena *arena,
                    struct tine_error *error)
{
    struct tine_messages_options options = {.from = sought->index, .limit = 1};
    struct tine_result *page;

    if (!tine_messages(tine, sought->session, &options, &page, error))
        return false;
    if (page->message_count)
        sought->message = arena_dup(arena, str_of(page->messages[0].id)).p;
    tine_result_free(page);
    return sought->message ||
           error_set(error, 0, "gone", "the session was rewound to before where it parted");
}

static bool deed_run(struct errand *errand, struct tine *tine)
{
    struct deed_errand *self = (struct deed_errand *)errand;

    for (size_t i = 0; i < 2; i++) {
        struct sought *sought = &self->sought[i];

        if (sought->first && !stretch_end(sought, tine, &errand->arena, &errand->error))
            return false;
        if (sought->session && !sought->first && sought->index >= 0 &&
            !parting(sought, tine, &errand->arena, &errand->error))
            return false;
    }
    return true;
}

static void deed_do(const struct deed_errand *self)
{
    struct moves_point point = {.after = self->sought[0].message};
    struct compare_side sides[2];

    if (self->deed == DEED_FORK) {
        moves_fork(self->tui, self->session, point, false);
    } else if (self->deed == DEED_REWIND) {
        if (!point.after)
            point.before = "#0";
        moves_rewind(self->tui, self->session, point);
    } else {
        for (size_t i = 0; i < 2; i++)
            sides[i] = (struct compare_side){.session = self->sought[i].session,
                                             .at = self->sought[i].message,
                                             .title = self->titles[i]};
        tui_push(self->tui, compare_view_new(self->tui, &sides[0], &sides[1]));
    }
}

static void deed_done(struct errand *errand)
{
    struct deed_errand *self = (struct deed_errand *)errand;

    if (errand->ok)
        deed_do(self);
    else
        tui_fail(self->tui, "cannot find that place", &errand->error);
}

static struct deed_errand *deed_new(struct tree_view *tree, enum deed deed, const char *session)
{
    struct deed_errand *self = errand_new(sizeof(*self), deed_run, deed_done, tree);

    self->tui = tree->view.tui;
    self->deed = deed;
    self->session = session ? arena_dup(&self->errand.arena, str_of(session)).p : NULL;
    self->sought[0].index = self->sought[1].index = -1;
    return self;
}

static void deed_seek(struct deed_errand *self, size_t at, const char *session, const char *first,
                      int64_t index)
{
    struct arena *arena = &self->errand.arena;

    self->sought[at].session = arena_dup(arena, str_of(session)).p;
    self->sought[at].first = first ? arena_dup(arena, str_of(first)).p : NULL;
    self->sought[at].index = index;
}

/* The end of a stretch is looked for in the whole journal. */
static void deed_send(struct deed_errand *self)
{
    bool is_long = self->sought[0].first || self->sought[1].first;

    errands_send(tui_errands(self->tui), is_long ? LANE_LONG : LANE_LOOK, &self->errand);
}

/* ---- open, fork, merge, adopt, undo ---- */

void tree_view_open(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    const struct tine_session *session = tree_session(tree, row);
    char place[32];

    if (!row)
        return;
    if (!row->rewound || row->rewound->index == 0) {
        tui_open(tree->view.tui, session->id, NULL, NULL);
        return;
    }
    snprintf(place, sizeof(place), "#%" PRId64, row->rewound->index - 1);
    tui_open_at(tree->view.tui, session->id, place);
}

void tree_fork(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    const struct tine_session *session = tree_session(tree, row);
    struct deed_errand *deed;

    if (!row)
        return;
    if (!row->rewound) {
        moves_fork(tree->view.tui, session->id, (struct moves_point){0}, false);
        return;
    }
    deed = deed_new(tree, DEED_FORK, session->id);
    deed_seek(deed, 0, session->id, row->rewound->first->id, -1);
    deed_send(deed);
}

void tree_merge(struct tree_view *tree)
{
    const struct tine_session *session = tree_session(tree, tree_marked(tree));

    if (session)
        moves_merge(tree->view.tui, tree_here(tree), session->id, session->title);
}

void tree_adopt(struct tree_view *tree)
{
    const struct tine_session *session = tree_session(tree, tree_marked(tree));

    if (session)
        moves_adopt(tree->view.tui, tree_here(tree), session->id, session->title);
}

void tree_undo(struct tree_view *tree)
{
    const struct tine_session *session = tree_session(tree, tree_marked(tree));

    if (session)
        moves_undo(tree->view.tui, session->id);
}

void tree_redo(struct tree_view *tree)
{
    const struct tine_session *session = tree_session(tree, tree_marked(tree));

    if (session)
        moves_redo(tree->view.tui, session->id);
}

/* ---- rewind ---- */

/* Back to a stretch that was rewound away; a fork to where it parted; a root to its beginning. */
void tree_rewind(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    const struct tine_session *session = tree_session(tree, row);
    struct deed_errand *deed;

    if (!row)
        return;
    if (!row->rewound && session->own_messages == 0) {
        tui_say(tree->view.tui, "it has said nothing since it parted; R takes its source back");
        return;
    }
    deed = deed_new(tree, DEED_REWIND, session->id);
    if (row->rewound)
        deed_seek(deed, 0, session->id, row->rewound->first->id, -1);
    else if (session->parent && session->index)
        deed_seek(deed, 0, session->id, NULL, session->index - 1);
    deed_send(deed);
}

/* The message is looked for in the fork: its source may have been rewound since. */
void tree_rewind_source(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    const struct tine_session *session = tree_session(tree, row);
    struct deed_errand *deed;

    if (!row)
        return;
    if (!session->parent || !tree_view_find(tree, session->parent->session)) {
        tui_say(tree->view.tui, "it has no source that could go back to where they part");
        return;
    }
    deed = deed_new(tree, DEED_REWIND, session->parent->session);
    if (session->index)
        deed_seek(deed, 0, session->id, NULL, session->index - 1);
    deed_send(deed);
}

/* ---- names ---- */

struct naming {
    struct tui *tui;
    char *session, *message; /* message NULL: the title is asked for */
};

static void named(void *context, const char *text)
{
    struct naming *naming = context;

    if (text && naming->message)
        moves_label(naming->tui, naming->session, naming->message, *text ? text : NULL);
    else if (text)
        moves_title(naming->tui, naming->session, text);
    free(naming->session);
    free(naming->message);
    free(naming);
}

static void ask_name(struct tree_view *tree, const struct tine_session *session,
                     const char *message, const char *question, const char *text)
{
    struct naming *naming = calloc(1, sizeof(*naming));

    if (!naming)
        abort();
    naming->tui = tree->view.tui;
    tree_set(&naming->session, session->id);
    tree_set(&naming->message, message);
    tui_push(naming->tui,
             ask_new(naming->tui,
                     &(struct ask_spec){
                         .title = question, .text = text, .call = named, .context = naming}));
}

static const char *label_at(const struct tine_session *session, int64_t index)
{
    for (size_t i = 0; i < session->label_count; i++)
        if (session->labels[i].index == index && session->labels[i].label)
            return session->labels[i].label;
    return "";
}

void tree_label(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    const struct tine_session *session = tree_session(tree, row);

    if (!row)
        return;
    if (row->rewound)
        ask_name(tree, session, row->rewound->first->id,
                 "Label of the first message of the stretch", "");
    else if (session->messages == 0)
        tui_say(tree->view.tui, "there is no message to be labelled");
    else
        ask_name(tree, session, "-1", "Label of the newest message; empty takes it away",
                 label_at(session, session->messages - 1));
}

void tree_title(struct tree_view *tree)
{
    const struct tine_session *session = tree_session(tree, tree_marked(tree));

    if (session)
        ask_name(tree, session, NULL, "Title of the session", session->title);
}

/* ---- delete ---- */

struct deleting {
    struct errand errand;
    struct tui *tui;
    const char *session, *title;
    const char *then; /* session to be opened when the chat has this one; NULL: a new one */
};

static bool delete_run(struct errand *errand, struct tine *tine)
{
    struct deleting *self = (struct deleting *)errand;

    return tine_delete(tine, self->session, false, &errand->error);
}

static void delete_done(struct errand *errand)
{
    struct deleting *self = (struct deleting *)errand;
    const char *here = tui_session(self->tui);

    if (!errand->ok) {
        tui_fail(self->tui, "cannot delete the session", &errand->error);
        return;
    }
    if (here && strcmp(here, self->session) == 0)
        tui_open(self->tui, self->then, NULL, NULL);
    tui_say(self->tui, "deleted %s", self->title);
}

struct doomed {
    struct tui *tui;
    struct arena arena;
    const char *session, *title, *then;
};

static void delete_chosen(void *context, char key)
{
    struct doomed *doomed = context;

    if (key == 'd') {
        struct deleting *self = errand_new(sizeof(*self), delete_run, delete_done, doomed->tui);
        struct arena *arena = &self->errand.arena;

        self->tui = doomed->tui;
        self->session = arena_dup(arena, str_of(doomed->session)).p;
        self->title = arena_dup(arena, str_of(doomed->title)).p;
        self->then = doomed->then ? arena_dup(arena, str_of(doomed->then)).p : NULL;
        errands_send(tui_errands(doomed->tui), LANE_ACT, &self->errand);
    }
    arena_clear(&doomed->arena);
    free(doomed);
}

/* The tree does not say whether a turn runs, so the session is read before it is asked. */
struct dooming {
    struct errand errand;
    struct tui *tui;
    const char *session, *then;
};

static bool dooming_run(struct errand *errand, struct tine *tine)
{
    struct dooming *self = (struct dooming *)errand;

    return tine_session(tine, self->session, false, &errand->result, &errand->error);
}

static void delete_ask(struct doomed *doomed, const struct tine_session *session)
{
    static const struct choice_answer answers[] = {{'n', "no, keep it"}, {'d', "delete it"}};
    enum tone tone;
    const char *state = session_row_state(session, &tone);
    bool runs = strcmp(state, "running") == 0 || strcmp(state, "waiting") == 0;
    struct choice_spec spec = {
        .title = arena_printf(&doomed->arena, "Delete %s?", doomed->title).p,
        .text = arena_printf(&doomed->arena,
                             "%sThis cannot be undone. Its forks stay, with everything that they "
                             "share with it.",
                             runs ? "Its turn is not over yet. " : "")
                    .p,
        .answers = answers,
        .count = 2,
        .call = delete_chosen,
        .context = doomed,
    };

    tui_push(doomed->tui, choice_new(doomed->tui, &spec));
}

static void dooming_done(struct errand *errand)
{
    struct dooming *self = (struct dooming *)errand;
    struct doomed *doomed;

    if (!errand->ok) {
        tui_fail(self->tui, "cannot delete the session", &errand->error);
        return;
    }
    doomed = calloc(1, sizeof(*doomed));
    if (!doomed)
        abort();
    arena_init(&doomed->arena);
    doomed->tui = self->tui;
    doomed->session = arena_dup(&doomed->arena, str_of(self->session)).p;
    doomed->title = move_words_title(errand->result->session->title, &doomed->arena);
    if (self->then)
        doomed->then = arena_dup(&doomed->arena, str_of(self->then)).p;
    delete_ask(doomed, errand->result->session);
}

void tree_delete(struct tree_view *tree)
{
    const struct tine_session *session = tree_session(tree, tree_marked(tree));
    struct dooming *self;
    struct arena *arena;

    if (!session)
        return;
    self = errand_new(sizeof(*self), dooming_run, dooming_done, tree);
    arena = &self->errand.arena;
    self->tui = tree->view.tui;
    self->session = arena_dup(arena, str_of(session->id)).p;
    if (session->parent && tree_view_find(tree, session->parent->session))
        self->then = arena_dup(arena, str_of(session->parent->session)).p;
    errands_send(tui_errands(self->tui), LANE_LOOK, &self->errand);
}

/* ---- compare ---- */

struct side {
    const char *session, *first; /* as in struct tree_place */
};

static bool is_same(const struct side *a, const struct side *b)
{
    return strcmp(a->session, b->session) == 0 && !a->first == !b->first &&
           (!a->first || strcmp(a->first, b->first) == 0);
}

/* The two that are marked; else the one that is, or the row, and the session of the chat. */
static void sides_choose(struct tree_view *tree, struct side sides[2])
{
    const struct tree_row *row = tree_marked(tree);
    struct side here = {.session = tree_here(tree)};
    struct side under = {.session = tree_session(tree, row)->id,
                         .first = row->rewound ? row->rewound->first->id : NULL};
    struct side marks[TREE_MARKS];

    for (size_t i = 0; i < tree->mark_count; i++)
        marks[i] = (struct side){tree->marks[i].session, tree->marks[i].first};
    sides[0] = tree->mark_count == TREE_MARKS ? marks[0] : here;
    sides[1] = tree->mark_count == TREE_MARKS                        ? marks[1]
               : tree->mark_count == 1 && !is_same(&marks[0], &here) ? marks[0]
                                                                     : under;
}

static const char *side_title(struct tree_view *tree, const struct side *side, struct arena *arena)
{
    const struct tine_session *session = tree_view_find(tree, side->session);
    struct str title = session ? str_of(session->title) : STR("");

    for (size_t i = 0; session && side->first && i < session->rewound_count; i++)
        if (strcmp(session->rewound[i].first->id, side->first) == 0)
            return arena_printf(arena, "%.*s, rewound at message %" PRId64, STR_ARG(title),
                                session->rewound[i].index + 1)
                .p;
    return arena_dup(arena, title).p;
}

void tree_compare(struct tree_view *tree)
{
    struct side sides[2];
    struct deed_errand *deed;

    if (!tree_marked(tree))
        return;
    sides_choose(tree, sides);
    if (is_same(&sides[0], &sides[1])) {
        tui_say(tree->view.tui, "with what? mark two rows with Space, or go to another one");
        return;
    }
    deed = deed_new(tree, DEED_COMPARE, NULL);
    for (size_t i = 0; i < 2; i++) {
        deed_seek(deed, i, sides[i].session, sides[i].first, -1);
        deed->titles[i] = side_title(tree, &sides[i], &deed->errand.arena);
    }
    deed_send(deed);
}
