#include "store/state.h"

#include <stdlib.h>

/*
 * The bytes of a delta: for each item, in ascending order of key, the length of the key, the key,
 * the length of the value plus one (0: the key is removed) and the value. Lengths are little-endian
 * groups of 7 bits, the highest bit set on all but the last.
 */

static int item_order(const struct state_item *a, const struct state_item *b)
{
    return str_cmp(a->key, b->key);
}

/* A merge sort, because of equal keys the one given last must stay the last. */
void state_sort(struct state *state)
{
    struct state_item *items = state->items, *room;
    size_t n = state->count, kept = 0;

    if (n < 2)
        return;
    room = calloc(n, sizeof(*room));
    if (!room)
        abort();
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            size_t a = from, a_end = from + width < n ? from + width : n;
            size_t b = a_end, b_end = a_end + width < n ? a_end + width : n;

            for (size_t to = from; to < b_end; to++) {
                bool left = b >= b_end || (a < a_end && item_order(&items[a], &items[b]) <= 0);

                room[to] = left ? items[a++] : items[b++];
            }
        }
        memcpy(items, room, n * sizeof(*items));
    }
    free(room);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !str_eq(items[i].key, items[i + 1].key))
            items[kept++] = items[i];
    state->count = kept;
}

static void length_add(struct buf *out, size_t n)
{
    while (n >= 0x80) {
        buf_add_char(out, (char)(unsigned char)(n | 0x80));
        n >>= 7;
    }
    buf_add_char(out, (char)n);
}

static bool length_read(struct str bytes, size_t *at, size_t *out)
{
    size_t n = 0;

    for (unsigned shift = 0; shift < 35 && *at < bytes.n; shift += 7) {
        unsigned char c = (unsigned char)bytes.p[(*at)++];

        n |= (size_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = n;
            return c > 0 || shift == 0; /* one length, one form */
        }
    }
    return false;
}

void state_encode(const struct state *state, struct buf *out)
{
    for (size_t i = 0; i < state->count; i++) {
        const struct state_item *item = &state->items[i];

        length_add(out, item->key.n);
        buf_add_str(out, item->key);
        length_add(out, item->value.p ? item->value.n + 1 : 0);
        buf_add_str(out, item->value);
    }
}

static bool item_read(struct str bytes, size_t *at, struct state_item *item)
{
    size_t n;

    if (!length_read(bytes, at, &n) || n > bytes.n - *at)
        return false;
    item->key = (struct str){bytes.p + *at, n};
    *at += n;
    if (!length_read(bytes, at, &n) || (n > 0 && n - 1 > bytes.n - *at))
        return false;
    item->value = n ? (struct str){bytes.p + *at, n - 1} : STR_NONE;
    *at += n ? n - 1 : 0;
    return true;
}

enum fault_code state_decode(struct str bytes, struct arena *arena, struct state *out,
                             struct fault *fault)
{
    struct state state = {0};
    struct state_item item;
    size_t count = 0;

    for (size_t at = 0; at < bytes.n; count++)
        if (!item_read(bytes, &at, &item))
            return fault_set(fault, FAULT_CORRUPT, "a stored state is cut off at item %zu", count);
    state.items = arena_array(arena, count, sizeof(*state.items));
    for (size_t at = 0; at < bytes.n; state.count++) {
        if (!item_read(bytes, &at, &state.items[state.count]))
            return fault_set(fault, FAULT_CORRUPT, "a stored state is cut off");
        if (state.count &&
            item_order(&state.items[state.count - 1], &state.items[state.count]) >= 0)
            return fault_set(fault, FAULT_CORRUPT, "a stored state is out of order at key \"%.*s\"",
                             STR_ARG(state.items[state.count].key));
    }
    *out = state;
    return FAULT_OK;
}

struct state state_fold(const struct state *before, const struct state *delta, struct arena *arena)
{
    struct state out = {0};
    size_t i = 0, j = 0;

    out.items = arena_array(arena, before->count + delta->count, sizeof(*out.items));
    while (i < before->count || j < delta->count) {
        int order = i == before->count  ? 1
                    : j == delta->count ? -1
                                        : item_order(&before->items[i], &delta->items[j]);
        struct state_item item = order < 0 ? before->items[i] : delta->items[j];

        i += order <= 0;
        j += order >= 0;
        if (item.value.p)
            out.items[out.count++] = item;
    }
    return out;
}

static bool kept(struct str key, const struct str *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_starts(key, prefixes[i]))
            return true;
    return false;
}

struct state state_keep(const struct state *now, const struct state *target,
                        const struct str *prefixes, size_t prefix_count, struct arena *arena)
{
    struct state out = {0};
    size_t i = 0, j = 0;

    out.items = arena_array(arena, now->count + target->count, sizeof(*out.items));
    while (i < now->count || j < target->count) {
        int order = i == now->count      ? 1
                    : j == target->count ? -1
                                         : item_order(&now->items[i], &target->items[j]);
        struct state_item item = order <= 0 ? now->items[i] : target->items[j];

        if (order > 0)
            item.value = STR_NONE; /* not there now: it must go */
        if (kept(item.key, prefixes, prefix_count) &&
            !(order == 0 && str_eq(now->items[i].value, target->items[j].value)))
            out.items[out.count++] = item;
        i += order <= 0;
        j += order >= 0;
    }
    return out;
}
