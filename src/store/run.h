/*
 * A turn that tine itself runs in a session: at most one at a time.
 *
 *      queued ──► running ◄──► waiting
 *        │           │            │
 *        └───────────┴────────────┴──► done, failed, cancelled
 *
 * The session keeps the newest one, also after it has ended.
 */
#ifndef STORE_RUN_H
#define STORE_RUN_H

#include "base/fault.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum run_state {
    RUN_STATE_NONE, /* tine has run none here */
    RUN_QUEUED,
    RUN_RUNNING,
    RUN_WAITING, /* for input */
    RUN_DONE,
    RUN_FAILED,
    RUN_CANCELLED,
    RUN_STATE_COUNT
};

static inline bool run_active(enum run_state state)
{
    return state == RUN_QUEUED || state == RUN_RUNNING || state == RUN_WAITING;
}

const char *run_state_name(enum run_state state); /* "running" … */

/* The moves of the drawing above; staying in an active state is one, too. */
bool run_may_become(enum run_state from, enum run_state to);

enum run_act {
    RUN_STAY,  /* no business of a turn: FAULT_TURN_RUNNING while one is active */
    RUN_BEGIN, /* begins one: FAULT_TURN_RUNNING while another is active */
    RUN_GO_ON, /* of the turn named: FAULT_TURN_OVER when that is not the active one. Entries
                  settle what was being said: its draft goes */
    RUN_END    /* likewise, and ends it; takes its draft away */
};

/*
 * What an append does to the turn of its session, in the same transaction. Entries that are there
 * already with the same bytes begin no turn, but it may go on or end with them.
 */
struct run_step {
    enum run_act act;
    struct str turn;      /* its name */
    enum run_state state; /* it has afterwards; ignored by RUN_STAY */
    struct str reason;    /* RUN_END: why it failed, one line */
    struct str holder;    /* RUN_BEGIN: who runs it (runner.h of the engine) */
};

/* A turn as it is kept. Strings live as the arena or, in a visit, as the call. */
struct run {
    struct str turn;
    enum run_state state;
    struct str reason, holder;
    int64_t started_us, ended_us; /* ended_us 0: it is active */
    int64_t owner;
    struct str session; /* id */
    struct str draft;   /* body of the message that was being said; empty: none */
};

typedef enum fault_code run_visit(void *context, const struct run *run, struct fault *fault);

#endif
