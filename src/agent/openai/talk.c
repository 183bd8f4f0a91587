#include "agent/openai/talk.h"

#include "agent/tool.h"
#include "base/utf8.h"
#include "message/part.h"

enum { TRANSCRIPT_RESULT = 2000, TRANSCRIPT_TEXT = 8000 };

static const char prompt_default[] =
    "You are a helpful assistant that works in a directory of its own, through tools. Commands run "
    "in a sandbox. Files stay between the turns. Use the tools when they help, and say briefly "
    "what you did.";

int64_t talk_tokens(size_t bytes)
{
    return (int64_t)bytes * 2 / 7 + 1;
}

/* ---- reading ---- */

static enum fault_code keep(void *context, const struct entry *entry, struct fault *fault)
{
    struct talk *talk = context;

    (void)fault;
    if ((entry->kind != ENTRY_MESSAGE && entry->kind != ENTRY_SUMMARY) || entry->erased)
        return FAULT_OK;
    talk->entries =
        arena_more(talk->arena, talk->entries, talk->count, &talk->room, sizeof(*talk->entries));
    talk->entries[talk->count++] = entry_copy(entry, talk->arena);
    return FAULT_OK;
}

enum fault_code talk_read(struct agent_call *call, struct talk *out, struct fault *fault)
{
    out->count = 0;
    return agent_history(call, keep, out, fault);
}

struct str talk_newest(const struct talk *talk, struct arena *arena)
{
    for (size_t i = talk->count; i-- > 0;)
        if (talk->entries[i].kind == ENTRY_MESSAGE && talk->entries[i].role == ROLE_USER)
            return parts_text(talk->entries[i].body, arena);
    return STR_NONE;
}

/* ---- writing ---- */

/* Calls of the newest assistant message that have no result yet. */
struct waiting {
    struct str *ids;
    size_t count;
};

struct writing {
    struct json_out out;
    struct arena *arena;
    struct waiting waiting;
};

static void message_begin(struct writing *w, const char *role)
{
    json_out_object(&w->out, NULL);
    json_out_string(&w->out, "role", str_of(role));
}

static void write_text(struct writing *w, const char *role, struct str text)
{
    message_begin(w, role);
    json_out_string(&w->out, "content", text);
    json_out_object_end(&w->out);
}

static void write_result(struct writing *w, struct str call, struct str text)
{
    message_begin(w, "tool");
    json_out_string(&w->out, "tool_call_id", call);
    json_out_string(&w->out, "content", text);
    json_out_object_end(&w->out);
}

/* Nobody may speak while a call waits: it gets a result that says so. */
static void settle(struct writing *w)
{
    for (size_t i = 0; i < w->waiting.count; i++)
        write_result(w, w->waiting.ids[i], STR("interrupted"));
    w->waiting.count = 0;
}

static bool waiting_take(struct waiting *waiting, struct str id)
{
    for (size_t i = 0; i < waiting->count; i++)
        if (str_eq(waiting->ids[i], id)) {
            waiting->ids[i] = waiting->ids[--waiting->count];
            return true;
        }
    return false;
}

/* What a user's or a system message says in words; files are named and not sent. */
static struct str words_of(const struct part *parts, size_t count, struct arena *arena)
{
    struct buf text;

    buf_init(&text, TALK_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (text.n && parts[i].type != PART_REASONING)
            buf_add_char(&text, '\n');
        if (parts[i].type == PART_TEXT || parts[i].type == PART_DATA)
            buf_add_str(&text, parts[i].text);
        else if (parts[i].type == PART_FILE)
            buf_add_format(&text, "[file \"%.*s\" (%.*s) is not shown here]",
                           STR_ARG(parts[i].name), STR_ARG(parts[i].media_type));
    }
    return buf_take(&text, arena);
}

/* The arguments as the server wants them: the text of a JSON object. */
static struct str arguments_of(const struct part *call, struct arena *arena)
{
    struct json_out out;
    struct buf text;

    if (call->value.type == JSON_OBJECT)
        return call->value.raw;
    buf_init(&text, TALK_BYTES);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_out_raw(&out, "unreadable", call->value.raw);
    json_out_object_end(&out);
    return buf_take(&text, arena);
}

static void write_calls(struct writing *w, const struct part *parts, size_t count)
{
    json_out_array(&w->out, "tool_calls");
    for (size_t i = 0; i < count; i++) {
        if (parts[i].type != PART_TOOL_CALL)
            continue;
        json_out_object(&w->out, NULL);
        json_out_string(&w->out, "id", parts[i].id);
        json_out_string(&w->out, "type", STR("function"));
        json_out_object(&w->out, "function");
        json_out_string(&w->out, "name", parts[i].name);
        json_out_string(&w->out, "arguments", arguments_of(&parts[i], w->arena));
        json_out_object_end(&w->out);
        json_out_object_end(&w->out);
        w->waiting.ids[w->waiting.count++] = parts[i].id;
    }
    json_out_array_end(&w->out);
}

static void write_assistant(struct writing *w, const struct part *parts, size_t count)
{
    struct str text = words_of(parts, count, w->arena);
    size_t calls = 0;

    for (size_t i = 0; i < count; i++)
        calls += parts[i].type == PART_TOOL_CALL;
    if (text.n == 0 && calls == 0)
        return;
    message_begin(w, "assistant");
    if (text.n)
        json_out_string(&w->out, "content", text);
    else
        json_out_null(&w->out, "content");
    if (calls) {
        w->waiting.ids = arena_array(w->arena, calls, sizeof(struct str));
        write_calls(w, parts, count);
    }
    json_out_object_end(&w->out);
}

static void write_entry(struct writing *w, const struct entry *entry)
{
    size_t count;
    const struct part *parts = parts_of(entry->body, w->arena, &count);

    if (entry->kind == ENTRY_MESSAGE && entry->role == ROLE_TOOL) {
        for (size_t i = 0; i < count; i++)
            if (parts[i].type == PART_TOOL_RESULT && waiting_take(&w->waiting, parts[i].id))
                write_result(w, parts[i].id, parts[i].text);
        return;
    }
    settle(w);
    if (entry->kind == ENTRY_SUMMARY)
        write_text(w, "user",
                   arena_printf(w->arena, "Summary of the conversation so far:\n\n%.*s",
                                STR_ARG(words_of(parts, count, w->arena))));
    else if (entry->role == ROLE_ASSISTANT)
        write_assistant(w, parts, count);
    else if (entry->role == ROLE_SYSTEM)
        write_text(w, "system", words_of(parts, count, w->arena));
    else
        write_text(w, "user", words_of(parts, count, w->arena));
}

/* OpenAI's own models want another word than everybody else. */
static const char *output_word(const struct agent_def *def)
{
    return def->base_url.n == 0 || str_starts(def->base_url, STR("https://api.openai.com"))
               ? "max_completion_tokens"
               : "max_tokens";
}

struct str talk_request(const struct talk *talk, const struct agent_def *def,
                        const struct tool_rules *deny, struct arena *arena)
{
    struct writing w = {.arena = arena};
    struct buf body;
    struct str copy;

    buf_init(&body, TALK_BYTES);
    json_out_init(&w.out, &body);
    json_out_object(&w.out, NULL);
    json_out_string(&w.out, "model", def->model);
    json_out_array(&w.out, "messages");
    write_text(&w, "system", def->prompt.n ? def->prompt : str_of(prompt_default));
    for (size_t i = 0; i < talk->count; i++)
        write_entry(&w, &talk->entries[i]);
    settle(&w);
    json_out_array_end(&w.out);
    tools_write(&w.out, def->tools, deny);
    json_out_bool(&w.out, "stream", true);
    json_out_object(&w.out, "stream_options");
    json_out_bool(&w.out, "include_usage", true);
    json_out_object_end(&w.out);
    if (def->output_tokens > 0)
        json_out_int(&w.out, output_word(def), def->output_tokens);
    json_out_object_end(&w.out);
    copy = body.full ? STR_NONE : arena_dup(arena, buf_str(&body));
    buf_clear(&body);
    return copy;
}

/* ---- as plain text ---- */

static void add_cut(struct buf *out, const char *who, struct str text, size_t max)
{
    struct str some = utf8_cut(text, max);

    buf_add_format(out, "%s: %.*s%s\n\n", who, STR_ARG(some), some.n < text.n ? " […]" : "");
}

static void transcribe(const struct entry *entry, struct arena *arena, struct buf *out)
{
    static const char *const names[ROLE_COUNT] = {"summary", "user", "assistant", "tool", "system"};
    size_t count;
    const struct part *parts = parts_of(entry->body, arena, &count);

    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_TEXT)
            add_cut(out, names[entry->role], parts[i].text, TRANSCRIPT_TEXT);
        else if (parts[i].type == PART_TOOL_CALL)
            add_cut(out, arena_printf(arena, "assistant calls %.*s", STR_ARG(parts[i].name)).p,
                    parts[i].value.raw, TRANSCRIPT_RESULT);
        else if (parts[i].type == PART_TOOL_RESULT)
            add_cut(out, "tool result", parts[i].text, TRANSCRIPT_RESULT);
}

struct str talk_transcript(const struct talk *talk, size_t max, struct arena *arena)
{
    struct buf text;
    struct str all, first;
    size_t from;

    buf_init(&text, TALK_BYTES);
    for (size_t i = 0; i < talk->count; i++)
        transcribe(&talk->entries[i], arena, &text);
    all = buf_take(&text, arena);
    if (all.n <= max)
        return all;
    /* The task stands at the beginning, what is going on at the end. */
    first = utf8_cut(all, max / 4);
    from = all.n - (max - max / 4);
    while (from < all.n && ((unsigned char)all.p[from] & 0xc0) == 0x80)
        from++;
    return arena_printf(arena, "%.*s\n\n[… %zu bytes are left out …]\n\n%s", STR_ARG(first),
                        from - first.n, all.p + from);
}
