#include "hostile.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void trial_open(struct trial *trial)
{
    *trial = (struct trial){.spec = {.cancel_fd = -1}};
    scratch_make(trial->dir, sizeof(trial->dir));
    arena_init(&trial->arena);
    trial->spec.dir = trial->dir;
    trial->spec.limits.time_ms = 20 * 1000;
}

void trial_close(struct trial *trial)
{
    arena_clear(&trial->arena);
    scratch_remove(trial->dir);
}

void trial_run(struct trial *trial, const char *script)
{
    const char *argv[] = {"/bin/bash", "-c", script, NULL};
    int64_t from = now_ms();

    trial->spec.argv = argv;
    CHECK_OK(sandbox_run(&trial->spec, &trial->arena, &trial->result, &trial->fault),
             &trial->fault);
    trial->took_ms = now_ms() - from;
}

void trial_expect(struct trial *trial, const char *script, int code, const char *output)
{
    trial_run(trial, script);
    assert_int_equal(trial->result.end, SANDBOX_EXITED);
    CHECK_STR(trial->result.output, output);
    assert_int_equal(trial->result.code, code);
}

static bool command_has(const char *pid, const char *word)
{
    char path[300], line[4096];
    FILE *file;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
    file = fopen(path, "r");
    if (!file)
        return false;
    n = fread(line, 1, sizeof(line), file);
    fclose(file);
    return n > 0 && memmem(line, n, word, strlen(word));
}

int trial_count(const char *word)
{
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    int count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            count += command_has(entry->d_name, word);
    closedir(dir);
    return count;
}

bool trial_printed(const struct trial *trial, const char *text)
{
    return memmem(trial->result.output.p, trial->result.output.n, text, strlen(text)) != NULL;
}
