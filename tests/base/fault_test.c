/* The table of faults, and the one line that each brings. */
#include "support/check.h"

#include "base/utf8.h"

#include <stdio.h>

static void the_table_is_whole(void **state)
{
    (void)state;
    assert_int_equal(FAULT_OK, 0);
    assert_int_equal(fault_status(FAULT_OK), 200);
    for (int code = 0; code < FAULT_COUNT; code++) {
        const char *name = fault_name((enum fault_code)code);
        int status = fault_status((enum fault_code)code);

        assert_non_null(name);
        assert_true(name[0] != '\0');
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_true(code == FAULT_OK || code == FAULT_UNDECIDED ||
                    (status >= 400 && status <= 599));
        for (int other = 0; other < code; other++)
            assert_string_not_equal(name, fault_name((enum fault_code)other));
    }
}

/* What clients were told stays so. */
static void names_and_statuses_are_stable(void **state)
{
    static const struct {
        enum fault_code code;
        int status;
        const char *name;
    } known[] = {
        {FAULT_INVALID, 400, "invalid"},
        {FAULT_POINT_INVALID, 400, "point_invalid"},
        {FAULT_POINT_INSIDE_SUBSESSION, 400, "point_inside_subsession"},
        {FAULT_POINT_IS_HEAD, 400, "point_is_head"},
        {FAULT_SESSION_NOT_FOUND, 404, "session_not_found"},
        {FAULT_MESSAGE_NOT_FOUND, 404, "message_not_found"},
        {FAULT_ID_TAKEN, 409, "id_taken"},
        {FAULT_HEAD_MOVED, 409, "head_moved"},
        {FAULT_TOOL_CALL_OPEN, 409, "tool_call_open"},
        {FAULT_NOTHING_TO_UNDO, 409, "nothing_to_undo"},
        {FAULT_TOO_LARGE, 413, "too_large"},
        {FAULT_LIMIT, 429, "limit"},
        {FAULT_BUSY, 503, "busy"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_int_equal(fault_status(known[i].code), known[i].status);
        assert_string_equal(fault_name(known[i].code), known[i].name);
    }
}

static void only_what_is_unavailable_is_worth_another_try(void **state)
{
    (void)state;
    for (int code = 0; code < FAULT_COUNT; code++)
        assert_int_equal(fault_retryable((enum fault_code)code),
                         fault_status((enum fault_code)code) == 503);
}

static void a_fault_carries_its_line(void **state)
{
    struct fault fault = {0};

    (void)state;
    assert_int_equal(fault_set(&fault, FAULT_LIMIT, "no more than %d \"%s\"", 5, "x"), FAULT_LIMIT);
    assert_int_equal(fault.code, FAULT_LIMIT);
    assert_string_equal(fault.message, "no more than 5 \"x\"");
}

static void a_long_line_is_cut(void **state)
{
    struct fault fault = {0};

    (void)state;
    assert_int_equal(fault_set(&fault, FAULT_IO, "%0*d", FAULT_MESSAGE_MAX + 10, 7), FAULT_IO);
    assert_int_equal(strlen(fault.message), FAULT_MESSAGE_MAX - 1);
    assert_int_equal(fault_set(&fault, FAULT_IO, "%0*d", FAULT_MESSAGE_MAX - 1, 7), FAULT_IO);
    assert_int_equal(strlen(fault.message), FAULT_MESSAGE_MAX - 1);
    assert_int_equal(fault.message[FAULT_MESSAGE_MAX - 2], '7');
}

/* It quotes what came from outside, perhaps only a part of it, and goes out as JSON. */
static void a_line_is_always_text(void **state)
{
    struct fault fault = {0};
    char bad[FAULT_MESSAGE_MAX];

    (void)state;
    fault_write(&fault, FAULT_INVALID, "no method \"%.*s\"", 3, "ab\xc3\xa9");
    assert_string_equal(fault.message, "no method \"ab\xef\xbf\xbd\"");
    memset(bad, 0xff, sizeof(bad));
    fault_write(&fault, FAULT_INVALID, "%.*s", (int)sizeof(bad), bad);
    assert_true(utf8_valid(str_of(fault.message)));
    assert_int_equal(strlen(fault.message), (FAULT_MESSAGE_MAX - 1) / 3 * 3);
}

static void set_ok(void)
{
    struct fault fault;

    fault_set(&fault, FAULT_OK, "%s", "this is no fault");
}

static void success_is_no_fault(void **state)
{
    (void)state;
    check_aborts(set_ok);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_whole),
        cmocka_unit_test(names_and_statuses_are_stable),
        cmocka_unit_test(only_what_is_unavailable_is_worth_another_try),
        cmocka_unit_test(a_fault_carries_its_line),
        cmocka_unit_test(a_long_line_is_cut),
        cmocka_unit_test(a_line_is_always_text),
        cmocka_unit_test(success_is_no_fault),
    };

    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
