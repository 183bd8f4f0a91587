/* State as deltas: sorting, the stored bytes, folding, and what a rewind leaves where it is. */
#include "support/check.h"

#include "store/state.h"

#include <stdio.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

/* "a=1 b=2 c" is a set to 1, b set to 2, c removed. Values may be empty: "a=". */
static struct state parse(const char *text)
{
    struct state out = {arena_array(&arena, strlen(text) + 1, sizeof(struct state_item)), 0};

    while (*text) {
        size_t n = strcspn(text, " "), key = strcspn(text, "= ");
        struct state_item *item = &out.items[out.count++];

        item->key = arena_dup(&arena, (struct str){text, key < n ? key : n});
        item->value =
            key < n ? arena_dup(&arena, (struct str){text + key + 1, n - key - 1}) : STR_NONE;
        text += n + (text[n] == ' ');
    }
    return out;
}

static void check_state(const struct state *state, const char *want)
{
    struct buf buf;

    buf_init(&buf, 10000);
    for (size_t i = 0; i < state->count; i++) {
        buf_add_text(&buf, i ? " " : "");
        buf_add_str(&buf, state->items[i].key);
        if (state->items[i].value.p) {
            buf_add_char(&buf, '=');
            buf_add_str(&buf, state->items[i].value);
        }
    }
    CHECK_STR(buf_str(&buf), want);
    buf_clear(&buf);
}

static void check_sort(const char *given, const char *want)
{
    struct state state = parse(given);

    state_sort(&state);
    check_state(&state, want);
}

static void sorting_orders_keys_by_bytes(void **state)
{
    (void)state;
    check_sort("", "");
    check_sort("a=1", "a=1");
    check_sort("b=2 a=1", "a=1 b=2");
    check_sort("c a=1 b", "a=1 b c");
    check_sort("ab=1 a=2 abc=3 B=4", "B=4 a=2 ab=1 abc=3");
    check_sort("\xc3\xa4=1 z=2", "z=2 \xc3\xa4=1");
}

static void of_equal_keys_the_last_one_stays(void **state)
{
    (void)state;
    check_sort("a=1 a=2", "a=2");
    check_sort("a=1 b=1 a a=3 b", "a=3 b");
    check_sort("a=1 a", "a");
    check_sort("a a=1 a= a=2 a", "a");
}

/* Many keys, each given three times in scattered order, so that every way of sorting is used. */
static void large_states_sort_the_same_way(void **state)
{
    static const size_t sizes[] = {10, 31, 32, 33, 34, 63, 64, 65, 100, 1000, 1025};

    (void)state;
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        size_t n = sizes[k], keys = n / 3 + 1;
        struct state many = {arena_array(&arena, n, sizeof(struct state_item)), n};
        size_t *last = arena_array(&arena, keys, sizeof(*last));

        for (size_t i = 0; i < n; i++) {
            size_t key = i * 7919 % keys;

            many.items[i].key = arena_printf(&arena, "key%05zu", key);
            many.items[i].value = arena_printf(&arena, "%zu", i);
            last[key] = i;
        }
        state_sort(&many);
        assert_int_equal(many.count, keys);
        for (size_t key = 0; key < keys; key++) {
            CHECK_STR(many.items[key].key, arena_printf(&arena, "key%05zu", key).p);
            CHECK_STR(many.items[key].value, arena_printf(&arena, "%zu", last[key]).p);
        }
    }
}

static struct str encode(const struct state *state)
{
    struct buf buf;
    struct str out;

    buf_init(&buf, 1 << 20);
    state_encode(state, &buf);
    assert_false(buf.full);
    out = arena_dup(&arena, buf_str(&buf));
    buf_clear(&buf);
    return out;
}

static void the_bytes_are_as_written_down(void **state)
{
    struct state some = parse("a=17 bc d=");
    struct state none = {NULL, 0};
    struct str bytes = encode(&some);

    (void)state;
    /* key length, key, value length + 1 (0: removed), value */
    assert_int_equal(bytes.n, 12);
    assert_memory_equal(bytes.p,
                        "\x01"
                        "a\x03"
                        "17\x02"
                        "bc\x00\x01"
                        "d\x01",
                        12);
    assert_int_equal(encode(&none).n, 0);
}

static void long_lengths_take_groups_of_seven_bits(void **state)
{
    struct state_item item = {arena_printf(&arena, "%0*d", 200, 1),
                              arena_printf(&arena, "%0*d", 16383, 2)};
    struct state one = {&item, 1};
    struct str bytes = encode(&one);

    (void)state;
    assert_int_equal(bytes.n, 2 + 200 + 3 + 16383);
    assert_memory_equal(bytes.p, "\xc8\x01", 2);
    assert_memory_equal(bytes.p + 202, "\x80\x80\x01", 3); /* 16384 */
}

static void bytes_are_read_back(void **state)
{
    static const char *const some[] = {"", "a=1", "a", "a= b=2 c", "a={\"x\":[1,2]} bb=null ccc="};
    struct fault fault;

    (void)state;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        struct state before = parse(some[i]), after;

        CHECK_OK(state_decode(encode(&before), &arena, &after, &fault), &fault);
        check_state(&after, some[i]);
    }
    for (size_t n = 0; n < 40000; n = n * 2 + 1) {
        struct state_item item = {STR("k"), arena_printf(&arena, "%0*d", (int)n + 1, 7)};
        struct state one = {&item, 1}, after;

        CHECK_OK(state_decode(encode(&one), &arena, &after, &fault), &fault);
        assert_int_equal(after.count, 1);
        assert_true(str_eq(after.items[0].value, item.value));
    }
}

/* A removed key and an empty value are different things. */
static void a_removal_is_not_an_empty_value(void **state)
{
    struct state before = parse("a= b"), after;
    struct fault fault;

    (void)state;
    CHECK_OK(state_decode(encode(&before), &arena, &after, &fault), &fault);
    assert_int_equal(after.count, 2);
    assert_non_null(after.items[0].value.p);
    assert_int_equal(after.items[0].value.n, 0);
    assert_null(after.items[1].value.p);
}

static void broken_bytes_are_corrupt(void **state)
{
    struct state good = parse("aa=11 bb cc=33"), out;
    struct str bytes = encode(&good);
    struct fault fault;

    (void)state;
    for (size_t n = 1; n < bytes.n; n++) {
        /* cut between two items it is still a state, anywhere else it is not */
        bool whole = n == 6 || n == 10;

        if (whole)
            CHECK_OK(state_decode((struct str){bytes.p, n}, &arena, &out, &fault), &fault);
        else
            CHECK_FAULT(state_decode((struct str){bytes.p, n}, &arena, &out, &fault), FAULT_CORRUPT,
                        &fault);
    }
    CHECK_FAULT(state_decode(STR("\x01"
                                 "b\x00\x01"
                                 "a\x00"),
                             &arena, &out, &fault),
                FAULT_CORRUPT, &fault); /* out of order */
    CHECK_FAULT(state_decode(STR("\x01"
                                 "a\x00\x01"
                                 "a\x00"),
                             &arena, &out, &fault),
                FAULT_CORRUPT, &fault); /* twice */
    CHECK_FAULT(state_decode(STR("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), &arena, &out, &fault),
                FAULT_CORRUPT, &fault);
    CHECK_FAULT(state_decode(STR("\xff\xff\xff\xff\x0f"), &arena, &out, &fault), FAULT_CORRUPT,
                &fault);
}

static void check_fold(const char *before, const char *delta, const char *want)
{
    struct state a = parse(before), b = parse(delta);
    struct state out = state_fold(&a, &b, &arena);

    check_state(&out, want);
}

static void a_delta_is_laid_over_what_was(void **state)
{
    (void)state;
    check_fold("", "", "");
    check_fold("a=1", "", "a=1");
    check_fold("", "a=1", "a=1");
    check_fold("", "a", "");
    check_fold("a=1", "a=2", "a=2");
    check_fold("a=1", "a", "");
    check_fold("a=1", "a=", "a=");
    check_fold("a=1 c=3", "b=2", "a=1 b=2 c=3");
    check_fold("b=2", "a=1 b c=3", "a=1 c=3");
    check_fold("a=1 b=2 c=3", "a b c", "");
    check_fold("a=1 b=2 c=3", "d x", "a=1 b=2 c=3");
}

static void check_keep(const char *now, const char *target, const char *want)
{
    const struct str prefixes[] = {STR("app:"), STR("user:")};
    struct state a = parse(now), b = parse(target);
    struct state delta = state_keep(&a, &b, prefixes, 2, &arena);
    struct state after = state_fold(&b, &delta, &arena);

    check_state(&delta, want);
    /* what it is for: laid over the target, the kept keys are as now and the others as there */
    for (size_t i = 0; i < after.count; i++) {
        bool kept = str_starts(after.items[i].key, prefixes[0]) ||
                    str_starts(after.items[i].key, prefixes[1]);
        const struct state *source = kept ? &a : &b;
        size_t k = 0;

        while (k < source->count && !str_eq(source->items[k].key, after.items[i].key))
            k++;
        assert_true(k < source->count);
        assert_true(str_eq(source->items[k].value, after.items[i].value));
    }
}

static void kept_keys_stay_as_they_are_now(void **state)
{
    (void)state;
    check_keep("", "", "");
    check_keep("a=1", "a=2", "");
    check_keep("app:a=1", "app:a=1", "");
    check_keep("app:a=1", "app:a=2", "app:a=1");
    check_keep("app:a=1", "", "app:a=1");
    check_keep("", "app:a=1", "app:a");
    check_keep("app:a=1 user:b=2 z=3", "app:a=0 user:c=4 y=5", "app:a=1 user:b=2 user:c");
    check_keep("app=1 apple=2 user=3", "", "");
    check_keep("app:=1", "", "app:=1");
    check_keep("app:a=", "app:a=1", "app:a=");
}

static void without_prefixes_nothing_is_kept(void **state)
{
    struct state now = parse("a=1 app:b=2"), target = parse("c=3");
    struct state delta = state_keep(&now, &target, NULL, 0, &arena);

    (void)state;
    assert_int_equal(delta.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sorting_orders_keys_by_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(of_equal_keys_the_last_one_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(large_states_sort_the_same_way, setup, teardown),
        cmocka_unit_test_setup_teardown(the_bytes_are_as_written_down, setup, teardown),
        cmocka_unit_test_setup_teardown(long_lengths_take_groups_of_seven_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes_are_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(a_removal_is_not_an_empty_value, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_bytes_are_corrupt, setup, teardown),
        cmocka_unit_test_setup_teardown(a_delta_is_laid_over_what_was, setup, teardown),
        cmocka_unit_test_setup_teardown(kept_keys_stay_as_they_are_now, setup, teardown),
        cmocka_unit_test_setup_teardown(without_prefixes_nothing_is_kept, setup, teardown),
    };

    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
