#include "tui/search_view.h"

#include "base/utf8.h"
#include "tui/age.h"
#include "tui/bars.h"
#include "tui/field.h"
#include "tui/rows.h"
#include "tui/typed.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    HITS_MAX = 200,
    WORDS_MAX = 1000, /* bytes */
    HIT_ROWS = 3,     /* what it is, what it says, a blank one */
    HEAD_ROWS = 3,
    SIDE = 2,
    LEAD = 12 /* columns of a snippet before its first match that are shown */
};

struct search_view {
    struct view view;
    struct field field;
    struct rows rows;
    struct tine_result *found; /* NULL: nothing was found yet */
    bool busy;                 /* a search is under way */
    bool stale;                /* … and is not for these words any more */
    bool failed;
    struct tine_error error;
};

/* ---- searching: one at a time, for the words that stand there when the one before is done ---- */

struct search {
    struct errand errand;
    struct search_view *self;
    const char *words;
};

static bool run(struct errand *errand, struct tine *tine)
{
    struct tine_search_options options = {.words = ((struct search *)errand)->words,
                                          .limit = HITS_MAX};

    return tine_search(tine, &options, &errand->result, &errand->error);
}

static void found_set(struct search_view *self, struct tine_result *found)
{
    tine_result_free(self->found);
    self->found = found;
    rows_count(&self->rows, found ? found->hit_count : 0);
    rows_mark(&self->rows, 0);
}

static void search(struct search_view *self);

static void done(struct errand *errand)
{
    struct search_view *self = ((struct search *)errand)->self;

    self->busy = false;
    if (self->stale) {
        search(self);
        return;
    }
    self->failed = !errand->ok;
    self->error = errand->error;
    found_set(self, errand->result);
    errand->result = NULL;
    tui_dirty(self->view.tui);
}

static void search(struct search_view *self)
{
    struct search *asked;
    struct str words;

    if (self->busy) {
        self->stale = true;
        return;
    }
    self->stale = self->failed = false;
    asked = errand_new(sizeof(*asked), run, done, self);
    words = typed_words(field_text(&self->field), WORDS_MAX, &asked->errand.arena);
    asked->self = self;
    asked->words = words.p;
    self->busy = true;
    errands_send(tui_errands(self->view.tui), LANE_LOOK, &asked->errand);
}

static void search_typed(struct search_view *self)
{
    struct str words = field_text(&self->field);
    size_t blanks = 0;

    while (blanks < words.n && words.p[blanks] == ' ')
        blanks++;
    if (blanks < words.n) {
        search(self);
        return;
    }
    errands_forget(tui_errands(self->view.tui), self);
    self->busy = self->stale = self->failed = false;
    found_set(self, NULL);
}

/* ---- drawing ---- */

/* The characters from `from` to `to`, counted as the server counts them. */
static struct str characters(struct str text, int64_t from, int64_t to)
{
    size_t begin = 0, end;

    while (from > 0 && begin < text.n) {
        utf8_next(text, &begin);
        from--;
        to--;
    }
    for (end = begin; to > 0 && end < text.n; to--)
        utf8_next(text, &end);
    return (struct str){text.p + begin, end - begin};
}

/* So many characters are left out that the first match is seen. */
static int64_t skipped(const struct tine_hit *hit, int columns)
{
    struct str snippet = str_of(hit->snippet);

    if (hit->match_count == 0 ||
        cells_count(characters(snippet, 0, hit->matches[0][1])) <= columns - SIDE)
        return 0;
    return hit->matches[0][0] > LEAD ? hit->matches[0][0] - LEAD : 0;
}

static void draw_snippet(struct pane pane, const struct tine_hit *hit, int bits)
{
    struct str snippet = str_of(hit->snippet);
    int64_t at = skipped(hit, pane.columns);
    int column = 0;

    if (at)
        column = pane_text(pane, 0, 0, look_with(TONE_FAINT, bits), STR("…"));
    for (size_t i = 0; i < hit->match_count && column < pane.columns; i++) {
        column = pane_text(pane, 0, column, look_with(TONE_TEXT, bits),
                           characters(snippet, at, hit->matches[i][0]));
        column = pane_text(pane, 0, column, look_with(TONE_FOUND, bits),
                           characters(snippet, hit->matches[i][0], hit->matches[i][1]));
        at = hit->matches[i][1];
    }
    pane_text(pane, 0, column, look_with(TONE_TEXT, bits), characters(snippet, at, INT64_MAX));
}

static const char *speaker(const struct tine_hit *hit)
{
    if (!hit->message)
        return "title";
    if (!hit->role)
        return "event";
    if (strcmp(hit->role, "user") == 0)
        return "You";
    if (strcmp(hit->role, "assistant") == 0)
        return "Assistant";
    return hit->role;
}

static enum tone speaker_tone(const struct tine_hit *hit)
{
    if (hit->role && strcmp(hit->role, "user") == 0)
        return TONE_USER;
    return hit->role && strcmp(hit->role, "assistant") == 0 ? TONE_ASSISTANT : TONE_TOOL;
}

static void draw_hit(void *context, struct pane pane, size_t index, bool marked)
{
    const struct search_view *self = context;
    const struct tine_hit *hit = &self->found->hits[index];
    int bits = marked ? LOOK_MARKED : 0, column;
    struct pane inside = pane_columns(pane, SIDE, pane.columns - SIDE - 1);
    struct pane head = pane_columns(inside, 0, inside.columns - AGE_COLUMNS - 2);
    char age[AGE_MAX];

    if (marked && pane.rows == HIT_ROWS) /* the blank row belongs to none */
        pane_row(pane, HIT_ROWS - 1, look(TONE_TEXT));
    if (marked)
        pane_text(pane, 0, 0, look_with(TONE_MARK, bits), STR("▸"));
    column = pane_text(head, 0, 0, look_with(TONE_TEXT, bits | LOOK_BOLD),
                       *hit->title ? str_of(hit->title) : STR("Untitled"));
    pane_text(head, 0, column + 2, look_with(speaker_tone(hit), bits), str_of(speaker(hit)));
    age_text(hit->created_ms, tui_wall_ms(), age);
    pane_format(inside, 0, inside.columns - AGE_COLUMNS, look_with(TONE_FAINT, bits), "%*s",
                AGE_COLUMNS, age);
    draw_snippet(pane_rows(inside, 1, 1), hit, bits);
}

static const char *empty_words(const struct search_view *self)
{
    if (self->failed)
        return self->error.detail;
    if (self->busy)
        return "searching …";
    if (field_text(&self->field).n == 0)
        return "type words that all must occur; \"a phrase\" in quotes";
    return "nothing has these words";
}

static void draw(struct view *view, struct pane pane)
{
    struct search_view *self = (struct search_view *)view;
    struct pane filter = pane_rows(pane, 1, 1);
    char right[32] = "";
    int column;

    pane_fill(pane, look(TONE_TEXT));
    if (self->found)
        snprintf(right, sizeof(right), "%zu%s", self->found->hit_count,
                 self->found->hit_count == HITS_MAX ? "+" : "");
    bars_title(pane, 0, "Search in all sessions", right);
    rows_draw(&self->rows, pane_rows(pane, HEAD_ROWS, pane.rows - HEAD_ROWS - 1), draw_hit, self,
              empty_words(self));
    bars_keys(pane, pane.rows - 1, "↑↓: Mark|Enter: Open there|type: Search|Esc: Close");
    column = pane_text(filter, 0, 1, look(TONE_MARK), STR("Find: "));
    field_draw(&self->field, pane_columns(filter, column, filter.columns), NULL);
}

/* ---- keys ---- */

static void open_hit(struct search_view *self)
{
    const struct tine_hit *hit;

    if (self->rows.count == 0)
        return;
    hit = &self->found->hits[self->rows.marked];
    if (hit->message)
        tui_open_at(self->view.tui, hit->session, hit->message);
    else
        tui_open(self->view.tui, hit->session, NULL, NULL);
}

static void press(struct view *view, const struct press *press)
{
    struct search_view *self = (struct search_view *)view;

    tui_dirty(view->tui);
    if (press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c'))
        tui_close(view->tui, view);
    else if (press->kind == PRESS_ENTER)
        open_hit(self);
    else if (!rows_press(&self->rows, press) && field_press(&self->field, press) == FIELD_CHANGED)
        search_typed(self);
}

static void search_view_free(struct view *view)
{
    struct search_view *self = (struct search_view *)view;

    errands_forget(tui_errands(view->tui), self);
    tine_result_free(self->found);
    field_clear(&self->field);
    free(self);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, search_view_free};

struct view *search_view_new(struct tui *tui, const char *words)
{
    struct search_view *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    self->view = (struct view){.ops = &ops, .tui = tui};
    self->rows.tall = HIT_ROWS;
    field_init(&self->field);
    field_set(&self->field, str_of(words));
    search_typed(self);
    return &self->view;
}
