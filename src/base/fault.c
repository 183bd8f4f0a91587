#include "base/fault.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
    int status;
    const char *name;
    bool retry;
} table[FAULT_COUNT] = {
#define FAULT(code, status, name, retry) [FAULT_##code] = {status, name, retry},
#include "base/fault.def"
#undef FAULT
};

/* It may quote what a client sent, or have been cut inside a character. */
static void message_clean(char message[FAULT_MESSAGE_MAX])
{
    struct str dirty = str_of(message);
    char clean[FAULT_MESSAGE_MAX * UTF8_CLEAN];
    struct str kept;

    if (utf8_valid(dirty))
        return;
    kept = utf8_cut((struct str){clean, utf8_clean(dirty, clean)}, FAULT_MESSAGE_MAX - 1);
    memcpy(message, kept.p, kept.n);
    message[kept.n] = '\0';
}

void fault_write(struct fault *fault, enum fault_code code, const char *format, ...)
{
    va_list args;

    assert(code > FAULT_OK && code < FAULT_COUNT);
    fault->code = code;
    va_start(args, format);
    vsnprintf(fault->message, sizeof(fault->message), format, args);
    va_end(args);
    message_clean(fault->message);
}

int fault_status(enum fault_code code)
{
    assert(code < FAULT_COUNT);
    return table[code].status;
}

const char *fault_name(enum fault_code code)
{
    assert(code < FAULT_COUNT);
    return table[code].name;
}

bool fault_retryable(enum fault_code code)
{
    assert(code < FAULT_COUNT);
    return table[code].retry;
}

const char *fault_title(int status)
{
    static const struct {
        int status;
        const char *title;
    } titles[] = {
        {300, "Multiple Choices"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {499, "Client Closed Request"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {507, "Insufficient Storage"},
    };

    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (titles[i].status == status)
            return titles[i].title;
    return "Internal Server Error";
}
