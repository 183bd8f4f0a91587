/* What branches of a directory cost: a fork with its files, and the bytes of many. */
#include "disk.h"
#include "folder.h"
#include "rig.h"
#include "versus.h"

#include "engine/workspaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { ROUNDS = 200, FORKS = 100 };

#define PLAIN STR("plain")
#define FILES STR("files")

struct branching {
    struct rig rig;
    struct folder folder;
    struct workspaces *workspaces;
    char home[600];
};

static void fork_files(struct branching *branching, struct str source, enum fork_files files)
{
    struct fork_spec spec = {
        .owner = branching->rig.owner, .session = source, .point = {.guard = GUARD_NONE}};
    struct files_report report;
    struct fork_result result;
    struct fault fault;
    struct arena arena;

    arena_init(&arena);
    bench_must(
        workspaces_fork(branching->workspaces, &spec, files, &arena, &result, &report, &fault),
        &fault);
    arena_clear(&arena);
}

static void fork_once(void *context, enum versus_side side)
{
    fork_files(context, side == VERSUS_MEASURED ? FILES : PLAIN, FORK_FILES_POINT);
}

static void branching_open(struct branching *branching, struct bench *bench)
{
    struct workspaces_options options = {.home = branching->home};
    struct workspace_spec attach = {.session = FILES, .workspace = {.mode = WORKSPACE_ATTACHED}};
    struct session session;
    struct fault fault;
    struct arena arena;

    snprintf(branching->home, sizeof(branching->home), "%s/branches.home", bench->directory);
    if (mkdir(branching->home, 0700) != 0)
        bench_fail("the directory \"%s\" cannot be made", branching->home);
    folder_make(&branching->folder, bench);
    rig_open(&branching->rig, bench, "branches", 0);
    options.engine = branching->rig.engine;
    bench_must(workspaces_open(&options, &branching->workspaces, &fault), &fault);
    rig_create(&branching->rig, PLAIN);
    rig_fill(&branching->rig, PLAIN, SMALL_MESSAGES, 100);
    rig_create(&branching->rig, FILES);
    rig_fill(&branching->rig, FILES, SMALL_MESSAGES, 100);
    attach.owner = branching->rig.owner;
    attach.workspace.dir = str_of(branching->folder.path);
    arena_init(&arena);
    bench_must(workspaces_set(branching->workspaces, &attach, &arena, &session, &fault), &fault);
    arena_clear(&arena);
}

static void branching_close(struct branching *branching)
{
    char command[700];

    workspaces_close(branching->workspaces);
    rig_remove(&branching->rig);
    folder_remove(&branching->folder);
    snprintf(command, sizeof(command), "rm -rf '%s'", branching->home);
    if (system(command) != 0)
        bench_fail("the directory \"%s\" cannot be removed", branching->home);
}

/* Bytes of the database with its log, or of a repository. */
static double bytes_of(const char *pattern)
{
    char command[800];
    double bytes = 0;
    FILE *out;

    snprintf(command, sizeof(command), "du -cb %s | tail -1", pattern);
    out = popen(command, "r");
    if (!out || fscanf(out, "%lf", &bytes) != 1)
        bench_fail("the size of %s cannot be found", pattern);
    pclose(out);
    return bytes;
}

static double store_bytes(struct branching *branching)
{
    char path[sizeof(branching->rig.path)], quoted[sizeof(path) + 2];

    memcpy(path, branching->rig.path, sizeof(path));
    rig_close(&branching->rig); /* brings the log into the file */
    rig_open_path(&branching->rig, path, 0);
    snprintf(quoted, sizeof(quoted), "'%s'", path);
    return bytes_of(quoted);
}

/* The workspaces work on an engine, which a store that is opened again has anew. */
static void reopen(struct branching *branching)
{
    struct workspaces_options options = {.engine = branching->rig.engine, .home = branching->home};
    struct fault fault;

    workspaces_close(branching->workspaces);
    bench_must(workspaces_open(&options, &branching->workspaces, &fault), &fault);
}

/* One file is changed, then the session is forked as it is; git commits the same to a branch. */
static void measure_bytes(struct bench *bench, struct branching *branching)
{
    char git[700];
    double ours, theirs;

    snprintf(git, sizeof(git), "'%s'", branching->folder.git);
    folder_git_init(&branching->folder);
    folder_git_add(&branching->folder);
    ours = store_bytes(branching);
    theirs = bytes_of(git);
    reopen(branching);
    for (int i = 0; i < FORKS; i++) {
        folder_change(&branching->folder, 1);
        fork_files(branching, FILES, FORK_FILES_LIVE);
        folder_git_add(&branching->folder);
    }
    ours = store_bytes(branching) - ours;
    theirs = bytes_of(git) - theirs;
    reopen(branching);
    table_add(&bench->table,
              &(struct table_row){.what = "bytes of a fork that changed one file, against git's",
                                  .unit = UNIT_BYTES,
                                  .measured = ours / FORKS,
                                  .baseline = theirs / FORKS,
                                  .note = "100 forks of 10,000 files, not laid out"});
}

void bench_branches(struct bench *bench)
{
    struct branching branching = {0};
    struct timing times[VERSUS_SIDES];

    branching_open(&branching, bench);
    disk_settle();
    versus_run(fork_once, &branching, ROUNDS, times);
    versus_report(bench,
                  (struct table_row){.what = "fork with 10,000 files against one without",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.3},
                  times);
    measure_bytes(bench, &branching);
    branching_close(&branching);
}
