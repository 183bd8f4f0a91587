#include "client/client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_SERVER "http://127.0.0.1:8463"

const char *tine_version(void)
{
    return TINE_VERSION;
}

static void curl_begin(void)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        abort();
}

/* Text that can stand in a header or an address. */
static bool is_line(const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    return true;
}

static char *joined(const char *a, size_t n, const char *b)
{
    char *text = NULL;

    if (asprintf(&text, "%.*s%s", (int)n, a, b) < 0)
        abort();
    return text;
}

/* The host of an address, without the port: "[::1]", "localhost". */
static struct str host_of(struct str address)
{
    const char *slashes = strstr(address.p, "://");
    struct str host = str_of(slashes ? slashes + 3 : address.p);
    size_t n = 0;

    if (*host.p == '[')
        n = strcspn(host.p, "]") + 1;
    else
        n = strcspn(host.p, ":/?#");
    return (struct str){host.p, n < host.n ? n : host.n};
}

static bool is_loopback(const char *address)
{
    struct str host = host_of(str_of(address));

    return str_eq(host, STR("localhost")) || str_eq(host, STR("[::1]")) ||
           str_starts(host, STR("127."));
}

static bool options_check(const struct tine_options *options, const char *server,
                          struct tine_error *error)
{
    if (!str_starts(str_of(server), STR("http://")) && !str_starts(str_of(server), STR("https://")))
        return error_set(error, 0, "usage",
                         "\"%s\" is no address of a server: write http://HOST:PORT", server);
    if (!is_line(server) || strpbrk(server, " ?#@") || host_of(str_of(server)).n == 0)
        return error_set(error, 0, "usage", "\"%s\" is no address of a server", server);
    if (options->token && (!*options->token || !is_line(options->token)))
        return error_set(error, 0, "usage", "the token is empty, or has characters no token has");
    if (options->user_agent && !is_line(options->user_agent))
        return error_set(error, 0, "usage",
                         "the user agent has characters that no header can have");
    return true;
}

struct tine *tine_connect(const struct tine_options *options, struct tine_error *error)
{
    static const struct tine_options defaults = {0};
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *server;
    struct tine *tine;
    size_t n;

    pthread_once(&once, curl_begin);
    options = options ? options : &defaults;
    server = options->server ? options->server : DEFAULT_SERVER;
    if (!options_check(options, server, error))
        return NULL;
    tine = calloc(1, sizeof(*tine));
    if (!tine)
        abort();
    tine->options = *options;
    tine->given = (struct given){-1, -1, -1};
    for (n = strlen(server); n > 0 && server[n - 1] == '/';)
        n--;
    tine->server = joined(server, n, "");
    tine->base = joined(server, n, "/api/v1");
    if (options->token)
        tine->token_header = joined("Authorization: Bearer ", 22, options->token);
    tine->agent = options->user_agent ? joined(options->user_agent, strlen(options->user_agent), "")
                                      : joined("libtine/", 8, TINE_VERSION);
    tine->options.connect_ms = options->connect_ms > 0 ? options->connect_ms : CONNECT_MS;
    tine->options.reply_ms = options->reply_ms > 0 ? options->reply_ms : REPLY_MS;
    tine->options.reply_bytes = options->reply_bytes ? options->reply_bytes : REPLY_BYTES;
    tine->local = options->socket || is_loopback(server);
    tine->multi = curl_multi_init();
    tine->easy = curl_easy_init();
    if (!tine->multi || !tine->easy)
        abort();
    buf_init(&tine->problem, PROBLEM_BYTES);
    return tine;
}

void tine_free(struct tine *tine)
{
    if (!tine)
        return;
    curl_easy_cleanup(tine->easy);
    curl_multi_cleanup(tine->multi);
    buf_clear(&tine->problem);
    free(tine->base);
    free(tine->server);
    free(tine->token_header);
    free(tine->agent);
    free(tine);
}

const char *tine_problem(const struct tine *tine)
{
    return tine->problem.p ? tine->problem.p : "";
}
