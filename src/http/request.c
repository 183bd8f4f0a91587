#include "http/request.h"

#include <strings.h>

const char *request_method_name(enum http_method method)
{
    static const char *const names[HTTP_METHOD_COUNT] = {
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
    };

    return method < HTTP_METHOD_COUNT ? names[method] : "other";
}

struct str request_header(const struct request *request, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < request->header_count; i++) {
        const struct request_header *header = &request->headers[i];

        if (header->name.n == n && strncasecmp(header->name.p, name, n) == 0)
            return header->value;
    }
    return STR_NONE;
}

static struct str trim(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

/* Takes what stands before the next `end` off the list; false when nothing is left. */
static bool cut(struct str *list, char end, struct str *out)
{
    const char *at;

    if (!list->p)
        return false;
    at = list->n ? memchr(list->p, end, list->n) : NULL;
    if (at) {
        *out = trim((struct str){list->p, (size_t)(at - list->p)});
        list->n -= (size_t)(at - list->p) + 1;
        list->p = at + 1;
    } else {
        *out = trim(*list);
        *list = STR_NONE;
    }
    return true;
}

/* `q=0`, `q=0.0` …: the client does not want it. */
static bool refuses(struct str parameter)
{
    if (parameter.n < 3 || (parameter.p[0] | 0x20) != 'q' || parameter.p[1] != '=')
        return false;
    for (size_t i = 2; i < parameter.n; i++)
        if (parameter.p[i] != '0' && parameter.p[i] != '.')
            return false;
    return true;
}

static bool same(struct str a, struct str b)
{
    return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* How closely a media range names the type: 0 not at all, 1 by a star, 2 by half a star, 3 wholly.
 */
static int closeness(struct str range, struct str type)
{
    const char *slash = memchr(type.p, '/', type.n);
    size_t main = slash ? (size_t)(slash - type.p) + 1 : type.n;

    if (same(range, type))
        return 3;
    if (same(range, STR("*/*")))
        return 1;
    if (range.n == main + 1 && range.p[main] == '*' && strncasecmp(range.p, type.p, main) == 0)
        return 2;
    return 0;
}

/* What the closest range that is at least `least` close says; false when there is none. */
static bool wants(struct str accept, const char *type, int least)
{
    struct str item, part;
    int best = 0;
    bool wanted = false;

    while (cut(&accept, ',', &item)) {
        bool refused = false;
        int close;

        if (!cut(&item, ';', &part))
            continue;
        close = closeness(part, str_of(type));
        while (cut(&item, ';', &part))
            refused = refused || refuses(part);
        if (close >= least && close > best) {
            best = close;
            wanted = !refused;
        }
    }
    return wanted;
}

bool request_accepts(const struct request *request, const char *type)
{
    struct str accept = request_header(request, "Accept");

    return accept.n == 0 || wants(accept, type, 1);
}

bool request_asks_for(const struct request *request, const char *type)
{
    return wants(request_header(request, "Accept"), type, 3);
}
