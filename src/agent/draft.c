#include "agent/draft.h"

#include "message/message_out.h"
#include "message/part.h"

static struct entry_spec message_of(struct str reasoning, struct str text, struct arena *arena)
{
    struct message_out out;

    message_out_begin(&out, arena);
    if (reasoning.n)
        message_out_reasoning(&out, reasoning);
    if (text.n || !reasoning.n)
        message_out_text(&out, text);
    return message_out_end(&out, ROLE_ASSISTANT, STR_NONE);
}

struct str draft_body(struct str reasoning, struct str text, struct arena *arena)
{
    return reasoning.n || text.n ? message_of(reasoning, text, arena).body : STR_NONE;
}

bool draft_entry(struct str body, struct arena *arena, struct entry_spec *out)
{
    struct str reasoning = STR_NONE, text = STR_NONE;
    size_t count;
    const struct part *parts = parts_of(body, arena, &count);

    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_REASONING)
            reasoning = parts[i].text;
        else if (parts[i].type == PART_TEXT)
            text = parts[i].text;
        else
            return false;
    if (reasoning.n == 0 && text.n == 0)
        return false;
    *out = message_of(reasoning, text, arena);
    out->flags = ENTRY_INTERRUPTED;
    return true;
}
