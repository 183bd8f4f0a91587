/*
 * Stopping a turn. The transaction that ends it is the turn's own, on the turn's thread, so the
 * answer to a key is kept in a small one behind it: between the two, a server that dies has stopped
 * the turn and does not know the key.
 */
#include "dialect/native/handler.h"

static void write_session(struct json_out *out, const void *session)
{
    object_write_session(out, NULL, session);
}

/* The turn is stopped, unless the key says that it was: then once->repeated. */
static enum fault_code cancel(struct exchange *x, struct once *once, struct fault *fault)
{
    struct app *app = app_of(x);
    struct fault none;
    enum fault_code code = FAULT_OK;

    if (once)
        code = store_answer_find(app->store, once, engine_now_us(app->engine), &x->arena, fault);
    if (code || (once && once->repeated))
        return code;
    code = turns_cancel(app->turns, x->request.caller.sees, session_of(x), STR_NONE, fault);
    if (code != FAULT_NO_TURN || !once)
        return code;
    /* The same request may have come twice at once, and the other one have stopped it. */
    if (store_answer_find(app->store, once, engine_now_us(app->engine), &x->arena, &none) ==
            FAULT_OK &&
        once->repeated)
        return FAULT_OK;
    return code;
}

enum fault_code native_session_cancel(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct json_member none[1];
    struct reply_once kept;
    struct session session;
    struct once *once;

    if (body_members(x, none, 0, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &kept, write_session, &session, &once, fault) != FAULT_OK ||
        cancel(x, once, fault) != FAULT_OK)
        return fault_pass(fault);
    if (once && once->repeated)
        return once_reply(x, &kept, NULL, fault);
    if (store_session_get(app->store, x->request.caller.sees, session_of(x), false, &x->arena,
                          &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (once && store_answer_keep(app->store, once, engine_now_us(app->engine), &x->arena, fault) !=
                    FAULT_OK)
        return fault_pass(fault);
    return once_reply(x, &kept, NULL, fault);
}
