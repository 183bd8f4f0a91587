/* tine label: bookmarks on messages. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/point_word.h"

#include <inttypes.h>

static const struct option options[] = {
    {"remove", NULL, "take the label of MSG away", 0},
    {NULL, NULL, NULL, 0},
};

static void print_label(struct cli *cli, const struct tine_label *label)
{
    cli_style(cli, STYLE_WARN);
    cli_print(cli, "@");
    cli_print_line(cli, str_of(label->label), 0);
    cli_style(cli, STYLE_PLAIN);
    if (label->index >= 0)
        cli_print(cli, "  #%" PRId64, label->index);
    cli_print(cli, "  %s%s\n", label->message, label->inherited ? "  (inherited)" : "");
}

static enum fault_code list(struct cli *cli, const struct tine_session *session,
                            struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (!tine_labels(cli->tine, session->id, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    for (size_t i = 0; i < result->label_count; i++)
        print_label(cli, &result->labels[i]);
    if (result->label_count == 0)
        cli_tell(cli, "no labels yet: tine label %.*s -1 'good idea'",
                 STR_ARG(cli_short_id(str_of(session->id))));
    return FAULT_OK;
}

/* `text` NULL: takes the label away. */
static enum fault_code set(struct cli *cli, const struct tine_session *session, const char *message,
                           const char *text, struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (!tine_label(cli->tine, session->id, message, true, text, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else
        cli_print(cli, "%s\n", result->label->message);
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    size_t count = cli->args.word_count;
    const char *text = count > 2 ? cli->args.words[2] : NULL;
    bool remove = args_has(&cli->args, "remove");
    const struct tine_session *session;
    struct fault inner;

    if (count == 1 ? remove : remove == (text != NULL))
        return cli_usage(cli, fault, "give a MSG, and either a TEXT or --remove");
    if (text && (!*text || !utf8_valid(str_of(text))))
        return cli_usage(cli, fault, "a label is a word or two, in UTF-8");
    if (count > 1 && point_word_check(cli->args.words[1], &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    if (cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (count == 1)
        return list(cli, session, fault);
    return set(cli, session, cli->args.words[1], text, fault);
}

const struct command command_label = {
    .name = "label",
    .purpose = "name a message, take the name away, or list the names",
    .words = "SESSION [MSG [TEXT]]",
    .words_min = 1,
    .words_max = 3,
    .options = options,
    .notes =
        "A name stands for one message of the session, and a message has one name. Where a MSG\n"
        "is asked for, @name is that message. Prints the message's id.\n",
    .examples = "  tine label demo '#3' plan\n"
                "  tine fork demo --after @plan\n"
                "  tine label demo @plan --remove\n",
    .run = run,
};
