/* A socket that listens at "ADDR:PORT". */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include "base/fault.h"
#include "base/str.h"

/* Port 0: any free one; `port` gets it. FAULT_INVALID, or FAULT_IO, which names the address. */
FAULT_CHECK enum fault_code listen_open(struct str address, int *fd, int *port,
                                        struct fault *fault);

#endif
