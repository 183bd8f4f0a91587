#include "http/head.h"

#include <strings.h>

static bool is(struct str name, const char *word)
{
    size_t n = strlen(word);

    return name.n == n && strncasecmp(name.p, word, n) == 0;
}

static struct str trim(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s.p++, s.n--;
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

/* A character that a name may have (RFC 9110: tchar). */
static bool is_name_char(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static enum fault_code header_check(const struct request_header *header, struct fault *fault)
{
    if (header->name.n == 0)
        return fault_set(fault, FAULT_MALFORMED, "a header has no name");
    for (size_t i = 0; i < header->name.n; i++)
        if (!is_name_char((unsigned char)header->name.p[i]))
            return fault_set(fault, FAULT_MALFORMED,
                             "the name of a header has a character that is not allowed");
    for (size_t i = 0; i < header->value.n; i++) {
        unsigned char c = (unsigned char)header->value.p[i];

        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return fault_set(fault, FAULT_MALFORMED, "the header %.*s has a control character",
                             (int)(header->name.n < 64 ? header->name.n : 64), header->name.p);
    }
    return FAULT_OK;
}

static enum fault_code length_read(struct str value, int64_t *out, struct fault *fault)
{
    int64_t length = 0;

    if (value.n == 0 || value.n > 18)
        return fault_set(fault, FAULT_MALFORMED, "the header Content-Length is not a number");
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return fault_set(fault, FAULT_MALFORMED, "the header Content-Length is not a number");
        length = length * 10 + (value.p[i] - '0');
    }
    *out = length;
    return FAULT_OK;
}

/* Headers of which a request has at most one. */
struct single {
    struct str length, coding, host, type, authorization, origin, expect;
};

static struct str *single_find(struct single *single, struct str name)
{
    switch (name.n) {
    case 4:
        return is(name, "Host") ? &single->host : NULL;
    case 6:
        return is(name, "Origin") ? &single->origin : is(name, "Expect") ? &single->expect : NULL;
    case 12:
        return is(name, "Content-Type") ? &single->type : NULL;
    case 13:
        return is(name, "Authorization") ? &single->authorization : NULL;
    case 14:
        return is(name, "Content-Length") ? &single->length : NULL;
    case 17:
        return is(name, "Transfer-Encoding") ? &single->coding : NULL;
    default:
        return NULL;
    }
}

static enum fault_code framing_read(const struct single *single, bool modern, struct head *out,
                                    struct fault *fault)
{
    if (single->length.p && single->coding.p)
        return fault_set(fault, FAULT_MALFORMED,
                         "the request has both Content-Length and Transfer-Encoding");
    if (single->length.p) {
        if (length_read(single->length, &out->length, fault) != FAULT_OK)
            return fault_pass(fault);
        out->has_body = out->length > 0;
    }
    if (single->coding.p) {
        if (!modern)
            return fault_set(fault, FAULT_MALFORMED,
                             "a request of HTTP/1.0 has no Transfer-Encoding");
        if (!is(single->coding, "chunked"))
            return fault_set(fault, FAULT_MALFORMED, "the only Transfer-Encoding is chunked");
        out->has_body = out->chunked = true;
    }
    if (single->expect.p) {
        if (!is(single->expect, "100-continue"))
            return fault_set(fault, FAULT_EXPECTATION, "the only Expect is 100-continue");
        out->expects = true;
    }
    return FAULT_OK;
}

static enum fault_code token_read(struct str authorization, struct str *out, struct fault *fault)
{
    static const char bearer[] = "Bearer ";
    size_t n = sizeof(bearer) - 1;

    if (!authorization.p)
        return FAULT_OK;
    if (authorization.n <= n || strncasecmp(authorization.p, bearer, n) != 0)
        return fault_set(fault, FAULT_UNAUTHORIZED, "the header Authorization has no bearer token");
    *out = trim((struct str){authorization.p + n, authorization.n - n});
    return FAULT_OK;
}

enum fault_code head_read(const struct request *request, bool modern, struct head *out,
                          struct fault *fault)
{
    struct single single = {0};
    struct head head = {0};

    for (size_t i = 0; i < request->header_count; i++) {
        const struct request_header *header = &request->headers[i];
        struct str *place;

        if (header_check(header, fault) != FAULT_OK)
            return fault_pass(fault);
        place = single_find(&single, header->name);
        if (place && place->p)
            return fault_set(fault, FAULT_MALFORMED, "the header %.*s stands there twice",
                             STR_ARG(header->name));
        if (place)
            *place = trim(header->value);
        if (is(header->name, "Sec-Fetch-Site") && is(trim(header->value), "cross-site"))
            head.cross_site = true;
    }
    if (framing_read(&single, modern, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    if (modern && !single.host.p)
        return fault_set(fault, FAULT_MALFORMED, "the request has no header Host");
    head.host = single.host;
    head.type = single.type;
    head.origin = single.origin;
    if (token_read(single.authorization, &head.token, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = head;
    return FAULT_OK;
}

bool head_is_json(struct str type)
{
    const char *end = type.n ? memchr(type.p, ';', type.n) : NULL;
    struct str name = trim((struct str){type.p, end ? (size_t)(end - type.p) : type.n});

    if (is(name, "application/json"))
        return true;
    return name.n > 17 && strncasecmp(name.p, "application/", 12) == 0 &&
           strncasecmp(name.p + name.n - 5, "+json", 5) == 0;
}

bool head_good_id(struct str id)
{
    if (id.n == 0 || id.n > REQUEST_ID_BYTES)
        return false;
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '_' || c == '-'))
            return false;
    }
    return true;
}
