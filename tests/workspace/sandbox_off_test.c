/* With the sandbox turned off by name: the same limits, and still nobody is left behind. */
#include "hostile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct trial trial;

static int setup(void **state)
{
    (void)state;
    trial_open(&trial);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trial_close(&trial);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    return 0;
}

static void runs_and_says_how_it_ended(void **state)
{
    (void)state;
    assert_true(sandbox_is_off());
    CHECK_OK(sandbox_ready(&trial.fault), &trial.fault);
    trial_expect(&trial, "echo a; echo b >&2; exit 3", 3, "a\nb\n");
    trial_expect(&trial, "kill -9 $$", 137, "");
    trial_run(&trial, "pwd");
    assert_true(trial_printed(&trial, trial.dir));
}

static void keeps_what_goes_to_stderr_apart(void **state)
{
    (void)state;
    trial.spec.apart = true;
    trial_expect(&trial, "echo a; echo b >&2; echo c; exit 3", 3, "a\nc\n");
    assert_true(str_eq(trial.result.errors, STR("b\n")));
    trial.spec.limits.output_bytes = 1000;
    trial_run(&trial, "head -c 300000 /dev/zero | tr '\\0' x >&2; echo end");
    assert_true(str_eq(trial.result.output, STR("end\n")));
    assert_true(trial.result.errors.n > 1000 && trial.result.errors.n < 2000);
    trial.spec.apart = false;
    trial_expect(&trial, "echo b >&2", 0, "b\n");
    assert_int_equal(trial.result.errors.n, 0);
}

static void sees_no_variable_of_the_server(void **state)
{
    (void)state;
    setenv("OPENAI_API_KEY", "sk-very-secret", 1);
    trial_run(&trial, "env");
    assert_false(trial_printed(&trial, "sk-very-secret"));
    unsetenv("OPENAI_API_KEY");
}

static void is_given_variables(void **state)
{
    const struct sandbox_variable list[] = {
        {STR("WORD"), STR("first")}, {STR("HOME"), STR("/elsewhere")}, {STR("WORD"), STR("a 'b'")}};

    (void)state;
    trial.spec.env = (struct sandbox_env){list, 3};
    trial_expect(&trial, "printf '%s|%s|%s' \"$WORD\" \"$HOME\" \"$USER\"; env | grep -c HOME=", 0,
                 "a 'b'|/elsewhere|work1\n");
}

static void stops_a_fork_bomb(void **state)
{
    (void)state;
    trial.spec.limits.processes = 64;
    trial_run(&trial, "bomb_without() { bomb_without | bomb_without & }; bomb_without; sleep 20");
    assert_int_equal(trial.result.end, SANDBOX_LIMIT);
    assert_true(trial.took_ms < 15000);
    assert_int_equal(trial_count("bomb_without"), 0);
}

static void leaves_nobody_behind(void **state)
{
    (void)state;
    trial_run(&trial, "setsid sleep 98703 & (setsid bash -c 'trap \"\" TERM; sleep 98703 & "
                      "sleep 98703' &); sleep 0.3; echo done");
    assert_int_equal(trial.result.code, 0);
    assert_int_equal(trial_count("98703"), 0);
}

static void ends_in_time(void **state)
{
    (void)state;
    trial.spec.limits.time_ms = 300;
    trial_run(&trial, "trap '' TERM; setsid sleep 98704 & while :; do sleep 1; done");
    assert_int_equal(trial.result.end, SANDBOX_TIMED_OUT);
    assert_true(trial.took_ms < 3000);
    assert_int_equal(trial_count("98704"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_and_says_how_it_ended),
        TEST(sees_no_variable_of_the_server),
        TEST(keeps_what_goes_to_stderr_apart),
        TEST(sees_no_variable_of_the_server),
        TEST(is_given_variables),
        TEST(stops_a_fork_bomb),
        TEST(leaves_nobody_behind),
        TEST(ends_in_time),
    };

    sandbox_turn_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
