/* The tool `bash`: a command in the sandbox. */
#include "agent/agent_env.h"
#include "agent/clean.h"
#include "agent/tool_own.h"
#include "base/utf8.h"
#include "workspace/sandbox.h"

enum { COMMAND_MAX = 120 * 1024 /* the kernel takes 128 KiB as one argument */ };

/* What is told while the command runs. */
struct telling {
    struct agent_call *call;
    struct str id;
    struct clean clean;
    struct buf text;
    size_t told;
};

static void tell(void *context, struct str bytes)
{
    struct telling *telling = context;
    struct delta delta = {.kind = DELTA_OUTPUT, .id = telling->id};

    if (telling->told >= TOOL_TOLD_BYTES)
        return;
    buf_reset(&telling->text);
    clean_add(&telling->clean, bytes, &telling->text);
    delta.text = utf8_cut(buf_str(&telling->text), TOOL_TOLD_BYTES - telling->told);
    telling->told += telling->text.n;
    if (delta.text.n)
        agent_delta(telling->call, &delta);
}

static int64_t time_ms(const struct tool_work *work)
{
    int64_t max = work->def->timeout_ms > 0 ? work->def->timeout_ms : SANDBOX_TIME_MS;
    int64_t seconds;

    if (work->args[1].given && json_int(&work->args[1].value, 1, max / 1000, &seconds))
        return seconds * 1000;
    return max;
}

/* How it ended, as the model is told below the output; empty when it simply went well. */
static struct str ending(const struct sandbox_result *result, int64_t ms, struct arena *arena)
{
    switch (result->end) {
    case SANDBOX_TIMED_OUT:
        return arena_printf(arena, "[stopped after %lld s]", (long long)(ms / 1000));
    case SANDBOX_CANCELLED:
        return STR("[cancelled]");
    case SANDBOX_LIMIT:
        return arena_printf(arena, "[stopped: %s]", result->why);
    case SANDBOX_EXITED:
    default:
        return result->code ? arena_printf(arena, "[exit code %d]", result->code) : STR_NONE;
    }
}

enum fault_code tool_bash(struct tool_work *work, struct fault *fault)
{
    struct str command = json_text(&work->args[0].value, work->arena);
    struct telling telling = {.call = work->call, .id = work->id};
    const char *argv[] = {"/bin/bash", "-c", arena_dup(work->arena, command).p, NULL};
    struct sandbox_spec spec = {
        .dir = work->call->dir,
        .argv = argv,
        .env = agent_env(&work->call->settings, work->arena),
        .network = work->def->network,
        .limits = {.time_ms = time_ms(work), .output_bytes = TOOL_OUTPUT_BYTES},
        .cancel_fd = work->call->cancel_fd,
        .output = tell,
        .context = &telling,
    };
    struct sandbox_result result;
    struct str end, text;
    enum fault_code code;

    if (command.n > COMMAND_MAX || (command.n && memchr(command.p, '\0', command.n))) {
        tool_failed(work,
                    "the command is too long or has a NUL in it; write a script and run that");
        return FAULT_OK;
    }
    buf_init(&telling.text, (size_t)4 * TOOL_TOLD_BYTES);
    code = sandbox_run(&spec, work->arena, &result, fault);
    buf_clear(&telling.text);
    if (code)
        return code;
    end = ending(&result, spec.limits.time_ms, work->arena);
    text = clean_text(result.output, (size_t)3 * TOOL_OUTPUT_BYTES, work->arena);
    work->out->error = end.n > 0;
    work->out->output =
        end.n ? arena_printf(work->arena, "%.*s%s%.*s", STR_ARG(text),
                             text.n && text.p[text.n - 1] != '\n' ? "\n" : "", STR_ARG(end))
              : text;
    return FAULT_OK;
}
