/* What a move would do, in words. */
#include "support/check.h"

#include "tui/move_words.h"

#include <locale.h>
#include <stdio.h>

static const char *const two[] = {"a.txt", "b.txt"};
static const char *const one[] = {"old"};

static void titles_are_quoted_and_cut(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(move_words_title("Import", &arena), "“Import”");
    assert_string_equal(move_words_title("", &arena), "the untitled session");
    assert_null(strchr(move_words_title("a\033[31mred\nline", &arena), '\033'));
    assert_null(strchr(move_words_title("a\033[31mred\nline", &arena), '\n'));
    assert_true(strlen(move_words_title("a title that goes on and on and on until it is too long",
                                        &arena)) < 60);
    arena_clear(&arena);
}

static void a_rewind_says_what_stays_and_goes(void **state)
{
    struct tine_session session = {.messages = 8};
    struct tine_move move = {.act = "rewind", .dropped = 5, .kept = 3};
    struct tine_point point = {.index = 3};
    struct tine_files_report report = {.restored = {two, 2, 0}, .deleted = {one, 1, 4}};
    struct tine_result dry = {
        .session = &session, .move = &move, .point = &point, .report = &report};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(move_words_dry(&dry, "Try it", NULL, &arena),
                        "3 messages would stay.\n"
                        "5 messages would go, from here on:\n"
                        "  Try it\n"
                        "2 files would be written:\n"
                        "  a.txt\n"
                        "  b.txt\n"
                        "5 files would be deleted:\n"
                        "  old\n"
                        "  and 4 more\n");
    assert_true(move_words_has_files(&dry));
    assert_false(move_words_has_conflicts(&dry));
    point.snapped = true;
    assert_non_null(strstr(move_words_dry(&dry, NULL, NULL, &arena), "5 messages would go.\n"));
    assert_non_null(strstr(move_words_dry(&dry, NULL, NULL, &arena), "tool call"));
    arena_clear(&arena);
}

static void a_way_forward_says_what_comes_back(void **state)
{
    struct tine_session session = {.messages = 8};
    struct tine_move move = {.act = "rewind", .dropped = 4, .kept = 5};
    struct tine_files_report report = {0};
    struct tine_result dry = {.session = &session, .move = &move, .report = &report};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(move_words_dry(&dry, NULL, NULL, &arena), "4 messages would stay.\n"
                                                                  "4 messages would go.\n"
                                                                  "1 message would come back.\n"
                                                                  "No file would change.\n");
    assert_false(move_words_has_files(&dry));
    arena_clear(&arena);
}

static void an_adopt_says_what_is_taken_over(void **state)
{
    struct tine_session session = {.messages = 5};
    struct tine_move move = {.act = "adopt", .dropped = 0, .kept = 5, .added = 1};
    struct tine_result dry = {.session = &session, .move = &move};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(move_words_dry(&dry, NULL, "“Other”", &arena),
                        "5 messages would stay.\n"
                        "1 message of “Other” would be taken over.\n"
                        "No file would change.\n");
    arena_clear(&arena);
}

static void conflicts_have_reasons(void **state)
{
    struct tine_files_report report = {.conflicts = {two, 2, 0}};
    struct tine_conflict clashes[] = {{.path = "x", .name = "x", .reason = "text"},
                                      {.path = "y", .name = "y", .reason = "odd"}};
    struct tine_result rewind = {.report = &report};
    struct tine_result merge = {.conflicts = clashes, .conflict_count = 2, .conflicts_more = 7};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_true(move_words_has_conflicts(&rewind) && move_words_has_files(&rewind));
    assert_string_equal(move_words_conflicts(&rewind, &arena),
                        "2 files are in conflict:\n"
                        "  a.txt (somebody else changed it)\n"
                        "  b.txt (somebody else changed it)\n");
    assert_string_equal(move_words_conflicts(&merge, &arena), "9 files are in conflict:\n"
                                                              "  x (both changed the same lines)\n"
                                                              "  y (odd)\n"
                                                              "  and 7 more\n");
    merge.conflict_count = 1;
    merge.conflicts_more = 0;
    assert_non_null(strstr(move_words_conflicts(&merge, &arena), "1 file is in conflict:\n"));
    arena_clear(&arena);
}

static void only_some_paths_are_named(void **state)
{
    const char *many[100];
    struct tine_files_report report = {.restored = {many, 100, 900}};
    struct tine_result dry = {.report = &report};
    struct arena arena;
    const char *text;
    int lines = 0;

    (void)state;
    for (size_t i = 0; i < 100; i++)
        many[i] = "some/file";
    arena_init(&arena);
    text = move_words_dry(&dry, NULL, NULL, &arena);
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, MOVE_WORDS_PATHS + 2);
    assert_non_null(strstr(text, "1000 files would be written"));
    assert_non_null(strstr(text, "and 988 more"));
    arena_clear(&arena);
}

static void names_of_files_are_made_safe(void **state)
{
    static const char *const bad[] = {"a\033]0;x\007\nb"};
    struct tine_files_report report = {.restored = {bad, 1, 0}};
    struct tine_result dry = {.report = &report};
    struct arena arena;
    const char *text;

    (void)state;
    arena_init(&arena);
    text = move_words_dry(&dry, NULL, NULL, &arena);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\007'));
    arena_clear(&arena);
}

static void what_was_done_is_told_in_short(void **state)
{
    struct tine_session session = {.messages = 3};
    struct tine_move move = {.act = "rewind", .dropped = 5, .kept = 3};
    struct tine_files_report report = {.restored = {two, 2, 0}, .deleted = {one, 1, 0}};
    struct tine_result result = {.session = &session, .move = &move, .report = &report};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(move_words_done(&result, &arena),
                        "5 messages dropped, 2 files written, 1 file deleted, 3 messages now");
    assert_string_equal(move_words_done(&(struct tine_result){0}, &arena), "");
    arena_clear(&arena);
}

static void a_fork_says_where_it_came_from(void **state)
{
    struct tine_parent parent = {.session = "s", .title = "Import"};
    struct tine_session session = {.id = "f", .parent = &parent, .messages = 6};
    struct tine_point point = {.message = "m", .side = "after", .index = 6};
    struct tine_result result = {.session = &session, .point = &point};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_string_equal(move_words_fork(&result, &arena),
                        "forked from “Import” after message 6 · 6 messages shared; the original "
                        "is untouched");
    point.side = "before";
    assert_non_null(strstr(move_words_fork(&result, &arena), "before message 7"));
    point = (struct tine_point){.side = "after"};
    assert_non_null(strstr(move_words_fork(&result, &arena), "at the beginning"));
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_are_quoted_and_cut),
        cmocka_unit_test(a_rewind_says_what_stays_and_goes),
        cmocka_unit_test(a_way_forward_says_what_comes_back),
        cmocka_unit_test(an_adopt_says_what_is_taken_over),
        cmocka_unit_test(conflicts_have_reasons),
        cmocka_unit_test(only_some_paths_are_named),
        cmocka_unit_test(names_of_files_are_made_safe),
        cmocka_unit_test(what_was_done_is_told_in_short),
        cmocka_unit_test(a_fork_says_where_it_came_from),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("move_words", tests, NULL, NULL);
}
