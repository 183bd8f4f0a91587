/* tine demo: lays out an example family, by running the commands that a person would. */
#include "cli/demo.h"

#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/demo_steps.h"
#include "cli/nested.h"

#include <limits.h>
#include <stdlib.h>

static const struct option options[] = {
    {"tour", NULL, "show each step, what it does and the tree it makes", 0},
    {NULL, NULL, NULL, 0},
};

/* A word as it would be typed into a shell. */
static void print_word(struct cli *cli, const char *word)
{
    bool plain = *word != '\0' && *word != '#' && !strpbrk(word, " \"'$*`\\|&;<>(){}[]~");

    cli_print(cli, plain ? " %s" : " '%s'", word);
}

static void print_step(struct cli *cli, const struct demo_step *step)
{
    if (step->say) {
        cli_print(cli, "\n");
        cli_style(cli, STYLE_BOLD);
        cli_print(cli, "%s", step->say);
        cli_style(cli, STYLE_PLAIN);
        cli_print(cli, "\n");
    }
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "$ tine");
    for (int i = 0; step->words[i]; i++)
        print_word(cli, step->words[i]);
    cli_print(cli, step->input ? " <<'EOF'\n%s\nEOF" : "%s", step->input ? step->input : "");
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
}

/* Runs the step's command line as if it had been typed; its answer is added to cli->text. */
static enum fault_code step_run(struct cli *cli, const struct demo_step *step, struct fault *fault)
{
    struct cli outer = *cli;
    char *argv[DEMO_WORDS_MAX + 2] = {(char *)"tine"};
    enum fault_code code;
    int argc = 1;

    while (step->words[argc - 1]) {
        argv[argc] = (char *)step->words[argc - 1];
        argc++;
    }
    if (step->input) {
        cli->in = fmemopen((char *)step->input, strlen(step->input), "r");
        if (!cli->in)
            abort();
    }
    cli->told = false;
    cli->as_json = false;
    code = cli_run_line(cli, argc, argv, fault);
    if (step->input)
        fclose(cli->in);
    cli->in = outer.in;
    cli->told = outer.told;
    cli->as_json = outer.as_json;
    cli->json = outer.json;
    cli->command = outer.command;
    cli->args = outer.args;
    return code;
}

/* One step without a word. */
static enum fault_code step_run_silently(struct cli *cli, const struct demo_step *step,
                                         struct fault *fault)
{
    struct buf kept = cli->text;
    enum fault_code code;

    buf_init(&cli->text, kept.max);
    code = step_run(cli, step, fault);
    buf_clear(&cli->text);
    cli->text = kept;
    return code;
}

static enum fault_code step_run_aloud(struct cli *cli, const struct demo_step *step,
                                      struct fault *fault)
{
    enum fault_code code;

    print_step(cli, step);
    code = step_run(cli, step, fault);
    if (!code && cli_flush(cli, fault) != FAULT_OK)
        buf_reset(&cli->text); /* nobody reads on: the family is made whole all the same */
    return code;
}

static enum fault_code steps_run(struct cli *cli, bool tour, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (const struct demo_step *step = demo_steps; !code && step->words[0]; step++) {
        if (tour && !cli->out_error)
            code = step_run_aloud(cli, step, fault);
        else if (!step->only_tour)
            code = step_run_silently(cli, step, fault);
    }
    return code;
}

enum fault_code demo_furnish(struct cli *cli, struct fault *fault)
{
    enum fault_code code;

    cli->at_home = true;
    code = cli_connect(cli, fault);
    if (!code)
        code = steps_run(cli, false, fault);
    cli_close(cli);
    cli->at_home = false;
    return code;
}

/* How to go on; with the home, when it is not the one that is found without being named. */
static void print_end(struct cli *cli)
{
    const char *home = args_value(&cli->args, "home");
    char path[PATH_MAX];

    cli_print(cli, "\nGo on with\n"
                   "  tine tree demo\n"
                   "  tine show demo\n"
                   "  tine fork demo --before -1 --title 'Another way'\n"
                   "  tine undo demo\n"
                   "  tine help\n");
    home = home ? home : getenv("TINE_HOME");
    if (home && realpath(home, path))
        cli_print(cli, "in this home: export TINE_HOME='%s'\n", path);
}

static enum fault_code already_there(struct cli *cli, bool tour, struct fault *fault)
{
    static const struct demo_step tree = {
        .say = "The example family is here already:",
        .words = {"tree", DEMO_ROOT, "--rewound"},
    };

    if (!tour) {
        cli_print(cli, "%s\n", DEMO_ROOT);
        cli_tell(cli, "the example family is here already: tine tree " DEMO_ROOT);
        return FAULT_OK;
    }
    print_step(cli, &tree);
    return step_run(cli, &tree, fault);
}

/* Is the first session of the family there? */
static enum fault_code look(struct cli *cli, bool *found, struct fault *fault)
{
    struct tine_error error;

    *found = tine_session(cli->tine, DEMO_ROOT, false, NULL, &error);
    if (*found || strcmp(error.code, fault_name(FAULT_SESSION_NOT_FOUND)) == 0)
        return FAULT_OK;
    return cli_fault(&error, fault);
}

static enum fault_code run_as_json(struct cli *cli, bool found, struct fault *fault)
{
    enum fault_code code = found ? FAULT_OK : steps_run(cli, false, fault);

    json_out_object(&cli->json, NULL);
    json_out_string(&cli->json, "session", STR(DEMO_ROOT));
    json_out_bool(&cli->json, "made", !found);
    json_out_object_end(&cli->json);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    bool tour = args_has(&cli->args, "tour") && !args_has(&cli->args, "json");
    bool found;
    enum fault_code code = cli_connect(cli, fault);

    if (!code)
        code = look(cli, &found, fault);
    if (code)
        return code;
    if (cli->as_json)
        return run_as_json(cli, found, fault);
    code = found ? already_there(cli, tour, fault) : steps_run(cli, tour, fault);
    if (code)
        return code;
    if (tour)
        print_end(cli);
    else if (!found) {
        cli_print(cli, "%s\n", DEMO_ROOT);
        cli_tell(cli, "made an example family: tine tree " DEMO_ROOT);
    }
    return FAULT_OK;
}

const struct command command_demo = {
    .name = "demo",
    .purpose = "lay out an example family of sessions; prints the id of the first",
    .words = "",
    .options = options,
    .notes = "Done once: when the session \"demo\" is there, nothing is changed. To be rid of it:\n"
             "tine rm demo, demo-transaction, demo-bulk and demo-strict.\n",
    .examples = "  tine demo --tour\n",
    .run = run,
};
