/* What stands beside the tree: records, labels, notes and the journal, relatives, what was rewound.
 */
#include "contract.h"

/* ---- records ---- */

static void save(struct talk *t, struct str session, const char *id, const char *turn,
                 const char *body)
{
    struct record_spec spec = {.owner = t->rig.owner,
                               .session = session,
                               .id = str_of(id),
                               .turn = str_of(turn),
                               .kind = 7,
                               .body = str_of(body)};

    CHECK_OK(engine_save(t->rig.engine, &spec, &t->fault), &t->fault);
}

/* The one that was saved last is found among them; NULL: there is none. */
static void check_last(struct talk *t, struct str session, const struct record *want)
{
    enum { OTHERS = 1 << 6 | 1 << 8 };
    struct record got;

    CHECK_FAULT(
        store_record_last(t->rig.store, t->rig.owner, session, OTHERS, &t->arena, &got, &t->fault),
        FAULT_NOT_FOUND, &t->fault);
    if (!want) {
        CHECK_FAULT(store_record_last(t->rig.store, t->rig.owner, session, 1U << 7, &t->arena, &got,
                                      &t->fault),
                    FAULT_NOT_FOUND, &t->fault);
        return;
    }
    CHECK_OK(
        store_record_last(t->rig.store, t->rig.owner, session, 1U << 7, &t->arena, &got, &t->fault),
        &t->fault);
    assert_true(str_eq(got.id, want->id) && str_eq(got.body, want->body) &&
                str_eq(got.turn, want->turn));
    assert_true(address_eq(got.at, want->at));
    assert_int_equal(got.at_us, want->at_us);
}

/* "a=1 b=2": the records on the session's path, in order. */
static const char *records(struct talk *t, struct str session)
{
    struct gathered got = {.arena = &t->arena};
    const struct record *last = NULL;
    const char *all = "";

    CHECK_OK(store_records(t->rig.store, t->rig.owner, session, gather_record, &got, &t->fault),
             &t->fault);
    for (size_t i = 0; i < got.count; i++) {
        assert_int_equal(got.records[i].kind, 7);
        if (!last || got.records[i].at_us >= last->at_us)
            last = &got.records[i];
        all = arena_printf(&t->arena, "%s%s%.*s=%.*s", all, i ? " " : "",
                           STR_ARG(got.records[i].id), STR_ARG(got.records[i].body))
                  .p;
    }
    check_last(t, session, last);
    return all;
}

static struct str say_in(struct talk *t, struct str session, const char *turn, const char *text)
{
    struct entry_spec spec = talk_message(t, ROLE_USER, text);

    spec.turn_rule = TURN_NAMED;
    spec.turn = str_of(turn);
    return talk_append(t, session, spec).id;
}

static void the_last_version_counts_at_the_place_of_the_first(struct talk *t)
{
    struct str session = talk_create(t, "T");

    say_in(t, session, "t1", "one");
    save(t, session, "task-b", "t1", "1");
    say_in(t, session, "t2", "two");
    save(t, session, "task-a", "t2", "1");
    assert_string_equal(records(t, session), "task-b=1 task-a=1");
    save(t, session, "task-b", "t1", "2");
    save(t, session, "task-b", "t2", "3");
    assert_string_equal(records(t, session), "task-b=3 task-a=1");
}

static void a_record_counts_where_its_turn_is(struct talk *t)
{
    struct str session = talk_create(t, "T"), second;

    say_in(t, session, "t1", "one");
    save(t, session, "a", "t1", "1");
    second = say_in(t, session, "t2", "two");
    save(t, session, "b", "t2", "1");
    save(t, session, "c", "", "1"); /* where the head is now */
    talk_rewind(t, session, before_message(second));
    assert_string_equal(records(t, session), "a=1");
    save(t, session, "b", "t2", "late"); /* of a turn that was rewound away */
    assert_string_equal(records(t, session), "a=1");
    talk_undo(t, session);
    assert_string_equal(records(t, session), "a=1 b=late c=1");
    talk_rewind(t, session, at_start());
    assert_string_equal(records(t, session), "");
}

static void a_record_of_an_empty_session_counts_everywhere(struct talk *t)
{
    struct str session = talk_create(t, "T");

    save(t, session, "a", "", "1");
    assert_string_equal(records(t, session), "a=1");
    say_in(t, session, "t1", "one");
    talk_rewind(t, session, at_start());
    assert_string_equal(records(t, session), "a=1");
}

static void a_fork_keeps_the_versions_it_saw(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, second;

    say_in(t, session, "t1", "one");
    save(t, session, "a", "t1", "1");
    fork = talk_fork(t, session, at_end()).session.id;
    save(t, session, "a", "t1", "2");
    assert_string_equal(records(t, session), "a=2");
    assert_string_equal(records(t, fork), "a=1");
    second = talk_fork(t, fork, at_end()).session.id;
    save(t, fork, "a", "t1", "fork's");
    save(t, fork, "b", "t1", "fork's");
    assert_string_equal(records(t, fork), "a=fork's b=fork's");
    assert_string_equal(records(t, second), "a=1"); /* stands on the session, not on the fork */
    assert_string_equal(records(t, session), "a=2");
    talk_delete(t, session);
    assert_string_equal(records(t, fork), "a=fork's b=fork's");
    assert_string_equal(records(t, second), "a=1");
}

static void a_save_overwrites_what_nobody_else_saw(struct talk *t)
{
    struct str session = talk_create(t, "T");

    say_in(t, session, "t1", "one");
    for (int i = 0; i < 10; i++)
        save(t, session, "a", "t1", arena_printf(&t->arena, "%d", i).p);
    assert_int_equal(talk_counts(t).records, 1);
    talk_fork(t, session, at_end());
    for (int i = 0; i < 10; i++)
        save(t, session, "a", "t1", arena_printf(&t->arena, "%d", i).p);
    assert_int_equal(talk_counts(t).records, 2);
    assert_string_equal(records(t, session), "a=9");
}

/* The place of a record is that of its first version that counts, whatever came later. */
static void a_record_says_where_it_counts(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct gathered got = {.arena = &t->arena}, of_fork = {.arena = &t->arena};
    int64_t s = talk_session(t, session).s;

    save(t, session, "everywhere", "", "1");
    say_in(t, session, "t1", "one");
    say_in(t, session, "t1", "more");
    save(t, session, "a", "t1", "1");
    say_in(t, session, "t2", "two");
    save(t, session, "a", "t2", "2");
    save(t, session, "b", "", "1");
    CHECK_OK(store_records(t->rig.store, t->rig.owner, session, gather_record, &got, &t->fault),
             &t->fault);
    assert_int_equal(got.count, 3);
    assert_true(address_eq(got.records[0].at, ADDRESS_START));
    assert_true(address_eq(got.records[1].at, (struct address){s, 1}));
    CHECK_STR(got.records[1].body, "2");
    assert_true(address_eq(got.records[2].at, (struct address){s, 3}));
    fork = talk_fork(t, session, at_end()).session.id;
    save(t, fork, "a", "t2", "3");
    CHECK_OK(store_records(t->rig.store, t->rig.owner, fork, gather_record, &of_fork, &t->fault),
             &t->fault);
    CHECK_STR(of_fork.records[1].body, "3");
    assert_true(address_eq(of_fork.records[1].at, (struct address){s, 1}));
}

static void check_found(struct talk *t, int64_t owner, const char *id, struct str session)
{
    struct str found;

    CHECK_OK(store_record_find(t->rig.store, owner, str_of(id), &t->arena, &found, &t->fault),
             &t->fault);
    assert_true(str_eq(found, session));
}

static void a_record_is_found_where_it_was_saved_last(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, found;
    int64_t other;

    CHECK_OK(store_owner(t->rig.store, STR("somebody else"), &other, &t->fault), &t->fault);
    say_in(t, session, "t1", "one");
    save(t, session, "a", "t1", "1");
    fork = talk_fork(t, session, at_end()).session.id;
    check_found(t, t->rig.owner, "a", session);
    t->rig.now_us += 1000;
    save(t, fork, "a", "t1", "2");
    check_found(t, t->rig.owner, "a", fork);
    check_found(t, OWNER_ANY, "a", fork);
    t->rig.now_us += 1000;
    save(t, session, "a", "t1", "3");
    check_found(t, t->rig.owner, "a", session);
    CHECK_FAULT(store_record_find(t->rig.store, other, STR("a"), &t->arena, &found, &t->fault),
                FAULT_NOT_FOUND, &t->fault);
    CHECK_FAULT(
        store_record_find(t->rig.store, t->rig.owner, STR("b"), &t->arena, &found, &t->fault),
        FAULT_NOT_FOUND, &t->fault);
    talk_delete(t, session);
    check_found(t, t->rig.owner, "a", fork);
    talk_delete(t, fork);
    CHECK_FAULT(
        store_record_find(t->rig.store, t->rig.owner, STR("a"), &t->arena, &found, &t->fault),
        FAULT_NOT_FOUND, &t->fault);
}

static void a_record_needs_an_id(struct talk *t)
{
    struct record_spec spec = {
        .owner = t->rig.owner, .session = talk_create(t, "T"), .body = STR("{}")};

    CHECK_FAULT(engine_save(t->rig.engine, &spec, &t->fault), FAULT_INVALID, &t->fault);
    spec.id = STR("r");
    spec.session = STR("nobody");
    CHECK_FAULT(engine_save(t->rig.engine, &spec, &t->fault), FAULT_SESSION_NOT_FOUND, &t->fault);
}

/* ---- labels ---- */

/* "x@0 y@2+": the labels with the indexes of their messages; a plus marks inherited ones. */
static const char *labels(struct talk *t, struct str session)
{
    struct gathered got = {.arena = &t->arena};
    const char *all = "";

    CHECK_OK(store_labels(t->rig.store, t->rig.owner, session, gather_label, &got, &t->fault),
             &t->fault);
    for (char letter = 'a'; letter <= 'z'; letter++) /* in no order: sorted here */
        for (size_t i = 0; i < got.count; i++)
            if (got.labels[i].text.p[0] == letter)
                all = arena_printf(&t->arena, "%s%s%.*s@%d%s", all, *all ? " " : "",
                                   STR_ARG(got.labels[i].text), (int)got.labels[i].index,
                                   got.labels[i].inherited ? "+" : "")
                          .p;
    return all;
}

static void a_label_names_one_message(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 3);
    struct point_spec named = {.by = POINT_LABEL, .name = STR("x"), .side = SIDE_BEFORE};
    struct point got;

    talk_label(t, session, m[0], "x");
    talk_label(t, session, m[1], "y");
    assert_string_equal(labels(t, session), "x@0 y@1");
    talk_label(t, session, m[2], "x"); /* moves */
    assert_string_equal(labels(t, session), "x@2 y@1");
    talk_label(t, session, m[2], "z"); /* a message has one */
    assert_string_equal(labels(t, session), "y@1 z@2");
    talk_label(t, session, m[1], "");
    assert_string_equal(labels(t, session), "z@2");
    CHECK_FAULT(
        store_point(t->rig.store, t->rig.owner, session, &named, &t->arena, &got, &t->fault),
        FAULT_LABEL_NOT_FOUND, &t->fault);
    named.name = STR("z");
    CHECK_OK(store_point(t->rig.store, t->rig.owner, session, &named, &t->arena, &got, &t->fault),
             &t->fault);
    assert_int_equal(got.index, 2);
    /* a label stays on a message that was rewound away */
    talk_rewind(t, session, at_start());
    assert_string_equal(labels(t, session), "z@2");
    named.side = SIDE_AFTER;
    talk_rewind(t, session, named);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
}

static void labels_are_seen_by_forks(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, *m = talk_say_many(t, session, "m", 4);

    talk_label(t, session, m[0], "x");
    talk_label(t, session, m[1], "y");
    talk_label(t, session, m[3], "z");
    fork = talk_fork(t, session, after_message(m[2])).session.id;
    assert_string_equal(labels(t, fork), "x@0+ y@1+"); /* the fork does not have m3 */
    talk_label(t, fork, m[2], "x");                    /* its own win: by text … */
    assert_string_equal(labels(t, fork), "x@2 y@1+");
    talk_label(t, fork, m[1], "w"); /* … and by message */
    assert_string_equal(labels(t, fork), "w@1 x@2");
    assert_string_equal(labels(t, session), "x@0 y@1 z@3");
    talk_label(t, fork, m[1], "");
    talk_label(t, fork, m[2], "");
    assert_string_equal(labels(t, fork), "x@0+ y@1+");
    talk_label(t, session, m[2], "v"); /* set later, on what the fork stands on */
    assert_string_equal(labels(t, fork), "v@2+ x@0+ y@1+");
}

/* What the list does not show cannot be named either. */
static void a_hidden_label_names_nothing(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, message = talk_say(t, session, ROLE_USER, "m");
    struct point_spec named = {.by = POINT_LABEL, .name = STR("old")};
    struct point got;

    talk_label(t, session, message, "old");
    fork = talk_fork(t, session, at_end()).session.id;
    talk_label(t, fork, message, "new");
    assert_string_equal(labels(t, fork), "new@0");
    CHECK_FAULT(store_point(t->rig.store, t->rig.owner, fork, &named, &t->arena, &got, &t->fault),
                FAULT_LABEL_NOT_FOUND, &t->fault);
}

static void labels_have_their_faults(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, message = talk_say(t, session, ROLE_USER, "m");
    struct label_spec spec = {.owner = t->rig.owner, .session = session, .text = STR("x")};
    struct label out;

    spec.message = after_message(STR("nothing"));
    CHECK_FAULT(engine_label(t->rig.engine, &spec, &t->arena, &out, &t->fault),
                FAULT_MESSAGE_NOT_FOUND, &t->fault);
    spec.message = before_index(1);
    CHECK_FAULT(engine_label(t->rig.engine, &spec, &t->arena, &out, &t->fault), FAULT_POINT_INVALID,
                &t->fault);
    spec.message = (struct point_spec){.by = POINT_LABEL, .name = STR("nothing")};
    CHECK_FAULT(engine_label(t->rig.engine, &spec, &t->arena, &out, &t->fault),
                FAULT_LABEL_NOT_FOUND, &t->fault);
    spec.message = before_index(0);
    CHECK_OK(engine_label(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    assert_true(str_eq(out.message, message));
    CHECK_STR(out.text, "x");
    assert_int_equal(out.index, 0);
    /* what is inherited cannot be taken away here */
    fork = talk_fork(t, session, at_end()).session.id;
    spec.session = fork;
    spec.text = STR("");
    CHECK_FAULT(engine_label(t->rig.engine, &spec, &t->arena, &out, &t->fault),
                FAULT_LABEL_NOT_FOUND, &t->fault);
}

/* ---- the journal ---- */

static void check_note(const struct journal_item *item, enum note_act act, const char *was,
                       const char *now)
{
    assert_non_null(item->note);
    assert_null(item->entry);
    assert_int_equal(item->note->act, act);
    assert_int_equal(item->note->e, item->e);
    CHECK_STR(item->note->was, was);
    CHECK_STR(item->note->now, now);
}

static void the_journal_has_all_that_happened(struct talk *t)
{
    struct str session = talk_create(t, "First"), message = talk_say(t, session, ROLE_USER, "m"),
               fork;
    struct update_spec update = {.owner = t->rig.owner, .session = session};
    struct str metadata = STR("{\"m\":1}");
    bool yes = true, no = false;
    struct session out;
    struct gathered got;

    talk_rename(t, session, "Second");
    talk_rename(t, session, "Second"); /* changes nothing */
    talk_rewind(t, session, at_start());
    talk_label(t, session, message, "here");
    talk_label(t, session, message, "");
    update.archived = &yes;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    update.archived = &no;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    update.archived = NULL;
    update.metadata = &metadata;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    got = talk_journal(t, session);
    assert_int_equal(got.count, 9);
    check_note(&got.journal[0], NOTE_CREATED, "", "First");
    assert_int_equal(got.journal[1].entry->kind, ENTRY_MESSAGE);
    check_note(&got.journal[2], NOTE_RENAMED, "First", "Second");
    assert_int_equal(got.journal[3].entry->kind, ENTRY_MOVE);
    check_note(&got.journal[4], NOTE_LABELLED, "", "here");
    assert_true(str_eq(got.journal[4].note->message, message));
    check_note(&got.journal[5], NOTE_UNLABELLED, "here", "");
    check_note(&got.journal[6], NOTE_ARCHIVED, "", "");
    check_note(&got.journal[7], NOTE_UNARCHIVED, "", "");
    check_note(&got.journal[8], NOTE_UPDATED, "", "");
    for (size_t i = 1; i < got.count; i++)
        assert_true(got.journal[i].e > got.journal[i - 1].e);
    /* a fork's journal is its own */
    fork = talk_fork(t, session, after_message(message)).session.id;
    talk_say(t, fork, ROLE_USER, "n");
    got = talk_journal(t, fork);
    assert_int_equal(got.count, 2);
    check_note(&got.journal[0], NOTE_FORKED, session.p, "Second (fork 1)");
    assert_true(str_eq(got.journal[0].note->message, message));
    assert_int_equal(talk_journal(t, session).count, 9);
}

static void the_journal_is_paged(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct log_spec spec = {.owner = t->rig.owner, .session = session};
    struct gathered all;

    for (int i = 0; i < 7; i++) {
        talk_say(t, session, ROLE_USER, "x");
        talk_rename(t, session, arena_printf(&t->arena, "T%d", i).p);
    }
    all = talk_journal(t, session);
    assert_int_equal(all.count, 15);
    for (spec.limit = 1; spec.limit <= 16; spec.limit++) {
        size_t seen = 0;

        spec.after_e = 0;
        for (;;) {
            struct gathered page = {.arena = &t->arena};

            CHECK_OK(store_journal(t->rig.store, &spec, gather_journal, &page, &t->fault),
                     &t->fault);
            assert_true(page.count <= (size_t)spec.limit);
            for (size_t i = 0; i < page.count; i++)
                assert_int_equal(page.journal[i].e, all.journal[seen++].e);
            if (page.count == 0)
                break;
            spec.after_e = page.journal[page.count - 1].e;
        }
        assert_int_equal(seen, all.count);
    }
}

static void the_raw_log_is_paged(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct log_spec spec = {.owner = t->rig.owner};
    struct gathered all;

    for (int i = 0; i < 4; i++) {
        talk_say_many(t, session, "m", 5);
        talk_rewind(t, session, before_index(-2));
        session = talk_fork(t, session, at_end()).session.id;
    }
    talk_say(t, session, ROLE_USER, "end");
    spec.session = session;
    all = talk_raw(t, session);
    assert_int_equal(all.count, 25);
    for (spec.limit = 1; spec.limit <= 26; spec.limit += 3) {
        size_t seen = 0;

        spec.after = ADDRESS_START;
        for (;;) {
            struct gathered page = {.arena = &t->arena};

            CHECK_OK(store_raw_log(t->rig.store, &spec, gather_entry, &page, &t->fault), &t->fault);
            for (size_t i = 0; i < page.count; i++)
                assert_true(address_eq(page.entries[i].at, all.entries[seen++].at));
            if (page.count == 0)
                break;
            spec.after = page.entries[page.count - 1].at;
        }
        assert_int_equal(seen, all.count);
    }
}

/* ---- relatives ---- */

static const char *relatives(struct talk *t, struct str session, enum store_relation relation)
{
    struct gathered got = {.arena = &t->arena};
    const char *all = "";

    CHECK_OK(store_relatives(t->rig.store, t->rig.owner, session, (int)relation, gather_session,
                             &got, &t->fault),
             &t->fault);
    for (size_t i = 0; i < got.count; i++)
        all = arena_printf(&t->arena, "%s%s%.*s%s", all, i ? ", " : "",
                           STR_ARG(got.sessions[i].title),
                           got.sessions[i].state == SESSION_DELETED ? " (deleted)" : "")
                  .p;
    return all;
}

static struct str named_fork(struct talk *t, struct str session, const char *title,
                             struct point_spec point)
{
    struct str text = str_of(title);
    struct fork_spec spec = {
        .owner = t->rig.owner, .session = session, .title = &text, .point = point};
    struct fork_result result;

    t->rig.now_us += 1000;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    return result.session.id;
}

static void families_ancestors_and_children(struct talk *t)
{
    struct str a = talk_create(t, "a"), b, c, d;

    talk_say(t, a, ROLE_USER, "x");
    talk_create(t, "stranger");
    b = named_fork(t, a, "b", at_end());
    talk_say(t, b, ROLE_USER, "y");
    c = named_fork(t, b, "c", at_end());
    d = named_fork(t, a, "d", at_start());
    named_fork(t, b, "e", before_index(1)); /* a place inherited from a; b was forked */
    assert_string_equal(relatives(t, c, RELATION_FAMILY), "a, b, c, d, e");
    assert_string_equal(relatives(t, d, RELATION_FAMILY), "a, b, c, d, e");
    assert_string_equal(relatives(t, a, RELATION_ANCESTORS), "");
    assert_string_equal(relatives(t, c, RELATION_ANCESTORS), "b, a");
    assert_string_equal(relatives(t, d, RELATION_ANCESTORS), "a");
    assert_string_equal(relatives(t, a, RELATION_CHILDREN), "b, d");
    assert_string_equal(relatives(t, b, RELATION_CHILDREN), "c, e");
    assert_string_equal(relatives(t, c, RELATION_CHILDREN), "");
}

static void deleted_parents_are_remembered(struct talk *t)
{
    struct str a = talk_create(t, "a"), b, c, e;
    struct session got;

    talk_say(t, a, ROLE_USER, "x");
    b = named_fork(t, a, "b", at_end());
    talk_say(t, b, ROLE_USER, "y");
    c = named_fork(t, b, "c", at_end());
    e = named_fork(t, b, "e", before_index(1)); /* does not stand on b */
    talk_rename(t, b, "b renamed");
    assert_string_equal(relatives(t, c, RELATION_ANCESTORS), "b renamed, a");
    talk_delete(t, b);
    assert_string_equal(relatives(t, c, RELATION_ANCESTORS), "b (deleted), a");
    assert_string_equal(relatives(t, a, RELATION_CHILDREN), "");
    assert_string_equal(relatives(t, c, RELATION_FAMILY), "a, c, e");
    got = talk_session(t, c);
    assert_true(got.parent.known && got.parent.deleted);
    assert_true(str_eq(got.parent.session, b));
    CHECK_STR(got.parent.title, "b");
    talk_delete(t, c); /* with it goes what was left of b */
    assert_string_equal(relatives(t, e, RELATION_ANCESTORS), "b (deleted)");
    got = talk_session(t, e);
    assert_true(got.parent.known && got.parent.deleted);
    assert_true(str_eq(got.parent.session, b));
}

/* ---- what was rewound ---- */

/* "m2+2 x0+1": first messages of the stretches, and how many there are. */
static const char *rewound(struct talk *t, struct str session)
{
    struct gathered got = {.arena = &t->arena};
    const char *all = "";

    CHECK_OK(store_rewound(t->rig.store, t->rig.owner, session, gather_rewound, &got, &t->fault),
             &t->fault);
    for (size_t i = 0; i < got.count; i++) {
        struct str body = got.rewound[i].message.body;

        assert_int_equal(got.rewound[i].index, got.rewound[i].message.index);
        all = arena_printf(&t->arena, "%s%s%.*s+%d", all, i ? " " : "",
                           (int)(body.n - sizeof("{\"text\":\"\"}") + 1), body.p + 9,
                           (int)got.rewound[i].messages)
                  .p;
    }
    return all;
}

static void what_was_rewound_is_listed(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, *m = talk_say_many(t, session, "m", 5);

    assert_string_equal(rewound(t, session), "");
    talk_rewind(t, session, before_message(m[2]));
    assert_string_equal(rewound(t, session), "m2+3");
    talk_say_many(t, session, "x", 2);
    talk_rewind(t, session, before_message(m[1]));
    assert_string_equal(rewound(t, session), "m1+4 x0+2");
    talk_rewind(t, session, after_message(m[3]));
    assert_string_equal(rewound(t, session), "m4+1 x0+2");
    talk_undo(t, session);
    talk_undo(t, session);
    assert_string_equal(rewound(t, session), "m2+3");
    /* a fork lists only what it wrote itself */
    fork = talk_fork(t, session, at_end()).session.id;
    assert_string_equal(rewound(t, fork), "");
    talk_say(t, fork, ROLE_USER, "f");
    talk_rewind(t, fork, before_message(m[1]));
    assert_string_equal(rewound(t, fork), "f+1");
}

const struct contract_test beside_contract[] = {
    CONTRACT(the_last_version_counts_at_the_place_of_the_first),
    CONTRACT(a_record_counts_where_its_turn_is),
    CONTRACT(a_record_of_an_empty_session_counts_everywhere),
    CONTRACT(a_fork_keeps_the_versions_it_saw),
    CONTRACT(a_save_overwrites_what_nobody_else_saw),
    CONTRACT(a_record_says_where_it_counts),
    CONTRACT(a_record_is_found_where_it_was_saved_last),
    CONTRACT(a_record_needs_an_id),
    CONTRACT(a_label_names_one_message),
    CONTRACT(labels_are_seen_by_forks),
    CONTRACT(a_hidden_label_names_nothing),
    CONTRACT(labels_have_their_faults),
    CONTRACT(the_journal_has_all_that_happened),
    CONTRACT(the_journal_is_paged),
    CONTRACT(the_raw_log_is_paged),
    CONTRACT(families_ancestors_and_children),
    CONTRACT(deleted_parents_are_remembered),
    CONTRACT(what_was_rewound_is_listed),
    {0},
};
