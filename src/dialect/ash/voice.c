/*
 * Each event is "event: TYPE\ndata: JSON\n\n". For everything that is said there are the events
 * that clients switch on, and after them `message` with the object itself.
 */
#include "dialect/ash/voice.h"

#include "base/clock.h"
#include "dialect/ash/content.h"
#include "message/part.h"

#include <stdlib.h>

enum { RESULT_BYTES = 1024 * 1024 }; /* of the last text, which is told again at the end */

struct voice {
    struct arena arena;
    struct str session, version;
    enum voice_partial partial;
    int64_t told_text, told_thought; /* bytes of the next message that were told already */
    int64_t turns;                   /* messages of the agent */
    int64_t began_ms;
    struct buf result; /* the text of the last one */
};

/* ---- frames ---- */

static size_t frame_begin(struct json_out *json, struct buf *out, const char *type)
{
    buf_add_format(out, "event: %s\ndata: ", type);
    json_out_init(json, out);
    json_out_object(json, NULL);
    return out->n;
}

/* JSON that was kept as it came may have line breaks between its words, and a frame has none. */
static void frame_end(struct json_out *json, struct buf *out, size_t from)
{
    json_out_object_end(json);
    for (size_t i = from; i < out->n; i++)
        if (out->p[i] == '\n' || out->p[i] == '\r')
            out->p[i] = ' ';
    buf_add_text(out, "\n\n");
}

static void frame_text(struct buf *out, const char *type, const char *key, struct str text)
{
    struct json_out json;
    size_t from = frame_begin(&json, out, type);

    json_out_string(&json, key, text);
    frame_end(&json, out, from);
}

/* ---- what happens ---- */

static void begin(void *context, const struct turn_begun *begun, struct buf *out)
{
    const struct voice *voice = context;
    struct json_out json;
    size_t from = frame_begin(&json, out, "session_start");

    (void)begun;
    json_out_string(&json, "sessionId", voice->session);
    json_out_string(&json, "version", voice->version);
    frame_end(&json, out, from);
}

/* The event of the model's own stream that a piece would have come from. */
static void raw_delta(const struct voice *voice, const char *type, const char *key, struct str text,
                      struct buf *out)
{
    struct json_out json;
    size_t from = frame_begin(&json, out, "message");

    json_out_plain(&json, "type", STR("stream_event"));
    json_out_object(&json, "event");
    json_out_plain(&json, "type", STR("content_block_delta"));
    json_out_int(&json, "index", 0);
    json_out_object(&json, "delta");
    json_out_plain(&json, "type", str_of(type));
    json_out_string(&json, key, text);
    json_out_object_end(&json);
    json_out_object_end(&json);
    json_out_string(&json, "session_id", voice->session);
    frame_end(&json, out, from);
}

/* ash has no word for a question; a client that does not know the event lets it pass. */
static void tell_ask(const struct delta *delta, struct buf *out)
{
    struct json_out json;
    struct json_value input;
    size_t from = frame_begin(&json, out, "permission_request");

    json_out_string(&json, "id", delta->id);
    json_out_string(&json, "name", delta->name);
    if (ash_object(delta->text, &input))
        json_out_raw(&json, "input", input.raw);
    else
        json_out_string(&json, "input", delta->text);
    frame_end(&json, out, from);
}

static void piece(void *context, const struct turn_piece *piece_, struct buf *out)
{
    struct voice *voice = context;
    const struct delta *delta = &piece_->delta;

    if (delta->kind == DELTA_ASK)
        tell_ask(delta, out);
    if (voice->partial == VOICE_WHOLE)
        return;
    if (delta->kind == DELTA_TEXT) {
        voice->told_text = piece_->offset + (int64_t)delta->text.n;
        frame_text(out, "text_delta", "delta", delta->text);
        if (voice->partial == VOICE_EVERYTHING)
            raw_delta(voice, "text_delta", "text", delta->text, out);
    } else if (delta->kind == DELTA_REASONING) {
        voice->told_thought = piece_->offset + (int64_t)delta->text.n;
        frame_text(out, "thinking_delta", "delta", delta->text);
        if (voice->partial == VOICE_EVERYTHING)
            raw_delta(voice, "thinking_delta", "thinking", delta->text, out);
    }
}

static void tell_call(const struct part *part, struct buf *out)
{
    struct json_out json;
    size_t from = frame_begin(&json, out, "tool_use");

    json_out_string(&json, "id", part->id);
    json_out_string(&json, "name", part->name);
    json_out_raw(&json, "input", part->value.raw);
    frame_end(&json, out, from);
}

static void tell_result(const struct part *part, struct buf *out)
{
    struct json_out json;
    size_t from = frame_begin(&json, out, "tool_result");

    json_out_string(&json, "tool_use_id", part->id);
    json_out_raw(&json, "content", part->value.raw);
    if (part->error)
        json_out_bool(&json, "is_error", true);
    frame_end(&json, out, from);
}

/*
 * What of a part was not told while it was said: running text is not kept, and who comes late, or
 * is slow, misses some. So the pieces that a client gets are the whole, whoever speaks.
 */
static void tell_rest(const struct part *part, const char *type, int64_t *told, struct buf *out)
{
    struct str rest = part->text;
    size_t known = *told < (int64_t)rest.n ? (size_t)*told : rest.n;

    *told -= (int64_t)known;
    rest.p += known;
    rest.n -= known;
    if (rest.n)
        frame_text(out, type, "delta", rest);
}

static void tell_parts(struct voice *voice, const struct entry *entry, struct arena *arena,
                       struct buf *out)
{
    size_t count;
    const struct part *parts = parts_of(entry->body, arena, &count);

    for (size_t i = 0; i < count; i++)
        if (parts[i].type == PART_TOOL_CALL)
            tell_call(&parts[i], out);
        else if (parts[i].type == PART_TOOL_RESULT)
            tell_result(&parts[i], out);
        else if (parts[i].type == PART_REASONING)
            tell_rest(&parts[i], "thinking_delta", &voice->told_thought, out);
        else if (parts[i].type == PART_TEXT && voice->partial != VOICE_WHOLE)
            tell_rest(&parts[i], "text_delta", &voice->told_text, out);
}

static void remember(struct voice *voice, const struct entry *entry, struct arena *arena)
{
    voice->told_text = voice->told_thought = 0;
    if (entry->role != ROLE_ASSISTANT)
        return;
    voice->turns++;
    buf_clear(&voice->result);
    buf_add_str(&voice->result, parts_text(entry->body, arena));
}

static void entry(void *context, const struct entry *entry_, struct buf *out)
{
    struct voice *voice = context;
    struct json_out json;
    struct arena arena;
    size_t from;

    if (entry_->kind != ENTRY_MESSAGE ||
        (entry_->role != ROLE_ASSISTANT && entry_->role != ROLE_TOOL))
        return;
    arena_init(&arena);
    tell_parts(voice, entry_, &arena, out);
    buf_add_text(out, "event: message\ndata: ");
    from = out->n;
    json_out_init(&json, out);
    ash_content_write(&json, NULL, entry_, &arena);
    for (; from < out->n; from++)
        if (out->p[from] == '\n' || out->p[from] == '\r')
            out->p[from] = ' ';
    buf_add_text(out, "\n\n");
    remember(voice, entry_, &arena);
    arena_clear(&arena);
}

static void tell_result_object(const struct voice *voice, struct buf *out)
{
    int64_t took = clock_ms() - voice->began_ms;
    struct json_out json;
    size_t from = frame_begin(&json, out, "turn_complete");

    json_out_int(&json, "numTurns", voice->turns);
    json_out_string(&json, "result", buf_str(&voice->result));
    frame_end(&json, out, from);
    from = frame_begin(&json, out, "message");
    json_out_plain(&json, "type", STR("result"));
    json_out_plain(&json, "subtype", STR("success"));
    json_out_string(&json, "session_id", voice->session);
    json_out_int(&json, "duration_ms", took);
    json_out_int(&json, "duration_api_ms", took);
    json_out_bool(&json, "is_error", false);
    json_out_int(&json, "num_turns", voice->turns);
    json_out_string(&json, "result", buf_str(&voice->result));
    frame_end(&json, out, from);
}

static void end(void *context, enum run_state state, struct str reason, struct buf *out)
{
    const struct voice *voice = context;

    if (state == RUN_DONE)
        tell_result_object(voice, out);
    else if (state == RUN_CANCELLED)
        frame_text(out, "error", "error", STR("The turn was stopped"));
    else
        frame_text(out, "error", "error", reason.n ? reason : STR("The agent failed"));
    frame_text(out, "done", "sessionId", voice->session);
}

static void voice_free(void *context)
{
    struct voice *voice = context;

    buf_clear(&voice->result);
    arena_clear(&voice->arena);
    free(voice);
}

struct feed_voice ash_voice(struct str session, const char *version, enum voice_partial partial)
{
    struct voice *voice = calloc(1, sizeof(*voice));

    if (!voice)
        abort();
    arena_init(&voice->arena);
    buf_init(&voice->result, RESULT_BYTES);
    voice->session = arena_dup(&voice->arena, session);
    voice->version = arena_dup(&voice->arena, str_of(version ? version : "0"));
    voice->partial = partial;
    voice->began_ms = clock_ms();
    return (struct feed_voice){
        .begin = begin,
        .piece = piece,
        .entry = entry,
        .end = end,
        .free = voice_free,
        .context = voice,
    };
}
