#include "dialect/docker_agent/voice.h"

#include "base/utf8.h"
#include "dialect/docker_agent/chat.h"
#include "message/part.h"

#include <stdlib.h>

enum { CALLS_MAX = 256 }; /* open ones of a message that are told */

/* A call that has not been answered. */
struct open_call {
    struct str id, name, arguments;
    bool told; /* that it runs */
};

struct voice {
    struct app *app;
    struct server *server;
    int64_t owner;
    struct arena arena; /* of what is below */
    struct str session, turn;
    struct agent_def def;
    struct team_tool *tools;
    size_t tool_count;
    bool may_ask;
    struct usage usage; /* on the path so far */
    bool mine;          /* it began this turn */
    bool started;       /* stream_started was told */
    bool ended;
    struct buf text, reasoning; /* told since the last message */
    struct arena call_arena;    /* of the calls of the last message */
    struct open_call calls[CALLS_MAX];
    size_t call_count;
};

/* ---- events ---- */

/* Opens an event; its members come next. */
static struct json_out event_open(struct buf *to, const char *type)
{
    struct json_out out;

    buf_add_text(to, "data: ");
    json_out_init(&out, to);
    json_out_object(&out, NULL);
    json_out_string(&out, "type", str_of(type));
    return out;
}

static void event_close(struct voice *voice, struct json_out *out, bool by_agent)
{
    if (by_agent)
        json_out_string(out, "agent_name", DOCKER_MEMBER);
    json_out_time(out, "timestamp", engine_now_us(voice->app->engine));
    json_out_object_end(out);
    buf_add_text(out->buf, "\n\n");
}

/* An event of the session that says nothing else. */
static void event_plain(struct voice *voice, struct buf *to, const char *type)
{
    struct json_out out = event_open(to, type);

    json_out_string(&out, "session_id", voice->session);
    event_close(voice, &out, true);
}

/* The longest start of the text that has at most `max` bytes as JSON; one character at least. */
static struct str fitting(struct str text, size_t max)
{
    size_t at = 0, cost = 0;

    while (at < text.n) {
        size_t from = at;
        unsigned char c = (unsigned char)text.p[at];

        (void)utf8_next(text, &at);
        cost += c < ' ' ? 6 : c == '"' || c == '\\' ? 2 : at - from;
        if (cost > max && from > 0)
            return (struct str){text.p, from};
    }
    return text;
}

/* The same with a word about what is missing. */
static struct str cut(struct str text, struct arena *arena)
{
    struct str start = fitting(text, VOICE_OUTPUT_BYTES), word;
    char *both;

    if (start.n == text.n)
        return text;
    word = arena_printf(arena, "\n[cut here: it has %zu bytes, all of which are stored]", text.n);
    both = arena_array(arena, start.n + word.n, 1); /* a text may have a NUL in it */
    memcpy(both, start.p, start.n);
    memcpy(both + start.n, word.p, word.n);
    return (struct str){both, start.n + word.n};
}

/* JSON that was kept as it came may have line breaks between its words, and an event has none. */
static struct str one_line(struct str json, struct arena *arena)
{
    char *line = arena_array(arena, json.n + 1, 1);

    for (size_t i = 0; i < json.n; i++)
        line[i] = json.p[i] == '\n' || json.p[i] == '\r' ? ' ' : json.p[i];
    return (struct str){line, json.n};
}

/* Arguments are to stay JSON. */
static struct str cut_arguments(struct str arguments, struct arena *arena)
{
    if (fitting(arguments, VOICE_OUTPUT_BYTES).n == arguments.n)
        return arguments;
    return arena_printf(
        arena, "{\"cut\":\"the arguments have %zu bytes, all of which are stored\"}", arguments.n);
}

/* ---- who answers ---- */

static void tell_agent(struct voice *voice, struct buf *to)
{
    struct json_out out = event_open(to, "agent_info");

    json_out_string(&out, "model",
                    fitting(team_model(&voice->def, &voice->arena), VOICE_PIECE_BYTES));
    json_out_string(&out, "description", cut(voice->def.description, &voice->arena));
    event_close(voice, &out, true);
}

static void tell_team(struct voice *voice, struct buf *to)
{
    struct json_out out = event_open(to, "team_info");

    json_out_array(&out, "available_agents");
    json_out_object(&out, NULL);
    json_out_string(&out, "name", DOCKER_MEMBER);
    json_out_string(&out, "description", cut(voice->def.description, &voice->arena));
    json_out_string(&out, "provider", voice->def.kind);
    json_out_string(&out, "model", fitting(voice->def.model, VOICE_PIECE_BYTES));
    json_out_object_end(&out);
    json_out_array_end(&out);
    json_out_string(&out, "current_agent", DOCKER_MEMBER);
    event_close(voice, &out, true);
}

static void tell_tools(struct voice *voice, struct buf *to)
{
    struct json_out out = event_open(to, "toolset_info");

    json_out_int(&out, "available_tools", (int64_t)voice->tool_count);
    json_out_bool(&out, "loading", false);
    event_close(voice, &out, true);
}

static void start(struct voice *voice, struct buf *to)
{
    if (voice->started)
        return;
    voice->started = true;
    event_plain(voice, to, "stream_started");
    tell_tools(voice, to);
}

/* ---- calls of tools ---- */

static void write_call(struct json_out *out, const struct open_call *call, struct arena *arena)
{
    json_out_object(out, "tool_call");
    json_out_string(out, "id", fitting(call->id, VOICE_PIECE_BYTES));
    json_out_string(out, "type", STR("function"));
    json_out_object(out, "function");
    json_out_string(out, "name", fitting(call->name, VOICE_PIECE_BYTES));
    json_out_string(out, "arguments", cut_arguments(call->arguments, arena));
    json_out_object_end(out);
    json_out_object_end(out);
}

static void write_definition(struct json_out *out, const struct voice *voice, struct str name)
{
    struct str description = STR_NONE, parameters = STR("{}");

    for (size_t i = 0; i < voice->tool_count; i++)
        if (str_eq(voice->tools[i].name, name)) {
            description = voice->tools[i].description;
            parameters = voice->tools[i].parameters;
        }
    json_out_object(out, "tool_definition");
    json_out_string(out, "name", fitting(name, VOICE_PIECE_BYTES));
    json_out_string(out, "category", STR(""));
    if (description.n)
        json_out_string(out, "description", description);
    json_out_raw(out, "parameters", parameters);
    json_out_object(out, "annotations");
    json_out_object_end(out);
    json_out_null(out, "outputSchema");
    json_out_object_end(out);
}

static void tell_call(struct voice *voice, const char *type, const struct open_call *call,
                      struct buf *to)
{
    struct json_out out = event_open(to, type);
    struct arena arena;

    arena_init(&arena);
    write_call(&out, call, &arena);
    write_definition(&out, voice, call->name);
    event_close(voice, &out, true);
    arena_clear(&arena);
}

static struct open_call *call_find(struct voice *voice, struct str id)
{
    for (size_t i = 0; i < voice->call_count; i++)
        if (str_eq(voice->calls[i].id, id))
            return &voice->calls[i];
    return NULL;
}

static void call_runs(struct voice *voice, struct open_call *call, struct buf *to)
{
    if (call->told)
        return;
    call->told = true;
    tell_call(voice, "tool_call", call, to);
}

/* They run one after the other. Where a yes may be wanted first, it is not known when one does. */
static void next_runs(struct voice *voice, struct buf *to)
{
    if (voice->call_count && !voice->may_ask)
        call_runs(voice, &voice->calls[0], to);
}

static void call_drop(struct voice *voice, struct open_call *call)
{
    struct open_call *last = &voice->calls[voice->call_count - 1];

    memmove(call, call + 1, (size_t)(last - call) * sizeof(*call));
    voice->call_count--;
}

static void tell_response(struct voice *voice, const struct open_call *call,
                          const struct part *result, struct buf *to)
{
    struct json_out out = event_open(to, "tool_call_response");
    struct arena arena;
    struct str output;

    arena_init(&arena);
    output = cut(result->text, &arena);
    write_call(&out, call, &arena);
    json_out_string(&out, "tool_call_id", fitting(result->id, VOICE_PIECE_BYTES));
    write_definition(&out, voice, call->name);
    json_out_string(&out, "response", output);
    json_out_object(&out, "result");
    json_out_string(&out, "output", output);
    if (result->error)
        json_out_bool(&out, "isError", true);
    json_out_object_end(&out);
    event_close(voice, &out, true);
    arena_clear(&arena);
}

static void hear_result(struct voice *voice, const struct part *result, struct buf *to)
{
    struct open_call unknown = {.id = result->id, .arguments = STR("{}")};
    struct open_call *call = call_find(voice, result->id);

    if (!call) {
        tell_response(voice, &unknown, result, to);
        return;
    }
    call_runs(voice, call, to);
    tell_response(voice, call, result, to);
    call_drop(voice, call);
    next_runs(voice, to);
}

/* ---- running text ---- */

static void tell_text(struct voice *voice, const char *type, struct str text, struct buf *to)
{
    while (text.n) {
        struct str piece = fitting(text, VOICE_PIECE_BYTES);
        struct json_out out = event_open(to, type);

        json_out_string(&out, "content", piece);
        json_out_string(&out, "session_id", voice->session);
        event_close(voice, &out, true);
        text.p += piece.n;
        text.n -= piece.n;
    }
}

static void tell_partial(struct voice *voice, const struct delta *delta, struct buf *to)
{
    struct str text = delta->text;

    do {
        struct open_call call = {
            .id = delta->id, .name = delta->name, .arguments = fitting(text, VOICE_PIECE_BYTES)};

        tell_call(voice, "partial_tool_call", &call, to);
        text.p += call.arguments.n;
        text.n -= call.arguments.n;
    } while (text.n);
}

static void tell_output(struct voice *voice, const struct delta *delta, struct buf *to)
{
    struct open_call *call = call_find(voice, delta->id);
    struct str text = delta->text;

    if (call)
        call_runs(voice, call, to);
    while (text.n) {
        struct str piece = fitting(text, VOICE_PIECE_BYTES);
        struct json_out out = event_open(to, "tool_call_output");

        json_out_string(&out, "tool_call_id", fitting(delta->id, VOICE_PIECE_BYTES));
        write_definition(&out, voice, call ? call->name : delta->name);
        json_out_string(&out, "output", piece);
        event_close(voice, &out, true);
        text.p += piece.n;
        text.n -= piece.n;
    }
}

/* The turn waits. What a question wants is not in the piece; the turn itself knows. */
static void tell_question(struct voice *voice, const struct delta *delta, struct buf *to)
{
    struct json_out out = event_open(to, "elicitation_request");
    struct question question = {0};
    struct arena arena;

    arena_init(&arena);
    if (!turns_asked(voice->app->turns, voice->owner, voice->session, &arena, &question))
        question.schema = STR_NONE;
    json_out_string(&out, "message", cut(delta->text, &arena));
    json_out_string(&out, "mode", STR("form"));
    if (question.schema.n && question.schema.n <= VOICE_OUTPUT_BYTES)
        json_out_raw(&out, "schema", one_line(question.schema, &arena));
    json_out_string(&out, "elicitation_id", fitting(delta->id, VOICE_PIECE_BYTES));
    event_close(voice, &out, true);
    arena_clear(&arena);
}

static void hear_piece(void *context, const struct turn_piece *piece, struct buf *out)
{
    struct voice *voice = context;
    const struct delta *delta = &piece->delta;
    struct open_call asked = {delta->id, delta->name, delta->text, false};

    start(voice, out);
    switch (delta->kind) {
    case DELTA_TEXT:
        buf_add_str(&voice->text, delta->text);
        tell_text(voice, "agent_choice", delta->text, out);
        break;
    case DELTA_REASONING:
        buf_add_str(&voice->reasoning, delta->text);
        tell_text(voice, "agent_choice_reasoning", delta->text, out);
        break;
    case DELTA_CALL:
        tell_partial(voice, delta, out);
        break;
    case DELTA_OUTPUT:
        tell_output(voice, delta, out);
        break;
    case DELTA_ASK:
        if (delta->name.n)
            tell_call(voice, "tool_call_confirmation", &asked, out);
        else
            tell_question(voice, delta, out);
        break;
    }
}

/* ---- messages ---- */

static void hear_user(struct voice *voice, const struct entry *entry, struct arena *arena,
                      struct buf *to)
{
    struct json_out out = event_open(to, "user_message");
    struct str parts = chat_parts(entry, arena);

    json_out_string(&out, "message", cut(chat_text(entry, arena), arena));
    if (parts.n && parts.n <= VOICE_OUTPUT_BYTES)
        json_out_raw(&out, "multi_content", one_line(parts, arena));
    json_out_string(&out, "session_id", voice->session);
    json_out_int(&out, "session_position", entry->index);
    event_close(voice, &out, false);
    start(voice, to);
}

/* What of a message was not told while it came; nothing when it came out as something else. */
static void tell_rest(struct voice *voice, const char *type, struct buf *told, enum part_type kind,
                      const struct part *parts, size_t count, struct buf *to)
{
    struct str said = buf_str(told);
    struct buf text;

    buf_init(&text, LIMIT_ENTRY_BYTES);
    for (size_t i = 0; i < count; i++)
        if (parts[i].type == kind && parts[i].text.n)
            buf_add_str(&text, parts[i].text);
    if (text.n > said.n && str_starts(buf_str(&text), said))
        tell_text(voice, type, (struct str){text.p + said.n, text.n - said.n}, to);
    buf_clear(&text);
    buf_reset(told);
}

static void tell_usage(struct voice *voice, const struct entry *entry, struct buf *to)
{
    struct json_out out = event_open(to, "token_usage");
    const struct usage *last = &entry->usage;

    voice->usage.input += last->input;
    voice->usage.output += last->output;
    voice->usage.cost += last->cost;
    json_out_string(&out, "session_id", voice->session);
    json_out_object(&out, "usage");
    json_out_int(&out, "input_tokens", voice->usage.input);
    json_out_int(&out, "output_tokens", voice->usage.output);
    json_out_int(&out, "context_length", last->input + last->output);
    json_out_int(&out, "context_limit", voice->def.context_tokens);
    json_out_cost(&out, "cost", voice->usage.cost);
    if (entry->has_usage) {
        json_out_object(&out, "last_message");
        json_out_int(&out, "input_tokens", last->input);
        json_out_int(&out, "output_tokens", last->output);
        json_out_int(&out, "cached_input_tokens", 0);
        json_out_int(&out, "cached_write_tokens", 0);
        json_out_cost(&out, "Cost", last->cost);
        json_out_string(&out, "Model", fitting(voice->def.model, VOICE_PIECE_BYTES));
        json_out_object_end(&out);
    }
    json_out_object_end(&out);
    event_close(voice, &out, true);
}

static void calls_keep(struct voice *voice, const struct part *parts, size_t count)
{
    arena_clear(&voice->call_arena);
    voice->call_count = 0;
    for (size_t i = 0; i < count && voice->call_count < CALLS_MAX; i++)
        if (parts[i].type == PART_TOOL_CALL)
            voice->calls[voice->call_count++] = (struct open_call){
                .id = arena_dup(&voice->call_arena, parts[i].id),
                .name = arena_dup(&voice->call_arena, parts[i].name),
                .arguments = arena_dup(&voice->call_arena,
                                       chat_arguments(&parts[i].value, &voice->call_arena)),
            };
}

static void hear_agent(struct voice *voice, const struct entry *entry, const struct part *parts,
                       size_t count, struct buf *to)
{
    start(voice, to);
    tell_rest(voice, "agent_choice_reasoning", &voice->reasoning, PART_REASONING, parts, count, to);
    tell_rest(voice, "agent_choice", &voice->text, PART_TEXT, parts, count, to);
    event_plain(voice, to, "message_added");
    tell_usage(voice, entry, to);
    calls_keep(voice, parts, count);
    next_runs(voice, to);
}

static void hear_tool(struct voice *voice, const struct part *parts, size_t count, struct buf *to)
{
    start(voice, to);
    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_TOOL_RESULT)
            hear_result(voice, &parts[i], to);
    event_plain(voice, to, "message_added");
}

static void hear_entry(void *context, const struct entry *entry, struct buf *out)
{
    struct voice *voice = context;
    const struct part *parts;
    struct arena arena;
    size_t count;

    if (!entry->visible)
        return;
    arena_init(&arena);
    parts = parts_of(entry->body, &arena, &count);
    if (entry->role == ROLE_USER)
        hear_user(voice, entry, &arena, out);
    else if (entry->role == ROLE_TOOL)
        hear_tool(voice, parts, count, out);
    else
        hear_agent(voice, entry, parts, count, out);
    arena_clear(&arena);
}

/* ---- its life ---- */

static void begin(void *context, const struct turn_begun *begun, struct buf *out)
{
    struct voice *voice = context;

    voice->mine = !begun->joined;
    voice->turn = arena_dup(&voice->arena, begun->turn);
    tell_agent(voice, out);
    tell_team(voice, out);
    tell_tools(voice, out);
}

static void end(void *context, enum run_state state, struct str reason, struct buf *to)
{
    static const char *const reasons[RUN_STATE_COUNT] = {
        [RUN_DONE] = "normal",
        [RUN_FAILED] = "error",
        [RUN_CANCELLED] = "canceled",
    };
    struct voice *voice = context;
    struct json_out out;
    struct arena arena;

    voice->ended = true;
    if (state == RUN_FAILED) {
        arena_init(&arena);
        out = event_open(to, "error");
        json_out_string(&out, "error", cut(reason, &arena));
        json_out_string(&out, "session_id", voice->session);
        json_out_string(&out, "code", STR("model_error"));
        event_close(voice, &out, true);
        arena_clear(&arena);
    }
    out = event_open(to, "stream_stopped");
    json_out_string(&out, "session_id", voice->session);
    if (reasons[state])
        json_out_string(&out, "reason", str_of(reasons[state]));
    event_close(voice, &out, true);
}

/* The client is gone before the end. On a worker, because a cancel waits. */
static void cancel(void *context)
{
    struct voice *voice = context;
    struct fault fault;
    enum fault_code code =
        turns_cancel(voice->app->turns, voice->owner, voice->session, voice->turn, &fault);

    (void)code; /* it has ended meanwhile, or its session is gone */
}

static void voice_free(void *context)
{
    struct voice *voice = context;

    buf_clear(&voice->text);
    buf_clear(&voice->reasoning);
    arena_clear(&voice->call_arena);
    arena_clear(&voice->arena);
    free(voice);
}

static void leave(void *context)
{
    struct voice *voice = context;

    if (voice->mine && !voice->ended && !atomic_load(&voice->app->stopping))
        server_work(voice->server, cancel, voice_free, voice);
    else
        voice_free(voice);
}

static void tools_keep(struct voice *voice, const struct agent_def *def, const struct kept *kept)
{
    voice->tools = team_tools(def, &kept->agent.deny, &voice->arena, &voice->tool_count);
}

struct feed_voice voice_make(struct exchange *x, const struct session *session,
                             const struct kept *kept, const struct agent_def *def)
{
    struct voice *voice = calloc(1, sizeof(*voice));

    if (!voice)
        abort();
    arena_init(&voice->arena);
    arena_init(&voice->call_arena);
    buf_init(&voice->text, LIMIT_ENTRY_BYTES);
    buf_init(&voice->reasoning, LIMIT_ENTRY_BYTES);
    voice->app = app_of(x);
    voice->server = exchange_server(x);
    voice->owner = x->request.caller.sees;
    voice->session = arena_dup(&voice->arena, session->id);
    voice->def = agent_def_copy(def, &voice->arena);
    voice->may_ask = kept_may_ask(kept);
    voice->usage = kept_usage(session, kept, NULL, &voice->arena);
    tools_keep(voice, def, kept);
    return (struct feed_voice){
        .begin = begin,
        .piece = hear_piece,
        .entry = hear_entry,
        .end = end,
        .free = leave,
        .context = voice,
    };
}
