#include "cli/family.h"

#include "cli/connect.h"

#include <stdlib.h>

/* ---- order ---- */

/* While a family is put in order. All lists are of places in `members`. */
struct order {
    struct family_member *members;
    size_t count;
    size_t *by_id;
    size_t *children; /* by parent, and then by where they parted; a root is its own child */
    size_t *first;    /* first[p] … first[p + 1]: the children of p in `children` */
};

static int by_id(const void *a, const void *b, void *context)
{
    const struct family_member *members = context;

    return strcmp(members[*(const size_t *)a].session->id, members[*(const size_t *)b].session->id);
}

static int by_parent(const void *a, const void *b, void *context)
{
    const struct family_member *members = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const struct family_member *x = &members[left], *y = &members[right];

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

/* Puts the members into the order of drawing: depth first, with a stack of what is still to come.
 */
static void order_for_drawing(struct cli *cli, struct family *family)
{
    struct order order = {.members = family->members, .count = family->count};
    size_t n = order.count, stacked = 0, done = 0;
    struct family_member *drawn = arena_array(&cli->arena, n, sizeof(*drawn));
    size_t *stack = arena_array(&cli->arena, n, sizeof(*stack));
    size_t *place = arena_array(&cli->arena, n, sizeof(*place)); /* in `drawn` */

    find_children(&order, &cli->arena);
    for (size_t i = n; i-- > 0;)
        if (order.members[i].parent == i)
            stack[stacked++] = i;
    while (stacked > 0) {
        size_t i = stack[--stacked];
        bool is_root = order.members[i].parent == i, last = true;

        place[i] = done;
        drawn[done] = order.members[i];
        drawn[done].parent = place[order.members[i].parent];
        drawn[done].depth = is_root ? 0 : drawn[drawn[done].parent].depth + 1;
        done++;
        for (size_t c = order.first[i + 1]; c-- > order.first[i];) {
            size_t child = order.children[c];

            if (child == i)
                continue;
            order.members[child].last = last;
            last = false;
            stack[stacked++] = child;
        }
    }
    family->members = drawn;
    family->count = done;
}

/* The source of a root is not in the family any more; the session itself knows what it was. */
static enum fault_code source_read(struct cli *cli, struct family_member *member,
                                   struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (!tine_session(cli->tine, member->session->id, false, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    member->lost = result->session->parent;
    return FAULT_OK;
}

enum fault_code family_read(struct cli *cli, const char *session, struct family *out,
                            struct fault *fault)
{
    struct family family = {0};
    struct tine_result *tree;
    struct tine_error error;

    if (!tine_tree(cli->tine, session, true, &tree, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, tree);
    family.count = tree->session_count;
    family.members = arena_array(&cli->arena, family.count + 1, sizeof(*family.members));
    for (size_t i = 0; i < family.count; i++)
        family.members[i].session = &tree->sessions[i];
    if (family.count)
        order_for_drawing(cli, &family);
    for (size_t i = 0; i < family.count; i++) {
        struct family_member *member = &family.members[i];

        if (member->depth == 0 && member->session->parent &&
            source_read(cli, member, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = family;
    return FAULT_OK;
}
