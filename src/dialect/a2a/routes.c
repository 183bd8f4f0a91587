#include "dialect/a2a/a2a.h"

#include "dialect/a2a/card.h"
#include "dialect/a2a/rpc.h"

#include <stddef.h>

static const struct route_query q_version[] = {
    {"A2A-Version", QUERY_TEXT, 0, 64, "the version of the protocol; the header wins", false},
    {0},
};

#define CALL_ROW(path_, name_)                                                             \
    {                                                                                      \
        .method = HTTP_POST, .path = (path_), .run = rpc_run, .right = RIGHT_READ,         \
        .body_max = RPC_BODY_BYTES, .query = q_version, .name = (name_), .tag = "a2a",     \
        .about = "A call over JSON-RPC 2.0, protocol 0.3.", .status = 200, .streams = true \
    }
#define CARD_ROW(path_, name_)                                                                \
    {                                                                                         \
        .method = HTTP_GET, .path = (path_), .run = card_get, .right = RIGHT_NONE,            \
        .query = q_version, .name = (name_), .tag = "a2a", .about = "The card of the agent.", \
        .status = 200                                                                         \
    }

static const struct route routes[] = {
    CALL_ROW("/{namespace}/{agent}", "a2aCall"),
    CALL_ROW("/{namespace}/{agent}/", "a2aCallSlash"),
    CARD_ROW("/{namespace}/{agent}/.well-known/agent-card.json", "a2aCard"),
    CARD_ROW("/{namespace}/{agent}/.well-known/agent.json", "a2aCardOld"),
};

#define TABLE(prefix_)                                                  \
    {                                                                   \
        .name = "a2a", .prefix = (prefix_), .routes = routes,           \
        .count = sizeof(routes) / sizeof(routes[0]), .any_query = true, \
        .write_fault = rpc_write_fault                                  \
    }

const struct route_table a2a_tables[A2A_TABLES] = {
    TABLE("/a2a"),
    TABLE("/api/a2a"),
    TABLE("/kagent/api/a2a"),
};
