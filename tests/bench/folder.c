#include "folder.h"

#include "prose.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRS = 100, SMALLEST = 200, STEPS = 100 };

static void file_path(int number, char *out, size_t room)
{
    int dir = number % DIRS;

    snprintf(out, room, "part%d/unit%d/file%d.txt", dir / 10, dir % 10, number / DIRS);
}

static void file_write(const struct folder *folder, int number, struct str text)
{
    char path[64];
    int fd;

    file_path(number, path, sizeof(path));
    fd = openat(folder->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n)
        bench_fail("\"%s/%s\" cannot be written", folder->path, path);
    close(fd);
}

static void dirs_make(const struct folder *folder)
{
    char path[64];

    for (int i = 0; i < DIRS; i++) {
        snprintf(path, sizeof(path), "part%d", i / 10);
        mkdirat(folder->fd, path, 0755);
        snprintf(path, sizeof(path), "part%d/unit%d", i / 10, i % 10);
        if (mkdirat(folder->fd, path, 0755) != 0)
            bench_fail("\"%s/%s\" cannot be made", folder->path, path);
    }
}

void folder_make(struct folder *folder, const struct bench *bench)
{
    struct prose prose = {.state = 42};
    struct buf text;

    *folder = (struct folder){0};
    snprintf(folder->path, sizeof(folder->path), "%s/folder", bench->directory);
    snprintf(folder->git, sizeof(folder->git), "%s/folder.git", bench->directory);
    bench_say("writing %d files of %d MB", FOLDER_FILES, FOLDER_BYTES / 1000 / 1000);
    if (mkdir(folder->path, 0755) != 0)
        bench_fail("\"%s\" cannot be made", folder->path);
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    dirs_make(folder);
    buf_init(&text, FOLDER_BYTES);
    for (int i = 0; i < FOLDER_FILES; i++) {
        /* Small ones are many, large ones few: on average 200 MB / 10,000. */
        int step = (int)((unsigned)i * 7919U % STEPS);
        size_t bytes = SMALLEST + (size_t)step * (size_t)step * 6;

        buf_reset(&text);
        prose_add(&prose, bytes, &text);
        file_write(folder, i, buf_str(&text));
    }
    buf_clear(&text);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_all(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void folder_remove(struct folder *folder)
{
    close(folder->fd);
    remove_all(folder->path);
    remove_all(folder->git);
}

void folder_change(struct folder *folder, int count)
{
    char text[64];

    for (int i = 0; i < count; i++) {
        int number = (int)((unsigned)++folder->changes * 1237U % FOLDER_FILES);
        int n = snprintf(text, sizeof(text), "change %d\n", folder->changes);

        file_write(folder, number, (struct str){text, (size_t)n});
    }
}

void folder_run(const struct folder *folder, const char *command)
{
    char line[2500];

    if (snprintf(line, sizeof(line),
                 "export GIT_DIR='%s' GIT_WORK_TREE='%s' GIT_CONFIG_GLOBAL=/dev/null; "
                 "cd '%s' && { %s; } >/dev/null",
                 folder->git, folder->path, folder->path, command) >= (int)sizeof(line))
        bench_fail("the command is too long");
    if (system(line) != 0)
        bench_fail("this failed: %s", command);
}

void folder_git_init(const struct folder *folder)
{
    remove_all(folder->git);
    folder_run(folder, "git init -q");
}

void folder_git_add(const struct folder *folder)
{
    folder_run(folder, "git add -A && git write-tree");
}
