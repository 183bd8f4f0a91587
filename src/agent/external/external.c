#include "agent/external/external.h"

const struct agent_kind agent_external = {.name = "external"};
