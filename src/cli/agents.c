/* tine agents: who there is to answer. */
#include "cli/commands.h"
#include "cli/connect.h"

static void print_agent(struct cli *cli, const struct tine_agent *agent)
{
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "%-24s", agent->id);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  %-8s", agent->kind);
    if (agent->model && *agent->model) {
        cli_print(cli, "  ");
        cli_print_line(cli, str_of(agent->model), 40);
    }
    if (agent->is_default) {
        cli_style(cli, STYLE_GOOD);
        cli_print(cli, "  (default)");
        cli_style(cli, STYLE_PLAIN);
    }
    if (*agent->description) {
        cli_style(cli, STYLE_DIM);
        cli_print(cli, "  ");
        cli_print_line(cli, str_of(agent->description), 60);
        cli_style(cli, STYLE_PLAIN);
    }
    cli_print(cli, "\n");
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const char *name = cli->args.word_count ? cli->args.words[0] : NULL;
    struct tine_result *result;
    struct tine_error error;

    if (name && !strchr(name, '/'))
        return cli_usage(cli, fault, "an agent is named as NS/NAME");
    if (cli_connect(cli, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!(name ? tine_agent(cli->tine, name, &result, &error)
               : tine_agents(cli->tine, &result, &error)))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    if (result->agent)
        print_agent(cli, result->agent);
    for (size_t i = 0; i < result->agent_count; i++)
        print_agent(cli, &result->agents[i]);
    return FAULT_OK;
}

const struct command command_agents = {
    .name = "agents",
    .purpose = "list the agents that can answer, or show one",
    .words = "[NS/NAME]",
    .words_max = 1,
    .notes =
        "A line shows the agent's name, its kind, its model, and whether a new session gets it\n"
        "when no other is named. --json shows all that is known of it.\n",
    .examples = "  tine agents\n"
                "  tine new --agent tine/shell\n",
    .run = run,
};
