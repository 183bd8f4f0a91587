#include "client/ordinal.h"

#include <errno.h>
#include <stdlib.h>

bool ordinal_read(const char *word, int64_t *out)
{
    const char *digits = *word == '#' || *word == '-' ? word + 1 : "";
    char *end;
    long long value;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    value = strtoll(digits, &end, 10);
    if (errno || *end)
        return false;
    *out = *word == '-' ? -value : value;
    return true;
}
