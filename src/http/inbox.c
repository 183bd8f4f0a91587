#include "http/inbox.h"

#include <pthread.h>
#include <stdlib.h>

struct inbox {
    pthread_mutex_t lock; /* of all below */
    uv_async_t *wake;     /* NULL: closed */
    struct letter *first, **last;
    int refs;
};

struct inbox *inbox_new(uv_async_t *wake)
{
    struct inbox *inbox = calloc(1, sizeof(*inbox));

    if (!inbox)
        abort();
    pthread_mutex_init(&inbox->lock, NULL);
    inbox->wake = wake;
    inbox->last = &inbox->first;
    inbox->refs = 1;
    return inbox;
}

struct inbox *inbox_ref(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->refs++;
    pthread_mutex_unlock(&inbox->lock);
    return inbox;
}

void inbox_unref(struct inbox *inbox)
{
    int left;

    if (!inbox)
        return;
    pthread_mutex_lock(&inbox->lock);
    left = --inbox->refs;
    pthread_mutex_unlock(&inbox->lock);
    if (left)
        return;
    pthread_mutex_destroy(&inbox->lock);
    free(inbox);
}

bool inbox_put(struct inbox *inbox, struct letter *letter)
{
    bool open;

    letter->next = NULL;
    pthread_mutex_lock(&inbox->lock);
    open = inbox->wake != NULL;
    if (open) {
        /* Whoever finds it empty wakes the loop; the others come along. */
        if (!inbox->first)
            uv_async_send(inbox->wake);
        *inbox->last = letter;
        inbox->last = &letter->next;
    }
    pthread_mutex_unlock(&inbox->lock);
    return open;
}

void inbox_deliver(struct inbox *inbox)
{
    struct letter *letter;

    pthread_mutex_lock(&inbox->lock);
    letter = inbox->first;
    inbox->first = NULL;
    inbox->last = &inbox->first;
    pthread_mutex_unlock(&inbox->lock);
    while (letter) {
        struct letter *next = letter->next;

        letter->deliver(letter);
        letter = next;
    }
}

void inbox_close(struct inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->wake = NULL;
    pthread_mutex_unlock(&inbox->lock);
}
