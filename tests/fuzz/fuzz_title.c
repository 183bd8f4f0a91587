/* Titles of forks, taken apart and made. */
#include "fuzz.h"

#include "base/utf8.h"
#include "store/limits.h"
#include "store/title.h"

#include <assert.h>

/* What is made of a base and a number comes apart into them again. */
static void series_check(struct str base, int64_t number)
{
    struct arena arena;
    struct title title;
    struct str made;

    arena_init(&arena);
    made = title_make(base, number, &arena);
    title = title_parse(made);
    assert(made.n <= LIMIT_TITLE_BYTES);
    assert(str_eq(title.base, base) && title.number == number);
    assert(str_eq(title_fork_base(made), base));
    arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size}, base = title_fork_base(text);
    struct title title = title_parse(text);

    assert(title.number >= 0 && title.number <= TITLE_FORK_MAX);
    assert(str_starts(text, title.base) && str_starts(title.base, base));
    if (title.base.n == text.n)
        assert(title.number == 0);
    /* The engine lets no other title through. */
    if (utf8_valid(text) && (size == 0 || !memchr(data, '\0', size))) {
        assert(utf8_valid(base));
        series_check(base, 1);
        series_check(base, TITLE_FORK_MAX);
        series_check(base, title.number < TITLE_FORK_MAX ? title.number + 1 : 7);
    }
    return 0;
}
