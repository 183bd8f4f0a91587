/* How much room a directory takes. */
#ifndef WORKSPACE_DISK_H
#define WORKSPACE_DISK_H

#include <stdint.h>

/* Bytes of everything in it, on its own file system; symlinks are not followed. */
int64_t disk_used(const char *dir);

#endif
