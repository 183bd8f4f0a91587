/* libgit2, which compares and merges texts for us; nothing else of it is used. */
#ifndef WORKSPACE_GIT_H
#define WORKSPACE_GIT_H

#include "base/fault.h"
#include "base/str.h"

void git_begin(void); /* before its first use in a thread; any number of times */

/* What it said last in this thread, as a fault. `what` could not be done. */
enum fault_code git_failed(const char *what, struct fault *fault);

/* No text by git's rule: a NUL among its first bytes. */
bool git_is_binary(struct str content);

#endif
