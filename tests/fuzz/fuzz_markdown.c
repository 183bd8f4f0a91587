/*
 * Any bytes as markdown, as a person's text, as an output and as a patch: lines are never wider
 * than they may be, and nothing in them could change a terminal. The first byte is the width.
 */
#include "fuzz.h"

#include "base/control.h"
#include "base/utf8.h"
#include "tui/markdown.h"
#include "tui/message_lay.h"
#include "tui/patch_lay.h"

#include <assert.h>
#include <locale.h>

static int check_span(const struct span *span)
{
    assert(span->text.n > 0 && utf8_valid(span->text));
    for (size_t at = 0; at < span->text.n;)
        assert(!control_is(utf8_next(span->text, &at)));
    assert(span->look.tone < TONE_COUNT);
    return span->columns;
}

static void check_laid(struct laid laid, int width)
{
    for (size_t i = 0; i < laid.count; i++) {
        int columns = 0;

        for (size_t k = 0; k < laid.lines[i].count; k++)
            columns += check_span(&laid.lines[i].spans[k]);
        assert(columns == laid.lines[i].columns && columns <= width);
    }
}

static void check_markdown(struct str text, int width)
{
    struct arena arena;
    struct flow *flow;

    arena_init(&arena);
    flow = flow_new(&arena, width);
    markdown_lay(flow, text, look(TONE_TEXT));
    check_laid(flow_end(flow), width);
    arena_clear(&arena);
}

/* The text, which has a NUL behind it, in every part that a message can have. */
static void check_message(struct str text, int width)
{
    const struct tine_part parts[] = {
        {.type = "text", .text = text.p, .text_bytes = text.n},
        {.type = "reasoning", .text = text.p, .text_bytes = text.n},
        {.type = "tool_call", .name = text.p, .arguments = text.p},
        {.type = "tool_result", .text = text.p, .text_bytes = text.n, .error = true},
        {.type = "file", .name = text.p, .media_type = text.p, .uri = text.p},
        {.type = text.p, .json = text.p},
    };
    struct tine_message message = {
        .kind = "message", .role = "user", .parts = parts, .part_count = 6, .body = text.p};
    struct message_lay_options options = {.width = width, .numbered = true, .label = text.p};
    struct arena arena;

    arena_init(&arena);
    check_laid(message_lay(&message, &options, &arena), width);
    options.open = true;
    check_laid(message_lay(&message, &options, &arena), width);
    assert(message_gist(&message, &arena).n > 0);
    message.kind = "summary";
    check_laid(message_lay(&message, &options, &arena), width);
    arena_clear(&arena);
}

static void check_patch(struct str text, int width)
{
    const struct tine_file file = {
        .name = text.p, .status = text.p, .patch = text.p, .patch_bytes = text.n};
    struct arena arena;
    struct flow *flow;

    arena_init(&arena);
    flow = flow_new(&arena, width);
    patch_lay_files(flow, &file, 1, true);
    check_laid(flow_end(flow), width);
    arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct str text;
    int width;

    if (size == 0)
        return 0;
    setlocale(LC_ALL, "C.UTF-8");
    width = data[0] % 100 + 1;
    check_markdown((struct str){(const char *)data + 1, size - 1}, width);
    arena_init(&arena);
    text = arena_dup(&arena, (struct str){(const char *)data + 1, size - 1});
    check_message(text, width);
    check_patch(text, width);
    arena_clear(&arena);
    return 0;
}
