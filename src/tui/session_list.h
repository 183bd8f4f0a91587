/*
 * Sessions as the server lists them, newest first: as many as were asked for, and the same ones
 * anew whenever something happens to one of them.
 */
#ifndef TUI_SESSION_LIST_H
#define TUI_SESSION_LIST_H

#include "tui/errand.h"
#include "tui/feed.h"

enum {
    SESSION_LIST_MAX = 1000,       /* sessions that are held; the rest is found by words */
    SESSION_LIST_KEPT_MAX = 100,   /* that stay although the list would not have them any more */
    SESSION_LIST_WORDS_MAX = 1000, /* bytes */
    SESSION_LIST_READ_MS = 500     /* what happens is read at most so often */
};

struct session_list;

struct session_list_options {
    struct errands *errands;
    size_t page;                    /* sessions that are read at a time */
    void (*changed)(void *context); /* on the screen's thread: there are others now */
    void *context;
};

struct session_list *session_list_new(const struct session_list_options *options);
void session_list_free(struct session_list *list);

/*
 * Only those that have all these words, the last one as far as it was typed, in title or messages;
 * "": all. What is there stays until the answer comes.
 */
void session_list_ask(struct session_list *list, struct str words, enum tine_archived archived);

/* The page behind those that are there, if there is one. */
void session_list_more(struct session_list *list);

void session_list_happened(struct session_list *list, const struct happening *happening);

/* For each frame: reads what has happened when it is time; else when it will be (0: nothing is to
 * be read, or it is being read). */
int64_t session_list_tend(struct session_list *list);

/*
 * A session as a call has given it back (adopted): it stands where it stood, also when the list
 * would not have it any more, until something else is asked for.
 */
void session_list_put(struct session_list *list, struct tine_result *result);

/* What was found lives until the list changes. */
size_t session_list_count(const struct session_list *list);
const struct tine_session *session_list_at(const struct session_list *list, size_t index);
size_t session_list_find(const struct session_list *list, const char *session); /* count: none */

bool session_list_is_read(const struct session_list *list);    /* an answer has come once */
bool session_list_is_current(const struct session_list *list); /* … to what was asked for last */
bool session_list_has_more(const struct session_list *list);
const struct tine_error *session_list_error(const struct session_list *list); /* NULL: none */

#endif
