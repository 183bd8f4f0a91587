#include "cli/progress.h"

#include "base/clock.h"

#include <inttypes.h>

enum { QUIET_MS = 500, EVERY_MS = 100 };

void progress_begin(struct progress *progress, struct cli *cli)
{
    *progress = (struct progress){.cli = cli, .begun_ms = clock_ms()};
}

void progress_step(void *context, const char *step, int64_t done, int64_t total)
{
    struct progress *progress = context;
    struct cli *cli = progress->cli;
    int64_t now;

    if (!cli->err_term.is_terminal)
        return;
    now = clock_ms();
    if (now - progress->begun_ms < QUIET_MS || now - progress->shown_ms < EVERY_MS)
        return;
    progress->shown_ms = now;
    progress->shown = true;
    fprintf(cli->err, "\r\033[K%s", step);
    if (total > 0)
        fprintf(cli->err, " %" PRId64 " of %" PRId64 " (%d%%)", done, total,
                (int)(done >= total ? 100 : (double)done * 100 / (double)total));
    else if (done > 0)
        fprintf(cli->err, " %" PRId64, done);
    fflush(cli->err);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fprintf(progress->cli->err, "\r\033[K");
    progress->shown = false;
}
