/* Colours: that everything can be read on every ground, and what is chosen when. */
#include "support/check.h"

#include "tui/palette.h"

/* ---- contrast, as the web's rules for legible text measure it ---- */

/* x to the power of 2.4, which is the fifth root of its twelfth, by Newton's way. */
static double power(double x)
{
    double twelfth = x * x * x * x * x * x, root = 1;

    twelfth *= twelfth;
    for (int i = 0; i < 60; i++)
        root -= (root - twelfth / (root * root * root * root)) / 5;
    return root;
}

static double linear(int part)
{
    double share = part / 255.0;

    return share <= 0.04045 ? share / 12.92 : power((share + 0.055) / 1.055);
}

static double luminance(int rgb)
{
    return 0.2126 * linear(rgb >> 16 & 255) + 0.7152 * linear(rgb >> 8 & 255) +
           0.0722 * linear(rgb & 255);
}

static double contrast(int a, int b)
{
    double one = luminance(a) + 0.05, other = luminance(b) + 0.05;

    return one > other ? one / other : other / one;
}

static void contrast_is_as_published(void **state)
{
    (void)state;
    assert_int_equal((int)(contrast(0x000000, 0xffffff) * 100 + 0.5), 2100);
    assert_int_equal((int)(contrast(0x777777, 0xffffff) * 100 + 0.5), 448);
    assert_int_equal((int)(contrast(0xff0000, 0xffffff) * 100 + 0.5), 400);
}

static int shown(enum palette_depth depth, int colour, int own)
{
    if (colour == PALETTE_OWN)
        return own;
    return depth == PALETTE_TRUE ? colour : palette_rgb(colour);
}

static void check_tone(enum palette_depth depth, enum palette_ground kind, int ground,
                       enum tone tone, bool marked)
{
    struct palette_ink ink = palette_ink(depth, kind, tone, marked);
    int own_ink = kind == PALETTE_LIGHT ? 0x1c1c1c : 0xe4e4e4;
    double ratio = contrast(shown(depth, ink.ink, own_ink), shown(depth, ink.ground, ground));

    if (ratio < 4.5)
        fail_msg("tone %d on %06x, depth %d, marked %d: contrast %.2f", tone, ground, depth, marked,
                 ratio);
}

static void everything_can_be_read(void **state)
{
    /* grounds of terminals as people have them */
    static const int dark[] = {0x000000, 0x1e1e1e, 0x282a36, 0x002b36, 0x1a1b26, 0x2d2a2e};
    static const int light[] = {0xffffff, 0xfafafa, 0xfdf6e3, 0xf5f5f5, 0xeff1f5};

    (void)state;
    for (int depth = PALETTE_256; depth <= PALETTE_TRUE; depth++)
        for (int tone = 0; tone < TONE_COUNT; tone++)
            for (int marked = 0; marked < 2; marked++) {
                for (size_t i = 0; i < sizeof(dark) / sizeof(dark[0]); i++)
                    check_tone((enum palette_depth)depth, PALETTE_DARK, dark[i], (enum tone)tone,
                               marked);
                for (size_t i = 0; i < sizeof(light) / sizeof(light[0]); i++)
                    check_tone((enum palette_depth)depth, PALETTE_LIGHT, light[i], (enum tone)tone,
                               marked);
            }
}

static void few_colours_stay_within(void **state)
{
    (void)state;
    for (int ground = PALETTE_UNKNOWN; ground <= PALETTE_LIGHT; ground++)
        for (int tone = 0; tone < TONE_COUNT; tone++)
            for (int marked = 0; marked < 2; marked++) {
                struct palette_ink eight =
                    palette_ink(PALETTE_8, (enum palette_ground)ground, (enum tone)tone, marked);
                struct palette_ink more =
                    palette_ink(PALETTE_16, (enum palette_ground)ground, (enum tone)tone, marked);
                struct palette_ink none =
                    palette_ink(PALETTE_NONE, (enum palette_ground)ground, (enum tone)tone, marked);

                assert_in_range(eight.ink + 1, 0, 8);
                assert_in_range(eight.ground + 1, 0, 8);
                assert_in_range(more.ink + 1, 0, 16);
                assert_in_range(more.ground + 1, 0, 16);
                assert_int_equal(none.ink, PALETTE_OWN);
                assert_int_equal(none.ground, PALETTE_OWN);
            }
}

/* What is told apart by colour must be told apart without it where it matters. */
static void without_colour_the_mark_is_seen(void **state)
{
    struct palette_ink text = palette_ink(PALETTE_NONE, PALETTE_DARK, TONE_TEXT, false);

    (void)state;
    assert_int_equal(text.bits, 0);
    assert_int_equal(palette_ink(PALETTE_NONE, PALETTE_DARK, TONE_TEXT, true).bits, LOOK_REVERSE);
    assert_int_equal(palette_ink(PALETTE_8, PALETTE_DARK, TONE_FAINT, true).bits, LOOK_REVERSE);
    assert_int_equal(palette_ink(PALETTE_NONE, PALETTE_DARK, TONE_FOUND, false).bits, LOOK_REVERSE);
    assert_int_equal(palette_ink(PALETTE_NONE, PALETTE_DARK, TONE_BAR, false).bits, LOOK_REVERSE);
    assert_int_equal(palette_ink(PALETTE_NONE, PALETTE_DARK, TONE_FAINT, false).bits, LOOK_DIM);
    assert_int_not_equal(palette_ink(PALETTE_NONE, PALETTE_DARK, TONE_FOUND, true).bits,
                         LOOK_REVERSE); /* also in a row that is reversed already */
}

static void the_depth_is_what_the_terminal_has(void **state)
{
    (void)state;
    assert_int_equal(palette_depth(-1), PALETTE_NONE);
    assert_int_equal(palette_depth(2), PALETTE_NONE);
    assert_int_equal(palette_depth(8), PALETTE_8);
    assert_int_equal(palette_depth(16), PALETTE_16);
    assert_int_equal(palette_depth(88), PALETTE_16);
    assert_int_equal(palette_depth(256), PALETTE_256);
    assert_int_equal(palette_depth(32768), PALETTE_256);
    assert_int_equal(palette_depth(1 << 24), PALETTE_TRUE);
}

static void the_environment_says_the_ground(void **state)
{
    (void)state;
    assert_int_equal(palette_ground_said("light", "15;0"), PALETTE_LIGHT);
    assert_int_equal(palette_ground_said("dark", "0;15"), PALETTE_DARK);
    assert_int_equal(palette_ground_said("", "0;15"), PALETTE_LIGHT);
    assert_int_equal(palette_ground_said(NULL, "0;default;15"), PALETTE_LIGHT);
    assert_int_equal(palette_ground_said(NULL, "0;7"), PALETTE_LIGHT);
    assert_int_equal(palette_ground_said("pink", "15;8"), PALETTE_DARK);
    assert_int_equal(palette_ground_said(NULL, "15;0"), PALETTE_DARK);
    assert_int_equal(palette_ground_said(NULL, "15;default"), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_said(NULL, "15;"), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_said(NULL, "15"), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_said(NULL, "15;99999999999999999999"), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_said(NULL, "15;0x"), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_said(NULL, NULL), PALETTE_UNKNOWN);
}

static void the_terminal_answers_its_ground(void **state)
{
    (void)state;
    assert_int_equal(palette_ground_answered(STR("rgb:1e1e/1e1e/2e2e")), PALETTE_DARK);
    assert_int_equal(palette_ground_answered(STR("rgb:ffff/ffff/ffff")), PALETTE_LIGHT);
    assert_int_equal(palette_ground_answered(STR("rgb:FD/F6/E3")), PALETTE_LIGHT);
    assert_int_equal(palette_ground_answered(STR("rgb:f/f/f")), PALETTE_LIGHT);
    assert_int_equal(palette_ground_answered(STR("rgba:0000/2b2b/3636/ffff")), PALETTE_DARK);
    assert_int_equal(palette_ground_answered(STR("#1e1e2e")), PALETTE_DARK);
    assert_int_equal(palette_ground_answered(STR("#fffffafaf0f0")), PALETTE_LIGHT);
    assert_int_equal(palette_ground_answered(STR("")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR_NONE), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("rgb:")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("rgb:ff/ff")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("rgb:ff/gg/ff")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("rgb:ffffff/ff/ff")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("#")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("#ff")), PALETTE_UNKNOWN);
    assert_int_equal(palette_ground_answered(STR("#fffffffffffffffff")), PALETTE_UNKNOWN);
}

static void the_nearest_colour_is_near(void **state)
{
    (void)state;
    for (int colour = 16; colour < 256; colour++)
        assert_int_equal(palette_rgb(palette_nearest(palette_rgb(colour))), palette_rgb(colour));
    assert_int_equal(palette_rgb(palette_nearest(0xfe0102)), 0xff0000);
    assert_int_equal(palette_rgb(palette_nearest(0x131313)), 0x121212);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contrast_is_as_published),
        cmocka_unit_test(everything_can_be_read),
        cmocka_unit_test(few_colours_stay_within),
        cmocka_unit_test(without_colour_the_mark_is_seen),
        cmocka_unit_test(the_depth_is_what_the_terminal_has),
        cmocka_unit_test(the_environment_says_the_ground),
        cmocka_unit_test(the_terminal_answers_its_ground),
        cmocka_unit_test(the_nearest_colour_is_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
