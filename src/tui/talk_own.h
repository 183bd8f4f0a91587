/*
 * The conversation, for the files that are parts of it: talk.c is what others ask of it,
 * talk_follow.c takes events in, talk_read.c reads from the server.
 */
#ifndef TUI_TALK_OWN_H
#define TUI_TALK_OWN_H

#include "tui/owned.h"
#include "tui/pages.h"
#include "tui/saying.h"
#include "tui/talk.h"
#include "tui/talk_labels.h"

enum {
    TALK_WANTS = 4,   /* pages that wait to be read: more are not on the screen */
    TALK_RETIRED = 4, /* feeds that are ending */
    TALK_HEAVY = 2,   /* neighbours that were too large to be read ahead */
    TALK_RETRY_MS = 1000
};

struct talk {
    struct talk_options options;
    char *id; /* NULL: none */
    struct feed *feed, *retired[TALK_RETIRED];
    struct tine_result *session; /* NULL: not known yet */
    struct tine_error error;
    bool failed; /* `error` says why */
    bool lost;

    /* messages */
    struct pages *pages;
    int64_t count;
    uint64_t version;
    struct talk_labels labels;

    /* reading */
    uint64_t generation; /* of what is asked for: answers to older questions are thrown away */
    bool opening;        /* the whole is being read */
    bool again;          /* … and must be once more: something happened meanwhile */
    bool stale;          /* it could not be, and must be when the server is back */
    bool listens;        /* the feed has begun */
    bool check;          /* look whether something happened before that */
    char *head;          /* newest message when it was read; NULL: none */
    int64_t head_count;  /* … and how many there were */
    bool session_asked, session_again, labels_asked, labels_again;
    int64_t wants[TALK_WANTS]; /* pages, most wanted first */
    size_t want_count;
    int64_t reading;           /* page that is being read; -1: none */
    int64_t ahead;             /* page to be read when nothing is wanted; -1: none */
    int64_t heavy[TALK_HEAVY]; /* see TALK_HEAVY; -1: none */
    int64_t retry_ms;          /* after one failed: no page is asked for before that; 0: none did */
    int64_t seen;              /* the place that was asked for last */

    /* the turn */
    struct saying *saying;
    uint64_t settled;                      /* its version whose message is being read; 0: none */
    char *turn, *turn_state, *turn_reason; /* NULL: none */
    uint64_t turn_news;                    /* events that have told of it */
    struct arena ask_memory;
    struct talk_ask ask;
    bool asks;

    struct buf sending;
    bool sends;
};

void talk_changed(struct talk *talk);
void talk_fail(struct talk *talk, const struct tine_error *error);

/* The message that was being sent is told: it is not shown twice. */
void talk_sent(struct talk *talk, const struct tine_message *message);

/* ---- the turn: talk_follow.c ---- */

void talk_turn_set(struct talk *talk, const char *turn, const char *state, const char *reason);
void talk_happened(void *context, const struct happening *happening); /* for the feed */

/* ---- reading: talk_read.c ---- */

void talk_read_all(struct talk *talk);     /* anew; what is there stays until then */
void talk_read_session(struct talk *talk); /* only what it says of itself */
void talk_read_labels(struct talk *talk);
void talk_want(struct talk *talk, int64_t index); /* the page of that place, soon */
void talk_want_near(struct talk *talk, int64_t index);
void talk_retry(struct talk *talk); /* what could not be read, when it is time */

#endif
