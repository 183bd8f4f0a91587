/* What went wrong: a code from fault.def and one line that says it. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <assert.h>
#include <stdbool.h>

enum fault_code {
#define FAULT(code, status, name, retry) FAULT_##code,
#include "base/fault.def"
#undef FAULT
    FAULT_COUNT
};

enum { FAULT_MESSAGE_MAX = 512 };

struct fault {
    enum fault_code code;
    char message[FAULT_MESSAGE_MAX]; /* one line, lower case, no full stop; UTF-8 */
};

#define FAULT_CHECK __attribute__((warn_unused_result))

/*
 * Writes the fault, its message cut to FAULT_MESSAGE_MAX; as a value it is the code, for
 * `return fault_set(…)`. A macro so that whoever reads the code, person or program, sees that the
 * value is no success.
 */
#define fault_set(fault, code, ...) (fault_write((fault), (code), __VA_ARGS__), fault_as(code))

static inline enum fault_code fault_as(enum fault_code code)
{
    return code;
}

void fault_write(struct fault *fault, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For everyone between: passes on the fault that was set below. */
static inline enum fault_code fault_pass(const struct fault *fault)
{
    assert(fault->code != FAULT_OK);
    return fault->code;
}

int fault_status(enum fault_code code);       /* HTTP status */
const char *fault_name(enum fault_code code); /* stable word on the wire */
bool fault_retryable(enum fault_code code);
const char *fault_title(int status); /* the words that HTTP has for it: "Not Found" */

#endif
