/* What went wrong: a code from fault.def and one line that says it. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

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
    char message[FAULT_MESSAGE_MAX]; /* one line, lower case, no full stop */
};

#define FAULT_CHECK __attribute__((warn_unused_result))

/* Writes the fault, cut to FAULT_MESSAGE_MAX, and returns its code, for `return fault_set(…)`. */
enum fault_code fault_set(struct fault *fault, enum fault_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int fault_status(enum fault_code code);       /* HTTP status */
const char *fault_name(enum fault_code code); /* stable word on the wire */
bool fault_retryable(enum fault_code code);

#endif
