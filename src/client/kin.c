#include "client/kin.h"

#include <stdlib.h>
#include <string.h>

/* While a family is put in order. All lists are of places in `members`. */
struct order {
    struct kin *members;
    size_t count;
    size_t *by_id;
    size_t *children; /* by parent, and then by where they parted; a root is its own child */
    size_t *first;    /* first[p] … first[p + 1]: the children of p in `children` */
};

static int by_id(const void *a, const void *b, void *context)
{
    const struct kin *members = context;

    return strcmp(members[*(const size_t *)a].session->id, members[*(const size_t *)b].session->id);
}

static int by_parent(const void *a, const void *b, void *context)
{
    const struct kin *members = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const struct kin *x = &members[left], *y = &members[right];

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->session->index != y->session->index)
        return x->session->index < y->session->index ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The place of the parent; its own when it has none, or the parent is not in the family any more.
 */
static size_t parent_of(const struct order *order, size_t place)
{
    const struct tine_parent *parent = order->members[place].session->parent;
    size_t low = 0, high = parent ? order->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = strcmp(order->members[order->by_id[middle]].session->id, parent->session);

        if (c == 0)
            return order->by_id[middle];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return place;
}

/* Finds each one's parent, and each one's forks by the place where they parted. */
static void find_children(struct order *order, struct arena *arena)
{
    size_t n = order->count;

    order->by_id = arena_array(arena, n, sizeof(size_t));
    order->children = arena_array(arena, n, sizeof(size_t));
    order->first = arena_array(arena, n + 1, sizeof(size_t));
    for (size_t i = 0; i < n; i++)
        order->by_id[i] = order->children[i] = i;
    qsort_r(order->by_id, n, sizeof(size_t), by_id, order->members);
    for (size_t i = 0; i < n; i++)
        order->members[i].parent = parent_of(order, i);
    qsort_r(order->children, n, sizeof(size_t), by_parent, order->members);
    for (size_t i = 0; i < n; i++)
        order->first[order->members[i].parent + 1]++;
    for (size_t i = 0; i < n; i++)
        order->first[i + 1] += order->first[i];
}

/* Depth first, with a stack of what is still to come; returns how many there are. */
static size_t walk(struct order *order, struct arena *arena, struct kin *drawn)
{
    size_t n = order->count, stacked = 0, done = 0;
    size_t *stack = arena_array(arena, n, sizeof(*stack));
    size_t *place = arena_array(arena, n, sizeof(*place)); /* in `drawn` */

    for (size_t i = n; i-- > 0;)
        if (order->members[i].parent == i)
            stack[stacked++] = i;
    while (stacked > 0) {
        size_t i = stack[--stacked];
        bool is_root = order->members[i].parent == i, last = true;

        place[i] = done;
        drawn[done] = order->members[i];
        drawn[done].parent = place[order->members[i].parent];
        drawn[done].depth = is_root ? 0 : drawn[drawn[done].parent].depth + 1;
        done++;
        for (size_t c = order->first[i + 1]; c-- > order->first[i];) {
            size_t child = order->children[c];

            if (child == i)
                continue;
            order->members[child].last = last;
            last = false;
            stack[stacked++] = child;
        }
    }
    return done;
}

struct kin *kin_order(const struct tine_session *sessions, size_t *count, struct arena *arena)
{
    struct order order = {.count = *count};
    struct kin *drawn;

    if (*count == 0)
        return NULL;
    order.members = arena_array(arena, *count, sizeof(*order.members));
    drawn = arena_array(arena, *count, sizeof(*drawn));
    for (size_t i = 0; i < *count; i++)
        order.members[i].session = &sessions[i];
    find_children(&order, arena);
    *count = walk(&order, arena, drawn);
    return drawn;
}
