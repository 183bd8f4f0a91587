/* Bytes that a command reads from a file or from stdin. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli/context.h"

/* Reads all of a file ("-": stdin), at most `max` bytes: FAULT_TOO_LARGE. */
FAULT_CHECK enum fault_code input_read(struct cli *cli, const char *path, size_t max,
                                       struct str *out, struct fault *fault);

#endif
