#include "tui/compare_view.h"

#include "tui/compare_lay.h"
#include "tui/move_words.h"
#include "tui/moves.h"
#include "tui/owned.h"
#include "tui/pager.h"

#include <stdlib.h>

enum { MESSAGES = 200 /* of each side that are shown */ };

struct compare {
    struct tui *tui;
    struct view *pager;
    struct arena arena; /* of the sides */
    struct compare_side sides[2];
    struct tine_result *diff, *common; /* the second has the last message that both have */
    char *failed;                      /* why there is none; NULL */
    bool open;                         /* tool calls in full */
    size_t messages_at, files_at;      /* lines of the headings */
};

/* ---- reading ---- */

struct compare_errand {
    struct errand errand;
    struct compare *compare;
    struct compare_side sides[2];
    struct tine_result *common;
};

static void compare_drop(struct errand *errand)
{
    tine_result_free(((struct compare_errand *)errand)->common);
}

/* The directory as it is now counts, unless somebody works in it, or it may not be looked at. */
static void record_files(const struct compare_side *side, struct tine *tine)
{
    struct tine_files_options options = {.live = true, .limit = 1};

    if (!side->at)
        (void)tine_files(tine, side->session, &options, NULL, NULL);
}

static bool compare_run(struct errand *errand, struct tine *tine)
{
    struct compare_errand *self = (struct compare_errand *)errand;
    const struct compare_side *left = &self->sides[0], *right = &self->sides[1];
    struct tine_diff_options options = {
        .with = right->session, .at = left->at, .with_at = right->at, .limit = MESSAGES};
    struct tine_messages_options last = {.tail = 1};

    record_files(left, tine);
    if (strcmp(left->session, right->session) != 0)
        record_files(right, tine);
    if (!tine_diff(tine, left->session, &options, &errand->result, &errand->error))
        return false;
    last.at = errand->result->common;
    if (last.at && !tine_messages(tine, left->session, &last, &self->common, NULL))
        self->common = NULL; /* then only how many there are is told */
    return true;
}

static void compare_done(struct errand *errand)
{
    struct compare_errand *self = (struct compare_errand *)errand;
    struct compare *compare = self->compare;

    owned_set(&compare->failed, errand->ok ? NULL : errand->error.detail);
    if (errand->ok) {
        tine_result_free(compare->diff);
        tine_result_free(compare->common);
        compare->diff = errand->result;
        compare->common = self->common;
        errand->result = NULL;
        self->common = NULL;
    }
    pager_changed(compare->pager);
}

static void compare_send(struct compare *compare)
{
    struct compare_errand *self = errand_new(sizeof(*self), compare_run, compare_done, compare);

    self->errand.drop = compare_drop;
    self->compare = compare;
    for (size_t i = 0; i < 2; i++) {
        const struct compare_side *side = &compare->sides[i];
        struct arena *arena = &self->errand.arena;

        self->sides[i].session = arena_dup(arena, str_of(side->session)).p;
        self->sides[i].at = side->at ? arena_dup(arena, str_of(side->at)).p : NULL;
    }
    errands_send(tui_errands(compare->tui), LANE_LOOK, &self->errand);
}

/* ---- as a text ---- */

static struct laid lay_words(const char *words, enum tone tone, int width, struct arena *arena)
{
    struct flow *flow = flow_new(arena, width);

    flow_text(flow, str_of(words), look(tone));
    return flow_end(flow);
}

static struct laid lay(void *context, int width, struct arena *arena)
{
    struct compare *compare = context;
    struct compare_spec spec = {
        .diff = compare->diff, .now_ms = tui_wall_ms(), .open = compare->open};
    struct compare_laid laid;

    if (compare->failed)
        return lay_words(compare->failed, TONE_BAD, width, arena);
    if (!compare->diff)
        return lay_words("comparing…", TONE_FAINT, width, arena);
    for (size_t i = 0; i < 2; i++)
        spec.titles[i] = compare->sides[i].title;
    if (compare->common && compare->common->message_count)
        spec.last = &compare->common->messages[0];
    compare_lay(&spec, width, arena, &laid);
    compare->messages_at = laid.messages_at;
    compare->files_at = laid.files_at;
    return laid.laid;
}

/* ---- keys ---- */

static void swap(struct compare *compare)
{
    struct compare_side left = compare->sides[0];

    compare->sides[0] = compare->sides[1];
    compare->sides[1] = left;
    tine_result_free(compare->diff);
    compare->diff = NULL;
    pager_changed(compare->pager);
    compare_send(compare);
}

static void open_side(struct compare *compare, const struct compare_side *side)
{
    if (side->at)
        tui_open_at(compare->tui, side->session, side->at);
    else
        tui_open(compare->tui, side->session, NULL, NULL);
}

static bool press_letter(struct compare *compare, uint32_t c)
{
    const struct compare_side *left = &compare->sides[0], *right = &compare->sides[1];

    switch (c) {
    case 's':
        swap(compare);
        return true;
    case 'o':
        open_side(compare, left);
        return true;
    case 'O':
        open_side(compare, right);
        return true;
    case 'm':
        moves_merge(compare->tui, left->session, right->session, right->title);
        return true;
    case 'k':
        moves_adopt(compare->tui, left->session, right->session, right->title);
        return true;
    case 't':
        compare->open = !compare->open;
        pager_changed(compare->pager);
        return true;
    case 'R':
        compare_send(compare);
        return true;
    default:
        return false;
    }
}

static bool press(void *context, struct view *pager, const struct press *press)
{
    struct compare *compare = context;

    if (press->kind == PRESS_TAB && compare->diff) {
        pager_go(pager,
                 pager_top(pager) < compare->files_at ? compare->files_at : compare->messages_at);
        return true;
    }
    return press->kind == PRESS_CHAR && !press->ctrl && !press->alt &&
           press_letter(compare, press->c);
}

static void compare_free(void *context)
{
    struct compare *compare = context;

    errands_forget(tui_errands(compare->tui), compare);
    tine_result_free(compare->diff);
    tine_result_free(compare->common);
    arena_clear(&compare->arena);
    free(compare->failed);
    free(compare);
}

static struct compare_side side_copy(const struct compare_side *side, struct arena *arena)
{
    return (struct compare_side){
        .session = arena_dup(arena, str_of(side->session)).p,
        .at = side->at ? arena_dup(arena, str_of(side->at)).p : NULL,
        .title = arena_dup(arena, str_of(side->title ? side->title : "")).p,
    };
}

struct view *compare_view_new(struct tui *tui, const struct compare_side *left,
                              const struct compare_side *right)
{
    struct compare *compare = calloc(1, sizeof(*compare));
    struct arena arena;

    if (!compare)
        abort();
    compare->tui = tui;
    arena_init(&compare->arena);
    compare->sides[0] = side_copy(left, &compare->arena);
    compare->sides[1] = side_copy(right, &compare->arena);
    arena_init(&arena);
    compare->pager = pager_new(
        tui,
        &(struct pager_spec){.title = arena_printf(&arena, "Compare %s and %s",
                                                   move_words_title(left->title, &arena),
                                                   move_words_title(right->title, &arena))
                                          .p,
                             .keys = "Tab: Messages, files|s: Swap|o O: Open|m: Merge|k: Keep right"
                                     "|t: Tools",
                             .lay = lay,
                             .press = press,
                             .free = compare_free,
                             .context = compare});
    arena_clear(&arena);
    compare_send(compare);
    return compare->pager;
}
