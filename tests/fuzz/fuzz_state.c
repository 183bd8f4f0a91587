/* Stored changes of state: read, written again, and laid over one another. */
#include "fuzz.h"

#include "store/state.h"

#include <assert.h>
#include <stdlib.h>

static const struct str kept_prefixes[] = {{"app:", 4}, {"user:", 5}};

enum { KEPT_COUNT = sizeof(kept_prefixes) / sizeof(*kept_prefixes), SORTED_MAX = 64 };

static bool is_kept(struct str key)
{
    return str_starts(key, kept_prefixes[0]) || str_starts(key, kept_prefixes[1]);
}

static const struct state_item *find(const struct state *state, struct str key)
{
    for (size_t i = 0; i < state->count; i++)
        if (str_eq(state->items[i].key, key))
            return &state->items[i];
    return NULL;
}

/* The value of a key; none when it is not there or is being removed. */
static struct str value_of(const struct state *state, struct str key)
{
    const struct state_item *item = find(state, key);

    return item ? item->value : STR_NONE;
}

static bool same(struct str a, struct str b)
{
    return (a.p == NULL) == (b.p == NULL) && str_eq(a, b);
}

static void check_sorted(const struct state *state)
{
    for (size_t i = 1; i < state->count; i++)
        assert(str_cmp(state->items[i - 1].key, state->items[i].key) < 0);
}

static bool equal(const struct state *a, const struct state *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!str_eq(a->items[i].key, b->items[i].key) ||
            !same(a->items[i].value, b->items[i].value))
            return false;
    return true;
}

static void check_encoding(struct str bytes, const struct state *state)
{
    struct buf again;

    buf_init(&again, bytes.n + 1);
    state_encode(state, &again);
    assert(!again.full && str_eq(buf_str(&again), bytes));
    buf_clear(&again);
    check_sorted(state);
}

static void check_fold(const struct state *before, const struct state *delta, struct arena *arena)
{
    struct state after = state_fold(before, delta, arena);
    struct state twice = state_fold(&after, delta, arena);

    check_sorted(&after);
    assert(equal(&after, &twice));
    for (size_t i = 0; i < after.count; i++)
        assert(after.items[i].value.p);
    for (size_t i = 0; i < delta->count; i++)
        assert(same(value_of(&after, delta->items[i].key), delta->items[i].value));
    for (size_t i = 0; i < before->count; i++)
        if (!find(delta, before->items[i].key))
            assert(same(value_of(&after, before->items[i].key), before->items[i].value));
}

/* With what is kept laid over it, the target has the kept keys as they are now. */
static void check_keep(const struct state *now, const struct state *target, struct arena *arena)
{
    struct state kept = state_keep(now, target, kept_prefixes, KEPT_COUNT, arena);
    struct state after = state_fold(target, &kept, arena);

    check_sorted(&kept);
    for (size_t i = 0; i < kept.count; i++)
        assert(is_kept(kept.items[i].key));
    for (size_t i = 0; i < now->count; i++)
        if (is_kept(now->items[i].key))
            assert(same(value_of(&after, now->items[i].key), now->items[i].value));
    for (size_t i = 0; i < after.count; i++)
        assert(same(after.items[i].value,
                    value_of(is_kept(after.items[i].key) ? now : target, after.items[i].key)));
}

/* Each byte is a key; of equal ones the last stays. */
static void check_sort(struct str bytes, struct arena *arena)
{
    size_t n = bytes.n < SORTED_MAX ? bytes.n : SORTED_MAX;
    struct state state = {arena_array(arena, n + 1, sizeof(*state.items)), n};

    for (size_t i = 0; i < n; i++)
        state.items[i] = (struct state_item){{bytes.p + i, 1}, {bytes.p + i, 1}};
    state_sort(&state);
    check_sorted(&state);
    for (size_t i = 0; i < n; i++) {
        const struct state_item *item = find(&state, (struct str){bytes.p + i, 1});

        assert(item && item->value.p >= bytes.p + i);
    }
}

/* The first byte says where the second change begins. */
static void check_pair(struct str bytes, struct arena *arena)
{
    size_t first = bytes.n ? (unsigned char)bytes.p[0] % bytes.n : 0;
    struct state a, b, none = {0};
    struct fault fault;

    if (bytes.n == 0 ||
        state_decode((struct str){bytes.p + 1, first}, arena, &a, &fault) != FAULT_OK ||
        state_decode((struct str){bytes.p + 1 + first, bytes.n - 1 - first}, arena, &b, &fault) !=
            FAULT_OK)
        return;
    check_encoding((struct str){bytes.p + 1, first}, &a);
    check_fold(&a, &b, arena);
    check_fold(&none, &a, arena);
    a = state_fold(&none, &a, arena);
    b = state_fold(&none, &b, arena);
    check_keep(&a, &b, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    struct arena arena;
    struct state state;
    struct fault fault;

    arena_init(&arena);
    if (state_decode(bytes, &arena, &state, &fault) == FAULT_OK)
        check_encoding(bytes, &state);
    else
        assert(fault.code == FAULT_CORRUPT);
    check_pair(bytes, &arena);
    check_sort(bytes, &arena);
    arena_clear(&arena);
    return 0;
}
