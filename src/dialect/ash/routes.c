/* The wire of ash as a table, and how it says no. */
#include "dialect/ash/wire.h"

#include "base/clock.h"

/* ---- faults ---- */

/* Who has no key, or a wrong one, is told so in three ways. */
static struct str unauthorized_words(const struct exchange *x)
{
    struct str header = request_header(&x->request, "Authorization");

    if (!header.p)
        return STR("Missing Authorization header");
    if (!str_starts(header, STR("Bearer ")))
        return STR("Invalid Authorization header format");
    return STR("Invalid API key");
}

static struct str words_of(struct exchange *x, const struct fault *fault, int *status)
{
    switch (fault->code) {
    case FAULT_UNAUTHORIZED:
        return unauthorized_words(x);
    case FAULT_SESSION_NOT_FOUND:
        return STR("Session not found");
    case FAULT_FILE_NOT_FOUND:
        return str_starts(str_of(fault->message), STR("No workspace")) ? str_of(fault->message)
                                                                       : STR("File not found");
    case FAULT_PATH_INVALID:
        return STR("Invalid file path");
    case FAULT_METHOD:
    case FAULT_NOT_FOUND:
        *status = 404; /* a path with another method is no route there */
        return arena_printf(&x->arena, "Route %s:%.*s not found",
                            request_method_name(x->request.method), STR_ARG(x->request.path));
    default:
        return str_of(fault->message);
    }
}

static void write_fault(struct exchange *x, const struct fault *fault)
{
    int status = fault_status(fault->code);
    struct str words = ash_clean(words_of(x, fault, &status), &x->arena);
    struct json_out out;

    buf_reset(&x->reply.body);
    json_out_init(&out, &x->reply.body);
    json_out_object(&out, NULL);
    json_out_string(&out, "error", words);
    json_out_int(&out, "statusCode", status);
    json_out_object_end(&out);
    x->reply.status = status;
    x->reply.type = "application/json";
}

/* ---- health ---- */

/* A turn that runs has a sandbox of its own, as far as ash is concerned. */
static void write_pool(struct json_out *out, int64_t running, int64_t waiting)
{
    json_out_object(out, "pool");
    json_out_int(out, "total", running + waiting);
    json_out_int(out, "cold", 0);
    json_out_int(out, "warming", 0);
    json_out_int(out, "warm", 0);
    json_out_int(out, "waiting", waiting);
    json_out_int(out, "running", running);
    json_out_int(out, "maxCapacity", LIMIT_SESSIONS);
    json_out_int(out, "resumeWarmHits", 0);
    json_out_int(out, "resumeColdHits", 0);
    json_out_int(out, "preWarmHits", 0);
    json_out_object_end(out);
}

enum fault_code ash_health(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct turns_counts counts;
    struct json_out out;

    turns_count(app->turns, &counts);
    reply_open(x, &out);
    json_out_plain(&out, "status", STR("ok"));
    json_out_string(&out, "version", str_of(app->version ? app->version : "0"));
    json_out_plain(&out, "coordinatorId", STR("tine"));
    json_out_int(&out, "activeSessions", counts.running + counts.queued);
    json_out_int(&out, "activeSandboxes", counts.running);
    json_out_int(&out, "remoteRunners", 0);
    json_out_int(&out, "uptime", (clock_ms() - app->started_ms) / 1000);
    write_pool(&out, counts.running, counts.queued);
    return reply_close(x, &out, fault);
}

/* ---- the table ---- */

static const struct route_query q_agent[] = {
    {.name = "agent", .type = QUERY_TEXT, .max = LIMIT_AGENT_BYTES},
    {0},
};
static const struct route_query q_messages[] = {
    {.name = "limit", .type = QUERY_INT, .min = 1, .max = LIMIT_PAGE},
    {.name = "after", .type = QUERY_INT, .max = INT64_C(1000000000000)},
    {0},
};
static const struct route_query q_events[] = {
    {.name = "limit", .type = QUERY_INT, .min = 1, .max = LIMIT_PAGE},
    {.name = "after", .type = QUERY_INT, .max = INT64_C(1000000000000000)},
    {.name = "type", .type = QUERY_TEXT, .max = 64},
    {0},
};
static const struct route_query q_files[] = {
    {.name = "includeHidden", .type = QUERY_FLAG},
    {0},
};
static const struct route_query q_file[] = {
    {.name = "format", .type = QUERY_TEXT, .max = 16},
    {0},
};

#define SESSION "/api/sessions/{id}"

#define ROUTE(method_, path_, run_, right_, body_, query_, name_, status_)                        \
    {                                                                                             \
        .method = (method_), .path = (path_), .run = (run_), .where = ROUTE_WORK,                 \
        .right = (right_), .body_max = (body_), .query = (query_), .name = (name_), .tag = "ash", \
        .status = (status_)                                                                       \
    }

static const struct route routes[] = {
    ROUTE(HTTP_GET, "/health", ash_health, RIGHT_NONE, 0, NULL, "ashHealth", 200),
    ROUTE(HTTP_GET, "/api/agents", ash_agents_list, RIGHT_READ, 0, NULL, "ashAgents", 200),
    ROUTE(HTTP_POST, "/api/agents", ash_agents_post, RIGHT_ADMIN, ASH_BODY_SMALL, NULL,
          "ashDeployAgent", 201),
    ROUTE(HTTP_GET, "/api/agents/{name}", ash_agent_show, RIGHT_READ, 0, NULL, "ashAgent", 200),
    ROUTE(HTTP_PATCH, "/api/agents/{name}", ash_agent_patch, RIGHT_ADMIN, ASH_BODY_SMALL, NULL,
          "ashPatchAgent", 200),
    ROUTE(HTTP_DELETE, "/api/agents/{name}", ash_agent_delete, RIGHT_ADMIN, ASH_BODY_SMALL, NULL,
          "ashDeleteAgent", 200),
    ROUTE(HTTP_POST, "/api/sessions", ash_sessions_create, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashCreateSession", 201),
    ROUTE(HTTP_GET, "/api/sessions", ash_sessions_list, RIGHT_READ, 0, q_agent, "ashSessions", 200),
    ROUTE(HTTP_GET, SESSION, ash_session_get, RIGHT_READ, 0, NULL, "ashSession", 200),
    ROUTE(HTTP_DELETE, SESSION, ash_session_end, RIGHT_WRITE, ASH_BODY_SMALL, NULL, "ashEndSession",
          200),
    ROUTE(HTTP_PATCH, SESSION "/config", ash_session_config, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashConfigSession", 200),
    ROUTE(HTTP_POST, SESSION "/pause", ash_session_pause, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashPauseSession", 200),
    ROUTE(HTTP_POST, SESSION "/stop", ash_session_stop, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashStopSession", 200),
    ROUTE(HTTP_POST, SESSION "/resume", ash_session_resume, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashResumeSession", 200),
    ROUTE(HTTP_POST, SESSION "/fork", ash_session_fork, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashForkSession", 201),
    ROUTE(HTTP_GET, SESSION "/history", ash_session_history, RIGHT_READ, 0, NULL, "ashHistory",
          200),
    ROUTE(HTTP_GET, SESSION "/messages", ash_messages_list, RIGHT_READ, 0, q_messages,
          "ashMessages", 200),
    ROUTE(HTTP_POST, SESSION "/messages", ash_messages_send, RIGHT_RUN, ASH_BODY_MESSAGE, NULL,
          "ashSend", 200),
    ROUTE(HTTP_GET, SESSION "/events", ash_events_list, RIGHT_READ, 0, q_events, "ashEvents", 200),
    ROUTE(HTTP_GET, SESSION "/logs", ash_logs_list, RIGHT_READ, 0, NULL, "ashLogs", 200),
    ROUTE(HTTP_POST, SESSION "/exec", ash_session_exec, RIGHT_RUN, ASH_BODY_SMALL, NULL, "ashExec",
          200),
    ROUTE(HTTP_GET, SESSION "/workspace", ash_workspace_get, RIGHT_READ, 0, NULL, "ashWorkspace",
          200),
    ROUTE(HTTP_POST, SESSION "/workspace", ash_workspace_put, RIGHT_WRITE, ASH_BODY_WORKSPACE, NULL,
          "ashPutWorkspace", 200),
    ROUTE(HTTP_GET, SESSION "/files", ash_files_list, RIGHT_READ, 0, q_files, "ashFiles", 200),
    ROUTE(HTTP_POST, SESSION "/files", ash_files_put, RIGHT_WRITE, ASH_BODY_FILES, NULL,
          "ashPutFiles", 200),
    ROUTE(HTTP_GET, SESSION "/files/{path*}", ash_file_get, RIGHT_READ, 0, q_file, "ashFile", 200),
    ROUTE(HTTP_DELETE, SESSION "/files/{path*}", ash_file_delete, RIGHT_WRITE, ASH_BODY_SMALL, NULL,
          "ashDeleteFile", 200),
};

const struct route_table ash_routes = {
    .name = ASH_HOME,
    .prefix = "/ash",
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .any_query = true,
    .write_fault = write_fault,
};
