#include "cli/home.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

enum fault_code home_find(const char *home, struct arena *arena, struct str *out,
                          struct fault *fault)
{
    const char *base;

    if (home && !*home)
        return fault_set(fault, FAULT_INVALID, "--home is empty");
    if (home || (home = environment("TINE_HOME")) != NULL) {
        *out = arena_dup(arena, str_of(home));
        return FAULT_OK;
    }
    /* The XDG rules say that a relative path there is to be ignored. */
    base = environment("XDG_DATA_HOME");
    if (base && *base == '/') {
        *out = arena_printf(arena, "%s/tine", base);
        return FAULT_OK;
    }
    base = environment("HOME");
    if (!base)
        return fault_set(fault, FAULT_INVALID,
                         "no home: give --home DIR, or set TINE_HOME or HOME");
    *out = arena_printf(arena, "%s/.local/share/tine", base);
    return FAULT_OK;
}

/* Makes the directory and those above it that are missing. */
static enum fault_code home_make(struct str home, struct arena *arena, struct fault *fault)
{
    char *path = (char *)arena_dup(arena, home).p;
    struct stat st;

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return FAULT_OK;
    for (size_t i = 1; i <= home.n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        path[i] = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return fault_set(fault, FAULT_IO, "cannot make the directory \"%s\": %s", path,
                             strerror(errno));
        if (i < home.n)
            path[i] = '/';
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return fault_set(fault, FAULT_IO, "the home \"%s\" is not a directory", path);
    return FAULT_OK;
}

enum fault_code home_dir(const char *home, struct arena *arena, struct str *out,
                         struct fault *fault)
{
    struct str dir;

    if (home_find(home, arena, &dir, fault) != FAULT_OK || home_make(dir, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = dir;
    return FAULT_OK;
}

enum fault_code home_db(const char *home, const char *db, struct arena *arena, struct str *out,
                        struct fault *fault)
{
    struct str dir = STR_NONE;
    enum fault_code code;

    if (!db && !home)
        db = environment("TINE_DB");
    if (db) {
        *out = arena_dup(arena, str_of(db));
        return FAULT_OK;
    }
    code = home_find(home, arena, &dir, fault);
    if (!code)
        code = home_make(dir, arena, fault);
    if (!code)
        *out = arena_printf(arena, "sqlite:%s/tine.db", dir.p);
    return code;
}
