#include "tui/patch_lay.h"

#include "tui/text_lines.h"

#include <inttypes.h>

enum {
    FILES_SHOWN = 1000,
    PATCH_LINES = 2000,    /* of one file */
    PATCHES_LINES = 20000, /* of all of them */
    LINE_BYTES = 4 * 1024, /* of a line: what is longer is cut */
    NAME_COLUMNS = 300
};

static struct look faint(void)
{
    return look(TONE_FAINT);
}

static bool is(const char *word, const char *name)
{
    return word && strcmp(word, name) == 0;
}

static void say(struct flow *flow, struct look look, struct str words)
{
    flow_text(flow, words, look);
    flow_break(flow);
}

/* ---- patches ---- */

/* The lines before the first "@@" of a file's patch say what its heading says already. */
static bool is_head(struct str line)
{
    return !str_starts(line, STR("@@"));
}

static struct look line_look(struct str line)
{
    if (str_starts(line, STR("@@")))
        return look(TONE_HEADING);
    if (line.n && line.p[0] == '+')
        return look(TONE_GOOD);
    if (line.n && line.p[0] == '-')
        return look(TONE_BAD);
    if (line.n && line.p[0] == '\\')
        return faint();
    return look(TONE_TEXT);
}

static void lay_line(struct flow *flow, struct str line)
{
    struct look tone = line_look(line);
    struct str shown = {line.p, line.n < LINE_BYTES ? line.n : LINE_BYTES};

    flow_exact(flow, shown, tone);
    if (shown.n < line.n)
        flow_exact(flow, STR("…"), faint());
    if (shown.n == 0)
        flow_exact(flow, STR("\n"), tone);
    flow_break(flow);
}

/* Returns how many lines were laid out: at most `most`. */
static int lay_patch(struct flow *flow, struct str patch, int most)
{
    struct str line;
    bool head = true;
    int lines = 0;

    while (lines < most && text_lines_next(&patch, &line)) {
        head = head && is_head(line);
        if (head)
            continue;
        lay_line(flow, line);
        lines++;
    }
    if (patch.n)
        say(flow, faint(),
            arena_printf(flow_arena(flow), "… %zu more lines", text_lines_count(patch)));
    return lines;
}

/* ---- files ---- */

static struct str file_name(const struct tine_file *file, struct flow *flow)
{
    const char *name = file->name ? file->name : file->path;

    return cells_fit(str_of(name ? name : ""), NAME_COLUMNS, flow_arena(flow), NULL);
}

static struct look status_look(const char *status)
{
    if (is(status, "added"))
        return look_with(TONE_GOOD, LOOK_BOLD);
    if (is(status, "deleted"))
        return look_with(TONE_BAD, LOOK_BOLD);
    return look_with(TONE_HEADING, LOOK_BOLD);
}

static struct str status_words(const struct tine_file *file)
{
    if (is(file->status, "mode"))
        return STR("permissions");
    if (is(file->status, "type"))
        return STR("another type");
    return str_of(file->status && *file->status ? file->status : "changed");
}

static void lay_heading(struct flow *flow, const struct tine_file *file)
{
    struct arena *arena = flow_arena(flow);

    flow_text(flow, cells_fit(status_words(file), NAME_COLUMNS, arena, NULL),
              status_look(file->status));
    flow_text(flow, STR("  "), faint());
    flow_text(flow, file_name(file, flow), look_with(TONE_TEXT, LOOK_BOLD));
    if (file->additions > 0)
        flow_text(flow, arena_printf(arena, "  +%" PRId64, file->additions), look(TONE_GOOD));
    if (file->deletions > 0)
        flow_text(flow, arena_printf(arena, "  -%" PRId64, file->deletions), look(TONE_BAD));
    if (file->binary)
        flow_text(flow, STR("  binary"), faint());
    if (file->too_long)
        flow_text(flow, STR("  too long to be shown"), faint());
    flow_break(flow);
}

void patch_lay_files(struct flow *flow, const struct tine_file *files, size_t count, bool more)
{
    int lines = 0;

    flow_break(flow);
    if (count == 0 && !more)
        say(flow, faint(), STR("no files differ"));
    for (size_t i = 0; i < count && i < FILES_SHOWN; i++) {
        const struct tine_file *file = &files[i];
        int room = PATCHES_LINES - lines;
        bool has_patch = file->patch && file->patch_bytes;

        if (i && (has_patch || (files[i - 1].patch && files[i - 1].patch_bytes)))
            flow_blank(flow);
        lay_heading(flow, file);
        if (has_patch)
            lines += lay_patch(flow, (struct str){file->patch, file->patch_bytes},
                               room < PATCH_LINES ? room : PATCH_LINES);
    }
    if (count > FILES_SHOWN)
        say(flow, faint(),
            arena_printf(flow_arena(flow), "… and %zu more files%s", count - FILES_SHOWN,
                         more ? " at least" : ""));
    else if (more)
        say(flow, faint(), STR("… and more files"));
}
