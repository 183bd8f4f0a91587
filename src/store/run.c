#include "store/run.h"

const char *run_state_name(enum run_state state)
{
    static const char *const names[RUN_STATE_COUNT] = {
        [RUN_STATE_NONE] = "none",     [RUN_QUEUED] = "queued", [RUN_RUNNING] = "running",
        [RUN_WAITING] = "waiting",     [RUN_DONE] = "done",     [RUN_FAILED] = "failed",
        [RUN_CANCELLED] = "cancelled",
    };

    return names[state];
}

bool run_may_become(enum run_state from, enum run_state to)
{
    enum { ENDED = 1 << RUN_DONE | 1 << RUN_FAILED | 1 << RUN_CANCELLED };
    static const unsigned moves[RUN_STATE_COUNT] = {
        [RUN_STATE_NONE] = 1 << RUN_QUEUED | 1 << RUN_RUNNING,
        [RUN_QUEUED] = 1 << RUN_QUEUED | 1 << RUN_RUNNING | ENDED,
        [RUN_RUNNING] = 1 << RUN_RUNNING | 1 << RUN_WAITING | ENDED,
        [RUN_WAITING] = 1 << RUN_RUNNING | 1 << RUN_WAITING | ENDED,
    };

    return moves[from] >> to & 1;
}
