#include "http/listen.h"

#include "http/origin.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static int port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    socklen_t size = sizeof(address);

    if (getsockname(fd, &address.any, &size) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

static int socket_open(const struct addrinfo *info)
{
    int fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1, failed;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    failed = errno;
    close(fd);
    errno = failed;
    return -1;
}

enum fault_code listen_open(struct str address, int *fd, int *port, struct fault *fault)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    char host[256], service[16];
    struct str name;
    int number, failed;

    if (!origin_host(address, &name, &number) || number < 0 || name.n >= sizeof(host))
        return fault_set(fault, FAULT_INVALID, "the address \"%.*s\" is not of the form ADDR:PORT",
                         STR_ARG(address));
    memcpy(host, name.p, name.n);
    host[name.n] = '\0';
    snprintf(service, sizeof(service), "%d", number);
    failed = getaddrinfo(host, service, &hints, &found);
    if (failed)
        return fault_set(fault, FAULT_IO, "cannot listen at \"%.*s\": %s", STR_ARG(address),
                         gai_strerror(failed));
    *fd = socket_open(found);
    freeaddrinfo(found);
    if (*fd < 0)
        return fault_set(fault, FAULT_IO, "cannot listen at \"%.*s\": %s", STR_ARG(address),
                         strerror(errno));
    *port = port_of(*fd);
    return FAULT_OK;
}
