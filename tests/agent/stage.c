#include "stage.h"

#include "message/message_in.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum fault_code stage_history(struct agent_call *call, entry_visit *visit, void *context,
                                     struct fault *fault)
{
    struct stage *stage = (struct stage *)call;
    size_t from = 0;
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; i < stage->count; i++)
        if (stage->entries[i].kind == ENTRY_SUMMARY)
            from = i;
    for (size_t i = from; i < stage->count && !code; i++)
        code = visit(context, &stage->entries[i], fault);
    return code;
}

static void stage_delta(struct agent_call *call, const struct delta *delta)
{
    struct stage *stage = (struct stage *)call;
    struct buf *bufs[] = {&stage->text, &stage->reasoning, &stage->calls, &stage->output};

    buf_add_str(bufs[delta->kind], delta->text);
    if (++stage->deltas == stage->cancel_after)
        stage_cancel(stage);
}

static void keep(struct stage *stage, const struct entry_spec *spec)
{
    struct entry entry = {
        .kind = spec->kind, .role = spec->role, .flags = spec->flags, .body = spec->body};

    assert_true(stage->count < STAGE_ENTRIES);
    stage->usage[stage->count] = spec->has_usage ? spec->usage : (struct usage){-1, -1, -1};
    stage->entries[stage->count++] = entry_copy(&entry, &stage->arena);
}

/* What is said must be something that the API would take, and that says of itself what it is. */
static void check_spec(struct stage *stage, const struct entry_spec *spec)
{
    static const char *const roles[] = {"user", "user", "assistant", "tool", "system"};
    struct message_batch batch;
    struct str json = arena_printf(&stage->arena, "{\"role\":\"%s\",%.*s", roles[spec->role],
                                   (int)spec->body.n - 1, spec->body.p + 1);

    CHECK_OK(message_read(json, &stage->arena, &batch, &stage->fault), &stage->fault);
    assert_int_equal(batch.count, 1);
    CHECK_STR(batch.entries[0].body, arena_dup(&stage->arena, spec->body).p);
    assert_int_equal(batch.entries[0].calls, spec->calls);
    assert_int_equal(batch.entries[0].results, spec->results);
    assert_int_equal(batch.entries[0].span_count, spec->span_count);
    assert_memory_equal(batch.entries[0].spans, spec->spans,
                        spec->span_count * sizeof(struct span));
}

static enum fault_code stage_say(struct agent_call *call, struct entry_spec *entries, size_t count,
                                 struct fault *fault)
{
    struct stage *stage = (struct stage *)call;

    (void)fault;
    for (size_t i = 0; i < count; i++) {
        check_spec(stage, &entries[i]);
        keep(stage, &entries[i]);
    }
    return FAULT_OK;
}

static enum fault_code stage_ask(struct agent_call *call, const struct question *question,
                                 struct question_answer *out, struct fault *fault)
{
    struct stage *stage = (struct stage *)call;
    size_t i = stage->ask_count++;

    assert_true(i < STAGE_ANSWERS);
    stage->asked[i] = (struct question){.kind = question->kind,
                                        .id = arena_dup(&stage->arena, question->id),
                                        .name = arena_dup(&stage->arena, question->name),
                                        .arguments = arena_dup(&stage->arena, question->arguments)};
    if (i >= stage->answer_count) {
        stage_cancel(stage);
        return fault_set(fault, FAULT_INTERRUPTED, "cancelled");
    }
    *out = stage->answers[i];
    return FAULT_OK;
}

void stage_answer(struct stage *stage, enum answer_verdict verdict, const char *text)
{
    assert_true(stage->answer_count < STAGE_ANSWERS);
    stage->answers[stage->answer_count++] = (struct question_answer){verdict, str_of(text)};
}

static const struct agent_call_ops ops = {
    .history = stage_history, .delta = stage_delta, .say = stage_say, .ask = stage_ask};

void stage_open(struct stage *stage)
{
    *stage = (struct stage){.call = {.ops = &ops, .session = STR("s"), .turn = STR("t")}};
    arena_init(&stage->arena);
    scratch_make(stage->dir, sizeof(stage->dir));
    stage->call.arena = &stage->arena;
    stage->call.dir = stage->dir;
    stage->call.cancel_fd = eventfd(0, EFD_CLOEXEC);
    buf_init(&stage->text, 16 << 20);
    buf_init(&stage->reasoning, 16 << 20);
    buf_init(&stage->calls, 16 << 20);
    buf_init(&stage->output, 16 << 20);
}

void stage_close(struct stage *stage)
{
    if (stage->cancels)
        pthread_join(stage->canceller, NULL);
    close(stage->call.cancel_fd);
    buf_clear(&stage->text);
    buf_clear(&stage->reasoning);
    buf_clear(&stage->calls);
    buf_clear(&stage->output);
    arena_clear(&stage->arena);
    scratch_remove(stage->dir);
}

void stage_add(struct stage *stage, enum entry_kind kind, enum role role, const char *body)
{
    struct entry_spec spec = {.kind = kind, .role = role, .body = str_of(body)};

    keep(stage, &spec);
}

void stage_user(struct stage *stage, const char *text)
{
    struct entry_spec spec = message_of_text(ROLE_USER, str_of(text), &stage->arena);

    keep(stage, &spec);
}

enum fault_code stage_run(struct stage *stage, const struct agent_kind *kind,
                          const struct agent_def *def)
{
    int64_t from = now_ms();
    struct agent *agent;
    enum fault_code code;

    stage->before = stage->count;
    stage->fault = (struct fault){0};
    code = kind->make(def, &agent, &stage->fault);
    if (code)
        return code;
    code = agent->ops->run(agent, &stage->call, &stage->fault);
    agent->ops->free(agent);
    stage->took_ms = now_ms() - from;
    return code;
}

void stage_cancel(struct stage *stage)
{
    uint64_t one = 1;

    assert_int_equal(write(stage->call.cancel_fd, &one, sizeof(one)), sizeof(one));
}

static void *cancel_later(void *arg)
{
    struct stage *stage = arg;

    nanosleep(&(struct timespec){stage->cancel_ms / 1000, stage->cancel_ms % 1000 * 1000000L},
              NULL);
    stage_cancel(stage);
    return NULL;
}

void stage_cancel_after_ms(struct stage *stage, int ms)
{
    stage->cancels = true;
    stage->cancel_ms = ms;
    assert_int_equal(pthread_create(&stage->canceller, NULL, cancel_later, stage), 0);
}

const struct entry *stage_said(const struct stage *stage, size_t i)
{
    assert_true(stage->before + i < stage->count);
    return &stage->entries[stage->before + i];
}

size_t stage_said_count(const struct stage *stage)
{
    return stage->count - stage->before;
}

void stage_expect(const struct stage *stage, size_t i, enum role role, const char *body)
{
    const struct entry *entry = stage_said(stage, i);

    CHECK_STR(entry->body, body);
    assert_int_equal(entry->role, role);
}

bool contains(struct str text, const char *piece)
{
    return text.n && memmem(text.p, text.n, piece, strlen(piece));
}
