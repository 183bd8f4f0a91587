#include "cli/files_print.h"

#include "cli/connect.h"
#include "client/conflict_words.h"

#include <inttypes.h>

enum { LIST_BYTES = 64 * 1024 * 1024 };

/* ---- what is in the way ---- */

static bool paths_have(const struct tine_paths *paths, const char *name)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->list[i], name) == 0)
            return true;
    return false;
}

/* A path may be told twice, for what is there and for what should be. */
static bool named_before(const struct tine_paths *paths, size_t at)
{
    struct tine_paths before = {.list = paths->list, .count = at};

    return paths_have(&before, paths->list[at]);
}

/* Why a path is in conflict; NULL: it is not. */
static const char *reason_of(const struct tine_result *result, const char *name)
{
    for (size_t i = 0; i < result->conflict_count; i++)
        if (strcmp(result->conflicts[i].name, name) == 0)
            return result->conflicts[i].reason;
    return paths_have(&result->report->conflicts, name) ? "foreign" : NULL;
}

/* ---- reports ---- */

static void print_path(struct cli *cli, const char *word, enum term_style style, const char *name,
                       const char *reason)
{
    size_t from = cli->text.n;

    cli_print(cli, "  ");
    cli_style(cli, style);
    cli_print(cli, "%-8s", word);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_print_line(cli, str_of(name), 0);
    if (reason) {
        cli_style(cli, STYLE_WARN);
        cli_print(cli, "  (conflict: ");
        cli_print_line(cli, str_of(conflict_words(reason)), 0);
        cli_print(cli, ")");
        cli_style(cli, STYLE_PLAIN);
    }
    term_fit(&cli->term, &cli->text, from);
    cli_print(cli, "\n");
}

static void print_more(struct cli *cli, const char *word, const struct tine_paths *paths)
{
    if (paths->more)
        cli_print(cli, "  %-8s  %" PRId64 " more\n", word, paths->more);
}

static void print_paths(struct cli *cli, const char *word, enum term_style style,
                        const struct tine_paths *paths, const struct tine_result *result)
{
    for (size_t i = 0; i < paths->count; i++)
        print_path(cli, word, style, paths->list[i], reason_of(result, paths->list[i]));
    print_more(cli, word, paths);
}

void files_print_report(struct cli *cli, const struct tine_result *result)
{
    const struct tine_files_report *report = result->report;

    if (!report)
        return;
    print_paths(cli, "write", STYLE_GOOD, &report->restored, result);
    print_paths(cli, "delete", STYLE_GONE, &report->deleted, result);
    for (size_t i = 0; i < report->conflicts.count; i++) {
        const char *name = report->conflicts.list[i];

        if (!paths_have(&report->restored, name) && !paths_have(&report->deleted, name))
            print_path(cli, "leave", STYLE_WARN, name, reason_of(result, name));
    }
    if (report->conflicts.more)
        cli_print(cli, "  %" PRId64 " more conflicts\n", report->conflicts.more);
    for (size_t i = 0; i < report->skipped.count; i++)
        if (!paths_have(&report->conflicts, report->skipped.list[i]) &&
            !named_before(&report->skipped, i))
            print_path(cli, "leave", STYLE_DIM, report->skipped.list[i], NULL);
    print_more(cli, "leave", &report->skipped);
}

static int64_t count_of(const struct tine_paths *paths)
{
    return (int64_t)paths->count + paths->more;
}

void files_add_counts(struct buf *out, const struct tine_files_report *report, const char *would)
{
    int64_t written = report ? count_of(&report->restored) : 0;
    int64_t deleted = report ? count_of(&report->deleted) : 0;

    if (written)
        buf_add_format(out, ", %" PRId64 " file%s %swritten", written, written == 1 ? "" : "s",
                       would);
    if (deleted && written)
        buf_add_format(out, ", %" PRId64 " deleted", deleted);
    else if (deleted)
        buf_add_format(out, ", %" PRId64 " file%s %sdeleted", deleted, deleted == 1 ? "" : "s",
                       would);
}

void files_warn_skipped(struct cli *cli, const struct tine_files_report *report)
{
    struct buf text;

    if (!report || cli->as_json || count_of(&report->skipped) == 0)
        return;
    buf_init(&text, LIST_BYTES);
    for (size_t i = 0; i < report->skipped.count; i++) {
        if (named_before(&report->skipped, i))
            continue;
        buf_add_format(&text, "tine: %s: left as it is: ", cli->command->name);
        term_add_line(&cli->err_term, &text, str_of(report->skipped.list[i]), 0);
        buf_add_char(&text, '\n');
    }
    if (report->skipped.more)
        buf_add_format(&text, "tine: %s: left as it is: %" PRId64 " more\n", cli->command->name,
                       report->skipped.more);
    fputs(buf_str(&text).p, cli->err);
    buf_clear(&text);
}

/* ---- conflicts ---- */

static void add_conflicts(struct cli *cli, struct buf *out, const struct tine_result *result)
{
    for (size_t i = 0; i < result->conflict_count; i++) {
        const struct tine_conflict *conflict = &result->conflicts[i];

        buf_add_text(out, "  ");
        term_add_line(&cli->err_term, out, str_of(conflict->name), 0);
        buf_add_text(out, "  (");
        term_add_line(&cli->err_term, out, str_of(conflict_words(conflict->reason)), 0);
        buf_add_text(out, ")\n");
    }
    if (result->conflicts_more)
        buf_add_format(out, "  and %" PRId64 " more\n", result->conflicts_more);
}

enum fault_code files_fault(struct cli *cli, const struct tine_error *error, const char *force,
                            struct fault *fault)
{
    enum fault_code code = cli_fault(error, fault);
    struct tine_result *result;
    struct buf text;

    if (code != FAULT_FILES_CONFLICT || !tine_conflicts(cli->tine, &result, NULL))
        return code;
    buf_init(&text, LIST_BYTES);
    add_conflicts(cli, &text, result);
    buf_add_format(&text, "%s\n", force);
    cli->more = arena_dup(&cli->arena, buf_str(&text));
    cli->problem = arena_dup(&cli->arena, str_of(tine_problem(cli->tine)));
    buf_clear(&text);
    tine_result_free(result);
    return code;
}

/* ---- now ---- */

enum fault_code files_record(struct cli *cli, const struct tine_session *session,
                             struct fault *fault)
{
    struct tine_files_options look = {.live = true, .limit = 1};
    struct tine_error error;

    if (strcmp(session->workspace_mode, "none") == 0 ||
        tine_files(cli->tine, session->id, &look, NULL, &error))
        return FAULT_OK;
    if (strcmp(error.code, "turn_running") != 0 && error.status != 403)
        return cli_fault(&error, fault);
    cli_tell(cli, "the files are as they were recorded last: %s", error.detail);
    return FAULT_OK;
}
