/* A request as the handlers see it: complete, its path matched, its query read, its caller known.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "base/arena.h"

#include <stdint.h>

enum http_method {
    HTTP_GET,
    HTTP_HEAD, /* routed as GET; the body of the reply is not sent */
    HTTP_POST,
    HTTP_PUT,
    HTTP_PATCH,
    HTTP_DELETE,
    HTTP_OPTIONS,
    HTTP_METHOD_COUNT
};

enum { REQUEST_PARAMS_MAX = 4, REQUEST_QUERY_MAX = 16, REQUEST_ID_BYTES = 64 };

/* What a caller may do; each has those before it. */
enum right {
    RIGHT_NONE,  /* everybody, known or not */
    RIGHT_READ,  /* look at the own sessions */
    RIGHT_WRITE, /* change them */
    RIGHT_RUN,   /* let agents answer in them */
    RIGHT_ADMIN  /* define agents, see metrics */
};

struct caller {
    int64_t owner;          /* whose the new sessions are */
    int64_t sees;           /* OWNER_ANY for the local operator of an open server, else `owner` */
    struct str name;        /* of the user */
    enum right right;       /* the highest */
    bool open;              /* the server is open: this is the local operator */
    bool speaks_for_others; /* a user named in the request is believed: it comes from a proxy that
                               knows its users, or the server is open */
};

struct request_header {
    struct str name, value;
};

struct request {
    enum http_method method;
    struct str target;                     /* as it came, for the log */
    struct str path;                       /* decoded, without the query */
    struct str raw_path;                   /* … as it came */
    struct str raw_query;                  /* what stands after the "?", as it came */
    const char *path_flaw;                 /* as of struct target */
    struct str params[REQUEST_PARAMS_MAX]; /* what stands for each {…} of the route, decoded; {…*}
                                              may be any bytes */
    struct str query[REQUEST_QUERY_MAX];   /* values in the order of the route's table; p == NULL:
                                              not given */
    int64_t query_int[REQUEST_QUERY_MAX]; /* of those that are numbers or flags */
    const struct request_header *headers;
    size_t header_count;
    struct str body;
    struct caller caller;
    struct str id;   /* the request's own, in the log and in the header Tine-Request-Id */
    struct str peer; /* address of the other side, for the log */
    const char
        *door; /* name of the listener that it came through: a dialect's; NULL: the main one */
};

const char *request_method_name(enum http_method method); /* "other" for one that is unknown */

/* The value of the header, names compared without case; p == NULL when it was not sent. */
struct str request_header(const struct request *request, const char *name);

/* The Accept header wants (or, without one, would take) this media type. */
bool request_accepts(const struct request *request, const char *type);

/* The same, but by name only: a wildcard does not ask for a stream. */
bool request_asks_for(const struct request *request, const char *type);

#endif
