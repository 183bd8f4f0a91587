/* Going back and forth. */
#include "engine/engine.h"

#include "engine/rules.h"

static void draw_files(struct engine *engine, struct move_files *files)
{
    files->drawn = engine_draw_id(engine);
    engine_draw_salt(engine, files->salt);
}

/* The word of a runtime for a move moves nothing itself. */
static enum fault_code rule_word(struct entry_spec *entry, struct fault *fault)
{
    if (entry->kind == ENTRY_FILES || entry->kind == ENTRY_SUBSESSION || entry->tree.n)
        return fault_set(fault, FAULT_INVALID,
                         "the entry of a move cannot bring files or name a session");
    return rule_entry(entry, fault);
}

static enum fault_code move(struct engine *engine, struct move_spec *spec, enum move_act act,
                            struct arena *arena, struct move_result *out, struct fault *fault)
{
    if (rule_once(spec->once, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->entry) {
        if (rule_word(spec->entry, fault) != FAULT_OK)
            return fault_pass(fault);
        engine_draw_entry(engine, spec->entry);
    }
    spec->act = act;
    spec->drawn = engine_draw_id(engine);
    engine_draw_salt(engine, spec->salt);
    draw_files(engine, &spec->files);
    spec->at_us = engine_now_us(engine);
    return store_session_move(engine_store(engine), spec, arena, out, fault);
}

enum fault_code engine_rewind(struct engine *engine, struct move_spec *spec, struct arena *arena,
                              struct move_result *out, struct fault *fault)
{
    if (spec->point.by == POINT_END)
        return fault_set(fault, FAULT_POINT_INVALID, "a rewind needs a point to go to");
    if (rule_point(&spec->point, fault) != FAULT_OK)
        return fault_pass(fault);
    return move(engine, spec, MOVE_REWIND, arena, out, fault);
}

enum fault_code engine_undo(struct engine *engine, struct move_spec *spec, struct arena *arena,
                            struct move_result *out, struct fault *fault)
{
    return move(engine, spec, MOVE_UNDO, arena, out, fault);
}

enum fault_code engine_redo(struct engine *engine, struct move_spec *spec, struct arena *arena,
                            struct move_result *out, struct fault *fault)
{
    return move(engine, spec, MOVE_REDO, arena, out, fault);
}

static void draw(void *context, struct id *id, unsigned char salt[SALT_BYTES], int64_t *at_us)
{
    struct engine *engine = context;

    *id = engine_draw_id(engine);
    engine_draw_salt(engine, salt);
    *at_us = engine_now_us(engine);
}

enum fault_code engine_adopt(struct engine *engine, struct adopt_spec *spec, struct arena *arena,
                             struct move_result *out, struct fault *fault)
{
    if (rule_once(spec->once, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->draw = draw;
    spec->draw_context = engine;
    draw_files(engine, &spec->files);
    return store_session_adopt(engine_store(engine), spec, arena, out, fault);
}

enum fault_code engine_merge(struct engine *engine, struct merge_spec *spec, struct arena *arena,
                             struct merge_result *out, struct fault *fault)
{
    struct entry_spec *entry = spec->entry;

    if (rule_once(spec->once, fault) != FAULT_OK)
        return fault_pass(fault);
    if (entry) {
        if (rule_length("the message", entry->body, LIMIT_ENTRY_BYTES, fault) != FAULT_OK)
            return fault_pass(fault);
        engine_draw_entry(engine, entry);
    }
    spec->drawn = engine_draw_id(engine);
    engine_draw_salt(engine, spec->salt);
    draw_files(engine, &spec->files);
    spec->at_us = engine_now_us(engine);
    return store_session_merge(engine_store(engine), spec, arena, out, fault);
}
