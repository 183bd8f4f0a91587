#include "dialect/ash/ids.h"

#include "base/hash.h"
#include "base/id.h"

enum { VERSION_DRAWN = 7, VERSION_COMPUTED = 8 };

static int version_of(const struct id *id)
{
    return id->b[6] >> 4;
}

static void version_set(struct id *id, int version)
{
    id->b[6] = (unsigned char)((unsigned)version << 4 | (id->b[6] & 0x0fU));
    id->b[8] = (unsigned char)(0x80U | (id->b[8] & 0x3fU));
}

static struct str id_text(const struct id *id, struct arena *arena)
{
    char *text = arena_alloc(arena, ID_TEXT + 1);

    id_format(id, text);
    return (struct str){text, ID_TEXT};
}

/* One id and another, so that either gives back the other. */
static struct id mix(const struct id *a, const struct id *b, int version)
{
    struct id out;

    for (size_t i = 0; i < ID_BYTES; i++)
        out.b[i] = a->b[i] ^ b->b[i];
    version_set(&out, version);
    return out;
}

struct str ash_message_id(const struct entry *entry, struct str session, struct arena *arena)
{
    struct id own, place, mixed;

    if (str_eq(entry->session, session))
        return entry->id;
    if (!id_parse(entry->id, &own) || version_of(&own) != VERSION_DRAWN ||
        !id_parse(session, &place))
        return arena_printf(arena, "%.*s~%.*s", STR_ARG(session), STR_ARG(entry->id));
    mixed = mix(&own, &place, VERSION_COMPUTED);
    return id_text(&mixed, arena);
}

struct str ash_message_named(struct str id, struct str session, struct arena *arena)
{
    struct id given, place, own;

    if (str_starts(id, session) && id.n > session.n && id.p[session.n] == '~') {
        id.p += session.n + 1;
        id.n -= session.n + 1;
        return id;
    }
    if (!id_parse(id, &given) || version_of(&given) != VERSION_COMPUTED ||
        !id_parse(session, &place))
        return id;
    own = mix(&given, &place, VERSION_DRAWN);
    return id_text(&own, arena);
}

struct str ash_id_of(const char *kind, struct str name, int64_t number, struct arena *arena)
{
    struct hasher *hasher = hasher_new();
    unsigned char hash[HASH_BYTES];
    struct id id;

    hasher_begin(hasher);
    hasher_add_str(hasher, str_of(kind));
    hasher_add_str(hasher, name);
    hasher_add_int(hasher, number);
    hasher_end(hasher, hash);
    hasher_free(hasher);
    memcpy(id.b, hash, ID_BYTES);
    version_set(&id, VERSION_COMPUTED);
    return id_text(&id, arena);
}
