/* tine search: finds messages and titles by their words. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "dialect/native/object.h"
#include "store/limits.h"

static const struct option options[] = {
    {"limit", "N", "at most N hits (20)", 'n'},
    {NULL, NULL, NULL, 0},
};

struct results {
    struct cli *cli;
    int64_t count;
};

/* The snippet with its matches set off. */
static void print_snippet(struct cli *cli, struct str snippet)
{
    size_t from = 0;

    cli_print(cli, "   ");
    for (size_t i = 0; i <= snippet.n; i++) {
        if (i < snippet.n && snippet.p[i] != '\x02' && snippet.p[i] != '\x03')
            continue;
        cli_print_line(cli, (struct str){snippet.p + from, i - from}, 0);
        if (i < snippet.n)
            cli_style(cli, snippet.p[i] == '\x02' ? STYLE_BOLD : STYLE_PLAIN);
        from = i + 1;
    }
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
}

static enum fault_code visit(void *context, const struct hit *hit, struct fault *fault)
{
    struct results *results = context;
    struct cli *cli = results->cli;

    results->count++;
    if (cli->as_json) {
        object_write_hit(&cli->json, NULL, hit);
        return cli_flush_some(cli, fault);
    }
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "%.*s", STR_ARG(cli_short_id(hit->session)));
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_print_line(cli, cli_title(hit->title), 60);
    if (hit->message.n) {
        cli_style(cli, STYLE_DIM);
        cli_print(cli, "  %s  %.*s", object_role(hit->role), STR_ARG(hit->message));
        cli_style(cli, STYLE_PLAIN);
    }
    cli_print(cli, "\n");
    if (hit->message.n)
        print_snippet(cli, hit->snippet);
    return cli_flush_some(cli, fault);
}

static enum fault_code words_join(struct cli *cli, struct str *out, struct fault *fault)
{
    struct buf words;

    buf_init(&words, LIMIT_QUERY_BYTES);
    for (size_t i = 0; i < cli->args.word_count; i++) {
        if (i > 0)
            buf_add_char(&words, ' ');
        buf_add_text(&words, cli->args.words[i]);
    }
    *out = arena_dup(&cli->arena, buf_str(&words));
    if (words.full) {
        buf_clear(&words);
        return cli_usage(cli, fault, "the words have more than %d bytes", LIMIT_QUERY_BYTES);
    }
    buf_clear(&words);
    if (!utf8_valid(*out))
        return cli_usage(cli, fault, "the words are not valid UTF-8");
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct search_spec spec = {0};
    struct results results = {.cli = cli};
    enum fault_code code = cli_int_option(cli, "limit", 1, LIMIT_PAGE, 20, &spec.limit, fault);

    if (!code)
        code = words_join(cli, &spec.words, fault);
    if (!code)
        code = cli_open(cli, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "hits");
    }
    code = store_search(cli->store, &spec, visit, &results, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        json_out_object_end(&cli->json);
    } else if (results.count == 0) {
        cli_tell(cli, "nothing has all of these words; a star finds starts of words: 'trai*'");
    }
    return FAULT_OK;
}

const struct command command_search = {
    .name = "search",
    .purpose = "find messages and titles in all branches, newest first",
    .words = "WORD…",
    .words_min = 1,
    .words_max = -1,
    .options = options,
    .notes =
        "All words must occur. \"Two words\" in double quotes are a phrase; a star at the end of\n"
        "a word finds all words that start so. What was rewound away is found too.\n",
    .examples = "  tine search night train\n"
                "  tine search '\"night train\" Lisb*'\n",
    .run = run,
};
