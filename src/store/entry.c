#include "store/entry.h"

struct entry entry_copy(const struct entry *entry, struct arena *arena)
{
    struct entry copy = *entry;

    copy.id = arena_dup(arena, entry->id);
    copy.turn = arena_dup(arena, entry->turn);
    copy.session = arena_dup(arena, entry->session);
    copy.ref_session = arena_dup(arena, entry->ref_session);
    copy.ref_id = arena_dup(arena, entry->ref_id);
    if (entry->body.p)
        copy.body = arena_dup(arena, entry->body);
    return copy;
}
