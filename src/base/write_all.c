#include "base/write_all.h"

#include <errno.h>
#include <unistd.h>

bool write_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return true;
}
