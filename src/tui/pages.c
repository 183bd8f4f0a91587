#include "tui/pages.h"

#include "tui/message_copy.h"

#include <stdlib.h>

/* Messages from its first place on, without gaps. */
struct page {
    int64_t number;
    size_t count;
    struct tine_message messages[PAGE_MESSAGES];
    struct arena arena;
    size_t bytes;
    uint64_t used; /* when it was asked for last */
};

struct pages {
    struct page *list[PAGES_MAX + 1]; /* one more while it is looked for which one to drop */
    size_t count;
    size_t bytes;
    uint64_t clock;
};

struct pages *pages_new(void)
{
    struct pages *pages = calloc(1, sizeof(*pages));

    if (!pages)
        abort();
    return pages;
}

static void drop(struct pages *pages, size_t i)
{
    struct page *page = pages->list[i];

    pages->bytes -= page->bytes;
    pages->list[i] = pages->list[--pages->count];
    arena_clear(&page->arena);
    free(page);
}

void pages_clear(struct pages *pages)
{
    while (pages->count)
        drop(pages, 0);
}

void pages_free(struct pages *pages)
{
    if (!pages)
        return;
    pages_clear(pages);
    free(pages);
}

static struct page *find(const struct pages *pages, int64_t number)
{
    for (size_t i = 0; i < pages->count; i++)
        if (pages->list[i]->number == number)
            return pages->list[i];
    return NULL;
}

const struct tine_message *pages_find(struct pages *pages, int64_t index)
{
    struct page *page = index >= 0 ? find(pages, index / PAGE_MESSAGES) : NULL;
    size_t at = (size_t)(index % PAGE_MESSAGES);

    if (!page)
        return NULL;
    page->used = ++pages->clock;
    return at < page->count ? &page->messages[at] : NULL;
}

int64_t pages_missing(const struct pages *pages, int64_t number)
{
    const struct page *page = find(pages, number);

    return number * PAGE_MESSAGES + (page ? (int64_t)page->count : 0);
}

bool pages_has(const struct pages *pages, int64_t number)
{
    return find(pages, number) != NULL;
}

size_t pages_page_bytes(const struct pages *pages, int64_t number)
{
    const struct page *page = find(pages, number);

    return page ? page->bytes : 0;
}

static void shrink(struct pages *pages)
{
    while (pages->count > PAGES_MAX || (pages->count > PAGES_KEPT && pages->bytes > PAGES_BYTES)) {
        size_t oldest = 0;

        for (size_t i = 1; i < pages->count; i++)
            if (pages->list[i]->used < pages->list[oldest]->used)
                oldest = i;
        drop(pages, oldest);
    }
}

static struct page *page_new(struct pages *pages, int64_t number)
{
    struct page *page = calloc(1, sizeof(*page));

    if (!page)
        abort();
    page->number = number;
    page->bytes = sizeof(*page);
    arena_init(&page->arena);
    pages->bytes += page->bytes;
    pages->list[pages->count++] = page;
    return page;
}

static void put(struct pages *pages, const struct tine_message *message, bool asked)
{
    int64_t number = message->index / PAGE_MESSAGES;
    size_t at = (size_t)(message->index % PAGE_MESSAGES);
    struct page *page = find(pages, number);
    size_t bytes;

    if (at != (page ? page->count : 0))
        return;
    if (!page)
        page = page_new(pages, number);
    bytes = message_copy_shown(message, &page->arena, &page->messages[page->count++]);
    page->bytes += bytes;
    pages->bytes += bytes;
    if (asked || page->used == 0)
        page->used = asked ? ++pages->clock : pages->clock; /* else as old as what is seen now */
    shrink(pages);
}

void pages_put(struct pages *pages, const struct tine_message *messages, size_t count, bool asked)
{
    for (size_t i = 0; i < count; i++)
        if (messages[i].index >= 0)
            put(pages, &messages[i], asked);
}
