/* tine send: says something in a session, and shows the answer. */
#include "base/utf8.h"
#include "cli/reply_print.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/input.h"
#include "store/limits.h"
#include "json/json_in.h"

#include <unistd.h>

static const struct option options[] = {
    {"no-run", NULL, "only store it: nobody answers", 0},
    {"wait", NULL, "when a turn is running, wait for it to end (else it is a conflict)", 0},
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
            *out = arena_dup(&cli->arena, (struct str){out->p, out->n - 1});
    } else {
        buf_init(&joined, LIMIT_ENTRY_BYTES);
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buf_add_char(&joined, ' ');
            buf_add_text(&joined, words[i]);
        }
        *out = buf_take(&joined, &cli->arena);
    }
    if (!code && !utf8_valid(*out))
        return fault_set(fault, FAULT_INVALID, "the text is not valid UTF-8");
    if (!code && out->n == 0)
        return cli_usage(cli, fault, "the text is empty");
    return code;
}

static bool is_role(const char *name)
{
    static const char *const roles[] = {"user", "assistant", "tool", "system"};

    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (strcmp(name, roles[i]) == 0)
            return true;
    return false;
}

/* A body of JSON, so that a text may hold every character. */
static const char *text_body(struct cli *cli, struct str text)
{
    struct json_out out;
    struct buf body;
    const char *copy;

    buf_init(&body, 6 * text.n + 64);
    json_out_init(&out, &body);
    json_out_object(&out, NULL);
    json_out_string(&out, "text", text);
    json_out_object_end(&out);
    copy = arena_dup(&cli->arena, buf_str(&body)).p;
    buf_clear(&body);
    return copy;
}

static enum fault_code one_read(struct cli *cli, struct tine_send_options *out, struct fault *fault)
{
    const char *role = args_value(&cli->args, "role");
    struct str text = STR_NONE;
    enum fault_code code;

    if (role && !is_role(role))
        return cli_usage(cli, fault, "--role must be user, assistant, tool or system");
    code = text_read(cli, &text, fault);
    if (!code)
        code = cli_word_option(cli, "id", &out->id, fault);
    if (!code)
        code = cli_word_option(cli, "turn", &out->turn, fault);
    if (code)
        return code;
    out->role = role;
    out->turn = out->turn && *out->turn ? out->turn : NULL;
    out->id = out->id && *out->id ? out->id : NULL;
    if (text.n && memchr(text.p, '\0', text.n))
        out->json = text_body(cli, text);
    else
        out->text = text.p;
    return FAULT_OK;
}

static enum fault_code message_read_in(struct cli *cli, struct tine_send_options *out,
                                       struct fault *fault)
{
    const char *path = args_value(&cli->args, "input");
    struct json_value body;
    struct str bytes;

    if (!path)
        return one_read(cli, out, fault);
    if (cli->args.word_count > 1 || args_has(&cli->args, "role") || args_has(&cli->args, "id") ||
        args_has(&cli->args, "turn"))
        return cli_usage(cli, fault, "with --input, text, role, id and turn stand in the JSON");
    if (input_read(cli, path, LIMIT_BATCH_BYTES, &bytes, fault) != FAULT_OK ||
        json_read(bytes, LIMIT_JSON_DEPTH, "the message", &body, fault) != FAULT_OK)
        return fault_pass(fault);
    out->json = bytes.p;
    return FAULT_OK;
}

static void print_stored(struct cli *cli, const struct tine_result *result)
{
    for (size_t i = 0; i < result->message_count; i++)
        cli_print(cli, "%s\n", result->messages[i].id);
    if (result->repeated)
        cli_tell(cli, "it was there already, and is the same");
    else
        cli_tell(cli, "stored %zu message%s", result->message_count,
                 result->message_count == 1 ? "" : "s");
}

/* Ctrl-C: the turn ends, too, and what was said stays. */
static enum fault_code cancel(struct cli *cli, const char *session, struct fault *fault)
{
    struct tine_error error;

    cli_forget_signal();
    if (cli->err_term.is_terminal)
        fputc('\n', cli->err); /* after the ^C of the terminal */
    if (!tine_cancel(cli->tine, session, NULL, &error) &&
        strcmp(error.code, fault_name(FAULT_NO_TURN)) != 0)
        return cli_fault(&error, fault);
    return fault_set(fault, FAULT_INTERRUPTED, "interrupted; what was said so far is kept");
}

/* A turn that did not end well is a failure of the command, but what it said was said. */
static enum fault_code turn_end(struct cli *cli, const struct tine_result *result,
                                struct fault *fault)
{
    if (!result->turn_state || strcmp(result->turn_state, "done") == 0)
        return FAULT_OK;
    if (cli_flush(cli, fault) != FAULT_OK)
        return fault_pass(fault);
    if (strcmp(result->turn_state, "waiting") == 0)
        return fault_set(fault, FAULT_TURN_RUNNING,
                         "the turn waits for an answer: see tine answer");
    if (strcmp(result->turn_state, "cancelled") == 0)
        return fault_set(fault, FAULT_INTERRUPTED, "the turn was cancelled");
    return fault_set(fault, FAULT_AGENT_FAILED, "the turn failed: %s",
                     result->reason ? result->reason : "no reason is known");
}

static enum fault_code send(struct cli *cli, const char *session, struct tine_send_options *spec,
                            struct fault *fault)
{
    struct reply_print answer;
    struct tine_result *result;
    struct tine_error error;
    bool done;

    reply_print_init(&answer, cli);
    if (!cli->as_json) {
        spec->on_event = reply_print_event;
        spec->context = &answer;
    }
    cli_catch_signals();
    done = tine_send(cli->tine, session, spec, &result, &error);
    reply_print_end(&answer);
    if (!done && cli_was_signalled())
        return cancel(cli, session, fault);
    if (!done)
        return cli->out_error ? cli_flush(cli, fault) : cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else if (!result->turn)
        print_stored(cli, result);
    return turn_end(cli, result, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_send_options spec = {
        .store_only = args_has(&cli->args, "no-run"),
        .wait = args_has(&cli->args, "wait"),
    };
    const struct tine_session *session;
    enum fault_code code = cli_word_option(cli, "expect-head", &spec.expect_head, fault);

    if (!code && spec.store_only && spec.wait)
        code = cli_usage(cli, fault, "--no-run and --wait do not go together");
    if (!code)
        code = message_read_in(cli, &spec, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    return code ? code : send(cli, session->id, &spec, fault);
}

const struct command command_send = {
    .name = "send",
    .purpose = "say something in a session, and show the answer as it comes",
    .words = "SESSION [TEXT…|-]",
    .words_min = 1,
    .words_max = -1,
    .options = options,
    .notes =
        "TEXT is read from stdin when it is - or missing; the line feed at its end is dropped.\n"
        "The session's agent answers a message of the user, and its text goes to stdout; Ctrl-C\n"
        "stops it. What it asks before it runs a tool is asked on the terminal, or left to\n"
        "tine answer. With --no-run, and for other roles, the message is only stored, and its id\n"
        "is printed.\n"
        "--input takes the whole message as JSON: {\"text\"} or {\"parts\"}, with role, id,\n"
        "metadata, state, turn, usage and run beside it, or several as {\"messages\":[…]}, which\n"
        "are stored all or none, and answered when they say \"run\":true.\n",
    .examples = "  tine send demo 'Where do we change trains?'\n"
                "  git diff | tine send demo --no-run -\n"
                "  tine send demo --no-run --input turn.json\n",
    .run = run,
};
