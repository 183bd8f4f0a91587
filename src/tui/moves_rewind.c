/* Rewind: first what would be dropped and which files would change, then which of them. */
#include "tui/choice.h"
#include "tui/message_lay.h"
#include "tui/move_words.h"
#include "tui/moves.h"
#include "tui/moves_own.h"

/* ---- of what? ---- */

struct asking {
    struct plan *plan;
    const char *conflicts; /* as text; NULL: there are none */
};

static void scope_chosen(void *context, char key)
{
    struct asking *asking = context; /* lives with the plan */
    struct plan *plan = asking->plan;

    if (key == 0) {
        plan_free(plan);
        return;
    }
    plan->scope = key == 'c' ? "conversation" : key == 'f' ? "files" : NULL;
    if (asking->conflicts && key != 'c')
        plan_ask_force(plan, asking->conflicts);
    else
        plan_act(plan);
}

/* A session that works in no directory has none, whatever is done to it. */
static bool has_files(const struct tine_result *dry)
{
    const char *mode = dry->session ? dry->session->workspace_mode : NULL;

    return move_words_has_files(dry) || !mode || strcmp(mode, "none") != 0;
}

void moves_ask_scope(struct plan *plan, const struct tine_result *dry, const char *title)
{
    static const struct choice_answer all[] = {
        {'b', "both: conversation and files"},
        {'c', "the conversation only"},
        {'f', "the files only"},
    };
    static const struct choice_answer plain[] = {{'c', "the conversation; it has no files"}};
    struct arena *arena = &plan->arena;
    struct asking *asking = arena_alloc(arena, sizeof(*asking));
    const char *from = plan->from ? move_words_title(plan->from_title, arena) : NULL;
    bool files = has_files(dry);
    struct choice_spec spec = {
        .title = title,
        .text = arena_printf(arena, "%sNothing is lost: /undo takes it back.",
                             move_words_dry(dry, plan->first, from, arena))
                    .p,
        .answers = files ? all : plain,
        .count = files ? sizeof(all) / sizeof(all[0]) : sizeof(plain) / sizeof(plain[0]),
        .call = scope_chosen,
        .context = asking,
    };

    asking->plan = plan;
    if (move_words_has_conflicts(dry))
        asking->conflicts = move_words_conflicts(dry, arena);
    tui_push(plan->tui, choice_new(plan->tui, &spec));
}

/* ---- the verb ---- */

static bool rewind_call(struct plan *plan, const struct plan_call *call)
{
    struct tine_move_options options = {
        .point = {.before = plan->before, .after = plan->after, .part = true, .snap = true},
        .scope = plan->scope,
        .expect_head = plan->head,
        .key = call->key,
        .force = plan->force,
        .dry_run = call->dry_run,
    };

    return tine_rewind(call->tine, plan->session, &options, call->out, call->error);
}

static void rewind_ask(struct plan *plan, const struct tine_result *dry)
{
    struct arena *arena = &plan->arena;
    const char *title = move_words_title(dry->session ? dry->session->title : "", arena);

    moves_ask_scope(plan, dry, arena_printf(arena, "Rewind %s?", title).p);
}

/* What was cut before goes back into the composer, as long as the conversation was moved. */
static void rewind_tell(struct plan *plan, const struct tine_result *result)
{
    struct arena *arena = &plan->arena;
    bool moved = !plan->scope || strcmp(plan->scope, "files") != 0;
    const char *text = NULL;

    if (plan->before && moved && result->excluded && result->excluded->role &&
        strcmp(result->excluded->role, "user") == 0)
        text = arena_dup(arena, message_text(result->excluded, arena)).p;
    if (moves_is_here(plan))
        tui_open(plan->tui, plan->session, NULL, text);
    moves_tell(plan, result, moved ? "rewound" : "the files were taken back", "/undo");
}

static const struct verb verb_rewind = {"rewind", rewind_call, rewind_ask, rewind_tell};

void moves_rewind(struct tui *tui, const char *session, struct moves_point point)
{
    struct plan *plan = plan_new(&verb_rewind, tui, session);

    plan->before = plan_keep(plan, point.before);
    plan->after = plan_keep(plan, point.after);
    plan_go(plan);
}
