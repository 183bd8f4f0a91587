#include "agent/agent.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>

bool agent_wait(const struct agent_call *call, int ms)
{
    struct pollfd cancel = {.fd = call->cancel_fd, .events = POLLIN};
    int64_t until = clock_ms() + ms;

    for (;;) {
        int64_t left = until - clock_ms();
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
