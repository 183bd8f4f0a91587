/* JSON that goes out. */
#include "json/json_out.h"

#include "json/json_in.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <time.h>

static struct buf text;
static struct json_out out;

static int setup(void **state)
{
    (void)state;
    buf_init(&text, 4096);
    json_out_init(&out, &text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    buf_clear(&text);
    return 0;
}

static void expect_text(const char *expected)
{
    struct json_value value;
    struct fault fault;

    assert_string_equal(buf_str(&text).p, expected);
    assert_int_equal(json_read(buf_str(&text), 16, "it", &value, &fault), FAULT_OK);
}

static void writes_objects_and_arrays(void **state)
{
    (void)state;
    json_out_object(&out, NULL);
    json_out_int(&out, "n", -5);
    json_out_array(&out, "list");
    json_out_array_end(&out);
    json_out_array(&out, "more");
    json_out_null(&out, NULL);
    json_out_object(&out, NULL);
    json_out_object_end(&out);
    json_out_bool(&out, NULL, true);
    json_out_array_end(&out);
    json_out_raw(&out, "raw", STR("{ \"x\" :1}"));
    json_out_key(&out, STR("a\"b"));
    json_out_string(&out, NULL, STR("c\n\x01"));
    json_out_object_end(&out);
    expect_text("{\"n\":-5,\"list\":[],\"more\":[null,{},true],\"raw\":{ \"x\" :1},"
                "\"a\\\"b\":\"c\\n\\u0001\"}");
}

static void splices_members(void **state)
{
    (void)state;
    json_out_object(&out, NULL);
    json_out_members(&out, STR("{}"));
    json_out_members(&out, STR(" { } "));
    json_out_members(&out, STR("{\"a\":1,\"b\":[2]}"));
    json_out_members(&out, STR("{ \"c\":3 }"));
    json_out_int(&out, "d", 4);
    json_out_object_end(&out);
    expect_text("{\"a\":1,\"b\":[2],\"c\":3 ,\"d\":4}");
}

static void writes_times(void **state)
{
    (void)state;
    json_out_array(&out, NULL);
    json_out_time(&out, NULL, 0);
    json_out_time(&out, NULL, 1714564800123456);
    json_out_time(&out, NULL, -1);
    json_out_time(&out, NULL, 253402300799999999);
    json_out_array_end(&out);
    expect_text("[\"1970-01-01T00:00:00.000Z\",\"2024-05-01T12:00:00.123Z\","
                "\"1969-12-31T23:59:59.999Z\",\"9999-12-31T23:59:59.999Z\"]");
}

/* The same dates as the C library has, from the year 0 to the year 9999. */
static void writes_the_days_of_the_calendar(void **state)
{
    (void)state;
    for (int64_t day = -719468; day <= 2932896; day += 61) {
        time_t seconds = (time_t)(day * 86400 + 86399);
        struct tm tm;
        char want[64];

        assert_non_null(gmtime_r(&seconds, &tm));
        snprintf(want, sizeof(want), "\"%04d-%02d-%02dT%02d:%02d:%02d.007Z\"", tm.tm_year + 1900,
                 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        buf_reset(out.buf);
        json_out_init(&out, out.buf);
        json_out_time(&out, NULL, seconds * 1000000 + 7000);
        assert_string_equal(buf_str(out.buf).p, want);
    }
    buf_reset(out.buf);
    json_out_init(&out, out.buf);
    json_out_time(&out, NULL, INT64_MAX);
    assert_string_equal(buf_str(out.buf).p, "null");
}

static void writes_numbers_to_their_ends(void **state)
{
    (void)state;
    json_out_array(&out, NULL);
    json_out_int(&out, NULL, 0);
    json_out_int(&out, NULL, -7);
    json_out_int(&out, NULL, INT64_MAX);
    json_out_int(&out, NULL, INT64_MIN);
    json_out_array_end(&out);
    expect_text("[0,-7,9223372036854775807,-9223372036854775808]");
}

static void writes_costs(void **state)
{
    (void)state;
    json_out_array(&out, NULL);
    json_out_cost(&out, NULL, 0);
    json_out_cost(&out, NULL, 1);
    json_out_cost(&out, NULL, 1500000000);
    json_out_cost(&out, NULL, 3960000);
    json_out_cost(&out, NULL, -20);
    json_out_cost(&out, NULL, INT64_MAX);
    json_out_cost(&out, NULL, INT64_MIN);
    json_out_array_end(&out);
    expect_text("[0,0.000000001,1.5,0.00396,-0.00000002,9223372036.854775807,"
                "-9223372036.854775808]");
}

static void writes_hex_and_names(void **state)
{
    (void)state;
    json_out_object(&out, NULL);
    json_out_hex(&out, "hex", "\x00\xff\x10", 3);
    json_out_name(&out, "none", STR_NONE);
    json_out_name(&out, "some", STR("x"));
    json_out_object_end(&out);
    expect_text("{\"hex\":\"00ff10\",\"none\":null,\"some\":\"x\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(writes_objects_and_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(splices_members, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_times, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_the_days_of_the_calendar, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_numbers_to_their_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_costs, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_hex_and_names, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
