#include "message/message_out.h"

#include "base/escape.h"
#include "store/limits.h"

#include <assert.h>

enum { END_ROOM = LIMIT_METADATA_BYTES + 64 };

void message_out_begin(struct message_out *out, struct arena *arena)
{
    *out = (struct message_out){.arena = arena};
    buf_init(&out->body, LIMIT_ENTRY_BYTES - END_ROOM);
    buf_add_text(&out->body, "{\"parts\":[");
}

static void begin_part(struct message_out *out, const char *type)
{
    buf_add_format(&out->body, "%s{\"type\":\"%s\"", out->comma ? "," : "", type);
    out->comma = true;
}

static void add_string(struct message_out *out, const char *key, struct str value)
{
    buf_add_format(&out->body, ",\"%s\":\"", key);
    if (value.n)
        escape_json(&out->body, value);
    buf_add_char(&out->body, '"');
}

/* A string whose text is searched. */
static void add_searched(struct message_out *out, const char *key, struct str value)
{
    size_t from;

    buf_add_format(&out->body, ",\"%s\":\"", key);
    from = out->body.n;
    if (value.n)
        escape_json(&out->body, value);
    if (out->body.n > from) {
        out->spans = arena_more(out->arena, out->spans, out->span_count, &out->span_room,
                                sizeof(*out->spans));
        out->spans[out->span_count++] =
            (struct span){(uint32_t)from, (uint32_t)(out->body.n - from)};
    }
    buf_add_char(&out->body, '"');
}

void message_out_text(struct message_out *out, struct str text)
{
    begin_part(out, "text");
    add_searched(out, "text", text);
    buf_add_char(&out->body, '}');
}

void message_out_reasoning(struct message_out *out, struct str text)
{
    begin_part(out, "reasoning");
    add_string(out, "text", text);
    buf_add_char(&out->body, '}');
}

void message_out_call(struct message_out *out, struct str id, struct str name, struct str arguments)
{
    begin_part(out, "tool_call");
    add_string(out, "id", id);
    add_string(out, "name", name);
    buf_add_text(&out->body, ",\"arguments\":");
    buf_add_str(&out->body, arguments);
    buf_add_char(&out->body, '}');
    out->calls++;
}

void message_out_result(struct message_out *out, struct str call, struct str output, bool error)
{
    begin_part(out, "tool_result");
    add_string(out, "call", call);
    add_searched(out, "output", output);
    buf_add_format(&out->body, ",\"error\":%s}", error ? "true" : "false");
    out->results++;
}

bool message_out_full(const struct message_out *out)
{
    return out->body.full;
}

struct entry_spec message_out_end(struct message_out *out, enum role role, struct str metadata)
{
    struct entry_spec spec = {.kind = ENTRY_MESSAGE, .role = role, .turn_rule = TURN_JOIN};

    assert(metadata.n <= LIMIT_METADATA_BYTES);
    if (out->body.full) {
        struct arena *arena = out->arena;

        buf_clear(&out->body);
        message_out_begin(out, arena);
        message_out_text(out, STR("(the message was too large to be kept)"));
    }
    out->body.max = LIMIT_ENTRY_BYTES;
    buf_add_char(&out->body, ']');
    if (metadata.n)
        buf_add_format(&out->body, ",\"metadata\":%.*s", STR_ARG(metadata));
    buf_add_char(&out->body, '}');
    spec.body = arena_dup(out->arena, buf_str(&out->body));
    spec.spans = out->spans;
    spec.span_count = out->span_count;
    spec.calls = out->calls;
    spec.results = out->results;
    buf_clear(&out->body);
    return spec;
}
