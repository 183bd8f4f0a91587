#include "tui/moves.h"

#include "tui/message_lay.h"
#include "tui/move_words.h"
#include "tui/moves_own.h"

/* ---- what all have in common ---- */

bool moves_is_here(const struct plan *plan)
{
    const char *here = tui_session(plan->tui);

    return here && strcmp(here, plan->session) == 0;
}

void moves_tell(struct plan *plan, const struct tine_result *result, const char *what,
                const char *back)
{
    struct arena *arena = &plan->arena;
    const char *done = move_words_done(result, arena), *where = "";

    if (!moves_is_here(plan) && result->session)
        where = arena_printf(arena, " in %s", move_words_title(result->session->title, arena)).p;
    tui_say(plan->tui, "%s%s (%s takes it back)%s%s", what, where, back, *done ? ": " : "", done);
}

/* ---- fork ---- */

/* Of a session whose turn is running, the server takes the newest place that can be begun at. */
static void look_for_turn(struct plan *plan, struct tine *tine)
{
    struct tine_result *result;

    if (plan->before || plan->after || !tine_session(tine, plan->session, false, &result, NULL))
        return;
    plan->runs = plan_turn_runs(result->session);
    tine_result_free(result);
}

static bool fork_call(struct plan *plan, const struct plan_call *call)
{
    struct tine_fork_options options = {
        .point = {.before = plan->before, .after = plan->after, .part = true, .snap = true},
        .agent = plan->agent,
        .key = call->key};

    look_for_turn(plan, call->tine);
    return tine_fork(call->tine, plan->session, &options, call->out, call->error);
}

static void fork_tell(struct plan *plan, const struct tine_result *result)
{
    struct arena *arena = &plan->arena;
    const char *text = NULL;

    if (!result->session) {
        tui_fail_words(plan->tui, "cannot fork: the reply of the server has no session");
        return;
    }
    if (plan->edit && result->excluded)
        text = arena_dup(arena, message_text(result->excluded, arena)).p;
    tui_open(plan->tui, result->session->id, move_words_fork(result, arena), text);
    if (plan->runs)
        tui_say(plan->tui, "its turn is still running: the fork begins where no tool call is open");
    else if (result->point && result->point->snapped)
        tui_say(plan->tui, "a tool call was open there: the nearest place before it was taken");
}

static const struct verb verb_fork = {"fork", fork_call, NULL, fork_tell};

void moves_fork(struct tui *tui, const char *session, struct moves_point point, bool edit)
{
    struct plan *plan = plan_new(&verb_fork, tui, session);

    plan->before = plan_keep(plan, point.before);
    plan->after = plan_keep(plan, point.after);
    plan->edit = edit;
    plan_go(plan);
}

void moves_fork_to(struct tui *tui, const char *session, const char *agent)
{
    struct plan *plan = plan_new(&verb_fork, tui, session);

    plan->agent = plan_keep(plan, agent);
    plan_go(plan);
}

/* ---- undo, redo ---- */

static bool undo_call(struct plan *plan, const struct plan_call *call)
{
    struct tine_move_options options = {.force = plan->force, .key = call->key};

    return tine_undo(call->tine, plan->session, &options, call->out, call->error);
}

static bool redo_call(struct plan *plan, const struct plan_call *call)
{
    struct tine_move_options options = {.force = plan->force, .key = call->key};

    return tine_redo(call->tine, plan->session, &options, call->out, call->error);
}

static void undo_tell(struct plan *plan, const struct tine_result *result)
{
    moves_tell(plan, result, "undone", "/redo");
}

static void redo_tell(struct plan *plan, const struct tine_result *result)
{
    moves_tell(plan, result, "redone", "/undo");
}

static const struct verb verb_undo = {"undo", undo_call, NULL, undo_tell};
static const struct verb verb_redo = {"redo", redo_call, NULL, redo_tell};

void moves_undo(struct tui *tui, const char *session)
{
    plan_go(plan_new(&verb_undo, tui, session));
}

void moves_redo(struct tui *tui, const char *session)
{
    plan_go(plan_new(&verb_redo, tui, session));
}

/* ---- names ---- */

struct naming {
    struct errand errand;
    struct tui *tui;
    const char *session, *message, *name;
};

static struct naming *naming_new(struct tui *tui, errand_run *run, errand_done *done,
                                 const char *session, const char *name)
{
    struct naming *naming = errand_new(sizeof(*naming), run, done, tui);
    struct arena *arena = &naming->errand.arena;

    naming->tui = tui;
    naming->session = arena_dup(arena, str_of(session)).p;
    naming->name = name ? arena_dup(arena, str_of(name)).p : NULL;
    return naming;
}

static bool label_run(struct errand *errand, struct tine *tine)
{
    struct naming *naming = (struct naming *)errand;

    return tine_label(tine, naming->session, naming->message, false, naming->name, NULL,
                      &errand->error);
}

static void label_done(struct errand *errand)
{
    struct naming *naming = (struct naming *)errand;

    if (!errand->ok)
        tui_fail(naming->tui, "cannot label the message", &errand->error);
    else if (naming->name)
        tui_say(naming->tui, "the message is called @%s now", naming->name);
    else
        tui_say(naming->tui, "the label was taken away");
}

void moves_label(struct tui *tui, const char *session, const char *message, const char *label)
{
    struct naming *naming = naming_new(tui, label_run, label_done, session, label);

    naming->message = arena_dup(&naming->errand.arena, str_of(message)).p;
    errands_send(tui_errands(tui), LANE_ACT, &naming->errand);
}

static bool title_run(struct errand *errand, struct tine *tine)
{
    struct naming *naming = (struct naming *)errand;
    struct tine_update_options options = {.title = naming->name};

    return tine_update(tine, naming->session, &options, NULL, &errand->error);
}

static void title_done(struct errand *errand)
{
    struct naming *naming = (struct naming *)errand;

    if (errand->ok)
        tui_say(naming->tui, "the title is %s now", move_words_title(naming->name, &errand->arena));
    else
        tui_fail(naming->tui, "cannot change the title", &errand->error);
}

void moves_title(struct tui *tui, const char *session, const char *title)
{
    errands_send(tui_errands(tui), LANE_ACT,
                 &naming_new(tui, title_run, title_done, session, title)->errand);
}
