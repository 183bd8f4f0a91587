/* Differences of files, and what a move does to them, in words and colours. */
#include "laid.h"
#include "support/check.h"

#include "tui/patch_lay.h"

#include <locale.h>

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static struct laid lay_files(const struct tine_file *files, size_t count, bool more)
{
    struct flow *flow = flow_new(&arena, 60);

    patch_lay_files(flow, files, count, more);
    return flow_end(flow);
}

static const char *report_text(const struct tine_files_report *report)
{
    struct flow *flow = flow_new(&arena, 60);

    patch_lay_report(flow, report);
    return laid_text(flow_end(flow), 60, &arena);
}

static void a_patch_is_coloured(void **state)
{
    static const char patch[] = "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\n+++ b/x.c\n"
                                "@@ -1,3 +1,3 @@\n same\n-old\tx\n+new\033\n\n--- gone\n"
                                "\\ No newline at end of file\n";
    const struct tine_file file = {.name = "x.c",
                                   .status = "modified",
                                   .additions = 1,
                                   .deletions = 2,
                                   .patch = patch,
                                   .patch_bytes = sizeof(patch) - 1};
    struct laid laid = lay_files(&file, 1, false);

    (void)state;
    assert_string_equal(laid_text(laid, 60, &arena),
                        "modified  x.c  +1  -2\n@@ -1,3 +1,3 @@\n same\n-old    x\n+new\\e\n\n"
                        "--- gone\n\\ No newline at end of file\n");
    CHECK_LOOK(laid, "@@", TONE_HEADING, 0);
    CHECK_LOOK(laid, "+new", TONE_GOOD, 0);
    CHECK_LOOK(laid, "-old", TONE_BAD, 0);
    CHECK_LOOK(laid, "--- gone", TONE_BAD, 0);
    CHECK_LOOK(laid, "same", TONE_TEXT, 0);
}

static void files_without_a_patch_are_lines(void **state)
{
    const struct tine_file files[] = {
        {.name = "new", .status = "added", .additions = 3},
        {.name = "gone", .status = "deleted", .binary = true},
        {.name = "huge", .status = "modified", .too_long = true},
        {.name = "run.sh", .status = "mode"},
        {0},
    };
    struct laid laid = lay_files(files, 5, true);

    (void)state;
    assert_string_equal(laid_text(laid, 60, &arena),
                        "added  new  +3\ndeleted  gone  binary\n"
                        "modified  huge  too long to be shown\npermissions  run.sh\nchanged\n"
                        "… and more files\n");
    CHECK_LOOK(laid, "added", TONE_GOOD, LOOK_BOLD);
    CHECK_LOOK(laid, "deleted", TONE_BAD, LOOK_BOLD);
    assert_string_equal(laid_text(lay_files(NULL, 0, false), 60, &arena), "no files differ\n");
}

static void a_long_patch_is_cut(void **state)
{
    enum { LINES = 5000 };
    char *patch = arena_alloc(&arena, 3 * LINES + 1);
    struct tine_file file = {.name = "x", .patch = patch, .patch_bytes = 3 * LINES};
    struct laid laid;

    (void)state;
    for (size_t i = 0; i < LINES; i++)
        memcpy(patch + 3 * i, i ? "+x\n" : "@@\n", 3);
    laid = lay_files(&file, 1, false);
    assert_int_equal(laid.count, 1 + 2000 + 1);
    assert_non_null(strstr(laid_text(laid, 60, &arena), "… 3000 more lines\n"));
}

static void a_report_is_told_in_words(void **state)
{
    static const char *const written[] = {"a.c", "b\\xff"}, *const gone[] = {"c"},
                             *const others[] = {"d"}, *const left[] = {"dev"};
    const struct tine_files_report report = {
        .restored = {written, 2, 0},
        .deleted = {gone, 1, 0},
        .conflicts = {others, 1, 0},
        .skipped = {left, 1, 0},
    };

    (void)state;
    assert_string_equal(report_text(&report),
                        "1 file was changed by others since:\n  d\n3 files change\n"
                        "2 are written as they were:\n  a.c\n  b\\xff\n"
                        "1 is deleted, as it was not there:\n  c\n1 is left alone:\n  dev\n");
    assert_string_equal(report_text(&(struct tine_files_report){0}), "no files change\n");
    assert_string_equal(report_text(NULL), "no files change\n");
}

static void long_lists_are_cut(void **state)
{
    const char *paths[30];
    struct tine_files_report report = {.restored = {paths, 30, 5}};
    const char *text;

    (void)state;
    for (size_t i = 0; i < 30; i++)
        paths[i] = arena_printf(&arena, "file%zu", i).p;
    text = report_text(&report);
    assert_non_null(strstr(text, "35 are written as they were:\n"));
    assert_non_null(strstr(text, "  file19\n  and 15 more\n"));
    assert_null(strstr(text, "file20"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_patch_is_coloured, begin, end),
        cmocka_unit_test_setup_teardown(files_without_a_patch_are_lines, begin, end),
        cmocka_unit_test_setup_teardown(a_long_patch_is_cut, begin, end),
        cmocka_unit_test_setup_teardown(a_report_is_told_in_words, begin, end),
        cmocka_unit_test_setup_teardown(long_lists_are_cut, begin, end),
    };

    return cmocka_run_group_tests_name("patch_lay", tests, NULL, NULL);
}
