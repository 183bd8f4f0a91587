/* Bytes into a descriptor, all of them. */
#ifndef BASE_WRITE_ALL_H
#define BASE_WRITE_ALL_H

#include "base/str.h"

bool write_all(int fd, struct str bytes); /* false: errno says why */

#endif
