/* Ids and starts of ids. */
#include "fuzz.h"

#include "base/id.h"

#include <assert.h>

static struct str text_of(const struct id *id, char room[ID_TEXT + 1])
{
    id_format(id, room);
    assert(strlen(room) == ID_TEXT);
    return (struct str){room, ID_TEXT};
}

static void range_check(struct str start, const struct id *first, const struct id *last)
{
    char room[ID_TEXT + 1];

    assert(memcmp(first->b, last->b, ID_BYTES) <= 0);
    assert(str_starts(text_of(first, room), start));
    assert(str_starts(text_of(last, room), start));
}

/* Every start of an id names a range that the id is in. */
static void id_check(struct str text, const struct id *id)
{
    struct id first, last, again;
    char room[ID_TEXT + 1];

    assert(str_eq(text_of(id, room), text));
    for (size_t n = 1; n <= ID_TEXT; n++) {
        assert(id_range((struct str){text.p, n}, &first, &last));
        assert(memcmp(first.b, id->b, ID_BYTES) <= 0 && memcmp(id->b, last.b, ID_BYTES) <= 0);
    }
    assert(memcmp(first.b, last.b, ID_BYTES) == 0);
    assert(id_parse(text, &again) && memcmp(again.b, id->b, ID_BYTES) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct id id, first, last;

    if (id_parse(text, &id))
        id_check(text, &id);
    if (id_range(text, &first, &last))
        range_check(text, &first, &last);
    if (size >= ID_BYTES) {
        char room[ID_TEXT + 1];

        memcpy(id.b, data, ID_BYTES);
        id_check(text_of(&id, room), &id);
    }
    return 0;
}
