#include "compare.h"

#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void run_differ(struct play *run, const struct model_session *session, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    print_error("%s: seed %" PRIu64 ", step %d\n  doing: %s\n  session %d \"%s\": %s\n",
                run->rig.kind->name, run->seed, run->step, run->doing,
                session ? session->number : -1, session ? session->id : "", text);
    fail();
    abort(); /* not reached */
}

void run_expect(struct play *run, const struct model_session *session, const char *what,
                enum fault_code got, enum fault_code want, const struct fault *fault)
{
    if (got != want)
        run_differ(run, session, "%s gave %s (%s), the model says %s", what, fault_name(got),
                   got == FAULT_OK ? "-" : fault->message, fault_name(want));
}

void compare_text(struct play *run, const struct model_session *session, const char *what,
                  struct str got, const char *want)
{
    if (!str_eq(got, str_of(want)))
        run_differ(run, session, "%s is \"%.*s\", the model says \"%s\"", what, STR_ARG(got), want);
}

void compare_number(struct play *run, const struct model_session *session, const char *what,
                    int64_t got, int64_t want)
{
    if (got != want)
        run_differ(run, session, "%s is %" PRId64 ", the model says %" PRId64, what, got, want);
}

void compare_address(struct play *run, const struct model_session *session, const char *what,
                     struct address got, struct address want)
{
    if (!address_eq(got, want))
        run_differ(run, session,
                   "%s is (%" PRId64 ",%" PRId64 "), the model says (%" PRId64 ",%" PRId64 ")",
                   what, got.s, got.n, want.s, want.n);
}

void compare_tree(struct play *run, const struct model_session *session, const char *what,
                  const unsigned char got[HASH_BYTES], int want)
{
    int tree = grove_which(&run->grove, got);

    if (tree != (want == MODEL_TREELESS ? 0 : want))
        run_differ(run, session, "%s is tree %d, the model says %d", what, tree, want);
}

static void compare_usage(struct play *run, const struct model_session *session, const char *what,
                          struct usage got, struct usage want)
{
    if (got.input != want.input || got.output != want.output || got.cost != want.cost)
        run_differ(run, session,
                   "usage %s is %" PRId64 "/%" PRId64 "/%" PRId64 ", the model says %" PRId64
                   "/%" PRId64 "/%" PRId64,
                   what, got.input, got.output, got.cost, want.input, want.output, want.cost);
}

static void compare_state(struct play *run, const struct model_session *session, const char *what,
                          const struct state *got, const int *want)
{
    size_t k = 0;

    for (int key = 0; key < MODEL_KEYS; key++) {
        char value[16];

        if (want[key] == MODEL_ABSENT)
            continue;
        snprintf(value, sizeof(value), "%d", want[key]);
        if (k == got->count || !str_eq(got->items[k].key, str_of(model_key(key))) ||
            !str_eq(got->items[k].value, str_of(value)))
            run_differ(run, session, "%s: key %s should be %s; item %zu of %zu is %.*s = %.*s",
                       what, model_key(key), value, k, got->count,
                       STR_ARG(k < got->count ? got->items[k].key : STR_NONE),
                       STR_ARG(k < got->count ? got->items[k].value : STR_NONE));
        k++;
    }
    if (k < got->count)
        run_differ(run, session, "%s has %zu keys, the model has %zu; one too many is %.*s", what,
                   got->count, k, STR_ARG(got->items[k].key));
}

void compare_entry(struct play *run, const struct model_session *session, const char *what,
                   const struct entry *got, int number)
{
    const struct model_act *want = run->model->acts[number];
    const struct model_session *writer = run->model->sessions[want->writer];
    unsigned flags = (want->in_turn ? (unsigned)ENTRY_IN_TURN : 0U) |
                     (want->interrupted ? (unsigned)ENTRY_INTERRUPTED : 0U) |
                     (want->adopted ? (unsigned)ENTRY_ADOPTED : 0U) |
                     (want->foreign ? (unsigned)ENTRY_FOREIGN : 0U) |
                     (want->left_out ? (unsigned)ENTRY_LEFT_OUT : 0U) |
                     (want->merged ? (unsigned)ENTRY_MERGED : 0U);
    struct address ref = model_act_address(run->model, want->ref);

    if (!str_eq(got->id, str_of(want->id)))
        run_differ(run, session, "%s: the id is \"%.*s\", the model says \"%s\"", what,
                   STR_ARG(got->id), want->id);
    if (!address_eq(got->at, model_act_address(run->model, number)) || got->kind != want->kind ||
        got->role != want->role || got->flags != flags || got->index != want->index ||
        got->visible != model_visible(run->model, number) || got->at_us != want->at_us ||
        got->has_usage != want->has_usage || got->erased != want->erased)
        run_differ(run, session,
                   "%s \"%s\": at (%" PRId64 ",%" PRId64 ") kind %d role %d flags %u index %" PRId64
                   " time %" PRId64 " usage %d erased %d, the model says at (%" PRId64
                   ",%d) kind %d"
                   " role %d flags %u index %d time %" PRId64 " usage %d erased %d",
                   what, want->id, got->at.s, got->at.n, (int)got->kind, (int)got->role, got->flags,
                   got->index, got->at_us, got->has_usage, got->erased, writer->s, want->n,
                   (int)want->kind, (int)want->role, flags, want->index, want->at_us,
                   want->has_usage, want->erased);
    compare_usage(run, session, what, got->usage, want->usage);
    compare_number(run, session, "the entry has files", got->has_tree,
                   want->tree != MODEL_TREELESS);
    compare_number(run, session, "the entry brought files", got->own_tree,
                   want->brings != MODEL_TREELESS);
    if (got->has_tree)
        compare_tree(run, session, "the files of the entry", got->tree, want->tree);
    compare_text(run, session, "the entry's turn", got->turn, want->in_turn ? want->turn : "");
    compare_text(run, session, "the entry's body", got->body, want->erased ? "" : want->body);
    compare_text(run, session, "the session that wrote the entry", got->session, writer->id);
    if (want->kind == ENTRY_MOVE) {
        compare_number(run, session, "the kind of move", got->move, want->move);
        compare_number(run, session, "the scope of the move", got->scope, want->scope);
    } else {
        compare_address(run, session, "the place that the entry names", got->ref, ref);
    }
}

void compare_point(struct play *run, const struct model_session *session, const char *what,
                   const struct point *got, const struct model_point *want)
{
    const struct model_list *path = &session->places[want->place].path;

    compare_address(run, session, what, got->at, model_address(run->model, session, want->place));
    compare_address(run, session, "the anchor of the point", got->anchor,
                    model_act_address(run->model, want->anchor));
    compare_text(run, session, "the message of the point", got->message,
                 want->anchor < 0 ? "" : run->model->acts[want->anchor]->id);
    compare_number(run, session, "the side of the point",
                   want->anchor < 0 ? (int)want->side : (int)got->side, want->side);
    compare_number(run, session, "the index of the point", got->index,
                   model_visible_count(run->model, path));
    compare_number(run, session, "snapped", got->snapped, want->snapped);
}

/* ---- lists of entries ---- */

static void compare_list(struct play *run, const struct model_session *session, const char *what,
                         const struct gathered *got, const struct model_list *want)
{
    for (size_t i = 0; i < got->count && i < (size_t)want->count; i++)
        compare_entry(run, session, what, &got->entries[i], want->items[i]);
    compare_number(run, session, what, (int64_t)got->count, want->count);
}

/* The visible ones of a path, or all. */
static struct model_list shown(const struct play *run, const struct model_list *path, bool all)
{
    struct model_list list = {0};

    for (int i = 0; i < path->count; i++)
        if (all || model_visible(run->model, path->items[i]))
            model_list_add(&list, path->items[i]);
    return list;
}

/* [from, from + limit) of a list, as another list that borrows. */
static struct model_list window(const struct model_list *list, int from, int limit)
{
    int end = limit && from + limit < list->count ? from + limit : list->count;

    if (from >= end)
        return (struct model_list){0};
    return (struct model_list){list->items + from, end - from, 0};
}

static struct history_spec history_of(const struct play *run, const struct model_session *session)
{
    return (struct history_spec){.owner = run->rig.owner,
                                 .session = str_of(session->id),
                                 .at = {.by = POINT_END, .guard = GUARD_NONE}};
}

static struct gathered read_history(struct play *run, const struct model_session *session,
                                    const char *what, const struct history_spec *spec,
                                    struct history_info *info)
{
    struct gathered got = {.arena = &run->arena};
    struct fault fault;

    run_expect(run, session, what,
               store_history(run->rig.store, spec, gather_entry, &got, info, &fault), FAULT_OK,
               &fault);
    return got;
}

static void compare_info(struct play *run, const struct model_session *session,
                         const struct history_info *got, const struct model_list *path, int place,
                         bool more)
{
    compare_number(run, session, "total of the history", got->total,
                   model_visible_count(run->model, path));
    compare_number(run, session, "more of the history", got->more, more);
    compare_address(run, session, "head of the history", got->head,
                    model_address(run->model, session, place));
}

/* Page after page by the cursor that each page gives. */
static void compare_pages(struct play *run, const struct model_session *session,
                          const struct model_list *want, bool all)
{
    struct history_spec spec = history_of(run, session);
    int limit = 1 + chance_below(&run->chance, 40), from = 0;
    struct history_info info = {0};

    spec.all = all;
    spec.limit = limit;
    do {
        struct gathered got = read_history(run, session, "a page of the history", &spec, &info);
        struct model_list page = window(want, from, limit);

        compare_list(run, session, "a page of the history", &got, &page);
        from += page.count;
        compare_number(run, session, "more after the page", info.more, from < want->count);
        if (page.count)
            compare_address(run, session, "the last of the page", info.last,
                            model_act_address(run->model, page.items[page.count - 1]));
        spec.at =
            (struct point_spec){.by = POINT_ADDRESS, .address = info.head, .guard = GUARD_NONE};
        spec.after = info.last;
    } while (info.more);
}

static void compare_history(struct play *run, const struct model_session *session)
{
    const struct model_list *path = &model_head(session)->path;
    struct model_list all = shown(run, path, true), visible = shown(run, path, false), part;
    struct history_spec spec = history_of(run, session);
    struct history_info info;
    struct gathered got;
    int from, limit;

    spec.all = true;
    got = read_history(run, session, "the whole history", &spec, &info);
    compare_list(run, session, "the whole history", &got, &all);
    compare_info(run, session, &info, path, session->raw.count, false);

    from = chance_below(&run->chance, visible.count + 2);
    limit = chance_below(&run->chance, 10);
    spec.all = false;
    spec.from = from;
    spec.limit = limit;
    got = read_history(run, session, "a window of the history", &spec, &info);
    part = window(&visible, from, limit);
    compare_list(run, session, "a window of the history", &got, &part);
    compare_info(run, session, &info, path, session->raw.count,
                 from + part.count < visible.count && part.count > 0);

    limit = 1 + chance_below(&run->chance, 10);
    spec = history_of(run, session);
    spec.tail = true;
    spec.limit = limit;
    got = read_history(run, session, "the tail of the history", &spec, NULL);
    part = window(&visible, visible.count > limit ? visible.count - limit : 0, 0);
    compare_list(run, session, "the tail of the history", &got, &part);

    if (chance_of(&run->chance, 25))
        compare_pages(run, session, &visible, false);
    else if (chance_of(&run->chance, 25))
        compare_pages(run, session, &all, true);
    model_list_clear(&all);
    model_list_clear(&visible);
}

static void compare_raw(struct play *run, const struct model_session *session)
{
    struct log_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    int from = 0;
    struct fault fault;

    spec.limit = chance_of(&run->chance, 70) ? 0 : 1 + chance_below(&run->chance, 60);
    do {
        struct gathered got = {.arena = &run->arena};
        struct model_list part = window(&session->raw, from, (int)spec.limit);

        run_expect(run, session, "the raw log",
                   store_raw_log(run->rig.store, &spec, gather_entry, &got, &fault), FAULT_OK,
                   &fault);
        compare_list(run, session, "the raw log", &got, &part);
        from += part.count;
        if (part.count)
            spec.after = model_act_address(run->model, part.items[part.count - 1]);
    } while (from < session->raw.count);
}

/* ---- the session itself ---- */

static void compare_parent(struct play *run, const struct model_session *session,
                           const struct session_parent *got)
{
    compare_number(run, session, "has a parent", got->known, session->parent >= 0);
    if (session->parent < 0)
        return;
    compare_text(run, session, "id of the parent", got->session, session->parent_id);
    compare_text(run, session, "title of the parent", got->title, session->parent_title);
    compare_text(run, session, "message of the fork", got->message, session->parent_message);
    if (session->parent_message[0])
        compare_number(run, session, "side of the fork", got->side, session->parent_side);
    compare_number(run, session, "the parent is deleted", got->deleted,
                   !run->model->sessions[session->parent]->alive);
}

static int children_of(const struct play *run, const struct model_session *session,
                       struct model_list *out)
{
    int count = 0;

    for (int i = 0; i < run->model->session_count; i++) {
        const struct model_session *other = run->model->sessions[i];

        if (!other->alive || other->parent != session->number)
            continue;
        count++;
        if (out)
            model_list_add(out, i);
    }
    return count;
}

/* The number of the newest move that the session made itself; 0: it made none. */
static int newest_move(const struct play *run, const struct model_session *session)
{
    for (int i = session->raw.count - 1; i >= session->inherited; i--)
        if (run->model->acts[session->raw.items[i]]->kind == ENTRY_MOVE)
            return run->model->acts[session->raw.items[i]]->n;
    return 0;
}

static void compare_self(struct play *run, const struct model_session *session,
                         const struct session *got)
{
    const struct model_list *path = &model_head(session)->path;
    struct model_usage usage = model_usage(run->model, session);
    int own = 0;

    for (int i = 0; i < path->count; i++)
        own += model_visible(run->model, path->items[i]) &&
               run->model->acts[path->items[i]]->writer == session->number;
    compare_number(run, session, "the session's number", got->s, session->s);
    compare_text(run, session, "the session's id", got->id, session->id);
    compare_text(run, session, "the title", got->title, session->title);
    compare_text(run, session, "the owner", got->owner, "tester");
    compare_text(run, session, "the head", got->head,
                 path->count ? run->model->acts[path->items[path->count - 1]]->id : "");
    compare_address(run, session, "the head's place", got->head_at,
                    model_address(run->model, session, session->raw.count));
    compare_number(run, session, "messages", got->messages, model_visible_count(run->model, path));
    compare_number(run, session, "own messages", got->own_messages, own);
    compare_number(run, session, "the fork's index", got->fork_index,
                   model_visible_count(run->model, &session->places[session->inherited].path));
    compare_usage(run, session, "own", got->own, usage.own);
    compare_usage(run, session, "inherited", got->inherited, usage.inherited);
    compare_usage(run, session, "spent", got->spent, usage.spent);
    compare_number(run, session, "children", got->children, children_of(run, session, NULL));
    compare_number(run, session, "archived", got->archived, session->archived);
    compare_number(run, session, "can be undone", got->can_undo, session->undo.count > 0);
    compare_number(run, session, "can be redone", got->can_redo, session->redo.count > 0);
    compare_number(run, session, "the newest move", got->moved_n, newest_move(run, session));
    compare_text(run, session, "the settings", got->settings, session->settings);
    compare_number(run, session, "kind of session", got->state,
                   session->sub ? SESSION_SUB : SESSION_LIVE);
    compare_number(run, session, "created at", got->created_us, session->created_us);
    compare_tree(run, session, "the files at the head", got->tree, model_head(session)->tree);
    compare_tree(run, session, "the files at the base", got->base_tree,
                 session->places[session->inherited].tree);
    compare_number(run, session, "where it works", got->workspace.mode,
                   session->bare ? WORKSPACE_NONE : WORKSPACE_OWN);
    compare_parent(run, session, &got->parent);
}

/* ---- points ---- */

static const char *const by_words[] = {"end",  "start", "message",   "label", "index",
                                       "user", "flat",  "flat user", "turn",  "address"};
static const char *const guard_words[] = {"refuse", "snap", "none"};

struct str point_words(struct play *run, const struct point_spec *spec)
{
    return arena_printf(
        &run->arena,
        "%s %s \"%.*s\" ordinal %" PRId64 " address (%" PRId64 ",%" PRId64 ") guard %s",
        spec->side == SIDE_BEFORE ? "before" : "after", by_words[spec->by], STR_ARG(spec->name),
        spec->ordinal, spec->address.s, spec->address.n, guard_words[spec->guard]);
}

static const char *random_label(struct play *run)
{
    static const char *const labels[] = {"start here", "good", "bad idea", "x", "\xc3\xa4"};

    return labels[chance_below(&run->chance, 5)];
}

static void random_name(struct play *run, const struct model_session *session,
                        struct point_spec *spec)
{
    const struct model *model = run->model;
    const struct model_act *act = NULL;

    if (session->raw.count && !chance_of(&run->chance, 12))
        act = model->acts[session->raw.items[chance_below(&run->chance, session->raw.count)]];
    else if (model->act_count)
        act = model->acts[chance_below(&run->chance, model->act_count)];
    switch (spec->by) {
    case POINT_MESSAGE:
        spec->name = str_of(act ? act->id : "nothing");
        break;
    case POINT_LABEL:
        spec->name = str_of(random_label(run));
        break;
    case POINT_TURN:
        spec->name = str_of(act && act->in_turn ? act->turn : "no-such-turn");
        break;
    case POINT_ADDRESS:
        if (act)
            spec->address = (struct address){model->sessions[act->writer]->s, act->n};
        break;
    default:
        break;
    }
}

struct point_spec random_point(struct play *run, const struct model_session *session)
{
    static const enum point_by kinds[] = {
        POINT_END,     POINT_START,     POINT_MESSAGE, POINT_MESSAGE, POINT_MESSAGE,
        POINT_MESSAGE, POINT_LABEL,     POINT_INDEX,   POINT_INDEX,   POINT_USER,
        POINT_FLAT,    POINT_FLAT_USER, POINT_TURN,    POINT_TURN,    POINT_ADDRESS,
    };
    int size = session->raw.count;
    struct point_spec spec = {
        .by = kinds[chance_below(&run->chance, (int)(sizeof(kinds) / sizeof(kinds[0])))],
        .side = chance_of(&run->chance, 50) ? SIDE_BEFORE : SIDE_AFTER,
        .guard = (enum point_guard)chance_below(&run->chance, 3),
    };

    if (spec.by >= POINT_INDEX && spec.by <= POINT_FLAT_USER) {
        /* mostly within the list, from either end, now and then outside */
        int count = model_visible_count(run->model, &model_head(session)->path);

        spec.ordinal = chance_of(&run->chance, 80) ? chance_below(&run->chance, count + 1)
                                                   : chance_below(&run->chance, size + 3);
        if (chance_of(&run->chance, 40))
            spec.ordinal = -1 - spec.ordinal;
    }
    random_name(run, session, &spec);
    return spec;
}

static void compare_one_point(struct play *run, const struct model_session *session,
                              const struct point_spec *spec)
{
    struct model_point want;
    struct point got;
    struct entry entry;
    struct fault fault;
    enum fault_code code = store_point(run->rig.store, run->rig.owner, str_of(session->id), spec,
                                       &run->arena, &got, &fault);
    enum fault_code wanted = model_point(run->model, session, spec, &want);
    const char *what = arena_printf(&run->arena, "point %s", point_words(run, spec).p).p;

    if (wanted != FAULT_OK && want.either != FAULT_OK && code == want.either)
        return;
    run_expect(run, session, what, code, wanted, &fault);
    if (code == FAULT_OK)
        compare_point(run, session, what, &got, &want);
    if (code != FAULT_OK || want.anchor < 0 || !chance_of(&run->chance, 30))
        return;
    run_expect(run, session, what,
               store_entry_get(run->rig.store, run->rig.owner, str_of(session->id), spec,
                               &run->arena, &entry, &fault),
               FAULT_OK, &fault);
    compare_entry(run, session, what, &entry, want.anchor);
}

/* How many messages the list of that kind of ordinal has. */
static int ordinals(const struct play *run, const struct model_session *session, enum point_by kind)
{
    bool user = kind == POINT_USER || kind == POINT_FLAT_USER;
    const struct model_list *path = &model_head(session)->path;
    struct model_list list = {0};
    int count = 0;

    if (kind == POINT_FLAT || kind == POINT_FLAT_USER)
        model_flatten(run->model, path, &list, NULL);
    else
        list = shown(run, path, false);
    for (int i = 0; i < list.count; i++)
        count += !user || run->model->acts[list.items[i]]->role == ROLE_USER;
    model_list_clear(&list);
    return count;
}

/* Every kind of ordinal, at an end of its list, just outside, or somewhere in it. */
static void compare_ordinals(struct play *run, const struct model_session *session)
{
    for (enum point_by kind = POINT_INDEX; kind <= POINT_FLAT_USER; kind++) {
        int count = ordinals(run, session, kind);
        const int64_t places[] = {0,
                                  -1,
                                  count - 1,
                                  count,
                                  -count,
                                  -count - 1,
                                  chance_below(&run->chance, count + 1),
                                  -1 - chance_below(&run->chance, count + 1)};
        struct point_spec spec = {
            .by = kind,
            .side = chance_of(&run->chance, 50) ? SIDE_BEFORE : SIDE_AFTER,
            .ordinal = places[chance_below(&run->chance, 8)],
            .guard = GUARD_NONE,
        };

        compare_one_point(run, session, &spec);
    }
}

/* The session as it was somewhere in its past: messages from an index on, and the state. */
static void compare_past(struct play *run, const struct model_session *session)
{
    struct history_spec spec = history_of(run, session);
    struct point_spec end = {.by = POINT_END, .guard = GUARD_NONE};
    struct model_list visible, part;
    struct model_point point;
    struct history_info info;
    struct gathered got;
    struct state state;
    struct address at;
    unsigned char tree[HASH_BYTES];
    struct fault fault;
    int from, limit;

    spec.at = random_point(run, session);
    spec.at.guard = GUARD_NONE;
    if (model_point(run->model, session, &spec.at, &point) != FAULT_OK) {
        spec.at = end;
        point.place = session->raw.count;
    }
    visible = shown(run, &session->places[point.place].path, false);
    from = chance_below(&run->chance, visible.count + 1);
    limit = 1 + chance_below(&run->chance, 3);
    spec.from = from;
    spec.limit = limit;
    got = read_history(run, session, "the history of a point", &spec, &info);
    part = window(&visible, from, limit);
    compare_list(run, session, "the history of a point", &got, &part);
    compare_info(run, session, &info, &session->places[point.place].path, point.place,
                 from + part.count < visible.count && part.count > 0);
    run_expect(run, session, "the state at a point",
               store_state_get(run->rig.store, run->rig.owner, str_of(session->id), &spec.at,
                               &run->arena, &state, &fault),
               FAULT_OK, &fault);
    compare_state(run, session, "the state at a point", &state, session->places[point.place].state);
    run_expect(run, session, "the files at a point",
               store_tree_at(run->rig.store, run->rig.owner, str_of(session->id), &spec.at, &at,
                             tree, &fault),
               FAULT_OK, &fault);
    compare_tree(run, session, "the files at a point", tree, session->places[point.place].tree);
    compare_address(run, session, "the place of the files", at,
                    model_address(run->model, session, point.place));
    model_list_clear(&visible);
}

/* An id from anywhere: the session has it exactly when the model's has. */
static void compare_member(struct play *run, const struct model_session *session)
{
    struct point_spec spec = {.by = POINT_MESSAGE, .side = SIDE_AFTER, .guard = GUARD_NONE};

    if (run->model->act_count == 0)
        return;
    spec.name = str_of(run->model->acts[chance_below(&run->chance, run->model->act_count)]->id);
    compare_one_point(run, session, &spec);
}

/* ---- what stands beside ---- */

static void compare_records(struct play *run, const struct model_session *session)
{
    struct gathered got = {.arena = &run->arena};
    int count, *places, *want = model_records(session, &places, &count);
    struct fault fault;

    run_expect(run, session, "the records",
               store_records(run->rig.store, run->rig.owner, str_of(session->id), gather_record,
                             &got, &fault),
               FAULT_OK, &fault);
    for (int i = 0; i < count && (size_t)i < got.count; i++) {
        const struct model_save *save = &session->saves[want[i]];

        compare_text(run, session, "the id of a record", got.records[i].id, save->id);
        compare_text(run, session, "the body of a record", got.records[i].body, save->body);
        compare_text(run, session, "the turn of a record", got.records[i].turn, save->turn);
        compare_number(run, session, "the kind of a record", got.records[i].kind, save->kind);
        compare_number(run, session, "the time of a record", got.records[i].at_us, save->at_us);
        compare_address(run, session, "the place of a record", got.records[i].at,
                        model_act_address(run->model, session->saves[places[i]].place));
    }
    compare_number(run, session, "records", (int64_t)got.count, count);
    free(want);
    free(places);
}

static void compare_labels(struct play *run, const struct model_session *session)
{
    struct gathered got = {.arena = &run->arena};
    struct model_seen *want;
    struct fault fault;
    int count;

    want = model_labels(run->model, session, &count);
    run_expect(run, session, "the labels",
               store_labels(run->rig.store, run->rig.owner, str_of(session->id), gather_label, &got,
                            &fault),
               FAULT_OK, &fault);
    compare_number(run, session, "labels", (int64_t)got.count, count);
    for (size_t i = 0; i < got.count; i++) {
        const struct label *label = &got.labels[i];
        int k = 0;

        while (k < count && !str_eq(label->text, str_of(want[k].text)))
            k++;
        if (k == count)
            run_differ(run, session, "label \"%.*s\" is not the model's", STR_ARG(label->text));
        compare_text(run, session, "the message of a label", label->message,
                     run->model->acts[want[k].act]->id);
        compare_address(run, session, "the place of a label", label->at,
                        model_act_address(run->model, want[k].act));
        compare_number(run, session, "the index of a label", label->index,
                       run->model->acts[want[k].act]->index);
        compare_number(run, session, "the label is inherited", label->inherited, want[k].inherited);
    }
    free(want);
}

static void compare_note(struct play *run, const struct model_session *session,
                         const struct note *got, const struct model_note *want)
{
    compare_number(run, session, "the kind of a note", got->act, want->act);
    compare_number(run, session, "the time of a note", got->at_us, want->at_us);
    compare_text(run, session, "the message of a note", got->message, want->message);
    compare_text(run, session, "what a note says was", got->was, want->was);
    compare_text(run, session, "what a note says is now", got->now, want->now);
}

static void compare_journal(struct play *run, const struct model_session *session)
{
    struct log_spec spec = {.owner = run->rig.owner, .session = str_of(session->id)};
    int act = session->inherited, note = 0;
    int64_t before = 0;
    struct fault fault;
    struct gathered got;

    spec.limit = chance_of(&run->chance, 70) ? 0 : 1 + chance_below(&run->chance, 60);
    do {
        got = (struct gathered){.arena = &run->arena};
        run_expect(run, session, "the journal",
                   store_journal(run->rig.store, &spec, gather_journal, &got, &fault), FAULT_OK,
                   &fault);
        for (size_t i = 0; i < got.count; i++) {
            const struct journal_item *item = &got.journal[i];
            bool is_note =
                note < session->note_count &&
                (act == session->raw.count ||
                 session->notes[note].order < run->model->acts[session->raw.items[act]]->order);

            if (item->e <= before || !item->entry == !item->note || is_note != !item->entry ||
                (!is_note && act == session->raw.count))
                run_differ(run, session,
                           "item %zu of the journal is number %" PRId64 " after %" PRId64
                           " and %s; the model has %d acts and %d notes before it",
                           i, item->e, before, item->entry ? "an act" : "a note",
                           act - session->inherited, note);
            before = item->e;
            if (is_note)
                compare_note(run, session, item->note, &session->notes[note++]);
            else
                compare_entry(run, session, "the journal", item->entry, session->raw.items[act++]);
        }
        spec.after_e = before;
    } while (spec.limit && got.count == (size_t)spec.limit);
    compare_number(run, session, "acts in the journal", act, session->raw.count);
    compare_number(run, session, "notes in the journal", note, session->note_count);
}

static void compare_rewound(struct play *run, const struct model_session *session)
{
    struct gathered got = {.arena = &run->arena};
    struct model_list want = {0};
    struct fault fault;

    model_rewound(run->model, session, &want);
    run_expect(run, session, "what was rewound",
               store_rewound(run->rig.store, run->rig.owner, str_of(session->id), gather_rewound,
                             &got, &fault),
               FAULT_OK, &fault);
    for (size_t i = 0; i < got.count && i < (size_t)want.count / 2; i++) {
        int first = want.items[2 * i], last = want.items[2 * i + 1], message = -1, messages = 0;

        for (int k = first; k <= last; k++)
            if (model_visible(run->model, session->raw.items[k])) {
                message = message < 0 ? session->raw.items[k] : message;
                messages++;
            }
        if (first > session->inherited &&
            got.rewound[i].first.n < run->model->acts[session->raw.items[first]]->n)
            first--; /* the move with which it began may be counted in */
        compare_address(run, session, "the first act of a rewound stretch", got.rewound[i].first,
                        model_act_address(run->model, session->raw.items[first]));
        compare_address(run, session, "the last act of a rewound stretch", got.rewound[i].last,
                        model_act_address(run->model, session->raw.items[last]));
        compare_number(run, session, "the index of a rewound stretch", got.rewound[i].index,
                       run->model->acts[message]->index);
        compare_number(run, session, "messages of a rewound stretch", got.rewound[i].messages,
                       messages);
        compare_entry(run, session, "the message of a rewound stretch", &got.rewound[i].message,
                      message);
    }
    compare_number(run, session, "rewound stretches", (int64_t)got.count, want.count / 2);
    model_list_clear(&want);
}

/* ---- files ---- */

struct changes {
    struct files_act acts[512];
    size_t count;
};

static enum fault_code gather_change(void *context, const struct files_act *act,
                                     struct fault *fault)
{
    struct changes *changes = context;

    (void)fault;
    assert_true(changes->count < sizeof(changes->acts) / sizeof(changes->acts[0]));
    changes->acts[changes->count++] = *act;
    return FAULT_OK;
}

/* Which acts changed the files, from the beginning or above one of them. */
static void compare_changes(struct play *run, const struct model_session *session)
{
    int from = session->inherited, own = session->raw.count - from;
    struct changes *got = arena_alloc(&run->arena, sizeof(*got));
    struct address after = {session->s, 0};
    struct fault fault;
    size_t count = 0;

    if (own && chance_of(&run->chance, 50)) {
        from += 1 + chance_below(&run->chance, own);
        after = model_address(run->model, session, from);
    }
    got->count = 0;
    run_expect(run, session, "the changes of files",
               store_files_acts(run->rig.store, run->rig.owner, str_of(session->id), after,
                                gather_change, got, &fault),
               FAULT_OK, &fault);
    for (int i = from; i < session->raw.count; i++) {
        if (!model_changed(session, i))
            continue;
        if (count == got->count)
            run_differ(run, session, "the change of files at act %d is missing", i);
        compare_address(run, session, "the act that changed files", got->acts[count].at,
                        model_address(run->model, session, i + 1));
        compare_tree(run, session, "the files before a change", got->acts[count].before,
                     session->places[i].tree);
        compare_tree(run, session, "the files after a change", got->acts[count].after,
                     session->places[i + 1].tree);
        compare_number(run, session, "the change is foreign", got->acts[count].foreign,
                       run->model->acts[session->raw.items[i]]->foreign);
        count++;
    }
    compare_number(run, session, "changes of files", (int64_t)got->count, (int64_t)count);
}

/* ---- relatives ---- */

static struct gathered read_relatives(struct play *run, const struct model_session *session,
                                      enum store_relation relation)
{
    struct gathered got = {.arena = &run->arena};
    struct fault fault;

    run_expect(run, session, "the relatives",
               store_relatives(run->rig.store, run->rig.owner, str_of(session->id), (int)relation,
                               gather_session, &got, &fault),
               FAULT_OK, &fault);
    return got;
}

static void compare_family(struct play *run, const struct model_session *session)
{
    struct gathered got = read_relatives(run, session, RELATION_FAMILY);
    size_t count = 0;

    for (int i = 0; i < run->model->session_count; i++) {
        const struct model_session *other = run->model->sessions[i];
        const struct model_session *parent =
            other->parent >= 0 ? run->model->sessions[other->parent] : NULL;
        size_t at = 0, parent_at = 0;

        if (!other->alive || other->family != session->family)
            continue;
        count++;
        while (at < got.count && got.sessions[at].s != other->s)
            at++;
        if (at == got.count)
            run_differ(run, session, "session \"%s\" is missing in the family", other->id);
        compare_text(run, session, "title of a relative", got.sessions[at].title, other->title);
        while (parent && parent->alive && got.sessions[parent_at].s != parent->s)
            parent_at++;
        if (parent && parent->alive && parent_at > at)
            run_differ(run, session, "session \"%s\" stands before its parent", other->id);
    }
    compare_number(run, session, "the family", (int64_t)got.count, (int64_t)count);
}

static void compare_children(struct play *run, const struct model_session *session)
{
    struct gathered got = read_relatives(run, session, RELATION_CHILDREN);
    struct model_list want = {0};

    children_of(run, session, &want);
    compare_number(run, session, "the list of children", (int64_t)got.count, want.count);
    for (int i = 0; i < want.count; i++)
        compare_number(run, session, "a child", got.sessions[i].s,
                       run->model->sessions[want.items[i]]->s);
    model_list_clear(&want);
}

/* Living parents are given in full; of a deleted one what its fork wrote down. */
static void compare_ancestors(struct play *run, const struct model_session *session)
{
    struct gathered got = read_relatives(run, session, RELATION_ANCESTORS);
    const struct model_session *child = session;
    size_t i = 0;

    while (child->parent >= 0) {
        const struct model_session *parent = run->model->sessions[child->parent];

        if (i == got.count)
            run_differ(run, session, "ancestor \"%s\" is missing", child->parent_id);
        compare_text(run, session, "id of an ancestor", got.sessions[i].id, child->parent_id);
        compare_text(run, session, "title of an ancestor", got.sessions[i].title,
                     parent->alive ? parent->title : child->parent_title);
        compare_number(run, session, "an ancestor is deleted",
                       got.sessions[i].state == SESSION_DELETED, !parent->alive);
        i++;
        if (!parent->left)
            break;
        child = parent;
    }
    compare_number(run, session, "ancestors", (int64_t)got.count, (int64_t)i);
}

void compare_session(struct play *run, const struct model_session *session)
{
    struct session got;
    struct fault fault;

    run_expect(run, session, "the session",
               store_session_get(run->rig.store, run->rig.owner, str_of(session->id), false,
                                 &run->arena, &got, &fault),
               FAULT_OK, &fault);
    compare_self(run, session, &got);
    compare_state(run, session, "the state at the head", &got.state_at_head,
                  model_head(session)->state);
    compare_history(run, session);
    compare_raw(run, session);
    compare_ordinals(run, session);
    for (int i = 0; i < 2; i++) {
        struct point_spec spec = random_point(run, session);

        compare_one_point(run, session, &spec);
    }
    compare_past(run, session);
    compare_member(run, session);
    compare_records(run, session);
    compare_labels(run, session);
    compare_journal(run, session);
    compare_rewound(run, session);
    compare_changes(run, session);
    if (chance_of(&run->chance, 20))
        compare_family(run, session); /* the dearest: a row for each session */
    compare_children(run, session);
    compare_ancestors(run, session);
}

static enum fault_code gather_number(void *context, const struct session *session,
                                     struct fault *fault)
{
    (void)fault;
    model_list_add(context, (int)session->s);
    return FAULT_OK;
}

void compare_all(struct play *run)
{
    struct list_spec spec = {.owner = run->rig.owner, .archived = -1};
    struct model_list listed = {0};
    int living = 0;
    struct fault fault;

    run_expect(run, NULL, "the list",
               store_session_list(run->rig.store, &spec, gather_number, &listed, &fault), FAULT_OK,
               &fault);
    for (int i = 0; i < run->model->session_count; i++) {
        const struct model_session *session = run->model->sessions[i];
        int k = 0;

        while (k < listed.count && listed.items[k] != session->s)
            k++;
        compare_number(run, session, "it is in the list", k < listed.count,
                       session->alive && !session->sub);
        living += session->alive && !session->sub;
        if (session->alive)
            compare_session(run, session);
        arena_clear(&run->arena);
    }
    compare_number(run, NULL, "sessions in the list", listed.count, living);
    model_list_clear(&listed);
}

void compare_counts(struct play *run)
{
    bool *marks = arena_array(&run->arena, (size_t)run->model->act_count + 1, sizeof(*marks));
    int retained = model_retain(run->model, marks), living = 0, subs = 0, stood_upon = 0, moves = 0,
        pins = 0;
    struct store_counts got;
    struct fault fault;

    for (int i = 0; i < run->model->session_count; i++) {
        const struct model_session *session = run->model->sessions[i];

        living += session->alive && !session->sub;
        subs += session->alive && session->sub;
        stood_upon += !session->alive && session->left;
    }
    for (int i = 0; i < run->model->act_count; i++) {
        moves += marks[i] && run->model->acts[i]->kind == ENTRY_MOVE;
        pins += marks[i] && run->model->acts[i]->kind == ENTRY_SUBSESSION;
    }
    run_expect(run, NULL, "counts", store_count(run->rig.store, &got, &fault), FAULT_OK, &fault);
    compare_number(run, NULL, "living sessions", got.sessions, living);
    compare_number(run, NULL, "sub-sessions", got.subsessions, subs);
    compare_number(run, NULL, "deleted sessions stood upon", got.deleted, stood_upon);
    compare_number(run, NULL, "acts", got.entries, retained);
    compare_number(run, NULL, "moves", got.moves, moves);
    compare_number(run, NULL, "pins", got.pins, pins);
    compare_number(run, NULL, "sessions left to be cleared away", got.reaps, 0);
}

static void tell_problem(void *context, const char *message)
{
    (void)context;
    print_error("verify: %s\n", message);
}

void compare_verify(struct play *run)
{
    struct verify_result got;
    struct fault fault;

    run_expect(run, NULL, "verify",
               store_verify(run->rig.store, tell_problem, NULL, run, &got, &fault), FAULT_OK,
               &fault);
    compare_number(run, NULL, "problems found by verify", got.problems, 0);
}
