/* Server-sent events: the same events whatever the pieces the bytes come in. */
#include "support/check.h"

#include "client/feed.h"

struct heard {
    struct buf text;
    int count, stop_at;
};

static bool hear(void *context, const struct feed_event *event)
{
    struct heard *heard = context;

    struct str id = event->id.p ? event->id : STR("none");

    buf_add_format(&heard->text, "[%.*s|%.*s|%.*s]", STR_ARG(event->type), STR_ARG(id),
                   STR_ARG(event->data));
    return ++heard->count != heard->stop_at;
}

/* What is heard when the bytes come in pieces of so many. */
static void check_in_steps(struct str bytes, size_t step, const char *want)
{
    struct heard heard = {.stop_at = -1};
    struct feed feed;

    buf_init(&heard.text, 100000);
    feed_init(&feed, 1000, hear, &heard);
    for (size_t at = 0; at < bytes.n; at += step) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;

        assert_int_equal(feed_take(&feed, (struct str){bytes.p + at, n}), FEED_MORE);
    }
    CHECK_STR(buf_str(&heard.text), want);
    feed_clear(&feed);
    buf_clear(&heard.text);
}

static void check(struct str bytes, const char *want)
{
    for (size_t step = 1; step <= bytes.n; step++)
        check_in_steps(bytes, step, want);
}

static void events_are_heard(void **state)
{
    (void)state;
    check(STR("data: a\n\n"), "[message|none|a]");
    check(STR("id: 7\nevent: turn.ended\ndata: {\"x\":1}\n\ndata:b\n\n"),
          "[turn.ended|7|{\"x\":1}][message|none|b]");
    check(STR("data: one\ndata:  two\ndata\ndata: four\n\n"), "[message|none|one\n two\n\nfour]");
    check(STR("event: x\nevent: y\ndata: z\n\n"), "[y|none|z]");
    check(STR("id:\ndata: z\n\n"), "[message||z]");
}

static void lines_end_in_three_ways(void **state)
{
    (void)state;
    check(STR("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"), "[message|none|a\nb][message|none|c]");
    check(STR("data: a\rdata: b\r\rdata: c\r\r"), "[message|none|a\nb][message|none|c]");
    check(STR("data: a\n\r\ndata: b\r\n\n"), "[message|none|a][message|none|b]");
}

static void what_is_no_event_is_passed_over(void **state)
{
    (void)state;
    check(STR(": a comment\n\n:\n\nnonsense\nother: field\n\n\n\ndata: a\n\n"), "[message|none|a]");
    check(STR("event: lonely\n\ndata: a\n\n"), "[message|none|a]");
    check(STR("data: cut off"), "");
    check(STR("data: cut off\n"), "");
    check(STR("id: a\0b\ndata: x\n\n"), "[message|none|x]");
    check(STR("data: \xff\n\ndata: good\n\n"), "[message|none|good]");
}

static void a_mark_at_the_beginning_is_dropped(void **state)
{
    (void)state;
    check(STR("\xef\xbb\xbf"
              "data: a\n\n"),
          "[message|none|a]");
    check(STR("data: a\n\n\xef\xbb\xbf"
              "data: b\n\n"),
          "[message|none|a]");
    check(STR("\xef\xbb"
              "data: a\n\ndata: b\n\n"),
          "[message|none|b]");
}

static void too_much_is_refused(void **state)
{
    struct heard heard = {.stop_at = -1};
    char line[200];
    struct feed feed;

    (void)state;
    buf_init(&heard.text, 10000);
    feed_init(&feed, 1000, hear, &heard);
    memset(line, 'x', sizeof(line));
    memcpy(line, "data: ", 6);
    line[sizeof(line) - 1] = '\n';
    for (int i = 0; i < 5; i++)
        assert_int_equal(feed_take(&feed, (struct str){line, sizeof(line)}), FEED_MORE);
    assert_int_equal(feed_take(&feed, (struct str){line, sizeof(line)}), FEED_TOO_LARGE);
    feed_reset(&feed);
    for (int i = 0; i < 6; i++)
        assert_int_equal(feed_take(&feed, (struct str){line, sizeof(line) - 1}), FEED_MORE);
    assert_int_equal(feed_take(&feed, (struct str){line, sizeof(line) - 1}), FEED_TOO_LARGE);
    assert_int_equal(heard.count, 0);
    feed_clear(&feed);
    buf_clear(&heard.text);
}

static void hearing_can_end(void **state)
{
    struct heard heard = {.stop_at = 2};
    struct feed feed;

    (void)state;
    buf_init(&heard.text, 10000);
    feed_init(&feed, 1000, hear, &heard);
    assert_int_equal(feed_take(&feed, STR("data: 1\n\ndata: 2\n\ndata: 3\n\n")), FEED_STOPPED);
    assert_int_equal(heard.count, 2);
    feed_clear(&feed);
    buf_clear(&heard.text);
}

static void a_new_stream_forgets_the_old(void **state)
{
    struct heard heard = {.stop_at = -1};
    struct feed feed;

    (void)state;
    buf_init(&heard.text, 10000);
    feed_init(&feed, 1000, hear, &heard);
    assert_int_equal(feed_take(&feed, STR("retry: 1500\nid: 4\ndata: ha")), FEED_MORE);
    feed_reset(&feed);
    assert_int_equal(feed_take(&feed, STR("data: whole\n\n")), FEED_MORE);
    CHECK_STR(buf_str(&heard.text), "[message|none|whole]");
    assert_int_equal(feed.retry_ms, 1500);
    assert_int_equal(feed_take(&feed, STR("retry: 99999999999999\nretry: x\n\n")), FEED_MORE);
    assert_int_equal(feed.retry_ms, 3600 * 1000);
    feed_clear(&feed);
    buf_clear(&heard.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_heard),
        cmocka_unit_test(lines_end_in_three_ways),
        cmocka_unit_test(what_is_no_event_is_passed_over),
        cmocka_unit_test(a_mark_at_the_beginning_is_dropped),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(hearing_can_end),
        cmocka_unit_test(a_new_stream_forgets_the_old),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
