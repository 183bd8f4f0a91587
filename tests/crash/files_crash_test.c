/*
 * A process works on the files of sessions and is killed at any moment. Whoever opens the home then
 * must find conversation and files of one mind: a move was made as a whole or not at all, what had
 * been acknowledged is there, and each path is as it was or as it was to be.
 *
 * The worker is a fork of the test. It writes a note to a log before each act, and one after it,
 * each in one piece; the test takes them in when the worker is dead. What the worker was doing then
 * may have happened or not; everything else must be as the notes say.
 */
#include "leaves.h"
#include "support/talk.h"

#include "engine/workspaces.h"
#include "store/sqlite/sqlite_store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    KILLS = 220,
    INTENTS_MIN = 20, /* kills that come between the first file and the last word of a move */
    SECONDS_MAX = 400,
    SESSIONS = 4,     /* two with directories of their own, one attached, one fork */
    POINTS = 40,      /* that a session remembers */
    STEPS = 64,       /* of undo and redo */
    DELAY_US = 90000, /* at most, from the first act to the kill */
    EXIT_FAULT = 3
};

/* ---- what is known of the sessions ---- */

struct point_known {
    struct address at;
    struct leaves files;
};

struct step {
    enum move_scope scope;
    struct leaves files;
};

struct known {
    char id[ID_TEXT + 1];
    int64_t s, n; /* n: acts of its own */
    char dir[160];
    bool laid;                /* its directory is there */
    struct leaves head, live; /* recorded last, and in the directory */
    struct point_known points[POINTS];
    int point_count;
    struct step undo[STEPS], redo[STEPS];
    int undos, redos;
};

enum deed_kind {
    DO_NOTHING,
    DO_WRITE,
    DO_TURN,
    DO_PUT,
    DO_REWIND,
    DO_UNDO,
    DO_REDO,
    DO_ADOPT,
    DO_MERGE
};

struct jot {
    enum deed_kind deed;
    bool done, refused;
    int session, from;
    enum move_scope scope;
    struct leaves target; /* the files after it */
    int64_t n;            /* done: acts of the session, and of the other one */
    int64_t from_n;
    struct address at; /* done: of a turn, its message */
};

struct scene {
    char directory[64], home[96], away[96], log[96];
    struct store *store;
    struct engine *engine;
    struct workspaces *workspaces;
    struct arena arena;
    struct fault fault;
    int64_t owner;
    struct chance chance;
    struct known known[SESSIONS];
    int log_fd;
    char doing[100], words[300];       /* for the case that something is wrong */
    int kills, intents, cut, finished; /* kills in an act; acts that were finished afterwards */
};

static bool moves(enum deed_kind deed)
{
    return deed >= DO_REWIND;
}

static void steps_push(struct step *steps, int *count, enum move_scope scope,
                       const struct leaves *files)
{
    if (*count == STEPS) {
        memmove(steps, steps + 1, (STEPS - 1) * sizeof(*steps));
        --*count;
    }
    steps[(*count)++] = (struct step){scope, *files};
}

static void point_add(struct known *known, struct address at, const struct leaves *files)
{
    if (known->point_count == POINTS) {
        memmove(known->points, known->points + 1, (POINTS - 1) * sizeof(*known->points));
        known->point_count--;
    }
    known->points[known->point_count++] = (struct point_known){at, *files};
}

/* The act was carried out. */
static void accept(struct scene *scene, const struct jot *note)
{
    struct known *known = &scene->known[note->session];

    if (note->deed == DO_ADOPT || note->deed == DO_MERGE || note->deed == DO_REWIND) {
        known->redos = 0;
        steps_push(known->undo, &known->undos, note->scope, &known->live);
    } else if (note->deed == DO_UNDO) {
        known->undos--;
        steps_push(known->redo, &known->redos, note->scope, &known->live);
    } else if (note->deed == DO_REDO) {
        known->redos--;
        steps_push(known->undo, &known->undos, note->scope, &known->live);
    } else if (note->deed == DO_TURN) {
        known->laid = true;
        point_add(known, note->at, &note->target);
    } else if (note->deed == DO_PUT) {
        known->laid = true;
    }
    known->live = note->target;
    if (note->deed != DO_WRITE)
        known->head = note->target;
}

/* What the worker says of an act when it is over. */
static void take_in(struct scene *scene, const struct jot *note)
{
    struct known *known = &scene->known[note->session], *from = &scene->known[note->from];

    if (note->deed >= DO_ADOPT && from->laid)
        from->head = from->live; /* what others did there was recorded first */
    if (!note->refused)
        accept(scene, note);
    known->n = note->n;
    from->n = note->from_n;
}

/* ---- opening ---- */

static void scene_begin(struct scene *scene)
{
    char path[128];
    struct sqlite_store_options options = {.path = path, .busy_ms = 20000};
    struct workspaces_options files = {.home = scene->home};

    snprintf(path, sizeof(path), "%s/tine.db", scene->home);
    arena_init(&scene->arena);
    CHECK_OK(sqlite_store_open(&options, &scene->store, &scene->fault), &scene->fault);
    CHECK_OK(store_owner(scene->store, STR("tester"), &scene->owner, &scene->fault), &scene->fault);
    scene->engine = engine_new(scene->store, NULL);
    files.engine = scene->engine;
    CHECK_OK(workspaces_open(&files, &scene->workspaces, &scene->fault), &scene->fault);
}

static void scene_end(struct scene *scene)
{
    workspaces_close(scene->workspaces);
    engine_free(scene->engine);
    store_close(scene->store);
    arena_clear(&scene->arena);
}

static int64_t act_count(struct scene *scene, const struct known *known)
{
    struct session session;

    CHECK_OK(store_session_get(scene->store, scene->owner, str_of(known->id), false, &scene->arena,
                               &session, &scene->fault),
             &scene->fault);
    return session.head_at.s == known->s ? session.head_at.n : 0;
}

/* ---- the worker ---- */

static void jot_write(struct scene *scene, const struct jot *note)
{
    if (write(scene->log_fd, note, sizeof(*note)) != (ssize_t)sizeof(*note))
        _exit(EXIT_FAULT);
}

static void worker_fails(const struct scene *scene, const char *what)
{
    fprintf(stderr, "# the worker: %s: %s\n", what, scene->fault.message);
    _exit(EXIT_FAULT);
}

static void worker_ok(const struct scene *scene, const char *what, enum fault_code code)
{
    if (code != FAULT_OK)
        worker_fails(scene, what);
}

static void say(struct scene *scene, const struct known *known, struct place *place,
                struct entry_spec *entry, struct jot *note)
{
    struct append_spec spec = {.owner = scene->owner, .session = str_of(known->id)};
    struct append_result result;

    worker_ok(scene, "append",
              engine_append(scene->engine, &spec, entry, 1, &scene->arena, &result, &scene->fault));
    if (entry->tree.n)
        place_record(place, entry);
    note->at = result.entries[0].at;
}

/* A turn without its agent: the directory is taken, worked in, and told of. */
static void do_turn(struct scene *scene, const struct known *known, struct jot *note)
{
    struct entry_spec foreign = {0}, message = {.kind = ENTRY_MESSAGE, .role = ROLE_ASSISTANT};
    struct place *place;
    bool changed;

    worker_ok(scene, "take the directory",
              place_hold(scene->workspaces, scene->owner, str_of(known->id), 1000, &place,
                         &scene->fault));
    worker_ok(scene, "look", place_look(place, -1, &foreign, &changed, &scene->fault));
    if (changed) {
        place_entry(&foreign, true);
        say(scene, known, place, &foreign, note);
    }
    leaves_write(place_dir(place), &known->live, &note->target);
    worker_ok(scene, "look", place_look(place, -1, &message, &changed, &scene->fault));
    say(scene, known, place, &message, note);
    place_leave(place);
}

static void do_put(struct scene *scene, const struct known *known, const struct jot *note)
{
    struct leaf *leaf = malloc(sizeof(*leaf));
    struct file_result result;
    char path[64];

    for (int i = 0; i < LEAVES; i++) {
        struct file_cmd cmd = {.owner = scene->owner, .session = str_of(known->id)};

        if (note->target.what[i] == known->live.what[i])
            continue;
        leaf_make(i, note->target.what[i], leaf);
        cmd.path = leaf_path(i, path);
        cmd.content = (struct str){leaf->bytes, leaf->n};
        cmd.mode = leaf->mode;
        worker_ok(scene, "put",
                  workspaces_put(scene->workspaces, &cmd, &scene->arena, &result, &scene->fault));
    }
    free(leaf);
}

static bool do_move(struct scene *scene, const struct known *known, const struct jot *note,
                    struct address at)
{
    struct move_spec spec = {.owner = scene->owner,
                             .session = str_of(known->id),
                             .scope = note->scope,
                             .act = note->deed == DO_UNDO   ? MOVE_UNDO
                                    : note->deed == DO_REDO ? MOVE_REDO
                                                            : MOVE_REWIND};
    struct files_report report;
    struct move_result result;
    enum fault_code code;

    spec.point = (struct point_spec){
        .by = POINT_ADDRESS, .address = at, .side = SIDE_AFTER, .guard = GUARD_NONE};
    code = workspaces_move(scene->workspaces, &spec, true, &scene->arena, &result, &report,
                           &scene->fault);
    if (code == FAULT_POINT_IS_HEAD)
        return false;
    worker_ok(scene, "move", code);
    return true;
}

static bool do_adopt(struct scene *scene, const struct known *known, const struct known *from)
{
    struct adopt_spec spec = {
        .owner = scene->owner, .session = str_of(known->id), .from = str_of(from->id)};
    struct files_report report;
    struct move_result result;
    enum fault_code code = workspaces_adopt(scene->workspaces, &spec, true, &scene->arena, &result,
                                            &report, &scene->fault);

    if (code == FAULT_NOTHING_TO_ADOPT)
        return false;
    worker_ok(scene, "adopt", code);
    return true;
}

static enum fault_code merge(struct scene *scene, const struct known *known,
                             const struct known *from, bool dry_run, struct merge_report *report)
{
    struct merge_cmd cmd = {.owner = scene->owner,
                            .session = str_of(known->id),
                            .from = str_of(from->id),
                            .force = true,
                            .dry_run = dry_run};

    return workspaces_merge(scene->workspaces, &cmd, &scene->arena, report, &scene->fault);
}

static void take_paths(const struct paths *paths, const struct leaves *theirs, struct leaves *out)
{
    for (size_t i = 0; i < paths->count; i++) {
        int place = leaf_place(paths->list[i]);

        if (place >= 0)
            out->what[place] = theirs->what[place];
    }
}

/* What a merge will come to: the paths that it would change become theirs. */
static bool plan_merge(struct scene *scene, const struct known *known, const struct known *from,
                       struct jot *note)
{
    struct merge_report report;

    note->target = known->live;
    if (!leaves_same(&from->head, &from->live) ||
        merge(scene, known, from, true, &report) != FAULT_OK)
        return false;
    take_paths(&report.files.restored, &from->head, &note->target);
    take_paths(&report.files.deleted, &from->head, &note->target);
    return true;
}

static bool is_putable(int place, unsigned char was, unsigned char is)
{
    struct leaf *leaf = malloc(sizeof(*leaf));
    bool good;

    leaf_make(place, was, leaf);
    good = leaf->kind != LEAF_DIR;
    leaf_make(place, is, leaf);
    good = good && leaf->kind == LEAF_FILE;
    free(leaf);
    return good;
}

/* Chooses an act and what should come of it. False: there is nothing to do of that kind. */
static bool choose(struct scene *scene, struct jot *note, struct address *at)
{
    struct known *known = &scene->known[note->session];
    int what = chance_below(&scene->chance, 100), place;
    const struct step *step;

    note->target = known->live;
    if (what < 15 || known->point_count < 4) {
        note->deed = DO_TURN;
        note->target = leaves_change(&known->live, &scene->chance, 3 * LEAVES / 2);
    } else if (what < 22) {
        note->deed = DO_WRITE;
        note->target = leaves_change(&known->live, &scene->chance, 6);
        return known->laid;
    } else if (what < 26) {
        note->deed = DO_PUT;
        place = chance_below(&scene->chance, LEAVES);
        note->target.what[place] = (unsigned char)chance_below(&scene->chance, 256);
        return known->laid && is_putable(place, known->live.what[place], note->target.what[place]);
    } else if (what < 70) {
        const struct point_known *point =
            &known->points[chance_below(&scene->chance, known->point_count)];

        note->deed = DO_REWIND;
        note->scope = what < 58 ? SCOPE_BOTH : what < 65 ? SCOPE_FILES : SCOPE_CONVERSATION;
        if (note->scope != SCOPE_CONVERSATION)
            note->target = point->files;
        *at = point->at;
        return note->scope != SCOPE_FILES || !leaves_same(&note->target, &known->live);
    } else if (what < 92) {
        bool undo = what < 84;

        note->deed = undo ? DO_UNDO : DO_REDO;
        if ((undo ? known->undos : known->redos) == 0)
            return false;
        step = undo ? &known->undo[known->undos - 1] : &known->redo[known->redos - 1];
        note->scope = step->scope;
        if (note->scope != SCOPE_CONVERSATION)
            note->target = step->files;
    } else {
        const struct known *from = &scene->known[note->from];

        note->deed = what < 96 ? DO_ADOPT : DO_MERGE;
        note->scope = SCOPE_BOTH;
        if (note->deed == DO_MERGE)
            return plan_merge(scene, known, from, note);
        note->target = from->live;
    }
    return true;
}

static void work(struct scene *scene)
{
    struct jot note = {.session = chance_below(&scene->chance, SESSIONS)};
    struct known *known = &scene->known[note.session], *from;
    struct address at = ADDRESS_START;
    bool done = true;

    note.from = note.session == 3 ? 0 : 3; /* the fork and what it was made of */
    if (note.session == 1 || note.session == 2)
        note.from = note.session;
    from = &scene->known[note.from];
    if (!choose(scene, &note, &at) || (note.deed >= DO_ADOPT && note.from == note.session))
        return;
    jot_write(scene, &note);
    switch (note.deed) {
    case DO_WRITE:
        leaves_write(known->dir, &known->live, &note.target);
        break;
    case DO_TURN:
        do_turn(scene, known, &note);
        break;
    case DO_PUT:
        do_put(scene, known, &note);
        break;
    case DO_ADOPT:
        done = do_adopt(scene, known, from);
        break;
    case DO_MERGE: {
        struct merge_report report;

        worker_ok(scene, "merge", merge(scene, known, from, false, &report));
        break;
    }
    default:
        done = do_move(scene, known, &note, at);
        break;
    }
    note.done = true;
    note.n = act_count(scene, known);
    note.from_n = act_count(scene, from);
    note.refused = !done;
    jot_write(scene, &note);
    take_in(scene, &note);
}

/* Tells that it has begun, and works until it is killed. */
static void worker_main(struct scene *scene, int ready)
{
    scene->log_fd = open(scene->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    scene_begin(scene);
    if (scene->log_fd < 0 || write(ready, "r", 1) != 1)
        _exit(EXIT_FAULT);
    for (;;) {
        work(scene);
        arena_clear(&scene->arena);
    }
}

/* ---- looking ---- */

struct seen {
    struct scene *scene;
    struct leaves files;
    const struct leaves *const *candidates;
    int count;
    struct leaf leaf;
    char words[300];
    const struct files_place *place;
    struct str paths[4 * LEAVES];
    enum leaf_kind kinds[4 * LEAVES];
    unsigned modes[4 * LEAVES];
    size_t path_count;
};

static enum fault_code see_entry(void *context, struct str path, const struct tree_entry *entry,
                                 struct fault *fault)
{
    struct seen *seen = context;
    size_t i = seen->path_count;

    (void)fault;
    if (leaf_place(path) < 0)
        return entry->type == TREE_DIR
                   ? FAULT_OK
                   : fault_set(fault, FAULT_INTERNAL, "\"%.*s\" is in a tree", STR_ARG(path));
    assert_true(i < 4 * LEAVES);
    seen->paths[i] = arena_dup(&seen->scene->arena, path);
    seen->kinds[i] = entry->type == TREE_DIR    ? LEAF_DIR
                     : entry->type == TREE_LINK ? LEAF_LINK
                                                : LEAF_FILE;
    seen->modes[i] = entry->type == TREE_LINK ? 0 : entry->mode;
    seen->path_count++;
    return FAULT_OK;
}

/* The files of a place as the store has them, when they are made of those of the candidates. */
static bool tree_read(struct scene *scene, const struct files_place *place,
                      const struct leaves *const *candidates, int count, struct leaves *out)
{
    struct seen *seen = calloc(1, sizeof(*seen));
    unsigned char tree[HASH_BYTES];
    bool known = true;

    seen->scene = scene;
    CHECK_OK(workspaces_list(scene->workspaces, place, STR(""), true, see_entry, seen, tree,
                             &scene->fault),
             &scene->fault);
    for (int i = 0; known && i < LEAVES; i++) {
        struct tree_entry entry;
        struct str bytes;
        char path[64];

        seen->leaf = (struct leaf){0};
        leaf_path(i, path);
        for (size_t k = 0; k < seen->path_count; k++) {
            if (!str_eq(seen->paths[k], str_of(path)))
                continue;
            seen->leaf.kind = seen->kinds[k];
            seen->leaf.mode = seen->modes[k];
            if (seen->leaf.kind == LEAF_DIR)
                break;
            CHECK_OK(workspaces_read(scene->workspaces, place, str_of(path), &scene->arena, &entry,
                                     &bytes, &scene->fault),
                     &scene->fault);
            seen->leaf.n = bytes.n;
            memcpy(seen->leaf.bytes, bytes.p, bytes.n);
        }
        known = leaf_known(i, &seen->leaf, candidates, count, &out->what[i]);
        if (!known)
            snprintf(scene->words, sizeof(scene->words), "%s is of kind %d, mode %o, \"%.30s\"",
                     path, seen->leaf.kind, seen->leaf.mode, seen->leaf.bytes);
    }
    free(seen);
    return known;
}

static struct files_place place_at(const struct scene *scene, const struct known *known,
                                   const struct address *at)
{
    return (struct files_place){.owner = scene->owner,
                                .session = str_of(known->id),
                                .at = {.by = at ? POINT_ADDRESS : POINT_END,
                                       .side = SIDE_AFTER,
                                       .guard = GUARD_NONE,
                                       .address = at ? *at : ADDRESS_START}};
}

static void read_head(struct scene *scene, const struct known *known,
                      const struct leaves *const *candidates, int count, struct leaves *out)
{
    struct files_place place = place_at(scene, known, NULL);

    if (!tree_read(scene, &place, candidates, count, out))
        fail_msg("kill %d, %s: at the head of session %d is what nobody put there: %s",
                 scene->kills, scene->doing, (int)(known - scene->known), scene->words);
}

static void read_live(struct scene *scene, const struct known *known,
                      const struct leaves *const *candidates, int count, struct leaves *out)
{
    char words[400];

    if (!leaves_read(known->dir, candidates, count, out, words, sizeof(words)))
        fail_msg("kill %d, %s: %s", scene->kills, scene->doing, words);
}

/* A session that nothing was done to when the kill came. */
static void check_quiet(struct scene *scene, struct known *known, bool perhaps_recorded)
{
    const struct leaves *candidates[] = {&known->head, &known->live};
    struct leaves head, live;

    read_head(scene, known, candidates, perhaps_recorded ? 2 : 1, &head);
    if (known->laid)
        read_live(scene, known, &candidates[1], 1, &live);
    if (!perhaps_recorded)
        assert_int_equal(act_count(scene, known), known->n);
    if (!leaves_same(&head, &known->head) && !leaves_same(&head, &known->live))
        fail_msg("kill %d: the other session is half recorded", scene->kills);
    known->head = head;
    known->n = act_count(scene, known);
}

/* The session that was moved: all of it, or nothing. */
static bool check_moved(struct scene *scene, struct known *known, const struct jot *note)
{
    bool made = act_count(scene, known) != known->n;
    const struct leaves *was = &known->head, *live = &known->live, *is = &note->target;
    struct leaves head, found;

    read_head(scene, known, made ? &is : &was, 1, &head);
    if (known->laid)
        read_live(scene, known, made ? &is : &live, 1, &found);
    return made;
}

/* The session whose files were being written by plain means, or put. */
static bool check_written(struct scene *scene, struct known *known, const struct jot *note)
{
    static const struct leaves nothing;
    const struct leaves *candidates[] = {&known->live, &note->target, &nothing};
    const struct leaves *heads[] = {&known->head, &known->live, &note->target};
    bool dirty = !leaves_same(&known->head, &known->live);
    int64_t more = act_count(scene, known) - known->n;
    struct leaves head, live = known->live;
    struct stat stat_;

    assert_true(more >= 0 && more <= 1 + dirty);
    read_head(scene, known, heads, note->deed == DO_WRITE ? 1 : 3, &head);
    assert_true(leaves_same(&head, &known->head) || leaves_same(&head, &known->live) ||
                leaves_same(&head, &note->target));
    known->laid = known->laid || stat(known->dir, &stat_) == 0;
    if (known->laid)
        read_live(scene, known, candidates, note->deed == DO_WRITE || note->deed == DO_TURN ? 3 : 2,
                  &live);
    if (note->deed != DO_WRITE && more == 1 + dirty) {
        assert_true(leaves_same(&head, &note->target) && leaves_same(&live, &note->target));
        return true;
    }
    known->head = head;
    known->live = live;
    return false;
}

static void check_points(struct scene *scene, const struct known *known)
{
    for (int i = 0; i < 2 && known->point_count; i++) {
        const struct point_known *point =
            &known->points[chance_below(&scene->chance, known->point_count)];
        const struct leaves *candidate = &point->files;
        struct files_place place = place_at(scene, known, &point->at);
        struct leaves found;

        if (!tree_read(scene, &place, &candidate, 1, &found))
            fail_msg("kill %d: what was acknowledged of session %s is not there", scene->kills,
                     known->id);
    }
}

static enum fault_code count_intent(void *context, const struct intent *intent, struct fault *fault)
{
    (void)intent, (void)fault;
    ++*(int *)context;
    return FAULT_OK;
}

static int intents(struct scene *scene)
{
    int count = 0;

    CHECK_OK(store_intents(scene->store, count_intent, &count, &scene->fault), &scene->fault);
    return count;
}

static void problem(void *context, const char *message)
{
    (void)context;
    print_error("# verify: %s\n", message);
}

static void verify(struct scene *scene)
{
    struct verify_result result;

    CHECK_OK(store_verify(scene->store, problem, NULL, NULL, &result, &scene->fault),
             &scene->fault);
    assert_int_equal(result.problems, 0);
}

static void check(struct scene *scene, const struct jot *doing)
{
    int64_t left = -1;
    int found;

    snprintf(scene->doing, sizeof(scene->doing), "in deed %d of scope %d in session %d",
             doing->deed, doing->scope, doing->session);
    scene_begin(scene);
    found = intents(scene);
    CHECK_OK(workspaces_recover(scene->workspaces, &left, &scene->fault), &scene->fault);
    assert_int_equal(left, 0);
    assert_int_equal(intents(scene), 0);
    assert_true(found <= 1);
    assert_true(found == 0 || moves(doing->deed));
    scene->intents += found;
    scene->cut += doing->deed != DO_NOTHING;
    for (int i = 0; i < SESSIONS; i++) {
        struct known *known = &scene->known[i];
        bool happened;

        if (doing->deed == DO_NOTHING || i != doing->session) {
            check_quiet(scene, known, doing->deed >= DO_ADOPT && i == doing->from);
        } else {
            happened = moves(doing->deed) ? check_moved(scene, known, doing)
                                          : check_written(scene, known, doing);
            if (happened) {
                struct jot note = *doing;

                note.at = (struct address){known->s, act_count(scene, known)};
                accept(scene, &note);
                scene->finished++;
            }
            assert_true(found == 0 || happened); /* what was begun is finished */
            known->n = act_count(scene, known);
        }
        check_points(scene, known);
    }
    if (scene->kills % 20 == 0)
        verify(scene);
    scene_end(scene);
}

/* ---- killing ---- */

/* Takes in what the worker had written down, and what it was doing. */
static void collect(struct scene *scene, struct jot *doing)
{
    int fd = open(scene->log, O_RDONLY | O_CLOEXEC);
    struct jot note;

    *doing = (struct jot){.deed = DO_NOTHING};
    while (fd >= 0 && read(fd, &note, sizeof(note)) == (ssize_t)sizeof(note)) {
        *doing = note;
        if (!note.done)
            continue;
        take_in(scene, &note);
        doing->deed = DO_NOTHING;
    }
    if (fd >= 0)
        close(fd);
}

static void kill_one(struct scene *scene)
{
    struct timespec delay = {0};
    int ready[2], status;
    struct jot doing;
    char byte;
    pid_t child;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ready[0]);
        worker_main(scene, ready[1]);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    delay.tv_nsec = 1000L * chance_below(&scene->chance, DELAY_US);
    nanosleep(&delay, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    scene->kills++;
    collect(scene, &doing);
    check(scene, &doing);
}

/* ---- the scene ---- */

static void session_make(struct scene *scene, int i)
{
    struct create_spec spec = {
        .owner = scene->owner, .title = STR("t"), .agent = STR("test/crash")};
    struct known *known = &scene->known[i];
    struct session made;

    if (i == 2)
        spec.workspace = (struct workspace){WORKSPACE_ATTACHED, str_of(scene->away)};
    CHECK_OK(engine_create(scene->engine, &spec, &scene->arena, &made, &scene->fault),
             &scene->fault);
    snprintf(known->id, sizeof(known->id), "%.*s", STR_ARG(made.id));
    known->s = made.s;
    known->laid = i == 2;
    if (i == 2)
        snprintf(known->dir, sizeof(known->dir), "%s", scene->away);
    else
        snprintf(known->dir, sizeof(known->dir), "%s/work/%" PRId64, scene->home, made.s);
}

static void fork_make(struct scene *scene)
{
    struct fork_spec spec = {
        .owner = scene->owner, .session = str_of(scene->known[0].id), .point = {.by = POINT_END}};
    struct known *known = &scene->known[3];
    struct files_report report;
    struct fork_result made;

    CHECK_OK(workspaces_fork(scene->workspaces, &spec, FORK_FILES_POINT, &scene->arena, &made,
                             &report, &scene->fault),
             &scene->fault);
    snprintf(known->id, sizeof(known->id), "%.*s", STR_ARG(made.session.id));
    known->s = made.session.s;
    known->head = known->live = scene->known[0].head;
    snprintf(known->dir, sizeof(known->dir), "%s/work/%" PRId64, scene->home, known->s);
}

/* Each session begins with some turns, so that there is something to go back to. */
static void turns_make(struct scene *scene, int i)
{
    for (int k = 0; k < 4; k++) {
        struct jot note = {.deed = DO_TURN, .session = i};

        note.target = leaves_change(&scene->known[i].live, &scene->chance, 2 * LEAVES);
        do_turn(scene, &scene->known[i], &note);
        accept(scene, &note);
        scene->known[i].n = act_count(scene, &scene->known[i]);
    }
}

static void scene_open(struct scene *scene, uint64_t seed)
{
    scene->chance.state = seed;
    scratch_make(scene->directory, sizeof(scene->directory));
    snprintf(scene->home, sizeof(scene->home), "%s/home", scene->directory);
    snprintf(scene->away, sizeof(scene->away), "%s/away", scene->directory);
    snprintf(scene->log, sizeof(scene->log), "%s/log", scene->directory);
    assert_int_equal(mkdir(scene->home, 0700), 0);
    assert_int_equal(mkdir(scene->away, 0755), 0);
    scene_begin(scene);
    for (int i = 0; i < 3; i++) {
        session_make(scene, i);
        turns_make(scene, i);
    }
    fork_make(scene);
    turns_make(scene, 3);
    scene_end(scene);
}

static uint64_t seed_of(void)
{
    const char *given = getenv("TINE_SEED");

    return given && *given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
}

static void files_and_conversation_agree_after_a_kill(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    time_t began = time(NULL);
    uint64_t seed = seed_of();
    mode_t mask = umask(022);

    (void)state;
    assert_non_null(scene);
    printf("# TINE_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
    scene_open(scene, seed);
    while (scene->kills < KILLS && time(NULL) - began < SECONDS_MAX)
        kill_one(scene);
    scene_begin(scene);
    verify(scene);
    scene_end(scene);
    printf("# %d kills, %d in an act, %d between the files and the word of a move; %d finished\n",
           scene->kills, scene->cut, scene->intents, scene->finished);
    assert_true(scene->kills >= 200);
    assert_true(scene->intents >= INTENTS_MIN);
    scratch_remove(scene->directory);
    free(scene);
    umask(mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_conversation_agree_after_a_kill),
    };

    return cmocka_run_group_tests_name("files_crash", tests, NULL, NULL);
}
