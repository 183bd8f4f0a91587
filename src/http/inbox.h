/*
 * What other threads have for the loop. Many letters, one wake-up. It lives until the last who may
 * write has let go of it, which can be after its server is gone.
 */
#ifndef HTTP_INBOX_H
#define HTTP_INBOX_H

#include <stdbool.h>
#include <uv.h>

/* Part of whatever is sent. */
struct letter {
    struct letter *next;
    void (*deliver)(struct letter *letter); /* on the loop */
};

struct inbox;

struct inbox *inbox_new(uv_async_t *wake);
struct inbox *inbox_ref(struct inbox *inbox);
void inbox_unref(struct inbox *inbox); /* accepts NULL */

/* False when the loop is gone: the letter stays the caller's. From any thread. */
bool inbox_put(struct inbox *inbox, struct letter *letter);

void inbox_deliver(struct inbox *inbox); /* all letters, in their order; on the loop */
void inbox_close(struct inbox *inbox);   /* no more letters */

#endif
