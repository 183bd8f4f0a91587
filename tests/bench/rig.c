#include "rig.h"

#include "prose.h"

#include "message/message_in.h"
#include "store/limits.h"
#include "store/sqlite/sqlite_store.h"

#include <stdio.h>
#include <unistd.h>

enum { FRAME_BYTES = sizeof("{\"parts\":[{\"type\":\"text\",\"text\":\"\"}]}") - 1 };

void rig_open_path(struct rig *rig, const char *path, size_t group_max)
{
    struct sqlite_store_options options = {.path = rig->path, .group_max = group_max};
    struct fault fault;

    if (snprintf(rig->path, sizeof(rig->path), "%s", path) >= (int)sizeof(rig->path))
        bench_fail("the path \"%s\" is too long", path);
    bench_must(sqlite_store_open(&options, &rig->store, &fault), &fault);
    bench_must(store_owner(rig->store, STR("local"), &rig->owner, &fault), &fault);
    rig->engine = engine_new(rig->store, NULL);
}

void rig_open(struct rig *rig, const struct bench *bench, const char *name, size_t group_max)
{
    char path[sizeof(rig->path)];

    if (snprintf(path, sizeof(path), "%s/%s.db", bench->directory, name) >= (int)sizeof(path))
        bench_fail("the name of the directory is too long");
    rig_open_path(rig, path, group_max);
}

void rig_close(struct rig *rig)
{
    engine_free(rig->engine);
    store_close(rig->store);
    rig->engine = NULL;
    rig->store = NULL;
}

void rig_remove(struct rig *rig)
{
    static const char *const ends[] = {"",           "-wal",           "-shm",
                                       "-search.db", "-search.db-wal", "-search.db-shm"};

    rig_close(rig);
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        char path[sizeof(rig->path) + 20];

        snprintf(path, sizeof(path), "%s%s", rig->path, ends[i]);
        unlink(path);
    }
}

/* ---- conversations ---- */

void rig_create(struct rig *rig, struct str id)
{
    struct create_spec spec = {
        .owner = rig->owner,
        .id = id,
        .title = STR("Why is the build slow?"),
        .agent = STR("bench/agent"),
        .metadata = STR("{\"project\":\"bench\",\"labels\":[\"a\",\"b\"]}"),
    };
    struct session session;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    bench_must(engine_create(rig->engine, &spec, &arena, &session, &fault), &fault);
    arena_clear(&arena);
}

static void batch_append(struct rig *rig, struct str id, struct prose *prose, size_t count,
                         size_t bytes, struct arena *arena)
{
    struct entry_spec *entries = arena_array(arena, count, sizeof(*entries));
    struct append_spec spec = {.owner = rig->owner, .session = id};
    struct append_result result;
    struct fault fault;
    struct buf text;

    buf_init(&text, bytes + 64);
    for (size_t i = 0; i < count; i++) {
        buf_reset(&text);
        prose_add(prose, bytes > FRAME_BYTES ? bytes - FRAME_BYTES : 1, &text);
        entries[i] = message_of_text(i % 2 ? ROLE_ASSISTANT : ROLE_USER, buf_str(&text), arena);
    }
    buf_clear(&text);
    bench_must(engine_append(rig->engine, &spec, entries, count, arena, &result, &fault), &fault);
}

void rig_fill(struct rig *rig, struct str id, size_t count, size_t bytes)
{
    struct prose prose = {.state = count};
    struct arena arena;

    arena_init(&arena);
    while (count > 0) {
        size_t batch = count < LIMIT_BATCH_ENTRIES ? count : LIMIT_BATCH_ENTRIES;

        batch_append(rig, id, &prose, batch, bytes, &arena);
        arena_clear(&arena);
        count -= batch;
    }
}

void rig_append(struct rig *rig, struct str id, struct entry_spec entry, struct arena *arena)
{
    struct append_spec spec = {.owner = rig->owner, .session = id};
    struct append_result result;
    struct fault fault;

    bench_must(engine_append(rig->engine, &spec, &entry, 1, arena, &result, &fault), &fault);
    arena_clear(arena);
}

void rig_say(struct rig *rig, struct str id, struct str text, struct arena *arena)
{
    rig_append(rig, id, message_of_text(ROLE_USER, text, arena), arena);
}

struct session rig_fork(struct rig *rig, struct str source, struct str id, struct point_spec point,
                        struct arena *arena)
{
    struct fork_spec spec = {.owner = rig->owner, .session = source, .id = id, .point = point};
    struct fork_result result;
    struct fault fault;

    bench_must(engine_fork(rig->engine, &spec, arena, &result, &fault), &fault);
    return result.session;
}

unsigned body_touch(const void *body, size_t n)
{
    const unsigned char *p = body;
    unsigned sum = 0;

    for (size_t i = 0; i < n; i += 64)
        sum += p[i];
    return sum;
}

struct reading {
    int64_t messages;
    unsigned sum;
};

static enum fault_code entry_touch(void *context, const struct entry *entry, struct fault *fault)
{
    struct reading *reading = context;

    (void)fault;
    reading->messages++;
    reading->sum += body_touch(entry->body.p, entry->body.n);
    return FAULT_OK;
}

int64_t rig_read(struct rig *rig, struct str id, int64_t limit)
{
    struct history_spec spec = {.owner = rig->owner,
                                .session = id,
                                .at = {.by = POINT_END},
                                .tail = limit > 0,
                                .limit = limit};
    struct reading reading = {0};
    struct fault fault;

    bench_must(store_history(rig->store, &spec, entry_touch, &reading, NULL, &fault), &fault);
    if (reading.messages > 0 && reading.sum == 0)
        bench_fail("the bodies of \"%.*s\" are empty", STR_ARG(id));
    return reading.messages;
}

/* ---- the session that most groups want ---- */

void rig_open_big(struct rig *rig, const struct bench *bench)
{
    static const struct {
        struct str id;
        size_t messages;
    } sessions[] = {
        {{"big", 3}, BIG_MESSAGES}, {{"some", 4}, SOME_MESSAGES}, {{"small", 5}, SMALL_MESSAGES}};
    struct store_counts counts;
    struct fault fault;

    rig_open(rig, bench, "big", 0);
    bench_must(store_count(rig->store, &counts, &fault), &fault);
    if (counts.sessions > 0)
        return;
    bench_say("making a session of %d messages", BIG_MESSAGES);
    for (size_t i = 0; i < sizeof(sessions) / sizeof(*sessions); i++) {
        rig_create(rig, sessions[i].id);
        rig_fill(rig, sessions[i].id, sessions[i].messages, BIG_BYTES);
    }
}
