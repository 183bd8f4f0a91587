#include "http/tcp_look.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

enum { STATE_CLOSE_WAIT = 8 }; /* TCP_CLOSE_WAIT of the kernel */

bool tcp_look(int fd, struct tcp_look *out)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);
    size_t needed = offsetof(struct tcp_info, tcpi_bytes_received) + sizeof(out->bytes);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < needed)
        return false;
    out->bytes = info.tcpi_bytes_received;
    out->ended = info.tcpi_state == STATE_CLOSE_WAIT;
    return true;
}
