/* Expectations about calls that can fail, for tests with cmocka. */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fault.h"
#include "base/str.h"

/* The call must succeed; `fault` is the one it was given. */
#define CHECK_OK(call, fault) check_code((call), FAULT_OK, (fault), #call, __FILE__, __LINE__)

/* The call must fail with this code, and with a message as base/fault.h wants it. */
#define CHECK_FAULT(call, code, fault) \
    check_code((call), (code), (fault), #call, __FILE__, __LINE__)

/* The view must hold exactly this text. */
#define CHECK_STR(view, text) check_str((view), (text), #view, __FILE__, __LINE__)

void check_code(enum fault_code got, enum fault_code want, const struct fault *fault,
                const char *call, const char *file, int line);
void check_str(struct str got, const char *want, const char *what, const char *file, int line);

/* Runs `act` in a child process, which must be ended by SIGABRT. */
void check_aborts(void (*act)(void));

#endif
