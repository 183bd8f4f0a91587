/* Is the server there, and is it ready. */
#include "dialect/docker_agent/handler.h"

enum fault_code docker_ping(struct exchange *x, struct fault *fault)
{
    (void)fault;
    x->reply.fixed = STR("{\"status\":\"ok\"}\n");
    return FAULT_OK;
}

enum fault_code docker_health(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct json_out out;

    reply_open(x, &out);
    json_out_string(&out, "status", STR("ok"));
    json_out_string(&out, "version", str_of(app->version ? app->version : "0"));
    json_out_object_end(&out);
    return docker_reply(x, fault);
}

enum fault_code docker_ready(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct turns_counts counts;
    struct fault other;
    struct json_out out;
    int64_t version;
    bool stopping = atomic_load(&app->stopping);
    bool connected = store_version(app->store, &version, &other) == FAULT_OK;
    bool ready = connected && !stopping;

    turns_count(app->turns, &counts);
    x->reply.status = ready ? 200 : 503;
    reply_open(x, &out);
    json_out_bool(&out, "ready", ready);
    json_out_int(&out, "active_sessions", counts.running + counts.queued);
    json_out_bool(&out, "store_connected", connected);
    json_out_string(&out, "toolset_health", ready ? STR("ok") : STR("unavailable"));
    if (!ready)
        json_out_string(&out, "latest_error",
                        stopping ? STR("the server is stopping") : STR("store disconnected"));
    json_out_object_end(&out);
    return docker_reply(x, fault);
}
