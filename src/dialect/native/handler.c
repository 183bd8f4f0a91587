#include "dialect/native/handler.h"

#include "base/int_bytes.h"
#include "base/utf8.h"
#include "dialect/native/file_object.h"

#include <assert.h>

/* ---- points ---- */

/* Digits and nothing else. */
static bool ordinal_read(struct str digits, int64_t *out)
{
    int64_t value = 0;

    if (digits.n == 0 || digits.n > 18)
        return false;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
        value = value * 10 + (digits.p[i] - '0');
    }
    *out = value;
    return true;
}

static struct str without_first(struct str s)
{
    return (struct str){s.p + 1, s.n - 1};
}

enum fault_code point_word_read(struct str word, const char *name, bool part,
                                struct point_spec *out, struct fault *fault)
{
    struct point_spec spec = {.by = POINT_MESSAGE, .side = SIDE_AFTER, .guard = GUARD_NONE};
    char first = '\0';

    if (word.n)
        first = word.p[0];
    if (word.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"%s\" is empty", name);
    if (word.n > POINT_WORD_BYTES || !utf8_valid(word))
        return fault_set(fault, FAULT_INVALID, "\"%s\" is no name of a message", name);
    if (first == '#' || first == '-') {
        spec.by = POINT_INDEX;
        if (!ordinal_read(without_first(word), &spec.ordinal) ||
            (first == '-' && spec.ordinal == 0))
            return fault_set(fault, FAULT_INVALID,
                             "\"%s\" is no place: #4 is one, and -1 is the last", name);
        if (first == '-')
            spec.ordinal = -spec.ordinal;
    } else if (first == '@') {
        spec.by = POINT_LABEL;
        spec.name = without_first(word);
    } else {
        spec.name = word;
        spec.name_may_be_start = part;
    }
    if (spec.by != POINT_INDEX && spec.name.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"%s\" names no label", name);
    *out = spec;
    return FAULT_OK;
}

/* "before" or "after": a number is a place, a string an id or "@" and a label. */
static enum fault_code anchor_read(struct exchange *x, const struct json_member *member, bool part,
                                   struct point_spec *spec, struct fault *fault)
{
    struct str text;

    if (member->value.type == JSON_NUMBER) {
        spec->by = POINT_INDEX;
        if (!json_int(&member->value, -INT64_C(1000000000000000), INT64_C(1000000000000000),
                      &spec->ordinal))
            return fault_set(fault, FAULT_INVALID, "\"%s\" must be a whole number", member->name);
        return FAULT_OK;
    }
    text = json_text(&member->value, &x->arena);
    spec->by = text.n && text.p[0] == '@' ? POINT_LABEL : POINT_MESSAGE;
    spec->name = spec->by == POINT_LABEL ? without_first(text) : text;
    spec->name_may_be_start = part;
    if (spec->name.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"%s\" is empty", member->name);
    return FAULT_OK;
}

enum fault_code point_members(struct exchange *x, const struct json_member *m,
                              struct point_spec *out, struct fault *fault)
{
    bool part = m[POINT_PART].given && json_true(&m[POINT_PART].value);
    struct point_spec spec = {.by = POINT_END, .side = SIDE_AFTER};
    enum fault_code code = FAULT_OK;

    if (m[POINT_BEFORE].given + m[POINT_AFTER].given + m[POINT_BEFORE_TURN].given > 1)
        return fault_set(fault, FAULT_INVALID,
                         "only one of \"before\", \"after\" and \"before_turn\" can be given");
    if (m[POINT_BEFORE_TURN].given) {
        spec.by = POINT_TURN;
        spec.name = json_text(&m[POINT_BEFORE_TURN].value, &x->arena);
    } else if (m[POINT_BEFORE].given) {
        code = anchor_read(x, &m[POINT_BEFORE], part, &spec, fault);
    } else if (m[POINT_AFTER].given) {
        code = anchor_read(x, &m[POINT_AFTER], part, &spec, fault);
    }
    if (code)
        return code;
    if (m[POINT_BEFORE].given || m[POINT_BEFORE_TURN].given)
        spec.side = SIDE_BEFORE;
    spec.guard = m[POINT_SNAP].given && json_true(&m[POINT_SNAP].value) ? GUARD_SNAP : GUARD_REFUSE;
    *out = spec;
    return FAULT_OK;
}

enum fault_code files_member(struct exchange *x, const struct json_member *member,
                             enum fork_files *out, struct fault *fault)
{
    static const char *const words[] = {
        [FORK_FILES_POINT] = "point",
        [FORK_FILES_LIVE] = "live",
        [FORK_FILES_NONE] = "none",
    };
    struct str files = member_text(x, member);

    *out = FORK_FILES_POINT;
    if (!member->given)
        return FAULT_OK;
    for (int i = FORK_FILES_POINT; i <= FORK_FILES_NONE; i++)
        if (str_eq(files, str_of(words[i]))) {
            *out = (enum fork_files)i;
            return FAULT_OK;
        }
    return fault_set(fault, FAULT_INVALID, "\"files\" must be \"point\", \"live\" or \"none\"");
}

enum { CONFLICTS_BYTES = 32 * 1024 * 1024 }; /* FILES_TOLD of each kind, escaped */

static bool has_clash(const struct merge_conflict *clashes, size_t count, struct str path)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(clashes[i].path, path))
            return true;
    return false;
}

void conflicts_say(struct exchange *x, const struct paths *foreign,
                   const struct merge_conflict *clashes, size_t count)
{
    size_t told = count < FILES_TOLD ? count : FILES_TOLD;
    int64_t more = foreign->all - (int64_t)foreign->count;
    struct json_out out;
    struct buf text;

    if (more < (int64_t)(count - told))
        more = (int64_t)(count - told);
    buf_init(&text, CONFLICTS_BYTES);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_out_array(&out, "conflicts");
    object_write_clashes(&out, clashes, told);
    for (size_t i = 0; i < foreign->count; i++)
        if (!has_clash(clashes, told, foreign->list[i]))
            object_write_foreign(&out, foreign->list[i]);
    json_out_array_end(&out);
    if (more > 0)
        json_out_int(&out, "conflicts_more", more);
    json_out_object_end(&out);
    x->reply.problem = buf_take(&text, &x->arena);
}

/* ---- cursors ---- */

enum {
    NUMBERS_BYTES = CURSOR_NUMBERS * INT_BYTES,
    CHECK_BYTES = 10,
    CURSOR_BYTES = NUMBERS_BYTES + CHECK_BYTES
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Binds a cursor to what it was made for. */
static void cursor_check(const struct cursor *cursor, const unsigned char *numbers,
                         unsigned char out[CHECK_BYTES])
{
    struct hasher *hasher = hasher_new();
    unsigned char hash[HASH_BYTES];

    hasher_begin(hasher);
    hasher_add_str(hasher, STR("tine cursor"));
    hasher_add_int(hasher, cursor->kind);
    hasher_add_str(hasher, cursor->subject);
    hasher_add(hasher, numbers, NUMBERS_BYTES);
    hasher_end(hasher, hash);
    hasher_free(hasher);
    memcpy(out, hash, CHECK_BYTES);
}

struct str cursor_write(const struct cursor *cursor, struct arena *arena)
{
    unsigned char bytes[CURSOR_BYTES];
    char *text = arena_alloc(arena, CURSOR_TEXT_MAX);
    size_t n = 0;

    for (size_t i = 0; i < CURSOR_NUMBERS; i++)
        int_bytes_write(cursor->numbers[i], bytes + i * INT_BYTES);
    cursor_check(cursor, bytes, bytes + NUMBERS_BYTES);
    for (size_t bit = 0; bit < (size_t)CURSOR_BYTES * 8; bit += 6) {
        unsigned pair = (unsigned)bytes[bit / 8] << 8;

        if (bit / 8 + 1 < CURSOR_BYTES)
            pair |= bytes[bit / 8 + 1];
        text[n++] = letters[pair >> (10 - bit % 8) & 63];
    }
    return (struct str){text, n};
}

/* Every text has one reading, and every reading one text. */
static bool cursor_decode(struct str text, unsigned char bytes[CURSOR_BYTES])
{
    size_t want = (CURSOR_BYTES * 8 + 5) / 6;
    unsigned gathered = 0, bits = 0;
    size_t n = 0;

    if (text.n != want)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        const char *letter = text.p[i] ? strchr(letters, text.p[i]) : NULL;

        if (!letter)
            return false;
        gathered = (gathered << 6 | (unsigned)(letter - letters)) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[n++] = (unsigned char)(gathered >> bits);
        }
    }
    return n == CURSOR_BYTES && (gathered & ((1u << bits) - 1)) == 0;
}

enum fault_code cursor_read(struct str text, struct cursor *cursor, struct fault *fault)
{
    unsigned char bytes[CURSOR_BYTES], check[CHECK_BYTES];

    if (!cursor_decode(text, bytes))
        return fault_set(fault, FAULT_INVALID, "\"cursor\" is none that was given out");
    cursor_check(cursor, bytes, check);
    if (memcmp(check, bytes + NUMBERS_BYTES, CHECK_BYTES) != 0)
        return fault_set(fault, FAULT_INVALID, "\"cursor\" was not given out for this list");
    for (size_t i = 0; i < CURSOR_NUMBERS; i++)
        cursor->numbers[i] = int_bytes_read(bytes + i * INT_BYTES);
    return FAULT_OK;
}
