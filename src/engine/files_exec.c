/* A command that a user runs in the directory of a session. */
#include "agent/agent_env.h"
#include "engine/workspaces_own.h"
#include "workspace/sandbox.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

void workspaces_stop(struct workspaces *workspaces)
{
    if (workspaces)
        eventfd_write(workspaces->stop_fd, 1);
}

static bool is_stopping(const struct workspaces *workspaces)
{
    struct pollfd fd = {.fd = workspaces->stop_fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

static enum fault_code cmd_check(const struct exec_cmd *cmd, struct fault *fault)
{
    if (cmd->command.n == 0)
        return fault_set(fault, FAULT_INVALID, "the command is empty");
    if (cmd->command.n > EXEC_COMMAND_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the command has %zu bytes; the limit is %d",
                         cmd->command.n, EXEC_COMMAND_BYTES);
    if (memchr(cmd->command.p, '\0', cmd->command.n))
        return fault_set(fault, FAULT_INVALID, "the command has a NUL in it");
    if (cmd->time_ms < 0 || cmd->time_ms > EXEC_MS_MAX)
        return fault_set(fault, FAULT_INVALID, "the time must be between 1 and %d ms", EXEC_MS_MAX);
    return FAULT_OK;
}

static const char *stopped_words(const struct sandbox_result *result, int64_t ms,
                                 struct arena *arena)
{
    switch (result->end) {
    case SANDBOX_TIMED_OUT:
        return arena_printf(arena, "stopped after %lld ms", (long long)ms).p;
    case SANDBOX_LIMIT:
        return arena_printf(arena, "stopped: %s", result->why).p;
    default:
        return NULL;
    }
}

static enum fault_code run(struct place *place, const struct exec_cmd *cmd, struct arena *arena,
                           struct exec_result *out, struct fault *fault)
{
    const char *argv[] = {"/bin/bash", "-c", arena_dup(arena, cmd->command).p, NULL};
    struct sandbox_spec spec = {
        .dir = place_dir(place),
        .argv = argv,
        .network = cmd->network,
        .apart = true,
        .limits = {.time_ms = cmd->time_ms ? cmd->time_ms : SANDBOX_TIME_MS,
                   .output_bytes = EXEC_OUTPUT_BYTES},
        .cancel_fd = place->workspaces->stop_fd,
    };
    struct agent_settings settings;
    struct sandbox_result result;

    if (agent_settings_read(place->session.settings, arena, &settings, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.env = agent_env(&settings, arena);
    if (sandbox_run(&spec, arena, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (struct exec_result){
        .code = result.code,
        .stopped = stopped_words(&result, spec.limits.time_ms, arena),
        .timed_out = result.end == SANDBOX_TIMED_OUT,
        .output = result.output,
        .errors = result.errors,
    };
    if (result.end == SANDBOX_CANCELLED)
        return fault_set(fault, FAULT_STOPPING, "the server is stopping");
    return FAULT_OK;
}

/* Whatever came of the command, what it did to the files is recorded. */
static enum fault_code exec_held(struct place *place, const struct exec_cmd *cmd,
                                 struct arena *arena, struct exec_result *out, struct fault *fault)
{
    struct file_result files = {0};
    enum fault_code code = place_record_foreign(place, fault);
    struct fault other;

    if (code)
        return code;
    code = run(place, cmd, arena, out, fault);
    if (place_record_own(place, arena, &files, code ? &other : fault) != FAULT_OK)
        return code ? code : fault_pass(fault);
    return code;
}

static bool room_take(struct workspaces *workspaces)
{
    bool room;

    pthread_mutex_lock(&workspaces->lock);
    room = workspaces->execs < EXEC_AT_ONCE;
    workspaces->execs += room;
    pthread_mutex_unlock(&workspaces->lock);
    return room;
}

static void room_give(struct workspaces *workspaces)
{
    pthread_mutex_lock(&workspaces->lock);
    workspaces->execs--;
    pthread_mutex_unlock(&workspaces->lock);
}

enum fault_code workspaces_exec(struct workspaces *workspaces, const struct exec_cmd *cmd,
                                struct arena *arena, struct exec_result *out, struct fault *fault)
{
    struct exec_result result = {0};
    struct place *place;
    enum fault_code code;

    if (cmd_check(cmd, fault) != FAULT_OK || sandbox_ready(fault) != FAULT_OK)
        return fault_pass(fault);
    if (is_stopping(workspaces))
        return fault_set(fault, FAULT_STOPPING, "the server is stopping");
    if (!room_take(workspaces))
        return fault_set(fault, FAULT_TOO_MANY, "%d commands run already; that is the limit",
                         EXEC_AT_ONCE);
    code = place_take_to_write(workspaces, cmd->owner, cmd->session, &place, fault);
    if (!code) {
        code = exec_held(place, cmd, arena, &result, fault);
        place_leave(place);
    }
    room_give(workspaces);
    if (!code)
        *out = result;
    return code;
}
