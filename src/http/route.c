#include "http/route.h"

#include "http/target.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the path ---- */

/* How a segment of a pattern matches; what is higher wins where two patterns match. */
enum segment { SEGMENT_END, SEGMENT_REST, SEGMENT_NAME, SEGMENT_WORD };

static enum segment segment_kind(struct str segment)
{
    if (segment.n < 2 || segment.p[0] != '{')
        return SEGMENT_WORD;
    return segment.p[segment.n - 2] == '*' ? SEGMENT_REST : SEGMENT_NAME;
}

/* Takes "/segment" off the front; false at the end of the path. */
static bool segment_take(struct str *path, struct str *out)
{
    const char *slash;

    if (path->n == 0)
        return false;
    path->p++, path->n--;
    slash = path->n ? memchr(path->p, '/', path->n) : NULL;
    *out = (struct str){path->p, slash ? (size_t)(slash - path->p) : path->n};
    path->p += out->n;
    path->n -= out->n;
    return true;
}

/* Does the pattern match the raw path? `params` gets what stands for its names, still escaped. */
static bool pattern_match(struct str pattern, struct str path,
                          struct str params[REQUEST_PARAMS_MAX])
{
    struct str want, have;
    size_t count = 0;

    while (segment_take(&pattern, &want)) {
        enum segment kind = segment_kind(want);

        if (path.n == 0 || path.p[0] != '/')
            return false;
        if (kind == SEGMENT_REST) {
            have = (struct str){path.p + 1, path.n - 1};
            path.n = 0;
        } else {
            segment_take(&path, &have);
        }
        if (kind == SEGMENT_WORD) {
            if (!target_is(have, want))
                return false;
        } else if (have.n == 0 || count == REQUEST_PARAMS_MAX) {
            return false;
        } else {
            params[count++] = have;
        }
    }
    return path.n == 0;
}

/* Is pattern a closer than b? Both match the same path; the first segment that differs decides. */
static bool pattern_closer(struct str a, struct str b)
{
    struct str left, right;

    for (;;) {
        enum segment x = segment_take(&a, &left) ? segment_kind(left) : SEGMENT_END;
        enum segment y = segment_take(&b, &right) ? segment_kind(right) : SEGMENT_END;

        if (x != y)
            return x > y;
        if (x == SEGMENT_END)
            return false;
    }
}

/* The raw path below the table's prefix; p == NULL when it is elsewhere. */
static struct str below(const struct route_table *table, struct str path)
{
    struct str prefix = str_of(table->prefix), want, have;

    while (segment_take(&prefix, &want)) {
        if (!path.p || path.n == 0 || path.p[0] != '/' || !segment_take(&path, &have) ||
            !target_is(have, want))
            return STR_NONE;
    }
    return path;
}

/* The closest route of one table for the method; `methods` collects those that the path has. */
static const struct route *table_find(const struct route_table *table, enum http_method method,
                                      struct str path, struct str params[REQUEST_PARAMS_MAX],
                                      unsigned *methods)
{
    const struct route *best = NULL;

    for (size_t i = 0; i < table->count; i++) {
        const struct route *route = &table->routes[i];
        struct str found[REQUEST_PARAMS_MAX] = {{0}};

        if (!pattern_match(str_of(route->path), path, found))
            continue;
        *methods |= 1U << route->method;
        if (route->method != method)
            continue;
        if (best && !pattern_closer(str_of(route->path), str_of(best->path)))
            continue;
        best = route;
        memcpy(params, found, sizeof(found));
    }
    return best;
}

static bool takes_rest(const struct route *route)
{
    size_t n = strlen(route->path);

    return n > 2 && route->path[n - 2] == '*';
}

static enum fault_code param_decode(struct str raw, struct arena *arena, struct str *out,
                                    struct fault *fault)
{
    if (target_decode(raw, false, "path", arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (target_has_dots(*out))
        return fault_set(fault, FAULT_MALFORMED, "the path has a segment \".\" or \"..\"");
    return FAULT_OK;
}

static enum fault_code params_decode(const struct route *route, struct request *request,
                                     struct arena *arena, struct fault *fault)
{
    bool rest = takes_rest(route);
    size_t count = 0;

    if (!rest && request->path_flaw)
        return fault_set(fault, FAULT_MALFORMED, "the path %s", request->path_flaw);
    while (count < REQUEST_PARAMS_MAX && request->params[count].p)
        count++;
    for (size_t i = 0; i < count; i++) {
        struct str *param = &request->params[i];
        enum fault_code code = rest && i + 1 == count
                                   ? target_decode_rest(*param, arena, param, fault)
                                   : param_decode(*param, arena, param, fault);

        if (code)
            return code;
    }
    return FAULT_OK;
}

static void allow_write(unsigned methods, char allow[64])
{
    size_t n = 0;

    if (methods & 1U << HTTP_GET)
        methods |= 1U << HTTP_HEAD;
    methods |= 1U << HTTP_OPTIONS;
    for (int i = 0; i < HTTP_METHOD_COUNT; i++) {
        const char *name = request_method_name((enum http_method)i);
        size_t length = strlen(name);

        if (!(methods & 1U << i))
            continue;
        if (n) {
            allow[n++] = ',';
            allow[n++] = ' ';
        }
        memcpy(allow + n, name, length);
        n += length;
    }
    allow[n] = '\0';
}

/* ---- the query ---- */

static bool read_int(struct str text, int64_t *out)
{
    char digits[24];
    char *end;
    size_t sign = text.n && text.p[0] == '-';

    if (text.n == sign || text.n >= sizeof(digits))
        return false;
    for (size_t i = sign; i < text.n; i++)
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
    memcpy(digits, text.p, text.n);
    digits[text.n] = '\0';
    errno = 0;
    *out = strtoll(digits, &end, 10);
    return errno == 0;
}

static bool read_flag(struct str text, int64_t *out)
{
    *out = str_eq(text, STR("1")) || str_eq(text, STR("true"));
    return *out || str_eq(text, STR("0")) || str_eq(text, STR("false"));
}

static enum fault_code query_value(const struct route_query *query, struct str value, int64_t *out,
                                   struct fault *fault)
{
    switch (query->type) {
    case QUERY_TEXT:
    case QUERY_BYTES:
        if (query->max && value.n > (size_t)query->max)
            return fault_set(fault, FAULT_INVALID, "\"%s\" in the query has more than %lld bytes",
                             query->name, (long long)query->max);
        return FAULT_OK;
    case QUERY_INT:
        if (!read_int(value, out))
            return fault_set(fault, FAULT_INVALID, "\"%s\" in the query is not a number",
                             query->name);
        if (*out < query->min || *out > query->max)
            return fault_set(fault, FAULT_INVALID,
                             "\"%s\" in the query is not between %lld and %lld", query->name,
                             (long long)query->min, (long long)query->max);
        return FAULT_OK;
    case QUERY_FLAG:
        if (!read_flag(value, out))
            return fault_set(fault, FAULT_INVALID, "\"%s\" in the query is not 0, 1, true or false",
                             query->name);
        return FAULT_OK;
    }
    return FAULT_OK;
}

/* The token of an event stream may stand in its query: browsers cannot send a header there. */
static bool is_token(const struct route *route, struct str name)
{
    return route->streams && route->method == HTTP_GET && str_eq(name, STR("access_token"));
}

/* The place of a name in the route's table; at its end: it is not there. */
static size_t query_place(const struct route *route, struct str name)
{
    size_t i = 0;

    while (route->query && i < REQUEST_QUERY_MAX && route->query[i].name &&
           !str_eq(name, str_of(route->query[i].name)))
        i++;
    return i;
}

/* One argument of the query: name=value, still escaped. */
static struct str argument_split(struct str raw, struct str *value)
{
    const char *equals = memchr(raw.p, '=', raw.n);
    struct str name = {raw.p, equals ? (size_t)(equals - raw.p) : raw.n};

    *value = equals ? (struct str){equals + 1, raw.n - name.n - 1} : STR("");
    return name;
}

static enum fault_code query_argument(const struct route *route, struct str raw,
                                      struct request *request, struct arena *arena,
                                      struct fault *fault)
{
    struct str value, name = argument_split(raw, &value);
    const struct route_query *query;
    enum fault_code code;
    size_t i;

    if (target_decode(name, true, "query", arena, &name, fault) != FAULT_OK)
        return fault_pass(fault);
    i = query_place(route, name);
    query = route->query && i < REQUEST_QUERY_MAX ? &route->query[i] : NULL;
    if (query && query->name && query->type == QUERY_BYTES)
        code = target_decode_bytes(value, true, "query", arena, &value, fault);
    else
        code = target_decode(value, true, "query", arena, &value, fault);
    if (code)
        return code;
    if (is_token(route, name))
        return FAULT_OK;
    if (!query || !query->name)
        return fault_set(fault, FAULT_INVALID, "unknown name \"%.*s\" in the query",
                         (int)(name.n < 100 ? name.n : 100), name.p);
    if (request->query[i].p)
        return fault_set(fault, FAULT_INVALID, "\"%s\" stands twice in the query", query->name);
    request->query[i] = value;
    return query_value(query, value, &request->query_int[i], fault);
}

/*
 * The same for a table that takes any query: what it does not know or allow is not there, and of
 * two the first counts. A value that is no text at all is refused where its name is known, so that
 * a user who was named badly is not taken for nobody.
 */
static enum fault_code query_argument_any(const struct route *route, struct str raw,
                                          struct request *request, struct arena *arena,
                                          struct fault *fault)
{
    struct str value, name = argument_split(raw, &value);
    struct fault ignored;
    size_t i;

    if (target_decode(name, true, "query", arena, &name, &ignored) != FAULT_OK)
        return FAULT_OK;
    i = query_place(route, name);
    if (!route->query || i == REQUEST_QUERY_MAX || !route->query[i].name || request->query[i].p)
        return FAULT_OK;
    if (route->query[i].type == QUERY_BYTES
            ? target_decode_bytes(value, true, "query", arena, &value, fault) != FAULT_OK
            : target_decode(value, true, "query", arena, &value, fault) != FAULT_OK)
        return fault_pass(fault);
    if (query_value(&route->query[i], value, &request->query_int[i], &ignored) == FAULT_OK)
        request->query[i] = value;
    else
        request->query_int[i] = 0;
    return FAULT_OK;
}

static enum fault_code query_read(const struct route *route, bool any, struct str raw,
                                  struct request *request, struct arena *arena, struct fault *fault)
{
    memset(request->query, 0, sizeof(request->query));
    memset(request->query_int, 0, sizeof(request->query_int));
    while (raw.n) {
        const char *next = memchr(raw.p, '&', raw.n);
        struct str argument = {raw.p, next ? (size_t)(next - raw.p) : raw.n};

        if (argument.n &&
            (any ? query_argument_any(route, argument, request, arena, fault)
                 : query_argument(route, argument, request, arena, fault)) != FAULT_OK)
            return fault_pass(fault);
        raw.p += argument.n + (next != NULL);
        raw.n -= argument.n + (next != NULL);
    }
    return FAULT_OK;
}

/* ---- both ---- */

/* For the message: the start of a path. */
#define PATH_ARG(path) ((int)((path).n < 200 ? (path).n : 200)), (path).p

enum fault_code route_find(const struct route_table *const *tables, size_t count,
                           struct request *request, struct str raw_query, struct arena *arena,
                           struct route_match *out, struct fault *fault)
{
    enum http_method method = request->method == HTTP_HEAD ? HTTP_GET : request->method;
    const struct route_table *closest = NULL;
    unsigned methods = 0;

    *out = (struct route_match){0};
    for (size_t i = 0; i < count && !out->route; i++) {
        struct str rest = below(tables[i], request->raw_path);
        unsigned before = methods;

        if (!rest.p)
            continue;
        out->route = table_find(tables[i], method, rest, request->params, &methods);
        if (out->route || (methods != before && !out->table))
            out->table = tables[i];
        if (!closest || strlen(tables[i]->prefix) > strlen(closest->prefix))
            closest = tables[i];
    }
    if (methods)
        allow_write(methods, out->allow);
    if (out->route) {
        if (params_decode(out->route, request, arena, fault) != FAULT_OK)
            return fault_pass(fault);
        return query_read(out->route, out->table->any_query, raw_query, request, arena, fault);
    }
    if (request->path_flaw)
        return fault_set(fault, FAULT_MALFORMED, "the path %s", request->path_flaw);
    if (methods)
        return fault_set(fault, FAULT_METHOD, "\"%.*s\" takes %s", PATH_ARG(request->path),
                         out->allow);
    if (closest && (closest->prefix[0] || closest->write_fault))
        out->table = closest;
    return fault_set(fault, FAULT_NOT_FOUND, "there is nothing at \"%.*s\"",
                     PATH_ARG(request->path));
}
