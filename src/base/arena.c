#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 4 * 1024, FIRST_ROOM = 8 };

struct arena_block {
    struct arena_block *next;
    size_t bytes;
    max_align_t data[];
};

void arena_init(struct arena *arena)
{
    arena->blocks = NULL;
    arena->used = 0;
}

void arena_clear(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;

        free(arena->blocks);
        arena->blocks = next;
    }
    arena->used = 0;
}

static struct arena_block *block_new(size_t bytes)
{
    struct arena_block *block;

    if (bytes > SIZE_MAX - sizeof(*block))
        abort();
    block = calloc(1, sizeof(*block) + bytes);
    if (!block)
        abort();
    block->bytes = bytes;
    return block;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    struct arena_block *block = arena->blocks;
    size_t align = _Alignof(max_align_t);
    void *p;

    if (bytes > SIZE_MAX - align)
        abort();
    bytes = (bytes + align - 1) / align * align;
    if (block && block->bytes - arena->used >= bytes) {
        p = (char *)block->data + arena->used;
        arena->used += bytes;
        return p;
    }
    if (bytes > BLOCK_BYTES / 4 && block) {
        /* A large one gets a block of its own behind the newest, which stays in use. */
        struct arena_block *own = block_new(bytes);

        own->next = block->next;
        block->next = own;
        return own->data;
    }
    block = block_new(bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = bytes;
    return block->data;
}

void *arena_array(struct arena *arena, size_t count, size_t bytes)
{
    if (bytes && count > SIZE_MAX / bytes)
        abort();
    return arena_alloc(arena, count * bytes);
}

void *arena_more(struct arena *arena, void *items, size_t count, size_t *room, size_t bytes)
{
    void *more;

    if (count < *room)
        return items;
    *room = *room ? 2 * *room : FIRST_ROOM;
    more = arena_array(arena, *room, bytes);
    if (count)
        memcpy(more, items, count * bytes);
    return more;
}

struct str arena_dup(struct arena *arena, struct str s)
{
    char *p = arena_alloc(arena, s.n + 1);

    if (s.n)
        memcpy(p, s.p, s.n);
    return (struct str){p, s.n};
}

struct str arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    char *p;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        abort();
    p = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return (struct str){p, (size_t)n};
}
