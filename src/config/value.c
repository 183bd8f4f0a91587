#include "config/value.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <arpa/inet.h>
#include <inttypes.h>

enum { SHOWN = 60, DECIMALS = 9, PORT_MAX = 65535, HOST_BYTES = 253 };

struct value value_of(const struct outline *outline, const struct node *map, const char *key,
                      const char *text)
{
    const struct node *node = node_member(map, str_of(key));

    return (struct value){outline, node ? node : map, text};
}

/* As much of a text as a message shows. */
static struct str shown(const char *text)
{
    return utf8_cut(str_of(text), SHOWN);
}

/* ---- numbers and switches ---- */

/* Reads digits alone; -1 when there are none, others, or more than fit. */
static int64_t digits_read(struct str s)
{
    int64_t n = 0;

    if (s.n == 0)
        return -1;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || n > (INT64_MAX - 9) / 10)
            return -1;
        n = 10 * n + (s.p[i] - '0');
    }
    return n;
}

enum fault_code value_int(struct value value, int64_t min, int64_t max, int64_t *out,
                          struct fault *fault)
{
    int64_t n;

    if (!value.text)
        return FAULT_OK;
    n = digits_read(str_of(value.text));
    if (n < min || n > max)
        return outline_fault(value.outline, value.node, fault,
                             "\"%.*s\" is no whole number from %" PRId64 " to %" PRId64,
                             STR_ARG(shown(value.text)), min, max);
    *out = n;
    return FAULT_OK;
}

enum fault_code value_switch(struct value value, const char *on, const char *off, bool *out,
                             struct fault *fault)
{
    if (!value.text)
        return FAULT_OK;
    if (strcmp(value.text, on) != 0 && strcmp(value.text, off) != 0)
        return outline_fault(value.outline, value.node, fault, "\"%.*s\" is neither %s nor %s",
                             STR_ARG(shown(value.text)), on, off);
    *out = strcmp(value.text, on) == 0;
    return FAULT_OK;
}

/* The part behind the point, as so many of 1e-9; -1 when it is none. */
static int64_t fraction_read(struct str s)
{
    int64_t n = s.n <= DECIMALS ? digits_read(s) : -1;

    for (size_t i = s.n; n >= 0 && i < DECIMALS; i++)
        n *= 10;
    return n;
}

enum fault_code value_decimal(struct value value, int64_t max, int64_t *out, struct fault *fault)
{
    struct str text = str_of(value.text), whole = text;
    int64_t high, low = 0;
    const char *point;

    if (!value.text)
        return FAULT_OK;
    point = memchr(text.p, '.', text.n);
    if (point) {
        whole.n = (size_t)(point - text.p);
        low = fraction_read((struct str){point + 1, text.n - whole.n - 1});
    }
    high = digits_read(whole);
    if (high < 0 || low < 0 || high > max || (high == max && low > 0))
        return outline_fault(value.outline, value.node, fault,
                             "\"%.*s\" is no number from 0 to %" PRId64
                             " with at most %d digits behind the point",
                             STR_ARG(shown(value.text)), max, DECIMALS);
    *out = high * INT64_C(1000000000) + low;
    return FAULT_OK;
}

/* ---- words and names ---- */

enum fault_code value_word(struct value value, const char *what, const char *const *words,
                           struct fault *fault)
{
    enum fault_code code;
    struct buf list;

    if (!value.text)
        return FAULT_OK;
    for (size_t i = 0; words[i]; i++)
        if (strcmp(value.text, words[i]) == 0)
            return FAULT_OK;
    buf_init(&list, FAULT_MESSAGE_MAX);
    for (size_t i = 0; words[i]; i++)
        buf_add_format(&list, "%s%s", i ? ", " : "", words[i]);
    code = outline_fault(value.outline, value.node, fault, "\"%.*s\" is no %s (there are: %s)",
                         STR_ARG(shown(value.text)), what, buf_str(&list).p);
    buf_clear(&list);
    return code;
}

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters, digits and marks alone, and at least one. */
static bool made_of(struct str s, const char *marks)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_alnum(s.p[i]) && !(s.p[i] && strchr(marks, s.p[i])))
            return false;
    return s.n > 0;
}

enum fault_code value_name(struct value value, const char *marks, size_t max, struct fault *fault)
{
    struct str text = str_of(value.text);

    if (!value.text)
        return FAULT_OK;
    if (text.n > max)
        return outline_fault(value.outline, value.node, fault,
                             "is too long: the limit is %zu bytes", max);
    if (!made_of(text, marks))
        return outline_fault(value.outline, value.node, fault,
                             "\"%.*s\" may have only letters, digits and %s",
                             STR_ARG(shown(value.text)), marks);
    return FAULT_OK;
}

/* ---- addresses ---- */

static bool is_address(int family, struct str s)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN] = "";

    if (s.n == 0 || s.n >= sizeof(text))
        return false;
    memcpy(text, s.p, s.n);
    return inet_pton(family, text, bytes) == 1;
}

bool listen_split(struct str text, struct str *address, int *port)
{
    const char *colon = text.n ? memrchr(text.p, ':', text.n) : NULL;
    struct str host, digits;
    int64_t number;

    if (!colon)
        return false;
    host = (struct str){text.p, (size_t)(colon - text.p)};
    digits = (struct str){colon + 1, text.n - host.n - 1};
    number = digits_read(digits);
    if (number < 0 || number > PORT_MAX)
        return false;
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']') {
        host = (struct str){host.p + 1, host.n - 2};
        if (!is_address(AF_INET6, host))
            return false;
    } else if (!is_address(AF_INET, host) && !str_eq(host, STR("localhost"))) {
        return false;
    }
    *address = host;
    *port = (int)number;
    return true;
}

enum fault_code value_listen(struct value value, struct fault *fault)
{
    struct str address;
    int port;

    if (!value.text || listen_split(str_of(value.text), &address, &port))
        return FAULT_OK;
    return outline_fault(value.outline, value.node, fault,
                         "\"%.*s\" is no address with a port, such as 127.0.0.1:8463 or [::1]:8463",
                         STR_ARG(shown(value.text)));
}

static bool is_host(struct str s)
{
    struct str address = STR_NONE;
    const char *colon;
    int port;

    if (listen_split(s, &address, &port))
        return true;
    if (s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
        return is_address(AF_INET6, (struct str){s.p + 1, s.n - 2});
    colon = memchr(s.p, ':', s.n);
    if (colon) {
        size_t n = (size_t)(colon - s.p);
        int64_t number = digits_read((struct str){colon + 1, s.n - n - 1});

        if (number < 1 || number > PORT_MAX)
            return false;
        s.n = n;
    }
    return s.n <= HOST_BYTES && made_of(s, ".-") && s.p[0] != '.' && s.p[0] != '-';
}

enum fault_code value_host(struct value value, struct fault *fault)
{
    if (!value.text || is_host(str_of(value.text)))
        return FAULT_OK;
    return outline_fault(value.outline, value.node, fault,
                         "\"%.*s\" is no name of a host, such as tine.example.org",
                         STR_ARG(shown(value.text)));
}

enum fault_code value_url(struct value value, struct fault *fault)
{
    struct str text = str_of(value.text), http = STR("http://"), https = STR("https://"), rest;
    size_t n = 0;

    if (!value.text)
        return FAULT_OK;
    if (str_starts(text, http))
        rest = (struct str){text.p + http.n, text.n - http.n};
    else if (str_starts(text, https))
        rest = (struct str){text.p + https.n, text.n - https.n};
    else
        return outline_fault(value.outline, value.node, fault,
                             "must begin with http:// or https://");
    while (n < rest.n && rest.p[n] != '/')
        n++;
    /* Its text is not shown: what stands before the @ is a secret. */
    if (memchr(rest.p, '@', rest.n))
        return outline_fault(value.outline, value.node, fault,
                             "a name and password do not belong into an address: use key_env");
    for (size_t i = n; i < rest.n; i++)
        if ((unsigned char)rest.p[i] <= ' ' || strchr("?#\"<>\\^`{|}\x7f", rest.p[i]))
            return outline_fault(value.outline, value.node, fault,
                                 "the path of the address has a character that cannot be there");
    if (!is_host((struct str){rest.p, n}))
        return outline_fault(value.outline, value.node, fault, "\"%.*s\" is no name of a host",
                             STR_ARG(shown(text.p)));
    return FAULT_OK;
}
