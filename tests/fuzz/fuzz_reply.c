/* What a server sends, as the client library reads it: replies of every shape, and events. */
#include "fuzz.h"

#include "base/utf8.h"
#include "client/reply.h"
#include "client/feed.h"

#include <assert.h>

static void check_text(const char *text)
{
    assert(text && utf8_valid(str_of(text)));
}

static void check_message(const struct tine_message *m)
{
    check_text(m->id);
    check_text(m->kind);
    check_text(m->json);
    for (size_t i = 0; i < m->part_count; i++) {
        check_text(m->parts[i].type);
        assert(!m->parts[i].text || m->parts[i].text[m->parts[i].text_bytes] == '\0');
    }
}

static void check_session(const struct tine_session *s)
{
    check_text(s->id);
    check_text(s->title);
    check_text(s->metadata);
    for (size_t i = 0; i < s->rewound_count; i++)
        check_message(s->rewound[i].first);
    for (size_t i = 0; i < s->label_count; i++)
        check_text(s->labels[i].message);
}

static void check_result(const struct tine_result *r)
{
    if (r->session)
        check_session(r->session);
    for (size_t i = 0; i < r->session_count; i++)
        check_session(&r->sessions[i]);
    for (size_t i = 0; i < r->message_count; i++)
        check_message(&r->messages[i]);
    for (size_t i = 0; i < r->entry_count; i++)
        check_text(r->entries[i].act);
    for (size_t i = 0; i < r->hit_count; i++)
        for (size_t j = 0; j < r->hits[i].match_count; j++)
            assert(r->hits[i].matches[j][0] <= r->hits[i].matches[j][1]);
    if (r->agent)
        check_text(r->agent->id);
}

static void reply_try(struct str bytes, enum reply_shape shape)
{
    struct tine_result result = {0};
    struct tine_error error = {0};
    struct arena arena;
    struct reader reader = {.arena = &arena, .error = &error};

    arena_init(&arena);
    if (reply_read(&reader, bytes, shape, &result))
        check_result(&result);
    else
        assert(error.code[0] && error.detail[0] && utf8_valid(str_of(error.detail)));
    arena_clear(&arena);
}

/* What was heard, and how much of it: the same whatever the pieces. */
struct heard {
    uint64_t sum;
    size_t events;
};

static void heard_add(struct heard *heard, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        heard->sum = heard->sum * 31 + (unsigned char)bytes.p[i] + 1;
    heard->sum = heard->sum * 31;
}

static bool hear(void *context, const struct feed_event *event)
{
    struct tine_event told = {0};
    struct tine_error error;
    struct arena arena;
    struct reader reader = {.arena = &arena, .error = &error};
    struct heard *heard = context;

    arena_init(&arena);
    if (reply_event(&reader, event->data, &told) && told.message)
        check_message(told.message);
    arena_clear(&arena);
    heard->events++;
    heard_add(heard, event->type);
    heard_add(heard, event->id);
    heard_add(heard, event->data);
    return true;
}

static struct heard listen_in_steps(struct str bytes, size_t step)
{
    struct heard heard = {0};
    struct feed feed;

    feed_init(&feed, 4096, hear, &heard);
    for (size_t at = 0; at < bytes.n; at += step) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;

        if (feed_take(&feed, (struct str){bytes.p + at, n}) != FEED_MORE)
            break;
    }
    feed_clear(&feed);
    return heard;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    struct heard whole = listen_in_steps(bytes, size + 1);

    for (int shape = REPLY_MEMBERS; shape <= REPLY_RAW; shape++)
        reply_try(bytes, (enum reply_shape)shape);
    for (size_t step = 1; step < 8; step += 3) {
        struct heard pieces = listen_in_steps(bytes, step);

        /* An event that is too large may be refused sooner when it comes in pieces. */
        assert(pieces.events <= whole.events || size > 4096);
        assert(size > 4096 || (pieces.events == whole.events && pieces.sum == whole.sum));
    }
    return 0;
}
