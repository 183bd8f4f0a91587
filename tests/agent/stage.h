/* A turn for an agent under test: keeps what it says and tells, and can be cancelled. */
#ifndef AGENT_STAGE_H
#define AGENT_STAGE_H

#include "agent/agents.h"
#include "support/check.h"
#include "support/rig.h"

#include <pthread.h>

enum { STAGE_ENTRIES = 256, STAGE_ANSWERS = 8 };

struct stage {
    struct agent_call call; /* first */
    char dir[64];
    struct arena arena;
    struct fault fault;
    struct entry entries[STAGE_ENTRIES]; /* the conversation; what was said comes behind it */
    size_t count, before;                /* all, and those that were there before the run */
    struct usage usage[STAGE_ENTRIES];
    struct buf text, reasoning, calls, output; /* what was told, by kind */
    struct question asked[STAGE_ANSWERS];      /* what it asked */
    struct question_answer answers[STAGE_ANSWERS];
    size_t ask_count, answer_count; /* asked without an answer left, the turn is cancelled */
    int deltas;
    int cancel_after; /* deltas, then it is cancelled; 0: never */
    int64_t took_ms;
    bool cancels; /* `canceller` runs */
    pthread_t canceller;
    int cancel_ms;
};

void stage_open(struct stage *stage);
void stage_close(struct stage *stage);

/* Puts a message into the conversation; `body` is JSON, as it is kept. */
void stage_add(struct stage *stage, enum entry_kind kind, enum role role, const char *body);
void stage_user(struct stage *stage, const char *text);

/* Runs a turn of an agent of this definition. */
enum fault_code stage_run(struct stage *stage, const struct agent_kind *kind,
                          const struct agent_def *def);

/* What the next thing that is asked is answered. */
void stage_answer(struct stage *stage, enum answer_verdict verdict, const char *text);

void stage_cancel(struct stage *stage);
void stage_cancel_after_ms(struct stage *stage, int ms); /* once; on a thread of its own */

/* Message number i of those that were said. */
const struct entry *stage_said(const struct stage *stage, size_t i);
size_t stage_said_count(const struct stage *stage);

/* Its body must be this. */
void stage_expect(const struct stage *stage, size_t i, enum role role, const char *body);

bool contains(struct str text, const char *piece);

#endif
