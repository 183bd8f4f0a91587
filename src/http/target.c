#include "http/target.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <strings.h>

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The byte at raw.p[*i], decoded; *i stays on the last character of it. -1: a bad escape. */
static int byte_at(struct str raw, bool plus, size_t *i)
{
    char c = raw.p[*i];
    int high, low;

    if (c != '%')
        return plus && c == '+' ? ' ' : (unsigned char)c;
    if (*i + 2 >= raw.n)
        return -1;
    high = hex(raw.p[*i + 1]);
    low = hex(raw.p[*i + 2]);
    *i += 2;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

enum fault_code target_decode_bytes(struct str raw, bool plus, const char *what,
                                    struct arena *arena, struct str *out, struct fault *fault)
{
    char *text = arena_alloc(arena, raw.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < raw.n; i++) {
        size_t at = i;
        int byte = byte_at(raw, plus, &i);

        if (byte < 0)
            return fault_set(fault, FAULT_MALFORMED, "the %s has a bad %%-escape at byte %zu", what,
                             at);
        text[n++] = (char)byte;
    }
    *out = (struct str){text, n};
    return FAULT_OK;
}

/* Why it is no text; NULL: it is one. */
static const char *text_flaw(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return "has a control character";
    return utf8_valid(s) ? NULL : "is not UTF-8";
}

enum fault_code target_decode(struct str raw, bool plus, const char *what, struct arena *arena,
                              struct str *out, struct fault *fault)
{
    const char *flaw;
    struct str text;

    if (target_decode_bytes(raw, plus, what, arena, &text, fault) != FAULT_OK)
        return fault_pass(fault);
    flaw = text_flaw(text);
    if (flaw)
        return fault_set(fault, FAULT_MALFORMED, "the %s %s", what, flaw);
    *out = text;
    return FAULT_OK;
}

bool target_is(struct str raw, struct str word)
{
    size_t n = 0;

    for (size_t i = 0; i < raw.n; i++) {
        int byte = byte_at(raw, false, &i);

        if (n == word.n || byte != (unsigned char)word.p[n])
            return false;
        n++;
    }
    return n == word.n;
}

bool target_has_dots(struct str path)
{
    for (size_t from = 0; from < path.n;) {
        const char *slash = memchr(path.p + from, '/', path.n - from);
        size_t end = slash ? (size_t)(slash - path.p) : path.n;
        struct str segment = {path.p + from, end - from};

        if (str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
            return true;
        from = end + 1;
    }
    return false;
}

/*
 * Backslashes are bytes of a name here. But a path that would step upwards where they part names is
 * never meant well, and whoever takes our paths on elsewhere is to be safe, too.
 */
static bool steps_upwards(struct str path, struct arena *arena)
{
    char *parted = arena_alloc(arena, path.n + 1);

    for (size_t i = 0; i < path.n; i++)
        parted[i] = path.p[i] == '\\' ? '/' : path.p[i];
    return target_has_dots((struct str){parted, path.n});
}

enum fault_code target_decode_rest(struct str raw, struct arena *arena, struct str *out,
                                   struct fault *fault)
{
    struct str path;

    for (size_t i = 0; i < raw.n; i++) {
        bool escaped = raw.p[i] == '%';
        int byte = byte_at(raw, false, &i);

        if (escaped && byte == '/')
            return fault_set(fault, FAULT_PATH_INVALID,
                             "a name in the path of the file has a slash");
        if (byte == '\0')
            return fault_set(fault, FAULT_PATH_INVALID, "the path of the file has a NUL");
    }
    if (target_decode_bytes(raw, false, "path", arena, &path, fault) != FAULT_OK)
        return fault_pass(fault);
    if (steps_upwards(path, arena))
        return fault_set(fault, FAULT_PATH_INVALID,
                         "the path of the file has a name \".\" or \"..\"");
    if (path.n && (path.p[0] == '/' || path.p[0] == '\\'))
        return fault_set(fault, FAULT_PATH_INVALID, "the path of the file is absolute");
    *out = path;
    return FAULT_OK;
}

/* http://host/path: the authority comes off; what is left starts with a slash, or is empty. */
static struct str take_authority(struct str raw, struct str *authority)
{
    static const struct str schemes[] = {{"http://", 7}, {"https://", 8}};

    for (size_t i = 0; i < 2; i++) {
        struct str rest;
        size_t n = 0;

        if (raw.n < schemes[i].n || strncasecmp(raw.p, schemes[i].p, schemes[i].n) != 0)
            continue;
        rest = (struct str){raw.p + schemes[i].n, raw.n - schemes[i].n};
        while (n < rest.n && rest.p[n] != '/' && rest.p[n] != '?')
            n++;
        *authority = (struct str){rest.p, n};
        return (struct str){rest.p + n, rest.n - n};
    }
    return raw;
}

enum fault_code target_read(struct str raw, struct arena *arena, struct target *out,
                            struct fault *fault)
{
    struct target target = {.authority = STR_NONE};
    const char *question;

    for (size_t i = 0; i < raw.n; i++)
        if ((unsigned char)raw.p[i] <= 0x20 || raw.p[i] == 0x7f)
            return fault_set(fault, FAULT_MALFORMED,
                             "the request target has a space or a control character");
    if (str_eq(raw, STR("*"))) {
        *out = (struct target){.path = raw, .raw_path = raw};
        return FAULT_OK;
    }
    if (raw.n && memchr(raw.p, '#', raw.n))
        return fault_set(fault, FAULT_MALFORMED, "the request target has a fragment");
    raw = take_authority(raw, &target.authority);
    question = raw.n ? memchr(raw.p, '?', raw.n) : NULL;
    if (question) {
        target.query = (struct str){question + 1, raw.n - (size_t)(question - raw.p) - 1};
        raw.n = (size_t)(question - raw.p);
    }
    if (raw.n == 0 && target.authority.p)
        raw = STR("/");
    if (raw.n == 0 || raw.p[0] != '/')
        return fault_set(fault, FAULT_MALFORMED, "the request target is not a path");
    if (target_decode_bytes(raw, false, "path", arena, &target.path, fault) != FAULT_OK)
        return fault_pass(fault);
    target.raw_path = raw;
    target.flaw = text_flaw(target.path);
    if (!target.flaw && target_has_dots(target.path))
        target.flaw = "has a segment \".\" or \"..\"";
    *out = target;
    return FAULT_OK;
}

/* The length of an argument `access_token=…` at the start of s (its name perhaps escaped); 0:
 * other. */
static size_t secret(struct str s)
{
    static const char name[] = "access_token";
    size_t at = 0, n = 0;

    while (n < sizeof(name) - 1) {
        char c;

        if (at >= s.n)
            return 0;
        c = s.p[at];
        if (c == '%' && at + 2 < s.n && hex(s.p[at + 1]) >= 0 && hex(s.p[at + 2]) >= 0) {
            c = (char)(hex(s.p[at + 1]) * 16 + hex(s.p[at + 2]));
            at += 2;
        }
        if (c != name[n])
            return 0;
        at++;
        n++;
    }
    if (at >= s.n || s.p[at] != '=')
        return 0;
    while (at < s.n && s.p[at] != '&')
        at++;
    return at;
}

void target_log(struct buf *out, struct str raw, size_t max)
{
    bool name_may_start = false;
    size_t end = out->n + max;

    for (size_t i = 0; i < raw.n;) {
        unsigned char c = (unsigned char)raw.p[i];
        size_t skip = name_may_start ? secret((struct str){raw.p + i, raw.n - i}) : 0;

        if (out->n >= end) {
            buf_add_text(out, "...");
            return;
        }
        if (skip) {
            buf_add_text(out, "access_token=REDACTED");
            i += skip;
            name_may_start = false;
            continue;
        }
        if (c > 0x20 && c < 0x7f && c != '"' && c != '\\')
            buf_add_char(out, (char)c);
        else
            buf_add_format(out, "%%%02X", (unsigned)c);
        name_may_start = c == '?' || c == '&';
        i++;
    }
}
