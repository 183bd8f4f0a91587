#include "cli/input.h"

#include <errno.h>

static enum fault_code read_all(FILE *file, const char *name, size_t max, struct arena *arena,
                                struct str *out, struct fault *fault)
{
    char chunk[16 * 1024];
    struct buf bytes;
    enum fault_code code = FAULT_OK;

    buf_init(&bytes, max);
    while (!bytes.full) {
        size_t n = fread(chunk, 1, sizeof(chunk), file);

        buf_add(&bytes, chunk, n);
        if (n == sizeof(chunk))
            continue;
        if (ferror(file) && errno == EINTR) {
            clearerr(file);
            continue;
        }
        if (ferror(file))
            code = fault_set(fault, FAULT_IO, "cannot read %s: %s", name, strerror(errno));
        break;
    }
    if (bytes.full)
        code = fault_set(fault, FAULT_TOO_LARGE, "%s has more than %zu bytes", name, max);
    if (!code)
        *out = arena_dup(arena, buf_str(&bytes));
    buf_clear(&bytes);
    return code;
}

enum fault_code input_read(struct cli *cli, const char *path, size_t max, struct str *out,
                           struct fault *fault)
{
    enum fault_code code;
    FILE *file;

    if (strcmp(path, "-") == 0)
        return read_all(cli->in, "stdin", max, &cli->arena, out, fault);
    file = fopen(path, "rb");
    if (!file)
        return fault_set(fault, FAULT_IO, "cannot open \"%s\": %s", path, strerror(errno));
    code = read_all(file, path, max, &cli->arena, out, fault);
    fclose(file);
    return code;
}
