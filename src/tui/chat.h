/* The chat: a conversation, the composer, and the line that says how things are. */
#ifndef TUI_CHAT_H
#define TUI_CHAT_H

#include "tui/talk.h"
#include "tui/tui.h"

/* `wake` is for its feed. */
struct view *chat_new(struct tui *tui, void (*wake)(void *context), void *context);

/* As tui_open; session NULL: an empty one, which is made when the first message is sent. */
void chat_open(struct view *chat, const char *session, const char *note, const char *text);

void chat_open_at(struct view *chat, const char *session, const char *message);

struct talk *chat_talk(struct view *chat);

#endif
