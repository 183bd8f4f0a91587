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

struct entry_spec entry_spec_copy(const struct entry_spec *spec, struct arena *arena)
{
    struct entry_spec copy = *spec;

    copy.id = arena_dup(arena, spec->id);
    copy.turn = arena_dup(arena, spec->turn);
    copy.body = arena_dup(arena, spec->body);
    copy.ref_session = arena_dup(arena, spec->ref_session);
    copy.ref_point.name = arena_dup(arena, spec->ref_point.name);
    copy.tree = arena_dup(arena, spec->tree);
    if (spec->span_count) {
        struct span *spans = arena_array(arena, spec->span_count, sizeof(*spans));

        memcpy(spans, spec->spans, spec->span_count * sizeof(*spans));
        copy.spans = spans;
    }
    if (spec->state.count) {
        copy.state.items = arena_array(arena, spec->state.count, sizeof(*copy.state.items));
        for (size_t i = 0; i < spec->state.count; i++) {
            copy.state.items[i] = spec->state.items[i];
            copy.state.items[i].key = arena_dup(arena, spec->state.items[i].key);
            if (spec->state.items[i].value.p)
                copy.state.items[i].value = arena_dup(arena, spec->state.items[i].value);
        }
    }
    return copy;
}
