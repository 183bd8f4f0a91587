#include "dialect/native/log_in.h"

#include "dialect/native/log_fields.h"
#include "dialect/native/log_form.h"
#include "json/json_in.h"

#include <errno.h>
#include <inttypes.h>

static void in_init(struct log_in *in)
{
    *in = (struct log_in){.hasher = hasher_new()};
    hasher_begin(in->hasher);
    buf_init(&in->line, LOG_LINE_MAX);
    arena_init(&in->arena);
}

void log_in_init_file(struct log_in *in, FILE *file)
{
    in_init(in);
    in->file = file;
}

void log_in_init_memory(struct log_in *in, struct str memory)
{
    in_init(in);
    in->memory = memory;
}

void log_in_clear(struct log_in *in)
{
    hasher_free(in->hasher);
    in->hasher = NULL;
    buf_clear(&in->line);
    arena_clear(&in->arena);
}

/* ---- lines ---- */

/* Adds what is left of the line to `in->line`; *whole when its line feed was there. */
static void line_from_file(struct log_in *in, bool *whole)
{
    char chunk[4096];
    size_t n = 0;
    int c;

    *whole = false;
    while (!in->line.full && (c = getc_unlocked(in->file)) != EOF) {
        if (c == '\n') {
            *whole = true;
            break;
        }
        chunk[n++] = (char)c;
        if (n == sizeof(chunk)) {
            buf_add(&in->line, chunk, n);
            n = 0;
        }
    }
    buf_add(&in->line, chunk, n);
}

static void line_from_memory(struct log_in *in, bool *whole)
{
    const char *feed = in->memory.n ? memchr(in->memory.p, '\n', in->memory.n) : NULL;
    size_t n = feed ? (size_t)(feed - in->memory.p) : in->memory.n;

    *whole = feed != NULL;
    buf_add(&in->line, in->memory.p, n);
    in->memory.p += n + *whole;
    in->memory.n -= n + *whole;
}

/* The next line into `in->line`; *none at the end of the input. */
static enum fault_code line_read(struct log_in *in, bool *none, struct fault *fault)
{
    bool whole = false;

    buf_reset(&in->line);
    in->number++;
    if (in->file)
        line_from_file(in, &whole);
    else
        line_from_memory(in, &whole);
    if (in->file && ferror(in->file))
        return fault_set(fault, FAULT_IO, "it cannot be read: %s", strerror(errno));
    if (in->line.full)
        return fault_set(fault, FAULT_TOO_LARGE, "it has more than %d bytes", LOG_LINE_MAX);
    *none = !whole && in->line.n == 0;
    return FAULT_OK;
}

static void line_hash(struct log_in *in)
{
    struct str line = buf_str(&in->line);

    hasher_add(in->hasher, line.p, line.n);
    hasher_add(in->hasher, "\n", 1);
}

/* ---- the first and the last line ---- */

static enum fault_code head_read(struct log_in *in, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("tine_export", JSON_NUMBER),
                              JSON_MUST("owner", JSON_STRING), JSON_MUST("at_us", JSON_NUMBER)};
    struct json_value value;
    struct fault ignored;
    int64_t version;
    bool none = false;
    enum fault_code code = line_read(in, &none, fault);

    if (code)
        return code;
    if (none || json_read(buf_str(&in->line), 2, "", &value, &ignored) ||
        !str_starts(value.raw, STR("{\"tine_export\":")))
        return fault_set(fault, FAULT_INVALID, "this is not an export of tine");
    code = json_members(&value, NULL, m, 3, fault);
    if (code)
        return code;
    if (!json_int(&m[0].value, LOG_FORM_VERSION, LOG_FORM_VERSION, &version))
        return fault_set(fault, FAULT_INVALID, "exports of version %.*s are not known to this tine",
                         (int)(m[0].value.raw.n < 32 ? m[0].value.raw.n : 32), m[0].value.raw.p);
    line_hash(in);
    in->begun = true;
    return FAULT_OK;
}

static enum fault_code end_read(struct log_in *in, const struct json_value *end,
                                struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("items", JSON_NUMBER), JSON_MUST("sha256", JSON_STRING)};
    unsigned char sum[HASH_BYTES];
    struct str expected;
    int64_t items;
    bool none = false;
    enum fault_code code = json_members(end, "end", m, 2, fault);

    if (code)
        return code;
    hasher_end(in->hasher, sum);
    hasher_begin(in->hasher);
    if (!json_int(&m[0].value, 0, INT64_MAX, &items) || items != in->items)
        return fault_set(
            fault, FAULT_INVALID, "the end speaks of %.*s items, %" PRId64 " were there",
            (int)(m[0].value.raw.n < 32 ? m[0].value.raw.n : 32), m[0].value.raw.p, in->items);
    if (!json_hex(&m[1].value, &in->arena, &expected) || expected.n != sizeof(sum) ||
        memcmp(expected.p, sum, sizeof(sum)) != 0)
        return fault_set(fault, FAULT_INVALID,
                         "the lines before do not have the hash that the end speaks of");
    code = line_read(in, &none, fault);
    if (code)
        return code;
    if (!none)
        return fault_set(fault, FAULT_INVALID, "something follows the end");
    in->ended = true;
    return FAULT_OK;
}

/* ---- items ---- */

enum { LINE_END = LOG_OBJECT + 1, LINE_KINDS };

static enum fault_code item_read(struct log_in *in, struct log_item *item, struct fault *fault)
{
    struct json_member m[LINE_KINDS] = {
        [LOG_SESSION] = JSON_MAY("session", JSON_OBJECT),
        [LOG_ACT] = JSON_MAY("act", JSON_OBJECT),
        [LOG_NOTE] = JSON_MAY("note", JSON_OBJECT),
        [LOG_RECORD] = JSON_MAY("record", JSON_OBJECT),
        [LOG_LABEL] = JSON_MAY("label", JSON_OBJECT),
        [LOG_OBJECT] = JSON_MAY("object", JSON_OBJECT),
        [LINE_END] = JSON_MAY("end", JSON_OBJECT),
    };
    struct json_value value;
    enum fault_code code;
    int kind = 0, given = 0;

    code = json_read(buf_str(&in->line), LOG_LINE_DEPTH, "it", &value, fault);
    if (!code)
        code = json_members(&value, NULL, m, LINE_KINDS, fault);
    if (code)
        return code;
    for (int i = 0; i < LINE_KINDS; i++)
        if (m[i].given) {
            given++;
            kind = i;
        }
    if (given != 1)
        return fault_set(fault, FAULT_INVALID, "a line has exactly one item");
    if (kind == LINE_END)
        return end_read(in, &m[kind].value, fault);
    code = log_fields_read((enum log_item_kind)kind, &m[kind].value, &in->arena, item, fault);
    if (code)
        return code;
    line_hash(in);
    in->items++;
    in->sessions += kind == LOG_SESSION && item->session.state == SESSION_LIVE;
    return FAULT_OK;
}

static enum fault_code next_read(struct log_in *in, struct log_item *item, struct fault *fault)
{
    bool none = false;
    enum fault_code code;

    code = in->begun ? FAULT_OK : head_read(in, fault);
    if (!code)
        code = line_read(in, &none, fault);
    if (code)
        return code;
    if (none)
        return fault_set(fault, FAULT_INVALID, "the export is cut off here");
    return item_read(in, item, fault);
}

enum fault_code log_in_next(void *context, struct log_item *item, bool *end, struct fault *fault)
{
    struct log_in *in = context;
    struct log_item found;
    struct fault inner;
    enum fault_code code;

    *end = in->ended;
    if (in->ended)
        return FAULT_OK;
    arena_clear(&in->arena);
    memset(&found, 0, sizeof(found));
    code = next_read(in, &found, &inner);
    if (code)
        return fault_set(fault, code, "line %" PRId64 ": %s", in->number, inner.message);
    *end = in->ended;
    if (!in->ended)
        *item = found;
    return FAULT_OK;
}
