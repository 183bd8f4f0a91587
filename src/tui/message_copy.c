#include "tui/message_copy.h"

#include "base/utf8.h"
#include "tui/message_lay.h"
#include "tui/text_lines.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    GIST_KEPT = 4 * 1024 /* bytes of each text that stay in any case: its first line is shown */
};

/* What is copied, and how much of it. */
struct copying {
    struct arena *arena;
    size_t bytes;
    bool shown;         /* only what can be shown */
    size_t text_room;   /* bytes of texts that can still be … */
    size_t output_room; /* … and of outputs, which may be folded and take no room then */
};

static const char *bytes_copy(struct copying *copying, const char *p, size_t n)
{
    copying->bytes += n + 1;
    return arena_dup(copying->arena, (struct str){p, n}).p;
}

static const char *text(struct copying *copying, const char *cstring)
{
    return cstring ? bytes_copy(copying, cstring, strlen(cstring)) : NULL;
}

static bool is(const struct tine_part *part, const char *type)
{
    return strcmp(part->type, type) == 0;
}

/* The part is nothing but its text. */
static bool is_text(const struct tine_part *part)
{
    return part->text && (is(part, "text") || is(part, "reasoning") || is(part, "tool_result"));
}

/* ---- what can be shown ---- */

/* It is kept in `json`, which is an object in what the server says and "" in copies. */
struct part_left_out part_left_out(const struct tine_part *part)
{
    struct part_left_out left_out = {0, 0};

    if (part->json && part->json[0] >= '0' && part->json[0] <= '9')
        (void)sscanf(part->json, "%zu %zu", &left_out.bytes, &left_out.lines);
    return left_out;
}

static const char *left_out_copy(struct copying *copying, struct part_left_out left_out)
{
    return arena_printf(copying->arena, "%zu %zu", left_out.bytes, left_out.lines).p;
}

static struct str lines_cut(struct str text, int lines)
{
    struct str rest = text, line;

    for (int i = 0; i < lines && text_lines_next(&rest, &line); i++)
        ;
    return (struct str){text.p, text.n - rest.n};
}

/* The same bounds as message_lay has, so that nothing is missing which it would show. */
static struct str text_shown(struct copying *copying, const struct tine_part *part)
{
    bool output = is(part, "tool_result");
    size_t *room = output ? &copying->output_room : &copying->text_room;
    size_t max = output ? MESSAGE_OUTPUT_SHOWN : MESSAGE_TEXT_SHOWN;
    struct str text = {part->text, part->text_bytes}, shown;

    max = *room < max ? *room : max;
    shown = lines_cut(utf8_cut(text, max > GIST_KEPT ? max : GIST_KEPT),
                      output ? MESSAGE_OUTPUT_LINES : MESSAGE_TEXT_LINES);
    *room -= shown.n < *room ? shown.n : *room;
    return shown;
}

static void text_copy(struct copying *copying, const struct tine_part *part, struct tine_part *out)
{
    struct part_left_out left_out = part_left_out(part);
    struct str text = {part->text, part->text_bytes}, shown = text_shown(copying, part);

    if (shown.n < text.n && left_out.bytes == 0 && is(part, "tool_result"))
        left_out.lines = text_lines_count(text);
    left_out.bytes += text.n - shown.n;
    out->text = bytes_copy(copying, shown.p, shown.n);
    out->text_bytes = shown.n;
    out->json = left_out.bytes ? left_out_copy(copying, left_out) : "";
}

static void file_copy(struct copying *copying, const struct tine_part *part, struct tine_part *out)
{
    struct part_left_out left_out = part_left_out(part);

    left_out.bytes += strlen(part->bytes);
    out->bytes = "";
    out->json = left_out_copy(copying, left_out);
}

/* ---- messages ---- */

static void part_copy(struct copying *copying, const struct tine_part *part, struct tine_part *out)
{
    *out = *part;
    out->type = text(copying, part->type);
    out->id = text(copying, part->id);
    out->name = text(copying, part->name);
    out->arguments = text(copying, part->arguments);
    out->call = text(copying, part->call);
    out->media_type = text(copying, part->media_type);
    out->uri = text(copying, part->uri);
    if (copying->shown && is_text(part)) {
        text_copy(copying, part, out);
        return;
    }
    out->text = part->text ? bytes_copy(copying, part->text, part->text_bytes) : NULL;
    if (copying->shown && part->bytes && is(part, "file")) {
        file_copy(copying, part, out);
        return;
    }
    out->bytes = text(copying, part->bytes);
    out->json = is_text(part) || part->arguments ? "" : text(copying, part->json);
}

static const struct tine_part *parts_copy(struct copying *copying,
                                          const struct tine_message *message)
{
    struct tine_part *parts =
        arena_array(copying->arena, message->part_count, sizeof(struct tine_part));

    copying->bytes += message->part_count * sizeof(struct tine_part);
    for (size_t i = 0; i < message->part_count; i++)
        part_copy(copying, &message->parts[i], &parts[i]);
    return parts;
}

static size_t copy(struct copying *copying, const struct tine_message *message,
                   struct tine_message *out)
{
    *out = *message;
    out->id = text(copying, message->id);
    out->kind = text(copying, message->kind);
    out->role = text(copying, message->role);
    out->turn = text(copying, message->turn);
    out->parts = parts_copy(copying, message);
    out->body = text(copying, message->body);
    out->metadata = text(copying, message->metadata);
    out->session = text(copying, message->session);
    out->hash = text(copying, message->hash);
    out->files = text(copying, message->files);
    out->move = text(copying, message->move);
    out->scope = text(copying, message->scope);
    out->to_message = text(copying, message->to_message);
    out->json = "";
    return copying->bytes;
}

size_t message_copy(const struct tine_message *message, struct arena *arena,
                    struct tine_message *out)
{
    return copy(&(struct copying){.arena = arena, .bytes = sizeof(*out)}, message, out);
}

size_t message_copy_shown(const struct tine_message *message, struct arena *arena,
                          struct tine_message *out)
{
    struct copying copying = {
        .arena = arena,
        .bytes = sizeof(*out),
        .shown = true,
        .text_room = MESSAGE_ALL_SHOWN,
        .output_room = MESSAGE_ALL_SHOWN,
    };

    return copy(&copying, message, out);
}

size_t event_copy(const struct tine_event *event, struct arena *arena, struct tine_event *out)
{
    struct copying copying = {.arena = arena, .bytes = sizeof(*out)};

    *out = *event;
    out->id = text(&copying, event->id);
    out->type = text(&copying, event->type);
    out->data = event->data ? bytes_copy(&copying, event->data, event->data_bytes) : NULL;
    out->session = text(&copying, event->session);
    out->turn = text(&copying, event->turn);
    out->turn_state = text(&copying, event->turn_state);
    out->reason = text(&copying, event->reason);
    out->text = event->text ? bytes_copy(&copying, event->text, event->text_bytes) : NULL;
    out->kind = text(&copying, event->kind);
    out->call = text(&copying, event->call);
    out->call_name = text(&copying, event->call_name);
    out->ask = text(&copying, event->ask);
    out->ask_tool = text(&copying, event->ask_tool);
    out->ask_arguments = text(&copying, event->ask_arguments);
    out->ask_question = text(&copying, event->ask_question);
    if (event->message) {
        struct tine_message *message = arena_alloc(arena, sizeof(*message));

        copying.bytes += message_copy(event->message, arena, message);
        out->message = message;
    }
    return copying.bytes;
}
