/*
 * The server has many threads, so the child may do only what a signal handler may do until it is
 * another program: all that it needs is made before the fork.
 */
#include "workspace/launch.h"

#include "workspace/bubble.h"
#include "workspace/env.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FDS_MAX = BUBBLE_FDS, FDS_ABOVE = 64, OPEN_FILES = 1024, NICE = 10 };

/* What the child needs, made before the fork. */
struct plan {
    const char *program, *dir; /* dir NULL: bubblewrap goes there itself */
    const char *const *argv, *const *environment;
    int fds[FDS_MAX]; /* become 0, 1, 2 … ; -1: none */
    struct sandbox_limits limits;
    struct str args; /* further ones for bubblewrap, in a file; empty: none */
    bool apart;      /* stderr has a pipe of its own */
    bool keeper;
};

static void limit(int what, int64_t value)
{
    struct rlimit limits = {(rlim_t)value, (rlim_t)value};

    setrlimit((__rlimit_resource_t)what, &limits);
}

static void limit_all(const struct sandbox_limits *limits)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, OPEN_FILES);
    limit(RLIMIT_FSIZE, limits->file_bytes);
    /* Memory that can be written; unlike RLIMIT_AS it lets programs reserve addresses. */
    limit(RLIMIT_DATA, limits->memory_bytes);
}

static void signals_default(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The planned descriptors become 0, 1, 2 …, and no other stays open. */
static void fds_place(struct plan *plan)
{
    for (int i = 0; i < FDS_MAX; i++)
        if (plan->fds[i] >= 0)
            plan->fds[i] = fcntl(plan->fds[i], F_DUPFD, FDS_ABOVE);
    for (int i = 0; i < FDS_MAX; i++)
        if (plan->fds[i] >= 0)
            dup2(plan->fds[i], i);
        else
            close(i);
    syscall(SYS_close_range, FDS_MAX, ~0U, 0);
}

/*
 * The keeper is the parent of all orphans of the command. It says how the command ended and stays
 * until it is killed, so that whoever is left can be found below it.
 */
static void keep(pid_t command)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);

        if (pid == command && write(BUBBLE_INFO, &status, sizeof(status)) < 0)
            _exit(1);
        if (pid < 0 && errno != EINTR)
            pause();
    }
}

static void keeper_run(const struct plan *plan)
{
    pid_t command;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    command = fork();
    if (command == 0) {
        setsid();
        close(BUBBLE_INFO);
        execvpe(plan->program, (char *const *)plan->argv, (char *const *)plan->environment);
        _exit(127);
    }
    close(0);
    close(1);
    close(2);
    keep(command);
}

static void child_run(struct plan *plan)
{
    setsid();
    fds_place(plan);
    signals_default();
    umask(022);
    /* Whatever it does with the processor, the server is served first. */
    setpriority(PRIO_PROCESS, 0, NICE);
    if (plan->dir && chdir(plan->dir))
        _exit(127);
    limit_all(&plan->limits);
    if (plan->keeper)
        keeper_run(plan);
    execve(plan->program, (char *const *)plan->argv, (char *const *)plan->environment);
    _exit(127);
}

static pid_t plan_start(struct plan *plan)
{
    sigset_t all, before;
    pid_t pid;

    /* No handler of the server runs in the child. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0)
        child_run(plan);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* A file without a name that holds the text; -1 with errno. */
static int text_fd(struct str text)
{
    int fd = memfd_create("text", MFD_CLOEXEC);
    size_t at = 0;

    while (fd >= 0 && at < text.n) {
        ssize_t n = write(fd, text.p + at, text.n - at);

        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static void fds_close(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

void launch_close(struct launch *launch)
{
    int fds[] = {launch->pid_fd,  launch->output_fd, launch->errors_fd,
                 launch->info_fd, launch->go_fd,     launch->go_other_fd};

    fds_close(fds, 6);
}

/* Makes the pipes, starts the plan and keeps our ends of them. */
static enum fault_code start(struct plan *plan, struct str input, struct launch *out,
                             struct fault *fault)
{
    int output[2] = {-1, -1}, errors[2] = {-1, -1}, info[2] = {-1, -1}, go[2] = {-1, -1};
    struct launch launch = {.pid = -1, .pid_fd = -1, .go_fd = -1, .go_other_fd = -1};
    int texts[4] = {text_fd(input), -1, -1, -1};
    bool made = texts[0] >= 0 && pipe2(output, O_CLOEXEC) == 0 && pipe2(info, O_CLOEXEC) == 0;

    if (made && plan->apart)
        made = pipe2(errors, O_CLOEXEC) == 0;
    if (made && !plan->keeper) {
        texts[1] = text_fd(STR(BUBBLE_PASSWD_TEXT));
        texts[2] = text_fd(STR(BUBBLE_GROUP_TEXT));
        if (plan->args.n)
            texts[3] = text_fd(plan->args);
        made = texts[1] >= 0 && texts[2] >= 0 && (texts[3] >= 0 || !plan->args.n) &&
               pipe2(go, O_CLOEXEC) == 0;
    }
    if (made) {
        int fds[FDS_MAX] = {texts[0], output[1], plan->apart ? errors[1] : output[1],
                            info[1],  go[0],     texts[1],
                            texts[2], texts[3]};

        memcpy(plan->fds, fds, sizeof(fds));
        launch.pid = plan_start(plan);
    }
    if (launch.pid > 0)
        launch.pid_fd = (int)syscall(SYS_pidfd_open, launch.pid, 0);
    fds_close(texts, 4);
    fds_close(&output[1], 1);
    fds_close(&errors[1], 1);
    fds_close(&info[1], 1);
    launch.output_fd = output[0];
    launch.errors_fd = errors[0];
    launch.info_fd = info[0];
    launch.go_fd = go[1];
    launch.go_other_fd = go[0];
    if (launch.pid_fd < 0) {
        int number = errno;

        if (launch.pid > 0) {
            kill(launch.pid, SIGKILL);
            waitpid(launch.pid, NULL, 0);
        }
        launch_close(&launch);
        return fault_set(fault, FAULT_IO, "a command cannot be started: %s", strerror(number));
    }
    fcntl(launch.output_fd, F_SETFL, O_NONBLOCK);
    if (launch.errors_fd >= 0)
        fcntl(launch.errors_fd, F_SETFL, O_NONBLOCK);
    fcntl(launch.info_fd, F_SETFL, O_NONBLOCK);
    *out = launch;
    return FAULT_OK;
}

enum fault_code launch_bubble(const struct sandbox_spec *spec, struct arena *arena,
                              struct launch *out, struct fault *fault)
{
    struct plan plan = {
        .program = bubble_program(),
        .argv = bubble_argv(spec, arena),
        .environment = bubble_environment("/work", arena),
        .limits = spec->limits,
        .args = spec->env.count ? env_args(&spec->env, arena) : STR_NONE,
        .apart = spec->apart,
    };

    if (!plan.program)
        return fault_set(fault, FAULT_SANDBOX,
                         "bubblewrap is not installed: install the package \"bubblewrap\"");
    return start(&plan, spec->input, out, fault);
}

enum fault_code launch_keeper(const struct sandbox_spec *spec, struct arena *arena,
                              struct launch *out, struct fault *fault)
{
    struct plan plan = {
        .program = spec->argv[0],
        .dir = spec->dir,
        .argv = spec->argv,
        .environment = env_merge(bubble_environment(spec->dir, arena), &spec->env, arena),
        .limits = spec->limits,
        .apart = spec->apart,
        .keeper = true,
    };

    return start(&plan, spec->input, out, fault);
}
