#include "dialect/handling.h"

enum fault_code body_members(struct exchange *x, struct json_member *members, size_t count,
                             struct fault *fault)
{
    struct str body = x->request.body.n ? x->request.body : STR("{}");
    struct json_value value;
    enum fault_code code = json_read(body, LIMIT_JSON_DEPTH, "the body", &value, fault);

    if (code)
        return code;
    if (value.type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "the body must be an object");
    return json_members(&value, NULL, members, count, fault);
}

struct str member_text(struct exchange *x, const struct json_member *member)
{
    struct str text;

    if (!member->given)
        return STR_NONE;
    text = json_text(&member->value, &x->arena);
    return text.p ? text : STR("");
}

void reply_open(struct exchange *x, struct json_out *out)
{
    buf_reset(&x->reply.body);
    json_out_init(out, &x->reply.body);
    json_out_object(out, NULL);
}

enum fault_code reply_close(struct exchange *x, struct json_out *out, struct fault *fault)
{
    json_out_object_end(out);
    return reply_check(x, fault);
}

enum fault_code reply_check(const struct exchange *x, struct fault *fault)
{
    if (x->reply.body.full)
        return fault_set(fault, FAULT_TOO_LARGE, "the reply has more than %zu bytes",
                         x->reply.body.max);
    return FAULT_OK;
}

enum fault_code reply_object(struct exchange *x,
                             void (*write)(struct json_out *out, const void *object),
                             const void *object, struct fault *fault)
{
    struct json_out out;

    buf_reset(&x->reply.body);
    json_out_init(&out, &x->reply.body);
    write(&out, object);
    return reply_check(x, fault);
}

enum fault_code caller_may(const struct exchange *x, enum right right, const char *what,
                           struct fault *fault)
{
    if (x->request.caller.right >= right)
        return FAULT_OK;
    return fault_set(fault, FAULT_FORBIDDEN, "user \"%.*s\" may not %s",
                     STR_ARG(x->request.caller.name), what);
}

enum fault_code agent_check(struct exchange *x, struct str name, struct once *once,
                            struct fault *fault)
{
    struct app *app = app_of(x);
    const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;
    struct fault other = {0};
    struct agent_def def;

    if (!slash || slash == name.p || slash == name.p + name.n - 1)
        return FAULT_OK;
    if (agents_get(app->agents, name, &x->arena, &def, fault) == FAULT_OK)
        return FAULT_OK;
    if (once && (store_answer_find(app->store, once, engine_now_us(app->engine), &x->arena,
                                   &other) != FAULT_OK ||
                 once->repeated))
        return FAULT_OK;
    return fault_pass(fault);
}
