#include "store/object.h"

#include <stdlib.h>
#include <zstd.h>

/* The first byte of what is packed. */
enum { FORM_RAW, FORM_ZSTD };

enum { LEVEL = 1, ROOM_KEPT = 2 * OBJECT_PIECE_BYTES };

struct packer {
    ZSTD_CCtx *zstd;
    char *room;
    size_t size;
};

void object_name(struct hasher *hasher, enum object_kind kind, struct str content,
                 unsigned char out[HASH_BYTES])
{
    hasher_begin(hasher);
    hasher_add_int(hasher, kind);
    hasher_add(hasher, content.p, content.n);
    hasher_end(hasher, out);
}

struct packer *packer_new(void)
{
    struct packer *packer = calloc(1, sizeof(*packer));

    if (!packer)
        abort();
    packer->zstd = ZSTD_createCCtx();
    if (!packer->zstd)
        abort();
    return packer;
}

void packer_free(struct packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->zstd);
    free(packer->room);
    free(packer);
}

static void room_make(struct packer *packer, size_t size)
{
    if (size <= packer->size)
        return;
    free(packer->room);
    packer->room = malloc(size);
    if (!packer->room)
        abort();
    packer->size = size;
}

/* What an unusually large directory took is not kept for all the files that follow. */
static void room_trim(struct packer *packer)
{
    if (packer->size <= ROOM_KEPT)
        return;
    free(packer->room);
    packer->room = NULL;
    packer->size = 0;
}

struct str object_pack(struct packer *packer, struct str content, struct arena *arena)
{
    size_t bound = ZSTD_compressBound(content.n), packed;
    struct str out;
    char *raw;

    room_make(packer, bound + 1);
    packed = ZSTD_compressCCtx(packer->zstd, packer->room + 1, bound, content.p, content.n, LEVEL);
    if (!ZSTD_isError(packed) && packed < content.n) {
        packer->room[0] = FORM_ZSTD;
        out = arena_dup(arena, (struct str){packer->room, packed + 1});
    } else {
        raw = arena_alloc(arena, content.n + 1);
        raw[0] = FORM_RAW;
        if (content.n)
            memcpy(raw + 1, content.p, content.n);
        out = (struct str){raw, content.n + 1};
    }
    room_trim(packer);
    return out;
}

static bool unzstd(struct str packed, size_t size, char *out)
{
    return ZSTD_decompress(out, size, packed.p, packed.n) == size;
}

/* One frame and nothing behind it, which says that it holds `size` bytes and is shorter. */
static bool zstd_fits(struct str packed, size_t size)
{
    return packed.n < size && ZSTD_getFrameContentSize(packed.p, packed.n) == size &&
           ZSTD_findFrameCompressedSize(packed.p, packed.n) == packed.n;
}

enum fault_code object_unpack(struct str data, int64_t size, struct arena *arena, struct str *out,
                              struct fault *fault)
{
    struct str packed;
    size_t n = (size_t)size;
    char *content;

    if (data.n == 0 || size < 0)
        return fault_set(fault, FAULT_CORRUPT, "a packed object is empty");
    packed = (struct str){data.p + 1, data.n - 1};
    if (data.p[0] == FORM_RAW && packed.n == n) {
        *out = packed;
        return FAULT_OK;
    }
    if (data.p[0] != FORM_ZSTD || !zstd_fits(packed, n))
        return fault_set(fault, FAULT_CORRUPT, "a packed object does not have the form of one");
    content = arena_alloc(arena, n);
    if (!unzstd(packed, n, content))
        return fault_set(fault, FAULT_CORRUPT, "a packed object is damaged");
    *out = (struct str){content, n};
    return FAULT_OK;
}
