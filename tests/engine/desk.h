/* A desk at which turns are run in tests: a store, a scripted agent, and who was told of which end.
 */
#ifndef ENGINE_DESK_H
#define ENGINE_DESK_H

#include "engine/turns.h"
#include "support/talk.h"

#include <pthread.h>

enum { ENDS_MAX = 64 };

/* Who was told of which end, in order. */
struct ends {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int count;
    int who[ENDS_MAX];
    enum run_state states[ENDS_MAX];
    char reasons[ENDS_MAX][FAULT_MESSAGE_MAX];
};

struct ticket {
    struct ends *ends;
    int who;
};

struct desk {
    struct talk talk;
    struct agents *agents;
    struct workspaces *workspaces;
    struct turns *turns;
    struct ends ends;
    struct ticket tickets[ENDS_MAX];
    struct str session;
};

/* A session "T" whose agent plays the script. */
void desk_open(struct desk *desk, const char *script, int running_max);
void desk_close(struct desk *desk);

/* Opens the turns again, after turns_close. */
void desk_turns(struct desk *desk, int running_max);

/* Another session of the same agent. */
struct str desk_session(struct desk *desk);

/* Says it; ticket `who` is told how the turn ended. */
enum fault_code desk_send(struct desk *desk, struct str session, const char *text, int who,
                          enum turn_busy busy, struct turn_begun *out);

/* Until that many have ended, in all. */
void desk_wait(struct desk *desk, int count);
turn_done desk_ended; /* of a ticket */

enum run_state desk_state(struct desk *desk);
void pause_ms(int ms);

/* The texts of the visible messages, with a blank between them. */
const char *desk_said(struct desk *desk, struct str session);

#endif
