/* tine cat: a file of a session, now and at any message. */
#include "base/base64.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/file_word.h"

static const struct option options[] = {
    {"at", "MSG", "as it was after this message; then an @ belongs to the path", 0},
    {NULL, NULL, NULL, 0},
};

enum { BASE64_MAX = 1 << 28 };

static void write_json(struct cli *cli, const char *session, const char *path, const char *at,
                       struct str content)
{
    struct json_out *out = &cli->json;
    struct buf text;

    json_out_object(out, NULL);
    json_out_string(out, "session", str_of(session));
    json_out_string(out, "path", cli_valid(cli, path));
    json_out_name(out, "at", at ? str_of(at) : STR_NONE);
    json_out_int(out, "size", (int64_t)content.n);
    if (utf8_valid(content)) {
        json_out_string(out, "text", content);
    } else {
        buf_init(&text, BASE64_MAX);
        base64_add(&text, content);
        json_out_string(out, "bytes", buf_str(&text));
        buf_clear(&text);
    }
    json_out_object_end(out);
}

/*
 * As it is; on a terminal what could change it is shown as an escape, but for line feeds and tabs.
 */
static void write_text(struct cli *cli, struct str content)
{
    size_t at = 0;

    if (!cli->term.is_terminal) {
        buf_add_str(&cli->text, content);
        return;
    }
    while (at < content.n) {
        size_t end = at;

        while (end < content.n && content.p[end] != '\n' && content.p[end] != '\t')
            end++;
        cli_print_line(cli, (struct str){content.p + at, end - at}, 0);
        if (end < content.n)
            buf_add_char(&cli->text, content.p[end]);
        at = end + 1;
    }
    if (content.n && content.p[content.n - 1] != '\n')
        buf_add_char(&cli->text, '\n'); /* what follows has a line of its own */
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const struct tine_session *session;
    const char *rest, *path, *at;
    struct tine_result *result;
    struct tine_error error;
    struct str content;
    enum fault_code code = file_word_session(cli, cli->args.words[0], &session, &rest, fault);

    if (!code)
        code = file_word_place(cli, rest, &path, &at, fault);
    if (code)
        return code;
    if (!tine_file_read(cli->tine, session->id, path, at, true, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    content = (struct str){result->content, result->content_bytes};
    if (cli->as_json)
        write_json(cli, session->id, path, at, content);
    else
        write_text(cli, content);
    return FAULT_OK;
}

const struct command command_cat = {
    .name = "cat",
    .purpose = "print a file of a session, now or as it was at any message",
    .words = "SESSION:PATH[@MSG]",
    .words_min = 1,
    .words_max = 1,
    .options = options,
    .notes =
        "Without a message it is the file in the session's directory now. Nothing is restored.\n"
        "Of a link it prints where it leads. With --json a file that is no text is in base64.\n",
    .examples = "  tine cat demo:src/main.c\n"
                "  tine cat demo:src/main.c@#3 >old.c\n"
                "  tine cat demo:src/main.c@@plan\n",
    .run = run,
};
