#include "engine/engine.h"

#include "base/utf8.h"
#include "engine/rules.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { CHANCE_BYTES = 1024 };

struct engine {
    struct store *store;
    struct engine_source source;
    int64_t sessions_max;
    struct reaper *reaper;              /* NULL: none */
    pthread_mutex_t lock;               /* of all below */
    unsigned char chance[CHANCE_BYTES]; /* drawn ahead: a call to the system for each id is dear */
    size_t chance_left;
    int64_t last_ms;
    unsigned counter; /* within that millisecond */
};

static int64_t clock_now_us(void *context)
{
    struct timespec now;

    (void)context;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void system_random(void *context, void *out, size_t n)
{
    unsigned char *p = out;

    (void)context;
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);

        if (got < 0)
            continue;
        p += got;
        n -= (size_t)got;
    }
}

struct engine *engine_new(struct store *store, const struct engine_source *source)
{
    struct engine *engine = calloc(1, sizeof(*engine));

    if (!engine)
        abort();
    engine->store = store;
    engine->source = source ? *source : (struct engine_source){clock_now_us, system_random, NULL};
    engine->sessions_max = LIMIT_SESSIONS;
    pthread_mutex_init(&engine->lock, NULL);
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

void engine_limit_sessions(struct engine *engine, int64_t max)
{
    engine->sessions_max = max;
}

int64_t engine_sessions_max(const struct engine *engine)
{
    return engine->sessions_max;
}

void engine_use_reaper(struct engine *engine, struct reaper *reaper)
{
    engine->reaper = reaper;
}

struct reaper *engine_reaper(const struct engine *engine)
{
    return engine->reaper;
}

struct store *engine_store(struct engine *engine)
{
    return engine->store;
}

int64_t engine_now_us(struct engine *engine)
{
    return engine->source.now_us(engine->source.context);
}

/* Random bytes, each given out once. With the lock held. */
static void draw_chance(struct engine *engine, unsigned char *out, size_t n)
{
    assert(n <= CHANCE_BYTES);
    if (engine->chance_left < n) {
        engine->source.random(engine->source.context, engine->chance, CHANCE_BYTES);
        engine->chance_left = CHANCE_BYTES;
    }
    engine->chance_left -= n;
    memcpy(out, engine->chance + engine->chance_left, n);
    memset(engine->chance + engine->chance_left, 0, n);
}

/* A clock that stands still or goes back does not make ids go back: the counter runs on. */
struct id engine_draw_id(struct engine *engine)
{
    int64_t ms = engine_now_us(engine) / 1000;
    unsigned char random[8];
    unsigned counter;

    pthread_mutex_lock(&engine->lock);
    draw_chance(engine, random, sizeof(random));
    if (ms > engine->last_ms) {
        engine->last_ms = ms;
        engine->counter = 0;
    } else if (++engine->counter > 0xfff) {
        engine->last_ms++;
        engine->counter = 0;
    }
    ms = engine->last_ms;
    counter = engine->counter;
    pthread_mutex_unlock(&engine->lock);
    return id_make(ms, counter, random);
}

void engine_draw_salt(struct engine *engine, unsigned char salt[SALT_BYTES])
{
    pthread_mutex_lock(&engine->lock);
    draw_chance(engine, salt, SALT_BYTES);
    pthread_mutex_unlock(&engine->lock);
}

void engine_draw_entry(struct engine *engine, struct entry_spec *entry)
{
    entry->drawn = engine_draw_id(engine);
    entry->drawn_turn = engine_draw_id(engine);
    engine_draw_salt(engine, entry->salt);
    entry->at_us = engine_now_us(engine);
}

enum fault_code rule_length(const char *what, struct str s, size_t max, struct fault *fault)
{
    if (s.n > max)
        return fault_set(fault, FAULT_TOO_LARGE, "%s has %zu bytes; the limit is %zu", what, s.n,
                         max);
    return FAULT_OK;
}

enum fault_code rule_text(const char *what, struct str s, size_t max, struct fault *fault)
{
    if (rule_length(what, s, max, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!utf8_valid(s))
        return fault_set(fault, FAULT_INVALID, "%s is not valid UTF-8", what);
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return fault_set(fault, FAULT_INVALID, "%s has a control character at byte %zu", what,
                             i);
    return FAULT_OK;
}

static bool id_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == ':' || c == '-';
}

enum fault_code rule_id(const char *what, struct str s, struct fault *fault)
{
    if (rule_length(what, s, LIMIT_ID_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < s.n; i++)
        if (!id_char(s.p[i]))
            return fault_set(fault, FAULT_INVALID,
                             "%s may have only A-Z a-z 0-9 . _ : -, not the byte 0x%02x", what,
                             (unsigned)(unsigned char)s.p[i]);
    return FAULT_OK;
}

enum fault_code rule_once(const struct once *once, struct fault *fault)
{
    if (!once)
        return FAULT_OK;
    if (once->key.n == 0)
        return fault_set(fault, FAULT_INVALID, "the idempotency key is empty");
    if (rule_length("the idempotency key", once->key, LIMIT_KEY_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < once->key.n; i++)
        if (once->key.p[i] < 0x20 || once->key.p[i] > 0x7e)
            return fault_set(fault, FAULT_INVALID,
                             "the idempotency key may have only printable ASCII, not the byte "
                             "0x%02x",
                             (unsigned)(unsigned char)once->key.p[i]);
    return FAULT_OK;
}

enum fault_code rule_agent(struct str s, struct fault *fault)
{
    const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;

    if (rule_text("agent", s, LIMIT_AGENT_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!slash || slash == s.p || slash == s.p + s.n - 1)
        return fault_set(fault, FAULT_INVALID, "agent \"%.*s\" is not of the form namespace/name",
                         STR_ARG(s));
    return FAULT_OK;
}

enum fault_code rule_home(struct str s, struct fault *fault)
{
    if (rule_length("the home of the session", s, LIMIT_HOME_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!home_valid(s))
        return fault_set(fault, FAULT_INVALID, "the home of a session may have only a-z 0-9 -");
    return FAULT_OK;
}

enum fault_code rule_state(struct state *state, struct fault *fault)
{
    size_t bytes = 0;

    if (state->count > LIMIT_STATE_KEYS)
        return fault_set(fault, FAULT_TOO_LARGE, "state has %zu keys; the limit is %d",
                         state->count, LIMIT_STATE_KEYS);
    for (size_t i = 0; i < state->count; i++) {
        const struct state_item *item = &state->items[i];

        if (item->key.n == 0)
            return fault_set(fault, FAULT_INVALID, "state has an empty key");
        if (rule_text("a key of state", item->key, LIMIT_STATE_KEY_BYTES, fault) != FAULT_OK)
            return fault_pass(fault);
        bytes += item->key.n + item->value.n;
    }
    if (bytes > LIMIT_STATE_BYTES / 2)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "state has %zu bytes; the limit of one change is %d", bytes,
                         LIMIT_STATE_BYTES / 2);
    state_sort(state);
    return FAULT_OK;
}

enum fault_code rule_point(const struct point_spec *point, struct fault *fault)
{
    switch (point->by) {
    case POINT_MESSAGE:
        return rule_id("the id of the message", point->name, fault);
    case POINT_LABEL:
        return rule_text("the label", point->name, LIMIT_LABEL_BYTES, fault);
    case POINT_TURN:
        if (point->name.n == 0)
            return fault_set(fault, FAULT_POINT_INVALID, "the name of the turn is empty");
        return rule_text("the name of the turn", point->name, LIMIT_TURN_BYTES, fault);
    case POINT_END:
    case POINT_START:
    case POINT_INDEX:
    case POINT_USER:
    case POINT_FLAT:
    case POINT_FLAT_USER:
    case POINT_ADDRESS:
        break;
    }
    return FAULT_OK;
}
