/* Two places side by side: columns, groups of messages, what is shared, files. */
#include "support/check.h"

#include "base/buf.h"
#include "tui/compare_lay.h"

#include <locale.h>

#define TEXT(words)                                                      \
    {                                                                    \
        .type = "text", .text = (words), .text_bytes = sizeof(words) - 1 \
    }

static const struct tine_part part_a = TEXT("first question"), part_b = TEXT("an answer"),
                              part_c = TEXT("second question"), part_d = TEXT("another way");

#define SAID(name, place, who, part)                                                        \
    {                                                                                       \
        .id = (name), .index = (place), .kind = "message", .role = (who), .parts = &(part), \
        .part_count = 1, .json = "{}"                                                       \
    }

static const struct tine_message left[] = {
    SAID("l1", 4, "user", part_a),
    SAID("l2", 5, "assistant", part_b),
    SAID("l3", 6, "assistant", part_b),
    SAID("l4", 7, "user", part_c),
};
static const struct tine_message right[] = {
    SAID("r1", 4, "user", part_d),
    SAID("r2", 5, "assistant", part_b),
    SAID("r3", 6, "user", part_c),
};
static const struct tine_message last = SAID("m3", 3, "assistant", part_b);

static const struct tine_file files[] = {
    {.path = "a.txt",
     .name = "a.txt",
     .type = "file",
     .status = "modified",
     .additions = 2,
     .deletions = 1},
    {.path = "b.txt", .name = "b.txt", .type = "file", .status = "added", .additions = 5},
};

static const struct tine_result diff = {.common = "m3",
                                        .shared = 4,
                                        .left = left,
                                        .left_count = 4,
                                        .right = right,
                                        .right_count = 3,
                                        .files = files,
                                        .file_count = 2};

static struct str text_of(const struct line *line, struct arena *arena)
{
    struct buf text;

    buf_init(&text, 64 * 1024);
    for (size_t i = 0; i < line->count; i++)
        buf_add_str(&text, line->spans[i].text);
    return text.n ? buf_take(&text, arena) : STR("");
}

static struct str all_of(const struct laid *laid, struct arena *arena)
{
    struct buf text;

    buf_init(&text, 1024 * 1024);
    for (size_t i = 0; i < laid->count; i++) {
        buf_add_str(&text, text_of(&laid->lines[i], arena));
        buf_add_char(&text, '\n');
    }
    return buf_take(&text, arena);
}

/* The first line with both texts; -1: there is none. */
static long line_with(const struct laid *laid, const char *one, const char *other,
                      struct arena *arena)
{
    for (size_t i = 0; i < laid->count; i++) {
        const char *text = text_of(&laid->lines[i], arena).p;

        if (strstr(text, one) && (!other || strstr(strstr(text, one), other)))
            return (long)i;
    }
    return -1;
}

static void laid_out(const struct tine_result *result, int width, struct arena *arena,
                     struct compare_laid *out)
{
    struct compare_spec spec = {.titles = {"One way", "Other way"}, .diff = result, .last = &last};

    compare_lay(&spec, width, arena, out);
    for (size_t i = 0; i < out->laid.count; i++) {
        int columns = 0;

        for (size_t s = 0; s < out->laid.lines[i].count; s++)
            columns += out->laid.lines[i].spans[s].columns;
        assert_int_equal(columns, out->laid.lines[i].columns);
        assert_true(columns <= width);
    }
}

static void both_stand_side_by_side(void **state)
{
    struct arena arena;
    struct compare_laid laid;
    struct laid *lines = &laid.laid;

    (void)state;
    arena_init(&arena);
    laid_out(&diff, 100, &arena, &laid);
    assert_true(line_with(lines, "One way", "Other way", &arena) >= 0);
    assert_true(line_with(lines, "first question", "│ ", &arena) >= 0);
    assert_true(line_with(lines, "first question", "another way", &arena) >= 0);
    /* the second turns begin on the same line, although the first ones differ in length */
    assert_true(line_with(lines, "second question", "second question", &arena) >= 0);
    arena_clear(&arena);
}

static void a_narrow_window_has_one_below_the_other(void **state)
{
    struct arena arena;
    struct compare_laid laid;
    struct laid *lines = &laid.laid;
    long first, second;

    (void)state;
    arena_init(&arena);
    laid_out(&diff, COMPARE_WIDE - 1, &arena, &laid);
    assert_int_equal(line_with(lines, "One way", "Other way", &arena), -1);
    first = line_with(lines, "One way", NULL, &arena);
    second = line_with(lines, "Other way", NULL, &arena);
    assert_true(first >= 0 && second > first);
    assert_true(line_with(lines, "first question", NULL, &arena) < second);
    assert_true(line_with(lines, "another way", NULL, &arena) > second);
    laid_out(&diff, 20, &arena, &laid);
    laid_out(&diff, 1, &arena, &laid);
    arena_clear(&arena);
}

static void what_is_shared_is_told_first(void **state)
{
    struct arena arena;
    struct compare_laid laid;
    struct tine_result nothing = {0};

    (void)state;
    arena_init(&arena);
    laid_out(&diff, 100, &arena, &laid);
    CHECK_STR(text_of(&laid.laid.lines[0], &arena),
              "They share 4 messages, the last of them: an answer");
    laid_out(&nothing, 100, &arena, &laid);
    CHECK_STR(text_of(&laid.laid.lines[0], &arena), "They have no message in common.");
    assert_true(line_with(&laid.laid, "nothing more", "nothing more", &arena) >= 0);
    assert_true(line_with(&laid.laid, "No file differs", NULL, &arena) >= 0);
    arena_clear(&arena);
}

static void the_headings_are_where_they_are_said_to_be(void **state)
{
    struct arena arena;
    struct compare_laid laid;

    (void)state;
    arena_init(&arena);
    for (int width = 30; width < 140; width += 7) {
        laid_out(&diff, width, &arena, &laid);
        assert_non_null(
            strstr(text_of(&laid.laid.lines[laid.messages_at], &arena).p, "Messages since"));
        assert_non_null(strstr(text_of(&laid.laid.lines[laid.files_at], &arena).p, "Files: 2"));
        assert_true(line_with(&laid.laid, "b.txt", NULL, &arena) > (long)laid.files_at);
    }
    assert_non_null(strstr(text_of(&laid.laid.lines[laid.files_at], &arena).p, "+7 -1"));
    arena_clear(&arena);
}

static void what_is_left_out_is_told(void **state)
{
    struct arena arena;
    struct compare_laid laid;
    struct tine_result more = diff;

    (void)state;
    arena_init(&arena);
    laid_out(&diff, 100, &arena, &laid);
    assert_null(strstr(all_of(&laid.laid, &arena).p, "and more"));
    more.right_more = true;
    laid_out(&more, 100, &arena, &laid);
    assert_true(line_with(&laid.laid, "│", "and more", &arena) >= 0);
    more.right_more = false;
    more.files_more = true;
    laid_out(&more, 100, &arena, &laid);
    assert_non_null(
        strstr(text_of(&laid.laid.lines[laid.files_at], &arena).p, "Files: 2 and more differ"));
    arena_clear(&arena);
}

static void groups_begin_with_a_person(void **state)
{
    (void)state;
    assert_int_equal(compare_group(left, 4, 0), 3);
    assert_int_equal(compare_group(left, 4, 3), 1);
    assert_int_equal(compare_group(left, 4, 4), 0);
    assert_int_equal(compare_group(left + 1, 2, 0), 2); /* nobody asked: all of it is one */
    assert_int_equal(compare_group(NULL, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_stand_side_by_side),
        cmocka_unit_test(a_narrow_window_has_one_below_the_other),
        cmocka_unit_test(what_is_shared_is_told_first),
        cmocka_unit_test(the_headings_are_where_they_are_said_to_be),
        cmocka_unit_test(what_is_left_out_is_told),
        cmocka_unit_test(groups_begin_with_a_person),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("compare_lay", tests, NULL, NULL);
}
