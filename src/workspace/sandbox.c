/*
 * One command, from its start until nothing of it is left. The thread that asked waits here: for
 * output, for the end, for a cancel, and looks now and then at what the command takes.
 *
 *   1. Whoever runs inside is below one process: the first one of its own process-id namespace
 *      (bubblewrap), which takes everybody with it when it dies, or the keeper.
 *   2. The kernel holds each process to its own limits. What all of them take together (processes,
 *      memory, disk) is looked at from outside, because a limit on the processes of a user does
 *      not bind where the server is root.
 */
#include "workspace/sandbox.h"

#include "base/clock.h"
#include "workspace/bubble.h"
#include "workspace/disk.h"
#include "workspace/ends.h"
#include "workspace/env.h"
#include "workspace/launch.h"
#include "workspace/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MS = 10, /* at processes and memory; up to LOOK_MAX_MS while nothing changes */
    LOOK_MAX_MS = 80,
    DISK_MS = 200, /* at the directory; at least DISK_REST times what the last look took */
    DISK_REST = 20,
    GONE_MS = 60 * 1000, /* until everything that was killed is gone */
    NICE = 10,           /* who watches comes before what is watched */
    READ_BYTES = 64 * 1024,
    INFO_BYTES = 1024,
    MIB = 1024 * 1024,
    PROCESSES_OWN = 2 /* bubblewrap's own inside */
};

static atomic_bool turned_off;

struct watched {
    const struct sandbox_spec *spec;
    struct launch launch;
    pid_t inside;  /* the first process inside; 0: not yet known. Without the sandbox: the keeper */
    int inside_fd; /* -1: not known */
    char info[INFO_BYTES];
    size_t info_n;
    bool ended, running; /* the command has ended; it was let begin */
    int code;
    struct ends output, errors;
    int64_t until_ms, look_at_ms, look_every_ms, disk_at_ms, disk_before;
    int64_t count; /* processes at the last look */
    bool stopped;
    enum sandbox_end end;
    char why[128];
};

void sandbox_turn_off(void)
{
    atomic_store(&turned_off, true);
}

bool sandbox_is_off(void)
{
    return atomic_load(&turned_off);
}

static struct sandbox_limits limits_of(struct sandbox_limits limits)
{
    if (limits.time_ms <= 0)
        limits.time_ms = SANDBOX_TIME_MS;
    if (limits.memory_bytes <= 0)
        limits.memory_bytes = SANDBOX_MEMORY_BYTES;
    if (limits.processes <= 0)
        limits.processes = SANDBOX_PROCESSES;
    if (limits.output_bytes <= 0)
        limits.output_bytes = SANDBOX_OUTPUT_BYTES;
    if (limits.file_bytes <= 0)
        limits.file_bytes = SANDBOX_FILE_BYTES;
    if (limits.disk_bytes <= 0)
        limits.disk_bytes = SANDBOX_DISK_BYTES;
    return limits;
}

/* ---- ending ---- */

static void kill_all(const struct watched *w)
{
    if (sandbox_is_off()) {
        processes_kill(w->launch.pid, GONE_MS);
    } else if (w->inside_fd >= 0) {
        syscall(SYS_pidfd_send_signal, w->inside_fd, SIGKILL, NULL, 0);
    }
    /* Bubblewrap, also the half of it that is not yet inside. Not yet waited for, so the number is
     * still its own. */
    kill(-w->launch.pid, SIGKILL);
    kill(w->launch.pid, SIGKILL);
}

static void stop(struct watched *w, enum sandbox_end end)
{
    if (w->stopped || w->ended)
        return;
    w->stopped = true;
    w->end = end;
    kill_all(w);
}

static bool wait_fd(int fd, int64_t ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    int64_t until = clock_ms() + ms;

    for (;;) {
        int64_t left = until - clock_ms();
        int ready = poll(&poll_fd, 1, left > 0 ? (int)left : 0);

        if (ready > 0)
            return true;
        if (ready == 0 && left <= 0)
            return false;
    }
}

/* ---- what is read ---- */

static void output_read(struct watched *w)
{
    char bytes[READ_BYTES];
    ssize_t n = read(w->launch.output_fd, bytes, sizeof(bytes));

    if (n > 0) {
        ends_add(&w->output, bytes, (size_t)n);
        if (w->spec->output)
            w->spec->output(w->spec->context, (struct str){bytes, (size_t)n});
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(w->launch.output_fd);
        w->launch.output_fd = -1;
    }
}

static void errors_read(struct watched *w)
{
    char bytes[READ_BYTES];
    ssize_t n = read(w->launch.errors_fd, bytes, sizeof(bytes));

    if (n > 0) {
        ends_add(&w->errors, bytes, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(w->launch.errors_fd);
        w->launch.errors_fd = -1;
    }
}

/* What was printed and is still in the pipes; nobody writes any more. */
static void output_drain(struct watched *w)
{
    while (w->launch.output_fd >= 0 && wait_fd(w->launch.output_fd, 0))
        output_read(w);
    while (w->launch.errors_fd >= 0 && wait_fd(w->launch.errors_fd, 0))
        errors_read(w);
}

/*
 * Nothing has begun inside yet: the process is given its limits, and then let go. The kernel's
 * limit on processes is above the one that is watched, so that who goes over is stopped with a
 * reason, and a bomb that is quicker than the watch still meets a wall (unless the server is root).
 */
static void let_begin(struct watched *w)
{
    rlim_t wall = (rlim_t)(2 * w->spec->limits.processes + PROCESSES_OWN);
    struct rlimit processes = {wall, wall};
    char path[64];
    int fd;

    w->inside_fd = (int)syscall(SYS_pidfd_open, w->inside, 0);
    prlimit(w->inside, RLIMIT_NPROC, &processes, NULL);
    setpriority(PRIO_PROCESS, (id_t)w->inside, NICE);
    /* When the machine runs out of memory, this goes before the server. */
    snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)w->inside);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "900", 3) < 0)
        errno = 0;
    if (fd >= 0)
        close(fd);
    w->running = write(w->launch.go_fd, "g", 1) == 1;
}

static void info_read(struct watched *w)
{
    ssize_t n = read(w->launch.info_fd, w->info + w->info_n, sizeof(w->info) - 1 - w->info_n);
    const char *pid;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0) {
        w->info_n += (size_t)n;
        w->info[w->info_n] = '\0';
    }
    if (sandbox_is_off()) {
        int status;

        if (w->info_n >= sizeof(status)) {
            memcpy(&status, w->info, sizeof(status));
            w->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            w->ended = true;
        }
    } else if (w->inside == 0 && strchr(w->info, '}')) {
        pid = strstr(w->info, "\"child-pid\":");
        w->inside = pid ? (pid_t)strtol(pid + 12, NULL, 10) : 0;
        if (w->inside > 0 && !w->stopped)
            let_begin(w);
    }
    if (n <= 0) {
        close(w->launch.info_fd);
        w->launch.info_fd = -1;
    }
}

/* ---- what it takes ---- */

static void over(struct watched *w, const char *what, int64_t limit, const char *unit)
{
    if (w->stopped || w->ended)
        return;
    snprintf(w->why, sizeof(w->why), "%s %" PRId64 " %s", what, limit, unit);
    stop(w, SANDBOX_LIMIT);
}

static void look(struct watched *w, int64_t now)
{
    const struct sandbox_limits *limits = &w->spec->limits;
    struct processes found;

    processes_look(w->inside, limits->processes + PROCESSES_OWN, &found);
    if (found.count > limits->processes + PROCESSES_OWN)
        over(w, "more than", limits->processes, "processes");
    if (found.memory_bytes > limits->memory_bytes)
        over(w, "more memory than", limits->memory_bytes / MIB, "MiB");
    if (found.count != w->count || found.memory_bytes > limits->memory_bytes / 2)
        w->look_every_ms = LOOK_MS;
    else if (w->look_every_ms < LOOK_MAX_MS)
        w->look_every_ms *= 2;
    w->count = found.count;
    w->look_at_ms = now + w->look_every_ms;
}

static void look_at_disk(struct watched *w, int64_t now)
{
    int64_t limit = w->spec->limits.disk_bytes;
    int64_t took;

    if (disk_used(w->spec->dir) - w->disk_before > limit)
        over(w, "the directory grew by more than", limit / MIB, "MiB");
    took = clock_ms() - now;
    w->disk_at_ms = clock_ms() + (took * DISK_REST > DISK_MS ? took * DISK_REST : DISK_MS);
}

static void look_at_all(struct watched *w)
{
    int64_t now = clock_ms();

    if (now >= w->until_ms)
        stop(w, SANDBOX_TIMED_OUT);
    if (w->inside > 0 && now >= w->look_at_ms)
        look(w, now);
    if (now >= w->disk_at_ms)
        look_at_disk(w, now);
}

/* ---- the run ---- */

static int wait_ms(const struct watched *w)
{
    int64_t until = w->until_ms, now = clock_ms();

    if (w->look_at_ms < until)
        until = w->look_at_ms;
    if (w->disk_at_ms < until)
        until = w->disk_at_ms;
    return until > now ? (int)(until - now) : 0;
}

static void watch(struct watched *w)
{
    while (!w->ended && !w->stopped) {
        struct pollfd fds[5] = {
            {.fd = w->launch.pid_fd, .events = POLLIN},
            {.fd = w->launch.output_fd, .events = POLLIN},
            {.fd = w->launch.info_fd, .events = POLLIN},
            {.fd = w->spec->cancel_fd, .events = POLLIN},
            {.fd = w->launch.errors_fd, .events = POLLIN},
        };

        if (poll(fds, 5, wait_ms(w)) < 0)
            continue;
        if (fds[3].revents)
            stop(w, SANDBOX_CANCELLED);
        if (fds[1].revents)
            output_read(w);
        if (fds[4].revents)
            errors_read(w);
        if (fds[2].revents)
            info_read(w);
        if (fds[0].revents)
            w->ended = true;
        look_at_all(w);
    }
}

/* Whatever is left goes, and is waited for. */
static void clear_away(struct watched *w)
{
    siginfo_t info = {0};

    kill_all(w);
    if (waitid(P_PIDFD, (id_t)w->launch.pid_fd, &info, WEXITED) == 0 && !sandbox_is_off())
        w->code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    if (w->launch.info_fd >= 0)
        info_read(w); /* who is inside, when it ended before that was read */
    if (w->inside > 0 && !sandbox_is_off()) {
        if (w->inside_fd < 0)
            w->inside_fd = (int)syscall(SYS_pidfd_open, w->inside, 0);
        if (w->inside_fd >= 0) {
            syscall(SYS_pidfd_send_signal, w->inside_fd, SIGKILL, NULL, 0);
            wait_fd(w->inside_fd, GONE_MS);
        }
    }
    output_drain(w);
}

/* Was the sandbox there before it ended? Its byte is taken when all is mounted. */
static bool was_made(const struct watched *w)
{
    int left = 0;

    if (sandbox_is_off())
        return true;
    return w->running && ioctl(w->launch.go_other_fd, FIONREAD, &left) == 0 && left == 0;
}

static enum fault_code not_made(const struct watched *w, struct arena *arena, struct fault *fault)
{
    struct str said = ends_text(w->spec->apart ? &w->errors : &w->output, arena);
    const char *end = said.n ? memchr(said.p, '\n', said.n) : NULL;

    if (end)
        said.n = (size_t)(end - said.p);
    return fault_set(fault, FAULT_SANDBOX, "the sandbox cannot be made: %.*s",
                     STR_ARG(said.n ? said : STR("bubblewrap ended at once")));
}

static enum fault_code run(const struct sandbox_spec *spec, struct arena *arena,
                           struct sandbox_result *out, struct fault *fault)
{
    struct watched w = {.spec = spec, .inside_fd = -1, .look_every_ms = LOOK_MS};
    enum fault_code code;

    w.disk_before = disk_used(spec->dir);
    w.until_ms = clock_ms() + spec->limits.time_ms;
    w.look_at_ms = clock_ms() + LOOK_MS;
    w.disk_at_ms = clock_ms() + DISK_MS;
    code = sandbox_is_off() ? launch_keeper(spec, arena, &w.launch, fault)
                            : launch_bubble(spec, arena, &w.launch, fault);
    if (code)
        return code;
    if (sandbox_is_off())
        w.inside = w.launch.pid;
    ends_init(&w.output, (size_t)spec->limits.output_bytes);
    if (spec->apart)
        ends_init(&w.errors, (size_t)spec->limits.output_bytes);
    watch(&w);
    clear_away(&w);
    if (!w.stopped && !was_made(&w))
        code = not_made(&w, arena, fault);
    else
        *out = (struct sandbox_result){
            .end = w.stopped ? w.end : SANDBOX_EXITED,
            .code = w.stopped ? 0 : w.code,
            .why = w.why[0] ? arena_dup(arena, str_of(w.why)).p : NULL,
            .output = ends_text(&w.output, arena),
            .output_all = w.output.all,
            .errors = spec->apart ? ends_text(&w.errors, arena) : STR_NONE,
        };
    ends_clear(&w.output);
    if (spec->apart)
        ends_clear(&w.errors);
    launch_close(&w.launch);
    if (w.inside_fd >= 0)
        close(w.inside_fd);
    return code;
}

enum fault_code sandbox_run(const struct sandbox_spec *spec, struct arena *arena,
                            struct sandbox_result *out, struct fault *fault)
{
    struct sandbox_spec full = *spec;

    if (env_check(&spec->env, fault) != FAULT_OK)
        return fault_pass(fault);
    full.limits = limits_of(spec->limits);
    return run(&full, arena, out, fault);
}

/* ---- is there one? ---- */

static int64_t number_in(const char *path)
{
    char text[32] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (read(fd, text, sizeof(text) - 1) < 0)
        text[0] = '\0';
    close(fd);
    return text[0] ? strtoll(text, NULL, 10) : -1;
}

/* What to do about a sandbox that cannot be made. */
static const char *advice(void)
{
    if (number_in("/proc/sys/kernel/unprivileged_userns_clone") == 0)
        return "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1";
    if (number_in("/proc/sys/user/max_user_namespaces") == 0)
        return "allow user namespaces: sysctl user.max_user_namespaces=10000";
    if (number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
        return "let AppArmor allow them: sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    return "bubblewrap 0.8 or newer and user namespaces are needed; in a container, allow it to "
           "make them";
}

static enum fault_code try_one(struct fault *fault)
{
    static const char *const argv[] = {"/bin/bash", "-c", "exit 7", NULL};
    char dir[] = "/tmp/tine-sandbox-XXXXXX";
    struct sandbox_spec spec = {.dir = dir, .argv = argv, .cancel_fd = -1};
    struct sandbox_result result = {0};
    struct arena arena;
    struct fault found = {0};
    enum fault_code code;

    if (!mkdtemp(dir))
        return fault_set(fault, FAULT_SANDBOX, "no directory can be made in /tmp: %s",
                         strerror(errno));
    arena_init(&arena);
    code = sandbox_run(&spec, &arena, &result, &found);
    if (!code && (result.end != SANDBOX_EXITED || result.code != 7))
        code = fault_set(&found, FAULT_SANDBOX, "the sandbox does not run commands: %.*s",
                         STR_ARG(result.output));
    if (code)
        fault_write(fault, FAULT_SANDBOX, "%.300s; %s", found.message, advice());
    rmdir(dir);
    arena_clear(&arena);
    return code ? FAULT_SANDBOX : FAULT_OK;
}

enum fault_code sandbox_ready(struct fault *fault)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool tried;
    static struct fault found;
    enum fault_code code;

    if (sandbox_is_off())
        return FAULT_OK;
    pthread_mutex_lock(&lock);
    if (!tried)
        try_one(&found);
    tried = true;
    code = found.code;
    if (code)
        *fault = found;
    pthread_mutex_unlock(&lock);
    return code;
}

const char *sandbox_words(void)
{
    if (sandbox_is_off())
        return "off: commands run as the server's user and see what it sees";
    return geteuid() == 0 ? "bubblewrap; processes and memory are counted from outside"
                          : "bubblewrap; processes and memory are limited by the kernel for each "
                            "process and counted from outside for all";
}
