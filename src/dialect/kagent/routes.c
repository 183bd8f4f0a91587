#include "dialect/kagent/handler.h"

#define TEXT(name_, max_)                                  \
    {                                                      \
        .name = (name_), .type = QUERY_TEXT, .max = (max_) \
    }
#define USER TEXT("user_id", USER_QUERY_BYTES)
#define END \
    {       \
        0   \
    }

static const struct route_query q_user[] = {USER, END};
static const struct route_query q_session[] = {
    USER,
    TEXT("order", WORD_BYTES),
    TEXT("after", WORD_BYTES),
    TEXT("limit", WORD_BYTES),
    TEXT("view", WORD_BYTES),
    END,
};
static const struct route_query q_tasks[] = {USER, TEXT("view", WORD_BYTES), END};
static const struct route_query q_agents[] = {USER, TEXT("namespace", WORD_BYTES), END};

#define GET(path_, run_, query_)                                                \
    {                                                                           \
        HTTP_GET, path_, run_, ROUTE_WORK, RIGHT_READ, 0, query_, .status = 200 \
    }
#define OPEN(path_, run_)                                                       \
    {                                                                           \
        HTTP_GET, path_, run_, ROUTE_WORK, RIGHT_NONE, 0, q_user, .status = 200 \
    }
#define WRITE(method_, path_, run_, body_, status_)                                       \
    {                                                                                     \
        method_, path_, run_, ROUTE_WORK, RIGHT_WRITE, body_, q_user, .status = (status_) \
    }
#define REFUSE(method_, path_, run_)                                                    \
    {                                                                                   \
        method_, path_, run_, ROUTE_WORK, RIGHT_READ, BODY_SMALL, q_user, .status = 405 \
    }

static const struct route routes[] = {
    OPEN("/health", kagent_health),
    OPEN("/version", kagent_version),
    GET("/api/me", kagent_me, q_user),
    GET("/api/agents", kagent_agents, q_agents),
    REFUSE(HTTP_POST, "/api/agents", kagent_agents_fixed),
    REFUSE(HTTP_PUT, "/api/agents", kagent_agents_fixed),
    GET("/api/agents/{ns}/{name}", kagent_agent, q_user),
    REFUSE(HTTP_DELETE, "/api/agents/{ns}/{name}", kagent_agents_fixed),
    GET("/api/namespaces", kagent_namespaces, q_user),
    GET("/api/toolservers", kagent_none, q_user),
    GET("/api/tools", kagent_none, q_user),
    GET("/api/models", kagent_none, q_user),
    GET("/api/modelconfigs", kagent_none, q_user),
    GET("/api/feedback", kagent_none, q_user),
    GET("/api/sessions", kagent_sessions_list, q_user),
    WRITE(HTTP_POST, "/api/sessions", kagent_sessions_create, BODY_SMALL, 201),
    WRITE(HTTP_POST, "/api/sessions/fork", kagent_session_fork_named, BODY_SMALL, 201),
    GET("/api/sessions/agent/{ns}/{name}", kagent_sessions_of_agent, q_user),
    GET("/api/sessions/{id}", kagent_session_get, q_session),
    WRITE(HTTP_PUT, "/api/sessions/{id}", kagent_session_change, BODY_SMALL, 200),
    WRITE(HTTP_PATCH, "/api/sessions/{id}", kagent_session_change, BODY_SMALL, 200),
    WRITE(HTTP_DELETE, "/api/sessions/{id}", kagent_session_delete, 0, 200),
    WRITE(HTTP_POST, "/api/sessions/{id}/events", kagent_event_post, BODY_EVENT, 201),
    WRITE(HTTP_POST, "/api/sessions/{id}/fork", kagent_session_fork, BODY_SMALL, 201),
    WRITE(HTTP_POST, "/api/sessions/{id}/rewind", kagent_session_rewind, BODY_SMALL, 200),
    REFUSE(HTTP_PUT, "/api/sessions/{id}/effective_history", kagent_history_put),
    GET("/api/sessions/{id}/tasks", kagent_session_tasks, q_tasks),
    GET("/api/sessions/{id}/shares", kagent_not_offered, q_user),
    WRITE(HTTP_POST, "/api/sessions/{id}/shares", kagent_not_offered, BODY_SMALL, 404),
    WRITE(HTTP_POST, "/api/tasks", kagent_task_save, BODY_TASK, 201),
    GET("/api/tasks/{id}", kagent_task_get, q_user),
    WRITE(HTTP_DELETE, "/api/tasks/{id}", kagent_task_delete, 0, 204),
    GET("/api/langgraph/{rest*}", kagent_not_offered, q_user),
    WRITE(HTTP_POST, "/api/langgraph/{rest*}", kagent_not_offered, BODY_EVENT, 404),
    WRITE(HTTP_DELETE, "/api/langgraph/{rest*}", kagent_not_offered, 0, 404),
    GET("/api/crewai/{rest*}", kagent_not_offered, q_user),
    WRITE(HTTP_POST, "/api/crewai/{rest*}", kagent_not_offered, BODY_EVENT, 404),
    WRITE(HTTP_DELETE, "/api/crewai/{rest*}", kagent_not_offered, 0, 404),
    GET("/api/memories", kagent_not_offered, q_user),
    WRITE(HTTP_DELETE, "/api/memories", kagent_not_offered, 0, 404),
    WRITE(HTTP_POST, "/api/memories/{rest*}", kagent_not_offered, BODY_EVENT, 404),
};

const struct route_table kagent_routes = {
    .name = "kagent",
    .prefix = "/kagent",
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .any_query = true,
    .write_fault = kagent_write_fault,
};
