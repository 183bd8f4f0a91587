#include "store/sqlite/content_row.h"

#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"

enum fault_code stored_content(struct db *db, const struct act_row *row, struct arena *arena,
                               unsigned char out[HASH_BYTES], struct fault *fault)
{
    struct act pinned;
    struct content content = {
        .salt = (const unsigned char *)row->salt.p,
        .kind = row->kind,
        .role = row->role,
        .id = act_id_text(row->id, row->drawn, arena),
        .at_us = row->at_us,
        .usage = row->usage,
        .body = row->body,
    };

    if (row->content.p) {
        if (row->content.n != HASH_BYTES)
            return fault_set(fault, FAULT_CORRUPT, "a content hash has %zu bytes", row->content.n);
        memcpy(out, row->content.p, HASH_BYTES);
        return FAULT_OK;
    }
    if (row->salt.n != SALT_BYTES)
        return fault_set(fault, FAULT_CORRUPT, "a salt has %zu bytes", row->salt.n);
    if (row->kind == ENTRY_SUBSESSION) {
        if (act_get(db, row->ref, &pinned, fault) != FAULT_OK)
            return fault->code;
        content.pinned = (struct str){(const char *)pinned.facts.hash, HASH_BYTES};
    }
    if ((row->flags & ENTRY_IN_TURN &&
         turn_name(db, row->facts.turn, arena, &content.turn, fault) != FAULT_OK) ||
        state_delta(db, row->at, arena, &content.state, fault) != FAULT_OK ||
        object_hash(db, row->own_tree, arena, &content.tree, fault) != FAULT_OK)
        return fault->code;
    content_hash(db->hasher, &content, out);
    return FAULT_OK;
}
