#include "dialect/page_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct kept_page {
    struct kept_page *next;          /* in its bucket */
    struct kept_page *newer, *older; /* by last use */
    struct page_key key;
    atomic_int refs; /* the cache's own is one */
    char *bytes;
    size_t n;
};

struct page_cache {
    struct page_cache_limits limits;
    pthread_mutex_t lock; /* of all below */
    struct kept_page **buckets;
    size_t bucket_count; /* a power of two, at least as many as pages */
    struct kept_page *newest, *oldest;
    int64_t age;
    struct page_cache_counts counts;
};

struct page_cache *page_cache_new(const struct page_cache_limits *limits)
{
    struct page_cache *cache = calloc(1, sizeof(*cache));

    if (!cache)
        abort();
    cache->limits = *limits;
    cache->bucket_count = 1;
    while (cache->bucket_count < limits->pages)
        cache->bucket_count *= 2;
    cache->buckets = calloc(cache->bucket_count, sizeof(struct kept_page *));
    if (!cache->buckets)
        abort();
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void page_cache_free(struct page_cache *cache)
{
    if (!cache)
        return;
    page_cache_clear(cache);
    pthread_mutex_destroy(&cache->lock);
    free(cache->buckets);
    free(cache);
}

struct str kept_page_bytes(const struct kept_page *page)
{
    return (struct str){page->bytes, page->n};
}

void kept_page_unref(void *page_)
{
    struct kept_page *page = page_;

    if (atomic_fetch_sub(&page->refs, 1) > 1)
        return;
    free(page->bytes);
    free(page);
}

static size_t cost(const struct kept_page *page)
{
    return page->n + 1 + sizeof(*page);
}

/* Clients choose some of the numbers; a bucket that they fill has no more than all pages in it. */
static struct kept_page **bucket_of(struct page_cache *cache, const struct page_key *key)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < PAGE_KEY_NUMBERS; i++) {
        hash = (hash ^ (uint64_t)key->numbers[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return &cache->buckets[hash & (cache->bucket_count - 1)];
}

/* Where the page hangs in its bucket, or would hang. With the lock held, like all up to `drop`. */
static struct kept_page **place_of(struct page_cache *cache, const struct page_key *key)
{
    struct kept_page **place = bucket_of(cache, key);

    while (*place && memcmp(&(*place)->key, key, sizeof(*key)) != 0)
        place = &(*place)->next;
    return place;
}

static void order_leave(struct page_cache *cache, struct kept_page *page)
{
    *(page->newer ? &page->newer->older : &cache->newest) = page->older;
    *(page->older ? &page->older->newer : &cache->oldest) = page->newer;
}

static void order_enter(struct page_cache *cache, struct kept_page *page)
{
    page->newer = NULL;
    page->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = page;
    cache->newest = page;
}

static void drop(struct page_cache *cache, struct kept_page *page)
{
    assert(page); /* there is one as long as the counts are above 0 */
    *place_of(cache, &page->key) = page->next;
    order_leave(cache, page);
    cache->counts.pages--;
    cache->counts.bytes -= (int64_t)cost(page);
    kept_page_unref(page);
}

static void drop_all(struct page_cache *cache)
{
    while (cache->oldest)
        drop(cache, cache->oldest);
}

/* False when the age is over. */
static bool age_hear(struct page_cache *cache, int64_t age)
{
    if (age > cache->age) {
        drop_all(cache);
        cache->age = age;
    }
    return age == cache->age;
}

static bool over_limits(const struct page_cache *cache)
{
    return cache->counts.pages > (int64_t)cache->limits.pages ||
           cache->counts.bytes > (int64_t)cache->limits.bytes;
}

struct kept_page *page_cache_find(struct page_cache *cache, int64_t age, const struct page_key *key)
{
    struct kept_page *page;

    pthread_mutex_lock(&cache->lock);
    page = age_hear(cache, age) ? *place_of(cache, key) : NULL;
    if (page) {
        atomic_fetch_add(&page->refs, 1);
        order_leave(cache, page);
        order_enter(cache, page);
        cache->counts.found++;
    } else {
        cache->counts.missed++;
    }
    pthread_mutex_unlock(&cache->lock);
    return page;
}

/* The body as a page that the caller holds. */
static struct kept_page *page_of(const struct page_key *key, struct buf *body)
{
    struct kept_page *page = calloc(1, sizeof(*page));
    char *fitting = realloc(body->p, body->n + 1); /* it has grown by doubling */

    if (!page || !fitting)
        abort();
    page->key = *key;
    page->bytes = fitting;
    page->n = body->n;
    atomic_init(&page->refs, 1);
    buf_init(body, body->max);
    return page;
}

struct kept_page *page_cache_put(struct page_cache *cache, int64_t age, const struct page_key *key,
                                 struct buf *body)
{
    struct kept_page *page, **place;

    if (body->full || body->n == 0 || body->n > cache->limits.page_bytes)
        return NULL;
    page = page_of(key, body);
    pthread_mutex_lock(&cache->lock);
    if (age_hear(cache, age)) {
        place = place_of(cache, key);
        if (*place) /* somebody was as quick */
            drop(cache, *place);
        atomic_fetch_add(&page->refs, 1);
        page->next = *place;
        *place = page;
        order_enter(cache, page);
        cache->counts.pages++;
        cache->counts.bytes += (int64_t)cost(page);
        while (over_limits(cache))
            drop(cache, cache->oldest);
    }
    pthread_mutex_unlock(&cache->lock);
    return page; /* NOLINT(clang-analyzer-unix.Malloc): the caller's own count keeps it */
}

void page_cache_clear(struct page_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    drop_all(cache);
    pthread_mutex_unlock(&cache->lock);
}

void page_cache_count(struct page_cache *cache, struct page_cache_counts *out)
{
    pthread_mutex_lock(&cache->lock);
    *out = cache->counts;
    pthread_mutex_unlock(&cache->lock);
}
