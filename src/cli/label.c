/* tine label: bookmarks on messages. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/point_word.h"
#include "dialect/native/object.h"

#include <inttypes.h>

static const struct option options[] = {
    {"remove", NULL, "take the label of MSG away", 0},
    {NULL, NULL, NULL, 0},
};

struct listing {
    struct cli *cli;
    int64_t count;
};

static enum fault_code visit(void *context, const struct label *label, struct fault *fault)
{
    struct listing *listing = context;
    struct cli *cli = listing->cli;

    listing->count++;
    if (cli->as_json) {
        object_write_label(&cli->json, NULL, label);
        return cli_flush_some(cli, fault);
    }
    cli_style(cli, STYLE_WARN);
    cli_print(cli, "@");
    cli_print_line(cli, label->text, 0);
    cli_style(cli, STYLE_PLAIN);
    if (label->index >= 0)
        cli_print(cli, "  #%" PRId64, label->index);
    cli_print(cli, "  %.*s%s\n", STR_ARG(label->message), label->inherited ? "  (inherited)" : "");
    return cli_flush_some(cli, fault);
}

static enum fault_code list(struct cli *cli, const struct session *session, struct fault *fault)
{
    struct listing listing = {.cli = cli};
    enum fault_code code;

    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "labels");
    }
    code = store_labels(cli->store, cli->owner, session->id, visit, &listing, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        json_out_object_end(&cli->json);
    } else if (listing.count == 0) {
        cli_tell(cli, "no labels yet: tine label %.*s -1 'good idea'",
                 STR_ARG(cli_short_id(session->id)));
    }
    return FAULT_OK;
}

static enum fault_code set(struct cli *cli, struct label_spec *spec, struct fault *fault)
{
    struct label label;
    enum fault_code code = engine_label(cli->engine, spec, &cli->arena, &label, fault);

    if (code)
        return code;
    if (cli->as_json)
        object_write_label(&cli->json, NULL, &label);
    else
        cli_print(cli, "%.*s\n", STR_ARG(label.message));
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    size_t count = cli->args.word_count;
    const char *text = count > 2 ? cli->args.words[2] : NULL;
    bool remove = args_has(&cli->args, "remove");
    struct label_spec spec = {0};
    struct session session;
    struct fault inner;
    enum fault_code code;

    if (count == 1 ? remove : remove == (text != NULL))
        return cli_usage(cli, fault, "give a MSG, and either a TEXT or --remove");
    if (text && (!*text || !utf8_valid(str_of(text))))
        return cli_usage(cli, fault, "a label is a word or two, in UTF-8");
    if (count > 1 && point_word(cli->args.words[1], &spec.message, &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    code = cli_open(cli, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    if (count == 1)
        return list(cli, &session, fault);
    spec.owner = cli->owner;
    spec.session = session.id;
    spec.text = text ? str_of(text) : STR_NONE;
    return set(cli, &spec, fault);
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
