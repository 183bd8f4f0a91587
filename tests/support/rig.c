#include "support/rig.h"

#include "store/sqlite/sqlite_store.h"
#include "support/check.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum fault_code open_memory(const char *directory, struct store **out, struct fault *fault)
{
    struct sqlite_store_options options = {0};

    (void)directory;
    return sqlite_store_open(&options, out, fault);
}

static enum fault_code open_file(const char *directory, struct store **out, struct fault *fault)
{
    char path[128];
    struct sqlite_store_options options = {.path = path};

    snprintf(path, sizeof(path), "%s/tine.db", directory);
    return sqlite_store_open(&options, out, fault);
}

const struct rig_kind rig_kinds[] = {
    {"sqlite in memory", false, open_memory},
    {"sqlite in a file", true, open_file},
};
const size_t rig_kind_count = sizeof(rig_kinds) / sizeof(rig_kinds[0]);

void scratch_make(char *path, size_t room)
{
    const char *parent = getenv("TMPDIR");

    snprintf(path, room, "%s/tine-test-XXXXXX", parent && *parent ? parent : "/tmp");
    assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void scratch_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int64_t fixed_now(void *context)
{
    struct rig *rig = context;

    return rig->now_us;
}

static void seeded_random(void *context, void *out, size_t n)
{
    struct rig *rig = context;
    unsigned char *bytes = out;

    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)chance_next(&rig->chance);
}

static void open_store(struct rig *rig)
{
    struct engine_source source = {fixed_now, seeded_random, rig};
    struct fault fault;

    CHECK_OK(rig->kind->open(rig->directory, &rig->store, &fault), &fault);
    rig->engine = engine_new(rig->store, &source);
    CHECK_OK(store_owner(rig->store, STR("tester"), &rig->owner, &fault), &fault);
}

static void close_store(struct rig *rig)
{
    engine_free(rig->engine);
    store_close(rig->store);
    rig->engine = NULL;
    rig->store = NULL;
}

void rig_open(struct rig *rig, const struct rig_kind *kind, uint64_t seed)
{
    *rig = (struct rig){.kind = kind, .now_us = 1700000000000000, .chance = {seed}};
    scratch_make(rig->directory, sizeof(rig->directory));
    open_store(rig);
}

void rig_reopen(struct rig *rig)
{
    assert_true(rig->kind->lasts);
    close_store(rig);
    open_store(rig);
}

void rig_close(struct rig *rig)
{
    close_store(rig);
    scratch_remove(rig->directory);
}
