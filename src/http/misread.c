/*
 * What libmicrohttpd makes nothing of it refuses by itself, with a line of HTML, and asks nobody.
 * But it says so to its log first, and at that moment nothing has been sent: then the refusal is
 * sent in our words, and the connection shut, so that its own cannot be.
 *
 * The log is not told which connection it is about. What the text says of the request, and how far
 * the requests have come that are being read at this moment, tell it: when only one of them fits,
 * it is that one. When several do, none is touched, and the client gets the HTML.
 */
#include "http/own.h"

#include <stdarg.h>

static const char refused[] = "Error processing request (HTTP response code is %u ('%s')).";

/* How far a request has come when libmicrohttpd says such a thing. */
enum {
    AT_LINE = 1,  /* its first line is not there */
    AT_HEAD = 2,  /* its headers are not all there */
    AT_WHOLE = 4, /* they are, and were not looked at yet: there is only one such at a time */
    AT_BODY = 8   /* its body is being read, or the headers behind it */
};

static const struct said {
    unsigned status;
    const char *word; /* in the text; NULL: any */
    int at;
    enum fault_code code;
    const char *message;
} texts[] = {
    {400, "Content-Length", AT_WHOLE, FAULT_MALFORMED, "the header Content-Length is not a number"},
    {413, "Content-Length", AT_WHOLE, FAULT_TOO_LARGE,
     "the header Content-Length is more than any body can have"},
    {400, "chunked", AT_BODY, FAULT_MALFORMED, "the body is not divided into chunks as it should"},
    {413, "chunk", AT_BODY, FAULT_TOO_LARGE, "a chunk of the body is larger than any can be"},
    {400, "syntactically", AT_HEAD | AT_BODY, FAULT_MALFORMED, "a header has no colon"},
    {431, NULL, AT_HEAD | AT_BODY, FAULT_HEADER_TOO_LARGE, "the headers are too large"},
    {414, NULL, AT_LINE, FAULT_HEADER_TOO_LARGE, "the request line is too large"},
    {505, NULL, AT_LINE, FAULT_MALFORMED, "the request is not of HTTP/1.1 or HTTP/1.0"},
};

static int conn_at(const struct conn *conn)
{
    const struct call *call = conn->call;

    if (conn->stream || conn->raw_status || conn->given_up)
        return 0;
    if (!call)
        return AT_LINE;
    if (call->state == CALL_BODY)
        return AT_BODY;
    if (call->state != CALL_HEAD)
        return 0;
    return MHD_get_connection_info(conn->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) ? AT_WHOLE
                                                                                       : AT_HEAD;
}

/* The only one that is there; NULL when there is another. */
static struct conn *conn_find(struct server *server, int at)
{
    struct conn *found = NULL;

    for (struct conn *conn = server->conns; conn; conn = conn->next) {
        if (!(conn_at(conn) & at))
            continue;
        if (found)
            return NULL;
        found = conn;
    }
    return found;
}

static void refuse(struct server *server, const struct said *said)
{
    struct conn *conn = conn_find(server, said->at);
    struct fault fault;

    if (!conn)
        return;
    fault_write(&fault, said->code, "%s", said->message);
    if (said->code == FAULT_MALFORMED)
        metrics_refused(server->metrics, REFUSED_MALFORMED);
    conn_refuse_and_shut(conn, &fault);
}

void misread_log(void *server, const char *format, va_list args)
{
    const char *text;
    unsigned status;

    if (strncmp(format, refused, sizeof(refused) - 1) != 0)
        return;
    status = va_arg(args, unsigned);
    text = va_arg(args, const char *);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        if (texts[i].status != status || (texts[i].word && !strstr(text, texts[i].word)))
            continue;
        refuse(server, &texts[i]);
        return;
    }
}
