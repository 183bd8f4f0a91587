/*
 * What the headers say about the request itself: its body, its host, its token. Here is refused
 * what two readers could understand in two ways (request smuggling).
 */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "base/fault.h"
#include "http/request.h"

struct head {
    bool has_body;     /* one was announced */
    bool chunked;      /* … of unknown length */
    int64_t length;    /* of the body; 0 when chunked */
    bool expects;      /* Expect: 100-continue */
    struct str type;   /* Content-Type, trimmed; empty: none */
    struct str host;   /* Host; p == NULL: none */
    struct str token;  /* of Authorization: Bearer; p == NULL: none */
    struct str origin; /* p == NULL: none */
    bool cross_site;   /* Sec-Fetch-Site: cross-site */
};

/*
 * Reads request->headers. FAULT_MALFORMED, FAULT_EXPECTATION; FAULT_UNAUTHORIZED for an
 * Authorization that is no bearer token. `modern`: HTTP/1.1, where a Host is needed.
 */
FAULT_CHECK enum fault_code head_read(const struct request *request, bool modern, struct head *out,
                                      struct fault *fault);

/* The media type is JSON, in UTF-8 if it says so; "application/x+json" counts. */
bool head_is_json(struct str type);

/* A request id that a client may choose: 1 to REQUEST_ID_BYTES of A-Za-z0-9._- */
bool head_good_id(struct str id);

#endif
