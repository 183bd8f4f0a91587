#include "agent/agent.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool agent_wait(const struct agent_call *call, int ms)
{
    struct pollfd cancel = {.fd = call->cancel_fd, .events = POLLIN};
    int64_t until = now_ms() + ms;

    for (;;) {
        int64_t left = until - now_ms();
        int ready = poll(&cancel, 1, left > 0 ? (int)left : 0);

        if (ready > 0)
            return true;
        if (ready == 0 && left <= 0)
            return false;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

bool agent_cancelled(const struct agent_call *call)
{
    return agent_wait(call, 0);
}
