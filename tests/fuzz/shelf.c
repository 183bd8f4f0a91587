#include "shelf.h"

#include "dialect/native/log_out.h"
#include "message/message_in.h"
#include "engine/engine.h"
#include "store/sqlite/sqlite_store.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { SESSIONS_MAX = 64, EXPORT_MAX = 64 * 1024 * 1024 };

static void must(enum fault_code code, const struct fault *fault)
{
    if (code == FAULT_OK)
        return;
    fprintf(stderr, "%s: %s\n", fault_name(code), fault->message);
    abort();
}

struct shelf shelf_open(void)
{
    struct sqlite_store_options options = {.path = NULL};
    struct shelf shelf;
    struct fault fault;

    if (sqlite_store_open(&options, &shelf.store, &fault) != FAULT_OK ||
        store_owner(shelf.store, STR("local"), &shelf.owner, &fault) != FAULT_OK)
        abort();
    return shelf;
}

void shelf_close(struct shelf *shelf)
{
    store_close(shelf->store);
    shelf->store = NULL;
}

static void problem_print(void *context, const char *message)
{
    (void)context;
    fprintf(stderr, "verify: %s\n", message);
}

void shelf_verify(const struct shelf *shelf)
{
    struct verify_result result;
    struct fault fault;

    must(store_verify(shelf->store, problem_print, NULL, NULL, &result, &fault), &fault);
    if (result.problems > 0)
        abort();
}

/* ---- reading everything ---- */

struct reading {
    struct store *store;
    int64_t owner;
    struct arena arena;
    struct str sessions[SESSIONS_MAX];
    size_t count;
};

static enum fault_code session_keep(void *context, const struct session *session,
                                    struct fault *fault)
{
    struct reading *reading = context;

    (void)fault;
    if (reading->count < SESSIONS_MAX)
        reading->sessions[reading->count] = arena_dup(&reading->arena, session->id);
    reading->count++;
    return FAULT_OK;
}

static enum fault_code entry_pass(void *context, const struct entry *entry, struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(entry->kind >= 0 && entry->kind < ENTRY_KIND_COUNT);
    return FAULT_OK;
}

static enum fault_code journal_pass(void *context, const struct journal_item *item,
                                    struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(item->entry || item->note);
    return FAULT_OK;
}

static enum fault_code record_pass(void *context, const struct record *record, struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(record->id.n > 0);
    return FAULT_OK;
}

static enum fault_code label_pass(void *context, const struct label *label, struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(label->text.n > 0);
    return FAULT_OK;
}

static enum fault_code rewound_pass(void *context, const struct rewound *rewound,
                                    struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(rewound->messages > 0);
    return FAULT_OK;
}

static enum fault_code session_pass(void *context, const struct session *session,
                                    struct fault *fault)
{
    (void)context;
    (void)fault;
    (void)session;
    return FAULT_OK;
}

static enum fault_code hit_pass(void *context, const struct hit *hit, struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(hit->session.n > 0);
    return FAULT_OK;
}

static void session_read(struct reading *reading, struct str id)
{
    struct history_spec history = {.owner = reading->owner, .session = id, .all = true};
    struct log_spec log = {.owner = reading->owner, .session = id};
    struct store *store = reading->store;
    int64_t owner = reading->owner;
    struct session session;
    struct state state;
    struct point_spec end = {.by = POINT_END};
    struct fault fault;

    must(store_session_get(store, owner, id, false, &reading->arena, &session, &fault), &fault);
    must(store_history(store, &history, entry_pass, NULL, NULL, &fault), &fault);
    must(store_raw_log(store, &log, entry_pass, NULL, &fault), &fault);
    must(store_journal(store, &log, journal_pass, NULL, &fault), &fault);
    must(store_records(store, owner, id, record_pass, NULL, &fault), &fault);
    must(store_labels(store, owner, id, label_pass, NULL, &fault), &fault);
    must(store_rewound(store, owner, id, rewound_pass, NULL, &fault), &fault);
    must(store_state_get(store, owner, id, &end, &reading->arena, &state, &fault), &fault);
    for (int relation = RELATION_FAMILY; relation <= RELATION_CHILDREN; relation++)
        must(store_relatives(store, owner, id, relation, session_pass, NULL, &fault), &fault);
}

/* The names of the living sessions, the first SESSIONS_MAX of them. */
static size_t sessions_list(const struct shelf *shelf, struct reading *reading)
{
    struct list_spec list = {.owner = shelf->owner, .archived = -1};
    struct fault fault;

    *reading = (struct reading){.store = shelf->store, .owner = shelf->owner};
    arena_init(&reading->arena);
    must(store_session_list(shelf->store, &list, session_keep, reading, &fault), &fault);
    return reading->count < SESSIONS_MAX ? reading->count : SESSIONS_MAX;
}

void shelf_read(const struct shelf *shelf)
{
    struct search_spec search = {.owner = shelf->owner, .words = STR("e* a*")};
    struct reading reading;
    size_t count = sessions_list(shelf, &reading);
    struct fault fault;

    for (size_t i = 0; i < count; i++)
        session_read(&reading, reading.sessions[i]);
    must(store_search(shelf->store, &search, hit_pass, NULL, NULL, &fault), &fault);
    arena_clear(&reading.arena);
}

/* ---- giving it out again ---- */

static enum fault_code bytes_add(void *context, struct str bytes, struct fault *fault)
{
    (void)fault;
    buf_add_str(context, bytes);
    return FAULT_OK;
}

void shelf_export(const struct shelf *shelf, struct buf *out)
{
    struct log_out log;
    struct fault fault;

    buf_init(out, EXPORT_MAX);
    log_out_init(&log, bytes_add, out);
    must(log_out_begin(&log, STR("local"), 0, &fault), &fault);
    must(store_export(shelf->store, shelf->owner, STR_NONE, log_out_item, &log, &fault), &fault);
    must(log_out_end(&log, &fault), &fault);
    log_out_clear(&log);
    assert(!out->full);
}

/* ---- working with it ---- */

static void session_use(struct reading *reading, struct engine *engine, struct str id)
{
    static const struct point_spec points[] = {{.by = POINT_END}, {.by = POINT_START}};
    struct append_spec append = {.owner = reading->owner, .session = id};
    struct entry_spec entry = message_of_text(ROLE_USER, STR("more"), &reading->arena);
    struct str title = STR("other"); /* the next of a series may not be there */
    struct move_spec undo = {.owner = reading->owner, .session = id};
    struct append_result appended;
    struct move_result moved;
    struct fork_result forked;
    struct fault fault;

    must(engine_append(engine, &append, &entry, 1, &reading->arena, &appended, &fault), &fault);
    for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
        struct fork_spec fork = {
            .owner = reading->owner, .session = id, .point = points[i], .title = &title};

        fork.point.guard = GUARD_NONE;
        must(engine_fork(engine, &fork, &reading->arena, &forked, &fault), &fault);
    }
    if (engine_undo(engine, &undo, &reading->arena, &moved, &fault) != FAULT_OK)
        assert(fault.code == FAULT_NOTHING_TO_UNDO);
}

void shelf_use(const struct shelf *shelf)
{
    struct engine *engine = engine_new(shelf->store, NULL);
    struct reading reading;
    size_t count = sessions_list(shelf, &reading);

    for (size_t i = 0; i < count; i++)
        session_use(&reading, engine, reading.sessions[i]);
    arena_clear(&reading.arena);
    engine_free(engine);
}

static void count_check(const struct shelf *shelf)
{
    struct store_counts counts;
    struct fault fault;

    must(store_count(shelf->store, &counts, &fault), &fault);
    assert(counts.sessions == 0 && counts.deleted == 0 && counts.subsessions == 0);
    assert(counts.entries == 0 && counts.lines == 0 && counts.moves == 0 && counts.states == 0);
    assert(counts.turns == 0 && counts.records == 0 && counts.pins == 0 && counts.labels == 0);
    assert(counts.objects == 0 && counts.reaps == 0);
}

void shelf_empty(const struct shelf *shelf)
{
    struct engine *engine = engine_new(shelf->store, NULL);
    struct gc_spec gc = {.now_us = INT64_MAX / 2};
    struct gc_result result;
    struct reading reading;
    struct fault fault;
    size_t count;

    while ((count = sessions_list(shelf, &reading)) > 0) {
        for (size_t i = 0; i < count; i++) {
            struct delete_spec spec = {
                .owner = shelf->owner, .session = reading.sessions[i], .purge = i % 2};

            must(engine_delete(engine, &spec, &fault), &fault);
        }
        arena_clear(&reading.arena);
    }
    arena_clear(&reading.arena);
    must(store_gc(shelf->store, &gc, NULL, NULL, &result, &fault), &fault);
    count_check(shelf);
    engine_free(engine);
}
