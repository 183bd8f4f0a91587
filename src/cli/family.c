#include "cli/family.h"

#include <stdlib.h>

/* ---- gathering rows: a list that grows in the arena ---- */

struct rows {
    struct cli *cli;
    char *p;
    size_t count, room, bytes; /* `bytes` of one row */
};

static void *row_add(struct rows *rows)
{
    if (rows->count == rows->room) {
        size_t room = rows->room ? rows->room * 2 : 8;
        char *p = arena_array(&rows->cli->arena, room, rows->bytes);

        if (rows->count)
            memcpy(p, rows->p, rows->count * rows->bytes);
        rows->p = p;
        rows->room = room;
    }
    return rows->p + rows->count++ * rows->bytes;
}

static enum fault_code add_session(void *context, const struct session *session,
                                   struct fault *fault)
{
    struct rows *rows = context;
    struct arena *arena = &rows->cli->arena;
    struct family_member *member = row_add(rows);

    (void)fault;
    *member = (struct family_member){.session = *session};
    member->session.id = arena_dup(arena, session->id);
    member->session.title = arena_dup(arena, session->title);
    member->session.parent.session = arena_dup(arena, session->parent.session);
    member->session.parent.title = arena_dup(arena, session->parent.title);
    member->session.parent.message = arena_dup(arena, session->parent.message);
    /* What the tree does not show is not kept. */
    member->session.agent = member->session.owner = member->session.head = STR_NONE;
    member->session.metadata = member->session.limits = STR_NONE;
    member->session.state_at_head = (struct state){0};
    return FAULT_OK;
}

static enum fault_code add_label(void *context, const struct label *label, struct fault *fault)
{
    struct rows *rows = context;
    struct label *copy;

    (void)fault;
    if (label->inherited)
        return FAULT_OK;
    copy = row_add(rows);
    *copy = *label;
    copy->text = arena_dup(&rows->cli->arena, label->text);
    copy->message = arena_dup(&rows->cli->arena, label->message);
    return FAULT_OK;
}

static enum fault_code add_rewound(void *context, const struct rewound *rewound,
                                   struct fault *fault)
{
    struct rows *rows = context;
    struct arena *arena = &rows->cli->arena;
    struct rewound *copy = row_add(rows);

    (void)fault;
    *copy = *rewound;
    copy->message = entry_copy(&rewound->message, arena);
    return FAULT_OK;
}

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

    return str_cmp(members[*(const size_t *)a].session.id, members[*(const size_t *)b].session.id);
}

static int by_parent(const void *a, const void *b, void *context)
{
    const struct family_member *members = context;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const struct family_member *x = &members[left], *y = &members[right];

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->session.fork_index != y->session.fork_index)
        return x->session.fork_index < y->session.fork_index ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The place of the parent; its own when it has none, or the parent is not in the family any more.
 */
static size_t parent_of(const struct order *order, size_t place)
{
    const struct session_parent *parent = &order->members[place].session.parent;
    size_t low = 0, high = parent->known ? order->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = str_cmp(order->members[order->by_id[middle]].session.id, parent->session);

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

static enum fault_code details_read(struct cli *cli, struct family_member *member,
                                    bool with_rewound, struct fault *fault)
{
    struct rows labels = {.cli = cli, .bytes = sizeof(struct label)};
    struct rows rewound = {.cli = cli, .bytes = sizeof(struct rewound)};
    struct str id = member->session.id;
    enum fault_code code = store_labels(cli->store, cli->owner, id, add_label, &labels, fault);

    if (!code && with_rewound)
        code = store_rewound(cli->store, cli->owner, id, add_rewound, &rewound, fault);
    member->labels = (struct label *)(void *)labels.p;
    member->label_count = labels.count;
    member->rewound = (struct rewound *)(void *)rewound.p;
    member->rewound_count = rewound.count;
    return code;
}

enum fault_code family_read(struct cli *cli, struct str session, bool with_rewound,
                            struct family *out, struct fault *fault)
{
    struct rows rows = {.cli = cli, .bytes = sizeof(struct family_member)};
    enum fault_code code = store_relatives(cli->store, cli->owner, session, RELATION_FAMILY,
                                           add_session, &rows, fault);
    struct family family = {(struct family_member *)(void *)rows.p, rows.count};

    if (code)
        return code;
    for (size_t i = 0; !code && i < family.count; i++)
        code = details_read(cli, &family.members[i], with_rewound, fault);
    if (code)
        return code;
    if (family.count)
        order_for_drawing(cli, &family);
    *out = family;
    return FAULT_OK;
}
