#include "files_model.h"

#include <assert.h>
#include <stdlib.h>

static void *grow(void *list, int count, int *room, size_t bytes)
{
    if (count < *room)
        return list;
    *room = *room ? *room * 2 : 64;
    list = realloc(list, (size_t)*room * bytes);
    if (!list)
        abort();
    return list;
}

static void *make(size_t bytes)
{
    void *made = calloc(1, bytes);

    if (!made)
        abort();
    return made;
}

void files_model_open(struct files_model *model)
{
    struct files_map nothing = {0};

    *model = (struct files_model){0};
    model->empty = model_keep(model, &nothing);
}

void files_model_close(struct files_model *model)
{
    for (int i = 0; i < model->act_count; i++) {
        free(model->acts[i]->path);
        free(model->acts[i]);
    }
    for (int i = 0; i < model->copy_count; i++) {
        map_clear(&model->copies[i]->map);
        free(model->copies[i]);
    }
    for (int i = 0; i < model->session_count; i++) {
        map_clear(&model->sessions[i]->own.map);
        free(model->sessions[i]->raw);
        free(model->sessions[i]);
    }
    free(model->acts);
    free(model->copies);
    free(model->sessions);
}

/* ---- copies ---- */

static unsigned long sum_add(unsigned long sum, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ p[i]) * 1099511628211u;
    return sum;
}

struct copy *model_keep(struct files_model *model, const struct files_map *map)
{
    unsigned long sum = map->count;
    struct copy *copy;

    for (size_t i = 0; i < map->count; i++) {
        sum = sum_add(sum, map->nodes[i].path.p, map->nodes[i].path.n);
        sum = sum_add(sum, map->nodes[i].bytes.p, map->nodes[i].bytes.n);
        sum = sum_add(sum, &map->nodes[i].mode, sizeof(map->nodes[i].mode));
    }
    for (int i = 0; i < model->copy_count; i++)
        if (model->copies[i]->sum == sum && map_same(&model->copies[i]->map, map))
            return model->copies[i];
    copy = make(sizeof(*copy));
    copy->map = map_copy(map);
    copy->sum = sum;
    model->copies =
        grow(model->copies, model->copy_count, &model->copy_room, sizeof(struct copy *));
    return model->copies[model->copy_count++] = copy;
}

/* ---- sessions ---- */

struct files_session *model_session_add(struct files_model *model,
                                        const struct files_session *source, int place)
{
    struct files_session *session = make(sizeof(*session));
    int room = model->session_count;

    session->alive = true;
    session->number = session->family = model->session_count;
    session->dir = &session->own;
    session->raw = make(sizeof(int) * (size_t)(place + 1));
    if (source) {
        session->family = source->family;
        memcpy(session->raw, source->raw, sizeof(int) * (size_t)place);
        session->count = session->inherited = place;
    }
    model->sessions = realloc(model->sessions, sizeof(*model->sessions) * (size_t)(room + 1));
    if (!model->sessions)
        abort();
    return model->sessions[model->session_count++] = session;
}

static const struct model_files_act *act_at(const struct files_model *model,
                                            const struct files_session *session, int place)
{
    assert(place >= 0 && place <= session->count);
    return place ? model->acts[session->raw[place - 1]] : NULL;
}

struct copy *model_tree(const struct files_model *model, const struct files_session *session,
                        int place)
{
    const struct model_files_act *act = act_at(model, session, place);

    return act ? act->tree : model->empty;
}

struct address model_place_address(const struct files_model *model,
                                   const struct files_session *session, int place)
{
    const struct model_files_act *act = act_at(model, session, place);

    return act ? act->at : ADDRESS_START;
}

const int *model_path(const struct files_model *model, const struct files_session *session,
                      int place, int *count)
{
    const struct model_files_act *act = act_at(model, session, place);

    *count = act ? act->path_count : 0;
    return act ? act->path : NULL;
}

struct copy *model_head_tree(const struct files_model *model, const struct files_session *session)
{
    return model_tree(model, session, session->count);
}

struct copy *model_dir_tree(struct files_model *model, const struct files_session *session)
{
    return session->dir->there ? model_keep(model, &session->dir->map)
                               : model_head_tree(model, session);
}

/* ---- acts ---- */

static struct model_files_act *act_add(struct files_model *model, struct files_session *session,
                                       enum entry_kind kind)
{
    struct model_files_act *act = make(sizeof(*act));

    act->kind = kind;
    act->merged = -1;
    act->before = model_head_tree(model, session);
    act->at = (struct address){session->s, session->count - session->inherited + 1};
    model->acts =
        grow(model->acts, model->act_count, &model->act_room, sizeof(struct model_files_act *));
    model->acts[model->act_count] = act;
    session->raw = realloc(session->raw, sizeof(int) * (size_t)(session->count + 1));
    if (!session->raw)
        abort();
    session->raw[session->count++] = model->act_count++;
    return act;
}

static void path_copy(struct model_files_act *act, const int *path, int count, int more)
{
    act->path = make(sizeof(int) * (size_t)(count + 1));
    if (count)
        memcpy(act->path, path, sizeof(int) * (size_t)count);
    act->path_count = count;
    if (more >= 0)
        act->path[act->path_count++] = more;
}

int model_entry(struct files_model *model, struct files_session *session, enum entry_kind kind,
                struct copy *tree, bool foreign)
{
    int count, number = model->act_count;
    const int *path = model_path(model, session, session->count, &count);
    struct model_files_act *act = act_add(model, session, kind);

    act->foreign = foreign;
    act->tree = tree ? tree : act->before;
    path_copy(act, path, count, number);
    return number;
}

void model_files(struct files_model *model, struct files_session *session, struct copy *tree,
                 bool foreign)
{
    if (tree != model_head_tree(model, session))
        model_entry(model, session, ENTRY_FILES, tree, foreign);
}

void model_dir_set(struct model_dir *dir, const struct files_map *map)
{
    struct files_map copy = map_copy(map);

    map_clear(&dir->map);
    dir->map = copy;
}

void model_lay_out(const struct files_model *model, struct files_session *session)
{
    if (session->dir->there)
        return;
    session->dir->there = true;
    model_dir_set(session->dir, &model_head_tree(model, session)->map);
}

void model_go(struct files_model *model, struct files_session *session, int place,
              enum move_scope scope, enum model_turn turn)
{
    struct model_step step = {session->count, scope};
    struct copy *tree = model_tree(model, session, place);
    int count;
    const int *path = model_path(model, session, place, &count);
    struct model_files_act *act = act_add(model, session, ENTRY_MOVE);

    act->tree = tree;
    path_copy(act, path, count, -1);
    assert(session->undos < STEPS_MAX && session->redos < STEPS_MAX);
    switch (turn) {
    case MODEL_NEW:
        session->redos = 0;
        session->undo[session->undos++] = step;
        break;
    case MODEL_UNDO:
        session->undos--;
        session->redo[session->redos++] = step;
        break;
    case MODEL_REDO:
        session->redos--;
        session->undo[session->undos++] = step;
        break;
    }
}

/* ---- looking ---- */

bool model_same_entry(const struct files_model *model, const struct files_session *session, int a,
                      int b)
{
    int count_a, count_b;
    const int *path_a = model_path(model, session, a, &count_a);
    const int *path_b = model_path(model, session, b, &count_b);

    if (!count_a || !count_b)
        return count_a == count_b;
    return path_a[count_a - 1] == path_b[count_b - 1];
}

int model_common(const struct files_model *model, const struct files_session *a,
                 const struct files_session *b)
{
    int count_a, count_b, i = 0;
    const int *path_a = model_path(model, a, a->count, &count_a);
    const int *path_b = model_path(model, b, b->count, &count_b);

    while (i < count_a && i < count_b && path_a[i] == path_b[i])
        i++;
    return i;
}

int model_place_of(const struct files_session *session, int act)
{
    for (int i = 0; i < session->count; i++)
        if (session->raw[i] == act)
            return i + 1;
    return -1;
}

int model_merged(const struct files_model *model, const struct files_session *session,
                 const struct files_session *from)
{
    int ours, theirs, base = model_common(model, session, from);
    const int *our_path = model_path(model, session, session->count, &ours);
    const int *their_path = model_path(model, from, from->count, &theirs);

    for (int i = 0; i < ours; i++)
        for (int k = base; k < theirs; k++)
            if (model->acts[our_path[i]]->merged == their_path[k])
                base = k + 1;
    return base;
}

void model_conflicts(const struct files_model *model, const struct files_session *session,
                     int since, const struct copy *was, const struct copy *is,
                     struct map_paths *out)
{
    const struct copy *head = model_head_tree(model, session);
    struct map_paths plan = {0};

    map_diff(&was->map, &is->map, &plan);
    for (size_t i = 0; i < plan.count; i++) {
        bool foreign = map_differs(&head->map, &was->map, plan.list[i]);

        for (int k = since > session->inherited ? since : session->inherited; k < session->count;
             k++) {
            const struct model_files_act *act = model->acts[session->raw[k]];

            if (act->foreign && map_differs(&act->before->map, &act->tree->map, plan.list[i]))
                foreign = true;
        }
        if (foreign)
            map_paths_add(out, plan.list[i]);
    }
    map_paths_clear(&plan);
}
