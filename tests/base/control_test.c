/* Characters that a terminal must not be sent, and the form in which they are shown. */
#include "support/check.h"

#include "base/control.h"

static void what_changes_or_deceives_is_one(void **state)
{
    static const uint32_t controls[] = {
        0,      '\n',   0x1b,   0x1f,   0x7f,   0x80,   0x9b,   0x9f,   0x61c,
        0x200b, 0x200e, 0x202a, 0x202e, 0x2028, 0x2066, 0x2069, 0xfeff, 0xe0041,
    };
    static const uint32_t others[] = {
        ' ', 'a', '~', 0xa0, 0xe4, 0x301, 0x200d, 0x2026, 0x2500, 0xfe0f, 0xfffd, 0x1f600, 0x10ffff,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
        assert_true(control_is(controls[i]));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_false(control_is(others[i]));
}

static void escapes_are_ascii(void **state)
{
    static const struct {
        uint32_t point;
        const char *escape;
    } cases[] = {
        {'\n', "\\n"}, {'\t', "\\t"},       {'\r', "\\r"},         {0x1b, "\\e"},
        {0, "\\x00"},  {0x202e, "\\u202e"}, {0xe0041, "\\ue0041"},
    };
    char out[CONTROL_ESCAPE_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(control_escape(cases[i].point, out), strlen(cases[i].escape));
        assert_string_equal(out, cases[i].escape);
    }
    assert_int_equal(control_escape_byte(0xff, out), 4);
    assert_string_equal(out, "\\xff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_or_deceives_is_one),
        cmocka_unit_test(escapes_are_ascii),
    };

    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
