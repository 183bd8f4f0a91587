/* The tools, as tool.c knows them. */
#ifndef AGENT_TOOL_OWN_H
#define AGENT_TOOL_OWN_H

#include "agent/tool.h"

/* One run of a tool. */
struct tool_work {
    const struct agent_def *def;
    struct agent_call *call;
    struct arena *arena;
    struct str id; /* of the call */
    const struct json_member *args;
    struct tool_result *out;
};

typedef enum fault_code tool_function(struct tool_work *work, struct fault *fault);

tool_function tool_bash, tool_read_file, tool_write_file, tool_edit_file, tool_list_files;

/* The result is an error with this text; arguments as for printf. */
#define tool_failed(work, ...) tool_error((work), arena_printf((work)->arena, __VA_ARGS__))

void tool_error(struct tool_work *work, struct str text);

#endif
