/*
 * At the root of the server every dialect answers on the paths that its documents print. One
 * function with one table finds the dialect; no dialect knows of it.
 */
#ifndef DIALECT_ROOT_H
#define DIALECT_ROOT_H

#include "dialect/app.h"

/* All tables of the server: those with a prefix of their own, the service's, and the root's. */
const struct route_table *const *root_tables(size_t *count);

/* Is it a dialect that a listener, --root or the header Tine-Dialect may name? */
bool root_knows(struct str name);

/* ---- for root.c and its tests ---- */

enum root_dialect { ROOT_KAGENT, ROOT_DOCKER_AGENT, ROOT_ASH, ROOT_ESC, ROOT_DIALECTS };

/* What a request wants, as far as the words of its body are known to differ. */
enum root_call { ROOT_OTHER, ROOT_FORK, ROOT_CREATE };

/* A path with a method at the root. */
struct root_path {
    enum http_method method;
    const char *path;
    unsigned has; /* 1U << dialect for each that has it */
    enum root_call call;
    int session;  /* which of its parameters is the session; -1: none */
    bool by_user; /* only the user that is named can decide it */
};

const struct root_path *root_paths(size_t *count);

/* The word is one of a dialect's in the body of such a call; NULL: of none's. */
const char *root_word(enum root_call call, enum root_dialect dialect, size_t i);

struct root_question {
    unsigned has; /* as of struct root_path */
    enum root_call call;
    struct str named; /* by the port, --root or the header; p == NULL: not named */
    struct str body;
    bool user; /* the request names a user */
    /* The home of the session in the path: FAULT_SESSION_NOT_FOUND. NULL: there is none. */
    enum fault_code (*home)(void *context, struct str *out, struct fault *fault);
    void *context;
};

/*
 * Whose request is it? FAULT_INVALID for a name or a body that cannot be, FAULT_UNDECIDED when
 * nothing says it. A body that cannot be read is for the dialect in which the session was born to
 * refuse.
 */
FAULT_CHECK enum fault_code root_decide(const struct root_question *question, struct arena *arena,
                                        enum root_dialect *out, struct fault *fault);

/* In whose shape is such a FAULT_INVALID told? False: in nobody's, no dialect is known. */
bool root_teller(const struct root_question *question, enum root_dialect *out);

#endif
