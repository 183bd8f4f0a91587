/*
 * Any bytes as cells: clusters take the text apart without a gap, steps back are steps forward,
 * and nothing that is shown could change a terminal.
 */
#include "fuzz.h"

#include "base/control.h"
#include "base/utf8.h"
#include "tui/cells.h"

#include <assert.h>
#include <locale.h>

enum { PLACES = 512, FIT_MAX = 40 };

static void check_shown(struct str shown)
{
    assert(utf8_valid(shown));
    for (size_t at = 0; at < shown.n;)
        assert(!control_is(utf8_next(shown, &at)));
}

static void check_clusters(struct str text)
{
    static size_t places[PLACES];
    size_t count = 0, at = 0;

    while (at < text.n) {
        struct cluster cluster;
        size_t begin = at;

        if (count < PLACES)
            places[count] = begin;
        count++;
        cells_next(text, &at, &cluster);
        assert(at > begin && at <= text.n);
        assert(cluster.bytes.p == text.p + begin && cluster.bytes.n == at - begin);
        assert((cluster.columns == 0) == (cluster.bytes.p[at - begin - 1] == '\n'));
        assert((cluster.columns == 0) == (cluster.shown_bytes == 0));
        check_shown((struct str){cluster.shown, cluster.shown_bytes});
    }
    for (; count > 0 && count <= PLACES && text.n < PLACES; count--) {
        at = cells_before(text, at);
        assert(at == places[count - 1]);
    }
}

static void check_texts(struct str text)
{
    struct arena arena;
    struct str clean;

    arena_init(&arena);
    clean = cells_clean(text, &arena);
    check_shown(clean);
    for (int columns = 0; columns < FIT_MAX; columns += 3) {
        int used;
        struct str cut = cells_fit(text, columns, &arena, &used);

        check_shown(cut);
        assert(used <= columns);
    }
    arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};

    setlocale(LC_ALL, "C.UTF-8");
    check_clusters(text);
    check_texts(text);
    setlocale(LC_ALL, "C");
    check_clusters(text);
    check_texts(text);
    return 0;
}
