/* tine events: what happens, as it happens. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/message_print.h"

#include <inttypes.h>

static const struct option options[] = {
    {"since", "EVENT", "begin after this event (else: with what comes now)", 0},
    {"types", "TYPES", "only these, with commas between: message.added,turn.", 0},
    {"limit", "N", "end after N events", 'n'},
    {NULL, NULL, NULL, 0},
};

struct watching {
    struct cli *cli;
    int64_t left; /* events until the end; 0: no end */
    enum fault_code code;
    struct fault fault;
};

static void write_event(struct cli *cli, const struct tine_event *event)
{
    struct json_out *out = &cli->json;

    json_out_init(out, &cli->text);
    json_out_object(out, NULL);
    json_out_name(out, "id", event->id ? str_of(event->id) : STR_NONE);
    json_out_string(out, "type", str_of(event->type));
    json_out_raw(out, "data", (struct str){event->data, event->data_bytes});
    json_out_object_end(out);
    cli_print(cli, "\n");
}

/* What the event is about; nothing when its type says it all. */
static void print_about(struct cli *cli, const struct tine_event *event)
{
    if (event->message) {
        cli_print(cli,
                  "  %s: ", event->message->role ? event->message->role : event->message->kind);
        message_print_start(cli, event->message, 0);
    } else if (event->text) {
        cli_print(cli, "  ");
        message_print_words(cli, (struct str){event->text, event->text_bytes}, 0);
    } else if (event->turn_state) {
        cli_print(cli, "  %s", event->turn_state);
        if (event->reason) {
            cli_print(cli, ": ");
            message_print_words(cli, str_of(event->reason), 0);
        }
    }
}

static void print_event(struct cli *cli, const struct tine_event *event)
{
    size_t from = cli->text.n;

    cli_style(cli, STYLE_DIM);
    cli_print(cli, "%6s  ", event->id ? event->id : "-");
    cli_style(cli, STYLE_GOOD);
    cli_print(cli, "%-16s", event->type);
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "  %.*s", STR_ARG(cli_short_id(str_of(event->session ? event->session : "-"))));
    cli_style(cli, STYLE_PLAIN);
    print_about(cli, event);
    term_fit(&cli->term, &cli->text, from);
    cli_print(cli, "\n");
}

static bool on_event(void *context, const struct tine_event *event)
{
    struct watching *watching = context;
    struct cli *cli = watching->cli;

    if (cli->as_json)
        write_event(cli, event);
    else
        print_event(cli, event);
    watching->code = cli_flush(cli, &watching->fault); /* whoever reads it waits for it */
    return !watching->code && (watching->left == 0 || --watching->left > 0);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct watching watching = {.cli = cli};
    struct tine_events_options spec = {.on_event = on_event, .context = &watching};
    const struct tine_session *session = NULL;
    struct tine_error error;
    int64_t since;
    enum fault_code code = cli_int_option(cli, "limit", 1, INT64_MAX, 0, &watching.left, fault);

    if (!code)
        code = cli_int_option(cli, "since", 0, INT64_MAX, 0, &since, fault);
    if (!code)
        code = cli_word_option(cli, "types", &spec.types, fault);
    if (!code && cli->args.word_count)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (!code)
        code = cli_connect(cli, fault);
    if (code)
        return code;
    spec.session = session ? session->id : NULL;
    spec.since = args_value(&cli->args, "since");
    cli_catch_signals();
    if (tine_events(cli->tine, &spec, &error) || cli_was_signalled()) {
        *fault = watching.fault;
        return watching.code;
    }
    return cli_fault(&error, fault);
}

const struct command command_events = {
    .name = "events",
    .purpose = "show what happens in a session, or in all, while it happens",
    .words = "[SESSION]",
    .words_max = 1,
    .options = options,
    .notes =
        "Until Ctrl-C; when the server goes away, it waits for it and goes on where it was. A\n"
        "line shows the event's number, its type, its session and what it is about. With --json\n"
        "each line is an object with \"id\", \"type\" and \"data\".\n",
    .examples = "  tine events demo\n"
                "  tine events --since 0 --types session. --limit 10\n",
    .run = run,
};
