/* The escapes of JSON strings: there and back for any bytes, and never more than the input. */
#include "fuzz.h"

#include "base/escape.h"
#include "base/utf8.h"

#include <assert.h>

enum { ESCAPED_MAX = 6 }; /* bytes that one byte becomes: \u001f */

static void there_and_back(struct str bytes)
{
    struct buf escaped, back;

    buf_init(&escaped, bytes.n * ESCAPED_MAX);
    buf_init(&back, bytes.n);
    escape_json(&escaped, bytes);
    assert(!escaped.full);
    for (size_t i = 0; i < escaped.n; i++)
        assert((unsigned char)escaped.p[i] >= 0x20);
    unescape_json(&back, buf_str(&escaped));
    assert(!back.full && str_eq(buf_str(&back), bytes));
    buf_clear(&escaped);
    buf_clear(&back);
}

static void unescape(struct str bytes)
{
    struct buf text;

    buf_init(&text, bytes.n);
    unescape_json(&text, bytes);
    assert(!text.full);
    if (utf8_valid(bytes))
        assert(utf8_valid(buf_str(&text)));
    buf_clear(&text);
}

/* Valid text is the same when it is taken apart and put together; a cut leaves valid text. */
static void utf8(struct str bytes)
{
    bool valid = utf8_valid(bytes);
    struct buf again;
    char one[4];

    buf_init(&again, bytes.n * 3);
    for (size_t at = 0; at < bytes.n;) {
        size_t before = at;
        uint32_t point = utf8_next(bytes, &at);

        assert(at > before && at <= bytes.n && point <= 0x10ffff);
        buf_add(&again, one, utf8_encode(point, one));
    }
    assert(!again.full && utf8_valid(buf_str(&again)));
    assert(str_eq(buf_str(&again), bytes) == valid);
    for (size_t max = 0; max < 8 && max <= bytes.n; max++) {
        struct str cut = utf8_cut(bytes, max);

        assert(cut.n <= max && (!valid || (utf8_valid(cut) && max - cut.n < 4)));
    }
    buf_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};

    there_and_back(bytes);
    unescape(bytes);
    utf8(bytes);
    return 0;
}
