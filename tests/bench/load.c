#include "load.h"

#include "prose.h"
#include "timing.h"

#include "message/message_in.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

struct worker {
    struct rig *rig;
    char session[16];
    struct entry_spec entries[2]; /* a user's and an assistant's, in turn, again and again */
    const atomic_bool *stop;
    int64_t appends;
    pthread_t thread;
};

static void session_name(char out[16], int number)
{
    snprintf(out, 16, "t%d", number);
}

void load_prepare(struct rig *rig, int threads)
{
    char name[16];

    for (int i = 0; i < threads; i++) {
        session_name(name, i);
        rig_create(rig, str_of(name));
    }
}

static void *worker_run(void *context)
{
    struct worker *worker = context;
    struct arena arena;

    arena_init(&arena);
    while (!atomic_load(worker->stop)) {
        rig_append(worker->rig, str_of(worker->session), worker->entries[worker->appends % 2],
                   &arena);
        worker->appends++;
    }
    arena_clear(&arena);
    return NULL;
}

static struct entry_spec entry_make(enum role role, struct arena *arena)
{
    struct prose prose = {.state = 1};
    struct entry_spec entry;
    struct buf text;

    buf_init(&text, LOAD_BYTES + 64);
    prose_add(&prose, LOAD_BYTES, &text);
    entry = message_of_text(role, buf_str(&text), arena);
    buf_clear(&text);
    return entry;
}

double load_run(struct rig *rig, int threads, int ms)
{
    struct worker workers[LOAD_THREADS_MAX];
    atomic_bool stop = false;
    int64_t start, appends = 0;
    struct arena arena;

    arena_init(&arena);
    start = timing_now_ns();
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){.rig = rig, .stop = &stop};
        workers[i].entries[0] = entry_make(ROLE_USER, &arena);
        workers[i].entries[1] = entry_make(ROLE_ASSISTANT, &arena);
        session_name(workers[i].session, i);
        if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]) != 0)
            bench_fail("a thread could not be started");
    }
    usleep((useconds_t)ms * 1000);
    atomic_store(&stop, true);
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        appends += workers[i].appends;
    }
    arena_clear(&arena);
    return (double)appends * 1e9 / (double)(timing_now_ns() - start);
}
