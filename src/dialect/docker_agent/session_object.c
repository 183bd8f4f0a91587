#include "dialect/docker_agent/session_object.h"

#include "dialect/docker_agent/flat.h"

/* To the second, as lists have it. */
static void write_second(struct json_out *out, const char *key, int64_t us)
{
    static const size_t from = sizeof("\"2024-05-01T12:00:00") - 1;
    struct json_out time;
    struct buf text;

    buf_init(&text, 64);
    json_out_init(&time, &text);
    json_out_time(&time, NULL, us);
    if (text.n > from) {
        text.n = from;
        buf_add_text(&text, "Z\"");
    }
    json_out_raw(out, key, buf_str(&text));
    buf_clear(&text);
}

static void write_tokens(struct json_out *out, const struct session *session,
                         const struct kept *kept, const struct usage *subs, struct arena *arena)
{
    struct usage usage = kept_usage(session, kept, subs, arena);

    json_out_int(out, "input_tokens", usage.input);
    json_out_int(out, "output_tokens", usage.output);
}

/* Only a directory that was there before has a name that says something. */
static void write_dir(struct json_out *out, const struct session *session)
{
    if (session->workspace.mode == WORKSPACE_ATTACHED)
        json_out_string(out, "working_dir", session->workspace.dir);
}

void session_write_row(struct json_out *out, const struct session *session, const struct kept *kept,
                       struct arena *arena)
{
    json_out_object(out, NULL);
    json_out_string(out, "id", session->id);
    json_out_string(out, "title", session->title);
    write_second(out, "created_at", session->created_us);
    json_out_int(out, "num_messages", session->flat_messages);
    write_tokens(out, session, kept, NULL, arena);
    write_dir(out, session);
    json_out_object_end(out);
}

/* What was given and is only given back. */
static void write_given(struct json_out *out, const struct kept *kept, const char *name)
{
    struct json_value value;

    if (kept_own(kept, name, &value))
        json_out_raw(out, name, value.raw);
}

void session_write_new(struct json_out *out, const struct session *session, const struct kept *kept,
                       struct arena *arena)
{
    json_out_object(out, NULL);
    json_out_string(out, "id", session->id);
    json_out_string(out, "title", session->title);
    json_out_null(out, "messages");
    json_out_time(out, "created_at", session->created_us);
    json_out_bool(out, "tools_approved", kept_approved(kept));
    json_out_bool(out, "thinking", kept_own_flag(kept, "thinking"));
    json_out_bool(out, "hide_tool_results", kept_own_flag(kept, "hide_tool_results"));
    write_dir(out, session);
    json_out_bool(out, "SendUserMessage", true);
    json_out_int(out, "max_iterations", kept->agent.steps_max);
    json_out_bool(out, "starred", kept_own_flag(kept, "starred"));
    write_tokens(out, session, kept, NULL, arena);
    json_out_cost(out, "cost", session->own.cost);
    kept_write_permissions(out, kept);
    write_given(out, kept, "agent_model_overrides");
    write_given(out, kept, "custom_models_used");
    write_given(out, kept, "safety_policy");
    write_given(out, kept, "max_consecutive_tool_calls");
    write_given(out, kept, "max_old_tool_call_tokens");
    write_given(out, kept, "max_tool_result_tokens");
    json_out_object_end(out);
}

/* What it was forked from: where its list of messages parts from that of its parent. */
static void write_parent(struct json_out *out, const struct session *session)
{
    if (!session->parent.known)
        return;
    json_out_string(out, "parent_id", session->parent.session);
    json_out_int(out, "fork_point", session->flat_fork_index);
}

static void write_before(struct json_out *out, const struct session *session)
{
    json_out_object(out, NULL);
    json_out_string(out, "id", session->id);
    json_out_string(out, "title", session->title);
}

static void write_behind(struct json_out *out, const struct session *session,
                         const struct kept *kept, const struct usage *subs, bool overrides,
                         struct arena *arena)
{
    json_out_time(out, "created_at", session->created_us);
    json_out_bool(out, "tools_approved", kept_approved(kept));
    json_out_bool(out, "thinking", kept_own_flag(kept, "thinking"));
    write_tokens(out, session, kept, subs, arena);
    write_dir(out, session);
    kept_write_permissions(out, kept);
    write_given(out, kept, "safety_policy");
    if (overrides)
        write_given(out, kept, "agent_model_overrides");
    write_parent(out, session);
    json_out_object_end(out);
}

enum fault_code session_reply(struct exchange *x, const struct session *session,
                              enum session_reply_messages messages, bool overrides,
                              struct fault *fault)
{
    struct usage subs = {0};
    struct json_out out;
    struct kept kept;

    if (kept_read(session, &x->arena, &kept, fault) != FAULT_OK)
        return fault_pass(fault);
    buf_reset(&x->reply.body);
    json_out_init(&out, &x->reply.body);
    write_before(&out, session);
    if (session->flat_messages > 0 && flat_write(x, session, &out, &subs, fault) != FAULT_OK)
        return fault_pass(fault);
    write_behind(&out, session, &kept, &subs, overrides, &x->arena);
    buf_add_char(&x->reply.body, '\n');
    if (!x->reply.body.full || messages == MESSAGES_ALL)
        return reply_check(x, fault);
    buf_clear(&x->reply.body);
    json_out_init(&out, &x->reply.body);
    write_before(&out, session);
    json_out_bool(&out, "messages_omitted", true);
    write_behind(&out, session, &kept, &subs, overrides, &x->arena);
    return docker_reply(x, fault);
}
