#include "client/streaming.h"

#include "client/reply.h"

enum { NAME_BYTES = 1024 };

static void keep(struct buf *buf, const char *text)
{
    buf_reset(buf);
    if (text)
        buf_add_text(buf, text);
}

/* The end of a turn: {"session","turn":{"id","state","reason"}}. */
static void end_keep(struct streaming *streaming, const struct tine_event *event)
{
    streaming->done = true;
    keep(&streaming->turn, event->turn);
    keep(&streaming->state, event->turn_state);
    keep(&streaming->reason, event->reason);
}

/* A turn that could not begin: the event's data is a refusal. */
static void refusal_keep(struct streaming *streaming, struct reader *reader, struct str data)
{
    struct problem {
        const char *code, *detail;
        int64_t status;
    } problem = {"protocol", "the turn failed", 0};
    static const struct field fields[] = {
        FIELD("code", FIELD_TEXT, problem, code),
        FIELD("detail", FIELD_TEXT, problem, detail),
        FIELD("status", FIELD_INT, problem, status),
    };
    struct json_value value;
    struct fault ignored;

    streaming->failed = true;
    if (json_read(data, REPLY_DEPTH, "", &value, &ignored) == FAULT_OK)
        (void)fields_read(reader, &value, "a refusal", fields, FIELD_COUNT(fields), &problem);
    error_set(&streaming->error, (int)problem.status, problem.code, "%s", problem.detail);
}

static bool tell(struct streaming *streaming, const struct feed_event *heard, struct reader *reader)
{
    struct tine_event event = {.data_bytes = heard->data.n};

    if (streaming->until_done && str_eq(heard->type, STR("error"))) {
        refusal_keep(streaming, reader, heard->data);
        return false;
    }
    event.id = heard->id.p ? text_dup(reader, heard->id) : NULL;
    event.type = text_dup(reader, heard->type);
    event.data = text_dup(reader, heard->data);
    if (!reply_event(reader, heard->data, &event)) {
        streaming->failed = true;
        return false;
    }
    if (heard->id.p)
        keep(&streaming->last_id, event.id);
    if (streaming->until_done && str_eq(heard->type, STR("done"))) {
        end_keep(streaming, &event);
        return false;
    }
    streaming->events++;
    streaming->stopped = !streaming->call(streaming->context, &event);
    return !streaming->stopped;
}

static bool on_event(void *context, const struct feed_event *heard)
{
    struct streaming *streaming = context;
    struct arena arena;
    struct reader reader = {.arena = &arena, .error = &streaming->error};
    bool more;

    arena_init(&arena);
    more = tell(streaming, heard, &reader);
    arena_clear(&arena);
    return more;
}

void streaming_init(struct streaming *streaming, const struct tine *tine, tine_event_call *call,
                    void *context)
{
    *streaming = (struct streaming){.call = call, .context = context};
    feed_init(&streaming->feed, tine->options.reply_bytes, on_event, streaming);
    buf_init(&streaming->last_id, NAME_BYTES);
    buf_init(&streaming->turn, NAME_BYTES);
    buf_init(&streaming->state, NAME_BYTES);
    buf_init(&streaming->reason, NAME_BYTES);
}

void streaming_clear(struct streaming *streaming)
{
    feed_clear(&streaming->feed);
    buf_clear(&streaming->last_id);
    buf_clear(&streaming->turn);
    buf_clear(&streaming->state);
    buf_clear(&streaming->reason);
}

bool streaming_take(void *context, struct str bytes)
{
    struct streaming *streaming = context;

    switch (feed_take(&streaming->feed, bytes)) {
    case FEED_MORE:
        return true;
    case FEED_STOPPED:
        return false;
    case FEED_TOO_LARGE:
        break;
    }
    streaming->failed = true;
    error_set(&streaming->error, 0, "reply_too_large", "an event has more than %zu bytes",
              streaming->feed.data.max);
    return false;
}
