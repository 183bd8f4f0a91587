/* tine send: appends messages to a session. */
#include "cli/commands.h"
#include "cli/input.h"
#include "dialect/native/message_in.h"
#include "dialect/native/object.h"
#include "base/utf8.h"
#include "store/limits.h"

#include <unistd.h>

static const struct option options[] = {
    {"no-run", NULL, "only store it; nothing here can answer yet", 0},
    {"role", "ROLE", "user (the default), assistant, tool or system", 0},
    {"id", "ID", "its id (else one is made); the same again is stored once", 0},
    {"turn", "TURN", "the turn it belongs to", 0},
    {"input", "FILE", "a message or {\"messages\":[…]} as JSON; -: from stdin", 0},
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {NULL, NULL, NULL, 0},
};

/* The text: the words of the line, or stdin without the line feed at its end. */
static enum fault_code text_read(struct cli *cli, struct str *out, struct fault *fault)
{
    const char **words = cli->args.words + 1;
    size_t count = cli->args.word_count - 1;
    struct buf joined;
    enum fault_code code = FAULT_OK;

    if (count == 0 && isatty(fileno(cli->in)))
        return cli_usage(cli, fault, "no text: write it, or - to read it from stdin");
    if (count == 0 || (count == 1 && strcmp(words[0], "-") == 0)) {
        code = input_read(cli, "-", LIMIT_ENTRY_BYTES, out, fault);
        if (!code && out->n && out->p[out->n - 1] == '\n')
            out->n--;
    } else {
        buf_init(&joined, LIMIT_ENTRY_BYTES);
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buf_add_char(&joined, ' ');
            buf_add_text(&joined, words[i]);
        }
        *out = arena_dup(&cli->arena, buf_str(&joined));
        buf_clear(&joined);
    }
    if (!code && !utf8_valid(*out))
        return fault_set(fault, FAULT_INVALID, "the text is not valid UTF-8");
    if (!code && out->n == 0)
        return cli_usage(cli, fault, "the text is empty");
    return code;
}

static enum fault_code one_read(struct cli *cli, struct message_batch *batch, struct fault *fault)
{
    const char *role_name = args_value(&cli->args, "role");
    enum role role = ROLE_USER;
    struct str text = STR_NONE, turn = STR_NONE;
    enum fault_code code;

    if (role_name && !message_role(str_of(role_name), &role))
        return cli_usage(cli, fault, "--role must be user, assistant, tool or system");
    code = text_read(cli, &text, fault);
    if (code)
        return code;
    batch->entries = arena_alloc(&cli->arena, sizeof(batch->entries[0]));
    batch->count = 1;
    batch->entries[0] = message_of_text(role, text, &cli->arena);
    code = cli_text_option(cli, "id", &batch->entries[0].id, fault);
    if (!code)
        code = cli_text_option(cli, "turn", &turn, fault);
    if (!code && turn.n) {
        batch->entries[0].turn = turn;
        batch->entries[0].turn_rule = TURN_NAMED;
    }
    return code;
}

static enum fault_code batch_read(struct cli *cli, struct message_batch *batch, struct fault *fault)
{
    const char *path = args_value(&cli->args, "input");
    struct str bytes;
    enum fault_code code;

    if (!path)
        return one_read(cli, batch, fault);
    if (cli->args.word_count > 1 || args_has(&cli->args, "role") || args_has(&cli->args, "id") ||
        args_has(&cli->args, "turn"))
        return cli_usage(cli, fault, "with --input, text, role, id and turn stand in the JSON");
    code = input_read(cli, path, LIMIT_BATCH_BYTES, &bytes, fault);
    return code ? code : message_read(bytes, &cli->arena, batch, fault);
}

static void answer(struct cli *cli, const struct append_result *result)
{
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "messages");
        for (size_t i = 0; i < result->count; i++)
            object_write_entry(&cli->json, NULL, &result->entries[i]);
        json_out_array_end(&cli->json);
        json_out_bool(&cli->json, "repeated", result->repeated);
        json_out_object_end(&cli->json);
        return;
    }
    for (size_t i = 0; i < result->count; i++)
        cli_print(cli, "%.*s\n", STR_ARG(result->entries[i].id));
    if (result->repeated)
        cli_tell(cli, "it was there already, and is the same");
    else
        cli_tell(cli, "stored %zu message%s", result->count, result->count == 1 ? "" : "s");
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct message_batch batch = {0};
    struct append_spec spec = {0};
    struct append_result result;
    struct session session;
    enum fault_code code = cli_text_option(cli, "expect-head", &spec.expect_head, fault);

    if (!code)
        code = batch_read(cli, &batch, fault);
    if (code)
        return code;
    if (batch.run == RUN_YES || (batch.run == RUN_NOT_SAID && !args_has(&cli->args, "no-run")))
        return cli_usage(cli, fault,
                         "nothing here can answer yet: --no-run stores the message only");
    code = cli_open(cli, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    spec.session = session.id;
    code =
        engine_append(cli->engine, &spec, batch.entries, batch.count, &cli->arena, &result, fault);
    if (!code)
        answer(cli, &result);
    return code;
}

const struct command command_send = {
    .name = "send",
    .purpose = "add a message to a session; prints its id",
    .words = "SESSION [TEXT…|-]",
    .words_min = 1,
    .words_max = -1,
    .options = options,
    .notes =
        "TEXT is read from stdin when it is - or missing; the line feed at its end is dropped.\n"
        "--input takes the whole message as JSON: {\"text\"} or {\"parts\"}, with role, id,\n"
        "metadata, state, turn and usage beside it, or several as {\"messages\":[…]}, which are\n"
        "stored all or none.\n",
    .examples = "  tine send demo --no-run 'Where do we change trains?'\n"
                "  git diff | tine send demo --no-run -\n"
                "  tine send demo --no-run --input turn.json\n",
    .run = run,
};
