/*
 * The turns that this process runs: one at a time in a session, many side by side. A turn begins
 * with what the user said, runs its agent on a thread of its own and ends in one of three ways
 * (store/run.h); each step is one transaction, so that a crash at any instant leaves a turn that
 * the next start can end.
 */
#ifndef ENGINE_TURNS_H
#define ENGINE_TURNS_H

#include "agent/agents.h"
#include "engine/engine.h"
#include "engine/hub.h"
#include "engine/workspaces.h"

/* A piece of what a turn is saying. */
struct turn_piece {
    struct str session, turn;
    struct delta delta;
    int64_t step;   /* entries that the turn had said before the message this will be part of */
    int64_t offset; /* bytes of this kind (and call) told before it, since then */
};

enum { TURN_PIECES = 3 }; /* of turns_so_far */

struct turns_options {
    struct engine *engine;
    struct agents *agents;
    struct workspaces *workspaces; /* where the agents work */
    struct hub *hub;               /* is told what is said while it is said; NULL: nobody is */
    /* Writes a piece of running text as it is sent; called on the turn's thread. */
    struct str (*render)(const struct turn_piece *piece, struct arena *arena);
    const char *home; /* the marks of runners are below it */
    int running_max;  /* turns at once; more are queued. 0: 64 */
    int queued_max;   /* sends that wait in one session. 0: 16 */
};

struct turns;

FAULT_CHECK enum fault_code turns_open(const struct turns_options *options, struct turns **out,
                                       struct fault *fault);

/* Ends every turn whose runner is gone, and makes its draft an entry. */
FAULT_CHECK enum fault_code turns_recover(struct turns *turns, struct fault *fault);

/*
 * Takes no more sends, cancels all turns and waits at most `ms` for them to end; true when they
 * have. Other threads may still call.
 */
bool turns_stop(struct turns *turns, int ms);

/*
 * The same, and gives everything back, when no other thread calls any more. False when a turn has
 * not ended: then its thread goes on, and all that it uses must stay until the process ends.
 */
bool turns_close(struct turns *turns, int ms);

enum turn_busy { TURN_REFUSE, TURN_WAIT };

/*
 * The turn waits for an answer. On its thread, after that is durable and after turns_send has let
 * go of it; any number of times.
 */
typedef void turn_asked(void *context, const struct question *question);

struct turn_cmd {
    int64_t owner;
    struct str session;
    struct entry_spec *entries; /* what the user says; the last one is a user's message */
    size_t count;
    struct str expect_head;
    struct once *once;   /* its answer is the name of the turn */
    enum turn_busy busy; /* when a turn is active in the session */
    turn_asked *asked;   /* with the context of `done`; NULL: nobody wants to know */
    struct str model;    /* for this turn, over the session's settings; empty: as they say */
    int64_t steps_max;   /* likewise; 0: as they say */
};

/* How a turn ended. Called once, on a thread of the turns; may call the store. */
typedef void turn_done(void *context, enum run_state state, const struct fault *fault);

struct turn_begun {
    struct str turn; /* its name */
    int64_t e;       /* what the turn's listeners are told comes above this number */
    bool queued;     /* it waits for the one that runs */
    bool joined;     /* `once`, or the ids, were repeated: this is the turn of then … */
    bool over;       /* … and it has ended: `done` is not called */
    enum run_state state;
};

/*
 * Stores what the user says and lets the session's agent answer. Returns when that is durable, or
 * queued (TURN_WAIT; then a fault comes by `done` alone, with RUN_FAILED). `done` may be NULL; it
 * is called after this has returned FAULT_OK, and not at all when it has not. FAULT_TURN_RUNNING,
 * FAULT_AGENT_…, FAULT_SANDBOX, FAULT_TOO_MANY.
 */
FAULT_CHECK enum fault_code turns_send(struct turns *turns, struct turn_cmd *cmd,
                                       struct arena *arena, struct turn_begun *out, turn_done *done,
                                       void *context, struct fault *fault);

struct turn_watch_cmd {
    int64_t owner;
    struct str session, turn;
    turn_asked *asked; /* NULL: nobody wants to know */
    turn_done *done;
    void *context;
};

/*
 * Joins a turn that runs or waits in this process, as if one had sent it, from now on: out->e is
 * the newest number. out->over when there is none of that name here; then nothing is called.
 * FAULT_TOO_MANY when too many have joined it before.
 */
FAULT_CHECK enum fault_code turns_join(struct turns *turns, const struct turn_watch_cmd *cmd,
                                       struct arena *arena, struct turn_begun *out,
                                       struct fault *fault);

/*
 * Stops the active turn, drops the sends that wait, and returns when it has ended (or after a few
 * seconds, when its agent is slow to stop); what was said stays. With the name of a turn only that
 * one is stopped, and what waits goes on. FAULT_NO_TURN, also when another one than that is active.
 */
FAULT_CHECK enum fault_code turns_cancel(struct turns *turns, int64_t owner, struct str session,
                                         struct str turn, struct fault *fault);

/*
 * What the session's turn waits for; false when it does not wait. From any thread. One who joins a
 * turn (turn_begun.joined) looks here for what it asked before.
 */
bool turns_asked(struct turns *turns, int64_t owner, struct str session, struct arena *arena,
                 struct question *out);

/*
 * Answers it. `id` is that of the ask; empty: whatever it asks. A yes for more than this once is in
 * the session's settings when this returns. FAULT_NO_TURN when it does not wait (for that),
 * FAULT_TOO_LARGE, FAULT_INVALID for a tool that cannot be allowed for good.
 */
FAULT_CHECK enum fault_code turns_answer(struct turns *turns, int64_t owner, struct str session,
                                         struct str id, const struct question_answer *answer,
                                         struct fault *fault);

/*
 * What a running turn has told of its next message so far, for one who comes late: reasoning, then
 * text, then what it asks (which may be told once more, with the same id); returns how many pieces.
 * From any thread.
 */
size_t turns_so_far(struct turns *turns, int64_t owner, struct str session, struct arena *arena,
                    struct turn_piece pieces[TURN_PIECES]);

struct turns_counts {
    int64_t running, waiting, queued, done, failed, cancelled; /* waiting: for an answer */
};
void turns_count(struct turns *turns, struct turns_counts *out);

#endif
