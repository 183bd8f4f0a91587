/* docker-agent's API as a table. */
#include "dialect/docker_agent/handler.h"

/* For the document nothing is said: the dialect has its own. */
#define ROUTE(method_, path_, run_, right_, body_, status_)                          \
    {                                                                                \
        .method = (method_), .path = (path_), .run = (run_), .where = ROUTE_WORK,    \
        .right = (right_), .body_max = (body_), .name = (path_), .status = (status_) \
    }
#define GET(path_, run_)          ROUTE(HTTP_GET, path_, run_, RIGHT_READ, 0, 200)
#define OPEN(path_, run_)         ROUTE(HTTP_GET, path_, run_, RIGHT_NONE, 0, 200)
#define POST(path_, run_, right_) ROUTE(HTTP_POST, path_, run_, right_, DOCKER_BODY_SMALL, 200)
#define PATCH(path_, run_)        ROUTE(HTTP_PATCH, path_, run_, RIGHT_WRITE, DOCKER_BODY_SMALL, 200)
#define SAY(path_, run_, right_, status_) \
    ROUTE(HTTP_POST, path_, run_, right_, DOCKER_BODY_MESSAGES, status_)

static const struct route routes[] = {
    OPEN("/health", docker_health),
    OPEN("/ready", docker_ready),
    OPEN("/api/ping", docker_ping),
    GET("/api/agents", docker_agents_list),
    GET("/api/agents/{id}", docker_agent_config),
    GET("/api/agents/{id}/{member}/tools/count", docker_agent_tools),
    GET("/api/sessions", docker_sessions_list),
    POST("/api/sessions", docker_session_create, RIGHT_WRITE),
    POST("/api/sessions/batch/delete", docker_batch_delete, RIGHT_WRITE),
    GET("/api/sessions/{id}", docker_session_get),
    ROUTE(HTTP_DELETE, "/api/sessions/{id}", docker_session_delete, RIGHT_WRITE, 0, 200),
    GET("/api/sessions/{id}/status", docker_session_status),
    PATCH("/api/sessions/{id}/title", docker_title_patch),
    PATCH("/api/sessions/{id}/permissions", docker_permissions_patch),
    PATCH("/api/sessions/{id}/tokens", docker_tokens_patch),
    PATCH("/api/sessions/{id}/starred", docker_starred_patch),
    POST("/api/sessions/{id}/tools/toggle", docker_tools_toggle, RIGHT_WRITE),
    POST("/api/sessions/{id}/thinking/toggle", docker_thinking_toggle, RIGHT_WRITE),
    POST("/api/sessions/{id}/resume", docker_session_resume, RIGHT_RUN),
    POST("/api/sessions/{id}/elicitation", docker_session_elicit, RIGHT_RUN),
    POST("/api/sessions/{id}/fork", docker_session_fork, RIGHT_WRITE),
    SAY("/api/sessions/{id}/messages", docker_message_add, RIGHT_WRITE, 201),
    SAY("/api/sessions/{id}/agent/{agent}", docker_session_run, RIGHT_RUN, 200),
    SAY("/api/sessions/{id}/agent/{agent}/{member}", docker_session_run, RIGHT_RUN, 200),
};

const struct route_table docker_agent_routes = {
    .name = "docker-agent",
    .prefix = "/docker-agent",
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .any_query = true,
    .write_fault = docker_fault_write,
};
