#include "workspace/ends.h"

#include <inttypes.h>
#include <stdlib.h>

void ends_init(struct ends *ends, size_t max)
{
    *ends = (struct ends){.last_room = max / 2};
    buf_init(&ends->first, max - ends->last_room);
}

void ends_clear(struct ends *ends)
{
    buf_clear(&ends->first);
    free(ends->last);
    ends->last = NULL;
}

static void ring_add(struct ends *ends, const char *p, size_t n)
{
    if (!ends->last && ends->last_room) {
        ends->last = malloc(ends->last_room);
        if (!ends->last)
            abort();
    }
    if (n > ends->last_room) {
        p += n - ends->last_room;
        n = ends->last_room;
    }
    while (n) {
        size_t room = ends->last_room - ends->last_at;
        size_t some = n < room ? n : room;

        memcpy(ends->last + ends->last_at, p, some);
        ends->last_at = (ends->last_at + some) % ends->last_room;
        p += some;
        n -= some;
    }
}

void ends_add(struct ends *ends, const char *p, size_t n)
{
    size_t room = ends->first.max - ends->first.n;
    size_t some = n < room ? n : room;

    ends->all += (int64_t)n;
    buf_add(&ends->first, p, some);
    if (n > some)
        ring_add(ends, p + some, n - some);
}

struct str ends_text(const struct ends *ends, struct arena *arena)
{
    int64_t more = ends->all - (int64_t)ends->first.n;
    struct buf text;

    if (more == 0)
        return arena_dup(arena, buf_str(&ends->first));
    buf_init(&text, ends->first.max + ends->last_room + 128);
    buf_add_str(&text, buf_str(&ends->first));
    if (more <= (int64_t)ends->last_room) {
        size_t from = (ends->last_at + ends->last_room - (size_t)more) % ends->last_room;

        for (size_t i = 0; i < (size_t)more; i++)
            buf_add_char(&text, ends->last[(from + i) % ends->last_room]);
    } else {
        buf_add_format(&text, "\n… %" PRId64 " bytes are left out here …\n",
                       more - (int64_t)ends->last_room);
        if (ends->last_room) {
            buf_add(&text, ends->last + ends->last_at, ends->last_room - ends->last_at);
            buf_add(&text, ends->last, ends->last_at);
        }
    }
    return buf_take(&text, arena);
}
