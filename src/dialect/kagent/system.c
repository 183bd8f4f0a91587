/* The service itself, and what kagent has that is not offered here. */
#include "dialect/kagent/handler.h"

enum fault_code kagent_health(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    kagent_envelope_open(x, &out);
    json_out_object(&out, "data");
    json_out_string(&out, "status", STR("OK"));
    json_out_object_end(&out);
    return kagent_envelope_close(x, &out, "OK", fault);
}

enum fault_code kagent_version(struct exchange *x, struct fault *fault)
{
    const char *version = app_of(x)->version;
    struct json_out out;

    reply_open(x, &out);
    json_out_string(&out, "kagent_version", str_of(version ? version : "0"));
    json_out_string(&out, "git_commit", STR("unknown"));
    json_out_string(&out, "build_date", STR("unknown"));
    return reply_close(x, &out, fault);
}

enum fault_code kagent_me(struct exchange *x, struct fault *fault)
{
    struct json_out out;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &out);
    json_out_string(&out, "sub", who.name);
    return reply_close(x, &out, fault);
}

/* Lists that a page asks for, and of which there is nothing here. */
enum fault_code kagent_none(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    kagent_envelope_open(x, &out);
    json_out_array(&out, "data");
    json_out_array_end(&out);
    return kagent_envelope_close(x, &out, "There are none", fault);
}

enum fault_code kagent_not_offered(struct exchange *x, struct fault *fault)
{
    return fault_set(fault, FAULT_NOT_FOUND, "tine does not offer %.*s", STR_ARG(x->request.path));
}
