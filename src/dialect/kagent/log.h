/*
 * The events of a session, as a runtime is given them: those that runtimes posted, byte for byte;
 * turns that tine ran, written as ADK writes them; moves, as markers.
 */
#ifndef DIALECT_KAGENT_LOG_H
#define DIALECT_KAGENT_LOG_H

#include "dialect/app.h"

enum { LOG_BYTES = 64 * 1024 * 1024 }; /* of all events together: no reply is larger */

enum log_view {
    LOG_AUTO,     /* the whole log for who folds it, else what is effective */
    LOG_WHOLE,    /* with its markers */
    LOG_EFFECTIVE /* what stands on the path, and no markers */
};

struct log_row {
    struct str id;   /* of the row: one that was inherited has the session's before it */
    struct str data; /* a JSON string with its quotes */
    int64_t at_us;   /* only grows */
    int at_ns;       /* beside it */
};

/* Oldest first. FAULT_TOO_LARGE. */
FAULT_CHECK enum fault_code kagent_log_read(struct app *app, int64_t owner, struct str session,
                                            enum log_view view, struct arena *arena,
                                            struct log_row **out, size_t *count,
                                            struct fault *fault);

#endif
