/*
 * One question to a chat-completions server, streamed; asked again while it is busy and has not
 * begun to answer.
 */
#ifndef AGENT_OPENAI_ASK_H
#define AGENT_OPENAI_ASK_H

#include "agent/openai/answer.h"

struct asker; /* keeps connections from one question to the next; for one thread */

struct ask {
    const char *url;
    const char *key;  /* NULL: none. Goes nowhere but into the request */
    struct str body;  /* JSON */
    int64_t quiet_ms; /* how long the server may say nothing */
    struct agent_call *call;
};

struct asker *asker_new(void);
void asker_free(struct asker *asker);

/*
 * Fills the answer. A cancel is FAULT_INTERRUPTED, with what had come until then in the answer;
 * anything else that fails is FAULT_AGENT_FAILED.
 */
FAULT_CHECK enum fault_code asker_ask(struct asker *asker, const struct ask *ask,
                                      struct answer *answer, struct fault *fault);

/* An address that can be asked: http or https, a host, no name or password, no query. */
FAULT_CHECK enum fault_code ask_url_check(struct str base_url, struct fault *fault);

#endif
