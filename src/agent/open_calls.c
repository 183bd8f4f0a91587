#include "agent/open_calls.h"

#include "message/message_out.h"
#include "message/part.h"

struct open_call {
    struct open_call *next;
    struct str id;
};

static void open_add(struct open_calls *calls, struct str id)
{
    struct open_call *call = arena_alloc(calls->arena, sizeof(*call));
    struct open_call **last = &calls->first;

    call->id = arena_dup(calls->arena, id);
    while (*last)
        last = &(*last)->next;
    *last = call;
    calls->count++;
}

static void open_remove(struct open_calls *calls, struct str id)
{
    for (struct open_call **at = &calls->first; *at; at = &(*at)->next)
        if (str_eq((*at)->id, id)) {
            *at = (*at)->next;
            calls->count--;
            return;
        }
}

enum fault_code open_calls_see(void *open_calls, const struct entry *entry, struct fault *fault)
{
    struct open_calls *calls = open_calls;
    size_t count;
    const struct part *parts;

    (void)fault;
    if (entry->kind != ENTRY_MESSAGE)
        return FAULT_OK;
    parts = parts_of(entry->body, calls->arena, &count);
    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_TOOL_CALL)
            open_add(calls, parts[i].id);
        else if (parts[i].type == PART_TOOL_RESULT)
            open_remove(calls, parts[i].id);
    return FAULT_OK;
}

struct entry_spec *open_calls_answer(const struct open_calls *calls, size_t *count)
{
    struct entry_spec *specs = arena_array(calls->arena, calls->count + 1, sizeof(*specs));

    *count = 0;
    for (const struct open_call *call = calls->first; call; call = call->next) {
        struct message_out out;

        message_out_begin(&out, calls->arena);
        message_out_result(&out, call->id, STR("interrupted"), true);
        specs[*count] = message_out_end(&out, ROLE_TOOL, STR_NONE);
        specs[(*count)++].flags = ENTRY_INTERRUPTED;
    }
    return specs;
}
