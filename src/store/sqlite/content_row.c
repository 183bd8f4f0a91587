#include "store/sqlite/content_row.h"

#include "store/sqlite/object_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"

enum fault_code stored_content(struct db *db, const struct act_row *row, struct arena *arena,
                               unsigned char out[HASH_BYTES], struct fault *fault)
{
    struct act pinned;
    struct content content = {
        .salt = (const unsigned char *)row->salt.p,
        .kind = row->head.kind,
        .role = row->head.role,
        .id = act_id_text(row->head.id, row->head.drawn, arena),
        .turn = row->head.turn,
        .at_us = row->head.at_us,
        .usage = row->head.usage,
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
    if (row->head.kind == ENTRY_SUBSESSION) {
        if (act_get(db, row->head.ref, &pinned, fault) != FAULT_OK)
            return fault_pass(fault);
        content.pinned = (struct str){(const char *)pinned.facts.hash, HASH_BYTES};
    }
    if (state_delta(db, row->at, arena, &content.state, fault) != FAULT_OK ||
        object_hash(db, row->head.own_tree, arena, &content.tree, fault) != FAULT_OK)
        return fault_pass(fault);
    content_hash(db->hasher, &content, out);
    return FAULT_OK;
}
