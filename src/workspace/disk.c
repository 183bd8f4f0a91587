#include "workspace/disk.h"

#include <fts.h>
#include <stddef.h>
#include <sys/stat.h>

enum {
    ENTRIES_MAX = 1000 * 1000, /* looked at; a directory with more is past any limit */
    ENTRY_BYTES = 1024         /* an entry takes at least that, also an empty file */
};

int64_t disk_used(const char *dir)
{
    char *paths[] = {(char *)dir, NULL};
    int64_t bytes = 0, count = 0;
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    const FTSENT *entry;

    if (!walk)
        return 0;
    while (count++ < ENTRIES_MAX && (entry = fts_read(walk))) {
        int64_t mine;

        if (entry->fts_info == FTS_DP || entry->fts_info == FTS_NS)
            continue;
        mine = (int64_t)entry->fts_statp->st_blocks * 512;
        bytes += mine > ENTRY_BYTES ? mine : ENTRY_BYTES;
    }
    fts_close(walk);
    return bytes;
}
