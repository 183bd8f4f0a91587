/* What the calls of the library are made of: a path, a body, one request, a result. */
#ifndef CLIENT_ERRAND_H
#define CLIENT_ERRAND_H

#include "client/path.h"
#include "client/reply.h"
#include "client/transfer.h"
#include "json/json_out.h"

enum { BODY_BYTES_MAX = 40 * 1024 * 1024 };

struct errand {
    struct tine *tine;
    struct path path;
    struct buf text; /* the body, while it is written */
    struct json_out body;
    bool has_body;
    bool usage_wrong; /* the error is set already: an argument cannot be sent */
    struct tine_error *error;
    struct transfer transfer;
};

void errand_begin(struct errand *errand, struct tine *tine, const char *method,
                  struct tine_error *error);

/* The same with the path "/sessions/{session}" and what follows it. */
void errand_begin_session(struct errand *errand, struct tine *tine, const char *method,
                          const char *session, const char *then, struct tine_error *error);

/* Begins the body: an object is open in errand->body. */
void errand_body(struct errand *errand);

/* Members of the body. Left out when NULL, or false. */
void errand_text(struct errand *errand, const char *name, const char *value);
void errand_json(struct errand *errand, const char *name, const char *json);
void errand_flag(struct errand *errand, const char *name, bool value);

/* Sends it, reads the reply into *out (may be NULL) and clears it. */
bool errand_end(struct errand *errand, enum reply_shape shape, struct tine_result **out);

/* Sends it only; the reply is in errand->transfer. errand_clear follows. */
bool errand_send(struct errand *errand);
void errand_clear(struct errand *errand);

/* The result of a reply that is in errand->transfer. */
bool errand_result(struct errand *errand, enum reply_shape shape, struct tine_result **out);

/* An empty result, with its arena. */
struct tine_result *result_new(struct arena **arena);

#endif
