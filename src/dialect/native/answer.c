/* Answering a turn that waits. */
#include "dialect/native/handler.h"

enum { A_APPROVE, A_ALWAYS, A_TEXT, A_ID, A_COUNT };

static enum fault_code verdict_read(struct exchange *x, const struct json_member *m,
                                    enum answer_verdict *out, struct fault *fault)
{
    struct str always = member_text(x, &m[A_ALWAYS]);
    bool yes = json_true(&m[A_APPROVE].value);

    *out = yes ? ANSWER_YES : ANSWER_NO;
    if (!m[A_ALWAYS].given)
        return FAULT_OK;
    if (!yes)
        return fault_set(fault, FAULT_INVALID, "\"always\" goes with \"approve\": true only");
    if (str_eq(always, STR("tool")))
        *out = ANSWER_YES_TOOL;
    else if (str_eq(always, STR("session")))
        *out = ANSWER_YES_SESSION;
    else
        return fault_set(fault, FAULT_INVALID, "\"always\" must be \"tool\" or \"session\"");
    return FAULT_OK;
}

enum fault_code native_session_answer(struct exchange *x, struct fault *fault)
{
    struct json_member m[A_COUNT] = {
        [A_APPROVE] = JSON_MUST("approve", JSON_BOOL),
        [A_ALWAYS] = JSON_MAY("always", JSON_STRING),
        [A_TEXT] = JSON_MAY("text", JSON_STRING),
        [A_ID] = JSON_MAY("id", JSON_STRING),
    };
    struct app *app = app_of(x);
    struct question_answer answer = {0};
    struct session session;

    if (body_members(x, m, A_COUNT, fault) != FAULT_OK ||
        verdict_read(x, m, &answer.verdict, fault) != FAULT_OK)
        return fault_pass(fault);
    answer.text = member_text(x, &m[A_TEXT]);
    if (turns_answer(app->turns, x->request.caller.sees, session_of(x), member_text(x, &m[A_ID]),
                     &answer, fault) != FAULT_OK ||
        store_session_get(app->store, x->request.caller.sees, session_of(x), false, &x->arena,
                          &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_session(x, &session, fault);
}
