/*
 * Bundles that clients send: what is taken of one stays inside and within its limits. Inputs are
 * tar without gzip, so that a fuzzer can reach what is in them: they are packed here.
 */
#include "fuzz.h"

#include "workspace/bundle.h"
#include "workspace/path.h"

#include <assert.h>

static const struct bundle_limits limits = {.files = 100, .bytes = 100000};

struct taken {
    int64_t files, bytes;
};

static enum fault_code take(void *context, struct str path, unsigned mode, struct str content,
                            struct fault *fault)
{
    struct taken *taken = context;

    assert(path_check(path, false, fault) == FAULT_OK);
    assert(mode > 0 && mode <= 0777);
    taken->files++;
    taken->bytes += (int64_t)content.n;
    assert(taken->files <= limits.files && taken->bytes <= limits.bytes);
    return FAULT_OK;
}

static uint32_t crc_of(const uint8_t *data, size_t size)
{
    uint32_t crc = ~UINT32_C(0);

    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static void add_number(struct buf *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_add_char(out, (char)(value >> 8 * i));
}

/* gzip without compression. */
static void pack(const uint8_t *data, size_t size, struct buf *out)
{
    enum { PIECE = 65535 };
    size_t at = 0;

    buf_add(out, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
    do {
        size_t n = size - at < PIECE ? size - at : PIECE;

        buf_add_char(out, at + n == size);
        add_number(out, (uint32_t)n, 2);
        add_number(out, ~(uint32_t)n, 2);
        buf_add(out, n ? (const char *)data + at : "", n);
        at += n;
    } while (at < size);
    add_number(out, crc_of(data, size), 4);
    add_number(out, (uint32_t)size, 4);
}

static void try(struct str bytes, struct arena *arena)
{
    struct taken taken = {0};
    struct fault fault;
    enum fault_code code = bundle_read(bytes, &limits, arena, take, &taken, &fault);

    assert(code == FAULT_OK || code == FAULT_INVALID || code == FAULT_PATH_INVALID ||
           code == FAULT_TOO_LARGE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct buf bytes;

    arena_init(&arena);
    buf_init(&bytes, 2 * size + 64);
    pack(data, size, &bytes);
    try((struct str){(const char *)data, size}, &arena);
    try(buf_str(&bytes), &arena);
    buf_clear(&bytes);
    arena_clear(&arena);
    return 0;
}
