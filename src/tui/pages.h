/*
 * Pages of a conversation that are in memory: copies of messages with no more than is shown of them
 * (see message_copy_shown), the least recently asked for dropped when there are too many or they
 * are too large.
 */
#ifndef TUI_PAGES_H
#define TUI_PAGES_H

#include "base/arena.h"

#include <stdint.h>
#include <tine.h>

enum {
    PAGE_MESSAGES = 50,
    PAGES_MAX = 24,
    PAGES_BYTES = 8 * 1024 * 1024,
    PAGES_KEPT = 3 /* the newest stay however large they are: they are on the screen */
};

struct pages;

struct pages *pages_new(void);
void pages_free(struct pages *pages);
void pages_clear(struct pages *pages); /* forgets all */

/* NULL: it is not here. */
const struct tine_message *pages_find(struct pages *pages, int64_t index);

/* The first place of that page which is not here; all of it is when that is the next page's. */
int64_t pages_missing(const struct pages *pages, int64_t page);
bool pages_has(const struct pages *pages, int64_t page);
size_t pages_page_bytes(const struct pages *pages, int64_t page);

/*
 * Copies messages with places that follow one another into their pages, as far as they stand behind
 * what is there. `asked`: they are about to be seen; else they go before those that are.
 */
void pages_put(struct pages *pages, const struct tine_message *messages, size_t count, bool asked);

#endif
