#include "agent/openai/summary.h"

#include "base/utf8.h"
#include "message/message_out.h"

enum { BYTES_OF_TOKEN = 3, NEWEST_BYTES = 16 * 1024 };

static const char task[] =
    "Summarise the conversation below so that the work can go on from your summary alone. Keep: "
    "what the user wants and decided, what was done and found, names of files, commands and "
    "values that matter, what is still open. Leave out what no longer matters. Answer with the "
    "summary only.";

struct str summary_request(const struct talk *talk, const struct agent_def *def, int64_t tokens,
                           struct arena *arena)
{
    struct str transcript = talk_transcript(talk, (size_t)(tokens * BYTES_OF_TOKEN), arena);
    struct json_out out;
    struct buf body;

    buf_init(&body, TALK_BYTES);
    json_out_init(&out, &body);
    json_out_object(&out, NULL);
    json_out_string(&out, "model", def->model);
    json_out_array(&out, "messages");
    json_out_object(&out, NULL);
    json_out_string(&out, "role", STR("system"));
    json_out_string(&out, "content", str_of(task));
    json_out_object_end(&out);
    json_out_object(&out, NULL);
    json_out_string(&out, "role", STR("user"));
    json_out_string(&out, "content", transcript);
    json_out_object_end(&out);
    json_out_array_end(&out);
    json_out_bool(&out, "stream", true);
    json_out_object(&out, "stream_options");
    json_out_bool(&out, "include_usage", true);
    json_out_object_end(&out);
    json_out_object_end(&out);
    return buf_take(&body, arena);
}

struct entry_spec summary_entry(const struct talk *talk, struct str text, struct arena *arena)
{
    struct str newest = talk_newest(talk, arena);
    struct str some = utf8_cut(newest, NEWEST_BYTES);
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, arena);
    message_out_text(&out, some.n ? arena_printf(arena,
                                                 "%.*s\n\nThe user's newest message, which is "
                                                 "being worked on:\n\n%.*s%s",
                                                 STR_ARG(text), STR_ARG(some),
                                                 some.n < newest.n ? " […]" : "")
                                  : text);
    spec = message_out_end(&out, ROLE_NONE, STR_NONE);
    spec.kind = ENTRY_SUMMARY;
    return spec;
}
