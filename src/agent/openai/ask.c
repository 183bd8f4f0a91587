/*
 * The thread of the turn waits in curl_multi_poll for the server and for a cancel at once.
 *
 *   1. Nothing is asked again after something of the answer was told: two halves do not make one.
 *   2. The key is in the request and nowhere else; where a server repeats it in an error, it is
 *      taken out.
 */
#include "agent/openai/ask.h"

#include "base/clock.h"
#include "agent/clean.h"
#include "agent/openai/sse.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    TRIES = 5,
    WAIT_FIRST_MS = 250, /* before the second try; twice that before each further one */
    WAIT_MAX_MS = 60 * 1000,
    CONNECT_MS = 15 * 1000,
    POLL_MS = 1000,
    ERROR_BYTES = 16 * 1024, /* of an answer that is an error */
    ERROR_SHOWN = 300,
    KEY_MAX = 8 * 1024
};

struct asker {
    CURLM *multi;
};

/* One try. */
struct attempt {
    const struct ask *ask;
    struct answer *answer;
    CURL *easy;
    struct sse sse;
    struct buf error; /* body of an answer that is an error */
    long status;
    int64_t retry_ms; /* what the server asks for; -1: nothing */
    int64_t heard_ms;
    bool event_stream;
    struct fault fault; /* of what was read */
    bool again;         /* worth another try */
};

static void curl_begin(void)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        abort();
}

struct asker *asker_new(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct asker *asker = calloc(1, sizeof(*asker));

    pthread_once(&once, curl_begin);
    if (!asker)
        abort();
    asker->multi = curl_multi_init();
    if (!asker->multi)
        abort();
    return asker;
}

void asker_free(struct asker *asker)
{
    if (!asker)
        return;
    curl_multi_cleanup(asker->multi);
    free(asker);
}

enum fault_code ask_url_check(struct str base_url, struct fault *fault)
{
    struct str rest = base_url;
    size_t host;

    if (str_starts(rest, STR("https://")))
        rest = (struct str){rest.p + 8, rest.n - 8};
    else if (str_starts(rest, STR("http://")))
        rest = (struct str){rest.p + 7, rest.n - 7};
    else
        return fault_set(fault, FAULT_INVALID, "base_url must begin with https:// or http://");
    for (host = 0; host < rest.n && rest.p[host] != '/';)
        host++;
    if (host == 0)
        return fault_set(fault, FAULT_INVALID, "base_url names no host");
    for (size_t i = 0; i < rest.n; i++) {
        unsigned char c = (unsigned char)rest.p[i];

        if (c <= ' ' || c >= 0x7f || c == '?' || c == '#' || c == '\\')
            return fault_set(fault, FAULT_INVALID,
                             "base_url may have no blanks, no query and no fragment");
        if (c == '@')
            return fault_set(fault, FAULT_INVALID,
                             "base_url may hold no name and no password; use key_env");
    }
    return FAULT_OK;
}

/* ---- what the server says in errors ---- */

/* A line for people out of what a server sent: one line of text, cut, without the key. */
static struct str shown(struct str text, const char *key, struct arena *arena)
{
    size_t n = key ? strlen(key) : 0;
    struct str clean = clean_text(text, ERROR_BYTES, arena);
    char *p = (char *)arena_dup(arena, clean).p;
    char *at;

    while (n && (at = strstr(p, key)))
        memset(at, '*', n);
    for (at = p; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return clean_text(str_of(p), ERROR_SHOWN, arena);
}

static void status_fault(struct attempt *attempt, struct fault *fault)
{
    struct arena arena;
    struct str body = buf_str(&attempt->error), message;

    arena_init(&arena);
    message = answer_error(body, &arena);
    message = shown(message.n ? message : body, attempt->ask->key, &arena);
    fault_write(fault, FAULT_AGENT_FAILED, "the model's server answered %ld%s%.*s", attempt->status,
                message.n ? ": " : "", STR_ARG(message));
    arena_clear(&arena);
}

/* The key may also stand in what a server says inside of a stream. */
static void fault_hide(struct fault *fault, const char *key)
{
    struct arena arena;
    struct str line;

    arena_init(&arena);
    line = shown(str_of(fault->message), key, &arena);
    fault_write(fault, fault->code, "%.*s", STR_ARG(line));
    arena_clear(&arena);
}

/* ---- what curl calls ---- */

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    static const struct str retry = {"retry-after:", 12};
    struct attempt *attempt = context;
    size_t n = size * count;

    if (n > retry.n && strncasecmp(bytes, retry.p, retry.n) == 0) {
        const char *p = bytes + retry.n, *end = bytes + n;
        int64_t seconds = 0;

        while (p < end && *p == ' ')
            p++;
        if (p < end && *p >= '0' && *p <= '9') {
            for (; p < end && *p >= '0' && *p <= '9' && seconds < WAIT_MAX_MS; p++)
                seconds = seconds * 10 + (*p - '0');
            attempt->retry_ms = seconds * 1000;
        }
    }
    return n;
}

static enum fault_code on_event(void *context, struct str data, struct fault *fault)
{
    struct attempt *attempt = context;

    return answer_take(attempt->answer, data, fault);
}

static bool is_event_stream(CURL *easy)
{
    const char *type = NULL;

    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    return type && strncasecmp(type, "text/event-stream", 17) == 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct attempt *attempt = context;
    struct str piece = {bytes, size * count};

    attempt->heard_ms = clock_ms();
    curl_easy_getinfo(attempt->easy, CURLINFO_RESPONSE_CODE, &attempt->status);
    attempt->event_stream = is_event_stream(attempt->easy);
    if (attempt->status != 200 || !attempt->event_stream) {
        size_t room = attempt->error.max - attempt->error.n;

        buf_add(&attempt->error, piece.p, piece.n < room ? piece.n : room);
        return piece.n;
    }
    if (sse_feed(&attempt->sse, piece, on_event, attempt, &attempt->fault))
        return 0;
    return piece.n;
}

/* ---- one try ---- */

static struct curl_slist *headers_of(const struct ask *ask)
{
    struct curl_slist *headers = NULL;
    char line[KEY_MAX + 64];

    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Accept: text/event-stream");
    headers = curl_slist_append(headers, "Expect:");
    if (ask->key) {
        snprintf(line, sizeof(line), "Authorization: Bearer %s", ask->key);
        headers = curl_slist_append(headers, line);
        explicit_bzero(line, sizeof(line));
    }
    return headers;
}

static void easy_set(struct attempt *attempt, struct curl_slist *headers)
{
    CURL *easy = attempt->easy;
    const struct ask *ask = attempt->ask;

    curl_easy_setopt(easy, CURLOPT_URL, ask->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, ask->body.p);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->body.n);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "tine/" TINE_VERSION);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, attempt);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, attempt);
}

/* Lets curl work until the try is over; true when it has ended by itself, with `result`. */
static bool attempt_drive(struct asker *asker, struct attempt *attempt, CURLcode *result,
                          enum fault_code *code)
{
    struct curl_waitfd cancel = {.fd = attempt->ask->call->cancel_fd, .events = CURL_WAIT_POLLIN};
    int running = 1;

    for (;;) {
        CURLMsg *message;
        int left;

        curl_multi_perform(asker->multi, &running);
        while ((message = curl_multi_info_read(asker->multi, &left)))
            if (message->msg == CURLMSG_DONE) {
                *result = message->data.result;
                return true;
            }
        if (attempt->answer->done)
            return false;
        if (agent_cancelled(attempt->ask->call)) {
            *code = fault_set(&attempt->fault, FAULT_INTERRUPTED, "the turn was cancelled");
            return false;
        }
        if (clock_ms() - attempt->heard_ms > attempt->ask->quiet_ms) {
            *code = fault_set(&attempt->fault, FAULT_AGENT_FAILED,
                              "the model's server said nothing for %lld s",
                              (long long)(attempt->ask->quiet_ms / 1000));
            return false;
        }
        curl_multi_poll(asker->multi, &cancel, 1,
                        (int)(attempt->ask->quiet_ms < POLL_MS ? attempt->ask->quiet_ms : POLL_MS),
                        NULL);
    }
}

static bool status_again(long status)
{
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

/* What the end of the connection means. */
static enum fault_code attempt_judge(struct attempt *attempt, CURLcode result, struct fault *fault)
{
    const struct answer *answer = attempt->answer;
    enum fault_code code = FAULT_OK;

    curl_easy_getinfo(attempt->easy, CURLINFO_RESPONSE_CODE, &attempt->status);
    if (attempt->fault.code) {
        *fault = attempt->fault;
        attempt->again = true;
        return fault_pass(fault);
    }
    if (attempt->status != 0 && attempt->status != 200) {
        status_fault(attempt, fault);
        attempt->again = status_again(attempt->status);
        return fault_pass(fault);
    }
    if (attempt->status == 200 && !is_event_stream(attempt->easy))
        return fault_set(fault, FAULT_AGENT_FAILED,
                         "the model's server did not answer with text/event-stream; is base_url "
                         "right, and does the server stream?");
    attempt->again = true;
    if (result == CURLE_OK)
        code = sse_end(&attempt->sse, on_event, attempt, fault);
    if (code)
        return code;
    if (result != CURLE_OK && !(answer->done || answer->finish.n))
        return fault_set(fault, FAULT_AGENT_FAILED, "the model's server cannot be reached: %s",
                         curl_easy_strerror(result));
    if (!answer->done && answer->finish.n == 0)
        return fault_set(fault, FAULT_AGENT_FAILED,
                         "the model's server ended the stream before the answer was complete");
    return FAULT_OK;
}

static enum fault_code attempt_run(struct asker *asker, struct attempt *attempt,
                                   struct fault *fault)
{
    struct curl_slist *headers = headers_of(attempt->ask);
    CURLcode result = CURLE_OK;
    enum fault_code code = FAULT_OK;

    attempt->easy = curl_easy_init();
    if (!attempt->easy)
        abort();
    sse_init(&attempt->sse);
    buf_init(&attempt->error, ERROR_BYTES);
    attempt->retry_ms = -1;
    attempt->heard_ms = clock_ms();
    easy_set(attempt, headers);
    curl_multi_add_handle(asker->multi, attempt->easy);
    if (attempt_drive(asker, attempt, &result, &code)) {
        code = attempt_judge(attempt, result, fault);
    } else if (code) {
        *fault = attempt->fault;
        attempt->again = code != FAULT_INTERRUPTED;
    }
    curl_multi_remove_handle(asker->multi, attempt->easy);
    curl_easy_cleanup(attempt->easy);
    curl_slist_free_all(headers);
    sse_clear(&attempt->sse);
    buf_clear(&attempt->error);
    return code;
}

/* ---- again and again ---- */

/* Longer each time, and not the same for all who were refused at the same moment. */
static int64_t wait_of(int tried, int64_t asked_ms)
{
    int64_t ms = (int64_t)WAIT_FIRST_MS << (tried - 1);
    unsigned char chance = 128;

    if (asked_ms >= 0)
        return asked_ms;
    if (getrandom(&chance, 1, GRND_NONBLOCK) != 1)
        chance = 128;
    return ms / 2 + ms / 2 * chance / 255;
}

enum fault_code asker_ask(struct asker *asker, const struct ask *ask, struct answer *answer,
                          struct fault *fault)
{
    if (ask->key && (strlen(ask->key) > KEY_MAX || strpbrk(ask->key, "\r\n")))
        return fault_set(fault, FAULT_AGENT_FAILED,
                         "the key is no key: it has line ends in it, or "
                         "is too long");
    for (int tried = 1;; tried++) {
        struct attempt attempt = {.ask = ask, .answer = answer};
        enum fault_code code = attempt_run(asker, &attempt, fault);
        int64_t ms;

        if (!code)
            return FAULT_OK;
        if (code != FAULT_INTERRUPTED)
            fault_hide(fault, ask->key);
        if (!attempt.again || answer->begun || tried == TRIES)
            return code;
        ms = wait_of(tried, attempt.retry_ms);
        if (ms > WAIT_MAX_MS)
            return code;
        if (agent_wait(ask->call, (int)ms))
            return fault_set(fault, FAULT_INTERRUPTED, "the turn was cancelled");
    }
}
