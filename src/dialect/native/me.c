/* Who the caller is. */
#include "dialect/native/handler.h"

enum fault_code native_me_get(struct exchange *x, struct fault *fault)
{
    static const char *const rights[] = {
        [RIGHT_NONE] = "none", [RIGHT_READ] = "read",   [RIGHT_WRITE] = "write",
        [RIGHT_RUN] = "run",   [RIGHT_ADMIN] = "admin",
    };
    const struct caller *caller = &x->request.caller;
    struct json_out out;

    reply_open(x, &out);
    json_out_string(&out, "name", caller->name);
    json_out_string(&out, "right", str_of(rights[caller->right]));
    json_out_bool(&out, "open", caller->open);
    json_out_bool(&out, "sees_all", caller->sees == OWNER_ANY);
    return reply_close(x, &out, fault);
}
