#include "tui/chat_find.h"

#include "base/utf8.h"
#include "tui/field.h"
#include "tui/typed.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WORDS_MAX = 512 /* bytes; a longer question is cut */ };

enum find_way { FIND_OLDER, FIND_NEWER };

struct chat_find {
    struct tui *tui;
    struct talk *talk;
    struct scroll *scroll;
    struct field field;
    bool open;
    char shown[WORDS_MAX]; /* the words without what stands around them */
    int64_t at;            /* the place that was found; -1: none */
    int steps;             /* towards newer ones, that came while one was being looked for */
    bool looked;           /* there is an answer to show */
};

struct finding {
    struct errand errand;
    struct chat_find *find;
    struct tine_search_options options;
    const char *session;
    enum find_way way;
    int64_t from; /* the place from which on it looks; -1: from the end */
};

struct chat_find *chat_find_new(struct tui *tui, struct talk *talk, struct scroll *scroll)
{
    struct chat_find *find = calloc(1, sizeof(*find));

    if (!find)
        abort();
    find->tui = tui;
    find->talk = talk;
    find->scroll = scroll;
    find->at = -1;
    field_init(&find->field);
    return find;
}

void chat_find_free(struct chat_find *find)
{
    if (!find)
        return;
    errands_forget(tui_errands(find->tui), find);
    field_clear(&find->field);
    free(find);
}

bool chat_find_is_open(const struct chat_find *find)
{
    return find->open;
}

/* A star and quotes belong to the question, not to the words. */
const char *chat_find_words(struct chat_find *find)
{
    struct str text = utf8_cut(field_text(&find->field), sizeof(find->shown) - 1);

    if (!find->open || !text.n)
        return NULL;
    for (size_t i = 0; i < text.n; i++)
        find->shown[i] = strchr("*\"", text.p[i]) ? ' ' : text.p[i];
    find->shown[text.n] = '\0';
    return find->shown;
}

/* ---- looking ---- */

static bool finding_run(struct errand *errand, struct tine *tine)
{
    struct finding *finding = (struct finding *)errand;

    return tine_search(tine, &finding->options, &errand->result, &errand->error);
}

static void look_from(struct chat_find *find, enum find_way way, int64_t from);

/* Those that came meanwhile. */
static void step_on(struct chat_find *find)
{
    enum find_way way = find->steps < 0 ? FIND_OLDER : FIND_NEWER;

    if (find->steps == 0)
        return;
    find->steps += way == FIND_OLDER ? 1 : -1;
    look_from(find, way, find->at);
}

static void finding_done(struct errand *errand)
{
    struct finding *finding = (struct finding *)errand;
    struct chat_find *find = finding->find;
    const char *session = talk_id(find->talk);

    if (!session || strcmp(session, finding->session) != 0)
        return;
    if (errand->ok && !errand->result->hit_count && errand->result->next_place >= 0) {
        look_from(find, finding->way, errand->result->next_place);
        return;
    }
    find->looked = true;
    if (!errand->ok)
        tui_fail(find->tui, "cannot search", &errand->error);
    else if (errand->result->hit_count) {
        find->at = errand->result->hits[0].index;
        scroll_to(find->scroll, find->at);
        step_on(find);
    } else if (find->at >= 0) {
        tui_say(find->tui, "no %s message has it", finding->way == FIND_OLDER ? "older" : "newer");
    }
    tui_dirty(find->tui);
}

static void look_from(struct chat_find *find, enum find_way way, int64_t from)
{
    struct str text = field_text(&find->field);
    const char *session = talk_id(find->talk);
    struct finding *finding;
    struct arena *arena;

    errands_forget(tui_errands(find->tui), find);
    if (text.n == 0 || !session) {
        find->at = -1;
        find->looked = false;
        return;
    }
    finding = errand_new(sizeof(*finding), finding_run, finding_done, find);
    arena = &finding->errand.arena;
    finding->find = find;
    finding->way = way;
    finding->session = arena_dup(arena, str_of(session)).p;
    finding->options.session = finding->session;
    finding->options.words = typed_words(text, WORDS_MAX, arena).p;
    finding->options.limit = 1;
    finding->from = from;
    if (from >= 0 && way == FIND_OLDER)
        finding->options.before = &finding->from;
    else if (way == FIND_NEWER)
        finding->options.after = &finding->from;
    errands_send(tui_errands(find->tui), LANE_LOOK, &finding->errand);
}

static void look_for(struct chat_find *find, enum find_way way)
{
    find->steps = 0;
    look_from(find, way, find->at);
}

/* One match on; when one is being looked for already, from there. */
static void step(struct chat_find *find, enum find_way way)
{
    if (errands_busy(tui_errands(find->tui), find))
        find->steps += way == FIND_OLDER ? -1 : 1;
    else
        look_for(find, way);
}

/* ---- opening, keys, drawing ---- */

void chat_find_open(struct chat_find *find, const char *words)
{
    find->open = true;
    find->at = -1;
    find->looked = false;
    if (words)
        field_set(&find->field, str_of(words));
    if (field_text(&find->field).n)
        look_for(find, FIND_OLDER);
    tui_dirty(find->tui);
}

void chat_find_close(struct chat_find *find)
{
    errands_forget(tui_errands(find->tui), find);
    find->open = false;
    tui_dirty(find->tui);
}

static bool goes_older(const struct press *press)
{
    return press->kind == PRESS_ENTER || press->kind == PRESS_UP || press_is_ctrl(press, 'f') ||
           press_is_ctrl(press, 'r') || press_is_ctrl(press, 'p');
}

void chat_find_press(struct chat_find *find, const struct press *press)
{
    if (press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c')) {
        chat_find_close(find);
    } else if (goes_older(press)) {
        step(find, FIND_OLDER);
    } else if (press->kind == PRESS_DOWN || press_is_ctrl(press, 'n') ||
               press_is_ctrl(press, 's')) {
        step(find, FIND_NEWER);
    } else if (field_press(&find->field, press) == FIELD_CHANGED) {
        find->at = -1; /* from the end again */
        look_for(find, FIND_OLDER);
    }
}

void chat_find_draw(struct chat_find *find, struct pane pane)
{
    int column = pane_text(pane, 0, 1, look_with(TONE_HEADING, LOOK_BOLD), STR("Find: "));
    int state = pane.columns - 34 > column + 10 ? pane.columns - 34 : pane.columns;

    field_draw(&find->field, pane_columns(pane, column, state - column - 1),
               "words in this conversation");
    if (find->at >= 0)
        pane_format(pane, 0, state, look(TONE_FAINT), "message %" PRId64 "  ↑ older ↓ newer",
                    find->at + 1);
    else if (find->looked)
        pane_text(pane, 0, state, look(TONE_WARN), STR("nothing found"));
    else
        pane_text(pane, 0, state, look(TONE_FAINT), STR("Esc: Close"));
}
