#include "client/given.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A listener without a name of its own, that only this process knows of. */
static int listener_open(struct sockaddr *address, socklen_t *n)
{
    struct sockaddr any = {.sa_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && (bind(fd, &any, offsetof(struct sockaddr, sa_data)) != 0 || listen(fd, 1) != 0 ||
                    getsockname(fd, address, n) != 0 || *n > sizeof(*address))) {
        close(fd);
        return -1;
    }
    return fd;
}

curl_socket_t given_open(struct given *given, int fd, struct curl_sockaddr *address)
{
    struct sockaddr name = {0};
    socklen_t n = sizeof(name);

    given_drop(given);
    given->fd = fd;
    given->listener = listener_open(&name, &n);
    if (given->listener < 0) {
        given_drop(given);
        return CURL_SOCKET_BAD;
    }
    address->family = AF_UNIX;
    address->socktype = SOCK_STREAM;
    address->protocol = 0;
    address->addrlen = n;
    memcpy(&address->addr, &name, n);
    given->stand_in = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (given->stand_in < 0)
        given_drop(given);
    return given->stand_in < 0 ? CURL_SOCKET_BAD : given->stand_in;
}

int given_replace(struct given *given)
{
    int done;

    if (given->fd < 0)
        return 1; /* a connection of before is used again */
    done = dup3(given->fd, given->stand_in, O_CLOEXEC) >= 0;
    given_drop(given);
    return done;
}

void given_drop(struct given *given)
{
    if (given->fd >= 0)
        close(given->fd);
    if (given->listener >= 0)
        close(given->listener);
    *given = (struct given){-1, -1, -1}; /* the stand-in is curl's */
}
