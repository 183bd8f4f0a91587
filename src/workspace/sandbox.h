/*
 * Runs a command of an agent where it can do no harm: bubblewrap, namespaces of its own, only the
 * session's directory writable, no network unless allowed, ceilings on everything. When the call
 * returns, every process that it started is gone.
 */
#ifndef WORKSPACE_SANDBOX_H
#define WORKSPACE_SANDBOX_H

#include "base/arena.h"
#include "base/fault.h"

#include <stdint.h>

struct sandbox_limits {
    int64_t time_ms, memory_bytes, processes, output_bytes, file_bytes, disk_bytes; /* 0: default */
};

/* Variables of a command: names of A-Za-z0-9_ that do not begin with a digit, values without NUL.
 */
struct sandbox_env {
    const struct sandbox_variable {
        struct str name, value;
    } * list;
    size_t count;
};

enum { SANDBOX_ENV_COUNT = 256, SANDBOX_ENV_BYTES = 64 * 1024 /* names and values together */ };

struct sandbox_spec {
    const char *dir;         /* the session's directory, mounted as /work */
    const char *const *argv; /* NULL ends it */
    struct sandbox_env env;  /* besides what every command has, and before it */
    struct str input;        /* its stdin */
    bool network;
    bool apart; /* what it prints to stderr comes by itself: `errors` of the result */
    struct sandbox_limits limits;
    int cancel_fd; /* readable: stop at once; -1: none */
    /* Told what it prints as it prints it, stdout and (unless `apart`) stderr in one; NULL: nobody.
     */
    void (*output)(void *context, struct str bytes);
    void *context;
};

/* What a limit of 0 stands for. */
enum { SANDBOX_TIME_MS = 120 * 1000, SANDBOX_PROCESSES = 256, SANDBOX_OUTPUT_BYTES = 64 * 1024 };
#define SANDBOX_MEMORY_BYTES INT64_C(0x80000000) /* 2 GiB */
#define SANDBOX_FILE_BYTES   INT64_C(0x20000000) /* 512 MiB */
#define SANDBOX_DISK_BYTES   INT64_C(0x40000000) /* 1 GiB that the directory may grow by */

enum sandbox_end {
    SANDBOX_EXITED, /* code 128 + n when signal n ended it, as a shell says it */
    SANDBOX_TIMED_OUT,
    SANDBOX_CANCELLED,
    SANDBOX_LIMIT /* stopped: `why` says over which limit it went */
};

struct sandbox_result {
    enum sandbox_end end;
    int code;           /* exit code of SANDBOX_EXITED */
    const char *why;    /* "more than 256 processes", in the arena; else NULL */
    struct str output;  /* the first and the last of it when it was more than the limit */
    int64_t output_all; /* bytes that it printed */
    struct str errors;  /* with `apart`: likewise of stderr; else empty */
};

/*
 * FAULT_SANDBOX when it cannot be made, FAULT_INVALID and FAULT_LIMIT when the variables are wrong;
 * a command that fails is a result and no fault.
 */
FAULT_CHECK enum fault_code sandbox_run(const struct sandbox_spec *spec, struct arena *arena,
                                        struct sandbox_result *out, struct fault *fault);

/* Tries one, once; FAULT_SANDBOX says why there is none and what to do about it. */
FAULT_CHECK enum fault_code sandbox_ready(struct fault *fault);

/* How commands are kept in, in one line, for the start and for `tine doctor`. */
const char *sandbox_words(void);

/* The operator turned it off by name: commands then run as the server's user. Before any other
 * call. */
void sandbox_turn_off(void);
bool sandbox_is_off(void);

#endif
