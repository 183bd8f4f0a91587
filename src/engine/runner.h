/*
 * Who runs turns: each process that does has a name and holds a lock on a file of that name, so
 * that others can tell whether it still lives, however it may have ended.
 */
#ifndef ENGINE_RUNNER_H
#define ENGINE_RUNNER_H

#include "base/fault.h"
#include "base/str.h"

struct runner;

/* `home` NULL: there are no other processes. */
FAULT_CHECK enum fault_code runner_open(const char *home, struct runner **out, struct fault *fault);
void runner_close(struct runner *runner);
struct str runner_name(const struct runner *runner);

/* Does the runner of that name live? This one does. */
bool runner_alive(const struct runner *runner, struct str name);

#endif
