#include "disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { BLOCK_BYTES = 4096, SETTLE_MS = 500 };

void disk_fsync(const struct bench *bench, int times, struct timing *timing)
{
    static const char block[BLOCK_BYTES] = "fsync";
    char path[sizeof(bench->directory) + 16];
    int fd;

    snprintf(path, sizeof(path), "%s/fsync", bench->directory);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    for (int i = 0; i < times; i++) {
        int64_t start = timing_now_ns();

        if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block) || fdatasync(fd) != 0)
            bench_fail("\"%s\" cannot be written", path);
        timing_since(timing, start);
    }
    close(fd);
    unlink(path);
}

void disk_settle(void)
{
    sync();
    usleep(SETTLE_MS * 1000);
}

void disk_report(struct bench *bench, struct timing *timing)
{
    table_add(&bench->table, &(struct table_row){.what = "an fsync after 4 KiB, meanwhile",
                                                 .measured = timing_typical(timing)});
    timing_clear(timing);
}
