/* tine chat: the terminal UI. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "tui/run.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"new", NULL, "begin a new conversation", 'n'},
    {"agent", "NS/NAME", "who answers in new conversations (else the default agent)", 0},
    {NULL, NULL, NULL, 0},
};

static struct tine *connect(void *context, bool (*stop)(void *), void *stop_context,
                            struct tine_error *error)
{
    return cli_handle(context, stop, stop_context, error);
}

/* The session that was named; else the newest one; NULL: there is none, or a new one is wanted. */
static enum fault_code session_find(struct cli *cli, const char **out, struct fault *fault)
{
    struct tine_list_options newest = {.limit = 1};
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;

    *out = NULL;
    if (cli->args.word_count) {
        if (cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
            return fault_pass(fault);
        *out = session->id;
        return FAULT_OK;
    }
    if (args_has(&cli->args, "new"))
        return FAULT_OK;
    if (!tine_sessions(cli->tine, &newest, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (result->session_count)
        *out = result->sessions[0].id;
    return FAULT_OK;
}

/*
 * Where what was typed is kept: $XDG_STATE_HOME/tine/chat_history, for its user only. NULL when
 * there is no such place; the chat does without it.
 */
static const char *history_path(struct cli *cli)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct str dir;

    if (state && *state == '/')
        dir = arena_dup(&cli->arena, str_of(state));
    else if (home && *home == '/')
        dir = arena_printf(&cli->arena, "%s/.local/state", home);
    else
        return NULL;
    dir = arena_printf(&cli->arena, "%s/tine", dir.p);
    for (char *p = (char *)(uintptr_t)dir.p + 1; *p; p++)
        if (*p == '/') { /* each directory on the way; the last one is made below */
            *p = '\0';
            if (mkdir(dir.p, 0700) != 0 && errno != EEXIST)
                return NULL;
            *p = '/';
        }
    if (mkdir(dir.p, 0700) != 0 && errno != EEXIST)
        return NULL;
    return arena_printf(&cli->arena, "%s/chat_history", dir.p).p;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tui_options tui = {.door = {connect, cli}, .agent = args_value(&cli->args, "agent")};

    if (cli->as_json)
        return cli_usage(cli, fault, "chat is for people: it has no --json");
    if (args_has(&cli->args, "new") && cli->args.word_count)
        return cli_usage(cli, fault, "--new and a session do not go together");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return fault_set(fault, FAULT_INVALID, "chat needs a terminal: its %s is none",
                         isatty(STDIN_FILENO) ? "output" : "input");
    if (cli_connect(cli, fault) != FAULT_OK || session_find(cli, &tui.session, fault) != FAULT_OK)
        return fault_pass(fault);
    tui.history = history_path(cli);
    return tui_run(&tui, fault);
}

const struct command command_chat = {
    .name = "chat",
    .purpose = "talk with an agent in the terminal",
    .words = "[SESSION]",
    .words_min = 0,
    .words_max = 1,
    .options = options,
    .notes = "Goes on with SESSION, or with the newest one; --new begins another. Type and press\n"
             "Enter; Esc steps back through the messages, Enter there forks, r rewinds; Ctrl-T\n"
             "shows the tree, /help the rest. What other clients do is seen at once.\n"
             "Colours fit a dark or a light ground: TINE_THEME=light or dark says which, when the\n"
             "terminal does not. NO_COLOR is heeded. What was typed is kept in\n"
             "$XDG_STATE_HOME/tine/chat_history.\n",
    .examples = "  tine chat\n"
                "  tine chat demo\n"
                "  tine chat --new --agent team/coder\n",
    .run = run,
};
