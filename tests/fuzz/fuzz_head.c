/* The head of an act as it stands in the file, which somebody may have damaged. */
#include "fuzz.h"

#include "store/sqlite/act_head.h"

#include <assert.h>

static bool usage_eq(const struct usage *a, const struct usage *b)
{
    return a->input == b->input && a->output == b->output && a->cost == b->cost;
}

static bool brief_eq(const struct act_head *a, const struct act_head *b)
{
    return a->n == b->n && a->at_us == b->at_us && a->kind == b->kind && a->role == b->role &&
           a->flags == b->flags && a->drawn == b->drawn && str_eq(a->id, b->id) &&
           str_eq(a->turn, b->turn) && a->has_usage == b->has_usage &&
           usage_eq(&a->usage, &b->usage) && address_eq(a->ref, b->ref) &&
           a->facts.visible == b->facts.visible &&
           memcmp(a->facts.hash, b->facts.hash, HASH_BYTES) == 0;
}

static bool facts_eq(const struct facts *a, const struct facts *b)
{
    return a->user == b->user && a->tool == b->tool && a->flat == b->flat &&
           a->flat_user == b->flat_user && usage_eq(&a->path, &b->path) &&
           usage_eq(&a->spent, &b->spent) && a->open == b->open && a->turn == b->turn &&
           address_eq(a->good, b->good) && address_eq(a->summary, b->summary) &&
           address_eq(a->state, b->state) && a->tree == b->tree;
}

static void check(struct str bytes, const struct act_head *head)
{
    struct act_head brief, again;
    struct arena arena;

    assert(head->kind < ENTRY_KIND_COUNT && head->role < ROLE_COUNT);
    assert(act_head_decode_brief(bytes, &brief) && brief_eq(&brief, head));
    if (head->calls < 0 || head->results < 0) /* the writer has no such number */
        return;
    arena_init(&arena);
    assert(act_head_decode(act_head_encode(head, &arena), &again));
    assert(brief_eq(&again, head) && facts_eq(&again.facts, &head->facts));
    assert(again.calls == head->calls && again.results == head->results &&
           again.own_tree == head->own_tree);
    arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    struct act_head head = {0}, brief = {0};

    if (act_head_decode(bytes, &head))
        check(bytes, &head);
    if (act_head_decode_brief(bytes, &brief))
        assert(brief.id.n <= size && brief.turn.n <= size + ID_TEXT);
    return 0;
}
