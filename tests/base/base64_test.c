/* Bytes as base64, and what is refused. */
#include "base/base64.h"
#include "support/check.h"

#include <stdlib.h>

static const struct {
    const char *bytes, *text;
} known[] = {
    /* those of RFC 4648 */
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xff\xfe\xfb", "//77"},
};

static void known_texts(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct buf buf;
        struct str back;

        buf_init(&buf, 100);
        base64_add(&buf, str_of(known[i].bytes));
        CHECK_STR(buf_str(&buf), known[i].text);
        assert_true(base64_read(str_of(known[i].text), &arena, &back));
        CHECK_STR(back, known[i].bytes);
        buf_clear(&buf);
    }
    arena_clear(&arena);
}

static void all_bytes_come_back(void **state)
{
    unsigned char bytes[300];
    struct arena arena;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7);
    arena_init(&arena);
    for (size_t n = 0; n <= sizeof(bytes); n++) {
        struct str in = {(const char *)bytes, n}, back;
        struct buf buf;

        buf_init(&buf, 1000);
        base64_add(&buf, in);
        assert_true(base64_read(buf_str(&buf), &arena, &back));
        assert_true(str_eq(in, back));
        buf_clear(&buf);
    }
    arena_clear(&arena);
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {"Z",    "Zg",       "Zg=",      "Zh==",     "Zm9=",
                                        "Z===", "====",     "Zg==Zg==", "Zm9v\n",   "Zm 9",
                                        "Zm-_", "Zm9vYg=A", "=Zg=",     "Zm9vYmF*", "Z\xc3\xa4g"};
    struct arena arena;
    struct str out;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (base64_read(str_of(texts[i]), &arena, &out))
            fail_msg("\"%s\" was read", texts[i]);
    arena_clear(&arena);
}

static void what_does_not_fit_is_left_out(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 7);
    base64_add(&buf, STR("foob"));
    assert_true(buf.full);
    assert_int_equal(buf.n, 0);
    buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(all_bytes_come_back),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(what_does_not_fit_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
