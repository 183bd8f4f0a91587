/*
 * The form of an export, for log_out and log_in: JSON lines.
 *
 *   {"tine_export":1,"owner":"…","at_us":…}                first
 *   {"session":{…}} {"act":{…}} {"note":{…}} …             one line for each struct log_item
 *   {"end":{"items":N,"sha256":"…"}}                       last; the hash is of all lines before it
 *
 * Sessions are numbered 1, 2, 3 … as they come, whatever numbers they have in the store; a family
 * has the number of its first session. So an export, taken in elsewhere and written again, is the
 * same but for its first and last line. Members with their resting value (0, false, none) are left
 * out. Bytes that are no text are hexadecimal, the data of an object base64. JSON that a client
 * gave is spliced in as it is when that gives back the same bytes; else it comes as a string in
 * "…_text", and what is not UTF-8 as "…_hex".
 */
#ifndef DIALECT_NATIVE_LOG_FORM_H
#define DIALECT_NATIVE_LOG_FORM_H

#include "store/limits.h"
#include "store/object.h"

enum {
    LOG_FORM_VERSION = 1,

    /* A body of line feeds doubles when it is a string, and bytes double as hexadecimal. */
    LOG_ACT_MAX =
        2 * (LIMIT_ENTRY_BYTES + 2 * LIMIT_STATE_BYTES + 2 * LIMIT_METADATA_BYTES) + 64 * 1024,

    /* Three bytes are four characters of base64. */
    LOG_OBJECT_MAX = OBJECT_DIR_BYTES / 3 * 4 + 64 * 1024,

    LOG_LINE_MAX = LOG_OBJECT_MAX > LOG_ACT_MAX ? LOG_OBJECT_MAX : LOG_ACT_MAX,
};

/* Nesting of a line around a body. */
enum { LOG_LINE_DEPTH = LIMIT_JSON_DEPTH + 4 };

#endif
