/* Prefix facts, one act after another, and the bytes under the hashes. */
#include "support/check.h"

#include "base/buf.h"
#include "store/facts.h"

static struct hasher *hasher;
static const unsigned char content[HASH_BYTES] = {1, 2, 3};

static int setup(void **state)
{
    (void)state;
    hasher = hasher_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hasher_free(hasher);
    return 0;
}

/* One entry after `before`, at number n, with nothing but a kind and a role. */
static struct facts_step plain(int64_t n, enum entry_kind kind, enum role role)
{
    return (struct facts_step){.at = {7, n}, .kind = kind, .role = role, .content = content};
}

static struct facts step(const struct facts *before, struct facts_step what)
{
    return facts_next(hasher, before, before->spent, &what);
}

static void messages_are_counted_by_role(void **state)
{
    static const struct {
        enum entry_kind kind;
        enum role role;
        int visible, user, tool;
    } rows[] = {
        {ENTRY_MESSAGE, ROLE_USER, 1, 1, 0},      {ENTRY_MESSAGE, ROLE_ASSISTANT, 1, 0, 0},
        {ENTRY_MESSAGE, ROLE_TOOL, 1, 0, 1},      {ENTRY_MESSAGE, ROLE_SYSTEM, 0, 0, 0},
        {ENTRY_EVENT, ROLE_NONE, 0, 0, 0},        {ENTRY_EVENT, ROLE_USER, 0, 0, 0},
        {ENTRY_SUMMARY, ROLE_NONE, 0, 0, 0},      {ENTRY_SUBSESSION, ROLE_NONE, 0, 0, 0},
        {ENTRY_FILES, ROLE_NONE, 0, 0, 0},        {ENTRY_STATE, ROLE_NONE, 0, 0, 0},
        {ENTRY_SUMMARY, ROLE_ASSISTANT, 0, 0, 0},
    };
    struct facts facts = {0};
    int visible = 0, user = 0, tool = 0;

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            facts = step(&facts, plain((int64_t)i + 1, rows[i].kind, rows[i].role));
            visible += rows[i].visible;
            user += rows[i].user;
            tool += rows[i].tool;
            assert_int_equal(facts.visible, visible);
            assert_int_equal(facts.user, user);
            assert_int_equal(facts.tool, tool);
            assert_int_equal(facts.flat, visible);
            assert_int_equal(facts.flat_user, user);
        }
    }
}

static void a_reference_adds_what_it_flattens(void **state)
{
    struct facts inner = {.visible = 5,
                          .user = 2,
                          .tool = 1,
                          .flat = 9,
                          .flat_user = 4,
                          .path = {100, 100, 100},
                          .open = 3};
    struct facts_step reference = plain(1, ENTRY_SUBSESSION, ROLE_NONE);
    struct facts facts = {0};

    (void)state;
    facts = step(&facts, plain(1, ENTRY_MESSAGE, ROLE_USER));
    reference.at.n = 2;
    reference.ref = &inner;
    facts = step(&facts, reference);
    assert_int_equal(facts.visible, 1);
    assert_int_equal(facts.user, 1);
    assert_int_equal(facts.tool, 0);
    assert_int_equal(facts.flat, 10);
    assert_int_equal(facts.flat_user, 5);
    assert_int_equal(facts.path.input, 0); /* what it cost was counted where it was written */
    assert_int_equal(facts.open, 0);
}

static void usage_sums_over_path_and_session(void **state)
{
    struct facts_step one = plain(1, ENTRY_MESSAGE, ROLE_ASSISTANT);
    struct facts before = {.path = {10, 20, 30}, .spent = {999, 999, 999}}, facts;

    (void)state;
    one.usage = (struct usage){1, 2, 3};
    facts = facts_next(hasher, &before, (struct usage){5, 6, 7}, &one);
    assert_int_equal(facts.path.input, 11);
    assert_int_equal(facts.path.output, 22);
    assert_int_equal(facts.path.cost, 33);
    /* the session's own sums come from the number before, not from the path */
    assert_int_equal(facts.spent.input, 6);
    assert_int_equal(facts.spent.output, 8);
    assert_int_equal(facts.spent.cost, 10);
}

static struct facts call(const struct facts *before, int64_t n, int64_t turn, int calls,
                         int results)
{
    struct facts_step what = plain(n, ENTRY_MESSAGE, ROLE_ASSISTANT);

    what.calls = calls;
    what.results = results;
    what.in_turn = turn != 0;
    what.same_turn = turn != 0 && turn == before->turn;
    what.turn = turn;
    return step(before, what);
}

static void open_calls_are_counted(void **state)
{
    struct facts facts = {0};

    (void)state;
    facts = call(&facts, 1, 0, 2, 0);
    assert_int_equal(facts.open, 2);
    assert_int_equal(facts.good.n, 0);
    facts = call(&facts, 2, 0, 0, 1);
    assert_int_equal(facts.open, 1);
    facts = call(&facts, 3, 0, 1, 2); /* what it opens can be answered by itself */
    assert_int_equal(facts.open, 0);
    assert_true(address_eq(facts.good, (struct address){7, 3}));
    facts = call(&facts, 4, 0, 0, 5); /* answers to nothing */
    assert_int_equal(facts.open, 0);
    assert_int_equal(facts.good.n, 4);
    facts = call(&facts, 5, 0, 1, 0);
    assert_int_equal(facts.open, 1);
    assert_int_equal(facts.good.n, 4);
}

static void another_turn_leaves_open_calls_behind(void **state)
{
    struct facts facts = {0};

    (void)state;
    facts = call(&facts, 1, 11, 3, 0);
    assert_int_equal(facts.turn, 11);
    facts = call(&facts, 2, 11, 0, 1); /* the same turn goes on */
    assert_int_equal(facts.open, 2);
    facts = call(&facts, 3, 0, 0, 1); /* names none: nothing is left behind */
    assert_int_equal(facts.open, 1);
    assert_int_equal(facts.turn, 11);
    facts = call(&facts, 4, 12, 0, 0);
    assert_int_equal(facts.open, 0);
    assert_int_equal(facts.turn, 12);
    assert_int_equal(facts.good.n, 4);
    facts = call(&facts, 5, 13, 2, 1); /* its own calls count from nothing */
    assert_int_equal(facts.open, 1);
}

static void the_newest_of_each_is_remembered(void **state)
{
    struct facts facts = {0};
    struct facts_step change = plain(3, ENTRY_MESSAGE, ROLE_USER);
    struct facts_step files = plain(5, ENTRY_FILES, ROLE_NONE);

    (void)state;
    facts = step(&facts, plain(1, ENTRY_MESSAGE, ROLE_USER));
    assert_true(address_eq(facts.summary, ADDRESS_START));
    assert_true(address_eq(facts.state, ADDRESS_START));
    assert_int_equal(facts.tree, 0);
    facts = step(&facts, plain(2, ENTRY_SUMMARY, ROLE_NONE));
    assert_int_equal(facts.summary.n, 2);
    change.has_state = true;
    facts = step(&facts, change);
    assert_int_equal(facts.state.n, 3);
    assert_int_equal(facts.summary.n, 2);
    facts = step(&facts, plain(4, ENTRY_MESSAGE, ROLE_USER));
    assert_int_equal(facts.state.n, 3);
    files.tree = 42;
    facts = step(&facts, files);
    assert_int_equal(facts.tree, 42);
    facts = step(&facts, plain(6, ENTRY_SUMMARY, ROLE_NONE));
    assert_int_equal(facts.tree, 42);
    assert_true(address_eq(facts.summary, (struct address){7, 6}));
}

static void a_move_takes_the_facts_of_its_target(void **state)
{
    struct facts target = {.visible = 3,
                           .user = 1,
                           .tool = 1,
                           .flat = 4,
                           .flat_user = 2,
                           .path = {1, 2, 3},
                           .spent = {9, 9, 9},
                           .open = 2,
                           .turn = 5,
                           .good = {7, 1},
                           .summary = {7, 2},
                           .state = {7, 3},
                           .tree = 8,
                           .hash = {1, 2, 3}};
    struct facts_step move = plain(20, ENTRY_MOVE, ROLE_NONE);
    struct facts facts, expected = target;

    (void)state;
    facts = facts_move(hasher, &target, (struct usage){50, 60, 70}, &move);
    expected.spent = (struct usage){50, 60, 70};
    assert_memory_equal(&facts, &expected, sizeof(facts));

    move.tree = 77;
    facts = facts_move(hasher, &target, (struct usage){50, 60, 70}, &move);
    expected.tree = 77;
    assert_memory_equal(&facts, &expected, sizeof(facts));
}

static void a_move_that_keeps_state_counts(void **state)
{
    struct facts target = {.visible = 3, .state = {7, 3}, .good = {7, 1}, .hash = {1, 2, 3}};
    struct facts_step move = plain(20, ENTRY_MOVE, ROLE_NONE);
    struct facts facts, entry;

    (void)state;
    move.has_state = true;
    facts = facts_move(hasher, &target, (struct usage){0}, &move);
    assert_true(address_eq(facts.state, (struct address){7, 20}));
    assert_int_equal(facts.visible, 3);
    assert_memory_not_equal(facts.hash, target.hash, HASH_BYTES);
    entry = step(&target, plain(20, ENTRY_EVENT, ROLE_NONE));
    assert_memory_equal(facts.hash, entry.hash, HASH_BYTES); /* chained as an entry's content is */
}

/* The bytes, put together here by hand. */
static void int_add(struct buf *buf, int64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_add_char(buf, (char)(unsigned char)((uint64_t)value >> shift));
}

static void text_add(struct buf *buf, struct str text)
{
    int_add(buf, (int64_t)text.n);
    buf_add_str(buf, text);
}

static void hash_of(const struct buf *buf, unsigned char out[HASH_BYTES])
{
    hasher_begin(hasher);
    hasher_add(hasher, buf->p, buf->n);
    hasher_end(hasher, out);
}

static void content_bytes_are_as_written_down(void **state)
{
    static const unsigned char salt[SALT_BYTES] = "0123456789abcdef";
    struct content some = {
        .salt = salt,
        .kind = ENTRY_MESSAGE,
        .role = ROLE_ASSISTANT,
        .id = STR("m1"),
        .turn = STR("t1"),
        .at_us = 1700000000000001,
        .usage = {11, 22, 33},
        .state = STR("\x01"
                     "a\x02"
                     "1"),
        .tree = STR("tttttttttttttttttttttttttttttttt"),
        .pinned = STR("pppppppppppppppppppppppppppppppp"),
        .body = STR("{\"text\":\"hi\"}"),
    };
    unsigned char got[HASH_BYTES], want[HASH_BYTES];
    struct buf buf;

    (void)state;
    buf_init(&buf, 4096);
    text_add(&buf, STR("tine content 1"));
    buf_add(&buf, salt, SALT_BYTES);
    int_add(&buf, 0);
    int_add(&buf, 2);
    text_add(&buf, some.id);
    text_add(&buf, some.turn);
    int_add(&buf, some.at_us);
    int_add(&buf, 11);
    int_add(&buf, 22);
    int_add(&buf, 33);
    text_add(&buf, some.state);
    text_add(&buf, some.tree);
    text_add(&buf, some.pinned);
    text_add(&buf, some.body);
    hash_of(&buf, want);
    content_hash(hasher, &some, got);
    assert_memory_equal(got, want, HASH_BYTES);
    buf_clear(&buf);
}

/* A change in any one part, or a byte moved from one part to the next, is another content. */
static void every_part_of_the_content_counts(void **state)
{
    static const unsigned char salt[SALT_BYTES] = {1}, other_salt[SALT_BYTES] = {2};
    const struct content base = {.salt = salt,
                                 .id = STR("ab"),
                                 .turn = STR("cd"),
                                 .state = STR("ef"),
                                 .tree = STR("gh"),
                                 .pinned = STR("ij"),
                                 .body = STR("kl")};
    struct content all[16];
    unsigned char hashes[16][HASH_BYTES];
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < 16; i++)
        all[i] = base;
    n++;
    all[n++].salt = other_salt;
    all[n++].kind = ENTRY_EVENT;
    all[n++].role = ROLE_USER;
    all[n++].id = STR("abc");
    all[n++].turn = STR("d");
    all[n++].at_us = 1;
    all[n++].usage.input = 1;
    all[n++].usage.output = 1;
    all[n++].usage.cost = 1;
    all[n++].state = STR("efg");
    all[n++].tree = STR("h");
    all[n++].pinned = STR("ijk");
    all[n++].body = STR("l");
    all[n].id = STR("abc"), all[n++].turn = STR("d");
    all[n].pinned = STR("ijk"), all[n++].body = STR("l");
    assert_int_equal(n, 16);
    for (size_t i = 0; i < n; i++) {
        content_hash(hasher, &all[i], hashes[i]);
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(hashes[i], hashes[k], HASH_BYTES);
    }
}

static void a_path_hash_chains_the_contents(void **state)
{
    struct facts facts = {0};
    unsigned char want[HASH_BYTES] = {0};
    struct buf buf;

    (void)state;
    buf_init(&buf, 4096);
    for (int64_t n = 1; n <= 5; n++) {
        unsigned char now[HASH_BYTES] = {(unsigned char)n};
        struct facts_step what = plain(n, ENTRY_MESSAGE, ROLE_USER);

        what.content = now;
        facts = step(&facts, what);
        buf_reset(&buf);
        text_add(&buf, STR("tine path 1"));
        buf_add(&buf, want, HASH_BYTES);
        buf_add(&buf, now, HASH_BYTES);
        hash_of(&buf, want);
        assert_memory_equal(facts.hash, want, HASH_BYTES);
    }
    buf_clear(&buf);
}

static void times_strictly_increase(void **state)
{
    (void)state;
    assert_int_equal(act_time(100, 50), 100);
    assert_int_equal(act_time(100, 99), 100);
    assert_int_equal(act_time(100, 100), 101);
    assert_int_equal(act_time(100, 500), 501);
    assert_int_equal(act_time(1, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_counted_by_role),
        cmocka_unit_test(a_reference_adds_what_it_flattens),
        cmocka_unit_test(usage_sums_over_path_and_session),
        cmocka_unit_test(open_calls_are_counted),
        cmocka_unit_test(another_turn_leaves_open_calls_behind),
        cmocka_unit_test(the_newest_of_each_is_remembered),
        cmocka_unit_test(a_move_takes_the_facts_of_its_target),
        cmocka_unit_test(a_move_that_keeps_state_counts),
        cmocka_unit_test(content_bytes_are_as_written_down),
        cmocka_unit_test(every_part_of_the_content_counts),
        cmocka_unit_test(a_path_hash_chains_the_contents),
        cmocka_unit_test(times_strictly_increase),
    };

    return cmocka_run_group_tests_name("facts", tests, setup, teardown);
}
