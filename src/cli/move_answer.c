#include "cli/move_answer.h"

#include "dialect/native/object.h"

#include <inttypes.h>

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* "3 messages are left, 2 were taken away, 1 was taken over" */
static struct str sentence(struct cli *cli, bool dry_run, enum move_act act,
                           const struct move_result *result)
{
    const char *were = dry_run ? "would be" : result->dropped == 1 ? "was" : "were";
    struct str text =
        arena_printf(&cli->arena, "%" PRId64 " message%s kept, %" PRId64 " %s dropped",
                     result->kept, plural(result->kept), result->dropped, were);

    if (act == MOVE_ADOPT)
        text =
            arena_printf(&cli->arena, "%.*s, %" PRId64 " taken over", STR_ARG(text), result->added);
    if (result->point.snapped)
        text = arena_printf(&cli->arena, "%.*s; snapped to the nearest good place", STR_ARG(text));
    return text;
}

void move_answer(struct cli *cli, enum move_act act, bool dry_run, const struct move_result *result)
{
    struct str text;

    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        object_write_move(&cli->json, act, result);
        json_out_object_end(&cli->json);
        return;
    }
    text = sentence(cli, dry_run, act, result);
    if (dry_run) {
        cli_print(cli, "%s: %.*s\n", object_move(act), STR_ARG(text));
        return;
    }
    cli_print(cli, "%.*s\n", STR_ARG(result->session.id));
    cli_tell(cli, "%s of \"%.*s\": %.*s%s", object_move(act),
             STR_ARG(cli_title(result->session.title)), STR_ARG(text),
             act == MOVE_UNDO ? "" : "; tine undo takes it back");
}
