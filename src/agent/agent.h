/*
 * Somebody who answers. An agent is given a turn (struct agent_call), looks at what was said, and
 * says what it says: pieces of text while they come (agent_delta), and whole messages, which are
 * then in the tree (agent_say). It runs on a thread of its own and may block, but it comes back
 * soon after agent_cancelled() is true.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/agent_settings.h"
#include "base/arena.h"
#include "base/fault.h"
#include "store/entry.h"

enum delta_kind {
    DELTA_TEXT,
    DELTA_REASONING,
    DELTA_CALL,   /* a tool call whose arguments are arriving: `name` is the tool's, `id` the call's
                   */
    DELTA_OUTPUT, /* what a running tool prints; `id` is the call's */
    DELTA_ASK     /* the turn waits for an answer: see struct question, of which this is all but
                     `schema`;     `text` is the arguments of the tool, or the question */
};

struct delta {
    enum delta_kind kind;
    struct str id, name;
    struct str text; /* valid UTF-8: never cut inside a character */
};

enum question_kind {
    ASK_TOOL, /* may this tool be run? */
    ASK_INPUT /* something that only the user knows */
};

struct question {
    enum question_kind kind;
    struct str id;        /* of the tool's call; of a question: drawn by whoever asks */
    struct str name;      /* of the tool; empty for a question */
    struct str arguments; /* of the tool, JSON */
    struct str text;      /* the question, for people */
    struct str schema;    /* JSON schema of what is wanted; empty: text */
};

enum answer_verdict {
    ANSWER_YES,
    ANSWER_YES_TOOL,    /* … and from now on for this tool in this session */
    ANSWER_YES_SESSION, /* … and for every tool in this session */
    ANSWER_NO
};

struct question_answer {
    enum answer_verdict verdict;
    struct str text; /* why not; of a question, what was answered: text or JSON */
};

struct agent_call;

struct agent_call_ops {
    enum fault_code (*history)(struct agent_call *, entry_visit *, void *, struct fault *);
    void (*delta)(struct agent_call *, const struct delta *);
    enum fault_code (*say)(struct agent_call *, struct entry_spec *, size_t, struct fault *);
    enum fault_code (*ask)(struct agent_call *, const struct question *, struct question_answer *,
                           struct fault *);
};

/* One turn, as the agent sees it. */
struct agent_call {
    const struct agent_call_ops *ops;
    struct arena *arena;            /* of the turn */
    struct str session, turn;       /* ids */
    const char *dir;                /* the session's own directory; it exists */
    struct agent_settings settings; /* what the session asks of it */
    bool worked;   /* set by what may have changed files there, since the last agent_say */
    int cancel_fd; /* readable once the turn is cancelled; never read from it */
};

/* The messages the agent is to know, oldest first: from the newest summary on. */
FAULT_CHECK static inline enum fault_code agent_history(struct agent_call *call, entry_visit *visit,
                                                        void *context, struct fault *fault)
{
    return call->ops->history(call, visit, context, fault);
}

/* Tells everyone who listens; what was told since the last message is also kept as a draft. */
static inline void agent_delta(struct agent_call *call, const struct delta *delta)
{
    call->ops->delta(call, delta);
}

/*
 * Appends messages, all or none; from then on they are in the tree, and the draft is gone. The
 * specs come from message_read (message/message_in.h); the turn is filled in. FAULT_TURN_OVER when
 * the turn has been ended by somebody else: come back at once.
 */
FAULT_CHECK static inline enum fault_code
agent_say(struct agent_call *call, struct entry_spec *entries, size_t count, struct fault *fault)
{
    return call->ops->say(call, entries, count, fault);
}

/*
 * Asks whoever is there, and waits: the turn is RUN_WAITING meanwhile. A yes for more than this
 * once is kept in the session's settings and in call->settings. FAULT_INTERRUPTED when the turn is
 * cancelled first.
 */
FAULT_CHECK static inline enum fault_code agent_ask(struct agent_call *call,
                                                    const struct question *question,
                                                    struct question_answer *out,
                                                    struct fault *fault)
{
    return call->ops->ask(call, question, out, fault);
}

bool agent_cancelled(const struct agent_call *call);

/* Waits until the turn is cancelled or the time is over; true when it is cancelled. */
bool agent_wait(const struct agent_call *call, int ms);

struct agent;

struct agent_ops {
    /* Answers. A fault is the turn's: it failed, and its message is the reason. */
    enum fault_code (*run)(struct agent *, struct agent_call *, struct fault *);
    void (*free)(struct agent *);
};

/* An agent that is ready to answer, in many turns at once. */
struct agent {
    const struct agent_ops *ops;
};

#endif
