/* Pages that are kept: found again, bounded, let go in the order of use, held by whom they serve.
 */
#include "support/check.h"

#include "dialect/page_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const struct page_cache_limits small = {.pages = 4, .bytes = 10000, .page_bytes = 2000};

static struct page_key key(int64_t number)
{
    return (struct page_key){{7, number}};
}

/* A page of n bytes, all the letter. */
static struct kept_page *put(struct page_cache *cache, int64_t age, int64_t number, char letter,
                             size_t n)
{
    struct page_key under = key(number);
    struct buf body;
    struct kept_page *page;

    buf_init(&body, 1 << 20);
    memset(buf_extend(&body, n), letter, n);
    page = page_cache_put(cache, age, &under, &body);
    assert_int_equal(body.p == NULL, page != NULL); /* taken over, or left */
    buf_clear(&body);
    return page;
}

static void put_away(struct page_cache *cache, int64_t age, int64_t number, char letter, size_t n)
{
    kept_page_unref(put(cache, age, number, letter, n));
}

/* The first letter of what is there; 0: nothing. */
static char look(struct page_cache *cache, int64_t age, int64_t number)
{
    struct page_key under = key(number);
    struct kept_page *page = page_cache_find(cache, age, &under);
    char letter;

    if (!page)
        return 0;
    letter = kept_page_bytes(page).p[0];
    kept_page_unref(page);
    return letter;
}

static struct page_cache_counts counts_of(struct page_cache *cache)
{
    struct page_cache_counts counts;

    page_cache_count(cache, &counts);
    return counts;
}

static void what_was_put_is_found(void **context)
{
    struct page_cache *cache = page_cache_new(&small);
    struct page_key other = key(1);

    (void)context;
    assert_int_equal(look(cache, 0, 1), 0);
    put_away(cache, 0, 1, 'a', 10);
    put_away(cache, 0, 2, 'b', 20);
    assert_int_equal(look(cache, 0, 1), 'a');
    assert_int_equal(look(cache, 0, 2), 'b');
    for (size_t i = 0; i < PAGE_KEY_NUMBERS; i++) { /* every number counts */
        other = key(1);
        other.numbers[i]++;
        if (i != 1)
            assert_null(page_cache_find(cache, 0, &other));
    }
    put_away(cache, 0, 1, 'c', 10); /* two were as quick: the later one stays */
    assert_int_equal(look(cache, 0, 1), 'c');
    assert_int_equal(counts_of(cache).pages, 2);
    assert_int_equal(counts_of(cache).found, 3);
    page_cache_free(cache);
}

static void the_one_not_used_for_longest_goes_first(void **context)
{
    struct page_cache *cache = page_cache_new(&small);

    (void)context;
    for (int i = 1; i <= 4; i++)
        put_away(cache, 0, i, 'a', 10);
    assert_int_equal(look(cache, 0, 1), 'a');
    put_away(cache, 0, 5, 'a', 10); /* there is room for four */
    assert_int_equal(look(cache, 0, 2), 0);
    for (int i = 1; i <= 5; i++)
        if (i != 2)
            assert_int_equal(look(cache, 0, i), 'a');
    page_cache_free(cache);
}

static void bytes_are_bounded(void **context)
{
    const struct page_cache_limits limits = {.pages = 100, .bytes = 10000, .page_bytes = 2000};
    struct page_cache *cache = page_cache_new(&limits);

    (void)context;
    assert_null(put(cache, 0, 1, 'a', 2001));
    assert_int_equal(counts_of(cache).pages, 0);
    for (int i = 0; i < 50; i++) {
        put_away(cache, 0, i, 'a', 2000);
        assert_true(counts_of(cache).bytes <= 10000);
        assert_int_equal(look(cache, 0, i), 'a');
    }
    assert_int_equal(counts_of(cache).pages, 4);
    assert_true(counts_of(cache).bytes > 8000);
    page_cache_clear(cache);
    assert_int_equal(counts_of(cache).bytes, 0);
    page_cache_free(cache);
}

static void a_new_age_ends_the_one_before(void **context)
{
    struct page_cache *cache = page_cache_new(&small);

    (void)context;
    put_away(cache, 3, 1, 'a', 10);
    put_away(cache, 3, 2, 'b', 10);
    assert_int_equal(look(cache, 4, 1), 0);
    assert_int_equal(counts_of(cache).pages, 0); /* at once, not when it is asked for */
    put_away(cache, 3, 1, 'a', 10);              /* somebody was slow */
    assert_int_equal(counts_of(cache).pages, 0);
    assert_int_equal(look(cache, 3, 1), 0);
    put_away(cache, 4, 1, 'c', 10);
    assert_int_equal(look(cache, 4, 1), 'c');
    page_cache_free(cache);
}

static void a_page_that_is_held_stays(void **context)
{
    struct page_cache *cache = page_cache_new(&small);
    struct kept_page *first = put(cache, 0, 1, 'a', 100), *second = put(cache, 1, 2, 'b', 100);

    (void)context;
    page_cache_free(cache);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(kept_page_bytes(first).p[i], 'a');
        assert_int_equal(kept_page_bytes(second).p[i], 'b');
    }
    assert_int_equal(kept_page_bytes(first).n, 100);
    kept_page_unref(first);
    kept_page_unref(second);
}

enum { THREADS = 4, ROUNDS = 20000, KEYS = 24 };

/* Each finds or puts pages of which all bytes say under which key and in which age they are. */
static void *reader(void *context)
{
    struct page_cache *cache = context;
    unsigned chance = (unsigned)(uintptr_t)&chance;

    for (int i = 0; i < ROUNDS; i++) {
        int64_t number = rand_r(&chance) % KEYS, age = i / (ROUNDS / 8);
        char letter = (char)('a' + number);
        struct page_key under = key(number);
        struct kept_page *page = page_cache_find(cache, age, &under);
        struct str bytes;

        if (!page)
            page = put(cache, age, number, letter, 64 + (size_t)number);
        bytes = kept_page_bytes(page);
        if (bytes.n != 64 + (size_t)number || bytes.p[0] != letter ||
            bytes.p[bytes.n - 1] != letter)
            return "a page of another key";
        kept_page_unref(page);
    }
    return NULL;
}

static void threads_share_it(void **context)
{
    const struct page_cache_limits limits = {.pages = 16, .bytes = 4000, .page_bytes = 200};
    struct page_cache *cache = page_cache_new(&limits);
    pthread_t threads[THREADS];
    struct page_cache_counts counts;
    void *wrong;

    (void)context;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, reader, cache), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    counts = counts_of(cache);
    assert_int_equal(counts.found + counts.missed, THREADS * ROUNDS);
    assert_true(counts.found > 0);
    assert_true(counts.bytes <= 4000);
    page_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found),
        cmocka_unit_test(the_one_not_used_for_longest_goes_first),
        cmocka_unit_test(bytes_are_bounded),
        cmocka_unit_test(a_new_age_ends_the_one_before),
        cmocka_unit_test(a_page_that_is_held_stays),
        cmocka_unit_test(threads_share_it),
    };

    return cmocka_run_group_tests_name("dialect_page_cache", tests, NULL, NULL);
}
