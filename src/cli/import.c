/* tine import: takes in what tine export wrote. */
#include "cli/commands.h"
#include "cli/owner.h"
#include "cli/progress.h"
#include "dialect/native/log_in.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static const struct option options[] = {
    OPTION_USER,
    {NULL, NULL, NULL, 0},
};

struct importing {
    struct log_in in;
    struct progress progress;
    bool unread; /* a line could not be read; else a fault is the store's */
};

static enum fault_code next(void *context, struct log_item *item, bool *end, struct fault *fault)
{
    struct importing *importing = context;

    progress_step(&importing->progress, "importing", importing->in.items, 0);
    importing->unread = log_in_next(&importing->in, item, end, fault) != FAULT_OK;
    return importing->unread ? fault->code : FAULT_OK;
}

static void answer(struct cli *cli, const struct log_in *in)
{
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_int(&cli->json, "sessions", in->sessions);
        json_out_int(&cli->json, "items", in->items);
        json_out_object_end(&cli->json);
    } else {
        cli_print_count(cli, in->sessions, "session");
        cli_print(cli, ", ");
        cli_print_count(cli, in->items, "item");
        cli_print(cli, "\n");
    }
}

/* What the store refuses stands in the line that was read last. */
static enum fault_code name_line(const struct importing *importing, struct fault *fault)
{
    struct fault inner = *fault;

    if (importing->unread || fault_status(inner.code) >= 500)
        return inner.code;
    return fault_set(fault, inner.code, "line %" PRId64 ": %s", importing->in.number,
                     inner.message);
}

static enum fault_code import_from(struct cli *cli, FILE *file, struct fault *fault)
{
    struct importing importing = {.unread = false};
    enum fault_code code;

    log_in_init_file(&importing.in, file);
    progress_begin(&importing.progress, cli);
    code = store_import(cli->store, cli->owner, next, &importing, fault);
    progress_end(&importing.progress);
    if (code)
        code = name_line(&importing, fault);
    else
        answer(cli, &importing.in);
    log_in_clear(&importing.in);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const char *path = cli->args.word_count ? cli->args.words[0] : "-";
    bool from_stdin = strcmp(path, "-") == 0;
    enum fault_code code;
    FILE *file;

    if (cli->args.word_count == 0 && isatty(fileno(cli->in)))
        return cli_usage(cli, fault, "give a FILE, or - to read from stdin");
    file = from_stdin ? cli->in : fopen(path, "rb");
    if (!file)
        return fault_set(fault, FAULT_IO, "cannot open \"%s\": %s", path, strerror(errno));
    code = cli_open(cli, fault);
    if (!code)
        code = owner_choose(cli, true, fault);
    if (!code)
        code = import_from(cli, file, fault);
    if (!from_stdin)
        fclose(file);
    return code;
}

const struct command command_import = {
    .name = "import",
    .purpose = "take in what tine export wrote: all of it or nothing",
    .words = "[FILE|-]",
    .words_max = 1,
    .options = options,
    .notes = "Every hash is computed again and must agree, and a file that was cut or changed is\n"
             "refused. Sessions keep their ids, so one that is here already is refused, too.\n",
    .examples = "  tine import demo.jsonl\n"
                "  zstdcat all.jsonl.zst | tine --home elsewhere import -\n",
    .run = run,
};
