/* The card of an agent: what it is, what it can, and where it is reached. */
#ifndef DIALECT_A2A_CARD_H
#define DIALECT_A2A_CARD_H

#include "dialect/handling.h"

route_run card_get;

/*
 * The agent of the path, "ns/name". FAULT_AGENT_NOT_FOUND: the reply says so already, as plain
 * text.
 */
FAULT_CHECK enum fault_code a2a_agent(struct exchange *x, struct str *out, struct fault *fault);

#endif
