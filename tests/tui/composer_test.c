/* The composer: keys as a terminal sends them, and the text that comes of it. */
#include "support/check.h"

#include "base/clock.h"
#include "tui/composer_own.h"
#include "tui/keyboard.h"

#include <locale.h>
#include <stdlib.h>

static const struct composer_offer commands[] = {
    {"/fork", "fork here"},  {"/files", "what changed"},  {"/title", "another title"},
    {"/tree", "the family"}, {"/agent", "another agent"},
};
static const struct composer_offer agents[] = {{"shell", NULL}, {"sh2", NULL}};

static bool offer_from(const struct composer_offer *offers, size_t count, struct str word,
                       size_t index, struct composer_offer *out)
{
    for (size_t i = 0; i < count; i++)
        if (str_starts(str_of(offers[i].word), word) && index-- == 0) {
            *out = offers[i];
            return true;
        }
    return false;
}

static bool complete(void *context, struct str text, size_t index, struct composer_offer *out)
{
    struct str arguments = STR("/agent ");

    (void)context;
    if (str_starts(text, arguments))
        return offer_from(agents, 2, (struct str){text.p + arguments.n, text.n - arguments.n},
                          index, out);
    return text.n && text.p[0] == '/' && offer_from(commands, 5, text, index, out);
}

struct desk {
    struct composer *composer;
    struct keyboard *keyboard;
    enum composer_act act; /* of the last press */
};

static void type_bytes(struct desk *desk, struct str bytes)
{
    struct press press;

    keyboard_take(desk->keyboard, bytes, 0);
    while (keyboard_next(desk->keyboard, 10000, &press))
        desk->act = composer_press(desk->composer, &press);
}

static void type(struct desk *desk, const char *bytes)
{
    type_bytes(desk, str_of(bytes));
}

/* The text, with | where the cursor is. */
static void check_text(struct desk *desk, const char *want)
{
    struct str text = composer_text(desk->composer);
    size_t cursor = composer_cursor(desk->composer);
    struct buf got;

    buf_init(&got, COMPOSER_MAX + 1);
    buf_add(&got, text.p ? text.p : "", cursor);
    buf_add_char(&got, '|');
    buf_add(&got, text.p ? text.p + cursor : "", text.n - cursor);
    CHECK_STR(buf_str(&got), want);
    buf_clear(&got);
}

static void check_typed(struct desk *desk, const char *bytes, const char *want)
{
    type(desk, bytes);
    check_text(desk, want);
}

static void check_act(struct desk *desk, const char *bytes, enum composer_act want)
{
    type(desk, bytes);
    assert_int_equal(desk->act, want);
}

static void check_taken(struct desk *desk, const char *want)
{
    struct arena arena;

    arena_init(&arena);
    CHECK_STR(composer_take(desk->composer, &arena), want);
    arena_clear(&arena);
    assert_true(composer_empty(desk->composer));
}

static void empty(struct desk *desk)
{
    composer_set(desk->composer, STR_NONE);
}

static int desk_begin(void **state)
{
    static struct desk desk;

    desk = (struct desk){composer_new(NULL, complete, NULL), keyboard_new(), COMPOSER_NOTHING};
    *state = &desk;
    return 0;
}

static int desk_end(void **state)
{
    struct desk *desk = *state;

    composer_free(desk->composer);
    keyboard_free(desk->keyboard);
    return 0;
}

/* ---- writing ---- */

static void enter_sends_and_others_break_the_line(void **state)
{
    struct desk *desk = *state;

    assert_true(composer_empty(desk->composer));
    check_act(desk, "\r", COMPOSER_SEND); /* of nothing: the chat has a use for it */
    check_act(desk, "one", COMPOSER_TAKEN);
    check_typed(desk, "\033\rtwo\nthree\033[13;2ufour\\\rfive", "one\ntwo\nthree\nfour\nfive|");
    check_act(desk, "\r", COMPOSER_SEND);
    check_taken(desk, "one\ntwo\nthree\nfour\nfive");
    check_text(desk, "|");
    check_act(desk, "  \n \r", COMPOSER_TAKEN); /* nothing that could be sent */
}

static void the_cursor_moves_by_characters_words_and_lines(void **state)
{
    struct desk *desk = *state;

    check_typed(desk, "e\xcc\x81x\033[D\033[D", "|e\xcc\x81x");
    empty(desk);
    check_typed(desk, "one two_2 (three)", "one two_2 (three)|");
    check_typed(desk, "\033b", "one two_2 (|three)");
    check_typed(desk, "\033[1;5D", "one |two_2 (three)");
    check_typed(desk, "\033[1;3D\033[1;3D", "|one two_2 (three)");
    check_typed(desk, "\033f", "one| two_2 (three)");
    check_typed(desk, "\033[1;5C", "one two_2| (three)");
    check_typed(desk, "\x05", "one two_2 (three)|");
    check_typed(desk, "\x01", "|one two_2 (three)");
    check_typed(desk, "\x06\x06\x02", "o|ne two_2 (three)");
    check_typed(desk, "\033[F\033[D\033[C\033[C", "one two_2 (three)|");
    composer_set(desk->composer, STR("ab\ncd\nef"));
    check_typed(desk, "\033[D\033[A\033[H", "ab\n|cd\nef");
    check_typed(desk, "\033[4~", "ab\ncd|\nef");
    check_typed(desk, "\033[1;5H", "|ab\ncd\nef");
    check_typed(desk, "\033[1;5F", "ab\ncd\nef|");
    check_typed(desk, "\033[D\033[D\033[D", "ab\ncd|\nef");
}

static void words_of_marks_are_not_torn(void **state)
{
    struct desk *desk = *state;

    check_typed(desk,
                "a !\xcc\x81"
                "b\033b",
                "a |!\xcc\x81"
                "b");
}

static void text_is_deleted_and_comes_back(void **state)
{
    struct desk *desk = *state;

    check_typed(desk, "abc\x7f\x08", "a|");
    check_typed(desk, "\033[D\033[3~", "|");
    check_typed(desk, "e\xcc\x81\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\x7f", "e\xcc\x81|");
    empty(desk);
    check_typed(desk, "one two/three\x17", "one |");
    check_typed(desk, "\x19", "one two/three|");
    check_typed(desk, "\033\x7f", "one two/|");
    check_typed(desk, "\x01\033d", "| two/");
    check_typed(desk, "\x04", "|two/");
    check_typed(desk, "\x19", "one|two/");
    check_typed(desk, "\x0b", "one|");
    check_typed(desk, "\x15", "|");
    check_typed(desk, "\x19\x19", "onetwo/onetwo/|"); /* killed one after the other */
    empty(desk);
    check_typed(desk, "one two three\x17\x17\x19", "one two three|"); /* killed together */
    composer_set(desk->composer, STR("ab\ncd"));
    check_typed(desk, "\033[A\x0b", "ab|cd"); /* at the end of a line: the line break */
    check_typed(desk, "\x19", "ab\n|cd");
}

static void changes_are_taken_back(void **state)
{
    struct desk *desk = *state;

    check_typed(desk, "one two", "one two|");
    check_typed(desk, "\x1f", "one |");
    check_typed(desk, "\x1f", "|");
    check_typed(desk, "\x1f", "|");
    check_typed(desk, "hello\x15\x1f", "hello|");
    check_typed(desk, "\033[200~ pasted\033[201~!\033[47;5u", "hello pasted|");
    check_typed(desk, "\x1f\x1f", "|");
    check_typed(desk, "kept", "kept|");
    composer_escape(desk->composer);
    check_text(desk, "|");
    check_typed(desk, "\x1f", "kept|");
}

static void pastes_are_text(void **state)
{
    struct desk *desk = *state;

    check_typed(desk, "a\033[200~1\r\n\t2\x03\033[201~b",
                "a1\n\t2\x03"
                "b|");
    check_act(desk, "\033[200~/fo\033[201~", COMPOSER_TAKEN);
}

static void other_keys_are_for_others(void **state)
{
    static const char *const keys[] = {
        "\033",          "\x03",         "\x14",   "\x0c",   "\033[5~", "\033[6~",
        "\033[<64;1;1M", "\033[<0;1;1M", "\033[I", "\033OP", "\033x",   "\x07",
        "\x1a",          "\033[1;5A",    "\x0e",   "\033[Z",
    };
    struct desk *desk = *state;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            check_act(desk, keys[i], COMPOSER_NOTHING);
        composer_set(desk->composer, STR("text"));
    }
    check_text(desk, "text|");
    empty(desk);
    check_act(desk, "\x04", COMPOSER_NOTHING);
    check_act(desk, "\t", COMPOSER_NOTHING);
    check_act(desk, "\033[H", COMPOSER_NOTHING);
}

static void the_editor_is_asked_for(void **state)
{
    struct desk *desk = *state;

    check_act(desk, "text\x0f", COMPOSER_EDIT);
    check_act(desk, "\x18", COMPOSER_TAKEN);
    check_act(desk, "\x05", COMPOSER_EDIT);
    check_act(desk, "\x18\x01\x05", COMPOSER_TAKEN); /* not together */
    check_text(desk, "text|");
}

static void a_text_has_a_limit(void **state)
{
    struct desk *desk = *state;
    char *big = malloc(COMPOSER_MAX);

    memset(big, 'x', COMPOSER_MAX);
    composer_set(desk->composer, (struct str){big, COMPOSER_MAX});
    assert_int_equal(composer_text(desk->composer).n, COMPOSER_MAX);
    check_act(desk, "y", COMPOSER_FULL);
    check_act(desk, "\033[200~yy\033[201~", COMPOSER_FULL);
    check_act(desk, "\n", COMPOSER_FULL);
    check_act(desk, "\x7f", COMPOSER_TAKEN);
    check_act(desk, "y", COMPOSER_TAKEN);
    assert_int_equal(composer_text(desk->composer).p[COMPOSER_MAX - 1], 'y');
    check_act(desk, "\x17\x19", COMPOSER_TAKEN);
    check_act(desk, "\x19", COMPOSER_FULL);
    free(big);
}

/* ---- rows ---- */

static void check_rows(struct desk *desk, int columns, const char *want)
{
    struct str text = composer_shown(desk->composer), row;
    struct buf got;
    size_t start;

    buf_init(&got, 10000);
    composer_lay(desk->composer, columns);
    for (size_t i = 0; text_rows_at(&desk->composer->rows, text, i, &start, &row); i++)
        buf_add_format(&got, "[%.*s]", STR_ARG(row));
    CHECK_STR(buf_str(&got), want);
    buf_clear(&got);
}

static void check_cursor(struct desk *desk, size_t row, int column)
{
    int got;

    composer_lay(desk->composer, desk->composer->rows.width + COMPOSER_PROMPT + 1);
    assert_int_equal(text_rows_find(&desk->composer->rows, composer_shown(desk->composer),
                                    composer_cursor(desk->composer), &got),
                     row);
    assert_int_equal(got, column);
}

static void text_is_wrapped_between_words(void **state)
{
    struct desk *desk = *state;

    check_rows(desk, 13, "[]");
    type(desk, "one two three");
    check_rows(desk, 13, "[one two ][three]");
    check_cursor(desk, 1, 5);
    type(desk, " four"); /* just fits */
    check_rows(desk, 13, "[one two ][three four]");
    check_cursor(desk, 1, 10);
    type(desk, "    ");
    check_rows(desk, 13, "[one two ][three four    ]");
    check_cursor(desk, 1, 10);
    type(desk, "x");
    check_rows(desk, 13, "[one two ][three four    ][x]");
    composer_set(desk->composer, STR("abcdefghijklmnopqrstuvwxyz"));
    check_rows(desk, 13, "[abcdefghij][klmnopqrst][uvwxyz]");
    composer_set(desk->composer, STR("a\n\nb\r\nc\n"));
    check_rows(desk, 13, "[a][][b][c][]");
    check_cursor(desk, 4, 0);
    composer_set(desk->composer, STR("\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"));
    check_rows(desk, 8, "[\xe4\xb8\xad\xe6\x96\x87][\xe4\xb8\xad\xe6\x96\x87]");
    check_cursor(desk, 1, 4);
    composer_set(desk->composer, STR("a\tb"));
    check_rows(desk, 13, "[a\tb]");
    check_cursor(desk, 0, 5);
    check_rows(desk, 1, "[a\t][b]");
}

static void up_and_down_keep_the_column(void **state)
{
    struct desk *desk = *state;

    check_rows(desk, 13, "[]");
    composer_set(desk->composer, STR("0123456789\nab\nabcdef\nabcdefgh"));
    check_typed(desk, "\033[A\033[A", "0123456789\nab|\nabcdef\nabcdefgh");
    check_typed(desk, "\033[A", "01234567|89\nab\nabcdef\nabcdefgh");
    check_typed(desk, "\033[B\033[B\033[D\033[B", "0123456789\nab\nabcdef\nabcde|fgh");
    composer_set(desk->composer, STR("aaaa bbbb cccc")); /* wrapped: Up goes by rows */
    check_typed(desk, "\033[A", "aaaa| bbbb cccc");
    check_typed(desk, "\033[B", "aaaa bbbb cccc|");
}

/* What is kept of the rows is what a new layout gives, whatever was done. */
static void rows_are_kept_rightly(void **state)
{
    static const char *const acts[] = {
        "word ", "\n",         "x",      "\x7f", "\033b",        "\033f",
        "\x17",  "\033[A",     "\033[B", "\x01", "\xe4\xb8\xad", "\xcc\x81",
        " ",     "longerword", "\x1f",   "\t\t", "\x0b",         "\x19",
    };
    struct desk *desk = *state;
    unsigned seed = 7;

    for (int i = 0; i < 3000; i++) {
        struct text_rows fresh = {0}, *kept = &desk->composer->rows;
        struct str text;
        int width;

        seed = seed * 1103515245 + 12345;
        type(desk, acts[(seed >> 16) % (sizeof acts / sizeof *acts)]);
        width = (seed >> 8) % 50 == 0 ? 4 + (int)(seed >> 20) % 20 : kept->width;
        composer_lay(desk->composer, width + COMPOSER_PROMPT + 1);
        text = composer_text(desk->composer);
        text_rows_set_width(&fresh, width);
        assert_int_equal(text_rows_count(kept, text, (seed >> 24) % 40 + 1) > 0, true);
        text_rows_count(&fresh, text, 1000000);
        for (size_t row = 0; row < kept->count; row++)
            if (kept->starts[row] != fresh.starts[row])
                fail_msg("act %d: row %zu begins at %zu, not %zu: \"%.*s\"", i, row,
                         kept->starts[row], fresh.starts[row], STR_ARG(text));
        text_rows_clear(&fresh);
    }
}

/* Whatever was done, it can be taken back to the beginning. */
static void everything_is_taken_back(void **state)
{
    static const char *const acts[] = {
        "word ",  "\n",       "x",    "\x7f", "\033b", "\x17",
        "\033[A", "\033[D",   "\x15", "\x0b", "\x19",  "\033[200~a paste\033[201~",
        "\033d",  "\xcc\x81",
    };
    struct desk *desk = *state;
    unsigned seed = 11;

    composer_set(desk->composer, STR("the beginning"));
    for (int i = 0; i < TEXT_EDIT_UNDO_MAX - 1; i++) {
        seed = seed * 1103515245 + 12345;
        type(desk, acts[(seed >> 16) % (sizeof acts / sizeof *acts)]);
    }
    while (desk->composer->edit.change_count > 1)
        type(desk, "\x1f");
    check_text(desk, "the beginning|");
    for (int i = 0; i < 2 * TEXT_EDIT_UNDO_MAX; i++)
        type(desk, "y\x02");
    assert_int_equal(desk->composer->edit.change_count, TEXT_EDIT_UNDO_MAX);
}

static void a_megabyte_is_no_burden(void **state)
{
    struct desk *desk = *state;
    size_t n = 1024 * 1024;
    char *big = malloc(n);
    int64_t before;

    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < n; i++)
            big[i] = kind == 0 ? 'x' : i % 7 == 6 ? ' ' : kind == 2 && i % 61 == 3 ? '\n' : 'x';
        composer_set(desk->composer, (struct str){big, n});
        composer_rows(desk->composer, 80, 20);
        check_act(desk, "\033[1;5F", COMPOSER_TAKEN);
        before = clock_ms();
        for (int i = 0; i < 200; i++) {
            int column;

            type(desk, i % 50 == 0 ? "\033[A" : i % 3 ? "y" : "\x7f");
            composer_rows(desk->composer, 80, 20);
            text_rows_find(&desk->composer->rows, composer_text(desk->composer),
                           composer_cursor(desk->composer), &column);
        }
        if (clock_ms() - before > 2000) /* 10 ms a key, under a sanitizer on a busy machine */
            fail_msg("200 keys took %d ms", (int)(clock_ms() - before));
    }
    free(big);
}

/* ---- the history ---- */

static void send(struct desk *desk, const char *text)
{
    type(desk, text);
    check_act(desk, "\r", COMPOSER_SEND);
    check_taken(desk, text);
}

static void what_was_sent_comes_back(void **state)
{
    struct desk *desk = *state;

    check_typed(desk, "\033[A", "|"); /* nothing yet */
    send(desk, "first");
    send(desk, "second");
    send(desk, "second"); /* once is enough */
    type(desk, "being written");
    check_typed(desk, "\033[A", "second|");
    check_typed(desk, "\033[A", "first|");
    check_typed(desk, "\033[A", "first|");
    check_typed(desk, "\033[B", "second|");
    check_typed(desk, "\033[B", "being written|");
    check_typed(desk, "\033[B", "being written|");
}

static void rows_come_before_the_history(void **state)
{
    struct desk *desk = *state;

    send(desk, "older");
    composer_set(desk->composer, STR("one\ntwo"));
    check_act(desk, "\r", COMPOSER_SEND);
    check_taken(desk, "one\ntwo");
    check_typed(desk, "\033[A", "one\ntwo|");
    check_typed(desk, "\033[A", "older|"); /* still walking */
    check_typed(desk, "\033[B", "one\ntwo|");
    check_typed(desk, "\033[D\033[A", "on|e\ntwo"); /* now it is looked at */
    check_typed(desk, "x\033[A", "older|");
    check_typed(desk, "\x1f", "onx|e\ntwo"); /* nothing is lost */
}

static void what_was_cleared_is_in_the_history(void **state)
{
    struct desk *desk = *state;

    type(desk, "a long thought");
    composer_escape(desk->composer);
    assert_true(composer_empty(desk->composer));
    check_typed(desk, "\033[A", "a long thought|");
}

static void the_history_is_searched(void **state)
{
    struct desk *desk = *state;

    send(desk, "make the Tests");
    send(desk, "run tests");
    send(desk, "nothing");
    type(desk, "mine\x12");
    assert_false(composer_empty(desk->composer));
    type(desk, "TEST");
    CHECK_STR(composer_shown(desk->composer), "run tests");
    type(desk, "\x12");
    CHECK_STR(composer_shown(desk->composer), "make the Tests");
    type(desk, "\x12"); /* no older one */
    CHECK_STR(composer_shown(desk->composer), "make the Tests");
    check_act(desk, "\033[5~", COMPOSER_NOTHING);
    check_act(desk, "\033", COMPOSER_TAKEN);
    check_text(desk, "mine|");
    type(desk, "\x12testsq");
    CHECK_STR(composer_shown(desk->composer), "mine"); /* not found */
    check_act(desk, "\x7f\r", COMPOSER_TAKEN);
    check_text(desk, "run tests|");
    type(desk, "\x12noth");
    check_typed(desk, "\x01", "|nothing"); /* another key takes it too */
    type(desk, "\x12x");
    composer_escape(desk->composer);
    check_text(desk, "|nothing");
    empty(desk);
    type(desk, "\x12");
    assert_false(composer_empty(desk->composer)); /* so that Esc comes here */
    composer_escape(desk->composer);
    assert_true(composer_empty(desk->composer));
}

/* ---- completion ---- */

static void commands_are_offered_while_typed(void **state)
{
    struct desk *desk = *state;

    assert_int_equal(composer_offers(desk->composer, 80, 10), 0);
    type(desk, "/");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 5);
    assert_int_equal(composer_offers(desk->composer, 80, 3), 3);
    type(desk, "t");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 2);
    check_act(desk, "\033[B\033[B\033[B", COMPOSER_TAKEN);
    check_act(desk, "\r", COMPOSER_TAKEN);
    check_text(desk, "/tree |");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 0);
    check_act(desk, "\r", COMPOSER_SEND);
    empty(desk);
    check_act(desk, "/tree\r", COMPOSER_SEND); /* written out: Enter is for it */
    empty(desk);
    check_act(desk, "/ti\r", COMPOSER_TAKEN);
    check_text(desk, "/title |");
    empty(desk);
    check_typed(desk, "/f\033[A\t", "/files |");
    empty(desk);
    type(desk, "a /");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 0);
}

static void offers_are_closed(void **state)
{
    struct desk *desk = *state;

    type(desk, "/t");
    check_act(desk, "\033", COMPOSER_TAKEN);
    check_text(desk, "/t|");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 0);
    type(desk, "r");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 0); /* they stay away */
    check_act(desk, "\033", COMPOSER_NOTHING);
    type(desk, "\x15/t");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 2);
    composer_escape(desk->composer);
    check_text(desk, "/t|");
    composer_escape(desk->composer);
    check_text(desk, "|");
    check_typed(desk, "\033[A", "/t|");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 0); /* Up goes on in the history */
}

static void tab_completes(void **state)
{
    struct desk *desk = *state;

    composer_set(desk->composer, STR("/tr"));
    check_typed(desk, "\t", "/tree |");
    composer_set(desk->composer, STR("/f"));
    check_typed(desk, "\t", "/f|");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 2);
    check_typed(desk, "\033[Z\t", "/files |");
    composer_set(desk->composer, STR("/agent s"));
    check_typed(desk, "\t", "/agent sh|"); /* what both have */
    check_typed(desk, "\r", "/agent shell |");
    composer_set(desk->composer, STR("/agent s"));
    check_typed(desk, "h", "/agent sh|");
    assert_int_equal(composer_offers(desk->composer, 80, 10), 2);
    check_act(desk, "\r", COMPOSER_SEND); /* nobody asked for them */
    composer_set(desk->composer, STR("/x"));
    check_act(desk, "\t", COMPOSER_NOTHING);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, desk_begin, desk_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(enter_sends_and_others_break_the_line),
        DESK_TEST(the_cursor_moves_by_characters_words_and_lines),
        DESK_TEST(words_of_marks_are_not_torn),
        DESK_TEST(text_is_deleted_and_comes_back),
        DESK_TEST(changes_are_taken_back),
        DESK_TEST(pastes_are_text),
        DESK_TEST(other_keys_are_for_others),
        DESK_TEST(the_editor_is_asked_for),
        DESK_TEST(a_text_has_a_limit),
        DESK_TEST(text_is_wrapped_between_words),
        DESK_TEST(up_and_down_keep_the_column),
        DESK_TEST(rows_are_kept_rightly),
        DESK_TEST(everything_is_taken_back),
        DESK_TEST(a_megabyte_is_no_burden),
        DESK_TEST(what_was_sent_comes_back),
        DESK_TEST(rows_come_before_the_history),
        DESK_TEST(what_was_cleared_is_in_the_history),
        DESK_TEST(the_history_is_searched),
        DESK_TEST(commands_are_offered_while_typed),
        DESK_TEST(offers_are_closed),
        DESK_TEST(tab_completes),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
