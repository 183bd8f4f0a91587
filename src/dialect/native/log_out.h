/* Writes an export (see log_form.h). */
#ifndef DIALECT_NATIVE_LOG_OUT_H
#define DIALECT_NATIVE_LOG_OUT_H

#include "base/buf.h"
#include "dialect/native/log_numbers.h"
#include "store/log_item.h"

typedef enum fault_code log_out_write(void *context, struct str bytes, struct fault *fault);

struct log_out {
    log_out_write *write;
    void *context;
    struct hasher *hasher;
    struct buf line;
    struct log_numbers numbers, families;
    int64_t items, sessions; /* written so far; of the sessions, those that live */
};

void log_out_init(struct log_out *out, log_out_write *write, void *context);
void log_out_clear(struct log_out *out);

FAULT_CHECK enum fault_code log_out_begin(struct log_out *out, struct str owner, int64_t at_us,
                                          struct fault *fault);

/* A log_item_visit; `context` is the struct log_out. */
FAULT_CHECK enum fault_code log_out_item(void *context, const struct log_item *item,
                                         struct fault *fault);

/* Without this line a reader takes the export as cut off. */
FAULT_CHECK enum fault_code log_out_end(struct log_out *out, struct fault *fault);

#endif
