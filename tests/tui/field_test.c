/* One line being typed, what is asked for it, and ages in few letters. */
#include "support/chance.h"
#include "support/check.h"

#include "base/utf8.h"
#include "tui/age.h"
#include "tui/field.h"
#include "tui/found.h"
#include "tui/plain.h"
#include "tui/typed.h"

#include <locale.h>

static enum field_act key(struct field *field, enum press_kind kind)
{
    return field_press(field, &(struct press){.kind = kind});
}

static enum field_act ctrl(struct field *field, char c)
{
    return field_press(field, &(struct press){.kind = PRESS_CHAR, .c = (uint32_t)c, .ctrl = true});
}

static void type(struct field *field, struct str text)
{
    for (size_t at = 0; at < text.n;)
        assert_int_equal(
            field_press(field, &(struct press){.kind = PRESS_CHAR, .c = utf8_next(text, &at)}),
            FIELD_CHANGED);
}

static void check(const struct field *field, const char *before, const char *behind)
{
    struct str text = field_text(field);

    CHECK_STR(((struct str){text.p, field->at}), before);
    CHECK_STR(((struct str){text.p + field->at, text.n - field->at}), behind);
    assert_int_equal(text.p[text.n], '\0');
}

static void a_line_is_typed(void **state)
{
    struct field field;

    (void)state;
    field_init(&field);
    check(&field, "", "");
    type(&field, STR("hällo wörld"));
    check(&field, "hällo wörld", "");
    assert_int_equal(key(&field, PRESS_HOME), FIELD_MOVED);
    assert_int_equal(key(&field, PRESS_RIGHT), FIELD_MOVED);
    assert_int_equal(key(&field, PRESS_RIGHT), FIELD_MOVED);
    check(&field, "hä", "llo wörld");
    assert_int_equal(key(&field, PRESS_BACKSPACE), FIELD_CHANGED);
    assert_int_equal(key(&field, PRESS_DELETE), FIELD_CHANGED);
    check(&field, "h", "lo wörld");
    assert_int_equal(ctrl(&field, 'e'), FIELD_MOVED);
    assert_int_equal(ctrl(&field, 'w'), FIELD_CHANGED);
    check(&field, "hlo ", "");
    assert_int_equal(ctrl(&field, 'w'), FIELD_CHANGED);
    check(&field, "", "");
    assert_int_equal(ctrl(&field, 'w'), FIELD_MOVED); /* nothing to take away */
    assert_int_equal(key(&field, PRESS_BACKSPACE), FIELD_MOVED);
    assert_int_equal(key(&field, PRESS_DELETE), FIELD_MOVED);
    assert_int_equal(key(&field, PRESS_LEFT), FIELD_MOVED);
    type(&field, STR("one two"));
    key(&field, PRESS_LEFT);
    assert_int_equal(ctrl(&field, 'u'), FIELD_CHANGED);
    check(&field, "", "o");
    assert_int_equal(ctrl(&field, 'k'), FIELD_CHANGED);
    check(&field, "", "");
    field_clear(&field);
}

static void clusters_are_one(void **state)
{
    struct field field;

    (void)state;
    field_init(&field);
    type(&field, STR("ae\xcc\x81漢"));
    key(&field, PRESS_LEFT);
    check(&field, "ae\xcc\x81", "漢");
    key(&field, PRESS_LEFT);
    check(&field, "a", "e\xcc\x81漢");
    key(&field, PRESS_DELETE);
    check(&field, "a", "漢");
    field_clear(&field);
}

static void a_paste_is_one_line(void **state)
{
    struct field field;
    char much[FIELD_MAX + 100];

    (void)state;
    field_init(&field);
    type(&field, STR("<>"));
    key(&field, PRESS_LEFT);
    assert_int_equal(
        field_press(&field, &(struct press){.kind = PRESS_PASTE, .text = STR("a\nb\tc")}),
        FIELD_CHANGED);
    check(&field, "<a b c", ">");
    memset(much, 'x', sizeof(much));
    assert_int_equal(
        field_press(&field, &(struct press){.kind = PRESS_PASTE, .text = {much, sizeof(much)}}),
        FIELD_CHANGED);
    assert_int_equal(field_text(&field).n, FIELD_MAX);
    assert_int_equal(field_press(&field, &(struct press){.kind = PRESS_CHAR, .c = 'y'}),
                     FIELD_MOVED);
    field_set(&field, STR("new"));
    check(&field, "new", "");
    field_clear(&field);
}

static void other_keys_are_not_taken(void **state)
{
    struct field field;

    (void)state;
    field_init(&field);
    assert_int_equal(key(&field, PRESS_ENTER), FIELD_NOTHING);
    assert_int_equal(key(&field, PRESS_ESCAPE), FIELD_NOTHING);
    assert_int_equal(key(&field, PRESS_UP), FIELD_NOTHING);
    assert_int_equal(key(&field, PRESS_TAB), FIELD_NOTHING);
    assert_int_equal(ctrl(&field, 'n'), FIELD_NOTHING);
    assert_int_equal(
        field_press(&field, &(struct press){.kind = PRESS_CHAR, .c = 'x', .alt = true}),
        FIELD_NOTHING);
    field_clear(&field);
}

/* Whatever is pressed: the text stays UTF-8, and the cursor between characters. */
static void any_keys_keep_it_whole(void **state)
{
    static const enum press_kind kinds[] = {PRESS_LEFT,      PRESS_RIGHT,  PRESS_HOME, PRESS_END,
                                            PRESS_BACKSPACE, PRESS_DELETE, PRESS_CHAR, PRESS_CHAR};
    static const uint32_t points[] = {'a', ' ', 0xe4, 0x301, 0x6f22, 0x1f469, 0x200d, 0xfe0f};
    struct chance chance = {2};
    struct field field;

    (void)state;
    field_init(&field);
    for (int i = 0; i < 20000; i++) {
        struct press press = {.kind = kinds[chance_below(&chance, 8)]};
        struct str text;

        if (press.kind == PRESS_CHAR)
            press.c = points[chance_below(&chance, 8)];
        field_press(&field, &press);
        text = field_text(&field);
        assert_true(field.at <= text.n && utf8_valid(text));
        assert_true(utf8_valid((struct str){text.p, field.at}));
        if (text.n > 200)
            ctrl(&field, i % 2 ? 'u' : 'k');
    }
    field_clear(&field);
}

static void typed_words_may_be_unfinished(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(typed_words(STR("night tra"), 100, &arena), "night tra*");
    CHECK_STR(typed_words(STR("  night "), 100, &arena), "night ");
    CHECK_STR(typed_words(STR("tra*"), 100, &arena), "tra*");
    CHECK_STR(typed_words(STR("\"night tr"), 100, &arena), "\"night tr\"");
    CHECK_STR(typed_words(STR("\"night train\""), 100, &arena), "\"night train\"");
    CHECK_STR(typed_words(STR("züg"), 100, &arena), "züg*");
    CHECK_STR(typed_words(STR("   "), 100, &arena), "");
    CHECK_STR(typed_words(STR(""), 100, &arena), "");
    CHECK_STR(typed_words(STR("abcdef"), 4, &arena), "abc*");
    arena_clear(&arena);
}

static void words_are_found_whatever_their_case(void **state)
{
    struct str text = STR("Die Ärzte, die ärzte"), found;

    (void)state;
    assert_true(found_next(text, 0, STR("ÄRZTE"), &found));
    assert_int_equal(found.p - text.p, 4);
    CHECK_STR(found, "Ärzte");
    assert_true(found_next(text, 5, STR("ÄRZTE"), &found));
    CHECK_STR(found, "ärzte");
    assert_false(found_next(text, 0, STR("arzte"), &found));
    assert_false(found_next(text, 0, STR(""), &found));
    assert_false(found_next(STR_NONE, 0, STR("x"), &found));
    assert_false(found_next(text, 0, STR("ärzte!"), &found));
}

static void check_age(int64_t seconds, const char *want)
{
    char age[AGE_MAX];
    const int64_t now_ms = 1700000000000;

    age_text(now_ms - seconds * 1000, now_ms, age);
    assert_string_equal(age, want);
    assert_true(strlen(age) <= AGE_COLUMNS);
}

static void ages_are_short(void **state)
{
    const int64_t hour = 3600, day = 24 * hour;

    (void)state;
    check_age(-5, "now"); /* clocks differ */
    check_age(0, "now");
    check_age(59, "now");
    check_age(60, "1m");
    check_age(hour - 1, "59m");
    check_age(hour, "1h");
    check_age(47 * hour, "47h");
    check_age(2 * day, "2d");
    check_age(62 * day, "62d");
    check_age(63 * day, "9w");
    check_age(364 * day, "52w");
    check_age(365 * day, "1y");
    check_age(365 * 53 * day, "53y");
}

static void signs_have_plain_ones(void **state)
{
    static const char signs[] = "─│╭╮╰╯├└←→↑↓●◌✗✓⑂▸█…×·•";
    struct str text = STR(signs);

    (void)state;
    for (size_t at = 0; at < text.n;) {
        char plain = plain_of(utf8_next(text, &at));

        assert_in_range(plain, 0x20, 0x7e);
    }
    assert_int_equal(plain_of('a'), 0);
    assert_int_equal(plain_of(0x6f22), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_typed),
        cmocka_unit_test(clusters_are_one),
        cmocka_unit_test(a_paste_is_one_line),
        cmocka_unit_test(other_keys_are_not_taken),
        cmocka_unit_test(any_keys_keep_it_whole),
        cmocka_unit_test(typed_words_may_be_unfinished),
        cmocka_unit_test(words_are_found_whatever_their_case),
        cmocka_unit_test(ages_are_short),
        cmocka_unit_test(signs_have_plain_ones),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
