/* What a person says: a message for the agent, a stop, an answer to what the turn asks. */
#include "tui/chat_own.h"
#include "tui/choice.h"
#include "tui/act_key.h"

#include <stdlib.h>

static void send(struct chat *chat, struct str text, bool wait);

/* ---- sending ---- */

struct sending {
    struct errand errand;
    struct chat *chat;
    const char *session, *text, *key;
    bool wait;
};

/* The first event says that the message is stored and the turn has begun: the feed tells the rest.
 */
static bool begun(void *context, const struct tine_event *event)
{
    (void)context;
    (void)event;
    return false;
}

static bool sending_run(struct errand *errand, struct tine *tine)
{
    struct sending *sending = (struct sending *)errand;
    struct tine_send_options options = {
        .text = sending->text, .wait = sending->wait, .key = sending->key, .on_event = begun};

    return tine_send(tine, sending->session, &options, &errand->result, &errand->error);
}

/* What could not be sent goes back where it was written. */
static void give_back(struct chat *chat, const char *text)
{
    talk_sending_failed(chat->talk);
    if (composer_empty(chat->composer))
        composer_set(chat->composer, str_of(text));
}

struct busy {
    struct chat *chat;
    char *text;
};

static void busy_answer(void *context, char key);

static void ask_busy(struct chat *chat, struct str text)
{
    static const struct choice_answer answers[] = {
        {'w', "wait, and send it when the turn has ended"},
        {'s', "stop the turn, and send it then"},
        {'n', "not now: back to the composer"},
    };
    struct busy *busy = calloc(1, sizeof(*busy));

    if (!busy)
        abort();
    busy->chat = chat;
    chat_set(&busy->text, text.p);
    tui_push(chat->view.tui,
             choice_new(chat->view.tui, &(struct choice_spec){.title = "A turn is running",
                                                              .answers = answers,
                                                              .count = 3,
                                                              .call = busy_answer,
                                                              .context = busy}));
}

static void sending_done(struct errand *errand)
{
    struct sending *sending = (struct sending *)errand;
    struct chat *chat = sending->chat;

    chat->sending = false;
    if (errand->ok)
        return;
    give_back(chat, sending->text);
    if (strcmp(errand->error.code, "turn_running") == 0) {
        struct str text = composer_take(chat->composer, &errand->arena);

        ask_busy(chat, text);
    } else {
        tui_fail(chat->view.tui, "the message was not sent", &errand->error);
    }
    tui_dirty(chat->view.tui);
}

static void send(struct chat *chat, struct str text, bool wait)
{
    struct sending *sending = errand_new(sizeof(*sending), sending_run, sending_done, chat);
    struct arena *arena = &sending->errand.arena;

    sending->chat = chat;
    sending->session = arena_dup(arena, str_of(talk_id(chat->talk))).p;
    sending->text = arena_dup(arena, text).p;
    sending->key = act_key(arena);
    sending->wait = wait;
    chat->sending = true;
    talk_sending(chat->talk, text);
    scroll_end(chat->scroll);
    errands_send(tui_errands(chat->view.tui), LANE_SEND, &sending->errand);
}

/* ---- the first message makes the session ---- */

struct making {
    struct errand errand;
    struct chat *chat;
    struct tine_session_options options;
};

static bool making_run(struct errand *errand, struct tine *tine)
{
    struct making *making = (struct making *)errand;

    return tine_create(tine, &making->options, &errand->result, &errand->error);
}

static void making_done(struct errand *errand)
{
    struct chat *chat = ((struct making *)errand)->chat;
    char *first = chat->first;

    chat->first = NULL;
    chat->sending = false;
    if (errand->ok) {
        talk_open(chat->talk, errand->result->session->id);
        talk_session_given(chat->talk, errand->result);
        errand->result = NULL;
        if (first)
            send(chat, str_of(first), false);
    } else {
        if (first)
            give_back(chat, first);
        tui_fail(chat->view.tui, "the conversation could not begin", &errand->error);
    }
    free(first);
    tui_dirty(chat->view.tui);
}

static void make_and_send(struct chat *chat, struct str text)
{
    struct making *making = errand_new(sizeof(*making), making_run, making_done, chat);
    struct arena *arena = &making->errand.arena;
    struct str line = {text.p, strcspn(text.p, "\n")};

    making->chat = chat;
    making->options.agent = chat->agent ? arena_dup(arena, str_of(chat->agent)).p : NULL;
    making->options.title =
        chat->title ? arena_dup(arena, str_of(chat->title)).p : cells_fit(line, 60, arena, NULL).p;
    making->options.key = act_key(arena);
    chat_set(&chat->first, text.p);
    chat->sending = true;
    talk_sending(chat->talk, text);
    errands_send(tui_errands(chat->view.tui), LANE_ACT, &making->errand);
}

/* ---- stopping ---- */

struct stopping {
    struct errand errand;
    struct chat *chat;
    const char *session;
    char *then; /* a text that is sent when it has stopped; NULL: none */
};

static bool stopping_run(struct errand *errand, struct tine *tine)
{
    struct stopping *stopping = (struct stopping *)errand;

    return tine_cancel(tine, stopping->session, &errand->result, &errand->error);
}

static void stopping_done(struct errand *errand)
{
    struct stopping *stopping = (struct stopping *)errand;
    struct chat *chat = stopping->chat;
    bool over = errand->ok || strcmp(errand->error.code, "no_turn") == 0;

    if (!over) {
        tui_fail(chat->view.tui, "the turn was not stopped", &errand->error);
        if (stopping->then)
            give_back(chat, stopping->then);
    } else if (stopping->then && talk_id(chat->talk) &&
               strcmp(talk_id(chat->talk), stopping->session) == 0) {
        send(chat, str_of(stopping->then), true);
    }
    tui_dirty(chat->view.tui);
}

static void stop_now(struct chat *chat, const char *then)
{
    struct stopping *stopping = errand_new(sizeof(*stopping), stopping_run, stopping_done, chat);
    struct arena *arena = &stopping->errand.arena;

    stopping->chat = chat;
    stopping->session = arena_dup(arena, str_of(talk_id(chat->talk))).p;
    if (then)
        stopping->then = (char *)(uintptr_t)arena_dup(arena, str_of(then)).p;
    errands_send(tui_errands(chat->view.tui), LANE_ACT, &stopping->errand);
}

static void stop_answer(void *context, char key)
{
    struct chat *chat = context;

    if (key == 's' && talk_runs(chat->talk))
        stop_now(chat, NULL);
}

void chat_stop(struct chat *chat)
{
    static const struct choice_answer answers[] = {
        {'s', "stop it; what was said so far stays"},
        {'n', "let it go on"},
    };

    tui_push(chat->view.tui,
             choice_new(chat->view.tui, &(struct choice_spec){.title = "Stop the turn?",
                                                              .answers = answers,
                                                              .count = 2,
                                                              .call = stop_answer,
                                                              .context = chat}));
}

static void busy_answer(void *context, char key)
{
    struct busy *busy = context;

    if (key == 'w')
        send(busy->chat, str_of(busy->text), true);
    else if (key == 's')
        stop_now(busy->chat, busy->text);
    else if (composer_empty(busy->chat->composer))
        composer_set(busy->chat->composer, str_of(busy->text));
    free(busy->text);
    free(busy);
}

/* ---- answering ---- */

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
    bool here = talk_id(chat->talk) && strcmp(talk_id(chat->talk), answering->session) == 0;

    if (errand->ok && here)
        talk_answered(chat->talk);
    if (!errand->ok) {
        tui_fail(chat->view.tui, "the answer was not taken", &errand->error);
        chat_set(&chat->answering, NULL); /* it is asked again, if it still waits */
    }
    tui_dirty(chat->view.tui);
}

static void answer(struct chat *chat, bool approve, const char *always, const char *text)
{
    const char *session = talk_id(chat->talk);
    struct answering *answering;
    struct arena *arena;

    if (!session)
        return;
    answering = errand_new(sizeof(*answering), answering_run, answering_done, chat);
    arena = &answering->errand.arena;
    answering->chat = chat;
    answering->session = arena_dup(arena, str_of(session)).p;
    answering->options.approve = approve;
    answering->options.always = always;
    answering->options.text = text ? arena_dup(arena, str_of(text)).p : NULL;
    answering->options.id =
        chat->answering && *chat->answering ? arena_dup(arena, str_of(chat->answering)).p : NULL;
    errands_send(tui_errands(chat->view.tui), LANE_ACT, &answering->errand);
}

static void tool_answer(void *context, char key)
{
    struct chat *chat = context;

    if (key)
        answer(chat, key != 'n', key == 't' ? "tool" : key == 's' ? "session" : NULL, NULL);
    else
        tui_say(chat->view.tui, "it waits; Esc here asks again");
}

static void question_answer(void *context, const char *text)
{
    struct chat *chat = context;

    if (text)
        answer(chat, true, NULL, text);
    else
        tui_say(chat->view.tui, "it waits; Esc here asks again");
}

static void ask_tool(struct chat *chat, const struct talk_ask *asked)
{
    static const struct choice_answer answers[] = {
        {'y', "yes, this once"},
        {'t', "yes, and this tool from now on"},
        {'s', "yes, and everything in this session"},
        {'n', "no"},
    };
    struct arena arena;
    struct str text, title;

    arena_init(&arena);
    title = arena_printf(&arena, "May the agent use %s?", asked->tool);
    text = str_of(asked->arguments ? asked->arguments : "");
    tui_push(chat->view.tui,
             choice_new(chat->view.tui, &(struct choice_spec){.title = title.p,
                                                              .text = text.n ? text.p : NULL,
                                                              .answers = answers,
                                                              .count = 4,
                                                              .call = tool_answer,
                                                              .context = chat}));
    arena_clear(&arena);
}

void chat_look_for_ask(struct chat *chat)
{
    const struct talk_ask *asked = talk_ask(chat->talk);

    if (!asked) {
        chat_set(&chat->answering, NULL);
        return;
    }
    if (chat->answering && asked->id && strcmp(chat->answering, asked->id) == 0)
        return;
    chat_set(&chat->answering, asked->id ? asked->id : "");
    screen_bell(tui_screen(chat->view.tui));
    if (asked->tool)
        ask_tool(chat, asked);
    else
        tui_push(chat->view.tui,
                 ask_new(chat->view.tui, asked->question ? asked->question : "The agent asks", "",
                         question_answer, chat));
}

/* ---- saying ---- */

void chat_say(struct chat *chat, struct str text)
{
    if (slash_run(chat, text))
        return;
    if (text.n > 1 && text.p[0] == '/' && text.p[1] == '/') { /* a text that begins with a slash */
        text.p++;
        text.n--;
    }
    chat_set(&chat->note, NULL);
    if (!talk_id(chat->talk))
        make_and_send(chat, text);
    else if (talk_runs(chat->talk))
        ask_busy(chat, text);
    else
        send(chat, text, false);
}
