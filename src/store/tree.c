#include "store/tree.h"

#include <assert.h>

/*
 * An entry: its type (1 byte), the length of its name and the name; then
 *   a file, a directory   its mode, of a file its size, and the hash
 *   a link                the length of its target and the target
 *   what is left out      why
 * Numbers are little-endian groups of 7 bits, the highest bit set on all but the last, in as few
 * bytes as they need. A directory has one encoding and no other, so equal directories are equal
 * objects.
 */

/* SHA-256 of the kind OBJECT_DIR, as 8 bytes, and of nothing. */
const unsigned char tree_empty[HASH_BYTES] = {
    0xcd, 0x04, 0xa4, 0x75, 0x44, 0x98, 0xe0, 0x6d, 0xb5, 0xa1, 0x3c, 0x5f, 0x37, 0x1f, 0x1f, 0x04,
    0xff, 0x6d, 0x24, 0x70, 0xf2, 0x4a, 0xa9, 0xbd, 0x88, 0x65, 0x40, 0xe5, 0xdc, 0xe7, 0x7f, 0x70,
};

static bool has_hash(enum tree_type type)
{
    return tree_is_file(type) || type == TREE_DIR;
}

bool tree_entry_same(const struct tree_entry *a, const struct tree_entry *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case TREE_LINK:
        return str_eq(a->target, b->target);
    case TREE_LEFT:
        return a->left == b->left;
    case TREE_FILE:
    case TREE_PIECES:
    case TREE_DIR:
        break;
    }
    return a->mode == b->mode && a->size == b->size && memcmp(a->hash, b->hash, HASH_BYTES) == 0;
}

/* ---- what may stand in an entry ---- */

static bool name_valid(struct str name)
{
    return name.n > 0 && name.n <= TREE_NAME_BYTES && !memchr(name.p, '/', name.n) &&
           !memchr(name.p, '\0', name.n) && !str_eq(name, STR(".")) && !str_eq(name, STR(".."));
}

static bool target_valid(struct str target)
{
    return target.n > 0 && target.n <= TREE_TARGET_BYTES && !memchr(target.p, '\0', target.n);
}

static bool left_valid(uint64_t left)
{
    return left >= LEFT_SIZE && left <= LEFT_MOUNT;
}

/* ---- writing ---- */

static void number_add(struct buf *out, uint64_t n)
{
    while (n >= 0x80) {
        buf_add_char(out, (char)(unsigned char)(n | 0x80));
        n >>= 7;
    }
    buf_add_char(out, (char)n);
}

static void text_add(struct buf *out, struct str text)
{
    number_add(out, text.n);
    buf_add_str(out, text);
}

void tree_add(struct buf *out, const struct tree_entry *entry)
{
    assert(name_valid(entry->name));
    buf_add_char(out, (char)entry->type);
    text_add(out, entry->name);
    if (has_hash(entry->type)) {
        assert(entry->mode <= TREE_MODE && entry->size >= 0);
        number_add(out, entry->mode);
        if (tree_is_file(entry->type))
            number_add(out, (uint64_t)entry->size);
        buf_add(out, entry->hash, HASH_BYTES);
    } else if (entry->type == TREE_LINK) {
        assert(target_valid(entry->target));
        text_add(out, entry->target);
    } else {
        assert(entry->type == TREE_LEFT && left_valid(entry->left));
        buf_add_char(out, (char)entry->left);
    }
}

/* ---- reading ---- */

static bool bytes_read(struct str *bytes, size_t n, struct str *out)
{
    if (n > bytes->n)
        return false;
    *out = (struct str){bytes->p, n};
    bytes->p += n;
    bytes->n -= n;
    return true;
}

/* A number of at most `max`, which has fewer than 64 bits, in its one form. */
static bool number_read(struct str *bytes, uint64_t max, uint64_t *out)
{
    uint64_t n = 0;

    for (unsigned shift = 0; shift < 63 && bytes->n; shift += 7) {
        unsigned char c = (unsigned char)*bytes->p++;

        bytes->n--;
        n |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = n;
            return n <= max && (c > 0 || shift == 0);
        }
    }
    return false;
}

static bool text_read(struct str *bytes, size_t max, struct str *out)
{
    uint64_t n;

    return number_read(bytes, max, &n) && bytes_read(bytes, (size_t)n, out);
}

static bool kept_read(struct str *bytes, struct tree_entry *entry)
{
    uint64_t mode, size = 0;
    struct str hash;

    if (!number_read(bytes, TREE_MODE, &mode) ||
        (tree_is_file(entry->type) && !number_read(bytes, INT64_MAX, &size)) ||
        !bytes_read(bytes, HASH_BYTES, &hash))
        return false;
    entry->mode = (unsigned)mode;
    entry->size = (int64_t)size;
    memcpy(entry->hash, hash.p, HASH_BYTES);
    return true;
}

static bool left_read(struct str *bytes, struct tree_entry *entry)
{
    uint64_t left;

    if (!number_read(bytes, LEFT_MOUNT, &left) || !left_valid(left))
        return false;
    entry->left = (enum tree_left)left;
    return true;
}

static bool entry_read(struct str *bytes, struct tree_entry *entry)
{
    uint64_t type;

    if (!number_read(bytes, TREE_LEFT, &type) || !text_read(bytes, TREE_NAME_BYTES, &entry->name) ||
        !name_valid(entry->name))
        return false;
    entry->type = (enum tree_type)type;
    if (has_hash(entry->type))
        return kept_read(bytes, entry);
    if (entry->type == TREE_LINK)
        return text_read(bytes, TREE_TARGET_BYTES, &entry->target) && target_valid(entry->target);
    return left_read(bytes, entry);
}

void tree_open(struct tree_reader *reader, struct str bytes)
{
    *reader = (struct tree_reader){.bytes = bytes};
}

enum fault_code tree_next(struct tree_reader *reader, struct tree_entry *out, bool *end,
                          struct fault *fault)
{
    struct tree_entry entry = {0};

    *end = reader->bytes.n == 0;
    if (*end)
        return FAULT_OK;
    if (!entry_read(&reader->bytes, &entry))
        return fault_set(fault, FAULT_CORRUPT, "an entry of a stored directory cannot be read");
    if (reader->last.p && str_cmp(reader->last, entry.name) >= 0)
        return fault_set(fault, FAULT_CORRUPT, "a stored directory is out of order");
    reader->last = entry.name;
    *out = entry;
    return FAULT_OK;
}
