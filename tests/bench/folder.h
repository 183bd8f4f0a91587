/* A directory of 10,000 files and 200 MB that looks like somebody's work, and git on it. */
#ifndef BENCH_FOLDER_H
#define BENCH_FOLDER_H

#include "bench.h"

enum { FOLDER_FILES = 10 * 1000, FOLDER_BYTES = 200 * 1000 * 1000 };

struct folder {
    char path[600]; /* of the directory, which has no .git */
    char git[600];  /* of a repository for it, elsewhere */
    int fd;
    int changes;
};

/* Writes the files; about 100 in each of 100 directories. */
void folder_make(struct folder *folder, const struct bench *bench);
void folder_remove(struct folder *folder);

/* Writes something else into so many files, others each time, the same for both sides. */
void folder_change(struct folder *folder, int count);

/* A new, empty repository in place of what there was. */
void folder_git_init(const struct folder *folder);

/* `git add -A && git write-tree` */
void folder_git_add(const struct folder *folder);

/* Runs a command of the shell; "$GIT_DIR" and "$GIT_WORK_TREE" are set, the directory is the work
 * tree. */
void folder_run(const struct folder *folder, const char *command);

#endif
