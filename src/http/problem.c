#include "http/problem.h"

#include "json/json_out.h"

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
    json_out_string(&out, "detail", str_of(fault->message));
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
