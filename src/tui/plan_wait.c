/* Waiting for a turn to end, to go on with what it is in the way of. */
#include "tui/bars.h"
#include "tui/box.h"
#include "tui/plan.h"

#include <stdlib.h>

enum { BOX_ROWS = 3, BOX_COLUMNS = 44 };

struct wait {
    struct view view;
    struct plan *plan; /* NULL: it was handed on */
    bool again;        /* something happened while the session was being looked at */
};

/* ---- has it ended? ---- */

struct look_errand {
    struct errand errand;
    struct wait *wait;
    const char *session;
};

static bool look_run(struct errand *errand, struct tine *tine)
{
    struct look_errand *self = (struct look_errand *)errand;

    return tine_session(tine, self->session, false, &errand->result, &errand->error);
}

static void look_at(struct wait *wait);

static void look_done(struct errand *errand)
{
    struct wait *wait = ((struct look_errand *)errand)->wait;
    struct plan *plan = wait->plan;

    if (wait->view.closed)
        return;
    if (errand->ok && plan_turn_runs(errand->result->session)) {
        if (wait->again)
            look_at(wait);
        return;
    }
    wait->plan = NULL;
    tui_close(wait->view.tui, &wait->view);
    if (errand->ok) {
        plan_go(plan);
    } else {
        tui_fail(plan->tui, "cannot wait for the turn", &errand->error);
        plan_free(plan);
    }
}

static void look_at(struct wait *wait)
{
    struct look_errand *self = errand_new(sizeof(*self), look_run, look_done, wait);

    wait->again = false;
    self->wait = wait;
    self->session = arena_dup(&self->errand.arena, str_of(wait->plan->session)).p;
    errands_send(tui_errands(wait->plan->tui), LANE_LOOK, &self->errand);
}

static void happened(struct view *view, const struct happening *happening)
{
    struct wait *wait = (struct wait *)view;
    bool told = happening->kind == HAPPENED_BACK;

    if (!wait->plan)
        return;
    if (happening->kind == HAPPENED_EVENT) {
        const struct tine_event *event = happening->event;

        told = strcmp(event->type, "reset") == 0 ||
               (strcmp(event->type, "turn.ended") == 0 && event->session &&
                strcmp(event->session, wait->plan->session) == 0);
    }
    if (!told)
        return;
    if (errands_busy(tui_errands(view->tui), wait))
        wait->again = true;
    else
        look_at(wait);
}

/* ---- the box ---- */

static void draw(struct view *view, struct pane pane)
{
    struct wait *wait = (struct wait *)view;
    struct pane inside = box_draw(pane, BOX_ROWS, BOX_COLUMNS, "A turn is running");

    if (wait->plan)
        pane_format(inside, 0, 0, look(TONE_TEXT), "When it has ended: %s.",
                    wait->plan->verb->name);
    bars_keys(inside, inside.rows - 1, "Esc: Give up");
}

static void press(struct view *view, const struct press *press)
{
    if (press->kind == PRESS_ESCAPE || press_is(press, 'q') || press_is_ctrl(press, 'c'))
        tui_close(view->tui, view);
}

static void wait_free(struct view *view)
{
    struct wait *wait = (struct wait *)view;

    errands_forget(tui_errands(view->tui), wait);
    plan_free(wait->plan);
    free(wait);
}

struct view *plan_wait_new(struct plan *plan)
{
    static const struct view_ops ops = {draw, press, happened, wait_free};
    struct wait *wait = calloc(1, sizeof(*wait));

    if (!wait)
        abort();
    wait->view = (struct view){.ops = &ops, .tui = plan->tui, .part = true};
    wait->plan = plan;
    look_at(wait);
    return &wait->view;
}
