#include "tui/notices.h"

#include <stdio.h>

static const char read_hint[] = "Ctrl-G: I have read it";

void notices_say(struct notices *notices, const char *text, int64_t now_ms)
{
    snprintf(notices->said, sizeof(notices->said), "%s", text);
    notices->said_until_ms = now_ms + NOTICE_SAID_MS;
}

void notices_fail(struct notices *notices, const char *text)
{
    if (notices->count && strcmp(notices->failures[notices->count - 1], text) == 0)
        return;
    if (notices->count == NOTICE_FAILURES)
        notices->dropped++;
    else
        snprintf(notices->failures[notices->count++], NOTICE_BYTES, "%s", text);
}

bool notices_read(struct notices *notices)
{
    if (notices->count == 0)
        return false;
    notices->count--;
    memmove(notices->failures[0], notices->failures[1],
            notices->count * sizeof(notices->failures[0]));
    if (notices->dropped) { /* there is a place now for saying so */
        snprintf(notices->failures[notices->count++], NOTICE_BYTES,
                 notices->dropped == 1 ? "%zu more failure came then, which is not kept"
                                       : "%zu more failures came then, which are not kept",
                 notices->dropped);
        notices->dropped = 0;
    }
    return true;
}

int notices_wait_ms(struct notices *notices, int64_t now_ms, bool *changed)
{
    *changed = false;
    if (!notices->said[0])
        return -1;
    if (now_ms < notices->said_until_ms)
        return (int)(notices->said_until_ms - now_ms);
    notices->said[0] = '\0';
    *changed = true;
    return -1;
}

static struct laid lay(const struct notices *notices, int columns, struct arena *arena)
{
    struct flow *flow = flow_new(arena, columns > 1 ? columns : 1);
    struct str hint = str_of(read_hint);

    flow_push(flow, STR("✗ "), STR("  "), look_with(TONE_BAD, LOOK_BOLD));
    flow_text(flow, str_of(notices->failures[0]), look(TONE_BAD));
    flow_text(flow, STR("  "), look(TONE_TEXT));
    if (notices->dropped)
        hint = arena_printf(arena, "%s (%zu more, and %zu that %s not kept)", read_hint,
                            notices->count - 1, notices->dropped,
                            notices->dropped == 1 ? "is" : "are");
    else if (notices->count > 1)
        hint = arena_printf(arena, "%s (%zu more)", read_hint, notices->count - 1);
    flow_text(flow, arena_printf(arena, "[%.*s]", STR_ARG(hint)), look(TONE_FAINT));
    flow_break(flow);
    flow_pop(flow);
    return flow_end(flow);
}

int notices_rows(const struct notices *notices, int columns, int rows)
{
    struct arena arena;
    int count;

    if (notices->count == 0)
        return 0;
    arena_init(&arena);
    count = (int)lay(notices, columns, &arena).count;
    arena_clear(&arena);
    return count < rows / 2 ? count : rows / 2;
}

void notices_draw(const struct notices *notices, struct pane pane)
{
    struct arena arena;
    struct laid laid;

    arena_init(&arena);
    laid = lay(notices, pane.columns, &arena);
    pane_fill(pane, look(TONE_TEXT));
    for (int row = 0; row < pane.rows && (size_t)row < laid.count; row++)
        pane_line(pane, row, 0, &laid.lines[row], look(TONE_TEXT));
    arena_clear(&arena);
}

void notices_draw_said(const struct notices *notices, struct pane pane)
{
    if (!notices->said[0] || pane.rows < 1)
        return;
    pane_row(pane, pane.rows - 1, look(TONE_TEXT));
    pane_text(pane, pane.rows - 1, 0, look_with(TONE_GOOD, 0), str_of(notices->said));
}
