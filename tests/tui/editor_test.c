/* The person's editor, here a script: what it is given, what comes back, what goes wrong. */
#include "support/check.h"

#include "base/buf.h"
#include "base/clock.h"
#include "tui/composer.h"
#include "tui/editor.h"

#include <dirent.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct desk {
    char directory[64];
    struct arena arena;
    struct fault fault;
    struct str out;
};

static int desk_begin(void **state)
{
    static struct desk desk;

    snprintf(desk.directory, sizeof desk.directory, "/tmp/tine-editor-XXXXXX");
    assert_non_null(mkdtemp(desk.directory));
    setenv("TMPDIR", desk.directory, 1);
    unsetenv("VISUAL");
    unsetenv("EDITOR");
    arena_init(&desk.arena);
    desk.out = STR("untouched");
    *state = &desk;
    return 0;
}

static int desk_end(void **state)
{
    struct desk *desk = *state;

    arena_clear(&desk->arena);
    return rmdir(desk->directory); /* nothing was left */
}

static void check_edit(struct desk *desk, const char *editor, const char *text, const char *want)
{
    setenv("VISUAL", editor, 1);
    CHECK_OK(editor_run(str_of(text), &desk->arena, &desk->out, &desk->fault), &desk->fault);
    CHECK_STR(desk->out, want);
}

static void check_wrong(struct desk *desk, const char *editor, enum fault_code code,
                        const char *words)
{
    setenv("VISUAL", editor, 1);
    CHECK_FAULT(editor_run(STR("text"), &desk->arena, &desk->out, &desk->fault), code,
                &desk->fault);
    if (!strstr(desk->fault.message, words))
        fail_msg("\"%s\" does not say \"%s\"", desk->fault.message, words);
    CHECK_STR(desk->out, "untouched");
}

/* Removes the file that the fault names, which must be there. */
static void remove_kept(struct desk *desk)
{
    char path[FAULT_MESSAGE_MAX];
    const char *begin = strstr(desk->fault.message, "kept in \""), *end;

    assert_non_null(begin);
    begin += strlen("kept in \"");
    end = strchr(begin, '"');
    assert_non_null(end);
    snprintf(path, sizeof path, "%.*s", (int)(end - begin), begin);
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
}

static void the_text_goes_there_and_back(void **state)
{
    struct desk *desk = *state;

    check_edit(desk, "true", "as it was\n\n  with this", "as it was\n\n  with this");
    check_edit(desk, "true", "ends with a break\n", "ends with a break\n");
    check_edit(desk, "true", "", "");
    check_edit(desk, "printf 'new text\\n' >", "old", "new text");
    check_edit(desk, "printf 'no end' >", "old", "no end");
    check_edit(desk, "printf '\\303\\244\\r\\n' >", "old", "\xc3\xa4");
    check_edit(desk, ": >", "old", "");
    check_edit(desk, "sed -i -e s/old/new/ -e 's/$/ !/'", "old\nx", "new !\nx !");
}

static void the_file_is_private(void **state)
{
    struct desk *desk = *state;

    check_edit(desk,
               "f() { stat -c %a \"$1\" \"$(dirname \"$1\")\" > /dev/shm/$$; basename \"$1\" "
               ">> /dev/shm/$$; cat /dev/shm/$$ > \"$1\"; rm /dev/shm/$$; }; f",
               "x", "600\n700\nmessage.md");
}

static void the_environment_says_which(void **state)
{
    struct desk *desk = *state;

    setenv("EDITOR", "printf editor >", 1);
    check_edit(desk, "printf visual >", "", "visual");
    check_edit(desk, " ", "", "editor");
    unsetenv("VISUAL");
    unsetenv("EDITOR");
    setenv("PATH", "/nowhere", 1);
    CHECK_FAULT(editor_run(STR("x"), &desk->arena, &desk->out, &desk->fault), FAULT_IO,
                &desk->fault);
    setenv("PATH", "/usr/bin:/bin", 1);
}

static void what_goes_wrong_is_said(void **state)
{
    struct desk *desk = *state;

    check_wrong(desk, "false", FAULT_IO, "exit status 1");
    check_wrong(desk, "no-such-editor-here 2>/dev/null", FAULT_IO, "was not found");
    check_wrong(desk, "kill -9 $$", FAULT_IO, "signal 9");
    check_wrong(desk, "rm", FAULT_IO, "cannot read");
    setenv("TMPDIR", "/nowhere/at/all", 1);
    check_wrong(desk, "true", FAULT_IO, "/nowhere/at/all");
    setenv("TMPDIR", desk->directory, 1);
}

static void nothing_that_was_written_is_lost(void **state)
{
    struct desk *desk = *state;
    char words[100];

    check_wrong(desk, "printf '\\377' >", FAULT_INVALID, "not valid UTF-8");
    remove_kept(desk);
    check_wrong(desk, "printf 'a\\0b' >", FAULT_INVALID, "not valid UTF-8");
    remove_kept(desk);
    snprintf(words, sizeof words, "truncate -s %d", COMPOSER_MAX + 100);
    check_wrong(desk, words, FAULT_TOO_LARGE, "longer than 4 MiB");
    remove_kept(desk);
    check_wrong(desk, "f() { echo more >> \"$1\"; exit 3; }; f", FAULT_IO, "exit status 3");
    remove_kept(desk);
}

/* ---- signals ---- */

static void signals_are_as_a_shell_gives_them(void **state)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, now;
    struct desk *desk = *state;

    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTSTP, &ignore, NULL);
    check_edit(desk,
               "f() { ign=$(sed -n 's/SigIgn:[^0-9]*//p' /proc/self/status); "
               "echo $((0x$ign & 0x80006)) > \"$1\"; }; f",
               "", "0"); /* of SIGTSTP, SIGQUIT and SIGINT, none */
    sigaction(SIGTSTP, NULL, &now);
    assert_ptr_equal(now.sa_handler, SIG_IGN); /* as it was */
    ignore.sa_handler = SIG_DFL;
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTSTP, &ignore, NULL);
    check_edit(desk, "f() { kill -INT $PPID; echo alive > \"$1\"; }; f", "", "alive");
    sigaction(SIGINT, NULL, &now);
    assert_ptr_equal(now.sa_handler, SIG_DFL);
}

/* Runs the editor in a terminal of its own and exits with 0 when it gave that text. */
static void be_a_program(struct desk *desk, const char *want)
{
    if (editor_run(STR("text"), &desk->arena, &desk->out, &desk->fault) != FAULT_OK)
        _exit(2);
    if (!str_eq(desk->out, str_of(want)))
        _exit(3);
    _exit(tcgetpgrp(STDIN_FILENO) == getpgrp() ? 0 : 4); /* the terminal is ours again */
}

/* Waits for a word from the terminal. */
static void wait_for(int terminal, const char *word)
{
    struct buf said;
    char piece[256];

    buf_init(&said, 64 * 1024);
    while (!said.n || !strstr(said.p, word)) {
        ssize_t n = read(terminal, piece, sizeof piece);

        assert_true(n > 0);
        buf_add(&said, piece, (size_t)n);
        assert_false(said.full);
    }
    buf_clear(&said);
}

static pid_t run_in_terminal(struct desk *desk, const char *editor, const char *want, int *terminal)
{
    pid_t pid;

    setenv("VISUAL", editor, 1);
    pid = forkpty(terminal, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0)
        be_a_program(desk, want);
    return pid;
}

static void check_exit(pid_t pid, int terminal)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(terminal);
}

static void the_editor_has_the_terminal(void **state)
{
    struct desk *desk = *state;
    int terminal;
    pid_t pid = run_in_terminal(desk,
                                "f() { trap 'echo interrupted > \"$1\"; exit 0' INT; echo ready; "
                                "read line; }; f",
                                "interrupted", &terminal);

    wait_for(terminal, "ready");
    assert_int_equal(write(terminal, "\x03", 1), 1); /* Ctrl-C is for the editor alone */
    check_exit(pid, terminal);
}

static void a_stopped_editor_is_continued(void **state)
{
    struct desk *desk = *state;
    int terminal;
    /* Nobody stands above this program who could continue it: it goes on at once. */
    pid_t pid =
        run_in_terminal(desk, "f() { echo ready; read line; echo \"got $line\" > \"$1\"; }; f",
                        "got it", &terminal);

    wait_for(terminal, "ready");
    assert_int_equal(write(terminal, "\x1a", 1), 1);
    clock_pause_ms(100);
    assert_int_equal(write(terminal, "it\n", 3), 3);
    check_exit(pid, terminal);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, desk_begin, desk_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(the_text_goes_there_and_back),     DESK_TEST(the_file_is_private),
        DESK_TEST(the_environment_says_which),       DESK_TEST(what_goes_wrong_is_said),
        DESK_TEST(nothing_that_was_written_is_lost), DESK_TEST(signals_are_as_a_shell_gives_them),
        DESK_TEST(the_editor_has_the_terminal),      DESK_TEST(a_stopped_editor_is_continued),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
