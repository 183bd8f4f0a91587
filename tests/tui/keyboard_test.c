/* What terminals send, and what it means: whole, in pieces, slowly, broken. */
#include "support/check.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "tui/keyboard.h"

#include <stdlib.h>

static const char *const kinds[] = {
    "",         "Enter", "Esc",   "Tab",     "Backspace", "Delete", "Insert",
    "Up",       "Down",  "Left",  "Right",   "Home",      "End",    "PageUp",
    "PageDown", "F",     "paste", "WheelUp", "WheelDown", "Click",  "Focus",
};

/* A press in words: "C-A-Up", "x", "paste(…)", "Click@3,4". */
static void put_press(struct buf *out, const struct press *press)
{
    char c[4];

    if (out->n)
        buf_add_char(out, ' ');
    if (press->ctrl)
        buf_add_text(out, "C-");
    if (press->alt)
        buf_add_text(out, "A-");
    if (press->shift)
        buf_add_text(out, "S-");
    buf_add_text(out, kinds[press->kind]);
    if (press->kind == PRESS_CHAR && press->c == ' ')
        buf_add_text(out, "Space");
    else if (press->kind == PRESS_CHAR)
        buf_add(out, c, utf8_encode(press->c, c));
    else if (press->kind == PRESS_FUNCTION)
        buf_add_format(out, "%u", press->c);
    else if (press->kind == PRESS_PASTE)
        buf_add_format(out, "(%.*s)", STR_ARG(press->text));
    else if (press->kind >= PRESS_WHEEL_UP && press->kind <= PRESS_CLICK)
        buf_add_format(out, "@%d,%d", press->row, press->column);
}

static void put_presses(struct buf *out, struct keyboard *keyboard, int64_t now_ms)
{
    struct press press;

    while (keyboard_next(keyboard, now_ms, &press))
        put_press(out, &press);
}

/* Takes all of it in pieces of that many bytes, and then lets time go by. */
static void decode(struct buf *out, struct str bytes, size_t piece)
{
    struct keyboard *keyboard = keyboard_new();

    for (size_t at = 0; at < bytes.n; at += piece) {
        size_t n = bytes.n - at < piece ? bytes.n - at : piece;

        keyboard_take(keyboard, (struct str){bytes.p + at, n}, 1000);
        put_presses(out, keyboard, 1000);
    }
    put_presses(out, keyboard, 100000);
    assert_int_equal(keyboard_wait_ms(keyboard, 100000), -1);
    keyboard_free(keyboard);
}

/* The same however it is cut. */
static void check(struct str bytes, const char *want)
{
    for (size_t piece = 1; piece <= bytes.n; piece++) {
        struct buf out;

        buf_init(&out, 1 << 20);
        decode(&out, bytes, piece);
        CHECK_STR(buf_str(&out), want);
        buf_clear(&out);
    }
}

static void characters_are_characters(void **state)
{
    (void)state;
    check(STR("aZ~ "), "a Z ~ Space");
    check(STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x8d\xb4"), "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8d\xb4");
    check(STR("\x01\x03\x1a\x1c\x1d\x1e\x1f"), "C-a C-c C-z C-\\ C-] C-^ C-_");
    check(STR("\0"), "C-Space");
    check(STR("\r\n\t\x7f\x08"), "Enter C-j Tab Backspace Backspace");
}

static void bad_bytes_are_replacements(void **state)
{
    (void)state;
    check(STR("\xff"
              "a"),
          "\xef\xbf\xbd a");
    check(STR("\x80x"), "\xef\xbf\xbd x");
    check(STR("\xe2\x82"
              "a"),
          "\xef\xbf\xbd a");
    check(STR("\xe2\x82\x1b[A"), "\xef\xbf\xbd Up");
    check(STR("\xe0\x80\x80"), "\xef\xbf\xbd");
    check(STR("\xed\xa0\x80"), "\xef\xbf\xbd");
    check(STR("\xf0\x9f"), "\xef\xbf\xbd");
    check(STR("\xc2\x9bx"), "x"); /* a control of eight bits */
}

static void esc_is_a_key_or_a_beginning(void **state)
{
    (void)state;
    check(STR("\033"), "Esc");
    check(STR("\033\033"), "Esc Esc");
    check(STR("\033\033\033"), "Esc Esc Esc");
    check(STR("\033\033[A"), "Esc Up");
    check(STR("\033\033\033[A"), "Esc Esc Up");
    check(STR("\033x"), "A-x");
    check(STR("\033\xc3\xa4"), "A-\xc3\xa4");
    check(STR("\033\r"), "A-Enter");
    check(STR("\033\n"), "C-A-j");
    check(STR("\033\x7f\033\t"), "A-Backspace A-Tab");
    check(STR("\033\x01"), "C-A-a");
}

static void arrows_and_their_friends(void **state)
{
    (void)state;
    check(STR("\033[A\033[B\033[C\033[D"), "Up Down Right Left");
    check(STR("\033OA\033OB\033OC\033OD"), "Up Down Right Left");
    check(STR("\033[1;3A\033[1;5C\033[1;2D\033[1;8B"), "A-Up C-Right S-Left C-A-S-Down");
    check(STR("\033O5A\033O1;5A"), "C-Up C-Up");
    check(STR("\033[H\033OH\033[1~\033[7~"), "Home Home Home Home");
    check(STR("\033[F\033OF\033[4~\033[8~"), "End End End End");
    check(STR("\033[1;5H\033[4;3~\033[1;5F"), "C-Home A-End C-End");
    check(STR("\033[2~\033[3~\033[5~\033[6~"), "Insert Delete PageUp PageDown");
    check(STR("\033[3;5~\033[5;3~"), "C-Delete A-PageUp");
    check(STR("\033[Z\033[1;3Z"), "S-Tab A-S-Tab");
}

static void function_keys(void **state)
{
    (void)state;
    check(STR("\033OP\033OQ\033OR\033OS"), "F1 F2 F3 F4");
    check(STR("\033[11~\033[12~\033[13~\033[14~\033[15~"), "F1 F2 F3 F4 F5");
    check(STR("\033[[A\033[[B\033[[C\033[[D\033[[E"), "F1 F2 F3 F4 F5");
    check(STR("\033[17~\033[18~\033[19~\033[20~\033[21~\033[23~\033[24~"),
          "F6 F7 F8 F9 F10 F11 F12");
    check(STR("\033[1;2P\033[15;5~"), "S-F1 C-F5");
}

static void rxvt_has_its_own(void **state)
{
    (void)state;
    check(STR("\033[7^\033[8$\033[3@\033[5^"), "C-Home S-End C-S-Delete C-PageUp");
    check(STR("\033[a\033[d\033Oa\033Od"), "S-Up S-Left C-Up C-Left");
}

static void the_keypad(void **state)
{
    (void)state;
    check(STR("\033OM\033Op\033Oy\033Ok\033O "), "Enter 0 9 + Space");
}

static void keys_by_their_code(void **state)
{
    (void)state;
    check(STR("\033[13;2u\033[27;2;13~"), "S-Enter S-Enter");
    check(STR("\033[27;5;13~\033[13;5u"), "C-Enter C-Enter");
    check(STR("\033[97;5u\033[27;5;97~\033[27;6;65~"), "C-a C-a C-S-a");
    check(STR("\033[97;2u\033[97:65;2u\033[50:64;2u"), "A A @");
    check(STR("\033[97;3u\033[228u\033[32;2u"), "A-a \xc3\xa4 Space");
    check(STR("\033[27u\033[9;2u\033[127;3u"), "Esc S-Tab A-Backspace");
    check(STR("\033[57414u\033[57399u\033[57419;5u"), "Enter 0 C-Up");
    check(STR("\033[97;1:3ux\033[1;1:3Ay\033[1;1:1A"), "x y Up");         /* let go of: nothing */
    check(STR("\033[57441;2u\033[1114112u\033[55296u\033[0u\033[u"), ""); /* no keys that type */
    check(STR("\033[97;9u"), "A-a");
}

static void the_mouse(void **state)
{
    (void)state;
    check(STR("\033[<64;10;5M\033[<65;1;1M"), "WheelUp@4,9 WheelDown@0,0");
    check(STR("\033[<0;3;4M\033[<0;3;4mx"), "Click@3,2 x");
    check(STR("\033[<80;3;4M\033[<2;3;4M\033[<35;3;4Mx"), "C-WheelUp@3,2 x");
    check(STR("\033[M !!\033[M`*%\033[Ma\xff\xff\033[M#!!x"),
          "Click@0,0 WheelUp@4,9 WheelDown@222,222 x");
    check(STR("\033[96;10;5M"), "WheelUp@4,9");
    check(STR("\033[M `\r"), "Enter"); /* cut off: the key counts */
}

static void what_is_pasted_is_one(void **state)
{
    (void)state;
    check(STR("\033[200~hello\033[201~x"), "paste(hello) x");
    check(STR("\033[200~a\r\nb\rc\nd\r\r\n\033[201~"), "paste(a\nb\nc\nd\n\n)");
    check(STR("\033[200~\033[A\033[20x\033\033[201~"), "paste(\033[A\033[20x\033)");
    check(STR("\033[200~\033[200~\033[201~\033[201~"), "paste(\033[200~)");
    check(STR("\033[200~\033[201~"), "paste()");
    check(STR("\033[200~\xff\xe2\x82\033[201~"), "paste(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd)");
    check(STR("\033[200~never ends"), "paste(never ends)");
    check(STR("\033[200~1\033[201~\033[200~2\033[201~"), "paste(1) paste(2)");
}

static void what_is_not_known_is_not_typed(void **state)
{
    (void)state;
    check(STR("\033[?62;22cx\033[>0;276;0cy\033[4;2$yz"), "x y z");
    check(STR("\033[?2026;2$yx\033[12;40Ry\033[8;24;80tz"), "x y z");
    check(STR("\033]11;rgb:0000/0000/0000\033\\x\033]11;rgb:1/2/3\ay"), "x y");
    check(STR("\033P>|tmux 3.3a\033\\x\033P1+r5463=\a8\033\\y\033_Gi=1;OK\033\\z"), "x y z");
    check(STR("\033[I\033[O"), "Focus Focus");
    check(STR("\033[99~\033[1;2;3;4;5;6Ax\033[Ey\033OZz"), "x y z");
    check(STR("\033[1111111111111111111111111111111111111111111111111111111111111111111111Ax"),
          "x");
    check(STR("\033[\r\033[1;\xc3\xa4\033]0;t\x18x"), "Enter \xc3\xa4 x");
    check(STR("\033]0;t\033[A"), "Up"); /* never ended */
    check(STR("\033[1\033[B"), "Down");
}

static void what_stops_in_the_middle_ends(void **state)
{
    (void)state;
    check(STR("\033["), "A-[");
    check(STR("\033O"), "A-O");
    check(STR("\033P"), "A-P");
    check(STR("\033[1;5"), "");
    check(STR("\033]52;c;abc"), "");
    check(STR("\033[M !"), "");
}

static void longer_than_any_answer(void **state)
{
    struct keyboard *keyboard = keyboard_new();
    struct press press;
    size_t typed = 0;
    char some[4096];

    (void)state;
    memset(some, 'a', sizeof some);
    keyboard_take(keyboard, STR("\033]0;"), 0);
    for (int i = 0; i < 300; i++) {
        keyboard_take(keyboard, (struct str){some, sizeof some}, i);
        while (keyboard_next(keyboard, i, &press))
            typed++;
    }
    assert_true(typed > 0 && typed < 300 * sizeof some - 1024 * 1024 + 10);
    keyboard_free(keyboard);
}

/* ---- time ---- */

struct hand {
    struct keyboard *keyboard;
    struct buf out;
};

static void hand_type(struct hand *hand, struct str bytes, int64_t now_ms)
{
    keyboard_take(hand->keyboard, bytes, now_ms);
    put_presses(&hand->out, hand->keyboard, now_ms);
}

static void hand_check(struct hand *hand, const char *want)
{
    CHECK_STR(buf_str(&hand->out), want);
    buf_reset(&hand->out);
}

static int hand_begin(void **state)
{
    static struct hand hand;

    hand.keyboard = keyboard_new();
    buf_init(&hand.out, 1 << 16);
    *state = &hand;
    return 0;
}

static int hand_end(void **state)
{
    struct hand *hand = *state;

    keyboard_free(hand->keyboard);
    buf_clear(&hand->out);
    return 0;
}

static void a_lone_esc_waits(void **state)
{
    struct hand *hand = *state;

    assert_int_equal(keyboard_wait_ms(hand->keyboard, 0), -1);
    hand_type(hand, STR("\033"), 100);
    hand_check(hand, "");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 110), KEYBOARD_ESCAPE_MS - 10);
    put_presses(&hand->out, hand->keyboard, 100 + KEYBOARD_ESCAPE_MS - 1);
    hand_check(hand, "");
    put_presses(&hand->out, hand->keyboard, 100 + KEYBOARD_ESCAPE_MS);
    hand_check(hand, "Esc");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 200), -1);
}

static void what_comes_late_is_by_itself(void **state)
{
    struct hand *hand = *state;

    hand_type(hand, STR("\033"), 100);
    hand_type(hand, STR("x"), 100 + KEYBOARD_ESCAPE_MS);
    hand_check(hand, "Esc x");
    hand_type(hand, STR("\033"), 200);
    hand_type(hand, STR("x"), 200 + KEYBOARD_ESCAPE_MS - 1);
    hand_check(hand, "A-x");
    hand_type(hand, STR("\033"), 300);
    hand_type(hand, STR("\r"), 900);
    hand_check(hand, "Esc Enter");
}

static void a_slow_line_does_not_break_sequences(void **state)
{
    struct hand *hand = *state;

    hand_type(hand, STR("\033["), 0);
    hand_type(hand, STR("1;"), 300);
    hand_type(hand, STR("5"), 600);
    hand_type(hand, STR("A"), 900);
    hand_check(hand, "C-Up");
    hand_type(hand, STR("\033]11;rgb:0/0/0\033"), 1000);
    hand_type(hand, STR("\\x"), 1200); /* the end of the answer, cut in two */
    hand_check(hand, "x");
}

static void each_press_has_its_time(void **state)
{
    struct hand *hand = *state;
    struct press press;

    keyboard_take(hand->keyboard, STR("a\033"), 10);
    keyboard_take(hand->keyboard, STR("\033"), 20);
    keyboard_take(hand->keyboard, STR("b\033[A"), 30);
    keyboard_take(hand->keyboard, STR("\033"), 500);
    for (int i = 0; i < 5; i++) {
        static const int64_t want[] = {10, 10, 30, 30, 500};

        assert_true(keyboard_next(hand->keyboard, 1000, &press));
        assert_int_equal(press.at_ms, want[i]);
    }
    assert_int_equal(press.kind, PRESS_ESCAPE);
    assert_false(keyboard_next(hand->keyboard, 1000, &press));
}

static void a_paste_that_stops_is_given_out(void **state)
{
    struct hand *hand = *state;

    hand_type(hand, STR("\033[200~one"), 0);
    hand_type(hand, STR(" two"), 9900);
    hand_check(hand, "");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 9900), 10000);
    put_presses(&hand->out, hand->keyboard, 19899);
    hand_check(hand, "");
    put_presses(&hand->out, hand->keyboard, 19900);
    hand_check(hand, "paste(one two)");
    hand_type(hand, STR("x\033[201~y"), 20000);
    hand_check(hand, "paste(x) y");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 20000), -1);
}

/* Begins a paste and lets it stall. */
static void hand_stall(struct hand *hand)
{
    hand_type(hand, STR("\033[200~one"), 0);
    put_presses(&hand->out, hand->keyboard, 10000);
    hand_check(hand, "paste(one)");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 10000), -1);
}

static void the_rest_of_a_paste_is_no_keys(void **state)
{
    struct hand *hand = *state;

    hand_stall(hand);
    hand_type(hand, STR("two\r"), 60000);
    hand_check(hand, "");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 60100), 400);
    put_presses(&hand->out, hand->keyboard, 60500);
    hand_check(hand, "paste(two\n)");
    hand_type(hand, STR("\nthree\x03\033[A\r"), 70000); /* the line break was told already */
    hand_type(hand, STR("four\033[201~\r"), 70400);
    hand_check(hand, "paste(three\x03\033[A\nfour) Enter");
}

static void the_end_of_a_paste_may_be_late(void **state)
{
    struct hand *hand = *state;

    hand_stall(hand);
    hand_type(hand, STR("two\033[20"), 60000);
    put_presses(&hand->out, hand->keyboard, 70000);
    hand_check(hand, "paste(two)");
    assert_int_equal(keyboard_wait_ms(hand->keyboard, 70000), -1);
    hand_type(hand, STR("1~x"), 80000);
    hand_check(hand, "x");
    hand_stall(hand);
    hand_type(hand, STR("\033[201~"), 90000); /* of which nothing was missing */
    hand_type(hand, STR("y"), 90000);
    hand_check(hand, "y");
}

static void a_paste_without_an_end_can_be_left(void **state)
{
    static const char *const ways[] = {"\033", "\x03"};
    struct hand *hand = *state;

    for (size_t i = 0; i < 2; i++) {
        hand_stall(hand);
        hand_type(hand, str_of(ways[i]), 20000);
        assert_int_equal(keyboard_wait_ms(hand->keyboard, 20000), 500);
        put_presses(&hand->out, hand->keyboard, 20500);
        hand_check(hand, "");
        hand_type(hand, STR("x\r"), 20600);
        hand_check(hand, "x Enter");

        hand_stall(hand);
        hand_type(hand, STR("typed"), 20000);
        hand_type(hand, str_of(ways[i]), 20100);
        hand_type(hand, STR("x\r"), 20600);
        hand_check(hand, "paste(typed) x Enter");
    }
    hand_stall(hand);
    hand_type(hand, STR("\033[200~the next one\033[201~x"), 20000);
    hand_check(hand, "paste(the next one) x");
}

static void a_paste_has_a_limit(void **state)
{
    struct hand *hand = *state;
    size_t n = KEYBOARD_PASTE_MAX / 2 + 1; /* of two bytes each, behind one of one */
    char *bytes = malloc(2 * n + 1);
    struct press press;

    bytes[0] = 'x';
    for (size_t i = 0; i < n; i++)
        memcpy(bytes + 1 + 2 * i, "\xc3\xa4", 2);
    keyboard_take(hand->keyboard, STR("\033[200~"), 0);
    keyboard_take(hand->keyboard, (struct str){bytes, 2 * n + 1}, 0);
    keyboard_take(hand->keyboard, STR("\033[201~"), 0);
    assert_true(keyboard_next(hand->keyboard, 0, &press));
    assert_int_equal(press.kind, PRESS_PASTE);
    assert_int_equal(press.text.n, KEYBOARD_PASTE_MAX - 1); /* not in the middle of one */
    assert_true(utf8_valid(press.text));
    assert_true(keyboard_paste_cut(hand->keyboard));
    assert_false(keyboard_paste_cut(hand->keyboard));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_characters),
        cmocka_unit_test(bad_bytes_are_replacements),
        cmocka_unit_test(esc_is_a_key_or_a_beginning),
        cmocka_unit_test(arrows_and_their_friends),
        cmocka_unit_test(function_keys),
        cmocka_unit_test(rxvt_has_its_own),
        cmocka_unit_test(the_keypad),
        cmocka_unit_test(keys_by_their_code),
        cmocka_unit_test(the_mouse),
        cmocka_unit_test(what_is_pasted_is_one),
        cmocka_unit_test(what_is_not_known_is_not_typed),
        cmocka_unit_test(what_stops_in_the_middle_ends),
        cmocka_unit_test(longer_than_any_answer),
        cmocka_unit_test_setup_teardown(a_lone_esc_waits, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(what_comes_late_is_by_itself, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(a_slow_line_does_not_break_sequences, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(each_press_has_its_time, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(a_paste_that_stops_is_given_out, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(the_rest_of_a_paste_is_no_keys, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(the_end_of_a_paste_may_be_late, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(a_paste_without_an_end_can_be_left, hand_begin, hand_end),
        cmocka_unit_test_setup_teardown(a_paste_has_a_limit, hand_begin, hand_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
