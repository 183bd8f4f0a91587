/*
 * Offsets count the bytes of one source: a kind and, for the calls of tools and their output, the
 * call. A source may be interrupted by others and go on, so a source is no piece: what was heard of
 * it is counted apart.
 */
#include "tui/saying.h"

#include "base/utf8.h"
#include "tui/owned.h"

#include <stdlib.h>

#define GAP "\xe2\x80\xa6" /* an ellipsis: something was not heard */

struct source {
    char *kind, *call; /* call NULL: none */
    int64_t end;       /* bytes heard */
};

struct piece {
    char *kind, *call, *name; /* call, name NULL: none */
    struct buf text;
};

struct saying {
    char *turn;
    int64_t step;
    struct source sources[SAYING_SOURCES];
    size_t source_count;
    struct piece pieces[SAYING_PIECES];
    size_t count;
    size_t bytes; /* of all texts */
    struct message_piece shown[SAYING_PIECES];
    uint64_t version;
};

struct saying *saying_new(void)
{
    struct saying *saying = calloc(1, sizeof(*saying));

    if (!saying)
        abort();
    saying->version = 1;
    return saying;
}

/* ---- pieces ---- */

static void piece_clear(struct piece *piece)
{
    free(piece->kind);
    free(piece->call);
    free(piece->name);
    buf_clear(&piece->text);
}

static void drop_first(struct saying *saying)
{
    saying->bytes -= saying->pieces[0].text.n;
    piece_clear(&saying->pieces[0]);
    saying->count--;
    memmove(&saying->pieces[0], &saying->pieces[1], saying->count * sizeof(saying->pieces[0]));
}

static void sources_clear(struct saying *saying)
{
    for (size_t i = 0; i < saying->source_count; i++) {
        free(saying->sources[i].kind);
        free(saying->sources[i].call);
    }
    saying->source_count = 0;
}

static void pieces_clear(struct saying *saying)
{
    while (saying->count)
        drop_first(saying);
    sources_clear(saying);
}

void saying_free(struct saying *saying)
{
    if (!saying)
        return;
    pieces_clear(saying);
    free(saying->turn);
    free(saying);
}

/* Where a text may begin after `at`: behind a line break when one is near, else a character. */
static size_t good_start(struct str text, size_t at)
{
    enum { NEAR = 1024 };
    size_t most = text.n - at < NEAR ? text.n - at : NEAR;
    const char *line = memchr(text.p + at, '\n', most);

    if (line)
        return (size_t)(line - text.p) + 1;
    while (at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* Leaves half of what is allowed, so that this is rare. */
static void keep_tail(struct saying *saying)
{
    size_t drop = saying->bytes - SAYING_BYTES / 2;
    struct buf *text;
    size_t from;

    while (saying->count > 1 && saying->pieces[0].text.n <= drop) {
        drop -= saying->pieces[0].text.n;
        drop_first(saying);
    }
    text = &saying->pieces[0].text;
    if (drop == 0 || drop >= text->n)
        return;
    from = good_start(buf_str(text), drop);
    memmove(text->p, text->p + from, text->n - from + 1);
    text->n -= from;
    saying->bytes -= from;
}

static struct piece *piece_for(struct saying *saying, const struct tine_event *event)
{
    struct piece *piece = saying->count ? &saying->pieces[saying->count - 1] : NULL;

    if (piece && owned_same(piece->kind, event->kind) && owned_same(piece->call, event->call))
        return piece;
    if (saying->count == SAYING_PIECES)
        drop_first(saying);
    piece = &saying->pieces[saying->count++];
    *piece = (struct piece){.kind = owned_copy(event->kind),
                            .call = owned_copy(event->call),
                            .name = owned_copy(event->call_name)};
    buf_init(&piece->text, 2 * SAYING_BYTES);
    return piece;
}

static void add(struct saying *saying, const struct tine_event *event, struct str text, bool gap)
{
    struct piece *piece = piece_for(saying, event);
    size_t before = piece->text.n;

    if (!piece->name)
        piece->name = owned_copy(event->call_name);
    if (text.n > SAYING_BYTES) { /* a late one is told all of it at once */
        size_t from = good_start(text, text.n - SAYING_BYTES);

        text = (struct str){text.p + from, text.n - from};
    }
    if (gap)
        buf_add_text(&piece->text, GAP);
    buf_add_str(&piece->text, text);
    saying->bytes += piece->text.n - before;
    if (saying->bytes > SAYING_BYTES)
        keep_tail(saying);
}

/* ---- sources ---- */

static struct source *source_for(struct saying *saying, const struct tine_event *event)
{
    struct source *source;

    for (size_t i = 0; i < saying->source_count; i++)
        if (owned_same(saying->sources[i].kind, event->kind) &&
            owned_same(saying->sources[i].call, event->call))
            return &saying->sources[i];
    if (saying->source_count == SAYING_SOURCES) {
        free(saying->sources[0].kind);
        free(saying->sources[0].call);
        saying->source_count--;
        memmove(&saying->sources[0], &saying->sources[1],
                saying->source_count * sizeof(saying->sources[0]));
    }
    source = &saying->sources[saying->source_count++];
    *source = (struct source){owned_copy(event->kind), owned_copy(event->call), 0};
    return source;
}

static void step_begin(struct saying *saying, const struct tine_event *event)
{
    if (!owned_same(saying->turn, event->turn)) {
        pieces_clear(saying);
        free(saying->turn);
        saying->turn = owned_copy(event->turn);
    } else if (event->step != saying->step) {
        pieces_clear(saying);
    }
    saying->step = event->step;
}

bool saying_take(struct saying *saying, const struct tine_event *event)
{
    struct str text = {event->text, event->text_bytes};
    struct source *source;
    bool is_call;

    if (!event->kind || !event->text)
        return false;
    if (owned_same(saying->turn, event->turn) && event->step < saying->step)
        return false;
    step_begin(saying, event);
    source = source_for(saying, event);
    is_call = strcmp(event->kind, "call") == 0 && source->end == 0 && text.n == 0;
    if (event->offset < source->end) {
        size_t known = (size_t)(source->end - event->offset);

        if (known >= text.n)
            return false;
        text = (struct str){text.p + known, text.n - known};
    }
    if (text.n == 0 && !is_call) /* that a tool is called is said before its arguments are */
        return false;
    add(saying, event, text, event->offset > source->end);
    source->end = event->offset + (int64_t)event->text_bytes;
    saying->version++;
    return true;
}

bool saying_end(struct saying *saying)
{
    bool was = saying->count > 0;

    pieces_clear(saying);
    if (was)
        saying->version++;
    return was;
}

const char *saying_turn(const struct saying *saying)
{
    return saying->turn;
}

size_t saying_pieces(struct saying *saying, const struct message_piece **out)
{
    for (size_t i = 0; i < saying->count; i++) {
        const struct piece *piece = &saying->pieces[i];

        saying->shown[i] = (struct message_piece){piece->kind, piece->name, buf_str(&piece->text)};
    }
    *out = saying->shown;
    return saying->count;
}

uint64_t saying_version(const struct saying *saying)
{
    return saying->version;
}
