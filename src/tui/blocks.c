#include "tui/blocks.h"

#include "base/array.h"
#include "tui/layouts.h"

#include <stdlib.h>

enum { TOGGLED_MAX = 4096 };

/* What is laid out outside of the cache: it changes all the time. */
struct aside {
    struct arena arena;
    struct laid laid;
    uint64_t version; /* 0: nothing */
    int width;
    bool open;
    struct str text; /* that is being sent; in the arena */
};

struct blocks {
    struct talk *talk;
    const struct scroll_look *look;
    int width;
    int64_t now_ms;
    struct layouts *layouts;
    struct aside saying, sending;
    int64_t *toggled; /* messages that are open though others are not, or the reverse */
    size_t toggled_count, toggled_room;
};

struct blocks *blocks_new(struct talk *talk)
{
    struct blocks *blocks = calloc(1, sizeof(*blocks));

    if (!blocks)
        abort();
    blocks->talk = talk;
    blocks->layouts = layouts_new();
    arena_init(&blocks->saying.arena);
    arena_init(&blocks->sending.arena);
    return blocks;
}

static void aside_clear(struct aside *aside)
{
    arena_clear(&aside->arena);
    aside->version = 0;
}

void blocks_free(struct blocks *blocks)
{
    if (!blocks)
        return;
    layouts_free(blocks->layouts);
    aside_clear(&blocks->saying);
    aside_clear(&blocks->sending);
    free(blocks->toggled);
    free(blocks);
}

void blocks_set(struct blocks *blocks, const struct scroll_look *look, int width, int64_t now_ms)
{
    blocks->look = look;
    blocks->width = width;
    blocks->now_ms = now_ms;
}

void blocks_begin(struct blocks *blocks)
{
    layouts_clear(blocks->layouts);
    blocks->toggled_count = 0;
}

/* ---- which there are ---- */

static bool sends(const struct blocks *blocks)
{
    return talk_sending_text(blocks->talk).p != NULL;
}

static bool says(const struct blocks *blocks)
{
    const struct message_piece *pieces;

    return talk_pieces(blocks->talk, &pieces) > 0;
}

int64_t blocks_count(const struct blocks *blocks)
{
    return talk_count(blocks->talk) + sends(blocks) + says(blocks);
}

bool blocks_is_sending(const struct blocks *blocks, int64_t index)
{
    return index == talk_count(blocks->talk) && sends(blocks);
}

static bool is_toggled(const struct blocks *blocks, int64_t index)
{
    for (size_t i = 0; i < blocks->toggled_count; i++)
        if (blocks->toggled[i] == index)
            return true;
    return false;
}

void blocks_toggle(struct blocks *blocks, int64_t index)
{
    for (size_t i = 0; i < blocks->toggled_count; i++)
        if (blocks->toggled[i] == index) {
            blocks->toggled[i] = blocks->toggled[--blocks->toggled_count];
            return;
        }
    if (blocks->toggled_count == TOGGLED_MAX)
        memmove(blocks->toggled, blocks->toggled + 1,
                --blocks->toggled_count * sizeof(blocks->toggled[0]));
    blocks->toggled = array_more(blocks->toggled, blocks->toggled_count, &blocks->toggled_room,
                                 sizeof(blocks->toggled[0]));
    blocks->toggled[blocks->toggled_count++] = index;
}

/* ---- laying them out ---- */

static struct message_lay_options lay_options(const struct blocks *blocks, bool boxed, bool open)
{
    int width = blocks->width - (boxed ? BLOCK_BOX_COLUMNS : 0);

    return (struct message_lay_options){.width = width > 0 ? width : 1,
                                        .open = open,
                                        .numbered = blocks->look->numbered,
                                        .now_ms = blocks->now_ms};
}

static bool aside_is(const struct aside *aside, uint64_t version,
                     const struct message_lay_options *options)
{
    return aside->version == version && aside->width == options->width &&
           aside->open == options->open;
}

static void aside_begin(struct aside *aside, uint64_t version,
                        const struct message_lay_options *options)
{
    aside_clear(aside);
    aside->version = version;
    aside->width = options->width;
    aside->open = options->open;
}

static struct laid lay_saying(struct blocks *blocks)
{
    struct message_lay_options options = lay_options(blocks, false, blocks->look->all_open);
    uint64_t version = talk_pieces_version(blocks->talk);
    struct aside *aside = &blocks->saying;
    const struct message_piece *pieces;
    size_t count;

    if (aside_is(aside, version, &options))
        return aside->laid;
    aside_begin(aside, version, &options);
    count = talk_pieces(blocks->talk, &pieces);
    options.numbered = false;
    aside->laid = message_lay_pieces(pieces, count, &options, &aside->arena);
    return aside->laid;
}

/* As the message that it will be. */
static struct laid lay_sending(struct blocks *blocks)
{
    struct message_lay_options options = lay_options(blocks, false, false);
    struct str text = talk_sending_text(blocks->talk);
    struct aside *aside = &blocks->sending;
    struct tine_part part = {.type = "text", .json = ""};
    struct tine_message message = {.id = "",
                                   .index = -1,
                                   .kind = "message",
                                   .role = "user",
                                   .parts = &part,
                                   .part_count = 1,
                                   .session = "",
                                   .hash = "",
                                   .json = ""};

    if (aside_is(aside, 1, &options) && str_eq(aside->text, text))
        return aside->laid;
    aside_begin(aside, 1, &options);
    aside->text = arena_dup(&aside->arena, text);
    part.text = aside->text.p;
    part.text_bytes = text.n;
    options.numbered = false;
    options.now_ms = 0;
    aside->laid = message_lay(&message, &options, &aside->arena);
    return aside->laid;
}

static bool lay_message(struct blocks *blocks, int64_t index, bool boxed, struct laid *out)
{
    const struct tine_message *message = talk_at(blocks->talk, index);
    bool open = blocks->look->all_open != is_toggled(blocks, index);
    struct message_lay_options options = lay_options(blocks, boxed, open);

    if (!message)
        return false;
    options.label = talk_label(blocks->talk, message->id);
    *out = layouts_get(blocks->layouts, (struct layout_key){talk_version(blocks->talk), index},
                       message, &options);
    return true;
}

struct block blocks_at(struct blocks *blocks, int64_t index)
{
    int64_t count = talk_count(blocks->talk);
    struct block block = {.here = true};

    if (index < count) {
        block.boxed = index == blocks->look->marked;
        block.here = lay_message(blocks, index, block.boxed, &block.laid);
    } else if (blocks_is_sending(blocks, index)) {
        block.laid = lay_sending(blocks);
    } else {
        block.laid = lay_saying(blocks);
    }
    block.rows = block.here ? (int)block.laid.count + (block.boxed ? BLOCK_BOX_ROWS : 0) : 1;
    return block;
}

int blocks_rows(struct blocks *blocks, int64_t index, bool *here)
{
    struct block block = blocks_at(blocks, index);

    if (here)
        *here = block.here;
    return block.rows + (index + 1 < blocks_count(blocks));
}
