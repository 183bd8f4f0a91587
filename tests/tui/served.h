/* A server of its own for a test: the program itself, in a home that goes with it. */
#ifndef TUI_SERVED_H
#define TUI_SERVED_H

#include "tui/errand.h"

struct served;

/* `config` is its tine.yaml; NULL: an agent that echoes. */
struct served *served_start(const char *config);
void served_free(struct served *served);

void served_kill(struct served *served);             /* at once */
void served_again(struct served *served, bool away); /* where it was, or at another port */

/* A handle for the test itself; the caller frees it. */
struct tine *served_tine(struct served *served);
struct tui_door served_door(struct served *served);

/* Adds messages "message FROM" …, turn and turn about of user and assistant. */
void served_fill(struct served *served, const char *session, int from, int count);
void served_say(struct served *served, const char *session, const char *text); /* stored only */
void served_session(struct served *served, const char *id, const char *agent);

#endif
