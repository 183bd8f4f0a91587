#include "client/transfer.h"

#include "base/arena.h"
#include "json/json_in.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROBLEM_DEPTH = 64 };

/* ---- what curl calls ---- */

/* While one request runs. */
struct running {
    struct tine *tine;
    struct transfer *transfer;
    bool too_large, is_stream, looked;
};

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

/* The head of the reply is known when the first byte of its body comes. */
static void look_at_head(struct running *running)
{
    CURL *easy = running->tine->easy;
    char *type = NULL;
    long status = 0;

    if (running->looked)
        return;
    running->looked = true;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    running->transfer->status = (int)status;
    running->is_stream = running->transfer->take && is_success((int)status) && type &&
                         str_starts(str_of(type), STR("text/event-stream"));
    running->transfer->streamed = running->is_stream;
}

static size_t on_bytes(char *p, size_t size, size_t count, void *context)
{
    struct running *running = context;
    struct transfer *transfer = running->transfer;
    size_t n = size * count;

    look_at_head(running);
    if (running->is_stream) {
        transfer->ended = !transfer->take(transfer->context, (struct str){p, n});
        return transfer->ended ? 0 : n;
    }
    buf_add(&transfer->reply, p, n);
    running->too_large = transfer->reply.full;
    return running->too_large ? 0 : n;
}

static curl_socket_t on_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct tine *tine = context;
    int fd = tine->options.socket(tine->options.socket_context ? tine->options.socket_context
                                                               : tine->options.context);

    (void)purpose;
    return fd < 0 ? CURL_SOCKET_BAD : given_open(&tine->given, fd, address);
}

static int on_connected(void *context, char *peer, char *local, int peer_port, int local_port)
{
    struct tine *tine = context;

    (void)peer;
    (void)local;
    (void)peer_port;
    (void)local_port;
    return given_replace(&tine->given) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* ---- setting it up ---- */

static void header_add(struct curl_slist **list, const char *text)
{
    struct curl_slist *longer = curl_slist_append(*list, text);

    if (!longer)
        abort();
    *list = longer;
}

static void header_add_value(struct curl_slist **list, const char *name, const char *value)
{
    char *text = NULL;

    if (!value)
        return;
    if (asprintf(&text, "%s: %s", name, value) < 0)
        abort();
    header_add(list, text);
    free(text);
}

static struct curl_slist *headers_of(struct tine *tine, const struct transfer *transfer)
{
    struct curl_slist *list = NULL;

    header_add(&list, transfer->take       ? "Accept: text/event-stream"
                      : transfer->is_bytes ? "Accept: */*"
                                           : "Accept: application/json");
    header_add(&list, "Expect:"); /* a large body goes out at once */
    if (transfer->body.p)
        header_add(&list, transfer->is_bytes ? "Content-Type: application/octet-stream"
                                             : "Content-Type: application/json");
    if (tine->token_header)
        header_add(&list, tine->token_header);
    header_add_value(&list, "Idempotency-Key", transfer->key);
    header_add_value(&list, "Last-Event-ID", transfer->last_event_id);
    return list;
}

static void set_up_connection(struct tine *tine, const struct transfer *transfer)
{
    CURL *easy = tine->easy;

    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, tine->agent);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)tine->options.connect_ms);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    if (tine->local)
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (tine->options.socket) {
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, tine);
        curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_connected);
        curl_easy_setopt(easy, CURLOPT_PREREQDATA, tine);
        curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 0L); /* it need not be TCP */
        curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 0L);
    }
    if (transfer->take) {
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)(STREAM_IDLE_MS / 1000));
    } else if (!transfer->endless) {
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)tine->options.reply_ms);
    }
}

static void set_up(struct running *running, const char *url, struct curl_slist *headers)
{
    struct tine *tine = running->tine;
    const struct transfer *transfer = running->transfer;
    CURL *easy = tine->easy;

    curl_easy_reset(easy);
    set_up_connection(tine, transfer);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    if (transfer->body.p) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->body.p);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)transfer->body.n);
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, transfer->method);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, running);
}

/* ---- running it ---- */

/* Waits for the end; CURLE_ABORTED_BY_CALLBACK when `stop` says so. */
static CURLcode wait_for_end(struct tine *tine)
{
    int active = 1;

    while (active) {
        const CURLMsg *message;
        int left;

        if (curl_multi_perform(tine->multi, &active) != CURLM_OK)
            return CURLE_FAILED_INIT;
        while ((message = curl_multi_info_read(tine->multi, &left)) != NULL)
            if (message->msg == CURLMSG_DONE)
                return message->data.result;
        if (tine->options.stop && tine->options.stop(tine->options.context))
            return CURLE_ABORTED_BY_CALLBACK;
        if (active && curl_multi_poll(tine->multi, NULL, 0, STEP_MS, NULL) != CURLM_OK)
            return CURLE_FAILED_INIT;
    }
    return CURLE_FAILED_INIT;
}

static bool curl_failed(struct running *running, CURLcode code, const char *words,
                        struct tine_error *error)
{
    const struct tine *tine = running->tine;
    const char *why = *words ? words : curl_easy_strerror(code);

    if (running->too_large)
        return error_set(error, 0, "reply_too_large", "the reply has more than %zu bytes",
                         running->transfer->reply.max);
    switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
        return error_set(error, 0, "interrupted", "interrupted");
    case CURLE_OPERATION_TIMEDOUT:
        return error_set(error, 0, "timeout", "no answer from %s in time", tine->server);
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return error_set(error, 0, "connection", "cannot reach a server at %s: %s", tine->server,
                         why);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
        return error_set(error, 0, "protocol", "%s does not answer as tine does: %s", tine->server,
                         why);
    default:
        return error_set(error, 0, "connection", "the connection to %s broke: %s", tine->server,
                         why);
    }
}

/* The members of a refusal; false when it is not one that tine writes. */
static bool problem_read(struct str bytes, int status, struct arena *arena,
                         struct tine_error *error)
{
    struct str code = STR_NONE, detail = STR_NONE;
    struct json_value problem;
    struct json_walk walk;
    struct fault ignored;

    if (json_read(bytes, PROBLEM_DEPTH, "", &problem, &ignored) || problem.type != JSON_OBJECT)
        return false;
    json_walk_begin(&walk, &problem);
    while (json_walk_next(&walk)) {
        if (walk.value.type != JSON_STRING)
            continue;
        if (str_eq(walk.key, STR("code")))
            code = json_text(&walk.value, arena);
        else if (str_eq(walk.key, STR("detail")))
            detail = json_text(&walk.value, arena);
    }
    if (code.n == 0)
        return false;
    code = arena_dup(arena, code);
    error_set(error, status, code.p, "%.*s", STR_ARG(detail));
    return true;
}

static bool refusal(struct tine *tine, const struct transfer *transfer, struct tine_error *error)
{
    struct str bytes = buf_str(&transfer->reply);
    struct arena arena;
    bool is_problem;

    arena_init(&arena);
    is_problem = problem_read(bytes, transfer->status, &arena, error);
    arena_clear(&arena);
    if (is_problem) {
        buf_add_str(&tine->problem, bytes);
        return false;
    }
    return error_set(error, transfer->status, "protocol",
                     "%s answered with status %d, and not as tine does", tine->server,
                     transfer->status);
}

bool transfer_run(struct tine *tine, struct transfer *transfer, struct tine_error *error)
{
    struct running running = {.tine = tine, .transfer = transfer};
    struct curl_slist *headers = headers_of(tine, transfer);
    char words[CURL_ERROR_SIZE] = "";
    char *url = NULL;
    CURLcode code;
    bool done;

    if (asprintf(&url, "%s%.*s", tine->base, STR_ARG(transfer->path)) < 0)
        abort();
    buf_init(&transfer->reply, tine->options.reply_bytes);
    buf_reset(&tine->problem);
    transfer->status = 0;
    transfer->streamed = transfer->ended = false;
    set_up(&running, url, headers);
    curl_easy_setopt(tine->easy, CURLOPT_ERRORBUFFER, words);
    curl_multi_add_handle(tine->multi, tine->easy);
    code = wait_for_end(tine);
    if (code == CURLE_OK)
        look_at_head(&running);
    curl_multi_remove_handle(tine->multi, tine->easy);
    given_drop(&tine->given);
    curl_easy_setopt(tine->easy, CURLOPT_ERRORBUFFER, NULL);
    if (code != CURLE_OK)
        done = transfer->ended || curl_failed(&running, code, words, error);
    else
        done = is_success(transfer->status) || refusal(tine, transfer, error);
    curl_slist_free_all(headers);
    free(url);
    return done;
}

void transfer_clear(struct transfer *transfer)
{
    buf_clear(&transfer->reply);
}
