/* What the handlers of every dialect share: the query, the body, the reply, what the caller may. */
#ifndef DIALECT_HANDLING_H
#define DIALECT_HANDLING_H

#include "dialect/app.h"
#include "json/json_in.h"
#include "json/json_out.h"
#include "store/limits.h"

static inline struct app *app_of(struct exchange *x)
{
    return x->app;
}

/* The session that the path names. */
static inline struct str session_of(const struct exchange *x)
{
    return x->request.params[0];
}

/* The place of a parameter in the route's table of queries. */
static inline struct str query_text(const struct exchange *x, size_t i)
{
    return x->request.query[i];
}

static inline bool query_given(const struct exchange *x, size_t i)
{
    return x->request.query[i].p != NULL;
}

/* A number, or `missing` when it was not given. */
static inline int64_t query_number(const struct exchange *x, size_t i, int64_t missing)
{
    return query_given(x, i) ? x->request.query_int[i] : missing;
}

static inline bool query_flag(const struct exchange *x, size_t i)
{
    return query_given(x, i) && x->request.query_int[i] != 0;
}

/* ---- bodies ---- */

/* The members of the request's body; an empty body is {}. */
FAULT_CHECK enum fault_code body_members(struct exchange *x, struct json_member *members,
                                         size_t count, struct fault *fault);

/* The text of a member; STR_NONE when it was not given. */
struct str member_text(struct exchange *x, const struct json_member *member);

/* Begins the reply's body: an object is open. */
void reply_open(struct exchange *x, struct json_out *out);

/* Ends it. FAULT_TOO_LARGE when it did not fit. */
FAULT_CHECK enum fault_code reply_close(struct exchange *x, struct json_out *out,
                                        struct fault *fault);

/* FAULT_TOO_LARGE when what was written did not fit. */
FAULT_CHECK enum fault_code reply_check(const struct exchange *x, struct fault *fault);

/* A reply that is one object, written by `write`. */
FAULT_CHECK enum fault_code reply_object(struct exchange *x,
                                         void (*write)(struct json_out *out, const void *object),
                                         const void *object, struct fault *fault);

/* For a visit that has seen enough: ends the verb with a fault that is none. */
static inline enum fault_code visit_enough(struct fault *fault)
{
    return fault_set(fault, FAULT_INTERRUPTED, "enough was read");
}

/* The request may do this beyond what its route asks. FAULT_FORBIDDEN. */
FAULT_CHECK enum fault_code caller_may(const struct exchange *x, enum right right, const char *what,
                                       struct fault *fault);

/*
 * The agent that a session is to have must be there: FAULT_AGENT_NOT_FOUND. What is no name of one
 * is left to the engine, and what the key answers to the verb.
 */
FAULT_CHECK enum fault_code agent_check(struct exchange *x, struct str name, struct once *once,
                                        struct fault *fault);

#endif
