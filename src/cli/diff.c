/* tine diff: two places of a family side by side, messages and files. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/file_word.h"
#include "cli/files_print.h"
#include "cli/message_print.h"
#include "store/limits.h"

#include <inttypes.h>

static const struct option options[] = {
    {"at", "MSG", "the place in SESSION (else now)", 0},
    {"with-at", "MSG", "the place in OTHER (else now)", 0},
    {"stat", NULL, "only which files, and how many lines", 0},
    {"messages", NULL, "only messages", 0},
    {"files", NULL, "only files", 0},
    {NULL, NULL, NULL, 0},
};

struct side {
    const struct tine_session *session;
    const char *at; /* NULL: now */
};

/* ---- messages ---- */

static void print_place(struct cli *cli, const struct side *side)
{
    cli_style(cli, STYLE_BOLD);
    cli_print_line(cli, cli_title(str_of(side->session->title)), 0);
    cli_style(cli, STYLE_PLAIN);
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "  %.*s", STR_ARG(cli_short_id(str_of(side->session->id))));
    cli_style(cli, STYLE_PLAIN);
    if (side->at)
        cli_print(cli, " at %s", side->at);
}

static void print_message(struct cli *cli, char sign, const struct tine_message *message)
{
    size_t from = cli->text.n;

    cli_style(cli, sign == '+' ? STYLE_GOOD : STYLE_GONE);
    cli_print(cli, "%c #%" PRId64 " %s", sign, message->index,
              message->role ? message->role : message->kind);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    message_print_start(cli, message, 0);
    term_fit(&cli->term, &cli->text, from);
    cli_print(cli, "\n");
}

static void print_side(struct cli *cli, char sign, const struct side *side,
                       const struct tine_message *messages, size_t count, bool more)
{
    size_t from = cli->text.n;

    if (count == 0)
        return;
    cli_print(cli, "%s ", sign == '+' ? "+++" : "---");
    print_place(cli, side);
    term_fit(&cli->term, &cli->text, from);
    cli_print(cli, "\n");
    for (size_t i = 0; i < count; i++)
        print_message(cli, sign, &messages[i]);
    if (more)
        cli_print(cli, "%c and more\n", sign);
}

static void print_messages(struct cli *cli, const struct side sides[2],
                           const struct tine_result *result)
{
    cli_print_count(cli, result->shared, "message");
    cli_print(cli, " in common\n");
    print_side(cli, '-', &sides[0], result->left, result->left_count, result->left_more);
    print_side(cli, '+', &sides[1], result->right, result->right_count, result->right_more);
}

/* ---- files ---- */

static char status_letter(const char *status)
{
    switch (*status) {
    case 'a':
        return 'A';
    case 'd':
        return 'D';
    case 't':
        return 'T';
    default:
        return 'M';
    }
}

static void print_stat(struct cli *cli, const struct tine_file *file)
{
    char letter = status_letter(file->status);
    size_t from = cli->text.n;

    cli_style(cli, letter == 'A' ? STYLE_GOOD : letter == 'D' ? STYLE_GONE : STYLE_WARN);
    cli_print(cli, "%c", letter);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_print_line(cli, str_of(file->name), 0);
    cli_print(cli, "%s  ", strcmp(file->type, "dir") == 0 ? "/" : "");
    if (file->binary)
        cli_print(cli, "(binary)");
    else if (strcmp(file->status, "mode") == 0)
        cli_print(cli, "(mode)");
    else if (file->additions || file->deletions)
        cli_print(cli, "+%" PRId64 " -%" PRId64, file->additions, file->deletions);
    term_fit(&cli->term, &cli->text, from);
    while (cli->text.n > from && cli->text.p[cli->text.n - 1] == ' ')
        cli->text.p[--cli->text.n] = '\0';
    cli_print(cli, "\n");
}

static enum term_style line_style(struct str line, bool in_hunk)
{
    if (!in_hunk)
        return STYLE_BOLD;
    switch (line.p[0]) {
    case '+':
        return STYLE_GOOD;
    case '-':
        return STYLE_GONE;
    case '@':
        return STYLE_NAME;
    default:
        return STYLE_PLAIN;
    }
}

/* A line on a terminal: tabs stay, whatever else is unsafe is escaped. */
static void print_line(struct cli *cli, struct str line, enum term_style style)
{
    cli_style(cli, style);
    for (size_t at = 0; at < line.n;) {
        const char *tab = memchr(line.p + at, '\t', line.n - at);
        size_t end = tab ? (size_t)(tab - line.p) : line.n;

        cli_print_line(cli, (struct str){line.p + at, end - at}, 0);
        if (tab)
            cli_print(cli, "\t");
        at = end + 1;
    }
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
}

/* As it is, so that patch and git apply take it; on a terminal coloured, and made safe. */
static void print_patch(struct cli *cli, const struct tine_file *file)
{
    struct str patch = {file->patch, file->patch_bytes};
    bool in_hunk = false;

    if (!cli->term.is_terminal) {
        buf_add_str(&cli->text, patch);
        return;
    }
    for (size_t at = 0; at < patch.n;) {
        const char *feed = memchr(patch.p + at, '\n', patch.n - at);
        size_t end = feed ? (size_t)(feed - patch.p) : patch.n;
        struct str line = {patch.p + at, end - at};

        in_hunk = in_hunk || str_starts(line, STR("@@"));
        print_line(cli, line, line_style(line, in_hunk && line.n));
        at = end + 1;
    }
}

static enum fault_code print_files(struct cli *cli, const struct tine_result *result, bool patches,
                                   struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    if (result->file_count == 0) {
        cli_print(cli, "no file differs\n");
        return FAULT_OK;
    }
    for (size_t i = 0; !code && i < result->file_count; i++) {
        print_stat(cli, &result->files[i]);
        code = cli_flush_some(cli, fault);
    }
    if (result->files_more)
        cli_print(cli, "and more files; compare nearer places to see them\n");
    for (size_t i = 0; !code && patches && i < result->file_count; i++) {
        const struct tine_file *file = &result->files[i];

        if (file->patch)
            print_patch(cli, file);
        else if (file->too_long)
            cli_tell(cli, "%s is too long to be shown", file->name);
        code = cli_flush_some(cli, fault);
    }
    return code;
}

/* ---- what is compared ---- */

/* SESSION or SESSION@MSG; a title may have an at sign of its own. */
static enum fault_code side_read(struct cli *cli, const char *word, struct side *out,
                                 struct fault *fault)
{
    enum fault_code code = cli_session(cli, word, &out->session, fault);
    struct fault first = *fault;
    const char *start;

    if (code != FAULT_SESSION_NOT_FOUND || !strchr(word, '@') || out->at)
        return code;
    code = file_word_cut(cli, word, &start, &out->at, fault);
    if (!code && strcmp(start, word) == 0) {
        *fault = first;
        return first.code;
    }
    return code ? code : cli_session(cli, start, &out->session, fault);
}

static enum fault_code sides_read(struct cli *cli, struct side sides[2], struct fault *fault)
{
    enum fault_code code = file_word_at(cli, "at", &sides[0].at, fault);

    if (!code)
        code = file_word_at(cli, "with-at", &sides[1].at, fault);
    if (!code)
        code = side_read(cli, cli->args.words[0], &sides[0], fault);
    if (!code && cli->args.word_count > 1)
        code = side_read(cli, cli->args.words[1], &sides[1], fault);
    else if (!code)
        sides[1].session = sides[0].session;
    if (!code && cli->args.word_count == 1 && !sides[0].at)
        code = cli_usage(cli, fault, "with what? give another session, or SESSION@MSG");
    return code;
}

static enum fault_code now_record(struct cli *cli, const struct side sides[2], struct fault *fault)
{
    bool same = strcmp(sides[0].session->id, sides[1].session->id) == 0;
    enum fault_code code = FAULT_OK;

    if (!sides[0].at)
        code = files_record(cli, sides[0].session, fault);
    if (!code && !sides[1].at && !(same && !sides[0].at))
        code = files_record(cli, sides[1].session, fault);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    bool messages = args_has(&cli->args, "messages"), files = args_has(&cli->args, "files");
    bool patches = !args_has(&cli->args, "stat") && (files || !messages);
    struct side sides[2] = {{0}};
    struct tine_diff_options spec = {.part = true, .no_patches = !patches, .limit = LIMIT_PAGE};
    struct tine_result *result;
    struct tine_error error;
    enum fault_code code = sides_read(cli, sides, fault);

    if (!code && (files || !messages))
        code = now_record(cli, sides, fault);
    if (code)
        return code;
    spec.with = sides[1].session->id;
    spec.at = sides[0].at;
    spec.with_at = sides[1].at;
    if (!tine_diff(cli->tine, sides[0].session->id, &spec, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    if (messages || !files)
        print_messages(cli, sides, result);
    if (messages == files)
        cli_print(cli, "\n");
    return files || !messages ? print_files(cli, result, patches, fault) : FAULT_OK;
}

const struct command command_diff = {
    .name = "diff",
    .purpose = "compare two sessions of a family, or two places of one: messages and files",
    .words = "SESSION[@MSG] [OTHER[@MSG]]",
    .words_min = 1,
    .words_max = 2,
    .options = options,
    .notes =
        "Messages are shown from where the two part. Files are shown as the way from SESSION to\n"
        "OTHER, with patches that git apply takes. Without OTHER, SESSION@MSG is compared with\n"
        "SESSION now.\n",
    .examples = "  tine diff demo demo-bulk\n"
                "  tine diff demo@#3 demo@#5 --stat\n"
                "  tine diff demo --at @plan --files\n",
    .run = run,
};
