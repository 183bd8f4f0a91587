#include "game_own.h"

#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    FLAT_MAX = 400, /* messages behind one reference */
    COMPARE_ALL_STEPS = 250,
    VERIFY_STEPS = 5000,
    REOPEN_STEPS = 2500
};

void doing(struct play *run, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(run->doing, sizeof(run->doing), format, args);
    va_end(args);
}

struct model_session *random_session(struct play *run, bool subs)
{
    struct model_list fit = {0};
    struct model_session *session = NULL;

    for (int i = 0; i < run->model->session_count; i++)
        if (run->model->sessions[i]->alive && (subs || !run->model->sessions[i]->sub))
            model_list_add(&fit, i);
    if (fit.count)
        session = run->model->sessions[fit.items[chance_below(&run->chance, fit.count)]];
    model_list_clear(&fit);
    return session;
}

int living(const struct play *run)
{
    int count = 0;

    for (int i = 0; i < run->model->session_count; i++)
        count += run->model->sessions[i]->alive;
    return count;
}

struct str head_id(const struct play *run, const struct model_session *session)
{
    const struct model_list *path = &model_head(session)->path;

    return str_of(path->count ? run->model->acts[path->items[path->count - 1]]->id : "");
}

int random_tree(struct play *run)
{
    return chance_below(&run->chance, GROVE_TREES);
}

/* ---- making sessions ---- */

static struct model_session *create(struct play *run, const char *title, bool sub)
{
    struct create_spec spec = {.owner = run->rig.owner,
                               .title = str_of(title),
                               .agent = STR("test/none"),
                               .metadata = STR("{\"made\":\"by a test\"}"),
                               .sub = sub,
                               .workspace.mode =
                                   chance_of(&run->chance, 15) ? WORKSPACE_NONE : WORKSPACE_OWN};
    struct model_session *session;
    struct session made;
    struct fault fault;

    run_expect(run, NULL, "create",
               engine_create(run->rig.engine, &spec, &run->arena, &made, &fault), FAULT_OK, &fault);
    session = model_create(run->model, arena_dup(&run->arena, made.id).p, made.s, title, sub,
                           run->rig.now_us);
    session->bare = spec.workspace.mode == WORKSPACE_NONE;
    return session;
}

const char *random_title(struct play *run)
{
    static const char *const titles[] = {"Alpha",    "Alpha (fork 3)",   "Beta",           "",
                                         "(fork 3)", "Alpha (fork 2) b", "Gamma (fork 12)"};

    return titles[chance_below(&run->chance, 7)];
}

static struct model_session *play_create(struct play *run, struct model_session *session)
{
    bool sub = chance_of(&run->chance, 30);

    (void)session;
    if (living(run) >= SESSIONS_MAX)
        return NULL;
    doing(run, "create a session");
    return create(run, random_title(run), sub);
}

/* ---- appending ---- */

static void random_turn(struct play *run, const struct model_session *session, struct made_up *made)
{
    const struct model_act *old = NULL;
    int kind = chance_below(&run->chance, 100);

    if (session->raw.count)
        old = run->model->acts[session->raw.items[chance_below(&run->chance, session->raw.count)]];
    if (kind < 25) {
        made->rule = TURN_NONE;
    } else if (kind < 50) {
        made->rule = TURN_JOIN;
    } else if (kind < 65) {
        made->rule = TURN_NEW;
    } else {
        made->rule = TURN_NAMED;
        if (kind < 85 && old && old->in_turn)
            snprintf(made->act.turn, sizeof(made->act.turn), "%s", old->turn);
        else
            snprintf(made->act.turn, sizeof(made->act.turn), "t%d", run->names++);
    }
}

static void random_delta(struct play *run, struct model_act *act)
{
    int changes = act->kind == ENTRY_STATE      ? 1 + chance_below(&run->chance, 3)
                  : chance_of(&run->chance, 30) ? 1 + chance_below(&run->chance, 2)
                                                : 0;

    for (int i = 0; i < changes; i++)
        act->delta[chance_below(&run->chance, MODEL_KEYS)] =
            chance_of(&run->chance, 25) ? MODEL_ABSENT : chance_below(&run->chance, 1000);
}

static void random_id(struct play *run, const struct model_session *session, struct model_act *act)
{
    const struct model_act *other = NULL;

    if (!chance_of(&run->chance, 20))
        return;
    if (run->model->act_count)
        other = run->model->acts[chance_below(&run->chance, run->model->act_count)];
    act->client_id = true;
    snprintf(act->id, sizeof(act->id), "c.%d:x", run->names++);
    /* an id that another session has is free here */
    if (other && other->client_id && chance_of(&run->chance, 50)) {
        for (int i = 0; i < session->raw.count; i++)
            if (strcmp(run->model->acts[session->raw.items[i]]->id, other->id) == 0)
                return;
        memcpy(act->id, other->id, sizeof(act->id));
    }
}

static void random_files(struct play *run, struct model_act *act)
{
    if (!chance_of(&run->chance, act->kind == ENTRY_FILES ? 80 : 25))
        return;
    act->brings = random_tree(run);
    act->foreign = act->kind == ENTRY_FILES && chance_of(&run->chance, 40);
    act->left_out = chance_of(&run->chance, 10);
}

struct made_up random_entry(struct play *run, const struct model_session *session)
{
    static const enum entry_kind kinds[] = {ENTRY_EVENT, ENTRY_EVENT, ENTRY_SUMMARY,
                                            ENTRY_FILES, ENTRY_FILES, ENTRY_STATE};
    static const enum role roles[] = {ROLE_USER,      ROLE_ASSISTANT, ROLE_TOOL,  ROLE_USER,
                                      ROLE_ASSISTANT, ROLE_TOOL,      ROLE_SYSTEM};
    bool message = chance_of(&run->chance, 70);
    struct made_up made = {
        .act = model_blank(message ? ENTRY_MESSAGE : kinds[chance_below(&run->chance, 6)],
                           message ? roles[chance_below(&run->chance, 7)] : ROLE_NONE)};
    struct model_act *act = &made.act;

    random_turn(run, session, &made);
    random_delta(run, act);
    random_files(run, act);
    random_id(run, session, act);
    if (act->role == ROLE_ASSISTANT && chance_of(&run->chance, 40))
        act->calls = 1 + chance_below(&run->chance, 2);
    if (act->role == ROLE_TOOL && chance_of(&run->chance, 90))
        act->results = 1 + chance_below(&run->chance, 2);
    if (chance_of(&run->chance, 40)) {
        act->has_usage = true;
        act->usage =
            (struct usage){chance_below(&run->chance, 1000), chance_below(&run->chance, 100),
                           chance_below(&run->chance, 1000000)};
    }
    act->interrupted = message && chance_of(&run->chance, 5);
    snprintf(act->body, sizeof(act->body), "{\"text\":\"words w%dx end\"}", run->names++);
    return made;
}

/* The keys of the state come in the wrong order on purpose. */
struct entry_spec spec_of(struct play *run, const struct made_up *made)
{
    const struct model_act *act = &made->act;
    struct span *span = arena_alloc(&run->arena, sizeof(*span));
    struct entry_spec spec = {
        .kind = act->kind,
        .role = act->role,
        .flags = (act->interrupted ? (unsigned)ENTRY_INTERRUPTED : 0U) |
                 (act->foreign ? (unsigned)ENTRY_FOREIGN : 0U) |
                 (act->left_out ? (unsigned)ENTRY_LEFT_OUT : 0U),
        .id = act->client_id ? str_of(act->id) : STR_NONE,
        .turn_rule = made->rule,
        .turn = made->rule == TURN_NAMED ? str_of(act->turn) : STR_NONE,
        .usage = act->usage,
        .has_usage = act->has_usage,
        .calls = act->calls,
        .results = act->results,
        .body = str_of(act->body),
        .spans = span,
        .span_count = 1,
    };

    if (act->brings != MODEL_TREELESS) {
        struct tree_spec tree = grove_tree(&run->grove, run->rig.store, act->brings);

        spec.tree = (struct str){(const char *)run->grove.trees[act->brings], HASH_BYTES};
        spec.tree_since = tree.since_us;
    }
    *span = (struct span){9, (uint32_t)strlen(act->body) - 11};
    spec.state.items = arena_array(&run->arena, MODEL_KEYS, sizeof(*spec.state.items));
    for (int key = MODEL_KEYS - 1; key >= 0; key--) {
        struct state_item *item = &spec.state.items[spec.state.count];

        if (act->delta[key] == MODEL_SAME)
            continue;
        item->key = str_of(model_key(key));
        item->value = act->delta[key] == MODEL_ABSENT
                          ? STR_NONE
                          : arena_printf(&run->arena, "%d", act->delta[key]);
        spec.state.count++;
    }
    return spec;
}

void expect_drawn(struct play *run, const struct model_session *session, struct str name)
{
    struct id id;

    if (!id_parse(name, &id))
        run_differ(run, session, "\"%.*s\" was not drawn by the engine", STR_ARG(name));
    for (int i = run->model->act_count - 1; i >= 0 && i > run->model->act_count - 100; i--)
        if (str_eq(str_of(run->model->acts[i]->id), name) ||
            str_eq(str_of(run->model->acts[i]->turn), name))
            run_differ(run, session, "\"%.*s\" was drawn twice", STR_ARG(name));
}

void accept_entry(struct play *run, struct model_session *session, struct made_up *made,
                  const struct entry *stored)
{
    struct model_act *act = &made->act;
    const char *newest = model_newest_turn(run->model, &model_head(session)->path);

    act->in_turn = made->rule != TURN_NONE;
    if (made->rule == TURN_JOIN && *newest) {
        snprintf(act->turn, sizeof(act->turn), "%s", newest);
    } else if (made->rule == TURN_JOIN || made->rule == TURN_NEW) {
        expect_drawn(run, session, stored->turn);
        snprintf(act->turn, sizeof(act->turn), "%.*s", STR_ARG(stored->turn));
    }
    if (!act->client_id) {
        expect_drawn(run, session, stored->id);
        snprintf(act->id, sizeof(act->id), "%.*s", STR_ARG(stored->id));
    }
    compare_entry(run, session, "the appended entry", stored,
                  model_append(run->model, session, act, run->rig.now_us));
}

static void append(struct play *run, struct model_session *session, struct made_up *made,
                   struct entry_spec *specs, int count)
{
    struct append_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    struct append_result result;
    enum fault_code wanted = FAULT_OK, code;
    struct fault fault;

    if (chance_of(&run->chance, 15))
        spec.expect_head = head_id(run, session);
    if (chance_of(&run->chance, 3)) {
        spec.expect_head = STR("not-the-head");
        wanted = FAULT_HEAD_MOVED;
    }
    code =
        engine_append(run->rig.engine, &spec, specs, (size_t)count, &run->arena, &result, &fault);
    run_expect(run, session, "append", code, wanted, &fault);
    if (code != FAULT_OK)
        return;
    compare_number(run, session, "entries appended", (int64_t)result.count, count);
    compare_number(run, session, "repeated", result.repeated, false);
    for (int i = 0; i < count; i++)
        accept_entry(run, session, &made[i], &result.entries[i]);
}

static struct model_session *play_append(struct play *run, struct model_session *session)
{
    enum { BATCH_MAX = 8 };
    struct made_up made[BATCH_MAX];
    struct entry_spec specs[BATCH_MAX];
    int count = chance_of(&run->chance, 75) ? 1 : 2 + chance_below(&run->chance, BATCH_MAX - 1);

    if (session->raw.count + count > ACTS_MAX)
        return NULL;
    doing(run, "append %d", count);
    for (int i = 0; i < count; i++) {
        made[i] = random_entry(run, session);
        for (int k = 0; k < i; k++)
            if (made[i].act.client_id && strcmp(made[i].act.id, made[k].act.id) == 0)
                made[i].act.client_id = false;
        specs[i] = spec_of(run, &made[i]);
    }
    append(run, session, made, specs, count);
    return session;
}

/* The same id again: with the same bytes nothing happens, with others it is refused. */
static struct model_session *play_repeat(struct play *run, struct model_session *session)
{
    struct append_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    struct append_result result;
    struct made_up made;
    struct entry_spec again;
    struct fault fault;
    bool other = chance_of(&run->chance, 50);
    int number = -1;

    for (int i = 0; i < session->raw.count; i++) {
        const struct model_act *act = run->model->acts[session->raw.items[i]];

        if (act->client_id && act->kind != ENTRY_SUBSESSION && !act->erased &&
            (number < 0 || chance_of(&run->chance, 30)))
            number = session->raw.items[i];
    }
    if (number < 0)
        return NULL;
    made.act = *run->model->acts[number];
    made.rule = made.act.in_turn ? TURN_NAMED : TURN_NONE;
    if (other)
        made.act.body[10] = '!';
    doing(run, "append \"%s\" again%s", made.act.id, other ? " with another body" : "");
    again = spec_of(run, &made);
    run_expect(run, session, "append again",
               engine_append(run->rig.engine, &spec, &again, 1, &run->arena, &result, &fault),
               other ? FAULT_ID_TAKEN : FAULT_OK, &fault);
    if (other)
        return session;
    compare_number(run, session, "repeated", result.repeated, true);
    compare_entry(run, session, "the repeated entry", &result.entries[0], number);
    return session;
}

/* ---- references ---- */

static void delete_session(struct play *run, struct model_session *session)
{
    struct delete_spec spec = {.owner = run->rig.owner,
                               .session = str_of(session->id),
                               .purge = chance_of(&run->chance, 30)};
    struct session gone;
    struct fault fault;

    run_expect(run, session, "delete", engine_delete(run->rig.engine, &spec, &fault), FAULT_OK,
               &fault);
    run_expect(run, session, "the deleted session",
               store_session_get(run->rig.store, run->rig.owner, str_of(session->id), false,
                                 &run->arena, &gone, &fault),
               FAULT_SESSION_NOT_FOUND, &fault);
    model_delete(run->model, session, spec.purge);
    compare_counts(run);
}

static void forget_lists(struct model_act *act)
{
    model_list_clear(&act->flat);
    model_list_clear(&act->path);
    model_list_clear(&act->had);
}

static struct model_session *play_reference(struct play *run, struct model_session *session)
{
    struct model_session *named = random_session(run, true);
    struct point_spec where = random_point(run, named);
    struct made_up made = {.act = model_blank(ENTRY_SUBSESSION, ROLE_NONE)};
    struct append_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    struct append_result result;
    struct model_point point;
    struct entry_spec entry;
    enum fault_code wanted, code;
    struct fault fault;

    if (session->raw.count >= ACTS_MAX)
        return NULL;
    if (session->sub && (!named->sub || named->number >= session->number))
        return NULL; /* two sub-sessions that keep each other alive would never go */
    where.guard = GUARD_NONE;
    wanted = model_point(run->model, named, &where, &point);
    if (wanted == FAULT_OK && point.place == 0)
        wanted = FAULT_POINT_INVALID;
    if (wanted == FAULT_OK) {
        const struct model_list *path = &named->places[point.place].path;

        model_flatten(run->model, path, &made.act.flat, NULL);
        made.act.path = model_list_copy(path, path->count);
        made.act.had = model_list_copy(&named->raw, point.place);
        made.act.ref = named->raw.items[point.place - 1];
    }
    if (made.act.flat.count > FLAT_MAX) {
        forget_lists(&made.act);
        return NULL;
    }
    snprintf(made.act.body, sizeof(made.act.body), "{\"text\":\"words w%dx end\"}", run->names++);
    doing(run, "refer to session %d %s", named->number, point_words(run, &where).p);
    entry = spec_of(run, &made);
    entry.ref_session = str_of(named->id);
    entry.ref_point = where;
    code = engine_append(run->rig.engine, &spec, &entry, 1, &run->arena, &result, &fault);
    if (wanted != FAULT_OK && point.either != FAULT_OK && code == point.either)
        return session;
    run_expect(run, session, "refer", code, wanted, &fault);
    if (code != FAULT_OK)
        return session; /* no lists were made */
    accept_entry(run, session, &made, &result.entries[0]);
    if (named != session && !named->sub && chance_of(&run->chance, 30) && living(run) > 3)
        delete_session(run, named);
    return session;
}

/* ---- beside the tree ---- */

static struct model_session *play_save(struct play *run, struct model_session *session)
{
    struct model_save save = {.kind = chance_below(&run->chance, 3), .at_us = run->rig.now_us};
    struct record_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    struct fault fault;

    snprintf(save.id, sizeof(save.id), "T%d", chance_below(&run->chance, 4));
    snprintf(save.body, sizeof(save.body), "{\"save\":%d}", run->names++);
    if (session->raw.count && chance_of(&run->chance, 70)) {
        const struct model_act *act =
            run->model->acts[session->raw.items[chance_below(&run->chance, session->raw.count)]];

        snprintf(save.turn, sizeof(save.turn), "%s", act->in_turn ? act->turn : "");
    } else if (chance_of(&run->chance, 30)) {
        snprintf(save.turn, sizeof(save.turn), "not-yet-%d", run->names++);
    }
    doing(run, "save %s in turn \"%s\"", save.id, save.turn);
    spec.id = str_of(save.id);
    spec.turn = str_of(save.turn);
    spec.kind = save.kind;
    spec.body = str_of(save.body);
    run_expect(run, session, "save", engine_save(run->rig.engine, &spec, &fault), FAULT_OK, &fault);
    model_save(run->model, session, &save);
    return session;
}

static bool has_own_label(const struct model_session *session, int act)
{
    for (int i = 0; i < session->label_count; i++)
        if (session->labels[i].act == act)
            return true;
    return false;
}

static struct model_session *play_label(struct play *run, struct model_session *session)
{
    static const char *const texts[] = {"start here", "good", "bad idea", "x", "\xc3\xa4", "", ""};
    const char *text = texts[chance_below(&run->chance, 7)];
    struct label_spec spec = {.owner = run->rig.owner,
                              .session = str_of(session->id),
                              .message = random_point(run, session),
                              .text = str_of(text)};
    struct label label;
    struct model_point point;
    enum fault_code wanted, code;
    struct fault fault;

    if (spec.message.by != POINT_MESSAGE && spec.message.by != POINT_LABEL)
        spec.message.by = POINT_INDEX;
    spec.message.guard = GUARD_NONE;
    wanted = model_point(run->model, session, &spec.message, &point);
    if (wanted == FAULT_OK && run->model->acts[point.anchor]->kind == ENTRY_MOVE)
        return NULL;
    if (wanted == FAULT_OK && !*text && !has_own_label(session, point.anchor))
        wanted = FAULT_LABEL_NOT_FOUND;
    doing(run, "label %s with \"%s\"", point_words(run, &spec.message).p, text);
    code = engine_label(run->rig.engine, &spec, &run->arena, &label, &fault);
    if (wanted != FAULT_OK && point.either != FAULT_OK && code == point.either)
        return session;
    run_expect(run, session, "label", code, wanted, &fault);
    if (code == FAULT_OK)
        model_label(run->model, session, point.anchor, text, run->rig.now_us);
    return session;
}

static struct model_session *play_update(struct play *run, struct model_session *session)
{
    struct str title = str_of(random_title(run));
    struct update_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    bool archived = chance_of(&run->chance, 50), rename = chance_of(&run->chance, 70);
    struct session out;
    struct fault fault;

    if (session->sub)
        return NULL;
    if (rename)
        spec.title = &title;
    else
        spec.archived = &archived;
    doing(run, "%s \"%s\"",
          rename     ? "rename to"
          : archived ? "archive"
                     : "unarchive",
          rename ? title.p : session->id);
    run_expect(run, session, "update",
               engine_update(run->rig.engine, &spec, &run->arena, &out, &fault), FAULT_OK, &fault);
    if (rename)
        model_rename(run->model, session, title.p, run->rig.now_us);
    else
        model_archive(run->model, session, archived, run->rig.now_us);
    compare_text(run, session, "the title", out.title, session->title);
    return session;
}

/* As they are expected, or as they never were: then nothing changes. */
static struct model_session *play_settings(struct play *run, struct model_session *session)
{
    struct str settings = arena_printf(&run->arena, "{\"w%d\":{}}", chance_below(&run->chance, 3));
    struct str is = arena_dup(&run->arena, str_of(session->settings)), never = STR("{\"x\":1}");
    bool wrong = chance_of(&run->chance, 20);
    struct update_spec spec = {.owner = run->rig.owner,
                               .session = str_of(session->id),
                               .settings = &settings,
                               .expect_settings = wrong ? &never : &is};
    struct session out;
    struct fault fault;

    doing(run, "settings %s%s", settings.p, wrong ? " when they are others" : "");
    run_expect(run, session, "settings",
               engine_update(run->rig.engine, &spec, &run->arena, &out, &fault),
               wrong ? FAULT_HEAD_MOVED : FAULT_OK, &fault);
    if (!wrong)
        model_settings(run->model, session, settings.p, run->rig.now_us);
    return session;
}

static struct model_session *play_delete(struct play *run, struct model_session *session)
{
    if (living(run) <= 3)
        return NULL;
    doing(run, "delete session %d", session->number);
    delete_session(run, session);
    return NULL;
}

/* ---- the game ---- */

static const struct {
    int weight;
    struct model_session *(*play)(struct play *run, struct model_session *session);
} plays[] = {
    {32, play_append}, {10, play_fork},  {11, play_rewind},  {6, play_undo},      {6, play_redo},
    {4, play_adopt},   {3, play_delete}, {2, play_create},   {5, play_reference}, {8, play_save},
    {5, play_label},   {2, play_update}, {2, play_settings}, {3, play_repeat},    {3, play_search},
    {5, play_merge},   {3, play_intent}, {6, play_within},
};

static void play_one(struct play *run)
{
    int total = 0, chosen;
    size_t i = 0;
    struct model_session *session, *touched;

    for (size_t k = 0; k < sizeof(plays) / sizeof(plays[0]); k++)
        total += plays[k].weight;
    chosen = chance_below(&run->chance, total);
    while (chosen >= plays[i].weight)
        chosen -= plays[i++].weight;
    /* the clock goes on, stands still, or goes back */
    run->rig.now_us += chance_of(&run->chance, 5)    ? -chance_below(&run->chance, 20000)
                       : chance_of(&run->chance, 10) ? 0
                                                     : chance_below(&run->chance, 3000);
    session = random_session(run, true);
    if (!session)
        session = create(run, "Alpha", false);
    touched = plays[i].play(run, session);
    if (touched && touched->alive)
        compare_session(run, touched);
    arena_clear(&run->arena);
}

/* Everything goes, in any order, and what is left is right after each. */
static void play_end(struct play *run)
{
    struct gc_spec gc = {.now_us = (int64_t)time(NULL) * 1000000 +
                                   86400000000}; /* objects have the time of the real clock */
    struct model_session *session;
    struct store_counts left;
    struct gc_result result;
    struct fault fault;

    while ((session = random_session(run, false)) != NULL) {
        doing(run, "at the end, delete session %d", session->number);
        delete_session(run, session);
        compare_all(run);
    }
    compare_verify(run);
    doing(run, "at the end, gc");
    run_expect(run, NULL, "gc", store_gc(run->rig.store, &gc, NULL, NULL, &result, &fault),
               FAULT_OK, &fault);
    run_expect(run, NULL, "counts", store_count(run->rig.store, &left, &fault), FAULT_OK, &fault);
    if (left.sessions || left.deleted || left.subsessions || left.entries || left.lines ||
        left.moves || left.states || left.turns || left.records || left.notes || left.pins ||
        left.labels || left.objects || left.reaps)
        run_differ(run, NULL,
                   "left over: sessions %" PRId64 ", deleted %" PRId64 ", sub-sessions %" PRId64
                   ", entries %" PRId64 ", lines %" PRId64 ", moves %" PRId64 ", states %" PRId64
                   ", turns %" PRId64 ", records %" PRId64 ", notes %" PRId64 ", pins %" PRId64
                   ", labels %" PRId64 ", objects %" PRId64 ", reaps %" PRId64,
                   left.sessions, left.deleted, left.subsessions, left.entries, left.lines,
                   left.moves, left.states, left.turns, left.records, left.notes, left.pins,
                   left.labels, left.objects, left.reaps);
    compare_verify(run);
}

void game_play(const struct rig_kind *kind, uint64_t seed, int operations)
{
    struct play run = {.model = model_new(), .chance = {seed}, .seed = seed};

    rig_open(&run.rig, kind, ~seed);
    grove_plant(&run.grove, run.rig.store);
    arena_init(&run.arena);
    for (run.step = 0; run.step < operations; run.step++) {
        play_one(&run);
        if (run.step % COMPARE_ALL_STEPS == COMPARE_ALL_STEPS - 1)
            compare_all(&run);
        if (run.step % VERIFY_STEPS == VERIFY_STEPS - 1)
            compare_verify(&run);
        if (kind->lasts && run.step % REOPEN_STEPS == REOPEN_STEPS - 1)
            rig_reopen(&run.rig);
    }
    compare_all(&run);
    compare_verify(&run);
    play_end(&run);
    arena_clear(&run.arena);
    rig_close(&run.rig);
    model_free(run.model);
}

uint64_t game_seed(void)
{
    const char *wish = getenv("TINE_SEED");

    return wish && *wish ? strtoull(wish, NULL, 10)
                         : (uint64_t)time(NULL) * 1000 + (uint64_t)getpid() % 1000;
}

int game_operations(int operations)
{
    const char *wish = getenv("TINE_OPS");

    return wish && *wish ? (int)strtol(wish, NULL, 10) : operations;
}
