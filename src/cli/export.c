/* tine export: a family, or everything, as JSON lines. */
#include "cli/commands.h"
#include "cli/owner.h"
#include "cli/progress.h"
#include "dialect/native/log_out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

static const struct option options[] = {
    {"all", NULL, "every session of the user", 0},
    OPTION_USER,
    {"output", "FILE", "write into this new file (else to stdout)", 'o'},
    {NULL, NULL, NULL, 0},
};

struct exporting {
    struct cli *cli;
    FILE *file; /* NULL: the answer of the command */
    const char *path;
    struct log_out out;
    struct progress progress;
};

static enum fault_code write_bytes(void *context, struct str bytes, struct fault *fault)
{
    struct exporting *exporting = context;

    if (!exporting->file) {
        buf_add_str(&exporting->cli->text, bytes);
        return cli_flush_some(exporting->cli, fault);
    }
    if (fwrite(bytes.p, 1, bytes.n, exporting->file) != bytes.n)
        return fault_set(fault, FAULT_IO, "cannot write \"%s\": %s", exporting->path,
                         strerror(errno));
    return FAULT_OK;
}

static enum fault_code visit(void *context, const struct log_item *item, struct fault *fault)
{
    struct exporting *exporting = context;

    progress_step(&exporting->progress, "exporting", exporting->out.items, 0);
    return log_out_item(&exporting->out, item, fault);
}

static enum fault_code export_to(struct exporting *exporting, struct str session,
                                 struct fault *fault)
{
    struct cli *cli = exporting->cli;
    const char *user = args_value(&cli->args, "user");
    enum fault_code code;

    log_out_init(&exporting->out, write_bytes, exporting);
    progress_begin(&exporting->progress, cli);
    code = log_out_begin(&exporting->out, user ? str_of(user) : STR("local"),
                         engine_now_us(cli->engine), fault);
    if (!code)
        code = store_export(cli->store, cli->owner, session, visit, exporting, fault);
    if (!code)
        code = log_out_end(&exporting->out, fault);
    progress_end(&exporting->progress);
    log_out_clear(&exporting->out);
    return code;
}

/* The file is new, and it goes away again when it cannot be written whole. */
static enum fault_code export_to_file(struct exporting *exporting, struct str session,
                                      struct fault *fault)
{
    const char *path = exporting->path;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    enum fault_code code;

    if (fd < 0)
        return fault_set(fault, errno == EEXIST ? FAULT_EXISTS : FAULT_IO,
                         "cannot make the file \"%s\": %s", path, strerror(errno));
    exporting->file = fdopen(fd, "wb");
    if (!exporting->file) {
        close(fd);
        unlink(path);
        return fault_set(fault, FAULT_IO, "cannot write \"%s\": %s", path, strerror(errno));
    }
    code = export_to(exporting, session, fault);
    if (!code && (fflush(exporting->file) != 0 || fsync(fd) != 0))
        code = fault_set(fault, FAULT_IO, "cannot write \"%s\": %s", path, strerror(errno));
    if (fclose(exporting->file) != 0 && !code)
        code = fault_set(fault, FAULT_IO, "cannot write \"%s\": %s", path, strerror(errno));
    if (code)
        unlink(path);
    return code;
}

static void answer(struct cli *cli, const struct exporting *exporting)
{
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "path", cli_valid(cli, exporting->path));
        json_out_int(&cli->json, "sessions", exporting->out.sessions);
        json_out_int(&cli->json, "items", exporting->out.items);
        json_out_object_end(&cli->json);
    } else {
        cli_print(cli, "%s\n", exporting->path);
        cli_tell(cli, "%" PRId64 " sessions, %" PRId64 " items", exporting->out.sessions,
                 exporting->out.items);
    }
}

/* As cli_session, but in the store itself. */
static enum fault_code session_find(struct cli *cli, const char *word, struct session *out,
                                    struct fault *fault)
{
    if (cli_session_word(cli, word, fault) != FAULT_OK)
        return fault_pass(fault);
    return store_session_get(cli->store, cli->owner, str_of(word), true, &cli->arena, out, fault);
}

/* Nobody should take an export for whole from which others' sessions were left out. */
static enum fault_code all_check(struct cli *cli, struct fault *fault)
{
    int64_t others;

    if (args_has(&cli->args, "user"))
        return FAULT_OK;
    if (owner_others(cli, &others, fault) != FAULT_OK)
        return fault_pass(fault);
    if (others)
        return fault_set(fault, FAULT_INVALID,
                         "other users have %" PRId64 " sessions here: say whose to export with "
                         "--user NAME (tine user list shows them)",
                         others);
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct exporting exporting = {.cli = cli, .path = args_value(&cli->args, "output")};
    bool all = args_has(&cli->args, "all");
    struct session session = {0};
    enum fault_code code;

    if (all == (cli->args.word_count == 1))
        return cli_usage(cli, fault, "give a SESSION, or --all");
    code = cli_open(cli, fault);
    if (!code)
        code = owner_choose(cli, false, fault);
    if (!code && all)
        code = all_check(cli, fault);
    if (!code && !all)
        code = session_find(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    if (!exporting.path)
        return export_to(&exporting, session.id, fault);
    code = export_to_file(&exporting, session.id, fault);
    if (!code)
        answer(cli, &exporting);
    return code;
}

const struct command command_export = {
    .name = "export",
    .purpose = "write the family of a session, or everything, as JSON lines",
    .words = "[SESSION]",
    .words_max = 1,
    .options = options,
    .notes = "Nothing is left out: messages, what was rewound away, labels, the journal, and the\n"
             "hashes that vouch for them. tine import takes it in again, here or elsewhere.\n",
    .examples = "  tine export demo -o demo.jsonl\n"
                "  tine export --all | zstd > all.jsonl.zst\n",
    .run = run,
};
