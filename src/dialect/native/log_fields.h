/* The items of an export, from JSON: types, sizes and ranges (see log_form.h). */
#ifndef DIALECT_NATIVE_LOG_FIELDS_H
#define DIALECT_NATIVE_LOG_FIELDS_H

#include "json/json_in.h"
#include "store/log_item.h"

FAULT_CHECK enum fault_code log_fields_read(enum log_item_kind kind,
                                            const struct json_value *object, struct arena *arena,
                                            struct log_item *out, struct fault *fault);

#endif
