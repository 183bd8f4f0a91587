/*
 * What a terminal answers when it is asked for its ground: nothing but whole answers is taken out,
 * in whatever pieces they come.
 */
#include "fuzz.h"

#include "tui/terminal.h"

#include <assert.h>

/* Is what is left part of what came, in its order? */
static bool is_part(struct str left, struct str came)
{
    size_t at = 0;

    for (size_t i = 0; i < came.n && at < left.n; i++)
        at += left.p[at] == came.p[i];
    return at == left.n;
}

static void sift(struct str bytes, size_t step)
{
    enum palette_ground ground = PALETTE_UNKNOWN;
    bool last = false;
    struct buf buf;

    buf_init(&buf, TERMINAL_EARLY_MAX);
    for (size_t at = 0; at < bytes.n && !last && !buf.full; at += step) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;

        buf_add(&buf, bytes.p + at, n);
        last = terminal_sift(&buf, &ground);
        assert(ground >= PALETTE_UNKNOWN && ground <= PALETTE_LIGHT);
        assert(is_part(buf_str(&buf), (struct str){bytes.p, at + n}));
        if (!memchr(bytes.p, '\x1b', at + n))
            assert(buf.n == at + n); /* without one there is no answer */
    }
    buf_clear(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};

    if (size > TERMINAL_EARLY_MAX)
        return 0;
    sift(bytes, size + 1);
    sift(bytes, 1 + size % 7);
    palette_ground_answered(bytes);
    return 0;
}
