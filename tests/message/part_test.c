/* The parts of a message, as whoever reads it sees them. */
#include "support/check.h"

#include "base/buf.h"
#include "message/part.h"

#include <sys/resource.h>

enum { PARTS = 20 * 1000, MEMORY_MAX_KB = 512 * 1024 };

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static struct str text_of(const char *parts)
{
    return parts_text(arena_printf(&arena, "{\"parts\":%s}", parts), &arena);
}

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"

static void texts_have_a_line_each(void **state)
{
    struct str text;

    (void)state;
    CHECK_STR(text_of("[" TEXT("a") "," TEXT("b") "]"), "a\nb");
    CHECK_STR(text_of("[" TEXT("") "," TEXT("a") ",{\"type\":\"data\",\"data\":{}}," TEXT("") "]"),
              "a\n");
    assert_int_equal(text_of("[]").n, 0);
    assert_int_equal(parts_text(STR("{}"), &arena).n, 0);
    text = text_of("[" TEXT("a\\u0000b") "," TEXT("c") "]");
    assert_int_equal(text.n, 5);
    assert_memory_equal(text.p, "a\0b\nc", 5);
}

/* As many as a message has room for: the text is put together once, and not once for each part. */
static void many_texts_need_no_more_than_they_are(void **state)
{
    struct rusage use;
    struct buf parts;
    struct str text;

    (void)state;
    buf_init(&parts, (size_t)PARTS * 64);
    for (int i = 0; i < PARTS; i++)
        buf_add_text(&parts, i ? "," TEXT("abc") : TEXT("abc"));
    text = text_of(arena_printf(&arena, "[%s]", parts.p).p);
    buf_clear(&parts);
    assert_int_equal(text.n, 4 * PARTS - 1);
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    assert_true(use.ru_maxrss < MEMORY_MAX_KB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_have_a_line_each, begin, end),
        cmocka_unit_test_setup_teardown(many_texts_need_no_more_than_they_are, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
