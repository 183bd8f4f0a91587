/* A cursor, and a point as one word, as they come in a query of the native API. */
#include "fuzz.h"

#include "dialect/native/handler.h"

#include <assert.h>

static void cursor_check(struct str text)
{
    struct cursor cursor = {.kind = 'h', .subject = STR("s")};
    struct arena arena;
    struct fault fault;

    if (cursor_read(text, &cursor, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID);
        return;
    }
    /* A cursor that is taken is the only way to write what it says. */
    arena_init(&arena);
    assert(str_eq(cursor_write(&cursor, &arena), text));
    cursor.kind = 'j';
    assert(cursor_read(text, &cursor, &fault) == FAULT_INVALID);
    arena_clear(&arena);
}

static void point_check(struct str text)
{
    struct point_spec spec;
    struct fault fault;

    if (point_word_read(text, "at", true, &spec, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID);
        return;
    }
    assert(spec.by == POINT_INDEX || spec.name.n > 0);
    assert(spec.by != POINT_INDEX || (text.p[0] == '-' ? spec.ordinal < 0 : spec.ordinal >= 0));
}

/* Any bytes make a cursor that is read as it was written. */
static void round_check(const uint8_t *data, size_t size)
{
    struct cursor cursor = {.kind = 'n', .subject = {(const char *)data, size}}, again;
    struct arena arena;
    struct fault fault;
    enum fault_code code;

    for (size_t i = 0; i < sizeof(cursor.numbers) && i < size; i++)
        cursor.numbers[i / 8] = (int64_t)((uint64_t)cursor.numbers[i / 8] << 8 | data[i]);
    again = (struct cursor){.kind = 'n', .subject = cursor.subject};
    arena_init(&arena);
    code = cursor_read(cursor_write(&cursor, &arena), &again, &fault);
    assert(code == FAULT_OK);
    assert(memcmp(cursor.numbers, again.numbers, sizeof(cursor.numbers)) == 0);
    arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};

    cursor_check(text);
    point_check(text);
    round_check(data, size);
    return 0;
}
