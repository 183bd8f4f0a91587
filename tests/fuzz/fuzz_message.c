/* Messages of the native API: what is taken is something that can be kept and searched. */
#include "fuzz.h"

#include "message/message_in.h"
#include "store/limits.h"

#include <assert.h>

/* A span is the inside of a string: between two quotes, of which none is escaped. */
static void check_spans(const struct entry_spec *entry)
{
    size_t end = 0;

    for (size_t i = 0; i < entry->span_count; i++) {
        const struct span *span = &entry->spans[i];
        struct str string;
        struct json_value value;
        struct fault fault;

        assert(span->from > end && (size_t)span->from + span->length < entry->body.n);
        string = (struct str){entry->body.p + span->from - 1, (size_t)span->length + 2};
        assert(json_read(string, 1, "span", &value, &fault) == FAULT_OK);
        assert(value.type == JSON_STRING && value.raw.n == string.n);
        end = (size_t)span->from + span->length;
    }
}

static void check_entry(const struct entry_spec *entry)
{
    struct json_value value;
    struct fault fault;

    assert(entry->kind == ENTRY_MESSAGE && entry->role > ROLE_NONE && entry->role < ROLE_COUNT);
    assert(json_read(entry->body, LIMIT_JSON_DEPTH + 1, "body", &value, &fault) == FAULT_OK);
    assert(value.type == JSON_OBJECT && value.raw.n == entry->body.n);
    assert(entry->calls >= 0 && entry->results >= 0);
    assert(entry->usage.input >= 0 && entry->usage.output >= 0 && entry->usage.cost >= 0);
    for (size_t i = 1; i < entry->state.count; i++)
        assert(str_cmp(entry->state.items[i - 1].key, entry->state.items[i].key) < 0);
    check_spans(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message_batch batch;
    struct arena arena;
    struct fault fault;
    bool good = false;

    arena_init(&arena);
    if (message_read((struct str){(const char *)data, size}, &arena, &batch, &fault) == FAULT_OK) {
        good = true;
        assert(batch.count > 0 && batch.count <= LIMIT_BATCH_ENTRIES);
        for (size_t i = 0; i < batch.count; i++)
            check_entry(&batch.entries[i]);
    } else {
        assert(fault.code == FAULT_INVALID || fault.code == FAULT_TOO_LARGE);
    }
    /* A send takes all that a message may have, and more. */
    if (good) {
        enum fault_code code =
            message_send_read((struct str){(const char *)data, size}, &arena, &batch, &fault);

        assert(code == FAULT_OK && !batch.expect_head.p && !batch.wait);
    }
    arena_clear(&arena);
    return 0;
}
