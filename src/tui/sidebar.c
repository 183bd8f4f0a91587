#include "tui/sidebar.h"

#include "tui/session_list.h"
#include "tui/session_row.h"

#include <stdlib.h>

enum {
    PAGE = 50, /* sessions that are shown: the newest ones */
    HEAD_ROWS = 2,
    INDENT = 2,
    DEPTH_MAX = 4 /* deeper forks stand below these */
};

struct place {
    size_t index; /* in the list */
    int depth;
};

struct sidebar {
    struct tui *tui;
    struct session_list *list;
    struct place places[PAGE];
    size_t count;
    size_t top;  /* the first one that is seen */
    size_t seen; /* so many are drawn */
};

/* ---- forks below their parents ---- */

static bool is_placed(const struct sidebar *sidebar, size_t index)
{
    for (size_t i = 0; i < sidebar->count; i++)
        if (sidebar->places[i].index == index)
            return true;
    return false;
}

static const char *parent_of(const struct tine_session *session)
{
    return session->parent ? session->parent->session : NULL;
}

/* The session, and then those that were forked from it, each with its own. */
static void place(struct sidebar *sidebar, size_t index, int depth)
{
    const struct tine_session *session = session_list_at(sidebar->list, index);

    if (sidebar->count == PAGE || is_placed(sidebar, index))
        return;
    sidebar->places[sidebar->count++] =
        (struct place){index, depth < DEPTH_MAX ? depth : DEPTH_MAX};
    for (size_t i = 0; i < session_list_count(sidebar->list); i++) {
        const char *parent = parent_of(session_list_at(sidebar->list, i));

        if (parent && strcmp(parent, session->id) == 0)
            place(sidebar, i, depth + 1);
    }
}

/* The topmost of its family that is in the list. */
static size_t root_of(const struct sidebar *sidebar, size_t index)
{
    size_t count = session_list_count(sidebar->list);

    for (size_t steps = 0; steps < count; steps++) {
        size_t up =
            session_list_find(sidebar->list, parent_of(session_list_at(sidebar->list, index)));

        if (up == count)
            break;
        index = up;
    }
    return index;
}

/* Families stand in the order of their newest ones. */
static void list_changed(void *context)
{
    struct sidebar *sidebar = context;

    sidebar->count = 0;
    for (size_t i = 0; i < session_list_count(sidebar->list); i++)
        place(sidebar, root_of(sidebar, i), 0);
    tui_dirty(sidebar->tui);
}

/* ---- */

struct sidebar *sidebar_new(struct tui *tui)
{
    struct sidebar *sidebar = calloc(1, sizeof(*sidebar));

    if (!sidebar)
        abort();
    sidebar->tui = tui;
    sidebar->list = session_list_new(&(struct session_list_options){
        .errands = tui_errands(tui), .page = PAGE, .changed = list_changed, .context = sidebar});
    return sidebar;
}

void sidebar_free(struct sidebar *sidebar)
{
    if (!sidebar)
        return;
    session_list_free(sidebar->list);
    free(sidebar);
}

void sidebar_happened(struct sidebar *sidebar, const struct happening *happening)
{
    session_list_happened(sidebar->list, happening);
}

const char *sidebar_at(struct sidebar *sidebar, int row)
{
    size_t at = (size_t)(row - HEAD_ROWS);

    /* there may be fewer now than were drawn */
    if (row < HEAD_ROWS || at >= sidebar->seen || sidebar->top + at >= sidebar->count)
        return NULL;
    return session_list_at(sidebar->list, sidebar->places[sidebar->top + at].index)->id;
}

static bool is_current(const struct sidebar *sidebar, const struct tine_session *session)
{
    const char *current = tui_session(sidebar->tui);

    return current && strcmp(current, session->id) == 0;
}

/* The current one is seen, wherever it stands. */
static void scroll(struct sidebar *sidebar, size_t rows)
{
    sidebar->top = 0;
    sidebar->seen = sidebar->count < rows ? sidebar->count : rows;
    for (size_t i = rows; i < sidebar->count; i++)
        if (is_current(sidebar, session_list_at(sidebar->list, sidebar->places[i].index)))
            sidebar->top = i + 1 - rows;
}

static void draw_row(const struct sidebar *sidebar, struct pane pane, const struct place *at)
{
    const struct tine_session *session = session_list_at(sidebar->list, at->index);
    bool current = is_current(sidebar, session);
    int bits = current ? LOOK_MARKED : 0, column;
    enum tone tone;
    struct str sign = session_row_sign(session, &tone);

    if (current)
        pane_fill(pane, look_with(TONE_TEXT, LOOK_MARKED));
    column = at->depth * INDENT;
    if (at->depth)
        pane_text(pane, 0, column - 1, look_with(TONE_FAINT, bits), STR("⑂"));
    pane_text(pane, 0, column + 1, look_with(tone, bits), sign);
    column += sign.p[0] == ' ' ? 1 : 3;
    pane_text(pane_columns(pane, 0, pane.columns - 1), 0, column,
              look_with(TONE_TEXT, bits | (current ? LOOK_BOLD : 0)), session_row_title(session));
}

static const char *words(const struct sidebar *sidebar)
{
    if (session_list_error(sidebar->list))
        return "cannot be read";
    return session_list_is_read(sidebar->list) ? "none yet" : "reading …";
}

void sidebar_draw(struct sidebar *sidebar, struct pane pane)
{
    struct pane inside = pane_columns(pane, 0, pane.columns - 1);
    struct pane list = pane_rows(inside, HEAD_ROWS, pane.rows - HEAD_ROWS);

    /* asked for when it is seen for the first time: narrow terminals never do */
    session_list_ask(sidebar->list, STR(""), TINE_NOT_ARCHIVED);
    tui_due(sidebar->tui, session_list_tend(sidebar->list));
    for (int row = 0; row < pane.rows; row++)
        pane_text(pane, row, pane.columns - 1, look(TONE_FAINT), STR("│"));
    pane_text(inside, 0, 1, look(TONE_HEADING), STR("Sessions"));
    scroll(sidebar, (size_t)list.rows);
    if (sidebar->count == 0)
        pane_text(list, 0, 1, look(TONE_FAINT), str_of(words(sidebar)));
    for (size_t i = 0; i < sidebar->seen; i++)
        draw_row(sidebar, pane_rows(list, (int)i, 1), &sidebar->places[sidebar->top + i]);
}
