/* Sessions as a whole: made, forked, changed, labelled, deleted. */
#include "engine/engine.h"

#include "agent/agent_settings.h"
#include "engine/reaper.h"
#include "engine/rules.h"

/* What could not be read again would stop every turn, and every list that shows the session. */
static enum fault_code rule_settings(struct str settings, struct fault *fault)
{
    struct agent_settings read;
    struct arena arena;
    enum fault_code code;

    if (rule_length("settings", settings, LIMIT_METADATA_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&arena);
    code = agent_settings_read(settings, &arena, &read, fault);
    arena_clear(&arena);
    return code;
}

enum fault_code engine_create(struct engine *engine, struct create_spec *spec, struct arena *arena,
                              struct session *out, struct fault *fault)
{
    if (rule_once(spec->once, fault) != FAULT_OK ||
        rule_id("the id of the session", spec->id, fault) != FAULT_OK ||
        rule_text("title", spec->title, LIMIT_TITLE_BYTES, fault) != FAULT_OK ||
        rule_agent(spec->agent, fault) != FAULT_OK ||
        rule_length("metadata", spec->metadata, LIMIT_METADATA_BYTES, fault) != FAULT_OK ||
        rule_length("limits", spec->limits, LIMIT_METADATA_BYTES, fault) != FAULT_OK ||
        rule_settings(spec->settings, fault) != FAULT_OK ||
        rule_home(spec->home, fault) != FAULT_OK || rule_state(&spec->state, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!spec->title.p)
        spec->title = STR("");
    spec->drawn = engine_draw_id(engine);
    spec->drawn_entry = engine_draw_id(engine);
    engine_draw_salt(engine, spec->salt);
    spec->at_us = engine_now_us(engine);
    spec->sessions_max = engine_sessions_max(engine);
    return store_session_create(engine_store(engine), spec, arena, out, fault);
}

enum fault_code engine_update(struct engine *engine, struct update_spec *spec, struct arena *arena,
                              struct session *out, struct fault *fault)
{
    if ((spec->title && rule_text("title", *spec->title, LIMIT_TITLE_BYTES, fault) != FAULT_OK) ||
        (spec->agent && rule_agent(*spec->agent, fault) != FAULT_OK) ||
        (spec->metadata &&
         rule_length("metadata", *spec->metadata, LIMIT_METADATA_BYTES, fault) != FAULT_OK) ||
        (spec->limits &&
         rule_length("limits", *spec->limits, LIMIT_METADATA_BYTES, fault) != FAULT_OK) ||
        (spec->settings && rule_settings(*spec->settings, fault) != FAULT_OK))
        return fault_pass(fault);
    spec->at_us = engine_now_us(engine);
    return store_session_update(engine_store(engine), spec, arena, out, fault);
}

enum fault_code engine_fork(struct engine *engine, struct fork_spec *spec, struct arena *arena,
                            struct fork_result *out, struct fault *fault)
{
    if (rule_once(spec->once, fault) != FAULT_OK || rule_point(&spec->point, fault) != FAULT_OK ||
        rule_id("the id of the session", spec->id, fault) != FAULT_OK ||
        (spec->title && rule_text("title", *spec->title, LIMIT_TITLE_BYTES, fault) != FAULT_OK) ||
        (spec->agent && rule_agent(*spec->agent, fault) != FAULT_OK) ||
        (spec->metadata &&
         rule_length("metadata", *spec->metadata, LIMIT_METADATA_BYTES, fault) != FAULT_OK) ||
        (spec->settings && rule_settings(*spec->settings, fault) != FAULT_OK) ||
        rule_home(spec->home, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->drawn = engine_draw_id(engine);
    spec->drawn_files = engine_draw_id(engine);
    engine_draw_salt(engine, spec->salt);
    spec->at_us = engine_now_us(engine);
    spec->sessions_max = engine_sessions_max(engine);
    return store_session_fork(engine_store(engine), spec, arena, out, fault);
}

enum fault_code engine_save_check(const struct record_spec *spec, struct fault *fault)
{
    if (spec->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "a record needs an id");
    if (rule_text("the id of the record", spec->id, LIMIT_ID_BYTES, fault) != FAULT_OK ||
        rule_text("the name of the turn", spec->turn, LIMIT_TURN_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    return rule_length("the record", spec->body, LIMIT_ENTRY_BYTES, fault);
}

enum fault_code engine_save(struct engine *engine, struct record_spec *spec, struct fault *fault)
{
    if (engine_save_check(spec, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->at_us = engine_now_us(engine);
    return store_record_save(engine_store(engine), spec, fault);
}

enum fault_code engine_label(struct engine *engine, struct label_spec *spec, struct arena *arena,
                             struct label *out, struct fault *fault)
{
    if (rule_point(&spec->message, fault) != FAULT_OK ||
        rule_text("the label", spec->text, LIMIT_LABEL_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->at_us = engine_now_us(engine);
    return store_label_set(engine_store(engine), spec, arena, out, fault);
}

enum fault_code engine_delete(struct engine *engine, struct delete_spec *spec, struct fault *fault)
{
    bool more = true;

    spec->at_us = engine_now_us(engine);
    if (store_session_delete(engine_store(engine), spec, fault) != FAULT_OK)
        return fault_pass(fault);
    if (engine_reaper(engine) && !spec->purge) {
        reaper_wake(engine_reaper(engine));
        return FAULT_OK;
    }
    while (more)
        if (store_reap(engine_store(engine), &more, fault) != FAULT_OK)
            return fault_pass(fault);
    return FAULT_OK;
}
