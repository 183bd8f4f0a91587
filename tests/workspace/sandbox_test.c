/* The sandbox: what a command may do, and everything that it must not, really tried. */
#include "hostile.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct trial trial;

static int setup(void **state)
{
    struct fault fault;

    (void)state;
    trial_open(&trial);
    if (sandbox_ready(&fault)) {
        print_message("# %s\n", fault.message);
        return -1;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trial_close(&trial);
    /* Whatever was tried, nothing of it is left, not even dead. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    return 0;
}

static void runs_and_says_how_it_ended(void **state)
{
    (void)state;
    trial_expect(&trial, "pwd; echo to stderr >&2; exit 3", 3, "/work\nto stderr\n");
    trial_expect(&trial, "echo kept > file", 0, "");
    trial_expect(&trial, "cat file", 0, "kept\n");
    trial_expect(&trial, "kill -9 $$", 137, "");
    trial_expect(&trial, "nosuchcommand_at_all 2>/dev/null", 127, "");
    trial.spec.input = STR("line in\n");
    trial_expect(&trial, "cat", 0, "line in\n");
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
    trial_run(&trial, "env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline");
    assert_false(trial_printed(&trial, "sk-very-secret"));
    assert_true(trial_printed(&trial, "HOME=/work\n"));
    unsetenv("OPENAI_API_KEY");
}

static void is_given_variables(void **state)
{
    const struct sandbox_variable good[] = {{STR("WORD"), STR("a b\n'c'=")},
                                            {STR("_E2"), STR_NONE},
                                            {STR("HOME"), STR("/elsewhere")},
                                            {STR("LD_PRELOAD"), STR("/work/none.so")}};
    const struct sandbox_variable bad[] = {{STR("A-B"), STR("1")},
                                           {STR("2A"), STR("1")},
                                           {STR_NONE, STR("1")},
                                           {STR("A=B"), STR("1")},
                                           {{"A\":\"x", 1}, STR("x\0y")}};
    struct sandbox_variable many[SANDBOX_ENV_COUNT + 1];
    struct str large;

    (void)state;
    trial.spec.env = (struct sandbox_env){good, 3};
    trial_expect(&trial, "printf '%s|%s|%s' \"$WORD\" \"${_E2-unset}\" \"$HOME\"", 0,
                 "a b\n'c'=||/elsewhere");
    trial_run(&trial, "cat /proc/*/cmdline | tr '\\0' ' '");
    assert_false(trial_printed(&trial, "setenv"));
    /* bubblewrap itself does not obey it, the command does */
    trial.spec.env.count = 4;
    trial_run(&trial, "true");
    assert_int_equal(trial.result.code, 0);
    assert_true(trial_printed(&trial, "/work/none.so"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        trial.spec.env = (struct sandbox_env){&bad[i], 1};
        CHECK_FAULT(sandbox_run(&trial.spec, &trial.arena, &trial.result, &trial.fault),
                    FAULT_INVALID, &trial.fault);
    }
    assert_string_equal(trial.fault.message, "the variable \"A\" has a NUL in it");
    for (size_t i = 0; i <= SANDBOX_ENV_COUNT; i++)
        many[i] = (struct sandbox_variable){STR("A"), STR("1")};
    trial.spec.env = (struct sandbox_env){many, SANDBOX_ENV_COUNT + 1};
    CHECK_FAULT(sandbox_run(&trial.spec, &trial.arena, &trial.result, &trial.fault), FAULT_LIMIT,
                &trial.fault);
    large = arena_printf(&trial.arena, "%0*d", SANDBOX_ENV_BYTES, 0);
    many[0].value = large;
    trial.spec.env.count = 1;
    CHECK_FAULT(sandbox_run(&trial.spec, &trial.arena, &trial.result, &trial.fault), FAULT_LIMIT,
                &trial.fault);
    many[0].value.n -= 3; /* all that it takes */
    trial_expect(&trial, "echo ${#A}", 0, "65533\n");
}

static void reads_nothing_of_the_server(void **state)
{
    char other[64], path[128];
    FILE *file;
    struct str script;

    (void)state;
    scratch_make(other, sizeof(other));
    snprintf(path, sizeof(path), "%s/tine.db", other);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("rows of everybody", file);
    fclose(file);
    script = arena_printf(&trial.arena,
                          "cat %s; cat /work/../%s; ln -s %s link; cat link; ls %s; ls /root /home "
                          "/var/lib /run /sys /etc/shadow; ls /proc/1/root%s; cat /proc/1/cwd%s",
                          path, path, path, trial.dir, other, path);
    trial_run(&trial, script.p);
    assert_int_not_equal(trial.result.code, 0);
    assert_false(trial_printed(&trial, "rows of everybody"));
    assert_true(trial_printed(&trial, "/etc/shadow': No such file"));
    scratch_remove(other);
}

static void writes_nowhere_else(void **state)
{
    static const char *const places[] = {"/file",
                                         "/usr/file",
                                         "/usr/bin/file",
                                         "/etc/passwd",
                                         "/dev/file",
                                         "/proc/file",
                                         "/proc/sys/kernel/core_pattern",
                                         "/proc/sys/vm/swappiness",
                                         "/proc/self/oom_score_adj",
                                         "/proc/sysrq-trigger"};
    struct stat host;

    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        /* In a place that exists, what it holds is written back: no harm if it were allowed. */
        struct str script = arena_printf(
            &trial.arena, "was=$(cat %s 2>/dev/null); echo \"$was\" > %s", places[i], places[i]);

        trial_run(&trial, script.p);
        if (trial.result.code == 0)
            fail_msg("%s was written", places[i]);
    }
    trial_expect(&trial, "echo a > /tmp/tine_sandbox_probe && cat /tmp/tine_sandbox_probe", 0,
                 "a\n");
    assert_int_equal(stat("/tmp/tine_sandbox_probe", &host), -1);
    trial_expect(&trial, "ls /tmp", 0, "");
}

static void reaches_no_socket(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct str script;

    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 5), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    script = arena_printf(&trial.arena, "exec 3<>/dev/tcp/127.0.0.1/%d && echo connected",
                          ntohs(address.sin_port));
    trial_run(&trial, script.p);
    assert_int_not_equal(trial.result.code, 0);
    assert_true(trial_printed(&trial, "Connection refused"));
    trial.spec.network = true;
    trial_expect(&trial, script.p, 0, "connected\n");
    close(fd);
}

static void gains_no_rights(void **state)
{
    (void)state;
    trial_run(&trial, "mknod device b 7 0; mknod device c 1 1; mount -t tmpfs none /work; "
                      "unshare -U -m true && echo unshared; chroot / true && echo rooted; "
                      "grep -E 'CapEff|CapPrm|NoNewPrivs' /proc/self/status; id -u; ls device");
    assert_true(trial_printed(&trial, "CapPrm:\t0000000000000000\n"));
    assert_true(trial_printed(&trial, "CapEff:\t0000000000000000\n"));
    assert_true(trial_printed(&trial, "NoNewPrivs:\t1\n"));
    assert_true(trial_printed(&trial, "\n1000\n"));
    assert_false(trial_printed(&trial, "unshared"));
    assert_false(trial_printed(&trial, "rooted"));
    assert_int_not_equal(trial.result.code, 0);
}

static void sees_only_its_own_processes(void **state)
{
    struct str script;

    (void)state;
    trial_expect(&trial, "set -- /proc/[0-9]*; echo $# $$", 0, "2 2\n");
    script = arena_printf(&trial.arena, "kill -9 %d; cat /proc/%d/status", getpid(), getpid());
    trial_run(&trial, script.p);
    assert_int_not_equal(trial.result.code, 0);
}

static void has_no_descriptor_of_the_server(void **state)
{
    int fd = open("/dev/zero", O_RDONLY); /* not closed on exec, on purpose */

    (void)state;
    assert_true(fd >= 0);
    trial_expect(&trial, "for i in {3..300}; do [ -e /proc/$$/fd/$i ] && echo $i; done; true", 0,
                 "");
    close(fd);
}

static void stops_a_fork_bomb(void **state)
{
    (void)state;
    trial.spec.limits.processes = 64;
    trial_run(&trial, "bomb_of_tine() { bomb_of_tine | bomb_of_tine & }; bomb_of_tine; sleep 100");
    assert_int_equal(trial.result.end, SANDBOX_LIMIT);
    assert_string_equal(trial.result.why, "more than 64 processes");
    assert_int_equal(trial_count("bomb_of_tine"), 0);
}

static void stops_many_threads(void **state)
{
    (void)state;
    trial.spec.limits.processes = 32;
    trial_run(&trial,
              "python3 -c 'import threading, time\n"
              "for i in range(500): threading.Thread(target=time.sleep, args=(9,)).start()'");
    assert_int_equal(trial.result.end, SANDBOX_LIMIT);
    assert_true(trial.took_ms < 8000);
}

static void stops_a_memory_hog(void **state)
{
    (void)state;
    trial.spec.limits.memory_bytes = 128 * 1024 * 1024;
    trial_run(&trial, "python3 -c 'x = bytearray(1000 * 1000 * 1000); print(\"got it\")'");
    assert_true(trial_printed(&trial, "MemoryError"));
    /* Many that are small enough by themselves. */
    trial_run(&trial, "for i in 1 2 3 4; do python3 -c 'import time\n"
                      "x = bytearray(b\"1\") * (60 * 1000 * 1000); time.sleep(9)' & done; wait");
    assert_int_equal(trial.result.end, SANDBOX_LIMIT);
    assert_string_equal(trial.result.why, "more memory than 128 MiB");
    trial_run(&trial, "head -c 400M /dev/zero > /tmp/large; stat -c %s /tmp/large");
    assert_true(trial_printed(&trial, "No space left"));
}

static void stops_large_files(void **state)
{
    (void)state;
    trial.spec.limits.file_bytes = 1024 * 1024;
    trial_run(&trial, "head -c 3M /dev/zero > large; echo $?; stat -c %s large");
    assert_true(trial_printed(&trial, "153\n1048576\n"));
}

static void stops_a_growing_directory(void **state)
{
    (void)state;
    trial.spec.limits.disk_bytes = 8 * 1024 * 1024;
    trial_run(&trial, "for i in $(seq 1000); do head -c 1M /dev/zero > f$i; sleep 0.02; done");
    assert_int_equal(trial.result.end, SANDBOX_LIMIT);
    assert_string_equal(trial.result.why, "the directory grew by more than 8 MiB");
    trial_expect(&trial, "rm -f f*; echo still usable", 0, "still usable\n");
}

static size_t heard;

static void hear(void *context, struct str bytes)
{
    (void)context;
    heard += bytes.n;
}

static void cuts_endless_output(void **state)
{
    (void)state;
    heard = 0;
    trial.spec.output = hear;
    trial.spec.limits.time_ms = 500;
    trial.spec.limits.output_bytes = 1000;
    trial_run(&trial, "echo begin; yes");
    assert_int_equal(trial.result.end, SANDBOX_TIMED_OUT);
    assert_true(trial.result.output_all > 100000);
    assert_int_equal(trial.result.output_all, heard);
    assert_true(trial.result.output.n < 1100);
    assert_true(str_starts(trial.result.output, STR("begin\ny\ny\n")));
    assert_true(trial_printed(&trial, "bytes are left out here"));
}

static void ends_in_time(void **state)
{
    (void)state;
    trial.spec.limits.time_ms = 300;
    trial_run(&trial, "trap '' TERM INT HUP; echo deaf; while :; do sleep 1; done");
    assert_int_equal(trial.result.end, SANDBOX_TIMED_OUT);
    CHECK_STR(trial.result.output, "deaf\n");
    assert_true(trial.took_ms >= 300 && trial.took_ms < 3000);
}

static void leaves_nobody_behind(void **state)
{
    (void)state;
    trial_run(&trial,
              "setsid sleep 98701 & nohup sleep 98701 >/dev/null 2>&1 & "
              "(setsid bash -c 'trap \"\" TERM HUP; sleep 98701 & sleep 98701' &) ; "
              "python3 -c 'import os, time\n"
              "if os.fork() == 0:\n os.setsid()\n if os.fork() == 0: time.sleep(98701)' 98701 &"
              "sleep 0.3; echo done");
    assert_int_equal(trial.result.end, SANDBOX_EXITED);
    assert_int_equal(trial.result.code, 0);
    assert_true(trial_printed(&trial, "done\n"));
    assert_int_equal(trial_count("98701"), 0);
    assert_true(trial.took_ms < 5000);
}

struct canceller {
    int fd;
    struct timespec at;
};

static void *cancel_soon(void *arg)
{
    struct canceller *canceller = arg;

    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &canceller->at);
    assert_int_equal(write(canceller->fd, "c", 1), 1);
    return NULL;
}

static void is_cancelled_at_once(void **state)
{
    struct canceller canceller;
    struct timespec now;
    pthread_t thread;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    canceller.fd = fds[1];
    trial.spec.cancel_fd = fds[0];
    pthread_create(&thread, NULL, cancel_soon, &canceller);
    trial_run(&trial, "trap '' TERM; echo so far; sleep 98702 & while :; do sleep 1; done");
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_join(thread, NULL);
    assert_int_equal(trial.result.end, SANDBOX_CANCELLED);
    CHECK_STR(trial.result.output, "so far\n");
    assert_int_equal(trial_count("98702"), 0);
    assert_true((now.tv_sec - canceller.at.tv_sec) * 1000 +
                    (now.tv_nsec - canceller.at.tv_nsec) / 1000000 <
                500);
    /* Cancelled before it began. */
    trial_run(&trial, "sleep 98702");
    assert_int_equal(trial.result.end, SANDBOX_CANCELLED);
    assert_true(trial.took_ms < 1000);
    assert_int_equal(trial_count("98702"), 0);
    close(fds[0]);
    close(fds[1]);
}

static void says_why_it_cannot_be_made(void **state)
{
    static const char *const argv[] = {"/bin/true", NULL};

    (void)state;
    trial.spec.argv = argv;
    trial.spec.dir = "/nonexistent/directory";
    CHECK_FAULT(sandbox_run(&trial.spec, &trial.arena, &trial.result, &trial.fault), FAULT_SANDBOX,
                &trial.fault);
    assert_non_null(strstr(trial.fault.message, "/nonexistent/directory"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_and_says_how_it_ended),
        TEST(keeps_what_goes_to_stderr_apart),
        TEST(sees_no_variable_of_the_server),
        TEST(is_given_variables),
        TEST(reads_nothing_of_the_server),
        TEST(writes_nowhere_else),
        TEST(reaches_no_socket),
        TEST(gains_no_rights),
        TEST(sees_only_its_own_processes),
        TEST(has_no_descriptor_of_the_server),
        TEST(stops_a_fork_bomb),
        TEST(stops_many_threads),
        TEST(stops_a_memory_hog),
        TEST(stops_large_files),
        TEST(stops_a_growing_directory),
        TEST(cuts_endless_output),
        TEST(ends_in_time),
        TEST(leaves_nobody_behind),
        TEST(is_cancelled_at_once),
        TEST(says_why_it_cannot_be_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
