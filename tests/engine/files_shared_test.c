/*
 * Two sessions in one directory: nothing of the one is lost by the other without a word. And a
 * directory that is gone while a move in it is half done.
 */
#include "engine/workspaces_own.h"
#include "files_tree.h"
#include "support/talk.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct desk {
    struct talk talk;
    struct workspaces *workspaces;
    char away[64], dir[96];
    struct str a, b; /* sessions */
};

static void workspaces_begin(struct desk *desk)
{
    struct workspaces_options options = {.engine = desk->talk.rig.engine,
                                         .home = desk->talk.rig.directory};

    CHECK_OK(workspaces_open(&options, &desk->workspaces, &desk->talk.fault), &desk->talk.fault);
}

static struct str attached(struct desk *desk)
{
    struct create_spec spec = {.owner = desk->talk.rig.owner,
                               .title = STR("t"),
                               .agent = STR("test/none"),
                               .workspace = {WORKSPACE_ATTACHED, str_of(desk->dir)}};
    struct session made;

    CHECK_OK(
        engine_create(desk->talk.rig.engine, &spec, &desk->talk.arena, &made, &desk->talk.fault),
        &desk->talk.fault);
    return made.id;
}

static int desk_open(void **state)
{
    static struct desk desk;

    memset(&desk, 0, sizeof(desk));
    talk_open(&desk.talk, &rig_kinds[rig_kind_count - 1], 1);
    scratch_make(desk.away, sizeof(desk.away));
    snprintf(desk.dir, sizeof(desk.dir), "%s/site", desk.away);
    assert_int_equal(mkdir(desk.dir, 0755), 0);
    workspaces_begin(&desk);
    desk.a = attached(&desk);
    desk.b = attached(&desk);
    *state = &desk;
    return 0;
}

static int desk_close(void **state)
{
    struct desk *desk = *state;

    workspaces_close(desk->workspaces);
    scratch_remove(desk->away);
    talk_close(&desk->talk);
    return 0;
}

/* ---- short words ---- */

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* What is in a file; "-" when it is not there. */
static const char *text_of(struct desk *desk, const char *dir, const char *name)
{
    char path[200], text[100] = "-";
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
        fclose(file);
    }
    return arena_dup(&desk->talk.arena, str_of(text)).p;
}

static void append(struct desk *desk, struct str session, struct place *place,
                   struct entry_spec entry)
{
    talk_append(&desk->talk, session, entry);
    if (entry.tree.n)
        place_record(place, &entry);
}

/* A turn that writes some files: names and texts in turn, up to a NULL. Returns its message. */
static struct str turn(struct desk *desk, struct str session, const char *const *writes)
{
    struct entry_spec before = {0}, message = talk_message(&desk->talk, ROLE_ASSISTANT, "done");
    struct place *place;
    bool changed;

    CHECK_OK(place_hold(desk->workspaces, desk->talk.rig.owner, session, 1000, &place,
                        &desk->talk.fault),
             &desk->talk.fault);
    CHECK_OK(place_look(place, -1, &before, &changed, &desk->talk.fault), &desk->talk.fault);
    if (changed) {
        place_entry(&before, true);
        append(desk, session, place, before);
    }
    for (; *writes; writes += 2)
        write_file(place_dir(place), writes[0], writes[1]);
    CHECK_OK(place_look(place, -1, &message, &changed, &desk->talk.fault), &desk->talk.fault);
    append(desk, session, place, message);
    place_leave(place);
    return talk_session(&desk->talk, session).head;
}

static struct str turn_write(struct desk *desk, struct str session, const char *name,
                             const char *text)
{
    const char *const writes[] = {name, text, NULL};

    return turn(desk, session, writes);
}

static enum fault_code move(struct desk *desk, struct str session, enum move_act act,
                            struct point_spec point, bool force, struct files_report *report)
{
    struct move_spec spec = {
        .owner = desk->talk.rig.owner, .session = session, .act = act, .point = point};
    struct move_result result;

    return workspaces_move(desk->workspaces, &spec, force, &desk->talk.arena, &result, report,
                           &desk->talk.fault);
}

static void check_paths(const struct paths *paths, const char *const *wanted)
{
    size_t n = 0;

    for (; wanted[n]; n++) {
        bool found = false;

        for (size_t i = 0; i < paths->count; i++)
            found = found || str_eq(paths->list[i], str_of(wanted[n]));
        if (!found)
            fail_msg("\"%s\" is not in the list", wanted[n]);
    }
    assert_int_equal(paths->all, n);
}

/* ---- two sessions in one directory ---- */

static void a_rewind_leaves_what_the_other_session_did(void **state)
{
    struct desk *desk = *state;
    struct fault *fault = &desk->talk.fault;
    struct str first = turn_write(desk, desk->a, "mine", "1");
    const char *const more[] = {"mine", "2", "shared", "a", NULL};
    const char *const other[] = {"theirs", "b", "shared", "b", NULL};
    const char *const conflicts[] = {"shared", "theirs", NULL};
    struct files_report report;

    turn(desk, desk->a, more);
    turn(desk, desk->b, other);

    /* Nobody told a of it yet. */
    CHECK_FAULT(move(desk, desk->a, MOVE_REWIND, after_message(first), false, &report),
                FAULT_FILES_CONFLICT, fault);
    check_paths(&report.conflicts, conflicts);
    assert_string_equal(text_of(desk, desk->dir, "mine"), "2");
    assert_string_equal(text_of(desk, desk->dir, "shared"), "b");
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "b");
    assert_int_equal(talk_session(&desk->talk, desk->a).messages, 2);

    /* Nor does it help that a turn of a has seen it. */
    turn_write(desk, desk->a, "mine", "3");
    CHECK_FAULT(move(desk, desk->a, MOVE_REWIND, after_message(first), false, &report),
                FAULT_FILES_CONFLICT, fault);
    check_paths(&report.conflicts, conflicts);

    /* With force it goes, and comes back. */
    CHECK_OK(move(desk, desk->a, MOVE_REWIND, after_message(first), true, &report), fault);
    assert_string_equal(text_of(desk, desk->dir, "mine"), "1");
    assert_string_equal(text_of(desk, desk->dir, "shared"), "-");
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "-");
    CHECK_OK(move(desk, desk->a, MOVE_UNDO, at_end(), false, &report), fault);
    assert_string_equal(text_of(desk, desk->dir, "mine"), "3");
    assert_string_equal(text_of(desk, desk->dir, "shared"), "b");
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "b");
    assert_int_equal(talk_session(&desk->talk, desk->a).messages, 3);
    talk_verify(&desk->talk);
}

static void what_only_this_session_did_goes_back_without_a_word(void **state)
{
    struct desk *desk = *state;
    struct files_report report;
    struct str first;

    turn_write(desk, desk->b, "theirs", "b");
    first = turn_write(desk, desk->a, "mine", "1");
    turn_write(desk, desk->a, "mine", "2");
    turn_write(desk, desk->a, "other", "2");
    CHECK_OK(move(desk, desk->a, MOVE_REWIND, after_message(first), false, &report),
             &desk->talk.fault);
    assert_int_equal(report.conflicts.all, 0);
    assert_string_equal(text_of(desk, desk->dir, "mine"), "1");
    assert_string_equal(text_of(desk, desk->dir, "other"), "-");
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "b");
}

static void what_a_forced_rewind_took_is_in_the_history_of_the_other(void **state)
{
    struct desk *desk = *state;
    struct fault *fault = &desk->talk.fault;
    struct files_place from = {.owner = desk->talk.rig.owner, .session = desk->b};
    const char *const conflicts[] = {"mine", "theirs", NULL};
    struct files_report report;
    struct file_result result;
    struct str first, told;

    first = turn_write(desk, desk->a, "mine", "1");
    turn_write(desk, desk->a, "mine", "2");
    told = turn_write(desk, desk->b, "theirs", "b");
    turn_write(desk, desk->a, "mine", "3");
    CHECK_OK(move(desk, desk->a, MOVE_REWIND, after_message(first), true, &report), fault);
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "-");

    /* b brings its own file back; then a, in turn, has to be asked. */
    from.at = after_message(told);
    from.at.guard = GUARD_NONE;
    CHECK_OK(workspaces_restore(desk->workspaces, &from, STR("theirs"), &desk->talk.arena, &report,
                                &result, fault),
             fault);
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "b");
    CHECK_OK(move(desk, desk->a, MOVE_UNDO, at_end(), false, &report), fault);
    assert_string_equal(text_of(desk, desk->dir, "mine"), "3");
    assert_string_equal(text_of(desk, desk->dir, "theirs"), "b");

    /* For b it is a that changed "mine" since, and "theirs", which it took away once. */
    turn_write(desk, desk->b, "theirs", "c");
    CHECK_FAULT(move(desk, desk->b, MOVE_REWIND, at_start(), false, &report), FAULT_FILES_CONFLICT,
                fault);
    check_paths(&report.conflicts, conflicts);
}

static void one_works_there_at_a_time(void **state)
{
    struct desk *desk = *state;
    struct place *first, *second;

    CHECK_OK(
        place_hold(desk->workspaces, desk->talk.rig.owner, desk->a, 0, &first, &desk->talk.fault),
        &desk->talk.fault);
    CHECK_FAULT(
        place_hold(desk->workspaces, desk->talk.rig.owner, desk->b, 0, &second, &desk->talk.fault),
        FAULT_WORKSPACE_BUSY, &desk->talk.fault);
    place_leave(first);
    CHECK_OK(
        place_hold(desk->workspaces, desk->talk.rig.owner, desk->b, 0, &second, &desk->talk.fault),
        &desk->talk.fault);
    place_leave(second);
}

/* ---- a directory that is gone while a move is half done ---- */

static enum fault_code count_intent(void *context, const struct intent *intent, struct fault *fault)
{
    (void)intent, (void)fault;
    ++*(int *)context;
    return FAULT_OK;
}

static int intents(struct desk *desk)
{
    int count = 0;

    CHECK_OK(store_intents(desk->talk.rig.store, count_intent, &count, &desk->talk.fault),
             &desk->talk.fault);
    return count;
}

/*
 * What a process that was killed while it rewound session a leaves: "two" is gone already. `plan`
 * says what there is beside where the rewind goes.
 */
static struct str half_a_rewind_of(struct desk *desk, struct plan plan)
{
    struct str first = turn_write(desk, desk->a, "one", "1");
    struct intent_spec spec = {.owner = desk->talk.rig.owner,
                               .session = desk->a,
                               .dir = str_of(desk->dir),
                               .at_us = desk->talk.rig.now_us};
    struct point_spec point = after_message(first);
    const char *const more[] = {"one", "2", "two", "2", NULL};
    unsigned char to[HASH_BYTES];
    struct session session;
    struct stat stat_;
    struct address head;
    struct buf body;
    int64_t intent;
    char path[200];

    turn(desk, desk->a, more);
    session = talk_session(&desk->talk, desk->a);
    CHECK_OK(store_tree_at(desk->talk.rig.store, spec.owner, desk->a, &point, &plan.target, to,
                           &desk->talk.fault),
             &desk->talk.fault);
    assert_int_equal(stat(desk->dir, &stat_), 0);
    spec.dev = (int64_t)stat_.st_dev;
    spec.ino = (int64_t)stat_.st_ino;
    spec.at = session.head_at;
    spec.from.given = true;
    memcpy(spec.from.hash, session.tree, HASH_BYTES);
    memcpy(spec.to, to, HASH_BYTES);
    buf_init(&body, 4096);
    plan_encode(&plan, &body);
    spec.body = buf_str(&body);
    CHECK_OK(store_intent_begin(desk->talk.rig.store, &spec, &intent, &head, &desk->talk.fault),
             &desk->talk.fault);
    buf_clear(&body);
    snprintf(path, sizeof(path), "%s/two", desk->dir);
    assert_int_equal(unlink(path), 0);
    return first;
}

static struct str half_a_rewind(struct desk *desk)
{
    return half_a_rewind_of(desk, (struct plan){.deed = DEED_MOVE, .act = MOVE_REWIND});
}

static int64_t recover(struct desk *desk)
{
    int64_t left = -1;

    workspaces_close(desk->workspaces);
    workspaces_begin(desk);
    CHECK_OK(workspaces_recover(desk->workspaces, &left, &desk->talk.fault), &desk->talk.fault);
    return left;
}

static void carry_away(struct desk *desk, char path[200])
{
    snprintf(path, 200, "%s/elsewhere", desk->away);
    assert_int_equal(rename(desk->dir, path), 0);
}

static void half_a_rewind_is_finished(void **state)
{
    struct desk *desk = *state;

    half_a_rewind(desk);
    assert_int_equal(recover(desk), 0);
    assert_int_equal(intents(desk), 0);
    assert_string_equal(text_of(desk, desk->dir, "one"), "1");
    assert_string_equal(text_of(desk, desk->dir, "two"), "-");
    assert_int_equal(talk_session(&desk->talk, desk->a).messages, 1);
    talk_verify(&desk->talk);
}

/* What the move says goes with it: a runtime's entry, and the state that it leaves. */
static void half_a_rewind_is_finished_with_its_entry(void **state)
{
    struct desk *desk = *state;
    struct talk *talk = &desk->talk;
    struct state_item items[] = {{STR("k"), STR("1")}, {STR("user:k"), STR("2")}};
    struct str keep = STR("user:");
    struct entry_spec entry = talk_message(talk, ROLE_ASSISTANT, "the word");
    struct gathered raw;
    struct session is;

    entry.id = STR("word");
    entry.turn_rule = TURN_NAMED;
    entry.turn = STR("its turn");
    entry.has_usage = true;
    entry.usage = (struct usage){1, 2, 3};
    entry.flags = ENTRY_INTERRUPTED;
    entry.state = (struct state){items, 2};
    half_a_rewind_of(desk, (struct plan){.deed = DEED_MOVE,
                                         .act = MOVE_REWIND,
                                         .keep = &keep,
                                         .keep_count = 1,
                                         .entry = &entry});
    assert_int_equal(recover(desk), 0);
    assert_int_equal(intents(desk), 0);
    assert_string_equal(text_of(desk, desk->dir, "two"), "-");
    is = talk_session(talk, desk->a);
    assert_int_equal(is.messages, 1);
    assert_int_equal(is.state_at_head.count, 1);
    CHECK_STR(is.state_at_head.items[0].key, "user:k");
    raw = talk_raw(talk, desk->a);
    assert_int_equal(raw.entries[raw.count - 1].kind, ENTRY_MOVE);
    CHECK_STR(raw.entries[raw.count - 2].id, "word");
    CHECK_STR(raw.entries[raw.count - 2].turn, "its turn");
    CHECK_STR(raw.entries[raw.count - 2].body, "{\"text\":\"the word\"}");
    assert_int_equal(raw.entries[raw.count - 2].role, ROLE_ASSISTANT);
    assert_int_equal(raw.entries[raw.count - 2].usage.cost, 3);
    assert_true(raw.entries[raw.count - 2].flags & ENTRY_INTERRUPTED);
    assert_int_equal(talk_search(talk, "word").count, 1); /* its spans came along */
    talk_undo(talk, desk->a);
    CHECK_STR(talk_session(talk, desk->a).head, "word");
    assert_int_equal(talk_session(talk, desk->a).state_at_head.count, 2);
    talk_verify(talk);
}

/* Left by a tine that wrote less down. */
static void an_older_plan_is_understood(void **state)
{
    struct desk *desk = *state;
    struct plan plan = {.deed = DEED_MOVE, .act = MOVE_REWIND, .target = {3, 4}}, out;
    struct str bytes;
    struct buf body;

    buf_init(&body, 4096);
    plan_encode(&plan, &body);
    assert_int_equal(body.p[7], 2);
    body.p[7] = 1;
    bytes = buf_str(&body);
    assert_false(plan_decode(bytes, &desk->talk.arena, &out)); /* that one ends sooner */
    bytes.n -= 16;
    assert_true(plan_decode(bytes, &desk->talk.arena, &out));
    assert_true(address_eq(out.target, plan.target));
    assert_null(out.entry);
    body.p[7] = 3;
    assert_false(plan_decode(buf_str(&body), &desk->talk.arena, &out));
    buf_clear(&body);
}

/* Through the directory as well: entry, then the move, and both come back with an undo. */
static void a_rewind_with_files_takes_its_entry_along(void **state)
{
    struct desk *desk = *state;
    struct talk *talk = &desk->talk;
    struct str first = turn_write(desk, desk->a, "file", "1");
    struct entry_spec entry = {.kind = ENTRY_EVENT, .id = STR("word"), .body = STR("{\"e\":1}")};
    struct move_spec spec = {.owner = talk->rig.owner,
                             .session = desk->a,
                             .act = MOVE_REWIND,
                             .point = after_message(first),
                             .entry = &entry,
                             .dry_run = true};
    struct files_report report;
    struct move_result moved;
    size_t count;

    turn_write(desk, desk->a, "file", "2");
    count = talk_raw(talk, desk->a).count;
    CHECK_OK(workspaces_move(desk->workspaces, &spec, false, &talk->arena, &moved, &report,
                             &talk->fault),
             &talk->fault);
    assert_int_equal(talk_raw(talk, desk->a).count, count);
    spec.dry_run = false;
    CHECK_OK(workspaces_move(desk->workspaces, &spec, false, &talk->arena, &moved, &report,
                             &talk->fault),
             &talk->fault);
    assert_string_equal(text_of(desk, desk->dir, "file"), "1");
    assert_int_equal(talk_raw(talk, desk->a).count, count + 2);
    CHECK_STR(talk_raw(talk, desk->a).entries[count].id, "word");
    spec.act = MOVE_UNDO;
    spec.entry = NULL;
    CHECK_OK(workspaces_move(desk->workspaces, &spec, false, &talk->arena, &moved, &report,
                             &talk->fault),
             &talk->fault);
    assert_string_equal(text_of(desk, desk->dir, "file"), "2");
    CHECK_STR(talk_session(talk, desk->a).head, "word");
    talk_verify(talk);
}

static void a_missing_directory_blocks_its_session_alone(void **state)
{
    struct desk *desk = *state;
    struct fault *fault = &desk->talk.fault;
    struct str own = talk_create(&desk->talk, "own"), first, second;
    struct files_report report;
    struct place *place;
    char elsewhere[200];

    half_a_rewind(desk);
    carry_away(desk, elsewhere);
    assert_int_equal(recover(desk), 1);
    CHECK_FAULT(place_hold(desk->workspaces, desk->talk.rig.owner, desk->a, 0, &place, fault),
                FAULT_WORKSPACE_BLOCKED, fault);
    CHECK_FAULT(move(desk, desk->a, MOVE_REWIND, at_start(), true, &report),
                FAULT_WORKSPACE_BLOCKED, fault);
    assert_int_equal(talk_session(&desk->talk, desk->a).messages, 2);

    first = turn_write(desk, own, "file", "1");
    second = turn_write(desk, own, "file", "2");
    assert_false(str_eq(first, second));
    CHECK_OK(move(desk, own, MOVE_REWIND, after_message(first), false, &report), fault);

    /* It is back: what was begun is finished. */
    assert_int_equal(rename(elsewhere, desk->dir), 0);
    assert_int_equal(recover(desk), 0);
    assert_int_equal(intents(desk), 0);
    assert_string_equal(text_of(desk, desk->dir, "one"), "1");
    assert_int_equal(talk_session(&desk->talk, desk->a).messages, 1);
}

static void another_directory_in_its_place_is_not_touched(void **state)
{
    struct desk *desk = *state;
    struct place *place;
    char elsewhere[200];

    half_a_rewind(desk);
    carry_away(desk, elsewhere);
    assert_int_equal(mkdir(desk->dir, 0755), 0);
    write_file(desk->dir, "one", "2"); /* as if it were to be written over */
    assert_int_equal(recover(desk), 1);
    assert_string_equal(text_of(desk, desk->dir, "one"), "2");
    CHECK_FAULT(
        place_hold(desk->workspaces, desk->talk.rig.owner, desk->a, 0, &place, &desk->talk.fault),
        FAULT_WORKSPACE_BLOCKED, &desk->talk.fault);
    assert_int_equal(intents(desk), 1);
}

static void another_workspace_frees_the_session(void **state)
{
    struct desk *desk = *state;
    struct workspace_spec spec = {.owner = desk->talk.rig.owner, .session = desk->a};
    struct files_place head = {
        .owner = spec.owner, .session = desk->a, .at = {.by = POINT_END, .guard = GUARD_NONE}};
    struct fault *fault = &desk->talk.fault;
    struct files_map files;
    struct session session;
    char elsewhere[200];
    struct str dir;

    half_a_rewind(desk);
    carry_away(desk, elsewhere);
    assert_int_equal(recover(desk), 1);
    CHECK_OK(workspaces_set(desk->workspaces, &spec, &desk->talk.arena, &session, fault), fault);
    assert_int_equal(intents(desk), 0);

    /* The conversation did not move, and its own directory has the files as they were recorded. */
    assert_int_equal(session.messages, 2);
    CHECK_OK(files_tree_read(desk->workspaces, &head, &files, fault), fault);
    assert_int_equal(files.count, 2);
    map_clear(&files);
    CHECK_OK(workspaces_dir(desk->workspaces, &session, &desk->talk.arena, &dir, fault), fault);
    assert_string_equal(text_of(desk, dir.p, "one"), "2");
    assert_string_equal(text_of(desk, dir.p, "two"), "2");
    turn_write(desk, desk->a, "one", "3");
    assert_string_equal(text_of(desk, dir.p, "one"), "3");

    /* What was carried away is as it was then. */
    assert_string_equal(text_of(desk, elsewhere, "one"), "2");
    talk_verify(&desk->talk);
}

/* A session that comes back to its own directory finds there what it has recorded elsewhere. */
static void the_own_directory_follows(void **state)
{
    struct desk *desk = *state;
    struct workspace_spec spec = {.owner = desk->talk.rig.owner};
    struct fault *fault = &desk->talk.fault;
    struct str own = talk_create(&desk->talk, "own"), dir, hand;
    struct files_place then = {.owner = spec.owner, .session = own};
    struct tree_entry entry;
    struct session session;

    turn_write(desk, own, "file", "own");
    session = talk_session(&desk->talk, own);
    CHECK_OK(workspaces_dir(desk->workspaces, &session, &desk->talk.arena, &dir, fault), fault);
    write_file(desk->dir, "file", "attached");
    spec.session = own;
    spec.workspace = (struct workspace){WORKSPACE_ATTACHED, str_of(desk->dir)};
    CHECK_OK(workspaces_set(desk->workspaces, &spec, &desk->talk.arena, &session, fault), fault);
    assert_string_equal(text_of(desk, dir.p, "file"), "own");
    write_file(dir.p, "file", "by hand"); /* while nobody looks there */
    spec.workspace = (struct workspace){WORKSPACE_OWN, STR("")};
    CHECK_OK(workspaces_set(desk->workspaces, &spec, &desk->talk.arena, &session, fault), fault);
    assert_string_equal(text_of(desk, dir.p, "file"), "attached");
    assert_string_equal(text_of(desk, desk->dir, "file"), "attached");

    /* What was done by hand can be had again: it is the entry before the last. */
    then.at = (struct point_spec){.by = POINT_ADDRESS,
                                  .side = SIDE_AFTER,
                                  .guard = GUARD_NONE,
                                  .address = {session.head_at.s, session.head_at.n - 1}};
    CHECK_OK(workspaces_read(desk->workspaces, &then, STR("file"), &desk->talk.arena, &entry, &hand,
                             fault),
             fault);
    CHECK_STR(hand, "by hand");
}

#define ON_DESK(test) cmocka_unit_test_setup_teardown(test, desk_open, desk_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DESK(a_rewind_leaves_what_the_other_session_did),
        ON_DESK(what_only_this_session_did_goes_back_without_a_word),
        ON_DESK(what_a_forced_rewind_took_is_in_the_history_of_the_other),
        ON_DESK(one_works_there_at_a_time),
        ON_DESK(half_a_rewind_is_finished),
        ON_DESK(half_a_rewind_is_finished_with_its_entry),
        ON_DESK(an_older_plan_is_understood),
        ON_DESK(a_rewind_with_files_takes_its_entry_along),
        ON_DESK(a_missing_directory_blocks_its_session_alone),
        ON_DESK(another_directory_in_its_place_is_not_touched),
        ON_DESK(another_workspace_frees_the_session),
        ON_DESK(the_own_directory_follows),
    };

    return cmocka_run_group_tests_name("files_shared", tests, NULL, NULL);
}
