/*
 * The agent that needs no model. What the user sends is run with bash in the session's directory;
 * the files stay, the shell does not. Whether a text is a command is asked of bash itself, inside
 * the sandbox, because what is installed there decides.
 */
#include "agent/shell/shell.h"

#include "agent/agent_env.h"
#include "agent/clean.h"
#include "message/message_out.h"
#include "message/part.h"
#include "workspace/sandbox.h"

#include <stdlib.h>

enum {
    COMMAND_MAX = 120 * 1024, /* the kernel takes 128 KiB as one argument */
    CHECK_MS = 10 * 1000,
    OUTPUT_BYTES = 64 * 1024
};

#define FENCE "```"

struct shell {
    struct agent agent; /* first */
    struct agent_def def;
    struct arena arena;
};

/*
 * Prints nothing when its input is a command, else why it is none. A sentence that happens to begin
 * with the name of a program ("who are you?") is told by its question mark and its plain words.
 */
static const char check_script[] =
    "text=$(cat)\n"
    "if ! said=$(bash -n <<<\"$text\" 2>&1); then\n"
    "    echo 'Bash cannot read that'; exit\n"
    "fi\n"
    "[[ $text =~ ^[[:space:]]*([^][:space:]\\;\\|\\&\\<\\>\\(\\)]*) ]]\n"
    "word=${BASH_REMATCH[1]}\n"
    "if [[ $text =~ ^[[:alpha:],\\ ]+[[:alpha:]]\\?[[:space:]]*$ && $text == *' '*' '* ]]; then\n"
    "    echo 'That reads like a question'; exit\n"
    "fi\n"
    "[[ $text =~ ^[[:space:]]*[^[:space:]\\(\\)]+[[:space:]]*\\(\\) ]] && exit\n"
    "case $word in\n"
    "''|[\\$\\`\\\"\\'\\#\\{\\!~\\[]*|[A-Za-z_]*=*|./*|../*|/*) exit ;;\n"
    "esac\n"
    "type -t -- \"$word\" >/dev/null && exit\n"
    "[ -e \"$word\" ] && [[ $word == */* ]] && exit\n"
    "printf 'There is no command \"%s\"\\n' \"$word\"\n";

/* ---- what the user said ---- */

struct newest {
    struct arena *arena;
    struct str text;
};

static enum fault_code see(void *context, const struct entry *entry, struct fault *fault)
{
    struct newest *newest = context;

    (void)fault;
    if (entry->kind == ENTRY_MESSAGE && entry->role == ROLE_USER)
        newest->text = arena_dup(newest->arena, parts_text(entry->body, newest->arena));
    return FAULT_OK;
}

/* ---- answers ---- */

static enum fault_code say(struct agent_call *call, struct str text, struct str metadata,
                           unsigned flags, struct fault *fault)
{
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, call->arena);
    message_out_text(&out, text);
    spec = message_out_end(&out, ROLE_ASSISTANT, metadata);
    spec.flags = flags;
    return agent_say(call, &spec, 1, fault);
}

static enum fault_code say_help(struct agent_call *call, struct str why, struct fault *fault)
{
    struct str text = arena_printf(
        call->arena,
        "%.*s, and this agent only runs commands.\n\n"
        "It runs what you send with bash in this session's own directory, for example `ls -la`, "
        "`echo hello > note.txt` or `python3 -c 'print(6*7)'`. Files stay from one message to the "
        "next; `cd` and variables do not.\n\n"
        "To talk to a model, start the server with one of these set: `OPENAI_API_KEY` (with "
        "`OPENAI_BASE_URL` for any compatible server), `ANTHROPIC_API_KEY`, `OPENROUTER_API_KEY` "
        "or `OLLAMA_HOST`; or define an agent in `tine.yaml`.",
        STR_ARG(why));
    struct delta delta = {.kind = DELTA_TEXT, .text = text};

    agent_delta(call, &delta);
    return say(call, text, STR_NONE, 0, fault);
}

/* The longest run of backticks in a text: a fence around it is longer. */
static size_t ticks_of(struct str text)
{
    size_t most = 0, run = 0;

    for (size_t i = 0; i < text.n; i++) {
        run = text.p[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static struct str ending(const struct sandbox_result *result, int64_t ms, struct arena *arena)
{
    switch (result->end) {
    case SANDBOX_TIMED_OUT:
        return arena_printf(arena, "stopped after %lld s", (long long)(ms / 1000));
    case SANDBOX_CANCELLED:
        return STR("cancelled");
    case SANDBOX_LIMIT:
        return arena_printf(arena, "stopped: %s", result->why);
    case SANDBOX_EXITED:
    default:
        return result->code ? arena_printf(arena, "exit code %d", result->code) : STR_NONE;
    }
}

/* The output as a block of code, and below it how the command ended when that is worth a word. */
static struct str answer_text(const struct sandbox_result *result, int64_t ms, struct arena *arena)
{
    struct str output = clean_text(result->output, (size_t)3 * OUTPUT_BYTES, arena);
    struct str end = ending(result, ms, arena);
    struct buf text;

    buf_init(&text, (size_t)16 * OUTPUT_BYTES);
    if (output.n) {
        size_t ticks = ticks_of(output) < 3 ? 3 : ticks_of(output) + 1;

        for (size_t i = 0; i < ticks; i++)
            buf_add_char(&text, '`');
        buf_add_format(&text, "\n%.*s%s", STR_ARG(output),
                       output.p[output.n - 1] == '\n' ? "" : "\n");
        for (size_t i = 0; i < ticks; i++)
            buf_add_char(&text, '`');
        buf_add_text(&text, end.n ? "\n\n" : "\n");
    }
    if (end.n)
        buf_add_str(&text, end);
    else if (!output.n)
        buf_add_text(&text, "(no output)");
    return buf_take(&text, arena);
}

/* ---- running ---- */

/* What is told while the command runs: the block of code as it grows. */
struct telling {
    struct agent_call *call;
    struct clean clean;
    struct buf text;
    size_t told;
};

static void tell(void *context, struct str bytes)
{
    struct telling *telling = context;
    struct delta delta = {.kind = DELTA_TEXT};

    if (telling->told >= OUTPUT_BYTES)
        return;
    buf_reset(&telling->text);
    if (telling->told == 0)
        buf_add_text(&telling->text, FENCE "\n");
    clean_add(&telling->clean, bytes, &telling->text);
    telling->told += telling->text.n;
    delta.text = buf_str(&telling->text);
    agent_delta(telling->call, &delta);
}

/* Why the text is no command; empty: it is one. */
static enum fault_code check(const struct shell *shell, struct agent_call *call, struct str text,
                             struct str *why, struct fault *fault)
{
    static const char *const argv[] = {"/bin/bash", "-c", check_script, NULL};
    struct sandbox_spec spec = {
        .dir = call->dir,
        .argv = argv,
        .env = agent_env(&call->settings, call->arena),
        .input = text,
        .limits = {.time_ms = CHECK_MS, .output_bytes = 1024},
        .cancel_fd = call->cancel_fd,
    };
    struct sandbox_result result;
    enum fault_code code = sandbox_run(&spec, call->arena, &result, fault); /* it changes nothing */

    (void)shell;
    if (code)
        return code;
    *why = clean_text(result.output, 1024, call->arena);
    while (why->n && why->p[why->n - 1] == '\n')
        why->n--;
    return FAULT_OK;
}

static enum fault_code run_command(const struct shell *shell, struct agent_call *call,
                                   struct str text, struct fault *fault)
{
    struct telling telling = {.call = call};
    const char *argv[] = {"/bin/bash", "-c", text.p, NULL};
    struct sandbox_spec spec = {
        .dir = call->dir,
        .argv = argv,
        .env = agent_env(&call->settings, call->arena),
        .network = shell->def.network,
        .limits = {.time_ms = shell->def.timeout_ms > 0 ? shell->def.timeout_ms : SANDBOX_TIME_MS,
                   .output_bytes = OUTPUT_BYTES},
        .cancel_fd = call->cancel_fd,
        .output = tell,
        .context = &telling,
    };
    struct sandbox_result result;
    struct str metadata = STR_NONE;
    enum fault_code code;

    buf_init(&telling.text, (size_t)1024 * 1024);
    call->worked = true;
    code = sandbox_run(&spec, call->arena, &result, fault);
    buf_clear(&telling.text);
    if (code)
        return code;
    if (result.end == SANDBOX_EXITED)
        metadata = arena_printf(call->arena, "{\"exit\":%d}", result.code);
    return say(call, answer_text(&result, spec.limits.time_ms, call->arena), metadata,
               result.end == SANDBOX_CANCELLED ? ENTRY_INTERRUPTED : 0, fault);
}

static enum fault_code shell_run(struct agent *agent, struct agent_call *call, struct fault *fault)
{
    const struct shell *shell = (const struct shell *)agent;
    struct newest newest = {.arena = call->arena};
    struct str why = STR_NONE;
    enum fault_code code = agent_history(call, see, &newest, fault);

    if (code)
        return code;
    if (newest.text.n == 0)
        why = STR("There is no text in that");
    else if (newest.text.n > COMMAND_MAX || memchr(newest.text.p, '\0', newest.text.n))
        why = STR("That is too long for a command");
    else
        code = check(shell, call, newest.text, &why, fault);
    if (code)
        return code;
    if (agent_cancelled(call))
        return FAULT_OK;
    return why.n ? say_help(call, why, fault) : run_command(shell, call, newest.text, fault);
}

static void shell_free(struct agent *agent)
{
    struct shell *shell = (struct shell *)agent;

    arena_clear(&shell->arena);
    free(shell);
}

static const struct agent_ops shell_ops = {.run = shell_run, .free = shell_free};

static enum fault_code shell_make(const struct agent_def *def, struct agent **out,
                                  struct fault *fault)
{
    struct shell *shell = calloc(1, sizeof(*shell));

    (void)fault;
    if (!shell)
        abort();
    shell->agent.ops = &shell_ops;
    arena_init(&shell->arena);
    shell->def = agent_def_copy(def, &shell->arena);
    *out = &shell->agent;
    return FAULT_OK;
}

const struct agent_kind agent_shell = {.name = "shell", .commands = true, .make = shell_make};
