/*
 * Pages that were written once, kept to be given again. What is under a key never changes: a key
 * holds all that its page depends on, and of those that are not asked for any more the ones that
 * were not used for longest go first. From any thread.
 *
 * An age is a number that only grows. A page belongs to the age in which it was put in; when a
 * newer one is heard of, everything of those before is let go at once.
 */
#ifndef DIALECT_PAGE_CACHE_H
#define DIALECT_PAGE_CACHE_H

#include "base/buf.h"

#include <stdint.h>

enum { PAGE_KEY_NUMBERS = 10 };

struct page_key {
    int64_t numbers[PAGE_KEY_NUMBERS];
};

struct page_cache_limits {
    size_t pages, bytes, page_bytes; /* a page is larger than its bytes by about 200 */
};

struct page_cache;
struct kept_page;

struct page_cache *page_cache_new(const struct page_cache_limits *limits);
void page_cache_free(struct page_cache *cache); /* pages that are held stay until let go */

/* The page under that key, held for the caller; NULL: there is none. */
struct kept_page *page_cache_find(struct page_cache *cache, int64_t age,
                                  const struct page_key *key);

/*
 * Takes over the body and keeps it, unless its age is over; what it has become is held for the
 * caller. NULL, and the body as it was, when it is too large to be kept.
 */
struct kept_page *page_cache_put(struct page_cache *cache, int64_t age, const struct page_key *key,
                                 struct buf *body);

void page_cache_clear(struct page_cache *cache);

struct str kept_page_bytes(const struct kept_page *page);
void kept_page_unref(void *page);

struct page_cache_counts {
    int64_t found, missed; /* since it was made */
    int64_t pages, bytes;  /* that are kept now */
};

void page_cache_count(struct page_cache *cache, struct page_cache_counts *out);

#endif
