#include "support/check.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One line that starts lower case (or with a quoted name) and has no full stop at its end. */
static bool well_formed(const struct fault *fault)
{
    size_t n = strlen(fault->message);

    return n > 0 && !strpbrk(fault->message, "\r\n") &&
           !isupper((unsigned char)fault->message[0]) && fault->message[n - 1] != '.';
}

void check_code(enum fault_code got, enum fault_code want, const struct fault *fault,
                const char *call, const char *file, int line)
{
    if (got != want) {
        print_error("%s\n    gave %s (%s), wanted %s\n", call, fault_name(got),
                    got == FAULT_OK ? "-" : fault->message, fault_name(want));
        _fail(file, line);
    }
    if (got == FAULT_OK)
        return;
    if (fault->code != got || !well_formed(fault)) {
        print_error("%s\n    wrote %s, \"%s\", and returned %s\n", call, fault_name(fault->code),
                    fault->message, fault_name(got));
        _fail(file, line);
    }
}

void check_str(struct str got, const char *want, const char *what, const char *file, int line)
{
    if (str_eq(got, str_of(want)))
        return;
    print_error("%s\n    is \"%.*s\", wanted \"%s\"\n", what, STR_ARG(got), want);
    _fail(file, line);
}

void check_aborts(void (*act)(void))
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);

        if (null >= 0)
            dup2(null, STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
