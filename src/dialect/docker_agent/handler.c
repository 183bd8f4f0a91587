#include "dialect/docker_agent/handler.h"

#include <strings.h>

/* ---- bodies ---- */

static const char *type_name(unsigned types)
{
    switch (types) {
    case JSON_BOOL:
        return "true or false";
    case JSON_NUMBER:
        return "a number";
    case JSON_STRING:
        return "a string";
    case JSON_ARRAY:
        return "an array";
    case JSON_OBJECT:
        return "an object";
    default:
        return "an array or an object";
    }
}

enum fault_code docker_body(struct exchange *x, unsigned types, struct json_value *out,
                            struct fault *fault)
{
    struct str body = x->request.body.n ? x->request.body : STR("{}");

    if (json_read(body, LIMIT_JSON_DEPTH, "invalid request body: it", out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!(out->type & types))
        return fault_set(fault, FAULT_INVALID, "invalid request body: it must be %s",
                         type_name(types));
    return FAULT_OK;
}

static bool is_name(struct str key, const char *name)
{
    return key.n == strlen(name) && strncasecmp(key.p, name, key.n) == 0;
}

enum fault_code docker_members(const struct json_value *object, const char *where,
                               struct json_member *members, size_t count, struct arena *arena,
                               struct fault *fault)
{
    struct json_walk walk;

    for (json_walk_begin(&walk, object); json_walk_next(&walk);) {
        struct str key = json_unescape(walk.key, arena);

        for (size_t i = 0; i < count; i++) {
            struct json_member *member = &members[i];

            if (!is_name(key, member->name) || walk.value.type == JSON_NULL)
                continue;
            if (!(walk.value.type & member->types))
                return fault_set(fault, FAULT_INVALID,
                                 "invalid request body: %s%s\"%s\" must be %s", where ? where : "",
                                 where ? ": " : "", member->name, type_name(member->types));
            member->given = true;
            member->value = walk.value;
        }
    }
    return FAULT_OK;
}

enum fault_code docker_fields(struct exchange *x, struct json_member *members, size_t count,
                              struct fault *fault)
{
    struct json_value body;

    if (docker_body(x, JSON_OBJECT, &body, fault) != FAULT_OK)
        return fault_pass(fault);
    return docker_members(&body, NULL, members, count, &x->arena, fault);
}

/* ---- replies ---- */

enum fault_code docker_reply(struct exchange *x, struct fault *fault)
{
    buf_add_char(&x->reply.body, '\n');
    return reply_check(x, fault);
}

enum fault_code docker_failed(struct fault *fault, const char *what)
{
    struct fault was = *fault;

    if (was.code == FAULT_SESSION_NOT_FOUND)
        return fault_set(fault, was.code, "%s: session not found", what);
    return fault_set(fault, was.code, "%s: %s", what, was.message);
}

/* What the original says where its framework speaks and not its handlers. */
static const char *said(const struct fault *fault)
{
    switch (fault->code) {
    case FAULT_NOT_FOUND:
        return "Not Found";
    case FAULT_METHOD:
        return "Method Not Allowed";
    case FAULT_MEDIA_TYPE:
        return "invalid request body: code=415, message=Unsupported Media Type";
    default:
        return fault->message;
    }
}

void docker_fault_write(struct exchange *x, const struct fault *fault)
{
    struct json_out out;

    if (fault->code == FAULT_MEDIA_TYPE)
        x->reply.status = 400;
    json_out_init(&out, &x->reply.body);
    json_out_object(&out, NULL);
    json_out_string(&out, "message", str_of(said(fault)));
    json_out_object_end(&out);
    buf_add_char(&x->reply.body, '\n');
}

enum fault_code docker_session(struct exchange *x, struct session *out, struct fault *fault)
{
    return store_session_get(app_of(x)->store, x->request.caller.sees, session_of(x), false,
                             &x->arena, out, fault);
}
