/* What is seen of a conversation, row by row, on a real screen and of a real server. */
#include "tui/served.h"
#include "tui/stage.h"

#include "support/chance.h"
#include "support/check.h"

#include "base/clock.h"
#include "tui/layouts.h"
#include "tui/scroll.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 30 * 1000, ROWS = 20, COLUMNS = 70, ROWS_MAX = 60 };

#define AGENTS                                                                              \
    "agents:\n"                                                                             \
    "  - {name: test/echo, kind: scripted, default: true, script: '[[{\"echo\":true}]]'}\n" \
    "  - {name: test/slow, kind: scripted, script: '[[{\"delta\":\"being said\"},"          \
    "{\"wait\":true}]]'}\n"                                                                 \
    "sandbox: off\nlog: \"off\"\n"

struct rig {
    struct tui_door door;
    struct errands *errands;
    struct talk *talk;
    struct scroll *scroll;
    struct stage *stage;
    struct tine *tine;
    int rows;
    int64_t map[ROWS_MAX]; /* as it was drawn last */
};

static struct served *served;

static void nothing(void *context)
{
    (void)context;
}

static void rig_open(struct rig *rig, int rows, int columns)
{
    struct talk_options options = {.wake = nothing, .changed = nothing, .context = rig};

    *rig = (struct rig){.rows = rows};
    rig->door = served_door(served);
    rig->errands = errands_new(&rig->door, nothing, rig);
    rig->tine = served_tine(served);
    options.errands = rig->errands;
    options.door = &rig->door;
    rig->talk = talk_new(&options);
    rig->scroll = scroll_new(rig->talk);
    rig->stage = stage_open(rows, columns);
}

static void rig_close(struct rig *rig)
{
    scroll_free(rig->scroll);
    talk_free(rig->talk);
    errands_free(rig->errands);
    tine_free(rig->tine);
    stage_close(rig->stage);
}

static void draw(struct rig *rig)
{
    struct pane pane = screen_begin(stage_screen(rig->stage));

    scroll_draw(rig->scroll, pane);
    screen_show(stage_screen(rig->stage));
    rig->rows = pane.rows;
    for (int row = 0; row < rig->rows; row++)
        rig->map[row] = scroll_at(rig->scroll, row);
}

static void step(struct rig *rig)
{
    errands_take(rig->errands);
    talk_take(rig->talk);
    draw(rig);
}

#define WAIT_FOR(rig, condition)                               \
    do {                                                       \
        int64_t end_ms = clock_ms() + PATIENCE_MS;             \
        while (!(condition) && clock_ms() < end_ms) {          \
            step(rig);                                         \
            clock_pause_ms(1);                                 \
        }                                                      \
        if (!(condition))                                      \
            fail_msg("it never came to this: %s", #condition); \
    } while (0)

/* Everything that is seen is here, and nothing is on its way. */
static void settle(struct rig *rig)
{
    for (int i = 0; i < 3; i++) {
        step(rig);
        WAIT_FOR(rig, !errands_busy(rig->errands, rig->talk));
    }
    step(rig);
}

static void open_and_settle(struct rig *rig, const char *session, int64_t count)
{
    talk_open(rig->talk, session);
    WAIT_FOR(rig, talk_session(rig->talk) && talk_count(rig->talk) == count);
    settle(rig);
}

static int rows_of(const struct rig *rig, int64_t index)
{
    int rows = 0;

    for (int row = 0; row < rig->rows; row++)
        rows += rig->map[row] == index;
    return rows;
}

static int64_t first_seen(const struct rig *rig)
{
    for (int row = 0; row < rig->rows; row++)
        if (rig->map[row] >= 0)
            return rig->map[row];
    return -1;
}

static int64_t last_seen(const struct rig *rig)
{
    for (int row = rig->rows - 1; row >= 0; row--)
        if (rig->map[row] >= 0)
            return rig->map[row];
    return -1;
}

/* Messages stand in their order, without gaps, a row of space between them and no more. */
static void check_map(const struct rig *rig)
{
    int64_t before = -1;
    int space = 0;

    for (int row = 0; row < rig->rows; row++) {
        if (rig->map[row] < 0) {
            space++;
            continue;
        }
        if (before >= 0 && rig->map[row] != before) {
            assert_int_equal(rig->map[row], before + 1);
            assert_int_equal(space, 1);
        }
        before = rig->map[row];
        space = 0;
    }
}

/* The rows have moved by that many, downwards when it is above 0. */
static bool is_moved(const int64_t *from, const struct rig *rig, int by)
{
    for (int row = 0; row < rig->rows; row++) {
        int to = row + by;

        if (to >= 0 && to < rig->rows && from[row] != rig->map[to])
            return false;
    }
    return true;
}

/* ---- tests ---- */

static void an_empty_one_shows_nothing(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "empty", NULL);
    rig_open(&rig, ROWS, COLUMNS);
    draw(&rig); /* before anything is open */
    open_and_settle(&rig, "empty", 0);
    assert_int_equal(last_seen(&rig), -1);
    assert_int_equal(scroll_middle(rig.scroll), -1);
    scroll_by(rig.scroll, -5);
    scroll_page(rig.scroll, 1);
    scroll_begin(rig.scroll);
    scroll_to(rig.scroll, 4);
    draw(&rig);
    scroll_end(rig.scroll);
    draw(&rig);
    assert_true(scroll_at_end(rig.scroll));
    rig_close(&rig);
}

static void the_last_row_is_at_the_bottom(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "few", NULL);
    served_fill(served, "few", 0, 2);
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "few", 2);
    check_map(&rig);
    assert_int_equal(rig.map[ROWS - 1], 1);
    assert_int_equal(rig.map[0], -1);
    assert_int_equal(first_seen(&rig), 0);
    scroll_by(rig.scroll, -5); /* all of it is seen: it stays */
    draw(&rig);
    assert_true(scroll_at_end(rig.scroll));
    assert_int_equal(rig.map[ROWS - 1], 1);
    served_fill(served, "few", 2, 40);
    WAIT_FOR(&rig, talk_count(rig.talk) == 42);
    settle(&rig);
    assert_int_equal(rig.map[ROWS - 1], 41); /* and follows */
    assert_int_equal(scroll_middle(rig.scroll),
                     rig.map[ROWS / 2] >= 0 ? rig.map[ROWS / 2] : rig.map[ROWS / 2 + 1]);
    rig_close(&rig);
}

static void each_step_moves_by_its_rows(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "steps", NULL);
    served_fill(served, "steps", 0, 700);
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "steps", 700);
    for (int i = 0; i < 900; i++) { /* through several pages */
        int64_t before[ROWS_MAX];

        memcpy(before, rig.map, sizeof(before));
        scroll_by(rig.scroll, -1);
        draw(&rig);
        if (is_moved(before, &rig, 0)) /* owed: what is above is not here yet */
            WAIT_FOR(&rig, !is_moved(before, &rig, 0));
        if (!is_moved(before, &rig, 1))
            fail_msg("step %d jumped", i);
        check_map(&rig);
        assert_false(scroll_at_end(rig.scroll));
        errands_take(rig.errands);
    }
    for (int i = 0; i < 900; i++) {
        int64_t before[ROWS_MAX];

        memcpy(before, rig.map, sizeof(before));
        scroll_by(rig.scroll, 1);
        draw(&rig);
        if (is_moved(before, &rig, 0))
            WAIT_FOR(&rig, !is_moved(before, &rig, 0));
        assert_true(is_moved(before, &rig, -1));
        errands_take(rig.errands);
    }
    assert_true(scroll_at_end(rig.scroll));
    rig_close(&rig);
}

static void the_ends_are_reached(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "steps", 700);
    scroll_begin(rig.scroll);
    settle(&rig);
    assert_int_equal(rig.map[0], 0);
    check_map(&rig);
    scroll_by(rig.scroll, -100); /* nothing is owed at the beginning */
    scroll_by(rig.scroll, 1);
    draw(&rig);
    assert_true(rig.map[0] == 0 && rows_of(&rig, 0) > 0);
    scroll_page(rig.scroll, 1);
    settle(&rig);
    assert_true(rig.map[0] > 0 || rig.map[1] > 0);
    scroll_end(rig.scroll);
    draw(&rig);
    assert_int_equal(rig.map[ROWS - 1], 699);
    scroll_page(rig.scroll, -1);
    draw(&rig);
    assert_false(scroll_at_end(rig.scroll));
    scroll_page(rig.scroll, 3);
    draw(&rig);
    assert_true(scroll_at_end(rig.scroll));
    assert_int_equal(rig.map[ROWS - 1], 699);
    rig_close(&rig);
}

static void any_message_is_seen_at_once(void **state)
{
    static const int64_t places[] = {350, 351, 349, 3, 0, 699, 698, 120, 640, 697};
    struct rig rig;
    int whole;

    (void)state;
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "steps", 700);
    whole = rows_of(&rig, 699);
    assert_true(whole >= 2); /* its heading and its text */
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        scroll_to(rig.scroll, places[i]);
        draw(&rig);
        assert_true(rows_of(&rig, places[i]) > 0); /* perhaps as a row that waits */
        settle(&rig);
        assert_int_equal(rows_of(&rig, places[i]), whole);
        check_map(&rig);
    }
    scroll_to(rig.scroll, 350);
    settle(&rig);
    for (int64_t index = 350; index > 300; index--) { /* as backtracking does */
        scroll_to(rig.scroll, index);
        settle(&rig);
        assert_int_equal(rows_of(&rig, index), whole);
    }
    rig_close(&rig);
}

static void what_is_added_does_not_move_it(void **state)
{
    int64_t before[ROWS_MAX];
    struct rig rig;

    (void)state;
    served_session(served, "still", NULL);
    served_fill(served, "still", 0, 120);
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "still", 120);
    scroll_by(rig.scroll, -30);
    settle(&rig);
    memcpy(before, rig.map, sizeof(before));
    served_fill(served, "still", 120, 70);
    WAIT_FOR(&rig, talk_count(rig.talk) == 190);
    settle(&rig);
    assert_true(is_moved(before, &rig, 0));
    talk_sending(rig.talk, STR("one more"));
    draw(&rig);
    assert_true(is_moved(before, &rig, 0));
    scroll_end(rig.scroll);
    draw(&rig);
    assert_int_equal(rig.map[ROWS - 1], -1); /* what is being sent is no message yet */
    assert_int_equal(last_seen(&rig), 189);
    talk_sending_failed(rig.talk);
    draw(&rig);
    assert_int_equal(rig.map[ROWS - 1], 189);
    rig_close(&rig);
}

static void a_resize_stays_where_it_was(void **state)
{
    struct rig rig;
    int64_t top;

    (void)state;
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "steps", 700);
    stage_size(rig.stage, 31, 44);
    draw(&rig);
    assert_int_equal(rig.rows, 31);
    assert_int_equal(rig.map[30], 699);
    check_map(&rig);
    scroll_to(rig.scroll, 300);
    settle(&rig);
    top = first_seen(&rig);
    for (int columns = 20; columns < 140; columns += 17) {
        stage_size(rig.stage, 10 + columns / 5, columns);
        draw(&rig);
        assert_int_equal(first_seen(&rig), top);
        check_map(&rig);
    }
    stage_size(rig.stage, 2, 3); /* no room at all: nothing breaks */
    draw(&rig);
    stage_size(rig.stage, 1, 1);
    draw(&rig);
    stage_size(rig.stage, ROWS, COLUMNS);
    draw(&rig);
    assert_int_equal(first_seen(&rig), top);
    rig_close(&rig);
}

static void the_marked_one_has_a_box(void **state)
{
    struct scroll_look look = {.marked = 699, .mark_words = "← FORK POINT", .numbered = true};
    const char *shown;
    struct rig rig;
    int whole;

    (void)state;
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "steps", 700);
    whole = rows_of(&rig, 699);
    scroll_set(rig.scroll, &look);
    draw(&rig);
    assert_int_equal(rows_of(&rig, 699), whole + 2);
    shown = stage_show(rig.stage);
    assert_non_null(strstr(shown, "← FORK POINT"));
    assert_non_null(strstr(shown, "(message 700)"));
    look.marked = 690;
    look.dim_behind = true;
    look.found = "MESSAGE nothing";
    scroll_set(rig.scroll, &look);
    scroll_to(rig.scroll, 690);
    settle(&rig);
    assert_int_equal(rows_of(&rig, 690), whole + 2);
    check_map(&rig);
    assert_non_null(strstr(stage_show(rig.stage), "message 690"));
    rig_close(&rig);
}

static void calls_are_opened_one_by_one(void **state)
{
    struct tine_send_options options = {
        .store_only = true,
        .json = "{\"messages\":[{\"role\":\"user\",\"text\":\"look\"},"
                "{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":"
                "\"bash\",\"arguments\":{\"command\":\"ls\\nls\\nls\"}}]},"
                "{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_result\",\"call\":\"c1\","
                "\"output\":\"a\\nb\\nc\\nd\"}]}]}"};
    struct scroll_look look = {.marked = -1, .all_open = true};
    struct tine_error error;
    struct rig rig;
    int folded, open;

    (void)state;
    served_session(served, "tools", NULL);
    rig_open(&rig, ROWS, COLUMNS);
    assert_true(tine_send(rig.tine, "tools", &options, NULL, &error));
    open_and_settle(&rig, "tools", 3);
    folded = rows_of(&rig, 2);
    scroll_toggle(rig.scroll, 2);
    draw(&rig);
    open = rows_of(&rig, 2);
    assert_true(open > folded);
    scroll_set(rig.scroll, &look); /* all the others */
    draw(&rig);
    assert_int_equal(rows_of(&rig, 2), folded);
    scroll_toggle(rig.scroll, 2);
    draw(&rig);
    assert_int_equal(rows_of(&rig, 2), open);
    rig_close(&rig);
}

static bool enough(void *context, const struct tine_event *event)
{
    (void)context;
    (void)event;
    return false;
}

static void what_is_being_said_stands_at_the_end(void **state)
{
    struct tine_send_options options = {.text = "go", .on_event = enough};
    const struct message_piece *pieces;
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "slow", "test/slow");
    served_fill(served, "slow", 0, 30);
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "slow", 30);
    assert_true(tine_send(rig.tine, "slow", &options, NULL, &error));
    WAIT_FOR(&rig, talk_count(rig.talk) == 31 && talk_pieces(rig.talk, &pieces) == 1);
    draw(&rig);
    assert_int_equal(rig.map[ROWS - 1], -1);
    assert_int_equal(last_seen(&rig), 30);
    assert_non_null(strstr(stage_show(rig.stage), "being said"));
    assert_true(tine_cancel(rig.tine, "slow", NULL, &error));
    WAIT_FOR(&rig, talk_count(rig.talk) == 32);
    settle(&rig);
    assert_int_equal(rig.map[ROWS - 1], 31);
    rig_close(&rig);
}

static void a_rewind_below_it_brings_the_end(void **state)
{
    struct tine_move_options rewind = {.point.after = "#59"};
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "short", NULL);
    served_fill(served, "short", 0, 200);
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "short", 200);
    scroll_to(rig.scroll, 150);
    settle(&rig);
    assert_true(tine_rewind(rig.tine, "short", &rewind, NULL, &error));
    WAIT_FOR(&rig, talk_count(rig.talk) == 60);
    settle(&rig);
    assert_int_equal(rig.map[ROWS - 1], 59);
    open_and_settle(&rig, "steps", 700); /* another one begins at its end */
    assert_int_equal(rig.map[ROWS - 1], 699);
    rig_close(&rig);
}

/* Whatever is done, in whatever order: what is seen is in order, and ends at the bottom. */
static void a_wild_ride_ends_well(void **state)
{
    struct chance chance = {20240607};
    struct rig rig;

    (void)state;
    rig_open(&rig, ROWS, COLUMNS);
    open_and_settle(&rig, "steps", 700);
    for (int i = 0; i < 600; i++) {
        switch (chance_below(&chance, 8)) {
        case 0:
            scroll_to(rig.scroll, chance_below(&chance, 700));
            break;
        case 1:
            scroll_end(rig.scroll);
            break;
        case 2:
            scroll_begin(rig.scroll);
            break;
        case 3:
            scroll_page(rig.scroll, chance_below(&chance, 2) ? 1 : -1);
            break;
        case 4:
            scroll_toggle(rig.scroll, chance_below(&chance, 700));
            break;
        case 5:
            settle(&rig);
            check_map(&rig);
            assert_true(last_seen(&rig) >= 0 && rig.map[0] + rig.map[1] >= -1);
            break;
        default:
            scroll_by(rig.scroll, chance_below(&chance, 60) - 30);
        }
        step(&rig);
    }
    settle(&rig);
    check_map(&rig);
    rig_close(&rig);
}

static void layouts_are_kept_and_few(void **state)
{
    struct layouts *layouts = layouts_new();
    struct message_lay_options options = {.width = 60};
    char *text = calloc(1, 20001);
    struct tine_part part = {.type = "text", .text = text, .text_bytes = 20000, .json = ""};
    struct tine_message message = {.id = "m",
                                   .kind = "message",
                                   .role = "user",
                                   .parts = &part,
                                   .part_count = 1,
                                   .session = "s",
                                   .hash = "",
                                   .json = ""};
    const struct line *first;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < 20000; i++)
        text[i] = i % 10 == 9 ? ' ' : 'w';
    first = layouts_get(layouts, (struct layout_key){1, 0}, &message, &options).lines;
    assert_ptr_equal(layouts_get(layouts, (struct layout_key){1, 0}, &message, &options).lines,
                     first);
    options.label = "named"; /* is in its heading: another one */
    assert_true(layouts_get(layouts, (struct layout_key){1, 0}, &message, &options).lines != first);
    options.label = NULL;
    for (int64_t i = 0; i < 500; i++) {
        assert_true(layouts_get(layouts, (struct layout_key){1, i}, &message, &options).count >
                    300);
        assert_true(layouts_bytes(layouts) <= LAYOUTS_BYTES);
    }
    assert_true(layouts_bytes(layouts) > LAYOUTS_BYTES / 2);
    layouts_clear(layouts);
    assert_int_equal(layouts_bytes(layouts), 0);
    layouts_free(layouts);
    free(text);
}

static int begin(void **state)
{
    (void)state;
    served = served_start(AGENTS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    served_free(served);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_shows_nothing),
        cmocka_unit_test(the_last_row_is_at_the_bottom),
        cmocka_unit_test(each_step_moves_by_its_rows),
        cmocka_unit_test(the_ends_are_reached),
        cmocka_unit_test(any_message_is_seen_at_once),
        cmocka_unit_test(what_is_added_does_not_move_it),
        cmocka_unit_test(a_resize_stays_where_it_was),
        cmocka_unit_test(the_marked_one_has_a_box),
        cmocka_unit_test(calls_are_opened_one_by_one),
        cmocka_unit_test(what_is_being_said_stands_at_the_end),
        cmocka_unit_test(a_rewind_below_it_brings_the_end),
        cmocka_unit_test(a_wild_ride_ends_well),
        cmocka_unit_test(layouts_are_kept_and_few),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
