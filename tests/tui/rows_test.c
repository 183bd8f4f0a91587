/* Lists and texts that are scrolled: the mark, the part that is seen, the keys, what is found. */
#include "support/chance.h"
#include "support/check.h"

#include "tui/reading.h"
#include "tui/rows.h"

#include <locale.h>
#include <stdio.h>

static bool press_kind(struct rows *rows, enum press_kind kind)
{
    return rows_press(rows, &(struct press){.kind = kind});
}

static void check_place(const struct rows *rows, size_t marked, size_t top)
{
    assert_int_equal(rows->marked, marked);
    assert_int_equal(rows->top, top);
}

static void keys_move_the_mark(void **state)
{
    struct rows rows = {.page = 5};

    (void)state;
    rows_count(&rows, 20);
    check_place(&rows, 0, 0);
    assert_true(press_kind(&rows, PRESS_UP));
    check_place(&rows, 0, 0);
    for (int i = 0; i < 4; i++)
        assert_true(press_kind(&rows, PRESS_DOWN));
    check_place(&rows, 4, 0); /* the last one that is seen */
    assert_true(press_kind(&rows, PRESS_DOWN));
    check_place(&rows, 5, 1);
    assert_true(press_kind(&rows, PRESS_PAGE_DOWN));
    check_place(&rows, 10, 6);
    assert_true(press_kind(&rows, PRESS_WHEEL_DOWN));
    check_place(&rows, 13, 9);
    assert_true(press_kind(&rows, PRESS_END));
    check_place(&rows, 19, 15);
    assert_true(press_kind(&rows, PRESS_DOWN));
    assert_true(press_kind(&rows, PRESS_PAGE_DOWN));
    check_place(&rows, 19, 15);
    assert_true(press_kind(&rows, PRESS_WHEEL_UP));
    check_place(&rows, 16, 15);
    assert_true(press_kind(&rows, PRESS_PAGE_UP));
    check_place(&rows, 11, 11);
    assert_true(press_kind(&rows, PRESS_HOME));
    check_place(&rows, 0, 0);
}

static void other_keys_are_not_taken(void **state)
{
    struct rows rows = {.page = 5};

    (void)state;
    rows_count(&rows, 20);
    assert_false(press_kind(&rows, PRESS_ENTER));
    assert_false(press_kind(&rows, PRESS_LEFT));
    assert_false(rows_press(&rows, &(struct press){.kind = PRESS_CHAR, .c = 'j'}));
    assert_false(rows_press(&rows, &(struct press){.kind = PRESS_DOWN, .ctrl = true}));
    check_place(&rows, 0, 0);
}

static void a_list_may_shrink_and_grow(void **state)
{
    struct rows rows = {.page = 5};

    (void)state;
    rows_count(&rows, 20);
    rows_mark(&rows, 19);
    check_place(&rows, 19, 15);
    rows_count(&rows, 7);
    check_place(&rows, 6, 2);
    assert_true(rows_at_end(&rows));
    rows_count(&rows, 3);
    check_place(&rows, 2, 0);
    rows_count(&rows, 0);
    check_place(&rows, 0, 0);
    assert_true(press_kind(&rows, PRESS_DOWN));
    assert_true(press_kind(&rows, PRESS_END));
    check_place(&rows, 0, 0);
    assert_true(rows_at_end(&rows));
    rows_count(&rows, 50);
    check_place(&rows, 0, 0);
    assert_false(rows_at_end(&rows));
}

static void a_click_marks(void **state)
{
    struct rows rows = {.page = 5, .tall = 2, .pane = {NULL, 3, 10, 10, 40}};
    struct press click = {.kind = PRESS_CLICK, .row = 3 + 5, .column = 20};

    (void)state;
    rows_count(&rows, 20);
    rows_mark(&rows, 12);
    check_place(&rows, 12, 8);
    assert_true(rows_press(&rows, &click));
    check_place(&rows, 10, 8);
    click.row = 2;
    assert_false(rows_press(&rows, &click));
    click.row = 3;
    click.column = 9;
    assert_false(rows_press(&rows, &click));
    click.column = 50;
    assert_false(rows_press(&rows, &click));
    check_place(&rows, 10, 8);
    rows_count(&rows, 1);
    click = (struct press){.kind = PRESS_CLICK, .row = 7, .column = 20};
    assert_false(rows_press(&rows, &click)); /* below the last one */
}

/* Whatever happens: the mark is an item, it is seen, and no room is wasted. */
static void any_walk_keeps_the_mark_in_sight(void **state)
{
    static const enum press_kind kinds[] = {PRESS_UP,        PRESS_DOWN,      PRESS_PAGE_UP,
                                            PRESS_PAGE_DOWN, PRESS_HOME,      PRESS_END,
                                            PRESS_WHEEL_UP,  PRESS_WHEEL_DOWN};
    struct chance chance = {1};
    struct rows rows = {0};

    (void)state;
    for (int i = 0; i < 100000; i++) {
        if (chance_below(&chance, 10) == 0)
            rows.page = (size_t)chance_below(&chance, 12);
        if (chance_below(&chance, 10) == 0)
            rows_count(&rows, (size_t)chance_below(&chance, 40));
        rows_mark(&rows, rows.marked);
        press_kind(&rows, kinds[chance_below(&chance, 8)]);
        if (rows.count == 0) {
            check_place(&rows, 0, 0);
            continue;
        }
        assert_true(rows.marked < rows.count && rows.top <= rows.marked);
        assert_true(rows.marked - rows.top < (rows.page ? rows.page : 1));
        assert_true(rows.top == 0 || rows.count - rows.top >= (rows.page ? rows.page : 1));
    }
}

/* ---- texts ---- */

enum { LINES = 100 };

struct sheet {
    char texts[LINES][32];
    struct span spans[LINES][2];
    struct line lines[LINES];
};

/* "line 7" in two pieces; every tenth is "Line 10 ÄRGER". */
static struct laid sheet_make(struct sheet *sheet, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = sheet->texts[i];
        int n = snprintf(text, sizeof(sheet->texts[i]), i % 10 ? "line %zu" : "Line %zu ÄRGER", i);

        sheet->spans[i][0] = (struct span){{text, 3}, 3, look(TONE_TEXT)};
        sheet->spans[i][1] = (struct span){{text + 3, (size_t)n - 3}, n - 3, look(TONE_FAINT)};
        sheet->lines[i] = (struct line){sheet->spans[i], 2, n};
    }
    return (struct laid){sheet->lines, count};
}

static void read_press(struct reading *reading, enum press_kind kind, size_t top)
{
    assert_true(reading_press(reading, &(struct press){.kind = kind}, false));
    assert_int_equal(reading->top, top);
}

static void read_letter(struct reading *reading, char c, size_t top)
{
    struct press press = {.kind = PRESS_CHAR, .c = (uint32_t)c};

    assert_false(reading_press(reading, &press, false));
    assert_true(reading_press(reading, &press, true));
    assert_int_equal(reading->top, top);
}

static void a_text_is_scrolled(void **state)
{
    struct sheet sheet;
    struct reading reading;

    (void)state;
    reading_init(&reading);
    reading.page = 20;
    reading_set(&reading, sheet_make(&sheet, LINES));
    read_press(&reading, PRESS_DOWN, 1);
    read_press(&reading, PRESS_PAGE_DOWN, 20); /* one line stays */
    read_press(&reading, PRESS_WHEEL_DOWN, 23);
    read_press(&reading, PRESS_UP, 22);
    read_press(&reading, PRESS_PAGE_UP, 3);
    read_press(&reading, PRESS_WHEEL_UP, 0);
    assert_int_equal(reading_percent(&reading), 20);
    read_letter(&reading, 'G', 80);
    assert_int_equal(reading_percent(&reading), 100);
    read_letter(&reading, 'j', 80);
    read_letter(&reading, 'k', 79);
    read_letter(&reading, 'b', 60);
    read_letter(&reading, ' ', 79);
    read_letter(&reading, 'g', 0);
    read_press(&reading, PRESS_END, 80);
    read_press(&reading, PRESS_HOME, 0);
    assert_false(reading_press(&reading, &(struct press){.kind = PRESS_ENTER}, true));
    reading_clear(&reading);
}

static void a_text_laid_out_anew_stays_where_it_was(void **state)
{
    struct sheet sheet;
    struct reading reading;

    (void)state;
    reading_init(&reading);
    reading.page = 10;
    reading_set(&reading, sheet_make(&sheet, 50));
    reading.top = 25;
    reading_set(&reading, sheet_make(&sheet, 100));
    assert_int_equal(reading.top, 50);
    reading_set(&reading, sheet_make(&sheet, 5));
    assert_int_equal(reading.top, 0);
    reading_set(&reading, (struct laid){NULL, 0});
    assert_int_equal(reading.top, 0);
    assert_int_equal(reading_percent(&reading), 100);
    assert_false(reading_find(&reading, STR("line")));
    assert_false(reading_again(&reading, false));
    reading_clear(&reading);
}

static void hit_at(struct reading *reading, bool found, size_t line)
{
    assert_true(found && reading->has_hit);
    assert_int_equal(reading->hit, line);
    assert_true(line >= reading->top && line - reading->top < reading->page);
}

static void words_are_found(void **state)
{
    struct sheet sheet;
    struct reading reading;

    (void)state;
    reading_init(&reading);
    reading.page = 8;
    reading_set(&reading, sheet_make(&sheet, LINES));
    assert_false(reading_again(&reading, false)); /* nothing was looked for yet */
    reading.top = 12;
    hit_at(&reading, reading_find(&reading, STR("ärger")), 20); /* whatever the case */
    hit_at(&reading, reading_again(&reading, false), 30);
    hit_at(&reading, reading_again(&reading, true), 20);
    hit_at(&reading, reading_again(&reading, true), 10);
    hit_at(&reading, reading_again(&reading, true), 0);
    hit_at(&reading, reading_again(&reading, true), 90); /* round */
    hit_at(&reading, reading_again(&reading, false), 0);
    hit_at(&reading, reading_find(&reading, STR("line 77")), 77); /* across pieces */
    hit_at(&reading, reading_again(&reading, false), 77);         /* the only one */
    assert_false(reading_find(&reading, STR("nowhere")));
    assert_false(reading_again(&reading, false));
    assert_false(reading_find(&reading, STR("")));
    reading_clear(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_move_the_mark),
        cmocka_unit_test(other_keys_are_not_taken),
        cmocka_unit_test(a_list_may_shrink_and_grow),
        cmocka_unit_test(a_click_marks),
        cmocka_unit_test(any_walk_keeps_the_mark_in_sight),
        cmocka_unit_test(a_text_is_scrolled),
        cmocka_unit_test(a_text_laid_out_anew_stays_where_it_was),
        cmocka_unit_test(words_are_found),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
