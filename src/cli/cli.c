#include "cli/cli.h"

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/help.h"
#include "cli/nested.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 30, REPORT_MAX = 16 * 1024 };

/* ---- finding and running the command ---- */

/* No command: --version, --help, or a line that makes no sense. */
static enum fault_code run_none(struct cli *cli, int argc, char **argv, struct fault *fault)
{
    enum fault_code code = args_read(&cli->args, NULL, argc, argv, -1, &cli->arena, fault);

    if (code) {
        cli->wrong_usage = true;
        return code;
    }
    cli->as_json = args_has(&cli->args, "json");
    if (args_has(&cli->args, "version")) {
        cli_print(cli, "tine %s\n", TINE_VERSION);
        return FAULT_OK;
    }
    if (!args_has(&cli->args, "help"))
        return cli_usage(cli, fault, "no command is given; tine help shows them");
    help_all(&cli->text);
    return FAULT_OK;
}

static enum fault_code words_check(struct cli *cli, struct fault *fault)
{
    const struct command *command = cli->command;
    int count = (int)cli->args.word_count;

    if (command->words_max >= 0 && count > command->words_max)
        return cli_usage(cli, fault, "unexpected argument \"%s\"",
                         cli->args.words[command->words_max]);
    if (count < command->words_min)
        return cli_usage(cli, fault, "something is missing: %s", command->words);
    return FAULT_OK;
}

static enum fault_code run_command(struct cli *cli, int argc, char **argv, int at,
                                   struct fault *fault)
{
    enum fault_code code =
        args_read(&cli->args, cli->command->options, argc, argv, at, &cli->arena, fault);

    if (code) {
        cli->wrong_usage = true;
        return code;
    }
    cli->as_json = args_has(&cli->args, "json");
    if (args_has(&cli->args, "help")) {
        help_command(&cli->text, cli->command);
        return FAULT_OK;
    }
    code = words_check(cli, fault);
    if (!code)
        code = cli->command->run(cli, fault);
    if (!code && cli->as_json && cli->text.n && cli->text.p[cli->text.n - 1] != '\n')
        buf_add_char(&cli->text, '\n');
    return code;
}

enum fault_code cli_run_line(struct cli *cli, int argc, char **argv, struct fault *fault)
{
    const struct command *like;
    const char *name;
    int at = -1;

    json_out_init(&cli->json, &cli->text);
    cli->command = NULL;
    name = args_command(argc, argv, &at);
    if (!name)
        return run_none(cli, argc, argv, fault);
    cli->command = command_find(name);
    if (cli->command)
        return run_command(cli, argc, argv, at, fault);
    for (int i = 1; i < argc; i++)
        cli->as_json = cli->as_json || strcmp(argv[i], "--json") == 0;
    like = command_like(name);
    if (like)
        return cli_usage(cli, fault, "unknown command \"%s\"; did you mean \"%s\"?", name,
                         like->name);
    return cli_usage(cli, fault, "unknown command \"%s\"; tine help shows them", name);
}

/* ---- saying how it ended ---- */

static void report_json(struct cli *cli, const struct fault *fault)
{
    int status = cli->wrong_usage ? 400 : fault_status(fault->code);
    struct json_out out;
    struct buf text;

    if (cli->problem.n) {
        fprintf(cli->err, "%.*s\n", STR_ARG(cli->problem));
        return;
    }
    buf_init(&text, REPORT_MAX);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_out_string(&out, "type", STR("about:blank"));
    json_out_string(&out, "title", str_of(fault_title(status)));
    json_out_int(&out, "status", status);
    json_out_string(&out, "code", str_of(cli->wrong_usage ? "usage" : fault_name(fault->code)));
    json_out_string(&out, "detail", cli_valid(cli, fault->message));
    json_out_object_end(&out);
    fprintf(cli->err, "%s\n", buf_str(&text).p);
    buf_clear(&text);
}

/* Is a message named by PATH@MSG? */
static bool has_place(const struct cli *cli)
{
    const char *words = cli->command ? cli->command->words : NULL;

    return words && strstr(words, "PATH[@MSG]") && !args_value(&cli->args, "at");
}

/* What to do about it, where that is not plain from the fault. */
static const char *hint(const struct cli *cli, const struct fault *fault)
{
    if (fault->code == FAULT_TOOL_CALL_OPEN && cli->command)
        for (const struct option *o = cli->command->options; o && o->name; o++)
            if (strcmp(o->name, "snap") == 0)
                return "--snap goes to the nearest good place before it";
    if (fault->code == FAULT_SESSION_NOT_FOUND)
        return "tine sessions --all lists them";
    if (fault->code == FAULT_MESSAGE_NOT_FOUND && has_place(cli))
        return "where the @ belongs to the path, one more @ at its end says so";
    if (fault->code == FAULT_WORKSPACE_BLOCKED)
        return "--at -1 shows the files recorded last; tine workspace gives another directory";
    return NULL;
}

static void report_text(struct cli *cli, const struct fault *fault)
{
    const char *help = hint(cli, fault);
    struct buf text;

    buf_init(&text, REPORT_MAX);
    if (cli->command)
        buf_add_format(&text, "tine: %s: ", cli->command->name);
    else
        buf_add_text(&text, "tine: ");
    term_add_line(&cli->err_term, &text, str_of(fault->message), 0);
    buf_add_char(&text, '\n');
    if (cli->wrong_usage && cli->command) {
        help_usage(&text, cli->command);
        buf_add_format(&text, "tine help %s says more\n", cli->command->name);
    }
    if (help && cli->told)
        buf_add_format(&text, "%s\n", help);
    fputs(buf_str(&text).p, cli->err);
    if (cli->more.n)
        fputs(cli->more.p, cli->err);
    buf_clear(&text);
}

static enum cli_exit exit_code(const struct cli *cli, const struct fault *fault)
{
    if (cli->wrong_usage)
        return EXIT_USAGE;
    if (fault_retryable(fault->code))
        return EXIT_BUSY;
    if (fault->code == FAULT_POINT_INVALID)
        return EXIT_NOT_FOUND; /* a place where there is no message */
    switch (fault_status(fault->code)) {
    case 404:
        return EXIT_NOT_FOUND;
    case 409:
        return EXIT_CONFLICT;
    default:
        return EXIT_FAILED;
    }
}

/* Writes the answer, or says what went wrong; returns the exit code. */
static enum cli_exit finish(struct cli *cli, enum fault_code code, struct fault *fault)
{
    if (!code)
        code = cli_flush(cli, fault);
    if (!code)
        return cli->found_wrong ? EXIT_FAILED : EXIT_DONE;
    if (cli->out_error == EPIPE)
        return EXIT_DONE; /* whoever read the output has seen enough */
    if (cli->as_json)
        report_json(cli, fault);
    else
        report_text(cli, fault);
    return exit_code(cli, fault);
}

/* ---- the process ---- */

/* So that no file is ever opened in the place of a closed stdout, and then written over. */
static void fill_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", O_RDONLY) != fd)
            abort();
}

int cli_main(int argc, char **argv, const struct house_kinds *kinds)
{
    struct cli cli = {.kinds = kinds, .in = stdin, .out = stdout, .err = stderr};
    struct fault fault = {0};
    enum fault_code code;
    enum cli_exit result;

    fill_standard_files();
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN); /* a write then fails, and is seen to fail */
    cli.term = term_of(stdout);
    cli.err_term = term_of(stderr);
    cli.told = cli.err_term.is_terminal;
    arena_init(&cli.arena);
    arena_init(&cli.scratch);
    buf_init(&cli.text, TEXT_MAX);
    code = cli_run_line(&cli, argc, argv, &fault);
    cli_close(&cli);
    result = finish(&cli, code, &fault);
    buf_clear(&cli.text);
    arena_clear(&cli.scratch);
    arena_clear(&cli.arena);
    return (int)result;
}
