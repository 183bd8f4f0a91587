/* ADK's rules for a log with rewinds, and how moves are told in them. */
#include "support/check.h"

#include "base/buf.h"
#include "dialect/kagent/adk.h"
#include "dialect/kagent/same.h"

enum { ACTS_MAX = 32 };

static struct arena arena;
static struct adk_act acts[ACTS_MAX];
static size_t count;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    memset(acts, 0, sizeof(acts));
    count = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

/* ---- acts of one session ---- */

static struct adk_act *add(enum adk_kind kind, const char *invocation)
{
    struct adk_act *act = &acts[count++];

    assert_true(count <= ACTS_MAX);
    act->kind = kind;
    act->at = (struct address){1, (int64_t)count};
    act->invocation = str_of(invocation);
    return act;
}

static void event(const char *invocation)
{
    add(ADK_EVENT, invocation);
}

/* An event that changes one key. */
static void change(const char *invocation, const char *key, const char *value)
{
    struct adk_act *act = add(ADK_EVENT, invocation);

    act->delta.items = arena_alloc(&arena, sizeof(*act->delta.items));
    act->delta.items[0] = (struct adk_change){str_of(key), str_of(value)};
    act->delta.count = 1;
}

/* A move after which `kept` acts are left. */
static void move(const char *invocation, int64_t kept)
{
    add(ADK_MOVE, invocation)->to = kept ? (struct address){1, kept} : ADDRESS_START;
}

static void marker(const char *invocation, const char *target)
{
    add(ADK_MARKER, invocation)->target = str_of(target);
}

/* The invocations of what is effective, then of what is written: "A B | A B m:B". */
static const char *told(void)
{
    struct buf text;
    struct str copy;
    bool agrees = adk_resolve(acts, count, &arena);

    buf_init(&text, 4096);
    for (size_t i = 0; i < count; i++)
        if (acts[i].effective)
            buf_add_format(&text, "%.*s ", STR_ARG(acts[i].invocation));
    buf_add_text(&text, agrees ? "|" : "!");
    for (size_t i = 0; agrees && i < count; i++)
        if (acts[i].written)
            buf_add_format(&text, acts[i].target.n ? " %.*s:%.*s" : " %.*s",
                           STR_ARG(acts[i].invocation), STR_ARG(acts[i].target));
    copy = arena_dup(&arena, buf_str(&text));
    buf_clear(&text);
    return copy.p;
}

/* The change of state that an act brings, or what all of it comes to: "j=null k=1". */
static const char *state_words(const struct adk_delta *delta)
{
    struct str words = STR_NONE;

    for (size_t i = 0; i < delta->count; i++)
        words = arena_printf(&arena, "%.*s%s%.*s=%.*s", STR_ARG(words), i ? " " : "",
                             STR_ARG(delta->items[i].key), STR_ARG(delta->items[i].value));
    return words.n ? words.p : "";
}

/* ---- what ADK's reading comes to ---- */

static void a_target_inside_what_was_removed_brings_it_back(void **state)
{
    (void)state;
    event("A");
    event("B");
    event("C");
    move("m1", 1);
    event("D");
    move("m2", 2); /* before C, which was rewound away */
    assert_string_equal(told(), "A B | A B C m1:B D m2:C");
}

static void a_target_that_is_a_marker_takes_it_back(void **state)
{
    (void)state;
    event("A");
    event("B");
    event("C");
    move("m1", 1);
    move("m2", 3);
    assert_string_equal(told(), "A B C | A B C m1:B m2:m1");
}

static void a_rewind_to_the_first_leaves_nothing(void **state)
{
    (void)state;
    event("A");
    event("B");
    move("m1", 0);
    assert_string_equal(told(), "| A B m1:A");
    event("C");
    assert_string_equal(told(), "C | A B m1:A C");
}

static void an_invocation_that_was_resumed_is_cut_at_its_first_event(void **state)
{
    (void)state;
    event("A");
    event("B");
    event("A");
    move("m1", 0);
    assert_string_equal(told(), "| A B A m1:A");
}

/* ---- moves that others made ---- */

static void a_move_in_the_middle_of_an_invocation_cannot_be_told(void **state)
{
    (void)state;
    event("A");
    event("A");
    move("m1", 1);
    assert_string_equal(told(), "A !");
}

static void a_move_that_takes_nothing_away_is_not_told(void **state)
{
    (void)state;
    event("A");
    add(ADK_NOTHING, "");
    move("m1", 1);
    event("B");
    assert_string_equal(told(), "A B | A B");
}

static void before_an_event_without_an_invocation_cannot_be_told(void **state)
{
    (void)state;
    event("A");
    event("");
    move("m1", 1);
    assert_string_equal(told(), "A !");
}

/* ---- markers of runtimes ---- */

static void the_marker_of_a_runtime_stands_for_its_move(void **state)
{
    (void)state;
    event("A");
    event("B");
    marker("r", "B");
    move("m1", 1);
    assert_string_equal(told(), "A | A B r:B");
    move("m2", 3); /* undo: back to where the marker stood */
    assert_string_equal(told(), "A B | A B r:B m2:r");
}

static void a_marker_that_names_nothing_is_left_out_alone(void **state)
{
    (void)state;
    event("A");
    marker("r", "nowhere");
    event("B");
    assert_string_equal(told(), "A B | A r:nowhere B");
    move("m1", 1); /* what follows it is a deed of its own */
    assert_string_equal(told(), "A | A r:nowhere B m1:r");
}

/* ---- forks ---- */

static void a_fork_goes_on_with_what_it_was_given(void **state)
{
    (void)state;
    event("A");
    event("B");
    move("m1", 1);
    event("C");
    for (size_t i = 0; i < 2; i++) { /* the fork's own acts */
        add(ADK_EVENT, i ? "E" : "D")->at = (struct address){9, (int64_t)i + 1};
    }
    add(ADK_MOVE, "m2")->at = (struct address){9, 3};
    acts[count - 1].to = (struct address){1, 2}; /* before the parent's rewind */
    assert_string_equal(told(), "A B | A B m1:B C D E m2:m1");
}

/* ---- state ---- */

static void a_marker_puts_back_what_was_and_nulls_what_was_not(void **state)
{
    struct adk_delta all;

    (void)state;
    change("A", "k", "1");
    change("A", "app:x", "1");
    change("B", "k", "2");
    change("B", "j", "[1]");
    change("B", "app:x", "2");
    move("m1", 2);
    told();
    assert_string_equal(state_words(&acts[5].delta), "j=null k=1");
    change("C", "k", "null");
    move("m2", 6);
    told(); /* j is null already, and is told again */
    assert_string_equal(state_words(&acts[7].delta), "j=null k=1");
    all = adk_fold(acts, count, false, &arena);
    assert_string_equal(state_words(&all), "app:x=2 j=null k=1");
}

static void what_is_the_same_is_not_put_back(void **state)
{
    (void)state;
    change("A", "k", "{\"a\":1,\"b\":[true]}");
    change("B", "k", "{\"b\":[1],\"a\":1.0}");
    move("m1", 1);
    told();
    assert_string_equal(state_words(&acts[2].delta), "");
}

static void a_difference_leads_from_one_state_to_the_other(void **state)
{
    struct adk_change now[] = {{STR("a"), STR("1")}, {STR("b"), STR("2")}, {STR("c"), STR("null")}};
    struct adk_change wanted[] = {{STR("b"), STR("3")}, {STR("d"), STR("4")}};
    struct adk_delta from = {now, 3}, to = {wanted, 2}, delta;

    (void)state;
    delta = adk_difference(&from, &to, &arena);
    assert_string_equal(state_words(&delta), "a=null b=3 d=4");
}

/* ---- values ---- */

static void values_are_compared_as_python_does(void **state)
{
    static const struct {
        const char *left, *right;
        bool same;
    } rows[] = {
        {"1", "1.0", true},
        {"1", "true", true},
        {"0", "false", true},
        {"true", "1.0", true},
        {"true", "2", false},
        {"-0", "0", true},
        {"-0.0", "0", true},
        {"1e2", "100", true},
        {"100000000000000000000", "1e20", true},
        {"100000000000000000001", "1e20", false},
        {"9007199254740993", "9007199254740992.0", false},
        {"0.1", "0.10", true},
        {"1e999", "1e998", true},
        {"\"a\"", "\"\\u0061\"", true},
        {"\"1\"", "1", false},
        {"null", "false", false},
        {"null", "0", false},
        {"[1, 2]", "[1,2]", true},
        {"[1,2]", "[2,1]", false},
        {"[1]", "[1,1]", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":2.0, \"a\":true}", true},
        {"{\"a\":1,\"a\":2}", "{\"a\":2}", true},
        {"{\"a\":1}", "{\"a\":1,\"b\":null}", false},
        {"{}", "[]", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(json_same(str_of(rows[i].left), str_of(rows[i].right), &arena),
                         rows[i].same);
        assert_int_equal(json_same(str_of(rows[i].right), str_of(rows[i].left), &arena),
                         rows[i].same);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_target_inside_what_was_removed_brings_it_back),
        TEST(a_target_that_is_a_marker_takes_it_back),
        TEST(a_rewind_to_the_first_leaves_nothing),
        TEST(an_invocation_that_was_resumed_is_cut_at_its_first_event),
        TEST(a_move_in_the_middle_of_an_invocation_cannot_be_told),
        TEST(a_move_that_takes_nothing_away_is_not_told),
        TEST(before_an_event_without_an_invocation_cannot_be_told),
        TEST(the_marker_of_a_runtime_stands_for_its_move),
        TEST(a_marker_that_names_nothing_is_left_out_alone),
        TEST(a_fork_goes_on_with_what_it_was_given),
        TEST(a_marker_puts_back_what_was_and_nulls_what_was_not),
        TEST(what_is_the_same_is_not_put_back),
        TEST(a_difference_leads_from_one_state_to_the_other),
        TEST(values_are_compared_as_python_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
