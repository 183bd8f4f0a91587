/* Words to search for: nothing in them is an operator, and nobody sees what is another's. */
#include "fuzz.h"

#include "message/message_in.h"
#include "engine/engine.h"
#include "store/limits.h"
#include "store/sqlite/sqlite_store.h"

#include <assert.h>
#include <stdlib.h>

static struct store *store;
static int64_t owner;

static void say(struct engine *engine, int64_t who, struct str session, struct str text)
{
    struct create_spec create = {
        .owner = who, .id = session, .title = text, .agent = STR("fuzz/agent")};
    struct append_spec append = {.owner = who, .session = session};
    struct append_result result;
    struct session made;
    struct arena arena;
    struct fault fault;
    struct entry_spec entry;

    arena_init(&arena);
    entry = message_of_text(ROLE_USER, text, &arena);
    if (engine_create(engine, &create, &arena, &made, &fault) != FAULT_OK ||
        engine_append(engine, &append, &entry, 1, &arena, &result, &fault) != FAULT_OK)
        abort();
    arena_clear(&arena);
}

static void store_make(void)
{
    struct sqlite_store_options options = {.path = NULL};
    struct engine *engine;
    struct fault fault;
    int64_t other;

    if (sqlite_store_open(&options, &store, &fault) != FAULT_OK ||
        store_owner(store, STR("local"), &owner, &fault) != FAULT_OK ||
        store_owner(store, STR("other"), &other, &fault) != FAULT_OK)
        abort();
    engine = engine_new(store, NULL);
    say(engine, owner, STR("mine"),
        STR("near AND not OR \"or\" o1 who : body * ^ {x} a-b caf\u00e9"));
    say(engine, owner, STR("mine2"), STR("the quick brown fox"));
    say(engine, other, STR("theirs"), STR("the quick brown secret o1 o2 near and not"));
    engine_free(engine);
}

static enum fault_code hit_check(void *context, const struct hit *hit, struct fault *fault)
{
    (void)context;
    (void)fault;
    assert(str_starts(hit->session, STR("mine")));
    return FAULT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct search_spec spec = {.words = {(const char *)data, size}, .limit = 10};
    struct fault fault;
    enum fault_code code;

    if (!store)
        store_make();
    spec.owner = owner;
    code = store_search(store, &spec, hit_check, NULL, NULL, &fault);
    assert(code == FAULT_OK || code == FAULT_INVALID ||
           (code == FAULT_TOO_LARGE && size > LIMIT_QUERY_BYTES));
    spec.session = STR("mine"); /* and the same within a session, as its place allows */
    spec.way = (enum search_way)(size % 3);
    spec.place = (int64_t)(size % 2) - 1;
    assert(store_search(store, &spec, hit_check, NULL, NULL, &fault) == code);
    return 0;
}
