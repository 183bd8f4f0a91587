/*
 * md4c reads the text and tells what begins and ends; this lays it out as it is told. Blank lines
 * stand before blocks, never behind them, so that the end of one need not know what follows.
 */
#include "tui/markdown.h"

#include "base/buf.h"
#include "tui/entity.h"
#include "tui/table.h"

#include <md4c.h>

enum {
    MARKDOWN_BYTES = 4 * 1024 * 1024, /* a longer text is laid out as it is */
    NEST_MAX = 16,                    /* what is nested deeper stands as deep as that */
    CALLS_PER_BYTE = 16,              /* a text that makes more of itself is laid out as it is */
    CALLS_LEAST = 1000,
    PADDING = 16,
    LINK_TEXT = 512, /* a longer one is never the same as its address */
    ADDRESS_SHOWN = 300
};

struct nest {
    bool is_list, tight;
    char delimiter; /* of a numbered list; 0: it has bullets */
    unsigned number;
    bool begun; /* an item stands above */
};

struct markdown {
    struct flow *flow;
    struct arena *arena;
    struct look base;
    struct nest nests[NEST_MAX]; /* lists, items and quotes */
    size_t depth;
    size_t beyond; /* so many more, that are not shown */
    bool fresh;    /* nothing stands yet in what was begun last */
    bool broken;   /* a line break stands before what comes */
    struct table *table;
    bool in_code, in_html;
    int em, strong, strike, code, link, head, table_head;
    char link_text[LINK_TEXT];
    size_t link_bytes;
    struct str address;
    size_t address_room; /* bytes of addresses that may still be shown: one may be named often */
    size_t calls;        /* that may still come */
};

static struct look look_now(const struct markdown *md)
{
    struct look now = md->base;

    if (md->head) {
        now.tone = TONE_HEADING;
        now.bits |= LOOK_BOLD;
    }
    if (md->strong || md->table_head)
        now.bits |= LOOK_BOLD;
    if (md->em)
        now.bits |= LOOK_ITALIC;
    if (md->strike)
        now.bits |= LOOK_STRIKE;
    if (md->code)
        now.tone = TONE_CODE;
    if (md->link) {
        now.tone = TONE_LINK;
        now.bits |= LOOK_UNDERLINE;
    }
    return now;
}

static struct look faint(const struct markdown *md)
{
    return look_with(TONE_FAINT, md->base.bits);
}

static void write_text(struct markdown *md, struct str text, struct look look)
{
    for (; md->broken && text.n && *text.p == ' '; text.n--)
        text.p++;
    md->broken = text.n ? text.p[text.n - 1] == '\n' : md->broken;
    md->fresh = false;
    if (md->table)
        table_text(md->table, text, look);
    else
        flow_text(md->flow, text, look);
}

/* ---- blocks ---- */

static bool is_tight(const struct markdown *md)
{
    return md->depth > 1 && md->nests[md->depth - 2].is_list && md->nests[md->depth - 2].tight;
}

/* Before a block: a blank line, unless it is the first one in what it stands in. */
static void block_begin(struct markdown *md)
{
    if (md->fresh || md->beyond || is_tight(md))
        flow_break(md->flow);
    else
        flow_blank(md->flow);
    md->fresh = md->broken = false;
}

static void nest_begin(struct markdown *md, struct nest nest)
{
    md->fresh = true;
    if (md->depth == NEST_MAX)
        md->beyond++;
    else
        md->nests[md->depth++] = nest;
}

/* False: it was not shown. */
static bool nest_end(struct markdown *md)
{
    flow_break(md->flow);
    md->fresh = false;
    if (md->beyond) {
        md->beyond--;
        return false;
    }
    md->depth--;
    return true;
}

static void quote_begin(struct markdown *md)
{
    block_begin(md);
    if (md->depth < NEST_MAX)
        flow_push(md->flow, STR("│ "), STR("│ "), faint(md));
    nest_begin(md, (struct nest){0});
}

static void item_end(struct markdown *md)
{
    if (nest_end(md))
        flow_pop(md->flow);
}

static void bullets_begin(struct markdown *md, const MD_BLOCK_UL_DETAIL *detail)
{
    block_begin(md);
    nest_begin(md, (struct nest){.is_list = true, .tight = detail->is_tight != 0});
}

static void numbers_begin(struct markdown *md, const MD_BLOCK_OL_DETAIL *detail)
{
    block_begin(md);
    nest_begin(md, (struct nest){
                       .is_list = true,
                       .tight = detail->is_tight != 0,
                       .delimiter = detail->mark_delimiter,
                       .number = detail->start,
                   });
}

static size_t bullet_depth(const struct markdown *md)
{
    size_t depth = 0;

    for (size_t i = 0; i < md->depth; i++)
        depth += md->nests[i].is_list && !md->nests[i].delimiter;
    return depth;
}

static struct str item_mark(struct markdown *md, struct nest *list, const MD_BLOCK_LI_DETAIL *item)
{
    if (item->is_task)
        return item->task_mark == ' ' ? STR("☐ ") : STR("☑ ");
    if (list->delimiter)
        return arena_printf(md->arena, "%u%c ", list->number++, list->delimiter);
    return bullet_depth(md) % 2 ? STR("• ") : STR("◦ ");
}

static void item_begin(struct markdown *md, const MD_BLOCK_LI_DETAIL *detail)
{
    struct nest *list;

    if (md->beyond || md->depth == NEST_MAX) {
        flow_break(md->flow);
        nest_begin(md, (struct nest){0});
        return;
    }
    list = &md->nests[md->depth - 1];
    if (list->begun && !list->tight)
        flow_blank(md->flow);
    list->begun = true;
    flow_push(md->flow, item_mark(md, list, detail), STR(""), faint(md));
    nest_begin(md, (struct nest){0});
}

/* An attribute (an address, a language) with its entities read. */
static struct str attribute(const struct markdown *md, const MD_ATTRIBUTE *from)
{
    struct buf out;

    buf_init(&out, from->size + 1);
    for (size_t i = 0; from->size && from->substr_offsets[i] < from->size; i++) {
        MD_OFFSET at = from->substr_offsets[i];
        struct str piece = {from->text + at, from->substr_offsets[i + 1] - at};

        if (from->substr_types[i] == MD_TEXT_ENTITY)
            piece = entity_text(piece, md->arena);
        buf_add_str(&out, piece);
    }
    return buf_take(&out, md->arena);
}

static void code_begin(struct markdown *md, const MD_BLOCK_CODE_DETAIL *detail)
{
    struct str language = attribute(md, &detail->lang);

    block_begin(md);
    md->in_code = true;
    flow_push(md->flow, STR("│ "), STR("│ "), faint(md));
    flow_text(md->flow, language, faint(md));
    flow_break(md->flow);
}

static void code_end(struct markdown *md)
{
    md->in_code = false;
    flow_pop(md->flow);
}

static void rule(struct markdown *md)
{
    int columns = flow_room(md->flow);

    block_begin(md);
    for (int i = 0; i < columns; i++)
        flow_exact(md->flow, STR("─"), faint(md));
    flow_break(md->flow);
}

static enum table_align align_of(const MD_BLOCK_TD_DETAIL *detail)
{
    return detail->align == MD_ALIGN_RIGHT    ? TABLE_RIGHT
           : detail->align == MD_ALIGN_CENTER ? TABLE_CENTER
                                              : TABLE_LEFT;
}

static void table_begin(struct markdown *md, const MD_BLOCK_TABLE_DETAIL *detail)
{
    block_begin(md);
    md->table = table_new(md->arena, detail->col_count);
}

static void table_end(struct markdown *md)
{
    table_lay(md->table, md->flow);
    md->table = NULL;
}

static bool spend(struct markdown *md)
{
    if (md->calls == 0)
        return false;
    md->calls--;
    return true;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    struct markdown *md = context;

    if (!spend(md))
        return 1;
    switch (type) {
    case MD_BLOCK_QUOTE:
        quote_begin(md);
        break;
    case MD_BLOCK_UL:
        bullets_begin(md, detail);
        break;
    case MD_BLOCK_OL:
        numbers_begin(md, detail);
        break;
    case MD_BLOCK_LI:
        item_begin(md, detail);
        break;
    case MD_BLOCK_HR:
        rule(md);
        break;
    case MD_BLOCK_H:
        block_begin(md);
        md->head = 1;
        break;
    case MD_BLOCK_CODE:
        code_begin(md, detail);
        break;
    case MD_BLOCK_HTML:
        block_begin(md);
        md->in_html = true;
        break;
    case MD_BLOCK_P:
        block_begin(md);
        break;
    case MD_BLOCK_TABLE:
        table_begin(md, detail);
        break;
    case MD_BLOCK_TR:
        table_row(md->table);
        break;
    case MD_BLOCK_TH:
        md->table_head = 1;
        table_cell(md->table, align_of(detail));
        break;
    case MD_BLOCK_TD:
        table_cell(md->table, align_of(detail));
        break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
        break;
    }
    return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *context)
{
    struct markdown *md = context;

    (void)detail;
    switch (type) {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_LI:
        item_end(md);
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        nest_end(md);
        break;
    case MD_BLOCK_H:
        md->head = 0;
        flow_break(md->flow);
        break;
    case MD_BLOCK_CODE:
        code_end(md);
        break;
    case MD_BLOCK_HTML:
        md->in_html = false;
        flow_break(md->flow);
        break;
    case MD_BLOCK_TABLE:
        table_end(md);
        break;
    case MD_BLOCK_TH:
        md->table_head = 0;
        break;
    case MD_BLOCK_P:
        flow_break(md->flow);
        break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HR:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_TR:
    case MD_BLOCK_TD:
        break;
    }
    return 0;
}

/* ---- spans ---- */

static void link_begin(struct markdown *md, const MD_SPAN_A_DETAIL *detail)
{
    if (md->link++)
        return;
    md->address = attribute(md, &detail->href);
    md->link_bytes = 0;
}

static void link_hear(struct markdown *md, struct str text)
{
    if (text.n >= LINK_TEXT - md->link_bytes) {
        md->link_bytes = LINK_TEXT; /* too long: the same as nothing */
        return;
    }
    memcpy(md->link_text + md->link_bytes, text.p, text.n);
    md->link_bytes += text.n;
}

/* Does the text of the link say its address, with or without what stands before it? */
static bool link_says_address(const struct markdown *md)
{
    const struct str starts[] = {STR(""), STR("mailto:"), STR("http://"), STR("https://")};
    struct str text = {md->link_text, md->link_bytes};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (str_starts(md->address, starts[i]) &&
            str_eq(text, (struct str){md->address.p + starts[i].n, md->address.n - starts[i].n}))
            return true;
    return false;
}

static void link_end(struct markdown *md)
{
    struct str address;

    if (--md->link || md->address.n == 0 || link_says_address(md) ||
        md->address.n > md->address_room)
        return;
    md->address_room -= md->address.n;
    address = cells_fit(md->address, ADDRESS_SHOWN, md->arena, NULL);
    write_text(md, arena_printf(md->arena, "%s(%.*s)", md->link_bytes ? " " : "", STR_ARG(address)),
               faint(md));
}

static int enter_span(MD_SPANTYPE type, void *detail, void *context)
{
    struct markdown *md = context;

    if (!spend(md))
        return 1;
    if (type == MD_SPAN_EM)
        md->em++;
    else if (type == MD_SPAN_STRONG)
        md->strong++;
    else if (type == MD_SPAN_DEL)
        md->strike++;
    else if (type == MD_SPAN_CODE)
        md->code++;
    else if (type == MD_SPAN_A)
        link_begin(md, detail);
    else if (type == MD_SPAN_IMG)
        write_text(md, STR("[image: "), look_now(md));
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *context)
{
    struct markdown *md = context;

    (void)detail;
    if (type == MD_SPAN_EM)
        md->em--;
    else if (type == MD_SPAN_STRONG)
        md->strong--;
    else if (type == MD_SPAN_DEL)
        md->strike--;
    else if (type == MD_SPAN_CODE)
        md->code--;
    else if (type == MD_SPAN_A)
        link_end(md);
    else if (type == MD_SPAN_IMG)
        write_text(md, STR("]"), look_now(md));
    return 0;
}

static bool is_line_break(struct str html)
{
    return str_eq(html, STR("<br>")) || str_eq(html, STR("<br/>")) || str_eq(html, STR("<br />"));
}

static int add_text(MD_TEXTTYPE type, const MD_CHAR *bytes, MD_SIZE size, void *context)
{
    struct markdown *md = context;
    struct str text = {bytes, size};

    if (!spend(md))
        return 1;
    if (md->in_code || md->in_html) {
        flow_exact(md->flow, text, md->in_code ? look_with(TONE_CODE, md->base.bits) : md->base);
        return 0;
    }
    if (type == MD_TEXT_NULLCHAR)
        text = STR("\xef\xbf\xbd");
    else if (type == MD_TEXT_BR || (type == MD_TEXT_HTML && is_line_break(text)))
        text = STR("\n");
    else if (type == MD_TEXT_SOFTBR)
        text = STR(" ");
    else if (type == MD_TEXT_ENTITY)
        text = entity_text(text, md->arena);
    if (md->link)
        link_hear(md, text);
    write_text(md, text, look_now(md));
    return 0;
}

/*
 * The text with a line break at its end and NULs behind it: md4c 0.4.8 looks at the character
 * behind the last one when a link is not finished there.
 */
static struct str padded(struct str text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.n + PADDING);

    memcpy(copy, text.p, text.n);
    copy[text.n] = '\n';
    return (struct str){copy, text.n + 1};
}

static bool read_into(struct flow *flow, struct str text, struct look base)
{
    const MD_PARSER parser = {
        .flags = MD_DIALECT_GITHUB,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = add_text,
    };
    struct markdown md = {
        .flow = flow,
        .arena = flow_arena(flow),
        .base = base,
        .fresh = true,
        .address_room = text.n,
        .calls = text.n * CALLS_PER_BYTE + CALLS_LEAST,
    };

    text = padded(text, md.arena);
    return md_parse(text.p, (MD_SIZE)text.n, &parser, &md) == 0;
}

void markdown_lay(struct flow *flow, struct str text, struct look base)
{
    struct flow *own = flow_new(flow_arena(flow), flow_room(flow));

    flow_break(flow);
    if (text.n == 0)
        return;
    if (text.n <= MARKDOWN_BYTES && read_into(own, text, base)) {
        flow_lines(flow, flow_end(own));
        return;
    }
    flow_text(flow, text, base);
    flow_break(flow);
}
