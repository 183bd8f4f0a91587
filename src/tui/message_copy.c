#include "tui/message_copy.h"

/* What is copied, and how much of it. */
struct copying {
    struct arena *arena;
    size_t bytes;
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

/* The part is nothing but its text. */
static bool is_text(const struct tine_part *part)
{
    return part->text && (strcmp(part->type, "text") == 0 || strcmp(part->type, "reasoning") == 0 ||
                          strcmp(part->type, "tool_result") == 0);
}

static void part_copy(struct copying *copying, const struct tine_part *part, struct tine_part *out)
{
    *out = *part;
    out->type = text(copying, part->type);
    out->text = part->text ? bytes_copy(copying, part->text, part->text_bytes) : NULL;
    out->id = text(copying, part->id);
    out->name = text(copying, part->name);
    out->arguments = text(copying, part->arguments);
    out->call = text(copying, part->call);
    out->media_type = text(copying, part->media_type);
    out->bytes = text(copying, part->bytes);
    out->uri = text(copying, part->uri);
    out->json = is_text(part) ? "" : text(copying, part->json);
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

size_t message_copy(const struct tine_message *message, struct arena *arena,
                    struct tine_message *out)
{
    struct copying copying = {arena, sizeof(*out)};

    *out = *message;
    out->id = text(&copying, message->id);
    out->kind = text(&copying, message->kind);
    out->role = text(&copying, message->role);
    out->turn = text(&copying, message->turn);
    out->parts = parts_copy(&copying, message);
    out->body = text(&copying, message->body);
    out->metadata = text(&copying, message->metadata);
    out->session = text(&copying, message->session);
    out->hash = text(&copying, message->hash);
    out->files = text(&copying, message->files);
    out->move = text(&copying, message->move);
    out->scope = text(&copying, message->scope);
    out->to_message = text(&copying, message->to_message);
    out->json = "";
    return copying.bytes;
}

size_t event_copy(const struct tine_event *event, struct arena *arena, struct tine_event *out)
{
    struct copying copying = {arena, sizeof(*out)};

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
