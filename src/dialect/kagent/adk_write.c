#include "dialect/kagent/adk_write.h"

#include "message/part.h"
#include "store/limits.h"

#include <inttypes.h>
#include <stdio.h>

static void write_timestamp(struct json_out *out, int64_t us)
{
    char text[48];
    int n = snprintf(text, sizeof(text), "%" PRId64 ".%06d", us / 1000000, (int)(us % 1000000));

    json_out_raw(out, "timestamp", (struct str){text, (size_t)n});
}

/* ---- parts ---- */

static void call_remember(struct call_names *calls, struct str call, struct str name,
                          struct arena *arena)
{
    calls->items =
        arena_more(arena, calls->items, calls->count, &calls->room, sizeof(*calls->items));
    calls->items[calls->count++] =
        (struct call_name){arena_dup(arena, call), arena_dup(arena, name)};
}

static struct str call_name(const struct call_names *calls, struct str call)
{
    for (size_t i = calls->count; i-- > 0;)
        if (str_eq(calls->items[i].call, call))
            return calls->items[i].name;
    return STR_NONE;
}

static void write_call(struct json_out *out, const struct part *part)
{
    json_out_object(out, NULL);
    json_out_object(out, "function_call");
    json_out_string(out, "id", part->id);
    json_out_string(out, "name", part->name);
    if (part->value.type == JSON_OBJECT) {
        json_out_raw(out, "args", part->value.raw);
    } else {
        json_out_object(out, "args");
        json_out_raw(out, "value", part->value.raw);
        json_out_object_end(out);
    }
    json_out_object_end(out);
    json_out_object_end(out);
}

static void write_result(struct json_out *out, const struct part *part, struct str name)
{
    json_out_object(out, NULL);
    json_out_object(out, "function_response");
    json_out_string(out, "id", part->id);
    json_out_name(out, "name", name);
    json_out_object(out, "response");
    json_out_raw(out, part->error ? "error" : "result", part->value.raw);
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object_end(out);
}

static void write_file(struct json_out *out, const struct part *part)
{
    bool uri = part->uri.n > 0;

    json_out_object(out, NULL);
    json_out_object(out, uri ? "file_data" : "inline_data");
    json_out_string(out, "display_name", part->name);
    json_out_string(out, "mime_type", part->media_type);
    json_out_string(out, uri ? "file_uri" : "data", uri ? part->uri : part->bytes);
    json_out_object_end(out);
    json_out_object_end(out);
}

static void write_text(struct json_out *out, const struct part *part)
{
    json_out_object(out, NULL);
    json_out_string(out, "text", part->text);
    if (part->type == PART_REASONING)
        json_out_bool(out, "thought", true);
    json_out_object_end(out);
}

static void write_part(struct json_out *out, const struct part *part, struct call_names *calls,
                       struct arena *arena)
{
    switch (part->type) {
    case PART_TOOL_CALL:
        call_remember(calls, part->id, part->name, arena);
        write_call(out, part);
        break;
    case PART_TOOL_RESULT:
        write_result(out, part, call_name(calls, part->id));
        break;
    case PART_FILE:
        write_file(out, part);
        break;
    case PART_TEXT:
    case PART_REASONING:
    case PART_DATA:
        write_text(out, part);
        break;
    case PART_OTHER:
        break;
    }
}

/* ---- events ---- */

static void write_content(struct json_out *out, const struct entry *entry, struct call_names *calls,
                          struct arena *arena)
{
    size_t count;
    const struct part *parts = parts_of(entry->body, arena, &count);

    if (count == 0)
        return;
    json_out_object(out, "content");
    json_out_array(out, "parts");
    for (size_t i = 0; i < count; i++)
        write_part(out, &parts[i], calls, arena);
    json_out_array_end(out);
    json_out_string(out, "role", entry->role == ROLE_ASSISTANT ? STR("model") : STR("user"));
    json_out_object_end(out);
}

static void write_usage(struct json_out *out, const struct usage *usage)
{
    json_out_object(out, "usage_metadata");
    json_out_int(out, "prompt_token_count", usage->input);
    json_out_int(out, "candidates_token_count", usage->output);
    json_out_int(out, "total_token_count", usage->input + usage->output);
    json_out_object_end(out);
}

static void write_nothing(struct json_out *out, const char *key)
{
    json_out_object(out, key);
    json_out_object_end(out);
}

void adk_write_message(struct json_out *out, const struct entry *entry, struct str agent,
                       struct call_names *calls, struct arena *arena)
{
    struct str author = entry->role == ROLE_USER     ? STR("user")
                        : entry->role == ROLE_SYSTEM ? STR("system")
                                                     : agent;

    json_out_object(out, NULL);
    write_content(out, entry, calls, arena);
    if (entry->has_usage)
        write_usage(out, &entry->usage);
    if (entry->flags & ENTRY_INTERRUPTED)
        json_out_bool(out, "interrupted", true);
    json_out_string(out, "invocation_id", entry->turn);
    json_out_string(out, "author", author);
    json_out_object(out, "actions");
    write_nothing(out, "state_delta");
    write_nothing(out, "artifact_delta");
    json_out_object_end(out);
    json_out_string(out, "id", entry->id);
    write_timestamp(out, entry->at_us);
    json_out_object_end(out);
}

void adk_write_change(struct json_out *out, struct str id, struct str invocation, int64_t at_us,
                      struct str target, const struct adk_delta *delta)
{
    json_out_object(out, NULL);
    json_out_string(out, "id", id);
    json_out_string(out, "invocation_id", invocation);
    json_out_string(out, "author", STR("user"));
    write_timestamp(out, at_us);
    json_out_object(out, "actions");
    json_out_object(out, "state_delta");
    for (size_t i = 0; i < delta->count; i++) {
        json_out_key(out, delta->items[i].key);
        json_out_raw(out, NULL, delta->items[i].value);
    }
    json_out_object_end(out);
    write_nothing(out, "artifact_delta");
    if (target.n)
        json_out_string(out, "rewind_before_invocation_id", target);
    json_out_object_end(out);
    json_out_object_end(out);
}
