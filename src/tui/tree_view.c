#include "tui/tree_view.h"

#include "base/array.h"
#include "json/json_in.h"
#include "tui/owned.h"
#include "tui/pager.h"
#include "tui/tree_own.h"

#include <stdlib.h>

enum { READ_MS = 500 /* the family is read at most so often */, EVENT_DEPTH = 100 };

void tree_set(char **at, const char *text)
{
    owned_set(at, text);
}

const char *tree_here(const struct tree_view *tree)
{
    const char *here = tui_session(tree->view.tui);

    return here ? here : tree->session;
}

const struct tree_row *tree_marked(const struct tree_view *tree)
{
    return tree->list.marked < tree->rows.count ? &tree->rows.rows[tree->list.marked] : NULL;
}

const struct tine_session *tree_session(const struct tree_view *tree, const struct tree_row *row)
{
    return row ? tree->tree.members[row->member].session : NULL;
}

const struct tine_session *tree_view_find(const struct tree_view *tree, const char *id)
{
    for (size_t i = 0; i < tree->tree.count; i++)
        if (strcmp(tree->tree.members[i].session->id, id) == 0)
            return tree->tree.members[i].session;
    return NULL;
}

const char *tree_first(const struct tree_row *row)
{
    return row->rewound ? row->rewound->first->id : NULL;
}

int tree_mark_of(const struct tree_view *tree, const struct tree_row *row)
{
    const char *session = tree_session(tree, row)->id, *first = tree_first(row);

    for (size_t i = 0; i < tree->mark_count; i++) {
        const struct tree_place *mark = &tree->marks[i];

        if (strcmp(mark->session, session) == 0 && !mark->first == !first &&
            (!first || strcmp(mark->first, first) == 0))
            return (int)i + 1;
    }
    return 0;
}

/* ---- folding ---- */

static size_t folded_at(const struct tree_view *tree, const char *session)
{
    size_t i = 0;

    while (i < tree->folded_count && strcmp(tree->folded[i], session) != 0)
        i++;
    return i;
}

static bool is_folded(void *context, const char *session)
{
    const struct tree_view *tree = context;

    return folded_at(tree, session) < tree->folded_count;
}

static void set_folded(struct tree_view *tree, const char *session, bool folded)
{
    size_t at = folded_at(tree, session);

    if (folded && at == tree->folded_count) {
        tree->folded =
            array_more(tree->folded, tree->folded_count, &tree->folded_room, sizeof(*tree->folded));
        tree->folded[tree->folded_count] = NULL;
        owned_set(&tree->folded[tree->folded_count++], session);
    } else if (!folded && at < tree->folded_count) {
        free(tree->folded[at]);
        tree->folded[at] = tree->folded[--tree->folded_count];
    }
}

/* ---- rows ---- */

/* Makes the rows anew; the mark stays on the session where it was, or is put on `session`. */
static void rows_make(struct tree_view *tree, const char *session)
{
    struct tree_rows_options options = {.rewound = tree->rewound,
                                        .filter = field_text(&tree->filter),
                                        .folded = is_folded,
                                        .context = tree};
    const struct tree_row *marked = session ? NULL : tree_marked(tree);
    struct arena old = tree->made;
    size_t at = tree->list.marked;

    arena_init(&tree->made);
    if (marked)
        session = tree_session(tree, marked)->id;
    tree_rows_make(&tree->tree, &options, &tree->made, &tree->rows);
    if (session)
        at = tree_rows_find(&tree->tree, &tree->rows, session, marked ? tree_first(marked) : NULL,
                            at);
    rows_count(&tree->list, tree->rows.count);
    rows_mark(&tree->list, at);
    arena_clear(&old);
}

/* The first one that is looked for is marked when the one that was is not among them. */
static void filter_changed(struct tree_view *tree)
{
    const struct tree_row *row;

    rows_make(tree, NULL);
    row = tree_marked(tree);
    if (row && !row->matches && tree->rows.matches)
        rows_mark(&tree->list, tree_rows_next(&tree->rows, tree->list.marked, 1));
}

/* ---- reading the family ---- */

struct reading_errand {
    struct errand errand;
    struct tree_view *tree;
    const char *session;
};

static bool read_run(struct errand *errand, struct tine *tine)
{
    struct reading_errand *self = (struct reading_errand *)errand;

    return tine_tree(tine, self->session, true, &errand->result, &errand->error);
}

/* The rows point into the old family until they are made of the new one. */
static void family_take(struct tree_view *tree, struct tine_result *read)
{
    const struct tree_row *marked = tree_marked(tree);
    bool begins = !tree->read;
    struct tree_place place = {0};

    owned_set(&place.session, begins ? tree_here(tree) : NULL);
    if (marked) {
        owned_set(&place.session, tree_session(tree, marked)->id);
        owned_set(&place.first, tree_first(marked));
    }
    tine_result_free(tree->read);
    tree->read = read;
    tree->rows = (struct tree_rows){0};
    arena_clear(&tree->family);
    tree_order(read->sessions, read->session_count, tree_here(tree), &tree->family, &tree->tree);
    rows_make(tree, place.session);
    if (place.first)
        rows_mark(&tree->list, tree_rows_find(&tree->tree, &tree->rows, place.session, place.first,
                                              tree->list.marked));
    free(place.session);
    free(place.first);
}

/* Whose family is read when the session itself is gone: the chat's, else any other one of it. */
static const char *another_of(const struct tree_view *tree)
{
    const char *here = tree_here(tree);

    if (strcmp(here, tree->session) != 0 && tree_view_find(tree, here))
        return here;
    for (size_t i = 0; i < tree->tree.count; i++)
        if (strcmp(tree->tree.members[i].session->id, tree->session) != 0)
            return tree->tree.members[i].session->id;
    return NULL;
}

static void read_failed(struct tree_view *tree, const struct tine_error *error)
{
    const char *other = strcmp(error->code, "session_not_found") == 0 ? another_of(tree) : NULL;

    if (other) {
        owned_set(&tree->session, other);
        tree->stale = true;
    } else if (tree->read) {
        tui_fail(tree->view.tui, "cannot read the tree", error);
    } else {
        owned_set(&tree->failed, error->detail);
    }
}

static void read_done(struct errand *errand)
{
    struct tree_view *tree = ((struct reading_errand *)errand)->tree;

    owned_set(&tree->failed, NULL);
    if (errand->ok) {
        family_take(tree, errand->result);
        errand->result = NULL;
    } else {
        read_failed(tree, &errand->error);
    }
    tui_dirty(tree->view.tui);
}

static void read_send(struct tree_view *tree)
{
    struct reading_errand *self = errand_new(sizeof(*self), read_run, read_done, tree);

    self->tree = tree;
    self->session = arena_dup(&self->errand.arena, str_of(tree->session)).p;
    tree->stale = false;
    tree->read_ms = tui_now_ms();
    errands_send(tui_errands(tree->view.tui), LANE_LOOK, &self->errand);
}

/* When it is time: else the view is drawn again when it is. */
static void read_when_due(struct tree_view *tree)
{
    int64_t due = tree->read_ms + READ_MS;

    if (!tree->stale)
        return;
    if (errands_busy(tui_errands(tree->view.tui), tree))
        due = tui_now_ms() + READ_MS;
    if (due <= tui_now_ms())
        read_send(tree);
    else
        tui_due(tree->view.tui, due);
}

static bool member(const struct json_value *object, const char *name, enum json_kind type,
                   struct json_value *out)
{
    struct json_walk walk;

    json_walk_begin(&walk, object);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, str_of(name)) && walk.value.type == type) {
            *out = walk.value;
            return true;
        }
    return false;
}

/* Is the session that was forked one of the family? */
static bool is_fork_of_it(const struct tree_view *tree, const struct tine_event *event)
{
    struct json_value data, from, session;
    struct fault fault;
    struct arena arena;
    bool is = false;

    arena_init(&arena);
    if (json_read((struct str){event->data, event->data_bytes}, EVENT_DEPTH, "an event", &data,
                  &fault) == FAULT_OK &&
        data.type == JSON_OBJECT && member(&data, "from", JSON_OBJECT, &from) &&
        member(&from, "session", JSON_STRING, &session))
        is = tree_view_find(tree, arena_dup(&arena, json_text(&session, &arena)).p) != NULL;
    arena_clear(&arena);
    return is;
}

/* Does it change what is shown here? */
static bool concerns(const struct tree_view *tree, const struct tine_event *event)
{
    static const char of_sessions[] = "session.";

    if (strcmp(event->type, "reset") == 0)
        return true;
    if (strcmp(event->type, "session.forked") == 0)
        return is_fork_of_it(tree, event);
    return event->session && tree_view_find(tree, event->session) &&
           (strcmp(event->type, "turn.ended") == 0 ||
            strncmp(event->type, of_sessions, sizeof(of_sessions) - 1) == 0);
}

static void happened(struct view *view, const struct happening *happening)
{
    struct tree_view *tree = (struct tree_view *)view;

    if (happening->kind == HAPPENED_LOST ||
        (happening->kind == HAPPENED_EVENT && !concerns(tree, happening->event)))
        return;
    tree->stale = true;
    read_when_due(tree);
}

/* ---- keys ---- */

static void fold(struct tree_view *tree, bool folds)
{
    const struct tree_row *row = tree_marked(tree);

    if (!row)
        return;
    set_folded(tree, tree_session(tree, row)->id, folds);
    rows_make(tree, row->rewound ? tree_session(tree, row)->id : NULL);
}

/* Left folds; where there is nothing to fold it goes to what the row stands below. */
static void press_left(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    const struct tree_member *member;

    if (!row)
        return;
    member = &tree->tree.members[row->member];
    if (row->parted && !row->hidden && !row->rewound && !field_text(&tree->filter).n)
        fold(tree, true);
    else
        rows_mark(&tree->list,
                  tree_rows_find(&tree->tree, &tree->rows,
                                 row->rewound ? member->session->id
                                              : tree->tree.members[member->parent].session->id,
                                 NULL, tree->list.marked));
}

static void press_right(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);

    if (row && is_folded(tree, tree_session(tree, row)->id))
        fold(tree, false);
    else if (row && row->parted)
        rows_mark(&tree->list, tree->list.marked + 1);
}

static void mark_free(struct tree_place *place)
{
    free(place->session);
    free(place->first);
    *place = (struct tree_place){0};
}

/* Space: marks the row, or takes its mark away; a third one takes the place of the oldest. */
static void toggle_mark(struct tree_view *tree)
{
    const struct tree_row *row = tree_marked(tree);
    int mark = row ? tree_mark_of(tree, row) : 0;
    struct tree_place *last;

    if (!row)
        return;
    if (mark == 1 || (!mark && tree->mark_count == TREE_MARKS)) {
        mark_free(&tree->marks[0]);
        tree->marks[0] = tree->marks[1];
        tree->marks[1] = (struct tree_place){0};
        tree->mark_count--;
    } else if (mark) {
        mark_free(&tree->marks[1]);
        tree->mark_count--;
    }
    if (mark)
        return;
    last = &tree->marks[tree->mark_count++];
    owned_set(&last->session, tree_session(tree, row)->id);
    owned_set(&last->first, tree_first(row));
}

static const char help[] =
    "# Keys of the tree\n\n"
    "| key | what it does |\n|---|---|\n"
    "| Up, Down, j, PageUp, PageDown, Home, End | move the mark |\n"
    "| Left, Right, -, + | fold and unfold what is below a session |\n"
    "| Enter | open the session |\n"
    "| f | fork it: at its end, or where a rewound stretch ended |\n"
    "| r | rewind it to where it parted, or back to a rewound stretch |\n"
    "| R | rewind its source to where it parted |\n"
    "| u, U | undo the newest rewind, adopt or merge of it; redo it |\n"
    "| m | merge its files into the session of the chat |\n"
    "| k | keep the winner: the session of the chat adopts it |\n"
    "| Space | mark up to two rows |\n"
    "| d | compare the two, or the one with the session of the chat |\n"
    "| w | show what was rewound away, or hide it |\n"
    "| l, t | label the newest message; change the title |\n"
    "| / n N | narrow the tree to a text; the next match, the one before |\n"
    "| x | delete the session |\n"
    "| q, Esc, Ctrl-T | close |\n\n"
    "A full circle is on the path to the session of the chat. The columns are what each session "
    "has of its own since it parted: messages, tokens, cost, files that changed; and how long ago "
    "it was touched.\n";

static void press_field(struct tree_view *tree, const struct press *press)
{
    if (press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c')) {
        tree->typing = false;
        field_set(&tree->filter, STR(""));
        rows_make(tree, NULL);
    } else if (press->kind == PRESS_ENTER) {
        tree->typing = false;
    } else if (!rows_press(&tree->list, press) &&
               field_press(&tree->filter, press) == FIELD_CHANGED) {
        filter_changed(tree);
    }
}

static void leave(struct tree_view *tree)
{
    if (field_text(&tree->filter).n == 0) {
        tui_close(tree->view.tui, &tree->view);
        return;
    }
    field_set(&tree->filter, STR(""));
    rows_make(tree, NULL);
}

/* What a letter does. */
static bool press_act(struct tree_view *tree, uint32_t c)
{
    static const struct {
        uint32_t c;
        void (*act)(struct tree_view *tree);
    } acts[] = {
        {'R', tree_rewind_source}, {'u', tree_undo},   {'U', tree_redo},    {'f', tree_fork},
        {'r', tree_rewind},        {'m', tree_merge},  {'k', tree_adopt},   {'l', tree_label},
        {'t', tree_title},         {'x', tree_delete}, {'d', tree_compare}, {' ', toggle_mark},
    };

    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        if (acts[i].c == c) {
            acts[i].act(tree);
            return true;
        }
    return false;
}

static void press_char(struct tree_view *tree, uint32_t c)
{
    if (press_act(tree, c))
        return;
    if (c == 'q')
        tui_close(tree->view.tui, &tree->view);
    else if (c == 'j')
        rows_press(&tree->list, &(struct press){.kind = PRESS_DOWN});
    else if (c == '-')
        fold(tree, true);
    else if (c == '+' || c == '=')
        fold(tree, false);
    else if (c == '/')
        tree->typing = true;
    else if ((c == 'n' || c == 'N') && tree->rows.count)
        rows_mark(&tree->list, tree_rows_next(&tree->rows, tree->list.marked, c == 'n' ? 1 : -1));
    else if (c == '?')
        tui_push(tree->view.tui,
                 pager_text(tree->view.tui, "Keys of the tree", str_of(help), true));
    else if (c == 'w') {
        tree->rewound = !tree->rewound;
        rows_make(tree, NULL);
    }
}

static void draw(struct view *view, struct pane pane)
{
    struct tree_view *tree = (struct tree_view *)view;

    read_when_due(tree);
    tree_draw_all(tree, pane);
}

static void press(struct view *view, const struct press *press)
{
    struct tree_view *tree = (struct tree_view *)view;

    tui_dirty(view->tui);
    if (tree->typing)
        press_field(tree, press);
    else if (press->kind == PRESS_ESCAPE)
        leave(tree);
    else if (press_is_ctrl(press, 't') || press_is_ctrl(press, 'c'))
        tui_close(view->tui, view);
    else if (press->kind == PRESS_ENTER)
        tree_view_open(tree);
    else if (press->kind == PRESS_LEFT)
        press_left(tree);
    else if (press->kind == PRESS_RIGHT)
        press_right(tree);
    else if (press->kind == PRESS_CHAR && !press->ctrl && !press->alt)
        press_char(tree, press->c);
    else
        rows_press(&tree->list, press);
}

static void tree_free(struct view *view)
{
    struct tree_view *tree = (struct tree_view *)view;

    errands_forget(tui_errands(view->tui), tree);
    tine_result_free(tree->read);
    arena_clear(&tree->family);
    arena_clear(&tree->made);
    field_clear(&tree->filter);
    for (size_t i = 0; i < tree->folded_count; i++)
        free(tree->folded[i]);
    free(tree->folded);
    for (size_t i = 0; i < TREE_MARKS; i++)
        mark_free(&tree->marks[i]);
    free(tree->session);
    free(tree->failed);
    free(tree);
}

struct view *tree_view_new(struct tui *tui, const char *session)
{
    static const struct view_ops ops = {draw, press, happened, tree_free};
    struct tree_view *tree = calloc(1, sizeof(*tree));

    if (!tree)
        abort();
    tree->view = (struct view){.ops = &ops, .tui = tui};
    arena_init(&tree->family);
    arena_init(&tree->made);
    field_init(&tree->filter);
    owned_set(&tree->session, session);
    read_send(tree);
    return &tree->view;
}
