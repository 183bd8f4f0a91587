/* Requests that are carried out once: the same key gives the same answer, and nothing is done. */
#include "contract.h"

#include "store/limits.h"

#define HOURS_US INT64_C(3600000000)

/* The answer is a text with the number of times that one was written. */
struct answering {
    const struct session *session; /* what the verb filled; NULL: not looked at */
    int rendered;
    size_t padding;
};

static struct str render(void *context, struct arena *arena)
{
    struct answering *answering = context;
    struct str id = answering->session ? answering->session->id : STR("-");
    struct str text = arena_printf(arena, "%d %.*s", ++answering->rendered, STR_ARG(id));

    if (answering->padding) {
        char *bytes = arena_alloc(arena, answering->padding);

        memset(bytes, 'x', answering->padding);
        return (struct str){bytes, answering->padding};
    }
    return text;
}

static struct once key(struct talk *t, const char *name, unsigned char request,
                       struct answering *answering)
{
    struct once once = {
        .owner = t->rig.owner, .key = str_of(name), .render = render, .context = answering};

    memset(once.request, request, HASH_BYTES);
    return once;
}

static void a_session_is_created_once(struct talk *t)
{
    struct session made = {0};
    struct answering answering = {.session = &made};
    struct once once = key(t, "k", 1, &answering), again, other;
    struct create_spec spec = {
        .owner = t->rig.owner, .title = STR("T"), .agent = STR("ns/a"), .once = &once};
    struct str id;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    id = made.id;
    assert_false(once.repeated);
    CHECK_STR(once.answer, arena_printf(&t->arena, "1 %.*s", STR_ARG(id)).p);
    made.id = STR("untouched");
    again = key(t, "k", 1, &answering);
    spec.once = &again;
    spec.title = STR("not looked at");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_true(again.repeated);
    CHECK_STR(again.answer, once.answer.p);
    CHECK_STR(made.id, "untouched");
    assert_int_equal(answering.rendered, 1);
    assert_int_equal(talk_counts(t).sessions, 1);
    other = key(t, "k", 2, &answering);
    spec.once = &other;
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_KEY_REUSED,
                &t->fault);
    assert_false(other.repeated);
    assert_int_equal(talk_counts(t).sessions, 1);
    /* the answer outlives what it speaks of, and the store's being closed */
    talk_delete(t, id);
    if (t->rig.kind->lasts)
        rig_reopen(&t->rig);
    spec.once = &again;
    again.repeated = false;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_true(again.repeated);
}

/* Runs a verb twice with one key; the second time nothing may happen. */
#define TWICE(t, call)                                       \
    do {                                                     \
        struct store_counts once_, twice_;                   \
        (t)->rig.now_us += 1000;                             \
        once = key((t), #call, 1, &answering);               \
        answering.rendered = 0;                              \
        CHECK_OK((call), &(t)->fault);                       \
        assert_false(once.repeated);                         \
        once_ = talk_counts(t);                              \
        (t)->rig.now_us += 1000;                             \
        once = key((t), #call, 1, &answering);               \
        CHECK_OK((call), &(t)->fault);                       \
        assert_true(once.repeated);                          \
        CHECK_STR(once.answer, "1 -");                       \
        assert_int_equal(answering.rendered, 1);             \
        twice_ = talk_counts(t);                             \
        assert_memory_equal(&once_, &twice_, sizeof(once_)); \
    } while (0)

static void every_verb_with_a_key_is_done_once(struct talk *t)
{
    struct answering answering = {0};
    struct once once;
    struct str session = talk_create(t, "T");
    struct entry_spec entry = talk_message(t, ROLE_USER, "a");
    struct append_spec append = {.owner = t->rig.owner, .session = session, .once = &once};
    struct fork_spec fork = {.owner = t->rig.owner, .session = session, .once = &once};
    struct move_spec move = {
        .owner = t->rig.owner, .session = session, .point = at_start(), .once = &once};
    struct adopt_spec adopt = {.owner = t->rig.owner, .session = session, .once = &once};
    struct engine *engine = t->rig.engine;
    struct append_result appended;
    struct fork_result forked;
    struct move_result moved;

    TWICE(t, engine_append(engine, &append, &entry, 1, &t->arena, &appended, &t->fault));
    assert_string_equal(talk_texts(t, session), "a");
    TWICE(t, engine_fork(engine, &fork, &t->arena, &forked, &t->fault));
    assert_int_equal(talk_counts(t).sessions, 2);
    TWICE(t, engine_rewind(engine, &move, &t->arena, &moved, &t->fault));
    TWICE(t, engine_undo(engine, &move, &t->arena, &moved, &t->fault));
    TWICE(t, engine_redo(engine, &move, &t->arena, &moved, &t->fault));
    talk_say(t, forked.session.id, ROLE_USER, "f");
    adopt.from = forked.session.id;
    TWICE(t, engine_adopt(engine, &adopt, &t->arena, &moved, &t->fault));
    assert_string_equal(talk_texts(t, session), "a f");
    assert_int_equal(talk_counts(t).answers, 6);
}

/* A turn that is begun with a key is begun once, whatever has become of it. */
static void a_turn_is_begun_once(struct talk *t)
{
    struct answering answering = {0};
    struct once once = key(t, "k", 1, &answering);
    struct str session = talk_create(t, "T");
    struct entry_spec entry = talk_message(t, ROLE_USER, "a");
    struct append_spec spec = {
        .owner = t->rig.owner,
        .session = session,
        .once = &once,
        .run = {.act = RUN_BEGIN, .turn = STR("x"), .state = RUN_RUNNING, .holder = STR("me")}};
    struct append_result result;

    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
             &t->fault);
    once = key(t, "k", 1, &answering);
    spec.run.turn = STR("y");
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
             &t->fault);
    assert_true(once.repeated);
    CHECK_STR(talk_session(t, session).turn, "x");
}

static void what_was_refused_keeps_no_answer(struct talk *t)
{
    struct answering answering = {0};
    struct once once = key(t, "k", 1, &answering);
    struct str session = talk_create(t, "T");
    struct move_spec move = {.owner = t->rig.owner, .session = session, .once = &once};
    struct fork_spec fork = {
        .owner = t->rig.owner, .session = session, .dry_run = true, .once = &once};
    struct fork_result forked;
    struct move_result moved;

    CHECK_FAULT(engine_undo(t->rig.engine, &move, &t->arena, &moved, &t->fault),
                FAULT_NOTHING_TO_UNDO, &t->fault);
    assert_int_equal(talk_counts(t).answers, 0);
    /* a dry run does nothing, so there is nothing to be done once */
    CHECK_OK(engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).answers, 0);
    talk_say(t, session, ROLE_USER, "a");
    talk_rewind(t, session, at_start());
    once = key(t, "k", 1, &answering);
    CHECK_OK(engine_undo(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    assert_false(once.repeated);
}

static void an_answer_that_is_too_large_undoes_the_act(struct talk *t)
{
    struct answering answering = {.padding = LIMIT_ONCE_BYTES};
    struct once once = key(t, "k", 1, &answering);
    struct str session = talk_create(t, "T");
    struct entry_spec entry = talk_message(t, ROLE_USER, "a");
    struct append_spec spec = {.owner = t->rig.owner, .session = session, .once = &once};
    struct append_result result;

    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
             &t->fault);
    answering.padding++;
    once = key(t, "l", 1, &answering);
    CHECK_FAULT(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
                FAULT_TOO_LARGE, &t->fault);
    assert_string_equal(talk_texts(t, session), "a");
    assert_int_equal(talk_counts(t).answers, 1);
}

static void keys_of_others_are_other_keys(struct talk *t)
{
    struct answering answering = {0};
    struct once once = key(t, "k", 1, &answering);
    struct create_spec spec = {.owner = t->rig.owner, .agent = STR("ns/a"), .once = &once};
    struct session made;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    once = key(t, "k", 2, &answering);
    CHECK_OK(store_owner(t->rig.store, STR("other"), &once.owner, &t->fault), &t->fault);
    spec.owner = once.owner;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_false(once.repeated);
    once = key(t, "K", 3, &answering); /* and case matters */
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).sessions, 3);
}

static void answers_are_given_for_a_day(struct talk *t)
{
    struct answering answering = {0};
    struct once once;
    struct create_spec spec = {.owner = t->rig.owner, .agent = STR("ns/a"), .once = &once};
    struct gc_spec gc = {.keep_us = 100 * HOURS_US};
    struct gc_result cleared;
    struct session made;

    for (int i = 0; i < 10; i++) {
        once = key(t, arena_printf(&t->arena, "k%d", i).p, 1, &answering);
        CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    }
    t->rig.now_us += 24 * HOURS_US - 1;
    once = key(t, "k0", 1, &answering);
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_true(once.repeated);
    t->rig.now_us += 1;
    once = key(t, "k0", 2, &answering); /* the key is free again, also for another request */
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_false(once.repeated);
    assert_in_range(talk_counts(t).answers, 5, 8); /* a few old ones went along */
    once = key(t, "k0", 2, &answering);
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_true(once.repeated);
    gc.now_us = t->rig.now_us;
    CHECK_OK(store_gc(t->rig.store, &gc, NULL, NULL, &cleared, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).answers, 1);
    assert_int_equal(talk_counts(t).sessions, 11);
}

static void keys_are_looked_at(struct talk *t)
{
    struct answering answering = {0};
    struct once once = key(t, "", 1, &answering);
    struct create_spec spec = {.owner = t->rig.owner, .agent = STR("ns/a"), .once = &once};
    char text[LIMIT_KEY_BYTES + 2];
    struct session made;

    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_INVALID,
                &t->fault);
    once.key = STR("a\tb");
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_INVALID,
                &t->fault);
    once.key = STR("\xc3\xa4");
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_INVALID,
                &t->fault);
    memset(text, '~', sizeof(text));
    once.key = (struct str){text, LIMIT_KEY_BYTES + 1};
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_TOO_LARGE,
                &t->fault);
    once.key.n = LIMIT_KEY_BYTES;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
}

static void an_agent_is_defined_once(struct talk *t)
{
    struct answering answering = {0};
    struct once once = key(t, "k", 1, &answering), again = once, other = key(t, "k", 2, &answering);
    struct agent_row row = {.name = STR("ns/a"), .body = STR("{}"), .at_us = t->rig.now_us};

    CHECK_OK(store_agent_put(t->rig.store, &row, true, &once, &t->arena, &t->fault), &t->fault);
    assert_false(once.repeated);
    CHECK_OK(store_agent_put(t->rig.store, &row, true, &again, &t->arena, &t->fault), &t->fault);
    assert_true(again.repeated);
    CHECK_STR(again.answer, "1 -");
    CHECK_FAULT(store_agent_put(t->rig.store, &row, true, &other, &t->arena, &t->fault),
                FAULT_KEY_REUSED, &t->fault);
    /* a failure is not kept, and an answer that is too long takes the act back */
    other = key(t, "o", 2, &answering);
    CHECK_FAULT(store_agent_put(t->rig.store, &row, true, &other, &t->arena, &t->fault),
                FAULT_EXISTS, &t->fault);
    row.name = STR("ns/b");
    answering.padding = LIMIT_ONCE_BYTES + 1;
    CHECK_FAULT(store_agent_put(t->rig.store, &row, true, &other, &t->arena, &t->fault),
                FAULT_TOO_LARGE, &t->fault);
    assert_int_equal(talk_counts(t).agents, 1);
    assert_int_equal(talk_counts(t).answers, 1);
}

/* Of an act that is no transaction of its own. */
static void an_answer_is_kept_alone(struct talk *t)
{
    struct answering answering = {0};
    struct once once = key(t, "k", 1, &answering), again = once, other = key(t, "k", 2, &answering);
    int64_t now = t->rig.now_us;

    CHECK_OK(store_answer_find(t->rig.store, &once, now, &t->arena, &t->fault), &t->fault);
    assert_false(once.repeated);
    assert_int_equal(answering.rendered, 0);
    CHECK_OK(store_answer_keep(t->rig.store, &once, now, &t->arena, &t->fault), &t->fault);
    assert_false(once.repeated);
    CHECK_OK(store_answer_find(t->rig.store, &again, now, &t->arena, &t->fault), &t->fault);
    assert_true(again.repeated);
    CHECK_STR(again.answer, "1 -");
    CHECK_OK(store_answer_keep(t->rig.store, &again, now, &t->arena, &t->fault), &t->fault);
    assert_true(again.repeated);
    CHECK_STR(again.answer, "1 -");
    CHECK_FAULT(store_answer_find(t->rig.store, &other, now, &t->arena, &t->fault),
                FAULT_KEY_REUSED, &t->fault);
    CHECK_FAULT(store_answer_keep(t->rig.store, &other, now, &t->arena, &t->fault),
                FAULT_KEY_REUSED, &t->fault);
    assert_int_equal(answering.rendered, 1);
    now += 25 * HOURS_US;
    CHECK_OK(store_answer_find(t->rig.store, &again, now, &t->arena, &t->fault), &t->fault);
    assert_false(again.repeated);
    CHECK_OK(store_answer_keep(t->rig.store, &other, now, &t->arena, &t->fault), &t->fault);
    assert_false(other.repeated);
    assert_int_equal(talk_counts(t).answers, 1);
}

const struct contract_test once_contract[] = {
    CONTRACT(a_session_is_created_once),
    CONTRACT(every_verb_with_a_key_is_done_once),
    CONTRACT(a_turn_is_begun_once),
    CONTRACT(an_agent_is_defined_once),
    CONTRACT(an_answer_is_kept_alone),
    CONTRACT(what_was_refused_keeps_no_answer),
    CONTRACT(an_answer_that_is_too_large_undoes_the_act),
    CONTRACT(keys_of_others_are_other_keys),
    CONTRACT(answers_are_given_for_a_day),
    CONTRACT(keys_are_looked_at),
    {0},
};
