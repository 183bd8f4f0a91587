/* A fault as application/problem+json (RFC 9457). */
#ifndef HTTP_PROBLEM_H
#define HTTP_PROBLEM_H

#include "http/exchange.h"

enum { PROBLEM_BYTES = 8 * 1024 };

/* Adds the object; what is not UTF-8 in the message is replaced. */
void problem_add(struct buf *out, const struct fault *fault);

/* Makes it the reply, with what stands in x->reply.problem. Retry-After, Allow and WWW-Authenticate
 * are added by the server. */
void problem_write(struct exchange *x, const struct fault *fault);

#endif
