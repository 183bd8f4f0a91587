#include "git_run.h"

#include "base/buf.h"
#include "support/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1024 * 1024 };

static void child(const char *dir, const char *line, int out)
{
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
    setenv("GIT_AUTHOR_NAME", "t", 1);
    setenv("GIT_AUTHOR_EMAIL", "t@t", 1);
    setenv("GIT_COMMITTER_NAME", "t", 1);
    setenv("GIT_COMMITTER_EMAIL", "t@t", 1);
    setenv("GIT_CEILING_DIRECTORIES", "/", 1);
    if (dup2(out, STDOUT_FILENO) < 0 || chdir(dir) != 0)
        _exit(126);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

int git_run(const char *dir, const char *line, struct arena *arena, struct str *out)
{
    struct buf text;
    int pipes[2], status;
    char bytes[4096];
    ssize_t n;
    pid_t pid;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        child(dir, line, pipes[1]);
    close(pipes[1]);
    buf_init(&text, OUTPUT_BYTES);
    while ((n = read(pipes[0], bytes, sizeof(bytes))) > 0)
        buf_add(&text, bytes, (size_t)n);
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (arena)
        *out = arena_dup(arena, buf_str(&text));
    buf_clear(&text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool git_there(void)
{
    return git_run("/", "git --version", NULL, NULL) == 0;
}
