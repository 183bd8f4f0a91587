/* The chat, for the files that are parts of it. */
#ifndef TUI_CHAT_OWN_H
#define TUI_CHAT_OWN_H

#include "tui/chat.h"
#include "tui/chat_find.h"
#include "tui/composer.h"
#include "tui/owned.h"
#include "tui/scroll.h"
#include "tui/agents_view.h"
#include "tui/search_view.h"
#include "tui/sessions_view.h"
#include "tui/sidebar.h"

struct chat {
    struct view view;
    void (*wake)(void *context);
    void *wake_context;
    struct talk *talk;
    struct scroll *scroll;
    struct composer *composer;
    struct sidebar *sidebar;
    struct chat_find *find;
    char *note;     /* where the session came from; NULL: nothing to tell */
    char *agent;    /* of the session that the first message makes; NULL: the server's default */
    char *title;    /* … its title; NULL: none */
    char *sending;  /* the session to which a message is on its way; NULL: none */
    int64_t opened; /* counts what was opened, */
    int64_t making; /* … and for which of it a session is being made; 0: for none */
    char *asked;    /* id of what the turn asks, for which a box was opened; NULL */
    struct view *asking; /* that box, while it is open; NULL */
    bool all_open;       /* tool calls in full */
    int64_t leave_ms;    /* Ctrl-C came then: once more leaves */
    struct pane talked;  /* where the conversation was drawn last: for clicks */
    struct pane beside;  /* … and the sidebar; no columns: it was not */
};

/* ---- saying: chat_send.c ---- */

/* Sends the text, or does what it says when it is a command. */
void chat_say(struct chat *chat, struct str text);
void chat_stop(struct chat *chat); /* asks, then ends the turn */
bool chat_is_here(const struct chat *chat, const char *session);
bool chat_is_sending(const struct chat *chat); /* in the conversation that is open */

/* ---- answering: chat_answer.c ---- */

/* Opens a box when the turn waits for an answer and nobody is writing; closes one that is over. */
void chat_look_for_ask(struct chat *chat);

/* Opens it now; false: nothing is asked. */
bool chat_show_ask(struct chat *chat);

/* ---- commands: slash.c ---- */

/* "/word …": does it. False: it is no command, but a text. */
bool slash_run(struct chat *chat, struct str text);
bool slash_complete(void *context, struct str text, size_t index, struct composer_offer *out);

#endif
