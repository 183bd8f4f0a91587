#include "model.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* in the order of their bytes */
static const char *const key_names[MODEL_KEYS] = {"a",         "app:limit", "app:mode", "b",
                                                  "user:lang", "user:tz",   "userish",  "zeta"};

const char *model_key(int key)
{
    return key_names[key];
}

bool model_key_kept(int key)
{
    return strncmp(key_names[key], "app:", 4) == 0 || strncmp(key_names[key], "user:", 5) == 0;
}

/* Room for one more of `bytes` each; arrays grow by one, which is naive enough. */
static void *grown(void *items, int count, size_t bytes)
{
    items = realloc(items, ((size_t)count + 1) * bytes);
    if (!items)
        abort();
    return items;
}

static void copy_text(char *to, size_t room, const char *from)
{
    int n = snprintf(to, room, "%s", from);

    assert(n >= 0 && (size_t)n < room);
}

void model_list_add(struct model_list *list, int item)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 8;
        list->items = grown(list->items, list->room, sizeof(int));
    }
    list->items[list->count++] = item;
}

void model_list_clear(struct model_list *list)
{
    free(list->items);
    *list = (struct model_list){0};
}

struct model_list model_list_copy(const struct model_list *from, int count)
{
    struct model_list list = {0};

    for (int i = 0; i < count; i++)
        model_list_add(&list, from->items[i]);
    return list;
}

static int list_find(const struct model_list *list, int item)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i] == item)
            return i;
    return -1;
}

struct model *model_new(void)
{
    struct model *model = calloc(1, sizeof(*model));

    if (!model)
        abort();
    return model;
}

/* Nobody asks any more what a deleted session had; its forks have their copies. */
static void session_bury(struct model_session *session)
{
    for (int i = 0; session->places && i <= session->raw.count; i++)
        model_list_clear(&session->places[i].path);
    free(session->places);
    free(session->saves);
    session->places = NULL;
    session->saves = NULL;
    session->save_count = 0;
    model_list_clear(&session->raw);
    model_list_clear(&session->undo);
    model_list_clear(&session->redo);
}

static void session_free(struct model_session *session)
{
    session_bury(session);
    free(session->labels);
    free(session->notes);
    free(session);
}

void model_free(struct model *model)
{
    if (!model)
        return;
    for (int i = 0; i < model->session_count; i++)
        session_free(model->sessions[i]);
    for (int i = 0; i < model->act_count; i++) {
        model_list_clear(&model->acts[i]->flat);
        model_list_clear(&model->acts[i]->path);
        model_list_clear(&model->acts[i]->had);
        free(model->acts[i]);
    }
    model_list_clear(&model->references);
    free(model->sessions);
    free(model->acts);
    free(model);
}

/* ---- verbs ---- */

static struct model_session *session_add(struct model *model, const char *id, int64_t s,
                                         const char *title, int64_t at_us)
{
    struct model_session *session = calloc(1, sizeof(*session));

    if (!session)
        abort();
    session->number = model->session_count;
    session->alive = session->left = true;
    session->s = s;
    session->created_us = at_us;
    session->family = session->number;
    session->base = session->parent = -1;
    copy_text(session->id, sizeof(session->id), id);
    copy_text(session->title, sizeof(session->title), title);
    model->sessions = grown(model->sessions, model->session_count, sizeof(*model->sessions));
    model->sessions[model->session_count++] = session;
    return session;
}

static void note_add(struct model *model, struct model_session *session, enum note_act act,
                     const char *message, const char *was, const char *now, int64_t at_us)
{
    struct model_note *note;

    session->notes = grown(session->notes, session->note_count, sizeof(*note));
    note = &session->notes[session->note_count++];
    *note = (struct model_note){.act = act, .order = model->order++, .at_us = at_us};
    copy_text(note->message, sizeof(note->message), message);
    copy_text(note->was, sizeof(note->was), was);
    copy_text(note->now, sizeof(note->now), now);
}

struct model_session *model_create(struct model *model, const char *id, int64_t s,
                                   const char *title, bool sub, int64_t at_us)
{
    struct model_session *session = session_add(model, id, s, title, at_us);

    session->sub = sub;
    copy_text(session->settings, sizeof(session->settings), "{}");
    session->places = grown(NULL, 0, sizeof(*session->places));
    session->places[0] = (struct model_place){.tree = MODEL_TREELESS};
    for (int key = 0; key < MODEL_KEYS; key++)
        session->places[0].state[key] = MODEL_ABSENT;
    note_add(model, session, NOTE_CREATED, "", "", title, at_us);
    return session;
}

struct model_act model_blank(enum entry_kind kind, enum role role)
{
    struct model_act act = {
        .kind = kind, .role = role, .ref = -1, .brings = MODEL_TREELESS, .merged_from = -1};

    for (int key = 0; key < MODEL_KEYS; key++)
        act.delta[key] = MODEL_SAME;
    return act;
}

static int act_add(struct model *model, struct model_session *session,
                   const struct model_act *given, int64_t now_us)
{
    struct model_act *act = malloc(sizeof(*act));
    int64_t before_us =
        session->raw.count ? model->acts[session->raw.items[session->raw.count - 1]]->at_us : 0;

    if (!act)
        abort();
    *act = *given;
    act->writer = session->number;
    act->n = session->raw.count - session->inherited + 1;
    act->order = model->order++;
    act->at_us = now_us > before_us ? now_us : before_us + 1;
    model->acts = grown(model->acts, model->act_count, sizeof(*model->acts));
    model->acts[model->act_count] = act;
    if (act->kind == ENTRY_SUBSESSION)
        model_list_add(&model->references, model->act_count);
    model_list_add(&session->raw, model->act_count);
    return model->act_count++;
}

/* A new last place, a copy of one that does not stand in the array itself. */
static struct model_place *place_add(struct model_session *session, const struct model_place *like)
{
    struct model_place *place;

    session->places = grown(session->places, session->raw.count, sizeof(*session->places));
    place = &session->places[session->raw.count];
    place->path = model_list_copy(&like->path, like->path.count);
    memcpy(place->state, like->state, sizeof(place->state));
    place->tree = like->tree;
    return place;
}

int model_append(struct model *model, struct model_session *session, const struct model_act *given,
                 int64_t now_us)
{
    int number = act_add(model, session, given, now_us);
    struct model_act *act = model->acts[number];
    int before = session->raw.count - 1;
    struct model_place like = session->places[before];
    struct model_place *place = place_add(session, &like);

    model_list_add(&place->path, number);
    for (int key = 0; key < MODEL_KEYS; key++)
        if (act->delta[key] != MODEL_SAME)
            place->state[key] = act->delta[key];
    if (act->brings != MODEL_TREELESS)
        place->tree = act->brings;
    act->tree = place->tree;
    act->index = model_visible(model, number) ? model_visible_count(model, &place->path) - 1 : -1;
    return number;
}

static void saves_copy(const struct model *model, const struct model_session *source,
                       struct model_session *fork)
{
    for (int i = 0; i < source->save_count; i++) {
        const struct model_save *save = &source->saves[i];
        int x = fork->base;

        while (x >= 0 && x != save->writer)
            x = model->sessions[x]->base;
        if (x < 0 || (save->place >= 0 && model_raw_index(fork, save->place) < 0))
            continue;
        fork->saves = grown(fork->saves, fork->save_count, sizeof(*fork->saves));
        fork->saves[fork->save_count++] = *save;
    }
}

struct model_session *model_fork(struct model *model, struct model_session *source,
                                 const struct model_fork *how)
{
    struct model_session *fork = session_add(model, how->id, how->s, how->title, how->at_us);

    fork->raw = model_list_copy(&source->raw, how->place);
    fork->inherited = how->place;
    fork->places = grown(NULL, how->place, sizeof(*fork->places));
    for (int i = 0; i <= how->place; i++) {
        fork->places[i] = source->places[i];
        fork->places[i].path =
            model_list_copy(&source->places[i].path, source->places[i].path.count);
    }
    fork->family = source->family;
    fork->bare = source->bare;
    fork->base = how->place ? model->acts[source->raw.items[how->place - 1]]->writer : -1;
    fork->parent = source->number;
    copy_text(fork->settings, sizeof(fork->settings), source->settings);
    copy_text(fork->parent_id, sizeof(fork->parent_id), source->id);
    copy_text(fork->parent_title, sizeof(fork->parent_title), source->title);
    copy_text(fork->parent_message, sizeof(fork->parent_message), how->message);
    fork->parent_side = how->side;
    saves_copy(model, source, fork);
    note_add(model, fork, NOTE_FORKED, how->message, source->id, how->title, how->at_us);
    return fork;
}

int model_move(struct model *model, struct model_session *session, const struct model_move *move,
               int64_t now_us)
{
    struct model_act act = model_blank(ENTRY_MOVE, ROLE_NONE);
    struct model_list *from = move->act == MOVE_UNDO ? &session->undo : &session->redo;
    int before = session->raw.count, number;
    struct model_place like = session->places[move->place], now = session->places[before];
    const struct model_list *path = &like.path;

    if (move->act == MOVE_UNDO || move->act == MOVE_REDO)
        from->count--;
    else
        session->redo.count = 0;
    model_list_add(move->act == MOVE_UNDO ? &session->redo : &session->undo, before);
    copy_text(act.id, sizeof(act.id), move->id);
    act.move = move->act;
    act.scope = move->scope;
    act.tree = like.tree;
    act.index = -1;
    act.ref = path->count ? path->items[path->count - 1] : -1;
    number = act_add(model, session, &act, now_us);
    for (int key = 0; move->keep && key < MODEL_KEYS; key++)
        if (model_key_kept(key))
            like.state[key] = now.state[key];
    place_add(session, &like);
    return number;
}

int model_back(const struct model *model, const struct model_session *session, enum move_act move,
               enum move_scope *scope)
{
    const struct model_list *stack = move == MOVE_UNDO ? &session->undo : &session->redo;
    int at;

    if (stack->count == 0)
        return -1;
    at = stack->items[stack->count - 1];
    *scope = model->acts[session->raw.items[at]]->scope;
    return at;
}

/* ---- files ---- */

bool model_tree_same(int a, int b)
{
    return a == b || (a <= 0 && b <= 0);
}

bool model_changed(const struct model_session *session, int raw)
{
    return !model_tree_same(session->places[raw].tree, session->places[raw + 1].tree);
}

int model_merge_base(const struct model *model, const struct model_session *session,
                     const struct model_session *from)
{
    const struct model_list *ours = &model_head(session)->path, *theirs = &model_head(from)->path;
    int base = model_parting(session, from);

    for (int i = 0; i < ours->count; i++) {
        int merged = model->acts[ours->items[i]]->merged_from;
        int at = merged < 0 ? -1 : list_find(theirs, merged);

        if (at >= base)
            base = at + 1;
    }
    return base;
}

int model_parting(const struct model_session *session, const struct model_session *from)
{
    const struct model_list *a = &model_head(session)->path, *b = &model_head(from)->path;
    int n = 0;

    while (n < a->count && n < b->count && a->items[n] == b->items[n])
        n++;
    return n;
}

/* The first entry of the turn in the raw log, else the newest entry on the path, else everywhere.
 */
static int record_place(const struct model *model, const struct model_session *session,
                        const char *turn)
{
    const struct model_list *path = &model_head(session)->path;

    for (int i = 0; *turn && i < session->raw.count; i++) {
        const struct model_act *act = model->acts[session->raw.items[i]];

        if (act->in_turn && strcmp(act->turn, turn) == 0)
            return session->raw.items[i];
    }
    return path->count ? path->items[path->count - 1] : -1;
}

void model_save(struct model *model, struct model_session *session, const struct model_save *given)
{
    struct model_save *save;

    session->saves = grown(session->saves, session->save_count, sizeof(*session->saves));
    save = &session->saves[session->save_count++];
    *save = *given;
    save->writer = session->number;
    save->place = record_place(model, session, given->turn);
}

static void label_drop(struct model_session *session, int at)
{
    session->labels[at] = session->labels[--session->label_count];
}

void model_label(struct model *model, struct model_session *session, int act, const char *text,
                 int64_t at_us)
{
    char was[MODEL_ID] = "";

    for (int i = session->label_count - 1; i >= 0; i--) {
        if (session->labels[i].act == act)
            copy_text(was, sizeof(was), session->labels[i].text);
        if (session->labels[i].act == act || strcmp(session->labels[i].text, text) == 0)
            label_drop(session, i);
    }
    if (*text) {
        session->labels = grown(session->labels, session->label_count, sizeof(*session->labels));
        session->labels[session->label_count].act = act;
        copy_text(session->labels[session->label_count++].text, MODEL_ID, text);
    }
    note_add(model, session, *text ? NOTE_LABELLED : NOTE_UNLABELLED, model->acts[act]->id, was,
             text, at_us);
}

void model_rename(struct model *model, struct model_session *session, const char *title,
                  int64_t at_us)
{
    char was[MODEL_TEXT];

    if (strcmp(session->title, title) == 0)
        return;
    copy_text(was, sizeof(was), session->title);
    copy_text(session->title, sizeof(session->title), title);
    note_add(model, session, NOTE_RENAMED, "", was, title, at_us);
}

void model_archive(struct model *model, struct model_session *session, bool archived, int64_t at_us)
{
    if (session->archived == archived)
        return;
    session->archived = archived;
    note_add(model, session, archived ? NOTE_ARCHIVED : NOTE_UNARCHIVED, "", "", "", at_us);
}

void model_settings(struct model *model, struct model_session *session, const char *settings,
                    int64_t at_us)
{
    copy_text(session->settings, sizeof(session->settings), settings);
    note_add(model, session, NOTE_UPDATED, "", "", "", at_us);
}

/* Is the act on the path of something that lives, or of a place that something refers to? */
static bool on_living_path(const struct model *model, const bool *marks, int act)
{
    for (int i = 0; i < model->session_count; i++)
        if (model->sessions[i]->alive && list_find(&model_head(model->sessions[i])->path, act) >= 0)
            return true;
    for (int i = 0; i < model->references.count; i++)
        if (marks[model->references.items[i]] &&
            list_find(&model->acts[model->references.items[i]]->path, act) >= 0)
            return true;
    return false;
}

/* Empties what the session wrote and is on no living path. */
static void purge_acts(struct model *model, const bool *marks, int session)
{
    for (int i = 0; i < model->act_count; i++) {
        struct model_act *act = model->acts[i];

        if (!marks[i] || act->writer != session)
            continue;
        if (act->kind != ENTRY_MOVE && !on_living_path(model, marks, i)) {
            act->erased = true;
            act->body[0] = '\0';
        }
    }
}

void model_delete(struct model *model, struct model_session *session, bool purge)
{
    bool *marks = calloc((size_t)model->act_count + 1, sizeof(*marks));

    if (!marks)
        abort();
    session->alive = false;
    session_bury(session);
    model_retain(model, marks);
    for (int i = 0; i < model->session_count; i++)
        model->sessions[i]->left = model->sessions[i]->alive;
    for (int i = 0; i < model->act_count; i++)
        model->sessions[model->acts[i]->writer]->left |= marks[i];
    if (purge)
        purge_acts(model, marks, session->number);
    free(marks);
}

/* ---- what can be asked ---- */

const struct model_place *model_head(const struct model_session *session)
{
    return &session->places[session->raw.count];
}

bool model_visible(const struct model *model, int act)
{
    const struct model_act *a = model->acts[act];

    return a->kind == ENTRY_MESSAGE &&
           (a->role == ROLE_USER || a->role == ROLE_ASSISTANT || a->role == ROLE_TOOL);
}

int model_raw_index(const struct model_session *session, int act)
{
    return list_find(&session->raw, act);
}

int model_visible_count(const struct model *model, const struct model_list *path)
{
    int count = 0;

    for (int i = 0; i < path->count; i++)
        count += model_visible(model, path->items[i]);
    return count;
}

void model_flatten(const struct model *model, const struct model_list *path, struct model_list *out,
                   struct model_list *owner)
{
    for (int i = 0; i < path->count; i++) {
        const struct model_act *act = model->acts[path->items[i]];

        for (int k = 0; k < act->flat.count; k++) {
            model_list_add(out, act->flat.items[k]);
            if (owner)
                model_list_add(owner, path->items[i]);
        }
        if (model_visible(model, path->items[i])) {
            model_list_add(out, path->items[i]);
            if (owner)
                model_list_add(owner, path->items[i]);
        }
    }
}

int model_open_calls(const struct model *model, const struct model_list *path, int count)
{
    const char *newest = "";
    int open = 0;

    for (int i = 0; i < count; i++) {
        const struct model_act *act = model->acts[path->items[i]];

        if (act->in_turn && strcmp(act->turn, newest) != 0)
            open = 0;
        if (act->in_turn)
            newest = act->turn;
        open += act->calls;
        open = open > act->results ? open - act->results : 0;
    }
    return open;
}

const char *model_newest_turn(const struct model *model, const struct model_list *path)
{
    for (int i = path->count - 1; i >= 0; i--)
        if (model->acts[path->items[i]]->in_turn)
            return model->acts[path->items[i]]->turn;
    return "";
}

static void usage_add(struct usage *sum, const struct usage *usage)
{
    sum->input += usage->input;
    sum->output += usage->output;
    sum->cost += usage->cost;
}

struct model_usage model_usage(const struct model *model, const struct model_session *session)
{
    const struct model_list *path = &model_head(session)->path;
    struct model_usage sums = {0};

    for (int i = 0; i < path->count; i++) {
        const struct model_act *act = model->acts[path->items[i]];

        usage_add(act->writer == session->number ? &sums.own : &sums.inherited, &act->usage);
    }
    for (int i = session->inherited; i < session->raw.count; i++)
        usage_add(&sums.spent, &model->acts[session->raw.items[i]]->usage);
    return sums;
}

struct address model_act_address(const struct model *model, int act)
{
    if (act < 0)
        return ADDRESS_START;
    return (struct address){model->sessions[model->acts[act]->writer]->s, model->acts[act]->n};
}

struct address model_address(const struct model *model, const struct model_session *session,
                             int place)
{
    return model_act_address(model, place ? session->raw.items[place - 1] : -1);
}

struct model_seen *model_labels(const struct model *model, const struct model_session *session,
                                int *count)
{
    struct model_seen *seen = NULL;
    int n = 0;

    for (int x = session->number; x >= 0; x = model->sessions[x]->base) {
        const struct model_session *where = model->sessions[x];

        for (int i = 0; i < where->label_count; i++) {
            const struct model_label *label = &where->labels[i];
            bool hidden = model_raw_index(session, label->act) < 0;

            for (int k = 0; k < n; k++)
                hidden |= seen[k].act == label->act || strcmp(seen[k].text, label->text) == 0;
            if (hidden)
                continue;
            seen = grown(seen, n, sizeof(*seen));
            seen[n++] = (struct model_seen){label->text, label->act, x != session->number};
        }
    }
    *count = n;
    return seen;
}

int *model_records(const struct model_session *session, int **places, int *count)
{
    const struct model_list *path = &model_head(session)->path;
    int *first = NULL, *last = NULL, n = 0;

    for (int i = 0; i < session->save_count; i++) {
        const struct model_save *save = &session->saves[i];
        int k = 0;

        if (save->place >= 0 && list_find(path, save->place) < 0)
            continue;
        while (k < n && strcmp(session->saves[first[k]].id, save->id) != 0)
            k++;
        if (k == n) {
            first = grown(first, n, sizeof(*first));
            last = grown(last, n, sizeof(*last));
            first[n++] = i;
        }
        last[k] = i;
    }
    /* in the order of their first places; those of one place as they were first saved */
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            int a = list_find(path, session->saves[first[k - 1]].place);
            int b = list_find(path, session->saves[first[k]].place);
            int f = first[k], l = last[k];

            if (a <= b)
                break;
            first[k] = first[k - 1], first[k - 1] = f;
            last[k] = last[k - 1], last[k - 1] = l;
        }
    *places = first;
    *count = n;
    return last;
}

/* "T (fork 7)" is "T" and 7; the length of the base is returned. */
static size_t title_split(const char *title, int *number)
{
    const char *open = NULL, *at = title;
    int n = 0;
    char rest = 0;
    size_t length;

    while ((at = strstr(at, "(fork ")) != NULL)
        open = at++;
    *number = 0;
    if (!open || sscanf(open, "(fork %9d%c", &n, &rest) != 2 || rest != ')' ||
        strcmp(strchr(open, ')'), ")") != 0)
        return strlen(title);
    *number = n;
    for (length = (size_t)(open - title); length > 0 && title[length - 1] == ' '; length--)
        ;
    return length;
}

void model_fork_title(const struct model *model, const struct model_session *session, char *out)
{
    int number, highest = 0;
    size_t length = title_split(session->title, &number);

    for (int i = 0; i < model->session_count; i++) {
        const struct model_session *other = model->sessions[i];
        size_t other_length = title_split(other->title, &number);

        if (other->alive && !other->sub && other_length == length &&
            memcmp(other->title, session->title, length) == 0 && number > highest)
            highest = number;
    }
    if (session->title[0])
        snprintf(out, MODEL_TEXT, "%.*s (fork %d)", (int)length, session->title, highest + 1);
    else
        out[0] = '\0';
}

void model_rewound(const struct model *model, const struct model_session *session,
                   struct model_list *out)
{
    const struct model_list *path = &model_head(session)->path;
    int first = -1, messages = 0;

    for (int i = session->inherited; i <= session->raw.count; i++) {
        bool gone = i < session->raw.count &&
                    model->acts[session->raw.items[i]]->kind != ENTRY_MOVE &&
                    list_find(path, session->raw.items[i]) < 0;

        if (gone) {
            first = first < 0 ? i : first;
            messages += model_visible(model, session->raw.items[i]);
            continue;
        }
        if (messages) {
            model_list_add(out, first);
            model_list_add(out, i - 1);
        }
        first = -1;
        messages = 0;
    }
}

/* Marks an act, and for a reference all that the place it names ever had. */
static bool mark(const struct model *model, bool *marks, int act)
{
    const struct model_list *had = &model->acts[act]->had;

    if (marks[act])
        return false;
    marks[act] = true;
    for (int i = 0; i < had->count; i++)
        mark(model, marks, had->items[i]);
    return true;
}

static bool mark_all(const struct model *model, bool *marks, const struct model_session *session)
{
    bool more = false;

    for (int i = 0; i < session->raw.count; i++)
        more |= mark(model, marks, session->raw.items[i]);
    return more;
}

/* Does any reference that is marked (or any at all, when marks is NULL) name a place of it? */
static bool named(const struct model *model, const bool *marks, const struct model_session *session)
{
    for (int i = 0; i < model->references.count; i++) {
        int number = model->references.items[i];
        const struct model_act *act = model->acts[number];

        if ((!marks || marks[number]) && act->ref >= 0 &&
            model->acts[act->ref]->writer == session->number)
            return true;
    }
    return false;
}

int model_retain(struct model *model, bool *marks)
{
    bool more = true;
    int count = 0;

    memset(marks, 0, (size_t)model->act_count * sizeof(*marks));
    while (more) {
        more = false;
        for (int i = 0; i < model->session_count; i++) {
            const struct model_session *session = model->sessions[i];

            if (session->alive &&
                (!session->sub || !named(model, NULL, session) || named(model, marks, session)))
                more |= mark_all(model, marks, session);
        }
    }
    for (int i = 0; i < model->session_count; i++) {
        struct model_session *session = model->sessions[i];

        if (session->alive && session->sub && named(model, NULL, session) &&
            !named(model, marks, session)) {
            session->alive = false;
            session_bury(session);
        }
    }
    for (int i = 0; i < model->act_count; i++)
        count += marks[i];
    return count;
}

/* ---- points ---- */

static int act_by_id(const struct model *model, const struct model_list *list, struct str id)
{
    for (int i = 0; i < list->count; i++)
        if (str_eq(str_of(model->acts[list->items[i]]->id), id))
            return list->items[i];
    return -1;
}

/* Looks for the id in all that the references of a list ever had, each list once. */
static bool inside_any(const struct model *model, const struct model_list *list, struct str id,
                       bool *seen)
{
    for (int i = 0; i < list->count; i++) {
        const struct model_list *had = &model->acts[list->items[i]]->had;

        if (had->count == 0 || seen[list->items[i]])
            continue;
        seen[list->items[i]] = true;
        if (act_by_id(model, had, id) >= 0 || inside_any(model, had, id, seen))
            return true;
    }
    return false;
}

/* Is the id among the messages that a reference in the list stands for (1), or hidden there (2)? */
static int inside_reference(const struct model *model, const struct model_list *list, struct str id)
{
    bool *seen, inside;

    for (int i = 0; i < list->count; i++)
        if (act_by_id(model, &model->acts[list->items[i]]->flat, id) >= 0)
            return 1;
    seen = calloc((size_t)model->act_count + 1, sizeof(*seen));
    if (!seen)
        abort();
    inside = inside_any(model, list, id, seen);
    free(seen);
    return inside ? 2 : 0;
}

static enum fault_code by_message(const struct model *model, const struct model_session *session,
                                  struct str id, struct model_point *out)
{
    int inside;

    out->anchor = act_by_id(model, &session->raw, id);
    if (out->anchor >= 0)
        return FAULT_OK;
    inside = inside_reference(model, &session->raw, id);
    if (inside == 2)
        out->either = FAULT_MESSAGE_NOT_FOUND;
    return inside ? FAULT_POINT_INSIDE_SUBSESSION : FAULT_MESSAGE_NOT_FOUND;
}

static enum fault_code by_label(const struct model *model, const struct model_session *session,
                                struct str text, struct model_point *out)
{
    int count;
    struct model_seen *seen = model_labels(model, session, &count);

    for (int i = 0; i < count; i++)
        if (str_eq(str_of(seen[i].text), text))
            out->anchor = seen[i].act;
    free(seen);
    return out->anchor < 0 ? FAULT_LABEL_NOT_FOUND : FAULT_OK;
}

static enum fault_code by_turn(const struct model *model, const struct model_session *session,
                               struct str name, struct model_point *out)
{
    for (int i = 0; i < session->raw.count; i++) {
        const struct model_act *act = model->acts[session->raw.items[i]];

        if (act->in_turn && str_eq(str_of(act->turn), name)) {
            out->anchor = session->raw.items[i];
            return FAULT_OK;
        }
    }
    return FAULT_TURN_NOT_FOUND;
}

/* A cut beside a message of the flat list is inside a reference unless it falls on its edge. */
static enum fault_code by_ordinal(const struct model *model, const struct model_session *session,
                                  const struct point_spec *spec, struct model_point *out)
{
    bool user = spec->by == POINT_USER || spec->by == POINT_FLAT_USER;
    bool flattened = spec->by == POINT_FLAT || spec->by == POINT_FLAT_USER;
    struct model_list flat = {0}, owner = {0}, fits = {0};
    enum fault_code code = FAULT_POINT_INVALID;
    int64_t k;

    model_flatten(model, &model_head(session)->path, &flat, &owner);
    for (int i = 0; i < flat.count; i++)
        if ((!user || model->acts[flat.items[i]]->role == ROLE_USER) &&
            (flattened || owner.items[i] == flat.items[i]))
            model_list_add(&fits, i);
    k = spec->ordinal < 0 ? fits.count + spec->ordinal : spec->ordinal;
    if (k >= 0 && k < fits.count) {
        int at = fits.items[k], next = spec->side == SIDE_BEFORE ? at - 1 : at + 1;
        bool edge = next < 0 || next == flat.count || owner.items[next] != owner.items[at];

        code = edge ? FAULT_OK : FAULT_POINT_INSIDE_SUBSESSION;
        out->anchor = owner.items[at];
    }
    model_list_clear(&flat);
    model_list_clear(&owner);
    model_list_clear(&fits);
    return code;
}

static enum fault_code by_address(const struct model *model, const struct model_session *session,
                                  struct address address, struct model_point *out)
{
    if (address.s == 0)
        return FAULT_OK;
    for (int i = 0; i < session->raw.count; i++)
        if (address_eq(model_act_address(model, session->raw.items[i]), address)) {
            out->anchor = session->raw.items[i];
            return FAULT_OK;
        }
    return FAULT_POINT_INVALID;
}

static enum fault_code anchor(const struct model *model, const struct model_session *session,
                              const struct point_spec *spec, struct model_point *out)
{
    switch (spec->by) {
    case POINT_END:
    case POINT_START:
        return FAULT_OK;
    case POINT_MESSAGE:
        return by_message(model, session, spec->name, out);
    case POINT_LABEL:
        return by_label(model, session, spec->name, out);
    case POINT_TURN:
        return by_turn(model, session, spec->name, out);
    case POINT_ADDRESS:
        return by_address(model, session, spec->address, out);
    case POINT_INDEX:
    case POINT_USER:
    case POINT_FLAT:
    case POINT_FLAT_USER:
        break;
    }
    return by_ordinal(model, session, spec, out);
}

static int place_of(const struct model *model, const struct model_session *session,
                    const struct point_spec *spec, const struct model_point *point)
{
    int at;

    if (spec->by == POINT_END)
        return session->raw.count;
    if (point->anchor < 0)
        return 0;
    at = model_raw_index(session, point->anchor);
    if (spec->by == POINT_ADDRESS)
        return at + 1;
    if (point->side == SIDE_BEFORE)
        return at;
    for (at++; at < session->raw.count; at++) {
        const struct model_act *next = model->acts[session->raw.items[at]];

        if (next->kind != ENTRY_FILES || !next->in_turn || next->foreign ||
            next->writer != model->acts[point->anchor]->writer)
            break;
    }
    return at;
}

enum fault_code model_point(const struct model *model, const struct model_session *session,
                            const struct point_spec *spec, struct model_point *out)
{
    const struct model_list *path;
    enum fault_code code;
    int good;

    *out = (struct model_point){.anchor = -1, .side = spec->side};
    if (spec->by == POINT_TURN)
        out->side = SIDE_BEFORE;
    if (spec->by == POINT_END || spec->by == POINT_ADDRESS)
        out->side = SIDE_AFTER;
    code = anchor(model, session, spec, out);
    if (code != FAULT_OK)
        return code;
    out->place = place_of(model, session, spec, out);
    path = &session->places[out->place].path;
    if (spec->guard == GUARD_NONE || model_open_calls(model, path, path->count) == 0)
        return FAULT_OK;
    if (spec->guard == GUARD_REFUSE && spec->by != POINT_END)
        return FAULT_TOOL_CALL_OPEN;
    for (good = path->count; model_open_calls(model, path, good) > 0; good--)
        ;
    out->place = good ? model_raw_index(session, path->items[good - 1]) + 1 : 0;
    out->snapped = true;
    return FAULT_OK;
}
