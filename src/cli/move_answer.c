#include "cli/move_answer.h"

#include "cli/files_print.h"

#include <inttypes.h>

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* "has 5 messages now, 3 dropped", or what that would be. */
static struct str sentence(struct cli *cli, bool dry_run, const struct tine_result *result)
{
    const struct tine_move *move = result->move;
    int64_t now = dry_run ? move->kept + move->added : result->session->messages;
    struct buf text;

    buf_init(&text, 512);
    buf_add_format(&text, "%s %" PRId64 " message%s", dry_run ? "would have" : "has", now,
                   plural(now));
    buf_add_text(&text, dry_run ? "" : " now");
    if (move->dropped)
        buf_add_format(&text, ", %" PRId64 " dropped", move->dropped);
    if (strcmp(move->act, "adopt") == 0)
        buf_add_format(&text, ", %" PRId64 " taken over", move->added);
    files_add_counts(&text, result->report, dry_run ? "would be " : "");
    if (result->point && result->point->snapped)
        buf_add_text(&text, "; snapped to the nearest good place");
    return buf_take(&text, &cli->arena);
}

enum fault_code move_answer(struct cli *cli, bool dry_run, const struct tine_result *result,
                            struct fault *fault)
{
    struct str text;

    if (!result->session || !result->move)
        return fault_set(fault, FAULT_IO, "the reply of the server says nothing of a move");
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    text = sentence(cli, dry_run, result);
    if (dry_run) {
        cli_print(cli, "%s: the session %.*s\n", result->move->act, STR_ARG(text));
        files_print_report(cli, result);
        if (result->report && result->report->conflicts.count && !args_has(&cli->args, "force"))
            cli_print(cli,
                      "without --force it is refused: others have changed what is in conflict\n");
        return FAULT_OK;
    }
    cli_print(cli, "%s\n", result->session->id);
    cli_tell(cli, "%s: \"%.*s\" %.*s; tine %s takes it back", result->move->act,
             STR_ARG(cli_title(str_of(result->session->title))), STR_ARG(text),
             strcmp(result->move->act, "undo") == 0 ? "redo" : "undo");
    files_warn_skipped(cli, result->report);
    return FAULT_OK;
}
