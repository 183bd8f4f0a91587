/* What the program has to say, and that nothing unread is lost without a word. */
#include "support/check.h"
#include "tui/stage.h"

#include "tui/notices.h"

#include <stdio.h>
#include <stdlib.h>

static void fail_often(struct notices *notices, int from, int count)
{
    for (int i = from; i < from + count; i++) {
        char text[32];

        snprintf(text, sizeof(text), "failure %d", i);
        notices_fail(notices, text);
    }
}

static void a_sentence_goes_away_by_itself(void **state)
{
    struct notices notices = {0};
    bool changed;

    (void)state;
    assert_int_equal(notices_wait_ms(&notices, 0, &changed), -1);
    assert_false(changed);
    notices_say(&notices, "one", 1000);
    notices_say(&notices, "another", 2000);
    assert_string_equal(notices.said, "another");
    assert_int_equal(notices_wait_ms(&notices, 2500, &changed), NOTICE_SAID_MS - 500);
    assert_false(changed);
    assert_int_equal(notices_wait_ms(&notices, 2000 + NOTICE_SAID_MS, &changed), -1);
    assert_true(changed);
    assert_string_equal(notices.said, "");
    assert_int_equal(notices_wait_ms(&notices, 20000, &changed), -1);
    assert_false(changed);
}

static void failures_are_read_oldest_first(void **state)
{
    struct notices notices = {0};

    (void)state;
    assert_false(notices_read(&notices));
    notices_fail(&notices, "one");
    notices_fail(&notices, "one"); /* the same again is the same */
    notices_fail(&notices, "two");
    notices_fail(&notices, "one");
    assert_int_equal(notices.count, 3);
    assert_string_equal(notices.failures[0], "one");
    assert_true(notices_read(&notices));
    assert_string_equal(notices.failures[0], "two");
    assert_true(notices_read(&notices) && notices_read(&notices));
    assert_false(notices_read(&notices));
}

static void those_that_have_no_room_are_counted(void **state)
{
    struct notices notices = {0};

    (void)state;
    fail_often(&notices, 0, NOTICE_FAILURES + 3);
    assert_int_equal(notices.count, NOTICE_FAILURES);
    assert_int_equal(notices.dropped, 3);
    for (int i = 0; i < NOTICE_FAILURES; i++) {
        char text[32];

        snprintf(text, sizeof(text), "failure %d", i);
        assert_string_equal(notices.failures[0], text);
        assert_true(notices_read(&notices));
    }
    assert_string_equal(notices.failures[0], "3 more failures came then, which are not kept");
    assert_true(notices_read(&notices));
    assert_false(notices_read(&notices));
    fail_often(&notices, 0, NOTICE_FAILURES + 1);
    notices_read(&notices);
    fail_often(&notices, 100, 2); /* behind the words about the one before */
    assert_int_equal(notices.dropped, 2);
    assert_string_equal(notices.failures[NOTICE_FAILURES - 1],
                        "1 more failure came then, which is not kept");
}

static void long_ones_are_cut(void **state)
{
    static char text[3 * NOTICE_BYTES];
    struct notices notices = {0};

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    notices_say(&notices, text, 0);
    notices_fail(&notices, text);
    assert_int_equal(strlen(notices.said), NOTICE_BYTES - 1);
    assert_int_equal(strlen(notices.failures[0]), NOTICE_BYTES - 1);
}

static void a_failure_takes_the_rows_that_it_needs(void **state)
{
    struct notices notices = {0};

    (void)state;
    assert_int_equal(notices_rows(&notices, 80, 24), 0);
    notices_fail(&notices, "cannot fork: the server is gone");
    assert_int_equal(notices_rows(&notices, 80, 24), 1);
    assert_int_equal(notices_rows(&notices, 40, 24), 2);
    assert_true(notices_rows(&notices, 20, 24) > 2);
    for (int columns = 80; columns > 0; columns--)
        assert_in_range(notices_rows(&notices, columns, 24), 1, 12);
    assert_int_equal(notices_rows(&notices, 1, 24), 12); /* never more than half of it */
    assert_int_equal(notices_rows(&notices, 0, 24), 12);
    assert_int_equal(notices_rows(&notices, 80, 1), 0);
}

static const char *shown(struct stage *stage, const struct notices *notices)
{
    struct pane all = screen_begin(stage_screen(stage));
    int rows = notices_rows(notices, all.columns, all.rows);

    notices_draw_said(notices, pane_rows(all, 0, all.rows - rows));
    notices_draw(notices, pane_rows(all, all.rows - rows, rows));
    return stage_show(stage);
}

static void all_of_it_is_seen(void **state)
{
    struct notices notices = {0};
    struct stage *stage = stage_open(6, 90);
    const char *got;

    (void)state;
    notices_say(&notices, "it was done", 0);
    fail_often(&notices, 0, 2);
    got = shown(stage, &notices);
    assert_non_null(strstr(got, "it was done"));
    assert_non_null(strstr(got, "failure 0  [Ctrl-G: I have read it (1 more)]"));
    fail_often(&notices, 2, NOTICE_FAILURES);
    got = shown(stage, &notices);
    assert_non_null(strstr(got, "(7 more, and 2 that are not kept)"));
    for (int columns = 20; columns > 0; columns--) {
        stage_size(stage, 6, columns);
        shown(stage, &notices);
    }
    stage_close(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_goes_away_by_itself),
        cmocka_unit_test(failures_are_read_oldest_first),
        cmocka_unit_test(those_that_have_no_room_are_counted),
        cmocka_unit_test(long_ones_are_cut),
        cmocka_unit_test(a_failure_takes_the_rows_that_it_needs),
        cmocka_unit_test(all_of_it_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
