#include "client/error.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* A copy that ends with a NUL, cut between characters when it is too long. */
static void copy(char *out, size_t room, const char *text)
{
    struct str kept = utf8_cut(str_of(text), room - 1);

    memcpy(out, kept.p, kept.n);
    out[kept.n] = '\0';
}

bool error_set(struct tine_error *error, int status, const char *code, const char *format, ...)
{
    char detail[2 * sizeof(error->detail)];
    va_list args;

    va_start(args, format);
    vsnprintf(detail, sizeof(detail), format, args);
    va_end(args);
    if (!error)
        return false;
    error->status = status;
    copy(error->code, sizeof(error->code), code);
    copy(error->detail, sizeof(error->detail), detail);
    return false;
}
