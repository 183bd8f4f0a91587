/* The file that a conversation is written to. */
#include "support/check.h"

#include "tui/talk_export.h"

#include <stdlib.h>

static void check(const char *path, const char *title, const char *want)
{
    char out[256];

    assert_true(talk_export_path(path, title, out, sizeof(out)));
    assert_string_equal(out, want);
}

static void a_path_is_taken_as_it_is(void **state)
{
    (void)state;
    check("x.jsonl", "Title", "x.jsonl");
    check("/a b/x.md", "Title", "/a b/x.md");
    check("~x.md", "Title", "~x.md");
}

static void a_tilde_is_the_home(void **state)
{
    (void)state;
    assert_int_equal(setenv("HOME", "/home/anna", 1), 0);
    check("~/x.md", "Title", "/home/anna/x.md");
    assert_int_equal(unsetenv("HOME"), 0);
    check("~/x.md", "Title", "~/x.md");
}

static void a_title_is_a_name(void **state)
{
    (void)state;
    check("", "Plan the trip!", "Plan-the-trip.md");
    check("", "../../etc/passwd", "etc-passwd.md");
    check("", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.md");
    check("", "", "conversation.md");
    check("", "?! -", "conversation.md");
}

/* 80 bytes of it. */
static void a_long_title_is_cut_between_letters(void **state)
{
    char title[200], want[200];

    (void)state;
    memset(title, 'a', sizeof(title));
    memcpy(title + 78, "\xe6\x97\xa5 more", 8);
    title[120] = '\0';
    memset(want, 'a', sizeof(want));
    memcpy(want + 78, ".md", 4);
    check("", title, want);
    memcpy(title + 77, "\xe6\x97\xa5\xe6\x97\xa5", 7); /* the first one has just room */
    memcpy(want + 77, "\xe6\x97\xa5.md", 7);
    check("", title, want);
    title[80] = '\0';
    check("", title, want);
}

static void what_is_too_long_is_said(void **state)
{
    char out[8];

    (void)state;
    assert_false(talk_export_path("a-name.md", "", out, sizeof(out)));
    assert_true(talk_export_path("name.md", "", out, sizeof(out)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_taken_as_it_is),
        cmocka_unit_test(a_tilde_is_the_home),
        cmocka_unit_test(a_title_is_a_name),
        cmocka_unit_test(a_long_title_is_cut_between_letters),
        cmocka_unit_test(what_is_too_long_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
