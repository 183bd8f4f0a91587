/* docker-agent's HTTP API over the same engine: agents, sessions, runs, approvals, forks. */
#ifndef DIALECT_DOCKER_AGENT_DOCKER_AGENT_H
#define DIALECT_DOCKER_AGENT_DOCKER_AGENT_H

#include "dialect/app.h"

extern const struct route_table docker_agent_routes; /* below /docker-agent */

#endif
