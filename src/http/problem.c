#include "http/problem.h"

#include "base/utf8.h"
#include "json/json_out.h"

/* The message as UTF-8: it may quote what a client sent, or have been cut inside a character. */
static void add_detail(struct json_out *out, struct str message)
{
    char text[FAULT_MESSAGE_MAX * 3];
    size_t n = 0;

    for (size_t at = 0; at < message.n;)
        n += utf8_encode(utf8_next(message, &at), text + n);
    json_out_string(out, "detail", (struct str){text, n});
}

static void add(struct buf *buf, const struct fault *fault, struct str more)
{
    int status = fault_status(fault->code);
    struct json_out out;

    json_out_init(&out, buf);
    json_out_object(&out, NULL);
    json_out_string(&out, "type", STR("about:blank"));
    json_out_string(&out, "title", str_of(fault_title(status)));
    json_out_int(&out, "status", status);
    json_out_string(&out, "code", str_of(fault_name(fault->code)));
    add_detail(&out, str_of(fault->message));
    if (more.n)
        json_out_members(&out, more);
    json_out_object_end(&out);
}

void problem_add(struct buf *buf, const struct fault *fault)
{
    add(buf, fault, STR_NONE);
}

void problem_write(struct exchange *x, const struct fault *fault)
{
    buf_clear(&x->reply.body);
    x->reply.fixed = STR_NONE;
    x->reply.status = fault_status(fault->code);
    x->reply.type = "application/problem+json";
    add(&x->reply.body, fault, x->reply.problem);
}
