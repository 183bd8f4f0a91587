/* A server that says what it was told to say, one reply a connection, and remembers the requests.
 */
#ifndef CLIENT_SCRIPTED_H
#define CLIENT_SCRIPTED_H

#include "base/str.h"

struct scripted_reply {
    struct str bytes; /* all of it, with status line and headers; then the connection ends */
    size_t step;      /* bytes of each write, with a moment between them; 0: all at once */
    bool stay;        /* the connection stays until the client ends it */
};

struct scripted;

/* Replies to the first `count` requests; after that nobody is let in. */
struct scripted *scripted_start(const struct scripted_reply *replies, size_t count);
const char *scripted_url(const struct scripted *scripted);
void scripted_stop(struct scripted *scripted); /* takes NULL */

/* A request as it came, from 0; waits until it is there. "" when it never came. */
const char *scripted_request(struct scripted *scripted, size_t i);
size_t scripted_count(struct scripted *scripted); /* requests so far */

#endif
