/* What a person says: a message for the agent, or that its turn is to stop. */
#include "tui/chat_own.h"
#include "tui/choice.h"
#include "tui/act_key.h"

#include <stdlib.h>

enum { TITLE_COLUMNS = 60 /* of the first line of a conversation that has no title */ };

static void send(struct chat *chat, const char *session, struct str text, bool wait);

bool chat_is_here(const struct chat *chat, const char *session)
{
    const char *here = talk_id(chat->talk);

    return here && strcmp(here, session) == 0;
}

bool chat_is_sending(const struct chat *chat)
{
    if (!talk_id(chat->talk))
        return chat->making == chat->opened;
    return chat->sending && chat_is_here(chat, chat->sending);
}

/* What could not be sent goes back where it was written, when that is still open and free. */
static void give_back(struct chat *chat, const char *session, const char *text)
{
    if (session && !chat_is_here(chat, session)) {
        tui_say(chat->view.tui, "the message is kept: Up brings it back");
        return;
    }
    talk_sending_failed(chat->talk);
    if (composer_empty(chat->composer))
        composer_set(chat->composer, str_of(text));
}

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

struct busy {
    struct chat *chat;
    char *session, *text;
};

static void busy_answer(void *context, char key);

static void ask_busy(struct chat *chat, const char *session, const char *text)
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
    owned_set(&busy->session, session);
    owned_set(&busy->text, text);
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
    bool here = chat_is_here(chat, sending->session);

    if (chat->sending && strcmp(chat->sending, sending->session) == 0)
        owned_set(&chat->sending, NULL);
    tui_dirty(chat->view.tui);
    if (errand->ok)
        return;
    if (here && strcmp(errand->error.code, "turn_running") == 0) {
        talk_sending_failed(chat->talk);
        ask_busy(chat, sending->session, sending->text);
        return;
    }
    give_back(chat, sending->session, sending->text);
    tui_fail(chat->view.tui, "the message was not sent", &errand->error);
}

static void send(struct chat *chat, const char *session, struct str text, bool wait)
{
    struct sending *sending = errand_new(sizeof(*sending), sending_run, sending_done, chat);
    struct arena *arena = &sending->errand.arena;

    sending->chat = chat;
    sending->session = arena_dup(arena, str_of(session)).p;
    sending->text = arena_dup(arena, text).p;
    sending->key = act_key(arena);
    sending->wait = wait;
    if (chat_is_here(chat, session)) {
        owned_set(&chat->sending, session);
        talk_sending(chat->talk, text);
        scroll_end(chat->scroll);
    }
    errands_send(tui_errands(chat->view.tui), wait ? LANE_WAIT : LANE_SEND, &sending->errand);
}

/* ---- the first message makes the session ---- */

struct making {
    struct errand errand;
    struct chat *chat;
    int64_t opened; /* which conversation of the chat it is for */
    const char *text;
    struct tine_session_options options;
};

static bool making_run(struct errand *errand, struct tine *tine)
{
    struct making *making = (struct making *)errand;

    return tine_create(tine, &making->options, &errand->result, &errand->error);
}

/* The person may have gone elsewhere meanwhile: the message goes where it was written. */
static void making_done(struct errand *errand)
{
    struct making *making = (struct making *)errand;
    struct chat *chat = making->chat;
    bool here = chat->opened == making->opened;
    const char *session;

    if (here)
        chat->making = 0;
    tui_dirty(chat->view.tui);
    if (!errand->ok) {
        give_back(chat, here ? NULL : "", making->text);
        tui_fail(chat->view.tui, "the conversation could not begin", &errand->error);
        return;
    }
    session = arena_dup(&errand->arena, str_of(errand->result->session->id)).p;
    if (here) {
        talk_open(chat->talk, session);
        talk_session_given(chat->talk, errand->result);
        errand->result = NULL;
    }
    send(chat, session, str_of(making->text), false);
}

static void make_and_send(struct chat *chat, struct str text)
{
    struct making *making = errand_new(sizeof(*making), making_run, making_done, chat);
    struct arena *arena = &making->errand.arena;
    struct str line = {text.p, strcspn(text.p, "\n")};

    making->chat = chat;
    making->opened = chat->making = chat->opened;
    making->text = arena_dup(arena, text).p;
    making->options.agent = chat->agent ? arena_dup(arena, str_of(chat->agent)).p : NULL;
    making->options.title = chat->title ? arena_dup(arena, str_of(chat->title)).p
                                        : cells_fit(line, TITLE_COLUMNS, arena, NULL).p;
    making->options.key = act_key(arena);
    talk_sending(chat->talk, text);
    errands_send(tui_errands(chat->view.tui), LANE_ACT, &making->errand);
}

/* ---- stopping ---- */

struct stopping {
    struct errand errand;
    struct chat *chat;
    const char *session;
    const char *then; /* a text that is sent when it has stopped; NULL: none */
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
    bool over = errand->ok || strcmp(errand->error.code, "no_turn_running") == 0;

    if (over && stopping->then)
        send(chat, stopping->session, str_of(stopping->then), true);
    else if (!over && stopping->then)
        give_back(chat, stopping->session, stopping->then);
    if (!over)
        tui_fail(chat->view.tui, "the turn was not stopped", &errand->error);
    tui_dirty(chat->view.tui);
}

static void stop_now(struct chat *chat, const char *session, const char *then)
{
    struct stopping *stopping = errand_new(sizeof(*stopping), stopping_run, stopping_done, chat);
    struct arena *arena = &stopping->errand.arena;

    stopping->chat = chat;
    stopping->session = arena_dup(arena, str_of(session)).p;
    stopping->then = then ? arena_dup(arena, str_of(then)).p : NULL;
    errands_send(tui_errands(chat->view.tui), LANE_ACT, &stopping->errand);
}

static void stop_answer(void *context, char key)
{
    struct chat *chat = context;

    if (key == 's' && talk_runs(chat->talk))
        stop_now(chat, talk_id(chat->talk), NULL);
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
        send(busy->chat, busy->session, str_of(busy->text), true);
    else if (key == 's')
        stop_now(busy->chat, busy->session, busy->text);
    else
        give_back(busy->chat, busy->session, busy->text);
    free(busy->session);
    free(busy->text);
    free(busy);
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
    owned_set(&chat->note, NULL);
    if (!talk_id(chat->talk))
        make_and_send(chat, text);
    else if (talk_runs(chat->talk))
        ask_busy(chat, talk_id(chat->talk), text.p);
    else
        send(chat, talk_id(chat->talk), text, false);
}
