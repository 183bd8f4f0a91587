/* tine files: what is in the directory of a session, now and at any message. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/file_word.h"
#include "cli/files_print.h"
#include "store/limits.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct option options[] = {
    {"at", "MSG", "as they were after this message", 0},
    {"deep", NULL, "also all that is below", 'r'},
    {NULL, NULL, NULL, 0},
};

static bool is(const char *type, const char *name)
{
    return strcmp(type, name) == 0;
}

/* "drwxr-xr-x" */
static void mode_write(const struct tine_file *file, char out[11])
{
    static const char letters[] = "rwxrwxrwx";
    unsigned long mode = file->mode ? strtoul(file->mode, NULL, 8) : 0777;

    memcpy(out, "?---------", 11);
    if (is(file->type, "left_out"))
        return;
    out[0] = '-';
    if (is(file->type, "dir"))
        out[0] = 'd';
    else if (is(file->type, "link"))
        out[0] = 'l';
    for (int i = 0; i < 9; i++)
        if (mode & (0400UL >> i))
            out[i + 1] = letters[i];
    for (int i = 0; i < 3; i++) { /* set-user-id, set-group-id, sticky */
        char *place = &out[3 + 3 * i];
        const char *pair = i < 2 ? "xsS" : "xtT";

        if (mode & (04000UL >> i))
            *place = pair[*place == pair[0] ? 1 : 2];
    }
}

static void print_mode(struct cli *cli, const struct tine_file *file)
{
    char text[11];

    mode_write(file, text);
    cli_style(cli, STYLE_DIM);
    cli_print(cli, "%s", text);
    if (!is(file->type, "file"))
        cli_print(cli, "  %10s  ", "-");
    else
        cli_print(cli, "  %10" PRId64 "  ", file->size);
    cli_style(cli, STYLE_PLAIN);
}

static const char *reason_words(const char *reason)
{
    static const char *const words[][2] = {
        {"size", "too large to be kept"}, {"special", "no file, directory or link"},
        {"depth", "too deep to be kept"}, {"unreadable", "cannot be read"},
        {"mount", "another file system"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (is(reason, words[i][0]))
            return words[i][1];
    return reason;
}

static void print_file(struct cli *cli, const struct tine_file *file)
{
    bool is_dir = is(file->type, "dir");
    size_t from = cli->text.n;

    print_mode(cli, file);
    if (is_dir)
        cli_style(cli, STYLE_NAME);
    cli_print_line(cli, str_of(file->name), 0);
    if (is_dir) {
        cli_print(cli, "/");
        cli_style(cli, STYLE_PLAIN);
    }
    if (file->target) {
        cli_print(cli, " -> ");
        cli_print_line(cli, str_of(file->target), 0);
    }
    if (file->reason) {
        cli_style(cli, STYLE_WARN);
        cli_print(cli, "  (%s)", reason_words(file->reason));
        cli_style(cli, STYLE_PLAIN);
    }
    term_fit(&cli->term, &cli->text, from);
    cli_print(cli, "\n");
}

static enum fault_code page_write(struct cli *cli, const struct tine_result *page,
                                  struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; !code && i < page->file_count; i++) {
        if (cli->as_json)
            json_out_raw(&cli->json, NULL, str_of(page->files[i].json));
        else
            print_file(cli, &page->files[i]);
        code = cli_flush_some(cli, fault);
    }
    return code;
}

/* What is true of the whole list, kept from its first page. */
struct listing {
    struct tine_files_options spec;
    bool begun, is_empty;
    struct str tree;
    int64_t left_out;
};

static enum fault_code list_write(struct cli *cli, const char *session, struct listing *list,
                                  struct fault *fault)
{
    struct tine_pages pages = {0};
    struct tine_error error;
    enum fault_code code = FAULT_OK;

    while (!code && tine_pages_next(&pages, &list->spec.cursor)) {
        if (!tine_files(cli->tine, session, &list->spec, &pages.page, &error)) {
            code = cli_fault(&error, fault);
            break;
        }
        if (!list->begun) {
            list->left_out = pages.page->left_out;
            list->is_empty = pages.page->file_count == 0;
            list->tree =
                pages.page->tree ? arena_dup(&cli->arena, str_of(pages.page->tree)) : STR_NONE;
        }
        list->begun = true;
        code = page_write(cli, pages.page, fault);
    }
    tine_pages_end(&pages);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct listing list = {.spec = {.part = true, .limit = LIMIT_PAGE}};
    const struct tine_session *session;
    enum fault_code code = file_word_at(cli, "at", &list.spec.at, fault);

    if (!code && cli->args.word_count > 1)
        code = file_word_path(cli, cli->args.words[1], &list.spec.path, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (!code && !list.spec.at)
        code = files_record(cli, session, fault);
    if (code)
        return code;
    list.spec.deep = args_has(&cli->args, "deep");
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "files");
    }
    code = list_write(cli, session->id, &list, fault);
    if (code)
        return code;
    if (list.is_empty)
        cli_tell(cli, "there are no files%s", list.spec.path || list.spec.at ? " there" : "");
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        json_out_name(&cli->json, "tree", list.tree);
        json_out_int(&cli->json, "left_out", list.left_out);
        json_out_object_end(&cli->json);
    }
    return FAULT_OK;
}

const struct command command_files = {
    .name = "files",
    .purpose = "list the files of a session, now or as they were at any message",
    .words = "SESSION [PATH]",
    .words_min = 1,
    .words_max = 2,
    .options = options,
    .notes =
        "Shows mode, bytes and name. What was too large to be kept, or is no file, directory or\n"
        "link, is listed with the reason. What the ignore rules name is not listed.\n",
    .examples = "  tine files demo\n"
                "  tine files demo src --deep --at '#3'\n",
    .run = run,
};
