/*
 * One server at a time in a home: a lock file that also says where the server listens. The lock is
 * the kernel's and goes with the process, however that ends.
 */
#ifndef HOUSE_LOCK_H
#define HOUSE_LOCK_H

#include "base/arena.h"
#include "base/fault.h"

struct lock;

/* FAULT_BUSY when another process has it. */
FAULT_CHECK enum fault_code lock_take(const char *home, struct lock **out, struct fault *fault);

/* Says in the file where this server listens. */
FAULT_CHECK enum fault_code lock_say(struct lock *lock, const char *address, struct fault *fault);
void lock_free(struct lock *lock);

/* The address of the server that has the home now; empty: none has. */
FAULT_CHECK enum fault_code lock_find(const char *home, struct arena *arena, struct str *address,
                                      struct fault *fault);

#endif
