/* One answer of a model, put together from the chunks in which it is streamed. */
#ifndef AGENT_OPENAI_ANSWER_H
#define AGENT_OPENAI_ANSWER_H

#include "agent/agent.h"
#include "base/buf.h"

enum {
    ANSWER_TEXT_BYTES = 1024 * 1024,      /* text, and likewise reasoning */
    ANSWER_ARGUMENTS_BYTES = 1024 * 1024, /* of one tool call */
    ANSWER_CALLS = 32                     /* tool calls of one answer */
};

struct answer_call {
    int64_t index; /* as the server counts them */
    struct buf id, name, arguments;
};

struct answer {
    struct agent_call *listener; /* is told what comes; NULL: nobody */
    struct buf text, reasoning;
    struct answer_call calls[ANSWER_CALLS];
    size_t call_count;
    struct buf finish; /* why the model stopped: "stop" …; empty: not said */
    struct usage usage;
    bool has_usage;
    bool begun; /* something of it was told or kept: it must not be asked for again */
    bool done;  /* [DONE] */
};

void answer_init(struct answer *answer, struct agent_call *listener);
void answer_clear(struct answer *answer);

/* Takes the data of one event. FAULT_AGENT_FAILED: it is no chunk, an error, or too much. */
FAULT_CHECK enum fault_code answer_take(struct answer *answer, struct str data,
                                        struct fault *fault);

/* The message of an error as servers of this kind write it: {"error":{"message"}}. */
struct str answer_error(struct str body, struct arena *arena);

#endif
