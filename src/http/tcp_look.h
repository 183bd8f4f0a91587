/* What the kernel knows of a TCP connection. (A file of its own because the kernel's header for it
 * and libuv's do not go together.) */
#ifndef HTTP_TCP_LOOK_H
#define HTTP_TCP_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_look {
    uint64_t bytes; /* that have come in, read or not */
    bool ended;     /* the other side will send no more */
};

bool tcp_look(int fd, struct tcp_look *out); /* false when the kernel does not say */

#endif
