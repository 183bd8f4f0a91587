/* What a process needs that opens a large store and looks around in it. */
#include "rig.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SESSIONS = 1000, SESSION_MESSAGES = 1000, MESSAGE_BYTES = 100, PAGE = 50 };

static void million_make(struct bench *bench, struct rig *rig)
{
    int64_t start = timing_now_ns();
    char name[16];

    for (int i = 0; i < SESSIONS; i++) {
        if (i % (SESSIONS / 5) == 0)
            bench_say("%d of %d messages", i * SESSION_MESSAGES, SESSIONS * SESSION_MESSAGES);
        snprintf(name, sizeof(name), "s%d", i);
        rig_create(rig, str_of(name));
        rig_fill(rig, str_of(name), SESSION_MESSAGES, MESSAGE_BYTES);
    }
    table_add(&bench->table,
              &(struct table_row){.what = "messages of 100 bytes appended, 1,000 at a time",
                                  .unit = UNIT_RATE,
                                  .measured = (double)SESSIONS * SESSION_MESSAGES * 1e9 /
                                              (double)(timing_now_ns() - start)});
}

/* ---- the child ---- */

static enum fault_code session_pass(void *context, const struct session *session,
                                    struct fault *fault)
{
    (void)session;
    (void)fault;
    ++*(int *)context;
    return FAULT_OK;
}

static void size_print(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];

    while (status && fgets(line, sizeof(line), status))
        if (strncmp(line, "VmRSS:", 6) == 0)
            printf("%lld\n", strtoll(line + 6, NULL, 10) * 1024);
    if (status)
        fclose(status);
}

int memory_child(const char *path)
{
    struct list_spec spec = {.limit = PAGE};
    struct rig rig;
    struct fault fault;
    int sessions = 0;

    rig_open_path(&rig, path, 0);
    spec.owner = rig.owner;
    bench_must(store_session_list(rig.store, &spec, session_pass, &sessions, &fault), &fault);
    if (sessions != PAGE || rig_read(&rig, STR("s500"), PAGE) != PAGE)
        bench_fail("the store is not what was made");
    size_print();
    rig_close(&rig);
    return 0;
}

/* Runs it as a program of its own, which has nothing from us but the path. */
static double child_run(const char *path)
{
    int ends[2], status;
    char answer[64] = "";
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0)
        bench_fail("a process could not be started");
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "bench", "--memory-child", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (size_t n = 0; n + 1 < sizeof(answer);) {
        ssize_t got = read(ends[0], answer + n, sizeof(answer) - 1 - n);

        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0)
        bench_fail("the process that opens the store failed");
    return strtod(answer, NULL);
}

void bench_memory(struct bench *bench)
{
    struct rig rig;
    double bytes;

    rig_open(&rig, bench, "million", 0);
    million_make(bench, &rig);
    rig_close(&rig);
    bytes = child_run(rig.path);
    table_add(&bench->table,
              &(struct table_row){.what = "resident after a list and the last 50 messages",
                                  .unit = UNIT_BYTES,
                                  .measured = bytes,
                                  .bar = BAR_AT_MOST,
                                  .limit = 64 * 1024 * 1024});
    rig_remove(&rig);
}
