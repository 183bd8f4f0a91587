/* What the turn asks: may a tool be used, a question. A box opens for it, and the answer is sent.
 */
#include "tui/ask.h"
#include "tui/chat_own.h"
#include "tui/choice.h"

#include <stdlib.h>

/* The box, and which question it is for: another may be asked by the time it is answered. */
struct answer_box {
    struct chat *chat;
    struct view *view;
    char *session, *id;
};

/* ---- sending it ---- */

struct answering {
    struct errand errand;
    struct chat *chat;
    const char *session;
    struct tine_answer_options options;
};

static bool answering_run(struct errand *errand, struct tine *tine)
{
    struct answering *answering = (struct answering *)errand;

    return tine_answer(tine, answering->session, &answering->options, &errand->result,
                       &errand->error);
}

static void answering_done(struct errand *errand)
{
    struct answering *answering = (struct answering *)errand;
    struct chat *chat = answering->chat;

    if (!errand->ok)
        tui_fail(chat->view.tui, "the answer was not taken", &errand->error);
    else if (chat_is_here(chat, answering->session))
        talk_answered(chat->talk);
    tui_dirty(chat->view.tui);
}

static void answer(const struct answer_box *box, bool approve, const char *always, const char *text)
{
    struct answering *answering =
        errand_new(sizeof(*answering), answering_run, answering_done, box->chat);
    struct arena *arena = &answering->errand.arena;

    answering->chat = box->chat;
    answering->session = arena_dup(arena, str_of(box->session)).p;
    answering->options.approve = approve;
    answering->options.always = always;
    answering->options.text = text ? arena_dup(arena, str_of(text)).p : NULL;
    answering->options.id = *box->id ? arena_dup(arena, str_of(box->id)).p : NULL;
    errands_send(tui_errands(box->chat->view.tui), LANE_ACT, &answering->errand);
}

/* ---- the box ---- */

static void box_end(struct answer_box *box, bool answered)
{
    struct chat *chat = box->chat;

    if (chat->asking == box->view)
        chat->asking = NULL;
    else
        answered = true; /* it was closed: its question is over */
    if (!answered && talk_ask(chat->talk))
        tui_say(chat->view.tui, "the agent waits; Esc shows again what it asks");
    free(box->session);
    free(box->id);
    free(box);
}

static void tool_answer(void *context, char key)
{
    struct answer_box *box = context;

    if (key)
        answer(box, key != 'n', key == 't' ? "tool" : key == 's' ? "session" : NULL, NULL);
    box_end(box, key != 0);
}

static void question_answer(void *context, const char *text)
{
    struct answer_box *box = context;

    if (text)
        answer(box, true, NULL, text);
    box_end(box, text != NULL);
}

static struct view *tool_box(struct answer_box *box, const struct talk_ask *asked, bool unasked)
{
    static const struct choice_answer answers[] = {
        {'y', "yes, this once"},
        {'t', "yes, and this tool from now on"},
        {'s', "yes, and everything in this session"},
        {'n', "no"},
    };
    struct tui *tui = box->chat->view.tui;
    struct choice_spec spec = {.text = asked->arguments,
                               .answers = answers,
                               .count = 4,
                               .unasked = unasked,
                               .call = tool_answer,
                               .context = box};
    struct arena arena;
    struct view *view;

    arena_init(&arena);
    spec.title = arena_printf(&arena, "May the agent use %s?", asked->tool).p;
    view = choice_new(tui, &spec);
    arena_clear(&arena);
    return view;
}

static struct view *question_box(struct answer_box *box, const struct talk_ask *asked, bool unasked)
{
    return ask_new(box->chat->view.tui, &(struct ask_spec){.title = "The agent asks",
                                                           .words = asked->question,
                                                           .unasked = unasked,
                                                           .call = question_answer,
                                                           .context = box});
}

static void box_open(struct chat *chat, const struct talk_ask *asked, bool unasked)
{
    struct answer_box *box = calloc(1, sizeof(*box));

    if (!box)
        abort();
    box->chat = chat;
    owned_set(&box->session, talk_id(chat->talk));
    owned_set(&box->id, asked->id ? asked->id : "");
    box->view = asked->tool ? tool_box(box, asked, unasked) : question_box(box, asked, unasked);
    chat->asking = box->view;
    owned_set(&chat->asked, box->id);
    tui_push(chat->view.tui, box->view);
}

/* ---- when ---- */

/* Unasked only where nobody is writing or looking at something else. */
static bool may_open(const struct chat *chat)
{
    return tui_is_top(chat->view.tui, &chat->view) && composer_empty(chat->composer) &&
           !chat_find_is_open(chat->find);
}

void chat_look_for_ask(struct chat *chat)
{
    const struct talk_ask *asked = talk_ask(chat->talk);
    bool known = asked && chat->asked && strcmp(chat->asked, asked->id ? asked->id : "") == 0;

    if (chat->asking && !known) { /* answered elsewhere, or the turn has ended */
        tui_close(chat->view.tui, chat->asking);
        chat->asking = NULL;
    }
    if (!asked) {
        owned_set(&chat->asked, NULL);
    } else if (!known && may_open(chat)) {
        screen_bell(tui_screen(chat->view.tui));
        box_open(chat, asked, true);
    }
}

bool chat_show_ask(struct chat *chat)
{
    const struct talk_ask *asked = talk_ask(chat->talk);

    if (asked && !chat->asking)
        box_open(chat, asked, false);
    return asked != NULL;
}
