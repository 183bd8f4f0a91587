/* Adopt and merge: one session takes over what another one of the family has. */
#include "tui/choice.h"
#include "tui/move_words.h"
#include "tui/moves.h"
#include "tui/moves_own.h"

static void take(const struct verb *verb, struct tui *tui, const char *session, const char *from,
                 const char *from_title)
{
    struct plan *plan;

    if (strcmp(session, from) == 0) {
        tui_say(tui, "a session cannot %s itself: choose another one of its family", verb->name);
        return;
    }
    plan = plan_new(verb, tui, session);
    plan->from = plan_keep(plan, from);
    plan->from_title = plan_keep(plan, from_title ? from_title : "");
    plan_go(plan);
}

/* ---- adopt ---- */

static bool adopt_call(struct plan *plan, const struct plan_call *call)
{
    struct tine_move_options options = {.scope = plan->scope,
                                        .expect_head = plan->head,
                                        .key = call->key,
                                        .force = plan->force,
                                        .dry_run = call->dry_run};

    return tine_adopt(call->tine, plan->session, plan->from, &options, call->out, call->error);
}

static void adopt_ask(struct plan *plan, const struct tine_result *dry)
{
    struct arena *arena = &plan->arena;

    moves_ask_scope(plan, dry,
                    arena_printf(arena, "Adopt %s into %s?",
                                 move_words_title(plan->from_title, arena),
                                 move_words_title(dry->session ? dry->session->title : "", arena))
                        .p);
}

static void adopt_tell(struct plan *plan, const struct tine_result *result)
{
    struct arena *arena = &plan->arena;

    moves_tell(plan, result,
               arena_printf(arena, "adopted %s", move_words_title(plan->from_title, arena)).p,
               "/undo");
}

static const struct verb verb_adopt = {"adopt", adopt_call, adopt_ask, adopt_tell};

void moves_adopt(struct tui *tui, const char *session, const char *from, const char *from_title)
{
    take(&verb_adopt, tui, session, from, from_title);
}

/* ---- merge ---- */

/* By force a dry run names what would be written beside the conflicts, too. */
static bool merge_call(struct plan *plan, const struct plan_call *call)
{
    struct tine_merge_options options = {.expect_head = plan->head,
                                         .key = call->key,
                                         .force = plan->force || call->dry_run,
                                         .dry_run = call->dry_run};

    return tine_merge(call->tine, plan->session, plan->from, &options, call->out, call->error);
}

static void merge_chosen(void *context, char key)
{
    struct plan *plan = context;

    if (key == 'y')
        plan_act(plan);
    else
        plan_free(plan);
}

static void merge_ask(struct plan *plan, const struct tine_result *dry)
{
    static const struct choice_answer answers[] = {{'y', "yes, bring them in"}};
    struct arena *arena = &plan->arena;
    const char *from = move_words_title(plan->from_title, arena);
    const char *words = move_words_dry(dry, NULL, from, arena);
    struct choice_spec spec = {
        .title = arena_printf(arena, "Merge the files of %s into %s?", from,
                              move_words_title(dry->session ? dry->session->title : "", arena))
                     .p,
        .text =
            arena_printf(arena, "%sThe conversations stay as they are. /undo takes it back.", words)
                .p,
        .answers = answers,
        .count = sizeof(answers) / sizeof(answers[0]),
        .call = merge_chosen,
        .context = plan};

    if (move_words_has_conflicts(dry)) {
        plan_ask_force(plan,
                       arena_printf(arena, "%sBy force the other session wins there.", words).p);
        return;
    }
    tui_push(plan->tui, choice_new(plan->tui, &spec));
}

static void merge_tell(struct plan *plan, const struct tine_result *result)
{
    struct arena *arena = &plan->arena;

    moves_tell(
        plan, result,
        arena_printf(arena, "merged the files of %s", move_words_title(plan->from_title, arena)).p,
        "/undo");
}

static const struct verb verb_merge = {"merge", merge_call, merge_ask, merge_tell};

void moves_merge(struct tui *tui, const char *session, const char *from, const char *from_title)
{
    take(&verb_merge, tui, session, from, from_title);
}
