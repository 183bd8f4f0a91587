/*
 * What a model can ask for: commands and files, in the session's own directory and nowhere else.
 * A tool that fails says so to the model; it is no fault.
 */
#ifndef AGENT_TOOL_H
#define AGENT_TOOL_H

#include "agent/agent.h"
#include "agent/agent_def.h"
#include "json/json_in.h"
#include "json/json_out.h"

enum {
    TOOL_OUTPUT_BYTES = 64 * 1024,     /* of one result */
    TOOL_TOLD_BYTES = 256 * 1024,      /* of one command, told while it runs */
    TOOL_FILE_BYTES = 4 * 1024 * 1024, /* of a file that is read or edited */
    TOOL_LIST_ENTRIES = 1000           /* of a directory */
};

struct tool_call {
    struct str id, name;
    struct str arguments; /* as the model wrote them; should be a JSON object */
};

struct tool_result {
    struct str output; /* valid UTF-8 */
    bool error;
};

/* Whether a definition's list (agent_def.tools) has the tool. */
bool tool_allowed(const char *name, struct str allowed);

/* FAULT_INVALID names a tool in the list that there is not. */
FAULT_CHECK enum fault_code tools_check(struct str allowed, struct fault *fault);

/* The array "tools" of a chat-completions request, without those that the session denies; nothing
 * when no tool is allowed. */
void tools_write(struct json_out *out, struct str allowed, const struct tool_rules *deny);

/*
 * Runs it when the session's settings let it, or whoever is asked does. FAULT_SANDBOX when a
 * command cannot be run at all; FAULT_INTERRUPTED when the turn is cancelled while it asks.
 */
FAULT_CHECK enum fault_code tool_run(const struct tool_call *tool, const struct agent_def *def,
                                     struct agent_call *call, struct arena *arena,
                                     struct tool_result *out, struct fault *fault);

#endif
