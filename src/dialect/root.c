/*
 * Which dialect answers at the root. Their tables are merged into one when the server starts; its
 * handler asks root_decide, and then lets the dialect's own route answer (exchange_reroute). The
 * first rule that knows decides:
 *
 * 1. the port that the request came through, --root, or the header Tine-Dialect;
 * 2. the path: only one dialect has it;
 * 3. words of the body, where a call has words that tell dialects apart;
 * 4. the home of the session that the path names;
 * 5. a user that the request names: that is kagent's way.
 *
 * What no rule decides is answered with 300 and the addresses below the prefixes.
 */
#include "dialect/root.h"

#include "base/utf8.h"
#include "dialect/a2a/a2a.h"
#include "dialect/ash/ash.h"
#include "dialect/docker_agent/docker_agent.h"
#include "dialect/esc/esc.h"
#include "dialect/kagent/kagent.h"
#include "dialect/native/native.h"
#include "http/problem.h"
#include "json/json_in.h"
#include "json/json_out.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- the dialects ---- */

static const struct {
    const char *name;
    const struct route_table *table; /* NULL: there is none */
} dialects[ROOT_DIALECTS] = {
    [ROOT_KAGENT] = {"kagent", &kagent_routes},
    [ROOT_DOCKER_AGENT] = {"docker-agent", &docker_agent_routes},
    [ROOT_ASH] = {"ash", &ash_routes},
    [ROOT_ESC] = {"esc", &esc_routes},
};

static struct route_table root_table; /* filled in once, from those above */

/* In the order in which they are asked. Those without a prefix come after the root's, which has
 * their routes: they are here to be counted. */
static const struct route_table *const tables[] = {
    &native_routes,       &a2a_tables[0], &a2a_tables[1], &a2a_tables[2],  &kagent_routes,
    &docker_agent_routes, &ash_routes,    &root_table,    &service_routes, &esc_routes,
};

/* Whose word is it, in the body of which call? */
static const struct {
    enum root_call call;
    enum root_dialect dialect;
    const char *word;
} words[] = {
    {ROOT_FORK, ROOT_KAGENT, "rewind_before_invocation_id"},
    {ROOT_FORK, ROOT_KAGENT, "request_id"},
    {ROOT_FORK, ROOT_DOCKER_AGENT, "message_index"},
    {ROOT_FORK, ROOT_DOCKER_AGENT, "user_message_index"},
    {ROOT_FORK, ROOT_ASH, "messageId"},
    {ROOT_FORK, ROOT_ASH, "sequence"},
    {ROOT_FORK, ROOT_ASH, "workspace"},
    {ROOT_CREATE, ROOT_KAGENT, "agent_ref"},
    {ROOT_CREATE, ROOT_ASH, "agent"},
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

/* Paths that several have and that name no session: rule 5 decides, or nobody does. */
static const struct {
    enum http_method method;
    const char *path;
} by_user[] = {
    {HTTP_GET, "/health"},     {HTTP_GET, "/version"},     {HTTP_GET, "/api/sessions"},
    {HTTP_GET, "/api/agents"}, {HTTP_POST, "/api/agents"}, {HTTP_GET, "/api/agents/{name}"},
};

static bool is_dialect(struct str name, enum root_dialect *out)
{
    for (int i = 0; i < ROOT_DIALECTS; i++)
        if (dialects[i].table && str_eq(name, str_of(dialects[i].name))) {
            *out = (enum root_dialect)i;
            return true;
        }
    return false;
}

bool root_knows(struct str name)
{
    enum root_dialect dialect;

    return is_dialect(name, &dialect);
}

const char *root_word(enum root_call call, enum root_dialect dialect, size_t i)
{
    for (size_t j = 0; j < WORDS; j++)
        if (words[j].call == call && words[j].dialect == dialect && i-- == 0)
            return words[j].word;
    return NULL;
}

/* ---- the rules ---- */

static bool has(const struct root_question *question, enum root_dialect dialect)
{
    return question->has & 1U << dialect;
}

#define WORD_ARG(word) ((int)((word).n < 100 ? (word).n : 100)), (word).p

/* Rules 1 and 2. */
static enum fault_code by_name_or_path(const struct root_question *question, enum root_dialect *out,
                                       struct fault *fault)
{
    if (question->named.p) {
        if (is_dialect(question->named, out))
            return FAULT_OK;
        return fault_set(fault, FAULT_INVALID, "there is no dialect \"%.*s\" at the root",
                         WORD_ARG(question->named));
    }
    for (int i = 0; i < ROOT_DIALECTS; i++)
        if (question->has == 1U << i) {
            *out = (enum root_dialect)i;
            return FAULT_OK;
        }
    return FAULT_UNDECIDED;
}

static bool word_dialect(const struct root_question *question, struct str word,
                         enum root_dialect *out)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].call == question->call && has(question, words[i].dialect) &&
            str_eq(word, str_of(words[i].word))) {
            *out = words[i].dialect;
            return true;
        }
    return false;
}

/* Every word of a fork must be one dialect's, or a typing error would change what is forked. */
static enum fault_code fork_words(const struct root_question *question,
                                  const struct json_value *body, struct arena *arena,
                                  enum root_dialect *out, struct fault *fault)
{
    struct str first = STR_NONE;
    struct json_walk walk;

    json_walk_begin(&walk, body);
    while (json_walk_next(&walk)) {
        struct str word = json_unescape(walk.key, arena);
        enum root_dialect dialect;

        if (!word_dialect(question, word, &dialect))
            return fault_set(fault, FAULT_INVALID,
                             "\"%.*s\" is no word of a fork in any dialect at the root",
                             WORD_ARG(word));
        if (first.p && dialect != *out)
            return fault_set(fault, FAULT_INVALID,
                             "\"%.*s\" is a word of %s, and \"%.*s\" one of %s: a fork has words "
                             "of one dialect",
                             WORD_ARG(first), dialects[*out].name, WORD_ARG(word),
                             dialects[dialect].name);
        first = word;
        *out = dialect;
    }
    return first.p ? FAULT_OK : FAULT_UNDECIDED;
}

/* The first dialect of the table that has a word in it; else it is docker-agent's, whose bodies may
 * have anything. */
static enum fault_code create_words(const struct root_question *question,
                                    const struct json_value *body, struct arena *arena,
                                    enum root_dialect *out)
{
    for (size_t i = 0; i < WORDS; i++) {
        struct json_walk walk;

        if (words[i].call != ROOT_CREATE || !has(question, words[i].dialect))
            continue;
        json_walk_begin(&walk, body);
        while (json_walk_next(&walk))
            if (str_eq(json_unescape(walk.key, arena), str_of(words[i].word))) {
                *out = words[i].dialect;
                return FAULT_OK;
            }
    }
    *out = ROOT_DOCKER_AGENT;
    return has(question, ROOT_DOCKER_AGENT) ? FAULT_OK : FAULT_UNDECIDED;
}

/* The dialect at the root in which a session was born. */
static bool is_born(struct str home, enum root_dialect *out)
{
    return is_dialect(str_eq(home, STR("a2a")) ? STR("kagent") : home, out) && *out != ROOT_ESC;
}

/* What the home of a session comes to at the root; the rest is as one born native. */
static enum root_dialect home_dialect(struct str home, enum root_call call)
{
    enum root_dialect born;

    if (is_born(home, &born))
        return born;
    return call == ROOT_FORK ? ROOT_ASH : ROOT_DOCKER_AGENT;
}

bool root_teller(const struct root_question *question, enum root_dialect *out)
{
    struct fault none;
    struct str home;

    return !question->named.p && question->home &&
           question->home(question->context, &home, &none) == FAULT_OK && is_born(home, out) &&
           has(question, *out);
}

/* Rule 3. */
static enum fault_code by_words(const struct root_question *question, struct arena *arena,
                                enum root_dialect *out, struct fault *fault)
{
    struct str text = question->body.n ? question->body : STR("{}");
    struct json_value body;

    if (question->call == ROOT_OTHER)
        return FAULT_UNDECIDED;
    if (json_read(text, LIMIT_JSON_DEPTH, "the body", &body, fault) != FAULT_OK)
        return root_teller(question, out) ? FAULT_OK : fault_pass(fault);
    if (body.type != JSON_OBJECT)
        return root_teller(question, out)
                   ? FAULT_OK
                   : fault_set(fault, FAULT_INVALID, "the body must be an object");
    return question->call == ROOT_FORK ? fork_words(question, &body, arena, out, fault)
                                       : create_words(question, &body, arena, out);
}

/* Rule 4. One that is not there, or is there for two users, has no home. */
static enum fault_code by_home(const struct root_question *question, enum root_dialect *out,
                               struct fault *fault)
{
    struct str home;
    enum fault_code code;

    if (!question->home)
        return FAULT_UNDECIDED;
    code = question->home(question->context, &home, fault);
    if (code == FAULT_SESSION_NOT_FOUND || code == FAULT_AMBIGUOUS)
        return FAULT_UNDECIDED;
    if (code)
        return code;
    *out = home_dialect(home, question->call);
    return has(question, *out) ? FAULT_OK : FAULT_UNDECIDED;
}

enum fault_code root_decide(const struct root_question *question, struct arena *arena,
                            enum root_dialect *out, struct fault *fault)
{
    enum fault_code code = by_name_or_path(question, out, fault);

    if (code == FAULT_UNDECIDED)
        code = by_words(question, arena, out, fault);
    if (code == FAULT_UNDECIDED)
        code = by_home(question, out, fault);
    if (code != FAULT_UNDECIDED)
        return code;
    *out = ROOT_KAGENT;
    if (question->user && has(question, ROOT_KAGENT))
        return FAULT_OK;
    return fault_set(fault, FAULT_UNDECIDED,
                     "several dialects have this path, and nothing says which is meant: use an "
                     "address below, or the header Tine-Dialect");
}

/* ---- the merged table ---- */

enum { Q_USER };
static const struct route_query q_root[] = {
    [Q_USER] = {"user_id", QUERY_TEXT, 0, LIMIT_OWNER_BYTES, "who asks", false},
    {0},
};

static route_run root_run;

/* Of the same length as root_table's routes; filled in once. */
static struct root_path *paths;
static struct route *routes;
static pthread_once_t merged = PTHREAD_ONCE_INIT;

/* The next segment of a pattern, all parameters being equal; false at its end. */
static bool shape_next(const char **pattern, struct str *out)
{
    const char *end;

    if (**pattern != '/')
        return false;
    end = strchrnul(*pattern + 1, '/');
    *out = (struct str){*pattern + 1, (size_t)(end - *pattern) - 1};
    *pattern = end;
    if (out->n > 2 && out->p[0] == '{')
        *out = out->p[out->n - 2] == '*' ? STR("{*}") : STR("{}");
    return true;
}

static bool shape_equal(const char *a, const char *b)
{
    struct str left, right;

    for (;;) {
        bool more = shape_next(&a, &left);

        if (more != shape_next(&b, &right))
            return false;
        if (!more)
            return true;
        if (!str_eq(left, right))
            return false;
    }
}

/* The parameter that stands behind "sessions" or "session"; -1: none does. */
static int session_place(const char *pattern)
{
    struct str segment, before = STR("");

    for (int count = 0; shape_next(&pattern, &segment); before = segment) {
        if (segment.n == 0 || segment.p[0] != '{')
            continue;
        if (str_eq(before, STR("sessions")) || str_eq(before, STR("session")))
            return count;
        count++;
    }
    return -1;
}

static enum root_call call_of(enum http_method method, const char *pattern)
{
    size_t n = strlen(pattern);

    if (method != HTTP_POST)
        return ROOT_OTHER;
    if (n > 5 && strcmp(pattern + n - 5, "/fork") == 0)
        return ROOT_FORK;
    return strcmp(pattern, "/api/sessions") == 0 ? ROOT_CREATE : ROOT_OTHER;
}

static bool is_by_user(enum http_method method, const char *pattern)
{
    for (size_t i = 0; i < sizeof(by_user) / sizeof(by_user[0]); i++)
        if (by_user[i].method == method && shape_equal(by_user[i].path, pattern))
            return true;
    return false;
}

/* The native API and the service's paths are the same through every door. */
static bool is_taken(const char *pattern)
{
    if (str_starts(str_of(pattern), STR("/api/v1/")))
        return true;
    for (size_t i = 0; i < service_routes.count; i++)
        if (shape_equal(service_routes.routes[i].path, pattern))
            return true;
    return false;
}

static void merge_new(size_t i, const struct route *route)
{
    routes[i] = (struct route){.method = route->method,
                               .path = route->path,
                               .run = root_run,
                               .where = ROUTE_WORK,
                               .right = route->right,
                               .query = q_root,
                               .name = route->name,
                               .tag = route->tag,
                               .about = route->about,
                               .request = route->request};
    paths[i] = (struct root_path){.method = route->method,
                                  .path = route->path,
                                  .call = call_of(route->method, route->path),
                                  .session = session_place(route->path),
                                  .by_user = is_by_user(route->method, route->path)};
}

/* What any of them would let in comes in: the dialect's own route looks again. */
static void merge_one(size_t *count, const struct route *route, int dialect)
{
    size_t i = 0;

    while (i < *count &&
           (routes[i].method != route->method || !shape_equal(routes[i].path, route->path)))
        i++;
    if (i == *count)
        merge_new((*count)++, route);
    paths[i].has |= 1U << dialect;
    if (route->body_max > routes[i].body_max)
        routes[i].body_max = route->body_max;
    if (route->right < routes[i].right)
        routes[i].right = route->right;
    if (!route->request)
        routes[i].request = NULL;
    routes[i].streams = routes[i].streams || route->streams;
}

static void merge(void)
{
    size_t most = 0, count = 0;

    for (int i = 0; i < ROOT_DIALECTS; i++)
        most += dialects[i].table ? dialects[i].table->count : 0;
    routes = calloc(most, sizeof(routes[0]));
    paths = calloc(most, sizeof(paths[0]));
    if (!routes || !paths)
        abort();
    for (int i = 0; i < ROOT_DIALECTS; i++)
        for (size_t j = 0; dialects[i].table && j < dialects[i].table->count; j++)
            if (!is_taken(dialects[i].table->routes[j].path))
                merge_one(&count, &dialects[i].table->routes[j], i);
    root_table.routes = routes;
    root_table.count = count;
}

const struct root_path *root_paths(size_t *count)
{
    pthread_once(&merged, merge);
    *count = root_table.count;
    return paths;
}

const struct route_table *const *root_tables(size_t *count)
{
    pthread_once(&merged, merge);
    *count = sizeof(tables) / sizeof(tables[0]);
    return tables;
}

/* ---- answering ---- */

/* Rule 1. */
static struct str name_given(const struct exchange *x)
{
    const struct app *app = x->app;

    if (x->request.door)
        return str_of(x->request.door);
    if (app->root)
        return str_of(app->root);
    return request_header(&x->request, "Tine-Dialect");
}

/*
 * Before a dialect's own route has the request: in the way of the one that is named, or is the only
 * one that has the path.
 */
static void root_write_fault(struct exchange *x, const struct fault *fault)
{
    struct root_question question = {.named = name_given(x)};
    enum root_dialect dialect;
    struct fault none;

    if (x->route && x->table == &root_table)
        question.has = paths[x->route - routes].has;
    if (by_name_or_path(&question, &dialect, &none) == FAULT_OK &&
        dialects[dialect].table->write_fault)
        dialects[dialect].table->write_fault(x, fault);
    else
        problem_write(x, fault);
}

struct home_of {
    struct exchange *x;
    struct str session;
};

static enum fault_code home_find(void *context, struct str *out, struct fault *fault)
{
    const struct home_of *of = context;
    const struct app *app = of->x->app;
    struct session session;

    if (store_session_get(app->store, of->x->request.caller.sees, of->session, false, &of->x->arena,
                          &session, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = session.home;
    return FAULT_OK;
}

/* The member "addresses" of the problem: where the same request is understood. */
static void addresses_say(struct exchange *x, const struct root_path *path)
{
    struct str query = utf8_valid(x->request.raw_query) ? x->request.raw_query : STR("");
    struct json_out out;
    struct buf text;

    buf_init(&text, 4 * x->request.target.n * ROOT_DIALECTS + 1024);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_out_array(&out, "addresses");
    for (int i = 0; i < ROOT_DIALECTS && utf8_valid(x->request.raw_path); i++)
        if (path->has & 1U << i)
            json_out_string(&out, NULL,
                            arena_printf(&x->arena, "%s%.*s%s%.*s", dialects[i].table->prefix,
                                         STR_ARG(x->request.raw_path), query.n ? "?" : "",
                                         STR_ARG(query)));
    json_out_array_end(&out);
    json_out_object_end(&out);
    x->reply.problem = buf_take(&text, &x->arena);
}

static enum fault_code root_run(struct exchange *x, struct fault *fault)
{
    const struct root_path *path = &paths[x->route - routes];
    struct home_of of = {.x = x};
    struct root_question question = {.has = path->has,
                                     .call = path->call,
                                     .named = name_given(x),
                                     .body = x->request.body,
                                     .user = x->request.query[Q_USER].n ||
                                             request_header(&x->request, "X-User-Id").n,
                                     .context = &of};
    enum root_dialect dialect;
    enum fault_code code;

    if (path->session >= 0 && x->request.caller.right >= RIGHT_READ) {
        of.session = x->request.params[path->session];
        question.home = home_find;
    }
    code = root_decide(&question, &x->arena, &dialect, fault);
    if (code == FAULT_UNDECIDED)
        addresses_say(x, path);
    if (code == FAULT_INVALID && root_teller(&question, &dialect))
        exchange_assign(x, dialects[dialect].table);
    if (code)
        return code;
    return exchange_reroute(x, dialects[dialect].table, fault);
}

static struct route_table root_table = {
    .name = "root", .prefix = "", .any_query = true, .write_fault = root_write_fault};
