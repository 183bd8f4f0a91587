/* tine search: finds messages and titles by their words, everywhere or in one session. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "store/limits.h"

#include <inttypes.h>

static const struct option options[] = {
    {"limit", "N", "at most N hits (20)", 'n'},
    {"session", "SESSION", "only messages of this conversation, with their places", 0},
    {"before", "N", "with --session: those before place N, newest first", 0},
    {"after", "N", "with --session: those after place N (-1: all), oldest first", 0},
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

/* Everywhere: the session and its title; in one: the place. */
static void print_where(struct cli *cli, const struct tine_hit *hit)
{
    cli_style(cli, STYLE_NAME);
    if (hit->index >= 0)
        cli_print(cli, "#%" PRId64, hit->index);
    else
        cli_print(cli, "%.*s", STR_ARG(cli_short_id(str_of(hit->session))));
    cli_style(cli, STYLE_PLAIN);
    if (hit->index >= 0)
        return;
    cli_print(cli, "  ");
    cli_print_line(cli, cli_title(str_of(hit->title)), 60);
}

static void print_hit(struct cli *cli, const struct tine_hit *hit)
{
    print_where(cli, hit);
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

/* Where to begin in a session; `before` and `after` are room for the places. */
static enum fault_code places_read(struct cli *cli, struct tine_search_options *asked,
                                   int64_t *before, int64_t *after, struct fault *fault)
{
    bool within = args_has(&cli->args, "session");
    enum fault_code code = cli_int_option(cli, "before", 0, INT64_MAX, 0, before, fault);

    if (!code)
        code = cli_int_option(cli, "after", -1, INT64_MAX, 0, after, fault);
    if (code)
        return code;
    if (args_has(&cli->args, "before"))
        asked->before = before;
    if (args_has(&cli->args, "after"))
        asked->after = after;
    if (asked->before && asked->after)
        return cli_usage(cli, fault, "--before and --after do not go together");
    if (!within && (asked->before || asked->after))
        return cli_usage(cli, fault, "--%s goes only with --session",
                         asked->before ? "before" : "after");
    return FAULT_OK;
}

static void print_hits(struct cli *cli, const struct tine_result *result, bool up)
{
    for (size_t i = 0; i < result->hit_count; i++)
        print_hit(cli, &result->hits[i]);
    if (result->next_place >= 0)
        cli_tell(cli, "there may be more: --%s %" PRId64, up ? "after" : "before",
                 result->next_place);
    else if (result->hit_count == 0)
        cli_tell(cli, "nothing has all of these words; a star finds starts of words: 'trai*'");
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_search_options asked = {0};
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;
    struct str words;
    int64_t before, after;
    enum fault_code code = cli_int_option(cli, "limit", 1, LIMIT_PAGE, 20, &asked.limit, fault);

    if (!code)
        code = places_read(cli, &asked, &before, &after, fault);
    if (!code)
        code = words_join(cli, &words, fault);
    if (!code)
        code = cli_connect(cli, fault);
    if (!code && args_has(&cli->args, "session")) {
        code = cli_session(cli, args_value(&cli->args, "session"), &session, fault);
        asked.session = code ? NULL : session->id;
    }
    if (code)
        return code;
    asked.words = words.p;
    if (!tine_search(cli->tine, &asked, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else
        print_hits(cli, result, asked.after != NULL);
    return FAULT_OK;
}

const struct command command_search = {
    .name = "search",
    .purpose = "find messages and titles in all branches, or in one conversation",
    .words = "WORD…",
    .words_min = 1,
    .words_max = -1,
    .options = options,
    .notes =
        "All words must occur. \"Two words\" in double quotes are a phrase; a star at the end of\n"
        "a word finds all words that start so. What was rewound away is found too, but not with\n"
        "--session: that looks at the conversation as it is now.\n",
    .examples = "  tine search night train\n"
                "  tine search '\"night train\" Lisb*'\n"
                "  tine search train --session trip --after 10\n",
    .run = run,
};
