/* What may be appended. */
#include "engine/engine.h"

#include "engine/rules.h"

static enum fault_code rule_spans(const struct entry_spec *entry, struct fault *fault)
{
    uint64_t end = 0;

    for (size_t i = 0; i < entry->span_count; i++) {
        const struct span *span = &entry->spans[i];

        if (span->from < end || (uint64_t)span->from + span->length > entry->body.n)
            return fault_set(fault, FAULT_INVALID, "the spans of the body are out of order");
        end = (uint64_t)span->from + span->length;
    }
    return FAULT_OK;
}

static enum fault_code rule_kind(const struct entry_spec *entry, struct fault *fault)
{
    if (entry->kind < 0 || entry->kind >= ENTRY_MOVE)
        return fault_set(fault, FAULT_INVALID, "an entry of kind %d cannot be appended",
                         (int)entry->kind);
    if ((entry->kind == ENTRY_MESSAGE) != (entry->role != ROLE_NONE) || entry->role < 0 ||
        entry->role >= ROLE_COUNT)
        return fault_set(fault, FAULT_INVALID, "a message has a role, anything else has none");
    if (entry->kind == ENTRY_STATE && entry->state.count == 0)
        return fault_set(fault, FAULT_INVALID, "a change of state changes nothing");
    if (entry->tree.n && entry->tree.n != HASH_BYTES)
        return fault_set(fault, FAULT_INVALID, "a tree of files is named by its hash");
    if ((entry->flags & ENTRY_FOREIGN) && entry->kind != ENTRY_FILES)
        return fault_set(fault, FAULT_INVALID, "only an entry of files tells of others' changes");
    if (entry->flags & ~(unsigned)(ENTRY_INTERRUPTED | ENTRY_FOREIGN | ENTRY_LEFT_OUT))
        return fault_set(fault, FAULT_INVALID, "the flags of the entry are unknown");
    if (entry->calls < 0 || entry->results < 0 || entry->usage.input < 0 ||
        entry->usage.output < 0 || entry->usage.cost < 0)
        return fault_set(fault, FAULT_INVALID, "usage and calls cannot be below 0");
    return FAULT_OK;
}

enum fault_code rule_entry(struct entry_spec *entry, struct fault *fault)
{
    if (!entry->body.p)
        entry->body = STR("{}");
    if (rule_kind(entry, fault) != FAULT_OK ||
        rule_id("the id of the message", entry->id, fault) != FAULT_OK ||
        rule_length("the body of the message", entry->body, LIMIT_ENTRY_BYTES, fault) != FAULT_OK ||
        rule_state(&entry->state, fault) != FAULT_OK || rule_spans(entry, fault) != FAULT_OK)
        return fault_pass(fault);
    if (entry->turn_rule == TURN_NAMED) {
        if (entry->turn.n == 0)
            return fault_set(fault, FAULT_INVALID, "the name of the turn is empty");
        if (rule_text("the name of the turn", entry->turn, LIMIT_TURN_BYTES, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    if (entry->kind == ENTRY_SUBSESSION)
        return rule_point(&entry->ref_point, fault);
    return FAULT_OK;
}

/* The states that a step may lead to, and the texts that go with it. */
static enum fault_code rule_run(const struct run_step *run, struct fault *fault)
{
    bool ends = run->act == RUN_END;

    if (run->act == RUN_STAY)
        return FAULT_OK;
    if (run->state <= RUN_STATE_NONE || run->state >= RUN_STATE_COUNT ||
        run_active(run->state) == ends)
        return fault_set(fault, FAULT_INVALID, "a turn cannot %s with that state",
                         ends ? "end" : "go on");
    if (run->turn.n == 0)
        return fault_set(fault, FAULT_INVALID, "the name of the turn is empty");
    if (rule_text("the name of the turn", run->turn, LIMIT_TURN_BYTES, fault) != FAULT_OK ||
        rule_text("the reason", run->reason, LIMIT_REASON_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    return rule_text("the holder of the turn", run->holder, LIMIT_HOLDER_BYTES, fault);
}

enum fault_code engine_append_check(struct entry_spec *entry, struct fault *fault)
{
    return rule_entry(entry, fault);
}

enum fault_code engine_append(struct engine *engine, struct append_spec *spec,
                              struct entry_spec *entries, size_t count, struct arena *arena,
                              struct append_result *out, struct fault *fault)
{
    size_t bytes = 0;

    if (rule_once(spec->once, fault) != FAULT_OK || rule_run(&spec->run, fault) != FAULT_OK)
        return fault_pass(fault);
    if (count == 0 && spec->run.act != RUN_GO_ON && spec->run.act != RUN_END)
        return fault_set(fault, FAULT_INVALID, "there is nothing to append");
    if (count > LIMIT_BATCH_ENTRIES)
        return fault_set(fault, FAULT_TOO_LARGE, "the batch has %zu entries; the limit is %d",
                         count, LIMIT_BATCH_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        if (rule_entry(&entries[i], fault) != FAULT_OK)
            return fault_pass(fault);
        bytes += entries[i].body.n;
        if (bytes > LIMIT_BATCH_BYTES)
            return fault_set(fault, FAULT_TOO_LARGE, "the batch has more than %d bytes",
                             LIMIT_BATCH_BYTES);
        engine_draw_entry(engine, &entries[i]);
    }
    spec->entries = entries;
    spec->count = count;
    spec->at_us = engine_now_us(engine);
    return store_append(engine_store(engine), spec, arena, out, fault);
}
