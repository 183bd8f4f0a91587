#include "workspace/git.h"

#include <git2.h>
#include <pthread.h>
#include <stdlib.h>

enum { LOOKED_AT = 8000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* It stays as long as the process: whoever ends it would have to know all who use it. */
static void begin(void)
{
    if (git_libgit2_init() < 0)
        abort();
}

void git_begin(void)
{
    pthread_once(&once, begin);
}

enum fault_code git_failed(const char *what, struct fault *fault)
{
    const git_error *error = git_error_last();

    return fault_set(fault, FAULT_INTERNAL, "%s: %s", what,
                     error && error->message ? error->message : "libgit2 does not say why");
}

bool git_is_binary(struct str content)
{
    return content.n && memchr(content.p, '\0', content.n < LOOKED_AT ? content.n : LOOKED_AT);
}
