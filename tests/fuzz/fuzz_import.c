/*
 * Exports, whole and damaged. What a store takes in must be sound: verify finds nothing, everything
 * can be read, and it can be given out, taken in by another store and given out again the same.
 *
 * Each input is tried as it is and with its hashes made to agree (mend.h); as it is, a damaged one
 * never gets far.
 */
#include "fuzz.h"
#include "mend.h"

#include "dialect/native/log_out.h"
#include "store/sqlite/sqlite_store.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXPORT_MAX = 64 * 1024 * 1024 };

/* A store in memory. It is kept as long as nothing was taken in: then nothing is in it. */
struct shelf {
    struct store *store;
    int64_t owner;
};

static struct shelf shelf_open(void)
{
    struct sqlite_store_options options = {.path = NULL};
    struct shelf shelf;
    struct fault fault;

    if (sqlite_store_open(&options, &shelf.store, &fault) != FAULT_OK ||
        store_owner(shelf.store, STR("local"), &shelf.owner, &fault) != FAULT_OK)
        abort();
    return shelf;
}

static void must(enum fault_code code, const struct fault *fault)
{
    if (code == FAULT_OK)
        return;
    fprintf(stderr, "%s: %s\n", fault_name(code), fault->message);
    abort();
}

/* ---- reading everything ---- */

struct reading {
    struct store *store;
    int64_t owner;
    struct arena arena;
    struct str *sessions;
    size_t count, room;
};

static enum fault_code session_keep(void *context, const struct session *session,
                                    struct fault *fault)
{
    struct reading *reading = context;

    (void)fault;
    if (reading->count < reading->room)
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

static void shelf_read(const struct shelf *shelf)
{
    struct str sessions[64];
    struct reading reading = {.store = shelf->store,
                              .owner = shelf->owner,
                              .sessions = sessions,
                              .room = sizeof(sessions) / sizeof(*sessions)};
    struct list_spec list = {.owner = shelf->owner, .archived = -1};
    struct search_spec search = {.owner = shelf->owner, .words = STR("e* a*")};
    struct fault fault;

    arena_init(&reading.arena);
    must(store_session_list(shelf->store, &list, session_keep, &reading, &fault), &fault);
    for (size_t i = 0; i < reading.count && i < reading.room; i++)
        session_read(&reading, sessions[i]);
    must(store_search(shelf->store, &search, hit_pass, NULL, &fault), &fault);
    arena_clear(&reading.arena);
}

/* ---- giving it out again ---- */

static enum fault_code bytes_add(void *context, struct str bytes, struct fault *fault)
{
    (void)fault;
    buf_add_str(context, bytes);
    return FAULT_OK;
}

static void shelf_export(const struct shelf *shelf, struct buf *out)
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

static void problem_print(void *context, const char *message)
{
    (void)context;
    fprintf(stderr, "verify: %s\n", message);
}

static void shelf_verify(const struct shelf *shelf)
{
    struct verify_result result;
    struct fault fault;

    must(store_verify(shelf->store, problem_print, NULL, NULL, &result, &fault), &fault);
    if (result.problems > 0)
        abort();
}

static void shelf_check(const struct shelf *shelf)
{
    struct shelf other = shelf_open();
    struct buf first, second;
    struct log_in in;
    struct fault fault;

    shelf_verify(shelf);
    shelf_read(shelf);
    shelf_export(shelf, &first);
    log_in_init_memory(&in, buf_str(&first));
    must(store_import(other.store, other.owner, log_in_next, &in, &fault), &fault);
    log_in_clear(&in);
    shelf_verify(&other);
    shelf_export(&other, &second);
    assert(str_eq(buf_str(&first), buf_str(&second)));
    buf_clear(&first);
    buf_clear(&second);
    store_close(other.store);
}

/* Takes it in; what was taken in is checked, and then the shelf is made anew. */
static void shelf_take(struct shelf *shelf, log_item_next *next, void *context)
{
    struct fault fault;

    if (store_import(shelf->store, shelf->owner, next, context, &fault) == FAULT_OK) {
        shelf_check(shelf);
        store_close(shelf->store);
        *shelf = shelf_open();
        return;
    }
    if (fault_status(fault.code) >= 500)
        must(fault.code, &fault);
    assert(fault.message[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct shelf shelf;
    struct str bytes = {(const char *)data, size};
    struct log_in in;
    struct mend mend;

    if (!shelf.store)
        shelf = shelf_open();
    log_in_init_memory(&in, bytes);
    shelf_take(&shelf, log_in_next, &in);
    log_in_clear(&in);
    mend_init(&mend, bytes);
    shelf_take(&shelf, mend_next, &mend);
    mend_clear(&mend);
    return 0;
}
