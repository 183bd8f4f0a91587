/* Every ceiling of store/limits.h: as much as it says is taken, one more is refused by name. */
#include "contract.h"

#include "store/limits.h"

#include <stdio.h>

static struct str letters(struct talk *t, size_t n)
{
    char *text = arena_alloc(&t->arena, n + 1);

    memset(text, 'x', n);
    return (struct str){text, n};
}

/* A JSON object of exactly n bytes. */
static struct str object(struct talk *t, size_t n)
{
    char *text = arena_alloc(&t->arena, n + 1);

    assert_true(n >= 8);
    memset(text, 'x', n);
    memcpy(text, "{\"a\":\"", 6);
    memcpy(text + n - 2, "\"}", 2);
    return (struct str){text, n};
}

/* The fault says which limit it was. */
static void check_names(struct talk *t, enum fault_code got, int64_t limit)
{
    char number[32];

    CHECK_FAULT(got, FAULT_TOO_LARGE, &t->fault);
    snprintf(number, sizeof(number), "%lld", (long long)limit);
    if (!strstr(t->fault.message, number))
        fail_msg("\"%s\" does not name the limit %s", t->fault.message, number);
}

static enum fault_code append(struct talk *t, struct str session, struct entry_spec *specs,
                              size_t count)
{
    struct append_spec spec = {.owner = t->rig.owner, .session = session};
    struct append_result result;

    return engine_append(t->rig.engine, &spec, specs, count, &t->arena, &result, &t->fault);
}

static void bytes_of_an_entry(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = {.kind = ENTRY_EVENT, .body = object(t, LIMIT_ENTRY_BYTES)};

    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    spec.body = object(t, LIMIT_ENTRY_BYTES + 1);
    check_names(t, append(t, session, &spec, 1), LIMIT_ENTRY_BYTES);
    assert_int_equal(talk_history(t, session, true).count, 1);
}

static void bytes_of_a_record(struct talk *t)
{
    struct record_spec spec = {.owner = t->rig.owner,
                               .session = talk_create(t, "T"),
                               .id = STR("r"),
                               .body = object(t, LIMIT_ENTRY_BYTES)};

    CHECK_OK(engine_save(t->rig.engine, &spec, &t->fault), &t->fault);
    spec.body = object(t, LIMIT_ENTRY_BYTES + 1);
    check_names(t, engine_save(t->rig.engine, &spec, &t->fault), LIMIT_ENTRY_BYTES);
}

static void entries_of_a_batch(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec *specs = arena_array(&t->arena, LIMIT_BATCH_ENTRIES + 1, sizeof(*specs));

    for (size_t i = 0; i <= LIMIT_BATCH_ENTRIES; i++)
        specs[i] = (struct entry_spec){.kind = ENTRY_EVENT, .body = STR("{}")};
    check_names(t, append(t, session, specs, LIMIT_BATCH_ENTRIES + 1), LIMIT_BATCH_ENTRIES);
    assert_int_equal(talk_history(t, session, true).count, 0);
    CHECK_OK(append(t, session, specs, LIMIT_BATCH_ENTRIES), &t->fault);
    assert_int_equal(talk_history(t, session, true).count, LIMIT_BATCH_ENTRIES);
}

static void bytes_of_a_batch(struct talk *t)
{
    enum { COUNT = LIMIT_BATCH_BYTES / LIMIT_ENTRY_BYTES };
    struct str session = talk_create(t, "T");
    struct entry_spec specs[COUNT + 1];

    for (size_t i = 0; i < COUNT; i++)
        specs[i] = (struct entry_spec){.kind = ENTRY_EVENT, .body = object(t, LIMIT_ENTRY_BYTES)};
    specs[COUNT] = (struct entry_spec){.kind = ENTRY_EVENT, .body = STR("{}")};
    check_names(t, append(t, session, specs, COUNT + 1), LIMIT_BATCH_BYTES);
    assert_int_equal(talk_counts(t).entries, 0);
    CHECK_OK(append(t, session, specs, COUNT), &t->fault);
}

static void bytes_of_an_id(struct talk *t)
{
    struct create_spec create = {
        .owner = t->rig.owner, .agent = STR("ns/a"), .id = letters(t, LIMIT_ID_BYTES)};
    struct entry_spec spec = {
        .kind = ENTRY_EVENT, .body = STR("{}"), .id = letters(t, LIMIT_ID_BYTES)};
    struct fork_spec fork = {.owner = t->rig.owner};
    struct record_spec record = {.owner = t->rig.owner, .body = STR("{}")};
    struct session session;
    struct fork_result forked;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault), &t->fault);
    CHECK_OK(append(t, session.id, &spec, 1), &t->fault);
    create.id = spec.id = fork.id = letters(t, LIMIT_ID_BYTES + 1);
    check_names(t, engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault),
                LIMIT_ID_BYTES);
    check_names(t, append(t, session.id, &spec, 1), LIMIT_ID_BYTES);
    fork.session = session.id;
    check_names(t, engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault),
                LIMIT_ID_BYTES);
    record.session = session.id;
    record.id = letters(t, LIMIT_ID_BYTES);
    CHECK_OK(engine_save(t->rig.engine, &record, &t->fault), &t->fault);
    record.id = letters(t, LIMIT_ID_BYTES + 1);
    check_names(t, engine_save(t->rig.engine, &record, &t->fault), LIMIT_ID_BYTES);
}

static void bytes_of_a_title(struct talk *t)
{
    struct create_spec create = {
        .owner = t->rig.owner, .agent = STR("ns/a"), .title = letters(t, LIMIT_TITLE_BYTES)};
    struct str more = letters(t, LIMIT_TITLE_BYTES + 1);
    struct update_spec update = {.owner = t->rig.owner, .title = &more};
    struct fork_spec fork = {.owner = t->rig.owner};
    struct session session;
    struct fork_result forked;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault), &t->fault);
    update.session = fork.session = session.id;
    CHECK_OK(engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault), &t->fault);
    assert_true(forked.session.title.n <= LIMIT_TITLE_BYTES);
    fork.title = &more;
    check_names(t, engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault),
                LIMIT_TITLE_BYTES);
    check_names(t, engine_update(t->rig.engine, &update, &t->arena, &session, &t->fault),
                LIMIT_TITLE_BYTES);
    create.title = more;
    check_names(t, engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault),
                LIMIT_TITLE_BYTES);
}

/* namespace/name, of n bytes together */
static struct str agent(struct talk *t, size_t n)
{
    return arena_printf(&t->arena, "ns/%.*s", STR_ARG(letters(t, n - 3)));
}

static void bytes_of_an_agent(struct talk *t)
{
    struct create_spec create = {.owner = t->rig.owner, .agent = agent(t, LIMIT_AGENT_BYTES)};
    struct str more = agent(t, LIMIT_AGENT_BYTES + 1);
    struct fork_spec fork = {.owner = t->rig.owner, .agent = &more};
    struct session session;
    struct fork_result forked;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault), &t->fault);
    fork.session = session.id;
    check_names(t, engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault),
                LIMIT_AGENT_BYTES);
    create.agent = more;
    check_names(t, engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault),
                LIMIT_AGENT_BYTES);
}

static void bytes_of_metadata_limits_and_settings(struct talk *t)
{
    struct create_spec create = {.owner = t->rig.owner,
                                 .agent = STR("ns/a"),
                                 .metadata = object(t, LIMIT_METADATA_BYTES),
                                 .limits = object(t, LIMIT_METADATA_BYTES),
                                 .settings = object(t, LIMIT_METADATA_BYTES)};
    struct str more = object(t, LIMIT_METADATA_BYTES + 1);
    struct update_spec update = {.owner = t->rig.owner, .metadata = &more};
    struct fork_spec fork = {.owner = t->rig.owner, .metadata = &more};
    struct session session, out;
    struct fork_result forked;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &session, &t->fault), &t->fault);
    update.session = fork.session = session.id;
    check_names(t, engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault),
                LIMIT_METADATA_BYTES);
    update.metadata = NULL;
    update.limits = &more;
    check_names(t, engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault),
                LIMIT_METADATA_BYTES);
    update.limits = NULL;
    update.settings = &more;
    check_names(t, engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault),
                LIMIT_METADATA_BYTES);
    check_names(t, engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault),
                LIMIT_METADATA_BYTES);
    fork.metadata = NULL;
    fork.settings = &more;
    check_names(t, engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault),
                LIMIT_METADATA_BYTES);
    create.metadata = more;
    check_names(t, engine_create(t->rig.engine, &create, &t->arena, &out, &t->fault),
                LIMIT_METADATA_BYTES);
    create.metadata = STR_NONE;
    create.limits = more;
    check_names(t, engine_create(t->rig.engine, &create, &t->arena, &out, &t->fault),
                LIMIT_METADATA_BYTES);
    create.limits = STR_NONE;
    create.settings = more;
    check_names(t, engine_create(t->rig.engine, &create, &t->arena, &out, &t->fault),
                LIMIT_METADATA_BYTES);
    assert_int_equal(talk_session(t, session.id).metadata.n, LIMIT_METADATA_BYTES);
    assert_int_equal(talk_session(t, session.id).settings.n, LIMIT_METADATA_BYTES);
}

static void bytes_of_a_turns_name(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = {.kind = ENTRY_EVENT,
                              .body = STR("{}"),
                              .turn_rule = TURN_NAMED,
                              .turn = letters(t, LIMIT_TURN_BYTES)};
    struct record_spec record = {.owner = t->rig.owner,
                                 .session = session,
                                 .id = STR("r"),
                                 .body = STR("{}"),
                                 .turn = letters(t, LIMIT_TURN_BYTES)};

    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    CHECK_OK(engine_save(t->rig.engine, &record, &t->fault), &t->fault);
    spec.turn = record.turn = letters(t, LIMIT_TURN_BYTES + 1);
    check_names(t, append(t, session, &spec, 1), LIMIT_TURN_BYTES);
    check_names(t, engine_save(t->rig.engine, &record, &t->fault), LIMIT_TURN_BYTES);
    spec.turn = STR("");
    CHECK_FAULT(append(t, session, &spec, 1), FAULT_INVALID, &t->fault);
}

static void bytes_of_a_label(struct talk *t)
{
    struct str session = talk_create(t, "T"), message = talk_say(t, session, ROLE_USER, "x");
    struct label_spec spec = {.owner = t->rig.owner,
                              .session = session,
                              .message = after_message(message),
                              .text = letters(t, LIMIT_LABEL_BYTES)};
    struct label label;

    CHECK_OK(engine_label(t->rig.engine, &spec, &t->arena, &label, &t->fault), &t->fault);
    spec.text = letters(t, LIMIT_LABEL_BYTES + 1);
    check_names(t, engine_label(t->rig.engine, &spec, &t->arena, &label, &t->fault),
                LIMIT_LABEL_BYTES);
    spec.text = STR("\xff");
    CHECK_FAULT(engine_label(t->rig.engine, &spec, &t->arena, &label, &t->fault), FAULT_INVALID,
                &t->fault);
}

static void keys_of_a_delta(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = {.kind = ENTRY_STATE, .body = STR("{}")};
    struct state_item *items = arena_array(&t->arena, LIMIT_STATE_KEYS + 1, sizeof(*items));

    for (int i = 0; i <= LIMIT_STATE_KEYS; i++)
        items[i] = (struct state_item){arena_printf(&t->arena, "key%d", i), STR("1")};
    spec.state = (struct state){items, LIMIT_STATE_KEYS + 1};
    check_names(t, append(t, session, &spec, 1), LIMIT_STATE_KEYS);
    spec.state.count = LIMIT_STATE_KEYS;
    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    assert_int_equal(talk_session(t, session).state_at_head.count, LIMIT_STATE_KEYS);
}

static void bytes_of_a_key(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct state_item item = {letters(t, LIMIT_STATE_KEY_BYTES), STR("1")};
    struct entry_spec spec = {.kind = ENTRY_STATE, .body = STR("{}"), .state = {&item, 1}};

    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    item.key = letters(t, LIMIT_STATE_KEY_BYTES + 1);
    spec.state = (struct state){&item, 1};
    check_names(t, append(t, session, &spec, 1), LIMIT_STATE_KEY_BYTES);
}

/* The whole state at a place is bounded, not only what one entry adds. */
static void bytes_of_the_state(struct talk *t)
{
    struct str session = talk_create(t, "T"), half = letters(t, LIMIT_STATE_BYTES / 2 - 64);
    struct state_item item = {STR("a"), half};
    struct entry_spec spec = {.kind = ENTRY_STATE, .body = STR("{}"), .state = {&item, 1}};

    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    spec.state = (struct state){&item, 1};
    CHECK_OK(append(t, session, &spec, 1), &t->fault); /* in the place of the one before */
    item = (struct state_item){STR("b"), half};
    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    item = (struct state_item){STR("c"), letters(t, 256)};
    check_names(t, append(t, session, &spec, 1), LIMIT_STATE_BYTES);
    assert_int_equal(talk_session(t, session).state_at_head.count, 2);
    item = (struct state_item){STR("a"), STR_NONE};
    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    item = (struct state_item){STR("c"), letters(t, 256)};
    CHECK_OK(append(t, session, &spec, 1), &t->fault);
    item.value = letters(t, LIMIT_STATE_BYTES / 2);
    check_names(t, append(t, session, &spec, 1), LIMIT_STATE_BYTES / 2); /* of one change */
}

static void bytes_of_a_query(struct talk *t)
{
    struct search_spec spec = {
        .owner = t->rig.owner, .words = letters(t, LIMIT_QUERY_BYTES), .limit = 1};
    struct gathered got = {.arena = &t->arena};

    CHECK_OK(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault), &t->fault);
    spec.words = letters(t, LIMIT_QUERY_BYTES + 1);
    check_names(t, store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault),
                LIMIT_QUERY_BYTES);
}

static void bytes_of_an_owner(struct talk *t)
{
    int64_t owner;

    CHECK_OK(store_owner(t->rig.store, letters(t, LIMIT_OWNER_BYTES), &owner, &t->fault),
             &t->fault);
    check_names(t, store_owner(t->rig.store, letters(t, LIMIT_OWNER_BYTES + 1), &owner, &t->fault),
                LIMIT_OWNER_BYTES);
    CHECK_FAULT(store_owner(t->rig.store, STR(""), &owner, &t->fault), FAULT_INVALID, &t->fault);
}

static void entries_of_an_adoption(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct entry_spec *specs = arena_array(&t->arena, LIMIT_BATCH_ENTRIES, sizeof(*specs));
    struct adopt_spec spec = {.owner = t->rig.owner, .session = session, .dry_run = true};
    struct move_result result;

    for (size_t i = 0; i < LIMIT_BATCH_ENTRIES; i++)
        specs[i] = (struct entry_spec){.kind = ENTRY_EVENT, .body = STR("{}")};
    spec.from = fork = talk_fork(t, session, at_end()).session.id;
    for (int i = 0; i < LIMIT_ADOPT_ENTRIES / LIMIT_BATCH_ENTRIES; i++)
        CHECK_OK(append(t, fork, specs, LIMIT_BATCH_ENTRIES), &t->fault);
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    assert_int_equal(result.added, LIMIT_ADOPT_ENTRIES);
    CHECK_OK(append(t, fork, specs, 1), &t->fault);
    check_names(t, engine_adopt(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                LIMIT_ADOPT_ENTRIES);
}

const struct contract_test limit_contract[] = {
    CONTRACT(bytes_of_an_entry),
    CONTRACT(bytes_of_a_record),
    CONTRACT(entries_of_a_batch),
    CONTRACT(bytes_of_a_batch),
    CONTRACT(bytes_of_an_id),
    CONTRACT(bytes_of_a_title),
    CONTRACT(bytes_of_an_agent),
    CONTRACT(bytes_of_metadata_limits_and_settings),
    CONTRACT(bytes_of_a_turns_name),
    CONTRACT(bytes_of_a_label),
    CONTRACT(keys_of_a_delta),
    CONTRACT(bytes_of_a_key),
    CONTRACT(bytes_of_the_state),
    CONTRACT(bytes_of_a_query),
    CONTRACT(bytes_of_an_owner),
    CONTRACT(entries_of_an_adoption),
    {0},
};
