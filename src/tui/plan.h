/*
 * A move under way: what is to be done to a session, from the question what it would do to the word
 * that it was done. It is in one hand at a time: an errand's, a box's, or that of the view that
 * waits for a turn to end.
 *
 *           ┌───────────── something was added meanwhile ──────────────┐
 *           ▼                                                          │
 *   go ─▶ look (dry run) ─▶ ask ─▶ act ─▶ tell          conflicts: ask once more, then by force
 *    ▲      │ a turn runs            │
 *    │      ▼                        │
 *    └── stop it, or wait ◀──────────┘
 */
#ifndef TUI_PLAN_H
#define TUI_PLAN_H

#include "base/buf.h"
#include "tui/tui.h"

struct plan;

/* How a call is made. */
struct plan_call {
    struct tine *tine;
    bool dry_run;
    const char *key; /* idempotency key of what is not a dry run */
    struct tine_result **out;
    struct tine_error *error;
};

/* A kind of move. */
struct verb {
    const char *name; /* "rewind": also in "cannot rewind" */
    bool (*call)(struct plan *plan, const struct plan_call *call); /* on the lane's thread */
    /* Shows what it would do and asks; adopts the plan. NULL: it is done without asking. */
    void (*ask)(struct plan *plan, const struct tine_result *dry);
    void (*tell)(struct plan *plan, const struct tine_result *result);
};

struct plan {
    const struct verb *verb;
    struct tui *tui;
    struct arena arena; /* has its texts */
    const char *session;
    const char *before, *after;    /* the point of a rewind or a fork; NULL */
    const char *from, *from_title; /* of an adopt or a merge; NULL */
    const char *agent;             /* of a fork: who answers there; NULL: the same */
    const char *scope;             /* NULL: conversation and files */
    const char *head;              /* that the dry run saw; NULL: any */
    const char *first;             /* the gist of the first message that would go; NULL */
    bool edit;                     /* of a fork: the text that was cut off is wanted */
    bool force;
    bool runs; /* of a fork: a turn is running where it was made */
};

struct plan *plan_new(const struct verb *verb, struct tui *tui, const char *session);
void plan_free(struct plan *plan);
const char *plan_keep(struct plan *plan, const char *text); /* a copy that lives with it */

/* Each of these adopts the plan. */
void plan_go(struct plan *plan);  /* from the beginning */
void plan_act(struct plan *plan); /* it was answered with yes */
void plan_ask_force(struct plan *plan, const char *conflicts);

/* Is a turn of the session queued, running, or waiting for an answer? */
bool plan_turn_runs(const struct tine_session *session);

/* Goes on with the plan when the turn of its session has ended; adopts it. */
struct view *plan_wait_new(struct plan *plan);

#endif
