#include "client/feed.h"

#include "base/utf8.h"

enum { ID_BYTES_MAX = 256, TYPE_BYTES_MAX = 256, RETRY_MS_MAX = 3600 * 1000 };

void feed_init(struct feed *feed, size_t event_bytes, feed_call *call, void *context)
{
    *feed = (struct feed){.retry_ms = -1, .call = call, .context = context};
    buf_init(&feed->line, event_bytes + TYPE_BYTES_MAX); /* the field's name comes on top */
    buf_init(&feed->data, event_bytes);
    buf_init(&feed->type, TYPE_BYTES_MAX);
    buf_init(&feed->id, ID_BYTES_MAX);
}

void feed_clear(struct feed *feed)
{
    buf_clear(&feed->line);
    buf_clear(&feed->data);
    buf_clear(&feed->type);
    buf_clear(&feed->id);
}

static void event_forget(struct feed *feed)
{
    buf_reset(&feed->data);
    buf_reset(&feed->type);
    buf_reset(&feed->id);
    feed->has_id = feed->has_data = false;
}

void feed_reset(struct feed *feed)
{
    event_forget(feed);
    buf_reset(&feed->line);
    feed->after_cr = false;
    feed->bom = 0;
}

static void retry_read(struct feed *feed, struct str value)
{
    int ms = 0;

    if (value.n == 0)
        return;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return;
        ms = ms * 10 + (value.p[i] - '0');
        if (ms > RETRY_MS_MAX)
            ms = RETRY_MS_MAX;
    }
    feed->retry_ms = ms;
}

static void field_take(struct feed *feed, struct str name, struct str value)
{
    if (str_eq(name, STR("data"))) {
        if (feed->has_data)
            buf_add_char(&feed->data, '\n');
        buf_add_str(&feed->data, value);
        feed->has_data = true;
    } else if (str_eq(name, STR("event"))) {
        buf_reset(&feed->type);
        buf_add_str(&feed->type, value);
    } else if (str_eq(name, STR("id"))) {
        if (value.n && memchr(value.p, '\0', value.n))
            return;
        buf_reset(&feed->id);
        buf_add_str(&feed->id, value);
        feed->has_id = true;
    } else if (str_eq(name, STR("retry"))) {
        retry_read(feed, value);
    }
}

/* An empty line: the event is whole, if there is one. */
static enum feed_end event_end(struct feed *feed)
{
    struct feed_event event = {
        .type = feed->type.n ? buf_str(&feed->type) : STR("message"),
        .id = feed->has_id ? buf_str(&feed->id) : STR_NONE,
        .data = buf_str(&feed->data),
    };
    bool go_on = true;

    if (feed->has_data)
        go_on = utf8_valid(event.data) ? feed->call(feed->context, &event) : true;
    event_forget(feed);
    return go_on ? FEED_MORE : FEED_STOPPED;
}

static enum feed_end line_end(struct feed *feed)
{
    struct str line = buf_str(&feed->line), name = line, value = STR("");
    const char *colon = line.n ? memchr(line.p, ':', line.n) : NULL;
    enum feed_end end = FEED_MORE;

    if (line.n == 0)
        return event_end(feed);
    if (colon) {
        name.n = (size_t)(colon - line.p);
        value = (struct str){colon + 1, line.n - name.n - 1};
        if (value.n && *value.p == ' ')
            value = (struct str){value.p + 1, value.n - 1};
    }
    if (name.n)
        field_take(feed, name, value); /* else it is a comment */
    if (feed->data.full || feed->type.full || feed->id.full)
        end = FEED_TOO_LARGE;
    buf_reset(&feed->line);
    return end;
}

/* True when the byte belongs to a byte order mark at the beginning. */
static bool is_bom(struct feed *feed, char c)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (feed->bom < 0)
        return false;
    if (c == mark[feed->bom]) {
        feed->bom = feed->bom == 2 ? -1 : feed->bom + 1;
        return true;
    }
    buf_add(&feed->line, mark, (size_t)feed->bom); /* it was none after all */
    feed->bom = -1;
    return false;
}

enum feed_end feed_take(struct feed *feed, struct str bytes)
{
    enum feed_end end = FEED_MORE;
    size_t at = 0;

    while (at < bytes.n && end == FEED_MORE) {
        char c = bytes.p[at];
        size_t from = at;

        if (is_bom(feed, c)) {
            at++;
            continue;
        }
        if (feed->after_cr && c == '\n') {
            feed->after_cr = false;
            at++;
            continue;
        }
        feed->after_cr = false;
        while (at < bytes.n && bytes.p[at] != '\n' && bytes.p[at] != '\r')
            at++;
        buf_add(&feed->line, bytes.p + from, at - from);
        if (feed->line.full)
            return FEED_TOO_LARGE;
        if (at < bytes.n) {
            feed->after_cr = bytes.p[at] == '\r';
            at++;
            end = line_end(feed);
        }
    }
    return end;
}
