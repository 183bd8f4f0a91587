#include "cli/move_answer.h"

#include "dialect/native/object.h"

#include <inttypes.h>

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* "has 5 messages now, 3 dropped", or what that would be. */
static struct str sentence(struct cli *cli, enum move_act act, bool dry_run,
                           const struct move_result *result)
{
    int64_t now = dry_run ? result->kept + result->added : result->session.messages;
    struct buf text;
    struct str copy;

    buf_init(&text, 512);
    buf_add_format(&text, "%s %" PRId64 " message%s", dry_run ? "would have" : "has", now,
                   plural(now));
    buf_add_text(&text, dry_run ? "" : " now");
    if (result->dropped)
        buf_add_format(&text, ", %" PRId64 " dropped", result->dropped);
    if (act == MOVE_ADOPT)
        buf_add_format(&text, ", %" PRId64 " taken over", result->added);
    if (result->point.snapped)
        buf_add_text(&text, "; snapped to the nearest good place");
    copy = arena_dup(&cli->arena, buf_str(&text));
    buf_clear(&text);
    return copy;
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
    text = sentence(cli, act, dry_run, result);
    if (dry_run) {
        cli_print(cli, "%s: the session %.*s\n", object_move(act), STR_ARG(text));
        return;
    }
    cli_print(cli, "%.*s\n", STR_ARG(result->session.id));
    cli_tell(cli, "%s: \"%.*s\" %.*s; tine %s takes it back", object_move(act),
             STR_ARG(cli_title(result->session.title)), STR_ARG(text),
             act == MOVE_UNDO ? "redo" : "undo");
}
