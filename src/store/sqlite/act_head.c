#include "store/sqlite/act_head.h"

#include <assert.h>

/*
 * A byte of version, the path hash, then numbers of 7 bits a byte, the lowest first, the highest
 * bit set on all but the last byte. Strings are a length and bytes. What a reader of the history
 * needs comes first.
 */
enum {
    VERSION = 1,
    NUMBER_MAX = 10,
    NUMBERS = 40, /* more than there are */
    TURN_NONE_HERE = 0,
    TURN_ID = 1,  /* 16 bytes follow */
    TURN_TEXT = 2 /* a string follows */
};

/* ---- writing ---- */

static unsigned char *put(unsigned char *p, int64_t number)
{
    uint64_t rest = (uint64_t)number;

    assert(number >= 0);
    while (rest >= 0x80) {
        *p++ = (unsigned char)(rest | 0x80);
        rest >>= 7;
    }
    *p++ = (unsigned char)rest;
    return p;
}

static unsigned char *put_bytes(unsigned char *p, const void *bytes, size_t n)
{
    if (n)
        memcpy(p, bytes, n);
    return p + n;
}

static unsigned char *put_address(unsigned char *p, struct address at)
{
    return put(put(p, at.s), at.n);
}

static unsigned char *put_usage(unsigned char *p, const struct usage *usage)
{
    return put(put(put(p, usage->input), usage->output), usage->cost);
}

static unsigned char *put_turn(unsigned char *p, struct str turn)
{
    struct id id;

    if (turn.n == 0)
        return put(p, TURN_NONE_HERE);
    if (id_parse(turn, &id))
        return put_bytes(put(p, TURN_ID), id.b, ID_BYTES);
    return put_bytes(put(put(p, TURN_TEXT), (int64_t)turn.n), turn.p, turn.n);
}

struct str act_head_encode(const struct act_head *head, struct arena *arena)
{
    const struct facts *f = &head->facts;
    size_t room = 1 + HASH_BYTES + NUMBERS * NUMBER_MAX + head->id.n + head->turn.n + ID_BYTES;
    unsigned char *start = arena_alloc(arena, room), *p = start;

    *p++ = VERSION;
    p = put_bytes(p, f->hash, HASH_BYTES);
    p = put(p, head->n);
    p = put(p, head->kind);
    p = put(p, head->role);
    p = put(p, head->flags);
    p = put(p, head->drawn);
    p = put_bytes(put(p, (int64_t)head->id.n), head->id.p, head->id.n);
    p = put_turn(p, head->turn);
    p = put(p, head->at_us);
    p = put(p, f->visible);
    p = put(p, head->has_usage);
    if (head->has_usage)
        p = put_usage(p, &head->usage);
    p = put_address(p, head->ref);
    p = put(p, head->calls);
    p = put(p, head->results);
    p = put(p, head->own_tree);
    p = put(p, f->user);
    p = put(p, f->tool);
    p = put(p, f->flat);
    p = put(p, f->flat_user);
    p = put_usage(p, &f->path);
    p = put_usage(p, &f->spent);
    p = put(p, f->open);
    p = put(p, f->turn);
    p = put_address(p, f->good);
    p = put_address(p, f->summary);
    p = put_address(p, f->state);
    p = put(p, f->tree);
    assert((size_t)(p - start) <= room);
    return (struct str){(const char *)start, (size_t)(p - start)};
}

/* ---- reading ---- */

struct source {
    const unsigned char *p, *end;
    bool bad;
};

static int64_t take(struct source *source)
{
    uint64_t number = 0;

    for (unsigned shift = 0; source->p < source->end && shift < 63; shift += 7) {
        unsigned char c = *source->p++;

        number |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return (int64_t)(number & INT64_MAX);
    }
    source->bad = true;
    return 0;
}

static int64_t take_below(struct source *source, int64_t count)
{
    int64_t number = take(source);

    if (number >= count)
        source->bad = true;
    return source->bad ? 0 : number;
}

static struct str take_bytes(struct source *source, int64_t n)
{
    struct str bytes = {(const char *)source->p, (size_t)n};

    if (n > source->end - source->p) {
        source->bad = true;
        return STR_NONE;
    }
    source->p += n;
    return bytes;
}

static struct address take_address(struct source *source)
{
    int64_t s = take(source);

    return (struct address){s, take(source)};
}

static struct usage take_usage(struct source *source)
{
    int64_t input = take(source), output = take(source);

    return (struct usage){input, output, take(source)};
}

static struct str take_turn(struct source *source, char room[ID_TEXT + 1])
{
    struct str bytes;
    struct id id;

    switch (take(source)) {
    case TURN_NONE_HERE:
        return STR_NONE;
    case TURN_TEXT:
        return take_bytes(source, take(source));
    case TURN_ID:
        bytes = take_bytes(source, ID_BYTES);
        if (!bytes.p)
            return STR_NONE;
        memcpy(id.b, bytes.p, ID_BYTES);
        id_format(&id, room);
        return (struct str){room, ID_TEXT};
    default:
        source->bad = true;
    }
    return STR_NONE;
}

static void take_brief(struct source *source, struct act_head *out)
{
    struct str hash;

    if (source->p < source->end && *source->p++ != VERSION)
        source->bad = true;
    hash = take_bytes(source, HASH_BYTES);
    if (hash.p)
        memcpy(out->facts.hash, hash.p, HASH_BYTES);
    out->n = take(source);
    out->kind = (enum entry_kind)take_below(source, ENTRY_KIND_COUNT);
    out->role = (enum role)take_below(source, ROLE_COUNT);
    out->flags = (unsigned)take(source);
    out->drawn = take(source) != 0;
    out->id = take_bytes(source, take(source));
    out->turn = take_turn(source, out->room);
    out->at_us = take(source);
    out->facts.visible = take(source);
    out->has_usage = take(source) != 0;
    out->usage = out->has_usage ? take_usage(source) : (struct usage){0};
    out->ref = take_address(source);
    out->calls = (int)take(source);
    out->results = (int)take(source);
    out->own_tree = take(source);
}

static bool sane(const struct source *source, const struct act_head *head)
{
    return !source->bad && (!head->drawn || head->id.n == ID_BYTES);
}

bool act_head_decode_brief(struct str bytes, struct act_head *out)
{
    struct source source = {(const unsigned char *)bytes.p,
                            (const unsigned char *)bytes.p + bytes.n, bytes.n == 0};

    take_brief(&source, out);
    return sane(&source, out);
}

bool act_head_decode(struct str bytes, struct act_head *out)
{
    struct source source = {(const unsigned char *)bytes.p,
                            (const unsigned char *)bytes.p + bytes.n, bytes.n == 0};
    struct facts *f = &out->facts;

    take_brief(&source, out);
    f->user = take(&source);
    f->tool = take(&source);
    f->flat = take(&source);
    f->flat_user = take(&source);
    f->path = take_usage(&source);
    f->spent = take_usage(&source);
    f->open = take(&source);
    f->turn = take(&source);
    f->good = take_address(&source);
    f->summary = take_address(&source);
    f->state = take_address(&source);
    f->tree = take(&source);
    return sane(&source, out) && source.p == source.end;
}
