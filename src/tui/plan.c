#include "tui/plan.h"

#include "tui/act_key.h"
#include "tui/choice.h"
#include "tui/message_lay.h"
#include "tui/move_words.h"
#include "tui/talk.h"

#include <stdlib.h>

struct plan *plan_new(const struct verb *verb, struct tui *tui, const char *session)
{
    struct plan *plan = calloc(1, sizeof(*plan));

    if (!plan)
        abort();
    arena_init(&plan->arena);
    plan->verb = verb;
    plan->tui = tui;
    plan->session = plan_keep(plan, session);
    return plan;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    arena_clear(&plan->arena);
    free(plan);
}

const char *plan_keep(struct plan *plan, const char *text)
{
    return text ? arena_dup(&plan->arena, str_of(text)).p : NULL;
}

bool plan_turn_runs(const struct tine_session *session)
{
    return session && talk_runs_in(session->turn_state);
}

/* ---- errands ---- */

struct step {
    struct errand errand;
    struct plan *plan;
    const char *key;
    const char *conflicts; /* for which it was refused, as text; NULL */
    const char *first;     /* the gist of the first message that would go; NULL */
};

static void step_drop(struct errand *errand)
{
    plan_free(((struct step *)errand)->plan);
}

static struct plan *step_take(struct step *step)
{
    struct plan *plan = step->plan;

    step->plan = NULL;
    return plan;
}

static void step_send(struct plan *plan, enum lane lane, errand_run *run, errand_done *done)
{
    struct step *step = errand_new(sizeof(*step), run, done, plan->tui);

    step->errand.drop = step_drop;
    step->plan = plan;
    step->key = act_key(&step->errand.arena);
    errands_send(tui_errands(plan->tui), lane, &step->errand);
}

static bool step_call(struct step *step, struct tine *tine, bool dry_run)
{
    struct errand *errand = &step->errand;
    struct plan_call call = {.tine = tine,
                             .dry_run = dry_run,
                             .key = dry_run ? NULL : step->key,
                             .out = &errand->result,
                             .error = &errand->error};
    struct tine_result *conflicts;

    if (step->plan->verb->call(step->plan, &call))
        return true;
    if (strcmp(errand->error.code, "files_conflict") == 0 &&
        tine_conflicts(tine, &conflicts, NULL)) {
        step->conflicts = move_words_conflicts(conflicts, &errand->arena);
        tine_result_free(conflicts);
    }
    return false;
}

/* ---- refusals ---- */

static bool is_nothing(const struct tine_error *error)
{
    static const char start[] = "nothing_to_";

    return strncmp(error->code, start, sizeof(start) - 1) == 0;
}

static void ask_stop(struct plan *plan);

/* Adopts the plan. */
static void refused(struct plan *plan, const struct step *step)
{
    const struct tine_error *error = &step->errand.error;
    struct arena *arena = &plan->arena;

    if (strcmp(error->code, "turn_running") == 0) {
        ask_stop(plan);
    } else if (strcmp(error->code, "head_moved") == 0 && plan->head) {
        tui_say(plan->tui, "something was added meanwhile: this is how it is now");
        plan_go(plan);
    } else if (step->conflicts && !plan->force) {
        plan_ask_force(plan, step->conflicts);
    } else {
        if (is_nothing(error))
            tui_say(plan->tui, "%s", error->detail);
        else
            tui_fail(plan->tui, arena_printf(arena, "cannot %s", plan->verb->name).p, error);
        plan_free(plan);
    }
}

/* ---- looking ---- */

/* The first message that would go stands behind those that stay. */
static void first_read(struct step *step, struct tine *tine)
{
    const struct tine_move *move = step->errand.result->move;
    const struct tine_session *session = step->errand.result->session;
    struct tine_messages_options options = {.limit = 1};
    struct arena *arena = &step->errand.arena;
    struct tine_result *page;

    if (!move || !session || move->dropped == 0)
        return;
    options.from = session->messages - move->dropped;
    if (!tine_messages(tine, step->plan->session, &options, &page, NULL))
        return;
    if (page->message_count)
        step->first = arena_dup(arena, message_gist(&page->messages[0], arena)).p;
    tine_result_free(page);
}

static bool look_run(struct errand *errand, struct tine *tine)
{
    struct step *step = (struct step *)errand;

    if (!step_call(step, tine, true))
        return false;
    first_read(step, tine);
    return true;
}

static void look_done(struct errand *errand)
{
    struct step *step = (struct step *)errand;
    struct plan *plan = step_take(step);
    const struct tine_result *dry = errand->result;

    if (!errand->ok) {
        refused(plan, step);
    } else if (plan_turn_runs(dry->session)) {
        ask_stop(plan);
    } else {
        plan->head = plan_keep(plan, dry->session ? dry->session->head : NULL);
        plan->first = plan_keep(plan, step->first);
        plan->verb->ask(plan, dry);
    }
}

/* ---- acting ---- */

static bool act_run(struct errand *errand, struct tine *tine)
{
    return step_call((struct step *)errand, tine, false);
}

static void act_done(struct errand *errand)
{
    struct step *step = (struct step *)errand;
    struct plan *plan = step_take(step);

    if (errand->ok) {
        plan->verb->tell(plan, errand->result);
        plan_free(plan);
    } else {
        refused(plan, step);
    }
}

void plan_act(struct plan *plan)
{
    step_send(plan, LANE_ACT, act_run, act_done);
}

void plan_go(struct plan *plan)
{
    /* what was seen and answered before was of another time */
    plan->head = plan->scope = plan->first = NULL;
    plan->force = false;
    if (plan->verb->ask)
        step_send(plan, LANE_LOOK, look_run, look_done);
    else
        plan_act(plan);
}

/* ---- a turn that is running ---- */

static bool stop_run(struct errand *errand, struct tine *tine)
{
    struct step *step = (struct step *)errand;

    return tine_cancel(tine, step->plan->session, NULL, &errand->error);
}

static void stop_done(struct errand *errand)
{
    struct plan *plan = step_take((struct step *)errand);

    if (!errand->ok && strcmp(errand->error.code, "no_turn_running") != 0) {
        tui_fail(plan->tui, "cannot stop the turn", &errand->error);
        plan_free(plan);
        return;
    }
    tui_push(plan->tui, plan_wait_new(plan));
}

static void stop_chosen(void *context, char key)
{
    struct plan *plan = context;

    if (key == 's')
        step_send(plan, LANE_ACT, stop_run, stop_done);
    else if (key == 'w')
        tui_push(plan->tui, plan_wait_new(plan));
    else
        plan_free(plan);
}

static void ask_stop(struct plan *plan)
{
    struct arena *arena = &plan->arena;
    struct choice_answer answers[] = {
        {'w', arena_printf(arena, "wait until it has ended, then %s", plan->verb->name).p},
        {'s', arena_printf(arena, "stop it, then %s", plan->verb->name).p},
    };
    struct choice_spec spec = {.title = "A turn is running",
                               .text = "What it has said so far stays when it is stopped.",
                               .answers = answers,
                               .count = 2,
                               .call = stop_chosen,
                               .context = plan};

    tui_push(plan->tui, choice_new(plan->tui, &spec));
}

/* ---- conflicts ---- */

static void force_chosen(void *context, char key)
{
    struct plan *plan = context;

    if (key != 'o') {
        plan_free(plan);
        return;
    }
    plan->force = true;
    plan_act(plan);
}

void plan_ask_force(struct plan *plan, const char *conflicts)
{
    static const struct choice_answer answers[] = {
        {'n', "no, change nothing"},
        {'o', "write over these files"},
    };
    struct choice_spec spec = {
        .title = "Files are in conflict",
        .text =
            arena_printf(&plan->arena, "%s\nUndo brings back what is written over.", conflicts).p,
        .answers = answers,
        .count = 2,
        .call = force_chosen,
        .context = plan};

    tui_push(plan->tui, choice_new(plan->tui, &spec));
}
