#include "tui/status.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>

struct str status_count(int64_t count, struct arena *arena)
{
    static const char units[] = "kMGTP";
    int64_t unit = 1000;
    size_t i = 0;

    if (count < 10000)
        return arena_printf(arena, "%" PRId64, count < 0 ? 0 : count);
    while (count / unit >= 1000 && units[i + 1]) {
        unit *= 1000;
        i++;
    }
    if (count / unit >= 100)
        return arena_printf(arena, "%" PRId64 "%c", count / unit, units[i]);
    return arena_printf(arena, "%" PRId64 ".%" PRId64 "%c", count / unit,
                        count % unit / (unit / 10), units[i]);
}

struct str status_cost(int64_t nano, struct arena *arena)
{
    double units = (double)nano / 1e9;

    if (nano <= 0)
        return STR("0");
    if (nano < 50000)
        return STR("<0.0001");
    return arena_printf(arena, "%.*f", units < 10 ? 4 : units < 1000 ? 2 : 0, units);
}

/* ---- the head ---- */

static struct str branch(const struct tine_parent *parent, struct arena *arena)
{
    const char *title = parent->title && *parent->title ? parent->title : "untitled";

    if (parent->index == 0)
        return arena_printf(arena, "⑂ before the first message of “%s”", title);
    return arena_printf(arena, "⑂ “%s” at message %" PRId64 "%s", title, parent->index,
                        parent->deleted ? " (deleted)" : "");
}

void status_head(struct pane pane, int row, const struct talk *talk, const char *title)
{
    const struct tine_session *session = talk_session(talk);
    struct arena arena;
    struct str name = str_of(title && *title ? title : "New conversation"), from = STR_NONE;
    int used, room;

    arena_init(&arena);
    if (session)
        name = session->title && *session->title ? str_of(session->title) : STR("Untitled");
    else if (talk_id(talk))
        name = STR("…");
    if (session && session->parent)
        from = branch(session->parent, &arena);
    pane_row(pane, row, look(TONE_BAR));
    room = pane.columns - 2;
    name = cells_fit(name, from.n && room > 40 ? room * 3 / 5 : room, &arena, &used);
    pane_text(pane, row, 1, look_with(TONE_BAR, LOOK_BOLD), name);
    room -= used + 2;
    if (from.n && room > 12) {
        from = cells_fit(from, room, &arena, &used);
        pane_text(pane, row, pane.columns - 1 - used, look(TONE_BAR), from);
    }
    arena_clear(&arena);
}

/* ---- the line ---- */

static const char *turning(const struct pane *pane)
{
    static const char *const signs[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"};
    static const char *const plain[] = {"|", "/", "-", "\\"};
    int64_t tick = tui_now_ms() / 250;

    return screen_utf8(pane->screen) ? signs[tick % 8] : plain[tick % 4];
}

static struct str state(const struct pane *pane, const struct talk *talk, struct arena *arena,
                        enum tone *tone)
{
    const char *word = talk_turn_state(talk);

    *tone = TONE_WARN;
    if (talk_lost(talk))
        return arena_printf(arena, "%s no server; trying again", turning(pane));
    if (talk_ask(talk))
        return STR("? waits for your answer");
    if (talk_runs(talk))
        return arena_printf(arena, "%s %s", turning(pane),
                            word && strcmp(word, "queued") == 0 ? "queued" : "answering");
    if (word && strcmp(word, "failed") == 0) {
        *tone = TONE_BAD;
        return STR("✗ failed");
    }
    *tone = TONE_BAR;
    if (word && strcmp(word, "cancelled") == 0)
        return STR("stopped");
    return STR("ready");
}

static void add_with(struct buf *out, struct str own, struct str before, bool inherited,
                     const char *word)
{
    buf_add_str(out, own);
    if (inherited) {
        buf_add_text(out, " +");
        buf_add_str(out, before);
        buf_add_text(out, word);
    }
}

/* "1.2k +3.4k inherited tokens · cost 0.0123 +0.0040", or the same in fewer words. */
static struct str spent(const struct tine_session *session, bool brief, struct arena *arena)
{
    const struct tine_usage *own = &session->usage, *before = &session->inherited;
    int64_t tokens = own->input_tokens + own->output_tokens;
    int64_t tokens_before = before->input_tokens + before->output_tokens;
    struct buf text;

    if (tokens + tokens_before + own->cost_nano + before->cost_nano == 0)
        return STR_NONE;
    buf_init(&text, 256);
    add_with(&text, status_count(tokens, arena), status_count(tokens_before, arena),
             tokens_before > 0, brief ? "" : " inherited");
    buf_add_text(&text, brief ? " tok" : " tokens");
    if (own->cost_nano || before->cost_nano) {
        buf_add_text(&text, brief ? " · " : " · cost ");
        add_with(&text, status_cost(own->cost_nano, arena), status_cost(before->cost_nano, arena),
                 before->cost_nano > 0, "");
    }
    return buf_take(&text, arena);
}

static struct str place_words(const struct talk *talk, int64_t place, struct arena *arena)
{
    int64_t count = talk_count(talk);

    if (place > 0)
        return arena_printf(arena, "%" PRId64 "/%" PRId64, place, count);
    return count ? arena_printf(arena, "%" PRId64 " message%s", count, count == 1 ? "" : "s")
                 : STR_NONE;
}

/* At the right edge, where it ends before `edge`; returns the edge for what comes before it. */
static int draw_right(struct pane pane, int row, int column, int edge, struct str text)
{
    int columns = cells_count(text);

    if (text.n == 0 || edge - columns < column + 2)
        return edge;
    pane_text(pane, row, edge - columns, look(TONE_BAR), text);
    return edge - columns - 2;
}

void status_line(struct pane pane, int row, const struct talk *talk, const char *agent,
                 int64_t place)
{
    const struct tine_session *session = talk_session(talk);
    struct arena arena;
    enum tone tone;
    struct str text;
    int column, edge = pane.columns - 1, before;

    arena_init(&arena);
    pane_row(pane, row, look(TONE_BAR));
    if (session)
        agent = session->agent;
    column = pane_text(pane, row, 1, look_with(TONE_BAR, LOOK_BOLD),
                       str_of(agent && *agent ? agent : "default agent"));
    text = state(&pane, talk, &arena, &tone);
    column = pane_text(pane, row, column + 2, look(tone), text);
    edge = before = draw_right(pane, row, column, edge, place_words(talk, place, &arena));
    if (session)
        edge = draw_right(pane, row, column, edge, spent(session, false, &arena));
    if (session && edge == before)
        draw_right(pane, row, column, edge, spent(session, true, &arena));
    arena_clear(&arena);
}
