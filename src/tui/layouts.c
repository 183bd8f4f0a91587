#include "tui/layouts.h"

#include <stdlib.h>

enum {
    BUCKETS = 64,
    MINUTE_MS = 60 * 1000, /* ages in headings are no finer */
    BLOCK_BYTES = 4 * 1024 /* the least that an arena takes */
};

struct layout {
    struct layout *next; /* of its bucket */
    struct layout_key key;
    struct message_lay_options options; /* its label is in the arena */
    struct arena arena;
    struct laid laid;
    size_t bytes;
    uint64_t used;
};

struct layouts {
    struct layout *buckets[BUCKETS];
    size_t count, bytes;
    uint64_t clock;
};

struct layouts *layouts_new(void)
{
    struct layouts *layouts = calloc(1, sizeof(*layouts));

    if (!layouts)
        abort();
    return layouts;
}

size_t layouts_bytes(const struct layouts *layouts)
{
    return layouts->bytes;
}

/* Takes it out of its bucket, where *at points to it, and frees it. */
static void drop(struct layouts *layouts, struct layout **at)
{
    struct layout *layout = *at;

    *at = layout->next;
    layouts->count--;
    layouts->bytes -= layout->bytes;
    arena_clear(&layout->arena);
    free(layout);
}

void layouts_clear(struct layouts *layouts)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (layouts->buckets[i])
            drop(layouts, &layouts->buckets[i]);
}

void layouts_free(struct layouts *layouts)
{
    if (!layouts)
        return;
    layouts_clear(layouts);
    free(layouts);
}

static bool label_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same(const struct layout *layout, struct layout_key key,
                    const struct message_lay_options *options)
{
    const struct message_lay_options *mine = &layout->options;

    return layout->key.version == key.version && mine->width == options->width &&
           mine->open == options->open && mine->numbered == options->numbered &&
           mine->now_ms / MINUTE_MS == options->now_ms / MINUTE_MS &&
           label_same(mine->label, options->label);
}

/* Drops the least recently used ones while they are too large. */
static void shrink(struct layouts *layouts)
{
    while (layouts->bytes > LAYOUTS_BYTES && layouts->count > LAYOUTS_KEPT) {
        struct layout **oldest = NULL;

        for (size_t i = 0; i < BUCKETS; i++)
            for (struct layout **at = &layouts->buckets[i]; *at; at = &(*at)->next)
                if (!oldest || (*at)->used < (*oldest)->used)
                    oldest = at;
        drop(layouts, oldest);
    }
}

static size_t laid_bytes(struct laid laid)
{
    size_t bytes = laid.count * sizeof(struct line);

    for (size_t i = 0; i < laid.count; i++) {
        bytes += laid.lines[i].count * sizeof(struct span);
        for (size_t k = 0; k < laid.lines[i].count; k++)
            bytes += laid.lines[i].spans[k].text.n;
    }
    return 2 * bytes; /* what was grown on the way stays in the arena, too */
}

static struct layout *layout_new(struct layout_key key, const struct tine_message *message,
                                 const struct message_lay_options *options)
{
    struct layout *layout = calloc(1, sizeof(*layout));

    if (!layout)
        abort();
    arena_init(&layout->arena);
    layout->key = key;
    layout->options = *options;
    if (options->label)
        layout->options.label = arena_dup(&layout->arena, str_of(options->label)).p;
    layout->laid = message_lay(message, &layout->options, &layout->arena);
    layout->bytes = sizeof(*layout) + BLOCK_BYTES + laid_bytes(layout->laid);
    return layout;
}

struct laid layouts_get(struct layouts *layouts, struct layout_key key,
                        const struct tine_message *message,
                        const struct message_lay_options *options)
{
    struct layout **bucket = &layouts->buckets[(uint64_t)key.index % BUCKETS];
    struct layout **at = bucket, *layout;

    while (*at && ((*at)->key.index != key.index || !is_same(*at, key, options)))
        if ((*at)->key.index == key.index && (*at)->key.version != key.version)
            drop(layouts, at); /* nobody asks for it again */
        else
            at = &(*at)->next;
    layout = *at;
    if (!layout) {
        layout = layout_new(key, message, options);
        layout->next = *bucket;
        *bucket = layout;
        layouts->count++;
        layouts->bytes += layout->bytes;
    }
    layout->used = ++layouts->clock;
    shrink(layouts); /* never the newest */
    return layout->laid;
}
