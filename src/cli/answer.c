/* tine answer: answers a turn that waits. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "store/limits.h"

static const struct option options[] = {
    {"always", "SCOPE", "the yes holds from now on: for this tool, or the whole session", 0},
    {"id", "ID", "of what is answered (else whatever the turn asks)", 0},
    {NULL, NULL, NULL, 0},
};

/* The words behind the yes or no; NULL: none. */
static enum fault_code text_read(struct cli *cli, const char **out, struct fault *fault)
{
    const char **words = cli->args.words + 2;
    size_t count = cli->args.word_count - 2;
    struct buf text;

    buf_init(&text, LIMIT_ANSWER_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_add_char(&text, ' ');
        buf_add_text(&text, words[i]);
    }
    *out = count ? arena_dup(&cli->arena, buf_str(&text)).p : NULL;
    buf_clear(&text);
    if (*out && !utf8_valid(str_of(*out)))
        return fault_set(fault, FAULT_INVALID, "the text is not valid UTF-8");
    return FAULT_OK;
}

static enum fault_code spec_read(struct cli *cli, struct tine_answer_options *out,
                                 struct fault *fault)
{
    const char *word = cli->args.words[1], *always = args_value(&cli->args, "always");

    out->approve = strcmp(word, "yes") == 0;
    if (!out->approve && strcmp(word, "no") != 0)
        return cli_usage(cli, fault, "the answer must be yes or no");
    if (always && strcmp(always, "tool") != 0 && strcmp(always, "session") != 0)
        return cli_usage(cli, fault, "--always must be tool or session");
    if (always && !out->approve)
        return cli_usage(cli, fault, "--always goes with yes only");
    out->always = always;
    if (cli_word_option(cli, "id", &out->id, fault) != FAULT_OK)
        return fault_pass(fault);
    return text_read(cli, &out->text, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_answer_options spec = {0};
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;

    if (spec_read(cli, &spec, fault) != FAULT_OK ||
        cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tine_answer(cli->tine, session->id, &spec, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else
        cli_print(cli, "%s\n", session->id);
    return FAULT_OK;
}

const struct command command_answer = {
    .name = "answer",
    .purpose = "answer a turn that waits; prints the session's id",
    .words = "SESSION yes|no [TEXT…]",
    .words_min = 2,
    .words_max = -1,
    .options = options,
    .notes = "A turn waits when it asks whether a tool may be run, or asks something. TEXT is the\n"
             "reason of a no, which the agent is told, or the answer to a question. When no turn\n"
             "waits, that is a conflict.\n",
    .examples = "  tine answer demo yes\n"
                "  tine answer demo yes --always tool\n"
                "  tine answer demo no 'not on a Friday'\n",
    .run = run,
};
