#include "tui/compare_lay.h"

#include "base/buf.h"
#include "tui/message_lay.h"
#include "tui/patch_lay.h"

#include <inttypes.h>

enum { GAP = 3, GIST_COLUMNS = 300 };

/* ---- lines, as they come ---- */

/* Lines that were laid out in parts, at the same width. */
struct sheet {
    struct arena *arena;
    struct line *lines;
    size_t count, room;
};

static void sheet_add(struct sheet *sheet, const struct line *line)
{
    sheet->lines =
        arena_more(sheet->arena, sheet->lines, sheet->count, &sheet->room, sizeof(*sheet->lines));
    sheet->lines[sheet->count++] = *line;
}

static void sheet_blank(struct sheet *sheet)
{
    sheet_add(sheet, &(struct line){0});
}

static void sheet_laid(struct sheet *sheet, struct laid laid)
{
    for (size_t i = 0; i < laid.count; i++)
        sheet_add(sheet, &laid.lines[i]);
}

/* ---- two columns ---- */

static struct span span_of(struct str text, int columns, enum tone tone)
{
    return (struct span){.text = text, .columns = columns, .look = look(tone)};
}

static struct span blanks(int columns, struct arena *arena)
{
    char *text = arena_alloc(arena, (size_t)columns + 1);

    memset(text, ' ', (size_t)columns);
    return span_of((struct str){text, (size_t)columns}, columns, TONE_TEXT);
}

/* One line of each, a line between them; either may be NULL. */
static struct line beside(const struct line *left, const struct line *right, int column,
                          struct arena *arena)
{
    size_t lefts = left ? left->count : 0, rights = right ? right->count : 0, n = 0;
    int fill = column - (left ? left->columns : 0);
    struct span *spans = arena_array(arena, lefts + rights + 2, sizeof(*spans));

    for (size_t i = 0; i < lefts; i++)
        spans[n++] = left->spans[i];
    if (fill > 0)
        spans[n++] = blanks(fill, arena);
    spans[n++] = span_of(STR(" │ "), GAP, TONE_FAINT);
    for (size_t i = 0; i < rights; i++)
        spans[n++] = right->spans[i];
    return (struct line){spans, n, column + GAP + (right ? right->columns : 0)};
}

static void sheet_beside(struct sheet *sheet, struct laid left, struct laid right, int column)
{
    size_t n = left.count > right.count ? left.count : right.count;

    for (size_t i = 0; i < n; i++) {
        struct line line = beside(i < left.count ? &left.lines[i] : NULL,
                                  i < right.count ? &right.lines[i] : NULL, column, sheet->arena);

        sheet_add(sheet, &line);
    }
}

/* ---- messages ---- */

struct side {
    const struct tine_message *messages;
    size_t count, at;
    bool more;
};

size_t compare_group(const struct tine_message *messages, size_t count, size_t at)
{
    size_t end = at;

    if (at >= count)
        return 0;
    for (end++; end < count; end++)
        if (messages[end].role && strcmp(messages[end].role, "user") == 0)
            break;
    return end - at;
}

static struct laid group_lay(const struct compare_spec *spec, struct side *side, int width,
                             struct arena *arena)
{
    struct message_lay_options options = {
        .width = width, .open = spec->open, .numbered = true, .now_ms = spec->now_ms};
    size_t n = compare_group(side->messages, side->count, side->at);
    struct sheet sheet = {.arena = arena};

    for (size_t i = 0; i < n; i++) {
        if (i)
            sheet_blank(&sheet);
        sheet_laid(&sheet, message_lay(&side->messages[side->at + i], &options, arena));
    }
    side->at += n;
    return (struct laid){sheet.lines, sheet.count};
}

static struct laid text_lay(const char *text, int width, struct look as, struct arena *arena)
{
    struct flow *flow = flow_new(arena, width);

    flow_text(flow, str_of(text), as);
    return flow_end(flow);
}

static struct laid rule_lay(const char *text, int width, struct arena *arena)
{
    struct sheet sheet = {.arena = arena};
    struct line *line;
    struct span *spans = arena_array(arena, 2, sizeof(*spans));
    int used;
    struct str words =
        cells_fit(arena_printf(arena, "── %s ", text), width > 1 ? width : 1, arena, &used);
    struct buf dashes;

    buf_init(&dashes, (size_t)(width > 0 ? width : 0) * 3 + 1);
    for (int i = used; i < width; i++)
        buf_add_text(&dashes, "─");
    spans[0] = (struct span){words, used, look_with(TONE_HEADING, LOOK_BOLD)};
    spans[1] = span_of(dashes.n ? buf_take(&dashes, arena) : STR(""),
                       width > used ? width - used : 0, TONE_FAINT);
    sheet_add(&sheet, &(struct line){0});
    line = &sheet.lines[0];
    *line = (struct line){spans, spans[1].columns ? 2 : 1, used + spans[1].columns};
    return (struct laid){sheet.lines, sheet.count};
}

static const char *side_title(const struct compare_spec *spec, size_t side)
{
    return spec->titles[side] && *spec->titles[side] ? spec->titles[side] : "untitled";
}

static struct laid side_end(const struct side *side, int width, struct arena *arena)
{
    if (side->count == 0)
        return text_lay("nothing more", width, look_with(TONE_FAINT, LOOK_ITALIC), arena);
    if (side->more)
        return text_lay("… and more: open it to read on", width, look(TONE_WARN), arena);
    return (struct laid){0};
}

static void lay_beside(const struct compare_spec *spec, struct side sides[2], int width,
                       struct sheet *sheet)
{
    int column = (width - GAP) / 2;
    struct look bold = look_with(TONE_HEADING, LOOK_BOLD);
    struct arena *arena = sheet->arena;
    struct laid left, right;

    sheet_beside(sheet, text_lay(side_title(spec, 0), column, bold, arena),
                 text_lay(side_title(spec, 1), column, bold, arena), column);
    while (sides[0].at < sides[0].count || sides[1].at < sides[1].count) {
        left = group_lay(spec, &sides[0], column, arena);
        right = group_lay(spec, &sides[1], column, arena);
        sheet_beside(sheet, (struct laid){&(struct line){0}, 1}, (struct laid){0}, column);
        sheet_beside(sheet, left, right, column);
    }
    left = side_end(&sides[0], column, arena);
    right = side_end(&sides[1], column, arena);
    if (left.count || right.count)
        sheet_beside(sheet, (struct laid){&(struct line){0}, 1}, (struct laid){0}, column);
    sheet_beside(sheet, left, right, column);
}

static void lay_below(const struct compare_spec *spec, struct side sides[2], int width,
                      struct sheet *sheet)
{
    for (size_t i = 0; i < 2; i++) {
        struct look bold = look_with(TONE_HEADING, LOOK_BOLD);
        struct laid end;

        if (i)
            sheet_blank(sheet);
        sheet_laid(sheet, text_lay(side_title(spec, i), width, bold, sheet->arena));
        while (sides[i].at < sides[i].count) {
            sheet_blank(sheet);
            sheet_laid(sheet, group_lay(spec, &sides[i], width, sheet->arena));
        }
        end = side_end(&sides[i], width, sheet->arena);
        if (end.count)
            sheet_blank(sheet);
        sheet_laid(sheet, end);
    }
}

/* ---- what they share ---- */

static void lay_shared(const struct compare_spec *spec, int width, struct sheet *sheet)
{
    const struct tine_result *diff = spec->diff;
    struct arena *arena = sheet->arena;
    struct flow *flow = flow_new(arena, width);

    if (diff->shared == 0 && !diff->common) {
        flow_text(flow, STR("They have no message in common."), look(TONE_TEXT));
    } else {
        flow_text(flow,
                  arena_printf(arena, "They share %" PRId64 " message%s", diff->shared,
                               diff->shared == 1 ? "" : "s"),
                  look(TONE_TEXT));
        if (spec->last) {
            flow_text(flow, STR(", the last of them: "), look(TONE_TEXT));
            flow_text(flow, cells_fit(message_gist(spec->last, arena), GIST_COLUMNS, arena, NULL),
                      look_with(TONE_FAINT, LOOK_ITALIC));
        } else {
            flow_text(flow, STR("."), look(TONE_TEXT));
        }
    }
    sheet_laid(sheet, flow_end(flow));
}

/* ---- all of it ---- */

static void lay_files(const struct tine_result *diff, int width, struct sheet *sheet)
{
    struct flow *flow = flow_new(sheet->arena, width);

    if (diff->file_count == 0)
        flow_text(flow, STR("No file differs."), look_with(TONE_FAINT, LOOK_ITALIC));
    else
        patch_lay_files(flow, diff->files, diff->file_count, diff->files_more);
    sheet_laid(sheet, flow_end(flow));
}

static const char *files_heading(const struct tine_result *diff, struct arena *arena)
{
    int64_t additions = 0, deletions = 0;

    if (diff->file_count == 0)
        return "Files";
    for (size_t i = 0; i < diff->file_count; i++) {
        additions += diff->files[i].additions;
        deletions += diff->files[i].deletions;
    }
    return arena_printf(arena, "Files: %zu%s, +%" PRId64 " -%" PRId64, diff->file_count,
                        diff->files_more        ? " and more differ"
                        : diff->file_count == 1 ? " differs"
                                                : " differ",
                        additions, deletions)
        .p;
}

void compare_lay(const struct compare_spec *spec, int width, struct arena *arena,
                 struct compare_laid *out)
{
    const struct tine_result *diff = spec->diff;
    struct side sides[2] = {
        {.messages = diff->left, .count = diff->left_count, .more = diff->left_more},
        {.messages = diff->right, .count = diff->right_count, .more = diff->right_more}};
    struct sheet sheet = {.arena = arena};

    lay_shared(spec, width, &sheet);
    sheet_blank(&sheet);
    out->messages_at = sheet.count;
    sheet_laid(&sheet, rule_lay("Messages since", width, arena));
    if (width >= COMPARE_WIDE)
        lay_beside(spec, sides, width, &sheet);
    else
        lay_below(spec, sides, width, &sheet);
    sheet_blank(&sheet);
    out->files_at = sheet.count;
    sheet_laid(&sheet, rule_lay(files_heading(diff, arena), width, arena));
    lay_files(diff, width, &sheet);
    out->laid = (struct laid){sheet.lines, sheet.count};
}
