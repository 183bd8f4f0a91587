/*
 * Reads tine.yaml in three steps: outline.c finds out what stands in which line, raw.c checks keys
 * and shapes against a schema, rules.c checks the values. So a message can always name the line.
 */
#include "config/config.h"

#include "config/rules.h"
#include "config/value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum fault_code config_parse(struct str text, const char *name, struct arena *arena,
                             struct config *out, struct fault *fault)
{
    struct config config = {.path = name};
    struct raw_config *raw = NULL;
    struct outline outline;
    enum fault_code code;

    if (text.n > CONFIG_FILE_BYTES)
        return fault_set(fault, FAULT_INVALID, "%s: has more than %d bytes", name,
                         CONFIG_FILE_BYTES);
    config.hosts = arena_array(arena, 1, sizeof(config.hosts[0]));
    code = outline_read(text, name, arena, &outline, fault);
    if (!code)
        code = raw_read(text, &outline, &raw, fault);
    if (!code && raw)
        code = rules_apply(raw, &outline, arena, &config, fault);
    raw_free(raw);
    if (!code)
        *out = config;
    return code;
}

/* ---- the file ---- */

static enum fault_code file_fault(const char *path, int error, struct fault *fault)
{
    if (error == ENOENT || error == ENOTDIR)
        return fault_set(fault, FAULT_NOT_FOUND, "the configuration file \"%s\" does not exist",
                         path);
    return fault_set(fault, FAULT_IO, "cannot read \"%s\": %s", path, strerror(error));
}

/* Not more than is allowed, and one byte to see that there is more. */
static enum fault_code file_read(int fd, const char *path, struct arena *arena, struct str *out,
                                 struct fault *fault)
{
    size_t room = CONFIG_FILE_BYTES + 1, n = 0;
    char *bytes = arena_alloc(arena, room);

    while (n < room) {
        ssize_t got = read(fd, bytes + n, room - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_fault(path, errno, fault);
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *out = (struct str){bytes, n};
    return FAULT_OK;
}

enum fault_code config_read(const char *path, struct arena *arena, struct config *out,
                            struct fault *fault)
{
    struct str text;
    struct stat st;
    enum fault_code code;
    int fd;

    if (!path)
        return config_parse(STR(""), NULL, arena, out, fault);
    /* Not blocking, so that a pipe in its place does not keep the server from starting. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return file_fault(path, errno, fault);
    if (fstat(fd, &st) != 0)
        code = file_fault(path, errno, fault);
    else if (!S_ISREG(st.st_mode))
        code = fault_set(fault, FAULT_IO, "cannot read \"%s\": it is no plain file", path);
    else
        code = file_read(fd, path, arena, &text, fault);
    close(fd);
    if (code)
        return code;
    return config_parse(text, arena_dup(arena, str_of(path)).p, arena, out, fault);
}

const char *config_find(const char *given, const char *home, struct arena *arena)
{
    const char *path = given ? given : getenv("TINE_CONFIG");
    struct stat st;

    if (given || (path && *path))
        return path;
    path = home ? arena_printf(arena, "%s/tine.yaml", home).p : NULL;
    return path && (stat(path, &st) == 0 || errno != ENOENT) ? path : NULL;
}

bool config_is_loopback(const char *listen)
{
    struct str address;
    int port;

    if (!listen_split(str_of(listen), &address, &port))
        return false;
    return str_starts(address, STR("127.")) || str_eq(address, STR("::1")) ||
           str_eq(address, STR("localhost"));
}
