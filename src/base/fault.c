#include "base/fault.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    int status;
    const char *name;
    bool retry;
} table[FAULT_COUNT] = {
#define FAULT(code, status, name, retry) [FAULT_##code] = {status, name, retry},
#include "base/fault.def"
#undef FAULT
};

void fault_write(struct fault *fault, enum fault_code code, const char *format, ...)
{
    va_list args;

    assert(code > FAULT_OK && code < FAULT_COUNT);
    fault->code = code;
    va_start(args, format);
    vsnprintf(fault->message, sizeof(fault->message), format, args);
    va_end(args);
}

int fault_status(enum fault_code code)
{
    assert(code < FAULT_COUNT);
    return table[code].status;
}

const char *fault_name(enum fault_code code)
{
    assert(code < FAULT_COUNT);
    return table[code].name;
}

bool fault_retryable(enum fault_code code)
{
    assert(code < FAULT_COUNT);
    return table[code].retry;
}
