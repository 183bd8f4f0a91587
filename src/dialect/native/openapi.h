/* What the document says of the routes beyond their table; for the document and for its page. */
#ifndef DIALECT_NATIVE_OPENAPI_H
#define DIALECT_NATIVE_OPENAPI_H

#include "dialect/native/handler.h"

/* Another answer of a route, besides the one in its row. */
struct openapi_extra {
    const char *name; /* of the route */
    int status;
    const char *schema;
    const char *about;
};

/* The next extra of a route after `last` (NULL: the first); NULL at the end. */
const struct openapi_extra *openapi_extra_next(const struct route *route,
                                               const struct openapi_extra *last);

/* The faults that a route has beside those of its row; FAULT_OK at the end. */
enum { OPENAPI_COMMON_MAX = 12 };
void openapi_common_faults(const struct route *route, enum fault_code out[OPENAPI_COMMON_MAX]);

/* A sentence such as the fault would bring. */
const char *openapi_fault_example(enum fault_code code);

const char *openapi_method(enum http_method method); /* "get" */

/* The tables that the document is made of; NULL at the end. */
extern const struct route_table *const openapi_tables[];

#endif
