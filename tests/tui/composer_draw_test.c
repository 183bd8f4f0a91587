/* The composer as it is seen. */
#include "support/check.h"
#include "tui/stage.h"

#include "base/buf.h"
#include "tui/composer.h"

#include <stdio.h>
#include <stdlib.h>

static bool complete(void *context, struct str text, size_t index, struct composer_offer *out)
{
    static const struct composer_offer offers[] = {{"/fork", "fork here"}, {"/tree", "the family"}};

    (void)context;
    if (!str_eq(text, STR("/")) || index > 1)
        return false;
    *out = offers[index];
    return true;
}

struct rig {
    struct stage *stage;
    struct composer *composer;
};

static int rig_begin(void **state)
{
    static struct rig rig;

    rig.stage = stage_open(12, 40);
    rig.composer = composer_new(NULL, complete, NULL);
    *state = &rig;
    return 0;
}

static int rig_end(void **state)
{
    struct rig *rig = *state;

    composer_free(rig->composer);
    stage_close(rig->stage);
    return 0;
}

static const char *shown(struct rig *rig, int most)
{
    struct pane pane = screen_begin(stage_screen(rig->stage));
    int rows = composer_rows(rig->composer, pane.columns, most);
    int offers = composer_offers(rig->composer, pane.columns, 5);

    assert_true(rows <= most);
    composer_draw(rig->composer, pane_rows(pane, pane.rows - rows, rows), "say something", true);
    composer_draw_offers(rig->composer, pane_rows(pane, pane.rows - rows - offers, offers));
    return stage_show(rig->stage);
}

static void check_shown(struct rig *rig, const char *words, bool want)
{
    const char *got = shown(rig, 5);

    if ((strstr(got, words) != NULL) != want)
        fail_msg("\"%s\" is %sthere: \"%s\"", words, want ? "not " : "", got);
}

static void press(struct rig *rig, enum press_kind kind, uint32_t c, bool ctrl)
{
    (void)composer_press(rig->composer, &(struct press){.kind = kind, .c = c, .ctrl = ctrl});
}

static void an_empty_one_has_a_hint(void **state)
{
    struct rig *rig = *state;

    check_shown(rig, "\u203a", true);
    check_shown(rig, "say something", true);
    assert_int_equal(composer_rows(rig->composer, 40, 5), 2);
    press(rig, PRESS_CHAR, 'x', false);
    check_shown(rig, "say something", false);
}

static void a_high_one_is_scrolled(void **state)
{
    struct rig *rig = *state;

    composer_set(rig->composer, STR("row1\nrow2\nrow3\nrow4\nrow5\nrow6"));
    assert_int_equal(composer_rows(rig->composer, 40, 5), 5);
    assert_int_equal(composer_rows(rig->composer, 40, 20), 7);
    check_shown(rig, "row6", true);
    check_shown(rig, "row3", true);
    check_shown(rig, "row2", false);
    check_shown(rig, "\u2191", true);
    for (int i = 0; i < 4; i++)
        press(rig, PRESS_UP, 0, false);
    check_shown(rig, "row2", true);
    check_shown(rig, "row5", true);
    check_shown(rig, "row6", false);
    check_shown(rig, "\u2193", true);
    composer_set(rig->composer, STR("row8\nrow9")); /* what was scrolled comes back */
    check_shown(rig, "row8", true);
    check_shown(rig, "\u203a", true);
}

static void nothing_in_it_steers_the_terminal(void **state)
{
    struct rig *rig = *state;

    composer_set(rig->composer, STR("a\033[2Jb\x07"
                                    "c\xff"
                                    "d\te"));
    check_shown(rig, "[2Jb", true); /* the stage leaves out what the terminal would obey */
    assert_null(strchr(shown(rig, 5), '\a'));
}

static void offers_stand_over_it(void **state)
{
    struct rig *rig = *state;

    press(rig, PRESS_CHAR, '/', false);
    assert_int_equal(composer_offers(rig->composer, 40, 5), 2);
    check_shown(rig, "fork here", true);
    check_shown(rig, "the family", true);
    composer_escape(rig->composer);
    check_shown(rig, "fork here", false);
}

static void the_search_is_seen(void **state)
{
    struct rig *rig = *state;
    struct arena arena;

    arena_init(&arena);
    composer_set(rig->composer, STR("found again"));
    (void)composer_take(rig->composer, &arena);
    arena_clear(&arena);
    press(rig, PRESS_CHAR, 'r', true);
    press(rig, PRESS_CHAR, 'g', false);
    check_shown(rig, "search: g", true);
    check_shown(rig, "found again", true);
    press(rig, PRESS_CHAR, 'z', false);
    check_shown(rig, "not found: gz", true);
}

static void no_size_is_too_small(void **state)
{
    static const int sizes[][2] = {{1, 1}, {2, 2}, {3, 4}, {1, 80}, {20, 5}, {12, 40}};
    struct rig *rig = *state;

    composer_set(rig->composer, STR("some words \xe6\x97\xa5\xe6\x9c\xac\n\tand \xf0\x9f\x91\x8d"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        stage_size(rig->stage, sizes[i][0], sizes[i][1]);
        for (int most = 0; most <= sizes[i][0]; most++)
            (void)shown(rig, most);
    }
    check_shown(rig, "some words", true);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_begin, rig_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(an_empty_one_has_a_hint),
        RIG_TEST(a_high_one_is_scrolled),
        RIG_TEST(nothing_in_it_steers_the_terminal),
        RIG_TEST(offers_stand_over_it),
        RIG_TEST(the_search_is_seen),
        RIG_TEST(no_size_is_too_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
