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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_patch_is_coloured, begin, end),
        cmocka_unit_test_setup_teardown(files_without_a_patch_are_lines, begin, end),
        cmocka_unit_test_setup_teardown(a_long_patch_is_cut, begin, end),
    };

    return cmocka_run_group_tests_name("patch_lay", tests, NULL, NULL);
}
