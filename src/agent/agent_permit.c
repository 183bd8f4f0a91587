#include "agent/agent_permit.h"

enum fault_code agent_permit(struct agent_call *call, const struct question *tool, bool reads,
                             struct arena *arena, struct str *refusal, struct fault *fault)
{
    enum tool_verdict verdict = agent_settings_judge(&call->settings, tool->name, reads);
    struct question question = *tool;
    struct question_answer answer;

    *refusal = STR_NONE;
    if (verdict == TOOL_REFUSE)
        *refusal = STR("not allowed in this session");
    if (verdict != TOOL_ASK)
        return FAULT_OK;
    question.kind = ASK_TOOL;
    question.text = arena_printf(arena, "Run the tool %.*s?", STR_ARG(tool->name));
    if (agent_ask(call, &question, &answer, fault) != FAULT_OK)
        return fault_pass(fault);
    if (answer.verdict == ANSWER_NO)
        *refusal = answer.text.n
                       ? arena_printf(arena, "the user said no: %.*s", STR_ARG(answer.text))
                       : STR("the user said no");
    return FAULT_OK;
}
