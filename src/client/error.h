/* Why a call failed, as the caller of the library is told. */
#ifndef CLIENT_ERROR_H
#define CLIENT_ERROR_H

#include "base/str.h"

#include <tine.h>

/* Writes it, when `error` is not NULL, and is false: for `return error_set(…)`. */
bool error_set(struct tine_error *error, int status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
