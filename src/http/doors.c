/*
 * Further ports, each for one dialect. libmicrohttpd has one socket that it listens on; those of
 * the doors are ours, and who comes in there is handed over to it. So all connections are of one
 * kind and share their limits, whichever door they came through.
 */
#include "http/own.h"

#include "http/listen.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void arrivals_hand_over(struct server *server)
{
    edge_run(server); /* tells conn_open of each */
    server->arrival_count = 0;
}

const struct door *door_of(const struct server *server, int fd)
{
    for (int i = server->arrival_count; i-- > 0;)
        if (server->arrivals[i].fd == fd)
            return server->arrivals[i].door;
    return NULL;
}

/* There is no room for more: the sweep opens it again. */
static void door_rest(struct door *door)
{
    uv_poll_stop(&door->poll);
    door->resting = true;
}

/* Lets one in; false when there is nobody, or no room. */
static bool door_accept(struct door *door)
{
    struct server *server = door->server;
    struct sockaddr_storage from = {0};
    socklen_t size = sizeof(from);
    int fd;

    if (server->conn_count + server->arrival_count >= server->limits.connections + SPARE) {
        door_rest(door);
        return false;
    }
    fd = accept4(door->fd, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            door_rest(door);
        return errno == EINTR || errno == ECONNABORTED;
    }
    server->arrivals[server->arrival_count++] = (struct arrival){fd, door};
    if (MHD_add_connection(server->daemon, fd, (struct sockaddr *)&from, size) != MHD_YES)
        server->arrival_count--; /* it has closed the socket */
    return true;
}

static void on_knock(uv_poll_t *poll, int status, int events)
{
    struct door *door = poll->data;
    struct server *server = door->server;

    (void)status;
    (void)events;
    for (int i = 0; i < ARRIVALS_MAX && door_accept(door); i++)
        ;
    arrivals_hand_over(server);
}

enum fault_code doors_bind(struct server *server, const struct server_options *options,
                           struct fault *fault)
{
    for (size_t i = 0; i < options->door_count && i < SERVER_DOORS_MAX; i++) {
        struct door *door = &server->doors[i];

        if (listen_open(options->doors[i].listen, &door->fd, &door->port, fault) != FAULT_OK)
            return fault_pass(fault);
        door->server = server;
        door->name = options->doors[i].name;
        server->door_count++;
    }
    return FAULT_OK;
}

void doors_open(struct server *server)
{
    for (size_t i = 0; i < server->door_count; i++) {
        struct door *door = &server->doors[i];

        if (uv_poll_init(&server->loop, &door->poll, door->fd) != 0)
            abort();
        door->poll.data = door;
        door->polled = true;
        uv_poll_start(&door->poll, UV_READABLE, on_knock);
    }
}

void doors_sweep(struct server *server)
{
    if (server->conn_count >= server->limits.connections + SPARE || server->stopping)
        return;
    for (size_t i = 0; i < server->door_count; i++) {
        struct door *door = &server->doors[i];

        if (door->resting)
            uv_poll_start(&door->poll, UV_READABLE, on_knock);
        door->resting = false;
    }
}

void doors_close(struct server *server)
{
    for (size_t i = 0; i < server->door_count; i++) {
        struct door *door = &server->doors[i];

        if (door->polled)
            uv_poll_stop(&door->poll);
        close(door->fd);
    }
    server->door_count = 0;
}
