#include "prose.h"

enum { VOCABULARY = 4096, SYLLABLES = 16 };

static uint64_t next(struct prose *prose)
{
    prose->state = prose->state * 6364136223846793005U + 1442695040888963407U;
    return prose->state >> 33;
}

/* The smaller of two draws, twice: words with small numbers come often. */
static uint64_t word_draw(struct prose *prose)
{
    uint64_t a = next(prose) % VOCABULARY, b = next(prose) % VOCABULARY;
    uint64_t c = next(prose) % VOCABULARY, low = a < b ? a : b;

    return low < c ? low * low / VOCABULARY : c * c / VOCABULARY;
}

static void word_add(uint64_t number, struct buf *out)
{
    static const char syllables[SYLLABLES][3] = {"ta", "bo", "ri", "ne", "mu", "ka", "so", "li",
                                                 "de", "vu", "pa", "go", "fi", "he", "ju", "wa"};

    buf_add_text(out, syllables[number % SYLLABLES]);
    buf_add_text(out, syllables[number / SYLLABLES % SYLLABLES]);
    if (number / SYLLABLES / SYLLABLES)
        buf_add_text(out, syllables[number / SYLLABLES / SYLLABLES]);
}

void prose_add(struct prose *prose, size_t bytes, struct buf *out)
{
    size_t end = out->n + bytes;

    if (prose->texts++ % PROSE_RARE_EVERY == PROSE_RARE_EVERY / 2)
        buf_add_text(out, PROSE_RARE " ");
    while (out->n + 7 < end) {
        word_add(word_draw(prose), out);
        buf_add_char(out, ' ');
    }
    while (out->n < end)
        buf_add_char(out, '.');
}
