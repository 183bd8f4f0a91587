#include "http/origin.h"

#include <arpa/inet.h>
#include <strings.h>

static bool port_read(struct str text, int *out)
{
    int port = 0;

    if (text.n == 0 || text.n > 5)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        port = port * 10 + (text.p[i] - '0');
    }
    *out = port;
    return port <= 65535;
}

bool origin_host(struct str text, struct str *host, int *port)
{
    const char *end;
    size_t used;

    *port = -1;
    if (text.n && text.p[0] == '[') {
        end = memchr(text.p, ']', text.n);
        if (!end)
            return false;
        *host = (struct str){text.p + 1, (size_t)(end - text.p) - 1};
        used = host->n + 2;
    } else {
        end = text.n ? memchr(text.p, ':', text.n) : NULL;
        *host = (struct str){text.p, end ? (size_t)(end - text.p) : text.n};
        used = host->n;
    }
    if (host->n == 0)
        return false;
    if (used == text.n)
        return true;
    return text.p[used] == ':' &&
           port_read((struct str){text.p + used + 1, text.n - used - 1}, port);
}

bool origin_is_loopback(struct str host)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr six;
    struct in_addr four;

    if (host.n == 9 && strncasecmp(host.p, "localhost", 9) == 0)
        return true;
    if (host.n == 0 || host.n >= sizeof(text))
        return false;
    memcpy(text, host.p, host.n);
    text[host.n] = '\0';
    if (inet_pton(AF_INET, text, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool is_listed(const struct origin_rules *rules, struct str host)
{
    for (const char *const *name = rules->hosts; name && *name; name++)
        if (strlen(*name) == host.n && strncasecmp(*name, host.p, host.n) == 0)
            return true;
    return false;
}

/* http://host:port; anything else, "null" too, is false. */
static bool origin_read(struct str origin, struct str *host, int *port)
{
    size_t scheme = 0;

    if (origin.n > 7 && strncasecmp(origin.p, "http://", 7) == 0)
        scheme = 7;
    else if (origin.n > 8 && strncasecmp(origin.p, "https://", 8) == 0)
        scheme = 8;
    if (!scheme || !origin_host((struct str){origin.p + scheme, origin.n - scheme}, host, port))
        return false;
    if (*port < 0)
        *port = scheme == 7 ? 80 : 443;
    return true;
}

#define NAME_ARG(s) ((int)((s).n < 200 ? (s).n : 200)), ((s).p ? (s).p : "")

static enum fault_code host_check(const struct origin_rules *rules, struct str host,
                                  struct fault *fault)
{
    struct str name;
    int port;

    if (!host.p)
        return fault_set(fault, FAULT_ORIGIN, "the request names no host");
    if (!origin_host(host, &name, &port))
        return fault_set(fault, FAULT_ORIGIN, "the host \"%.*s\" cannot be read", NAME_ARG(host));
    if (origin_is_loopback(name) || is_listed(rules, name))
        return FAULT_OK;
    return fault_set(fault, FAULT_ORIGIN, "the host \"%.*s\" is not a name of this server",
                     NAME_ARG(name));
}

/* A page at `origin` sent it: is that page this server's own, or one of those allowed? */
static bool page_allowed(const struct origin_rules *rules, struct str host, struct str origin)
{
    struct str page, name;
    int page_port, port;

    if (!origin_read(origin, &page, &page_port))
        return false;
    if (is_listed(rules, page))
        return true;
    if (rules->open)
        return origin_is_loopback(page) && page_port == rules->port;
    if (!origin_host(host, &name, &port) || name.n != page.n ||
        strncasecmp(name.p, page.p, page.n) != 0)
        return false;
    /* A proxy may take the port off, or speak TLS in front: the name then has to do. */
    return port < 0 || port == page_port;
}

enum fault_code origin_check(const struct origin_rules *rules, struct str host,
                             const struct head *head, struct fault *fault)
{
    bool allowed = false;

    if (rules->open && host_check(rules, host, fault) != FAULT_OK)
        return fault_pass(fault);
    if (head->origin.p) {
        allowed = page_allowed(rules, host, head->origin);
        if (!allowed)
            return fault_set(fault, FAULT_ORIGIN, "pages of \"%.*s\" may not use this server",
                             NAME_ARG(head->origin));
    }
    if (head->cross_site && !allowed)
        return fault_set(fault, FAULT_ORIGIN, "pages of other sites may not use this server");
    return FAULT_OK;
}
