/* What was sent, over the end of the program: kept, bounded, shared, and never in the way. */
#include "support/check.h"

#include "base/buf.h"
#include "tui/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    char directory[64], path[80];
};

static int place_begin(void **state)
{
    static struct place place;

    snprintf(place.directory, sizeof place.directory, "/tmp/tine-history-XXXXXX");
    assert_non_null(mkdtemp(place.directory));
    snprintf(place.path, sizeof place.path, "%s/history", place.directory);
    *state = &place;
    return 0;
}

static int place_end(void **state)
{
    struct place *place = *state;

    unlink(place->path);
    rmdir(place->directory);
    return access(place->directory, F_OK) == 0; /* nothing else was left there */
}

static void add(struct history *history, const char *text)
{
    history_add(history, str_of(text), true);
}

/* The file as a new program reads it. */
static void check_kept(struct place *place, size_t count, const char *oldest, const char *newest)
{
    struct history *history = history_new(place->path);

    assert_int_equal(history_count(history), count);
    if (count) {
        CHECK_STR(history_at(history, 0), oldest);
        CHECK_STR(history_at(history, count - 1), newest);
    }
    history_free(history);
}

static void write_file(struct place *place, const char *text)
{
    FILE *file = fopen(place->path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static off_t file_size(struct place *place)
{
    struct stat file;

    assert_int_equal(stat(place->path, &file), 0);
    return file.st_size;
}

static void entries_are_kept(void **state)
{
    struct place *place = *state;
    struct history *history = history_new(place->path);
    struct stat file;

    add(history, "first");
    add(history, "two\nlines \"quoted\" \\ \x01 \xc3\xa4");
    add(history, "");
    add(history, " \n\t");
    add(history, "third");
    add(history, "third");
    assert_int_equal(history_count(history), 3);
    CHECK_STR(history_at(history, 1), "two\nlines \"quoted\" \\ \x01 \xc3\xa4");
    history_free(history);
    check_kept(place, 3, "first", "third");
    assert_int_equal(stat(place->path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
}

static void what_was_not_sent_is_not_in_the_file(void **state)
{
    struct place *place = *state;
    struct history *history = history_new(place->path);

    add(history, "sent");
    history_add(history, STR("cleared"), false);
    assert_int_equal(history_count(history), 2);
    check_kept(place, 1, "sent", "sent");
    add(history, "cleared"); /* … and sent after all */
    check_kept(place, 2, "sent", "cleared");
    assert_int_equal(history_count(history), 2);
    history_free(history);
}

static void broken_lines_are_passed_over(void **state)
{
    struct place *place = *state;
    struct history *history;

    write_file(place, "\"one\"\n\n{\"no\":1}\nnothing\n\"bad \\x\"\n\"\xff\"\n\"two\" \"three\"\n"
                      "\"four\"\n\"never end");
    check_kept(place, 2, "one", "four");
    history = history_new(place->path);
    add(history, "five"); /* does not go with the broken one */
    history_free(history);
    check_kept(place, 3, "one", "five");
}

static void the_file_is_made_private(void **state)
{
    struct place *place = *state;
    struct history *history;
    struct stat file;

    write_file(place, "\"one\"\n");
    assert_int_equal(chmod(place->path, 0644), 0);
    history = history_new(place->path);
    add(history, "two");
    history_free(history);
    assert_int_equal(stat(place->path, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0600);
}

static void there_are_not_too_many(void **state)
{
    struct place *place = *state;
    struct history *history = history_new(place->path);
    char text[32];

    for (int i = 0; i < 2 * HISTORY_MAX + 100; i++) {
        snprintf(text, sizeof text, "entry %d", i);
        add(history, text);
    }
    assert_int_equal(history_count(history), HISTORY_MAX);
    history_free(history);
    check_kept(place, HISTORY_MAX, "entry 1100", "entry 2099");
    assert_true(file_size(place) < HISTORY_MAX * 2 * 15); /* it was written anew */
}

static void they_are_not_too_large(void **state)
{
    struct place *place = *state;
    struct history *history = history_new(place->path);
    size_t n = 100 * 1024;
    char *big = malloc(20 * n);

    memset(big, 'x', 20 * n);
    for (int i = 0; i < 60; i++) {
        big[0] = (char)('!' + i);
        history_add(history, (struct str){big, n}, true);
        assert_true(file_size(place) <= HISTORY_FILE_MAX);
    }
    assert_int_equal(history_count(history), HISTORY_BYTES_MAX / n);
    history_add(history, (struct str){big, 20 * n}, true); /* too long: costs the others nothing */
    history_add(history, (struct str){big, 20 * n}, false);
    assert_int_equal(history_count(history), HISTORY_BYTES_MAX / n);
    assert_int_equal(history_at(history, history_count(history) - 1).n, n);
    assert_true(file_size(place) <= HISTORY_FILE_MAX);
    history_free(history);
    history = history_new(place->path);
    assert_int_equal(history_count(history), HISTORY_BYTES_MAX / n);
    history_free(history);
    free(big);
}

static void a_huge_file_is_read_from_its_end(void **state)
{
    struct place *place = *state;
    FILE *file = fopen(place->path, "w");
    struct history *history;

    assert_non_null(file);
    for (int i = 0; i < HISTORY_FILE_MAX / 8; i++)
        fprintf(file, "\"entry %d\"\n", i);
    assert_int_equal(fclose(file), 0);
    assert_true(file_size(place) > HISTORY_FILE_MAX);
    history = history_new(place->path);
    assert_int_equal(history_count(history), HISTORY_MAX);
    CHECK_STR(history_at(history, HISTORY_MAX - 1), "entry 524287");
    add(history, "more");
    history_free(history);
    assert_true(file_size(place) < 100 * 1024);
    check_kept(place, HISTORY_MAX, "entry 523289", "more");
}

enum { PROGRAMS = 4, EACH = 700 };

/* Writes its entries and says with its exit status that all went well. */
static void be_a_program(struct place *place, int which)
{
    struct history *history = history_new(place->path);
    char text[32];

    for (int i = 0; i < EACH; i++) {
        snprintf(text, sizeof text, "%d.%d", which, i);
        add(history, text);
    }
    history_free(history);
    _exit(0);
}

static void programs_do_not_destroy_each_other(void **state)
{
    struct place *place = *state;
    int last[PROGRAMS] = {0}, next[PROGRAMS];
    struct history *history;

    for (int i = 0; i < PROGRAMS; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            be_a_program(place, i);
        next[i] = -1;
    }
    for (int i = 0; i < PROGRAMS; i++) {
        int status;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    history = history_new(place->path);
    assert_int_equal(history_count(history), HISTORY_MAX);
    for (size_t i = 0; i < history_count(history); i++) {
        struct str entry = history_at(history, i);
        char text[32];
        int which, number;

        snprintf(text, sizeof text, "%.*s", STR_ARG(entry));
        assert_int_equal(sscanf(text, "%d.%d", &which, &number), 2);
        assert_in_range(which, 0, PROGRAMS - 1);
        if (next[which] >= 0) /* of what is kept, nothing of any program is missing */
            assert_int_equal(number, next[which]);
        next[which] = number + 1;
        last[which] = number;
    }
    assert_true(last[0] == EACH - 1 || last[1] == EACH - 1 || last[2] == EACH - 1 ||
                last[3] == EACH - 1);
    history_free(history);
}

static void without_a_file_it_works_all_the_same(void **state)
{
    static const char *const paths[] = {"/dev/null/history", "/proc/nothing/history", "/dev/null",
                                        "/"};

    (void)state;
    for (size_t i = 0; i <= sizeof paths / sizeof *paths; i++) {
        struct history *history = history_new(i ? paths[i - 1] : NULL);

        add(history, "one");
        add(history, "two");
        assert_int_equal(history_count(history), 2);
        CHECK_STR(history_at(history, 1), "two");
        history_free(history);
    }
}

static void the_directory_is_made(void **state)
{
    struct place *place = *state;
    char path[128], directory[100];
    struct history *history;

    snprintf(directory, sizeof directory, "%s/state", place->directory);
    snprintf(path, sizeof path, "%s/history", directory);
    history = history_new(path);
    add(history, "one");
    history_free(history);
    history = history_new(path);
    assert_int_equal(history_count(history), 1);
    history_free(history);
    unlink(path);
    rmdir(directory);
}

#define PLACE_TEST(test) cmocka_unit_test_setup_teardown(test, place_begin, place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(entries_are_kept),
        PLACE_TEST(what_was_not_sent_is_not_in_the_file),
        PLACE_TEST(broken_lines_are_passed_over),
        PLACE_TEST(the_file_is_made_private),
        PLACE_TEST(there_are_not_too_many),
        PLACE_TEST(they_are_not_too_large),
        PLACE_TEST(a_huge_file_is_read_from_its_end),
        PLACE_TEST(programs_do_not_destroy_each_other),
        cmocka_unit_test(without_a_file_it_works_all_the_same),
        PLACE_TEST(the_directory_is_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
