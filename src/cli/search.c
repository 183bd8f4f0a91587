/* tine search: finds messages and titles by their words. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "store/limits.h"

static const struct option options[] = {
    {"limit", "N", "at most N hits (20)", 'n'},
    {NULL, NULL, NULL, 0},
};

/* The snippet with its matches, which are counted in characters, set off. */
static void print_snippet(struct cli *cli, const struct tine_hit *hit)
{
    struct str snippet = str_of(hit->snippet);
    size_t from = 0, match = 0;
    int64_t place = 0;

    cli_print(cli, "   ");
    for (size_t at = 0; match < hit->match_count; place++) {
        if (place == hit->matches[match][0] || place == hit->matches[match][1]) {
            bool begins = place == hit->matches[match][0];

            cli_print_line(cli, (struct str){snippet.p + from, at - from}, 0);
            cli_style(cli, begins ? STYLE_BOLD : STYLE_PLAIN);
            from = at;
            match += !begins;
        }
        if (at >= snippet.n)
            break;
        utf8_next(snippet, &at);
    }
    cli_print_line(cli, (struct str){snippet.p + from, snippet.n - from}, 0);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
}

static void print_hit(struct cli *cli, const struct tine_hit *hit)
{
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "%.*s", STR_ARG(cli_short_id(str_of(hit->session))));
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_print_line(cli, cli_title(str_of(hit->title)), 60);
    if (hit->message) {
        cli_style(cli, STYLE_DIM);
        cli_print(cli, "  %s  %s", hit->role ? hit->role : "none", hit->message);
        cli_style(cli, STYLE_PLAIN);
    }
    cli_print(cli, "\n");
    if (hit->message)
        print_snippet(cli, hit);
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
    struct str words;
    struct tine_result *result;
    struct tine_error error;
    int64_t limit;
    enum fault_code code = cli_int_option(cli, "limit", 1, LIMIT_PAGE, 20, &limit, fault);

    if (!code)
        code = words_join(cli, &words, fault);
    if (!code)
        code = cli_connect(cli, fault);
    if (code)
        return code;
    if (!tine_search(cli->tine, words.p, limit, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    for (size_t i = 0; i < result->hit_count; i++)
        print_hit(cli, &result->hits[i]);
    if (result->hit_count == 0)
        cli_tell(cli, "nothing has all of these words; a star finds starts of words: 'trai*'");
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
