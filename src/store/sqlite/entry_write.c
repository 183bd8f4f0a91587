#include "store/sqlite/entry_write.h"

#include "store/sqlite/tree_row.h"

/* The name of the turn that an entry belongs to. */
static struct str turn_of(const struct writer *writer, const struct entry_spec *spec,
                          struct arena *arena)
{
    char text[ID_TEXT + 1];

    switch (spec->turn_rule) {
    case TURN_NONE:
        return STR_NONE;
    case TURN_NAMED:
        return spec->turn;
    case TURN_JOIN:
        if (writer->turn_name.n)
            return writer->turn_name;
        break;
    case TURN_NEW:
        break;
    }
    id_format(&spec->drawn_turn, text);
    return arena_dup(arena, str_of(text));
}

/* The entry just written, without reading it again. */
static struct entry as_written(const struct writer *writer, const struct draft *draft,
                               struct str session, struct arena *arena)
{
    const struct act *head = &writer->head;
    struct entry entry = {
        .at = head->at,
        .e = writer->db->e,
        .kind = draft->kind,
        .role = draft->role,
        .flags = draft->flags | (draft->turn.n ? ENTRY_IN_TURN : 0),
        .id = act_id_text(draft->id, draft->drawn, arena),
        .turn = arena_dup(arena, draft->turn),
        .at_us = head->at_us,
        .visible = entry_visible(draft->kind, draft->role),
        .index = -1,
        .usage = draft->usage,
        .has_usage = draft->has_usage,
        .session = arena_dup(arena, session),
        .has_tree = head->facts.tree != 0,
        .own_tree = draft->tree != 0,
        .body = arena_dup(arena, draft->body),
    };

    if (entry.visible)
        entry.index = head->facts.visible - 1;
    memcpy(entry.hash, head->facts.hash, HASH_BYTES);
    return entry;
}

enum fault_code entry_write(struct writer *writer, const struct entry_spec *spec,
                            const struct entry_names *names, struct str session,
                            struct arena *arena, struct entry *out, struct fault *fault)
{
    struct draft draft = {
        .kind = spec->kind,
        .role = spec->role,
        .flags = spec->flags,
        .id = spec->id.n ? spec->id : (struct str){(const char *)spec->drawn.b, ID_BYTES},
        .drawn = spec->id.n == 0,
        .turn = turn_of(writer, spec, arena),
        .at_us = spec->at_us,
        .usage = spec->usage,
        .has_usage = spec->has_usage,
        .calls = spec->calls,
        .results = spec->results,
        .tree = names->tree,
        .ref = names->ref,
        .merged = spec->flags & ENTRY_MERGED ? names->ref : ADDRESS_START,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .spans = spans_encode(spec->spans, spec->span_count, arena),
        .body = spec->body,
    };

    if (spec->state.count) {
        struct buf delta;

        buf_init(&delta, LIMIT_STATE_BYTES);
        state_encode(&spec->state, &delta);
        draft.state = buf_take(&delta, arena);
    }
    if (writer_add(writer, &draft, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (names->ref.s)
        return entry_get(writer->db, writer->head.at, arena, out, fault);
    *out = as_written(writer, &draft, session, arena);
    return out->has_tree ? tree_hash(writer->db, writer->head.facts.tree, out->tree, fault)
                         : FAULT_OK;
}
