/* One turn of this process, from the send that makes it to its end. */
#ifndef ENGINE_TURN_H
#define ENGINE_TURN_H

#include "engine/turns_own.h"

enum {
    TURN_CALLS_MAX = 64,     /* tool calls whose pieces are counted one by one */
    TURN_WATCHERS_MAX = 4096 /* who joined it, also those who are gone by now */
};

/* What was told of a tool call, for the offsets of its pieces. */
struct told_call {
    uint64_t id; /* hash of its id and the kind */
    int64_t bytes;
};

/* Somebody who joined a turn. */
struct watcher {
    struct watcher *next;
    turn_asked *asked;
    turn_done *done;
    void *context;
};

struct turn {
    struct agent_call call; /* first: the agent's view of it */
    struct turns *turns;
    struct seat *seat;
    struct turn *next; /* in the line of those that wait, or are ready */
    struct arena arena;
    struct str name, session;
    int64_t owner;
    struct agent *agent;
    struct place *place; /* its directory, from its begin to its end */
    turn_asked *asked;
    turn_done *done;
    void *context;
    struct watcher *watchers;
    int watcher_count;
    int cancel_fd;
    bool cancelled; /* under the lock of turns */
    bool was_queued;
    struct fault fault; /* why it could not begin */
    struct str model;   /* of the command, as steps_max */
    int64_t steps_max;
    int64_t e0; /* the newest number before its first event */
    /* what it begins with; its own when it had to wait */
    struct entry_spec *entries;
    size_t count;
    struct str expect_head;
    struct once once; /* of one that waits; without a key: none */
    /* what is being said; under `lock`, for those who come late */
    pthread_mutex_t lock;
    struct buf text, reasoning;
    int64_t step;
    struct asking *asking; /* what it waits for (turn_ask.c); NULL: it does not */
    int64_t e;             /* the newest event of the turn */
    struct told_call calls[TURN_CALLS_MAX];
    size_t call_count;
    int64_t saved_us; /* the draft, and what it had then */
    size_t saved_bytes;
};

/* On success the turn has the agent, and gives it back. */
FAULT_CHECK enum fault_code turn_new(struct turns *turns, const struct turn_cmd *cmd, int64_t owner,
                                     struct agent *agent, struct turn **out, struct fault *fault);
void turn_free(struct turn *turn);

/* With the lock of turns held. */
void turn_cancel(struct turn *turn);
bool turn_is_cancelled(struct turn *turn);

/* These are called as well; `done` NULL: nobody asks. With its seat held. FAULT_TOO_MANY. */
FAULT_CHECK enum fault_code turn_watch(struct turn *turn, turn_asked *asked, turn_done *done,
                                       void *context, struct fault *fault);

/* Tells all who wait for these turns how they ended. With no lock held. */
void turn_tell_and_free(struct turn *list, enum run_state state);

/* ---- turn_call.c: what the agent may do ---- */

extern const struct agent_call_ops turn_call_ops;

/* Appends what is said, or nothing but that the turn goes on; the draft is over. */
FAULT_CHECK enum fault_code turn_say(struct turn *turn, struct entry_spec *entries, size_t count,
                                     struct fault *fault);

/* Tells those who listen, after what the turn has stored. */
void turn_tell_piece(struct turn *turn, const struct turn_piece *piece, struct arena *arena);

/* turns_so_far of this turn. */
size_t turn_so_far(struct turn *turn, struct arena *arena, struct turn_piece pieces[TURN_PIECES]);

/* ---- turn_ask.c: what it waits for ---- */

FAULT_CHECK enum fault_code turn_ask(struct turn *turn, const struct question *question,
                                     struct question_answer *out, struct fault *fault);

/* What the session asks of its agent, as it is now, and over it what the turn was sent with. */
FAULT_CHECK enum fault_code turn_read_settings(struct turn *turn, struct fault *fault);

/* The ask as it is told. */
struct delta turn_ask_delta(const struct question *question);

/* A copy of what it waits for; false when it does not wait. */
bool turn_asks(struct turn *turn, struct arena *arena, struct question *out);

#endif
