/* tine verify: is everything as it was written? */
#include "cli/commands.h"
#include "cli/progress.h"

#include <inttypes.h>

struct finding {
    struct progress progress; /* first: the store hands the same context to both visits */
    int64_t count;
};

static void problem(void *context, const char *message)
{
    struct finding *finding = context;
    struct cli *cli = finding->progress.cli;

    finding->count++;
    if (cli->as_json)
        json_out_string(&cli->json, NULL, str_of(message));
    else
        cli_print(cli, "%s\n", message);
}

static void verify_step(void *context, const char *step, int64_t done, int64_t total)
{
    struct finding *finding = context;

    progress_step(&finding->progress, step, done, total);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct finding finding = {0};
    struct verify_result result;
    enum fault_code code = cli_open(cli, fault);

    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "problems");
    }
    progress_begin(&finding.progress, cli);
    code = store_verify(cli->store, problem, verify_step, &finding, &result, fault);
    progress_end(&finding.progress);
    if (code)
        return code;
    cli->found_wrong = result.problems > 0 || finding.count > 0;
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        json_out_int(&cli->json, "sessions", result.sessions);
        json_out_int(&cli->json, "entries", result.entries);
        json_out_object_end(&cli->json);
        return FAULT_OK;
    }
    cli_print_count(cli, result.sessions, "session");
    cli_print(cli, ", ");
    cli_print(cli, "%" PRId64 " %s, ", result.entries, result.entries == 1 ? "entry" : "entries");
    cli_print_count(cli, result.problems, "problem");
    cli_print(cli, "\n");
    return FAULT_OK;
}

const struct command command_verify = {
    .name = "verify",
    .purpose = "compute every hash and sum again and say what does not agree",
    .words = "",
    .notes = "Changes nothing. The exit code is 1 when something is wrong.\n",
    .examples = "  tine verify && echo all is well\n",
    .run = run,
};
