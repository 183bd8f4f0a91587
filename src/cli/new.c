/* tine new: a new session. */
#include "cli/commands.h"
#include "cli/context.h"
#include "dialect/native/message_in.h"
#include "dialect/native/object.h"
#include "store/limits.h"

static const struct option options[] = {
    {"title", "TITLE", "its title", 0},
    {"agent", "NS/NAME", "the agent it is with (tine/shell)", 0},
    {"metadata", "JSON", "an object that is kept with it", 0},
    {"limits", "JSON", "an object of limits that is kept with it", 0},
    {"state", "JSON", "its first state: an object of keys and values", 0},
    {"id", "ID", "its id (else one is made): at most 128 of A-Za-z0-9._:-", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code state_option(struct cli *cli, struct state *out, struct fault *fault)
{
    struct str json = STR_NONE;
    struct json_value object;
    enum fault_code code = cli_json_option(cli, "state", &json, fault);

    if (code || json.n == 0)
        return code;
    code = json_read(json, LIMIT_JSON_DEPTH, "--state", &object, fault);
    return code ? code : message_state(&object, "--state", &cli->arena, out, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct create_spec spec = {.agent = STR("tine/shell")};
    struct str agent = STR_NONE;
    struct session session;
    enum fault_code code = cli_text_option(cli, "title", &spec.title, fault);

    if (!code)
        code = cli_text_option(cli, "agent", &agent, fault);
    if (!code)
        code = cli_text_option(cli, "id", &spec.id, fault);
    if (!code)
        code = cli_json_option(cli, "metadata", &spec.metadata, fault);
    if (!code)
        code = cli_json_option(cli, "limits", &spec.limits, fault);
    if (!code)
        code = state_option(cli, &spec.state, fault);
    if (!code)
        code = cli_open(cli, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    if (agent.p)
        spec.agent = agent;
    code = engine_create(cli->engine, &spec, &cli->arena, &session, fault);
    if (code)
        return code;
    if (cli->as_json) {
        object_write_session(&cli->json, NULL, &session);
        return FAULT_OK;
    }
    cli_print(cli, "%.*s\n", STR_ARG(session.id));
    cli_tell(cli, "made \"%.*s\"; now: tine send %.*s --no-run 'hello'",
             STR_ARG(cli_title(session.title)), STR_ARG(cli_short_id(session.id)));
    return FAULT_OK;
}

const struct command command_new = {
    .name = "new",
    .purpose = "begin a session; prints its id",
    .words = "",
    .options = options,
    .examples = "  id=$(tine new --title 'Plan the trip')\n"
                "  tine new --agent acme/coder --state '{\"language\":\"en\"}'\n",
    .run = run,
};
