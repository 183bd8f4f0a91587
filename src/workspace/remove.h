/* Removes a directory with all that is in it, however deep, never through a link. */
#ifndef WORKSPACE_REMOVE_H
#define WORKSPACE_REMOVE_H

#include "base/fault.h"

/* `name` in the directory `above`. What is not there is no fault; FAULT_IO names what is in the
 * way. */
FAULT_CHECK enum fault_code remove_tree(int above, const char *name, struct fault *fault);

#endif
