/* Answers to a turn that waits: may a tool be run, and what does the user say. */
#include "dialect/docker_agent/handler.h"

/* What the session's turn waits for. */
static enum fault_code asked(struct exchange *x, enum question_kind kind, const char *failed,
                             struct question *out, struct fault *fault)
{
    struct session session;

    if (docker_session(x, &session, fault) != FAULT_OK)
        return docker_failed(fault, failed);
    if (!turns_asked(app_of(x)->turns, x->request.caller.sees, session_of(x), &x->arena, out))
        return fault_set(fault, FAULT_NO_TURN, "%s: nothing is waiting for it", failed);
    if (out->kind != kind)
        return fault_set(fault, FAULT_NO_TURN, "%s: the session waits for %s", failed,
                         kind == ASK_TOOL ? "an elicitation" : "a confirmation");
    return FAULT_OK;
}

static enum fault_code answer(struct exchange *x, const struct question *question,
                              const struct question_answer *said, const char *failed,
                              struct fault *fault)
{
    if (turns_answer(app_of(x)->turns, x->request.caller.sees, session_of(x), question->id, said,
                     fault) != FAULT_OK)
        return docker_failed(fault, failed);
    return FAULT_OK;
}

/* ---- confirmation ---- */

static const struct {
    const char *word;
    enum answer_verdict verdict;
} confirmations[] = {
    {"approve", ANSWER_YES},
    {"approve-session", ANSWER_YES_SESSION},
    {"approve-tool", ANSWER_YES_TOOL},
    {"reject", ANSWER_NO},
};

static enum fault_code verdict_read(struct str word, enum answer_verdict *out, struct fault *fault)
{
    for (size_t i = 0; i < sizeof(confirmations) / sizeof(confirmations[0]); i++)
        if (str_eq(word, str_of(confirmations[i].word))) {
            *out = confirmations[i].verdict;
            return FAULT_OK;
        }
    return fault_set(fault, FAULT_INVALID,
                     "confirmation must be \"approve\", \"approve-session\", \"approve-tool\" or "
                     "\"reject\"");
}

enum { R_CONFIRMATION, R_REASON, R_TOOL, R_COUNT };

enum fault_code docker_session_resume(struct exchange *x, struct fault *fault)
{
    static const char failed[] = "failed to resume session";
    struct json_member m[R_COUNT] = {
        [R_CONFIRMATION] = JSON_MAY("confirmation", JSON_STRING),
        [R_REASON] = JSON_MAY("reason", JSON_STRING),
        [R_TOOL] = JSON_MAY("tool_name", JSON_STRING),
    };
    struct question_answer said = {0};
    struct question question = {0};
    struct str tool;

    if (docker_fields(x, m, R_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    if (verdict_read(member_text(x, &m[R_CONFIRMATION]), &said.verdict, fault) != FAULT_OK)
        return docker_failed(fault, failed);
    if (asked(x, ASK_TOOL, failed, &question, fault) != FAULT_OK)
        return fault_pass(fault);
    tool = member_text(x, &m[R_TOOL]);
    if (said.verdict == ANSWER_YES_TOOL && tool.n && !str_eq(tool, question.name))
        return fault_set(fault, FAULT_INVALID, "%s: it waits for the tool \"%.*s\"", failed,
                         STR_ARG(question.name));
    said.text = member_text(x, &m[R_REASON]);
    if (answer(x, &question, &said, failed, fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("{\"message\":\"session resumed\"}\n");
    return FAULT_OK;
}

/* ---- elicitation ---- */

enum { E_ACTION, E_CONTENT, E_COUNT };

enum fault_code docker_session_elicit(struct exchange *x, struct fault *fault)
{
    static const char failed[] = "failed to resume elicitation";
    struct json_member m[E_COUNT] = {
        [E_ACTION] = JSON_MAY("action", JSON_STRING),
        [E_CONTENT] = JSON_MAY("content", JSON_OBJECT),
    };
    struct question_answer said = {.verdict = ANSWER_NO};
    struct question question = {0};
    struct str action;

    if (docker_fields(x, m, E_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    action = member_text(x, &m[E_ACTION]);
    if (str_eq(action, STR("accept"))) {
        said.verdict = ANSWER_YES;
        said.text = m[E_CONTENT].given ? m[E_CONTENT].value.raw : STR("{}");
    } else if (str_eq(action, STR("decline"))) {
        said.text = STR("the user declined to answer");
    } else if (str_eq(action, STR("cancel"))) {
        said.text = STR("the user cancelled the question");
    } else {
        return fault_set(fault, FAULT_INVALID,
                         "%s: action must be \"accept\", \"decline\" or \"cancel\"", failed);
    }
    if (asked(x, ASK_INPUT, failed, &question, fault) != FAULT_OK ||
        answer(x, &question, &said, failed, fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("null\n");
    return FAULT_OK;
}
