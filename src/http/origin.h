/*
 * May this request have been sent by a page of somebody else's in a browser? An open server answers
 * only to names of this machine (a page elsewhere could let its own name point here: DNS
 * rebinding), and no server answers to pages of other hosts than those that it was told of.
 */
#ifndef HTTP_ORIGIN_H
#define HTTP_ORIGIN_H

#include "http/head.h"

struct origin_rules {
    bool open;                /* no tokens: Host must name this machine */
    int port;                 /* on which the server listens; 0: none */
    const char *const *hosts; /* further names; NULL: none; ends with NULL */
};

/* FAULT_ORIGIN names the host that was refused. `host` is that of the request. */
FAULT_CHECK enum fault_code origin_check(const struct origin_rules *rules, struct str host,
                                         const struct head *head, struct fault *fault);

/* "host", "host:80", "[::1]:80": the host without brackets, and the port or -1. False: neither. */
bool origin_host(struct str text, struct str *host, int *port);

/* localhost, or an address of this machine alone. */
bool origin_is_loopback(struct str host);

#endif
