/*
 * Puts a delegation into a session, as an agent that hands a task on would leave it: a call of the
 * tool, a sub-session with another one inside it, and the result. No API makes sub-sessions yet.
 *
 *   wire_subsession DB OWNER SESSION
 *
 * The server may run: several processes can work on one file.
 */
#include "engine/engine.h"
#include "message/message_in.h"
#include "message/message_out.h"
#include "store/sqlite/sqlite_store.h"

#include <stdio.h>

struct scene {
    struct engine *engine;
    struct arena arena;
    int64_t owner;
};

static enum fault_code add(struct scene *scene, struct str session, struct entry_spec entry,
                           struct fault *fault)
{
    struct append_spec spec = {.owner = scene->owner, .session = session};
    struct append_result result;

    return engine_append(scene->engine, &spec, &entry, 1, &scene->arena, &result, fault);
}

static enum fault_code say(struct scene *scene, struct str session, enum role role,
                           const char *text, struct fault *fault)
{
    struct entry_spec entry = message_of_text(role, str_of(text), &scene->arena);

    entry.has_usage = role == ROLE_ASSISTANT;
    entry.usage.input = entry.has_usage ? 10 : 0;
    entry.usage.output = entry.has_usage ? 1 : 0;
    return add(scene, session, entry, fault);
}

static enum fault_code refer(struct scene *scene, struct str session, struct str sub,
                             struct fault *fault)
{
    struct entry_spec entry = {
        .kind = ENTRY_SUBSESSION,
        .turn_rule = TURN_JOIN,
        .ref_session = sub,
        .ref_point = {.by = POINT_END, .side = SIDE_AFTER},
        .body = STR("{}"),
    };

    return add(scene, session, entry, fault);
}

static enum fault_code create(struct scene *scene, struct str *out, struct fault *fault)
{
    struct create_spec spec = {.owner = scene->owner, .agent = STR("test/echo"), .sub = true};
    struct session session;

    if (engine_create(scene->engine, &spec, &scene->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = session.id;
    return FAULT_OK;
}

static enum fault_code make(struct scene *scene, struct str *out, struct fault *fault)
{
    struct str inner, outer;

    if (create(scene, &inner, fault) != FAULT_OK ||
        say(scene, inner, ROLE_USER, "Please look closer.", fault) != FAULT_OK ||
        say(scene, inner, ROLE_ASSISTANT, "looked closer", fault) != FAULT_OK ||
        create(scene, &outer, fault) != FAULT_OK ||
        say(scene, outer, ROLE_SYSTEM, "the task", fault) != FAULT_OK ||
        say(scene, outer, ROLE_USER, "Please proceed.", fault) != FAULT_OK ||
        refer(scene, outer, inner, fault) != FAULT_OK ||
        say(scene, outer, ROLE_ASSISTANT, "proceeded", fault) != FAULT_OK)
        return fault_pass(fault);
    *out = outer;
    return FAULT_OK;
}

static enum fault_code delegate(struct scene *scene, struct str session, struct fault *fault)
{
    struct message_out out;
    struct entry_spec call, result;
    struct str sub;

    message_out_begin(&out, &scene->arena);
    message_out_call(&out, STR("t1"), STR("transfer_task"), STR("{\"agent\":\"other\"}"));
    call = message_out_end(&out, ROLE_ASSISTANT, STR_NONE);
    message_out_begin(&out, &scene->arena);
    message_out_result(&out, STR("t1"), STR("done"), false);
    result = message_out_end(&out, ROLE_TOOL, STR_NONE);
    if (make(scene, &sub, fault) != FAULT_OK || add(scene, session, call, fault) != FAULT_OK ||
        refer(scene, session, sub, fault) != FAULT_OK)
        return fault_pass(fault);
    return add(scene, session, result, fault);
}

int main(int argc, char **argv)
{
    struct sqlite_store_options options = {0};
    struct scene scene;
    struct store *store;
    struct fault fault;
    enum fault_code code;

    if (argc != 4) {
        fprintf(stderr, "usage: wire_subsession DB OWNER SESSION\n");
        return 2;
    }
    options.path = argv[1];
    code = sqlite_store_open(&options, &store, &fault);
    if (code == FAULT_OK) {
        scene.engine = engine_new(store, NULL);
        arena_init(&scene.arena);
        code = store_owner(store, str_of(argv[2]), &scene.owner, &fault);
        if (code == FAULT_OK)
            code = delegate(&scene, str_of(argv[3]), &fault);
        arena_clear(&scene.arena);
        engine_free(scene.engine);
        store_close(store);
    }
    if (code)
        fprintf(stderr, "wire_subsession: %s\n", fault.message);
    return code != FAULT_OK;
}
