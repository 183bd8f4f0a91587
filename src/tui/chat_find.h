/*
 * Finding in the conversation: words are typed, and the newest message that has them is shown; the
 * server's index finds it, so the length of the conversation does not matter.
 */
#ifndef TUI_CHAT_FIND_H
#define TUI_CHAT_FIND_H

#include "tui/scroll.h"
#include "tui/tui.h"

struct chat_find;

struct chat_find *chat_find_new(struct tui *tui, struct talk *talk, struct scroll *scroll);
void chat_find_free(struct chat_find *find);

void chat_find_open(struct chat_find *find, const char *words); /* NULL: the words of last time */
void chat_find_close(struct chat_find *find);
bool chat_find_is_open(const struct chat_find *find);
const char *chat_find_words(struct chat_find *find); /* that are shown as found; NULL: none */

void chat_find_press(struct chat_find *find, const struct press *press);
void chat_find_draw(struct chat_find *find, struct pane pane); /* one row */

#endif
