/* The house: opening again, export and import, backup, verify. */
#include "contract.h"

#include <stdio.h>
#include <unistd.h>

/* A family with all there is: forks, moves, an adoption, references, records, labels, deletions. */
struct household {
    struct str root, fork, orphan, sub;
};

static struct household furnish(struct talk *t)
{
    struct household h;
    struct str doomed, *m;
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "with all parts");
    struct entry_spec reference = {.kind = ENTRY_SUBSESSION, .body = STR("{\"r\":1}")};
    struct state_item items[] = {{STR("k"), STR("1")}, {STR("x"), STR_NONE}};
    struct record_spec record = {.owner = t->rig.owner,
                                 .id = STR("task"),
                                 .kind = 3,
                                 .turn = STR("t1"),
                                 .body = STR("{\"task\":1}")};
    struct adopt_spec adopt = {.owner = t->rig.owner};
    struct create_spec sub = {
        .owner = t->rig.owner, .title = STR("sub"), .agent = STR("ns/sub"), .sub = true};
    struct str settings = STR("{\"ash\":{\"env\":{}}}");
    struct update_spec update = {.owner = t->rig.owner, .settings = &settings};
    struct fork_spec fork = {.owner = t->rig.owner, .point = at_end(), .home = STR("a2a")};
    struct fork_result forked;
    struct session made;
    struct move_result moved;

    CHECK_OK(engine_create(t->rig.engine, &sub, &t->arena, &made, &t->fault), &t->fault);
    h.sub = made.id;
    talk_say_many(t, h.sub, "s", 2);
    h.root = talk_create(t, "Root");
    m = talk_say_many(t, h.root, "m", 3);
    spec.id = STR("client-id");
    spec.turn_rule = TURN_NAMED;
    spec.turn = STR("t1");
    spec.has_usage = true;
    spec.usage = (struct usage){1, 2, 3};
    spec.state = (struct state){items, 2};
    talk_append(t, h.root, spec);
    reference.ref_session = h.sub;
    talk_append(t, h.root, reference);
    record.session = h.root;
    CHECK_OK(engine_save(t->rig.engine, &record, &t->fault), &t->fault);
    talk_label(t, h.root, m[1], "here");
    update.session = fork.session = h.root;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &made, &t->fault), &t->fault);
    CHECK_OK(engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault), &t->fault);
    h.fork = forked.session.id;
    record.body = STR("{\"task\":2}");
    CHECK_OK(engine_save(t->rig.engine, &record, &t->fault), &t->fault);
    talk_say(t, h.fork, ROLE_USER, "f");
    talk_rewind(t, h.fork, before_message(m[2]));
    talk_say(t, h.fork, ROLE_USER, "g");
    talk_undo(t, h.fork);
    talk_redo(t, h.fork);
    doomed = talk_fork(t, h.root, after_message(m[0])).session.id;
    talk_say_many(t, doomed, "d", 2);
    h.orphan = talk_fork(t, doomed, after_index(1)).session.id;
    talk_say(t, h.orphan, ROLE_USER, "o");
    talk_delete(t, doomed);
    adopt.session = h.root;
    adopt.from = h.orphan;
    CHECK_OK(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault), &t->fault);
    talk_rename(t, h.root, "Root renamed");
    return h;
}

/* What a client can see of a session, as text. */
static const char *portrait(struct talk *t, struct str id)
{
    struct session s = talk_session(t, id);
    struct gathered raw = talk_raw(t, id), labels = {.arena = &t->arena}, records = labels;
    const char *text =
        arena_printf(&t->arena, "%.*s|%.*s|%.*s|%.*s|%.*s|%d|%lld|%lld %lld %lld|%d%d|%s|",
                     STR_ARG(s.id), STR_ARG(s.title), STR_ARG(s.home), STR_ARG(s.settings),
                     STR_ARG(s.head), (int)s.state, (long long)s.messages, (long long)s.own.input,
                     (long long)s.inherited.input, (long long)s.spent.input, s.can_undo, s.can_redo,
                     talk_texts(t, id))
            .p;

    for (size_t i = 0; i < HASH_BYTES; i++)
        text = arena_printf(&t->arena, "%s%02x", text, s.hash[i]).p;
    for (size_t i = 0; i < raw.count; i++) {
        const struct entry *e = &raw.entries[i];

        text = arena_printf(&t->arena, "%s\n%.*s %d %d %u %.*s %lld %.*s %.*s", text,
                            STR_ARG(e->id), (int)e->kind, (int)e->role, e->flags, STR_ARG(e->turn),
                            (long long)e->at_us, STR_ARG(e->session), STR_ARG(e->body))
                   .p;
    }
    for (size_t i = 0; i < s.state_at_head.count; i++)
        text = arena_printf(&t->arena, "%s\n%.*s=%.*s", text, STR_ARG(s.state_at_head.items[i].key),
                            STR_ARG(s.state_at_head.items[i].value))
                   .p;
    CHECK_OK(store_labels(t->rig.store, t->rig.owner, id, gather_label, &labels, &t->fault),
             &t->fault);
    for (size_t i = 0; i < labels.count; i++)
        text = arena_printf(&t->arena, "%s\n%.*s@%.*s", text, STR_ARG(labels.labels[i].text),
                            STR_ARG(labels.labels[i].message))
                   .p;
    CHECK_OK(store_records(t->rig.store, t->rig.owner, id, gather_record, &records, &t->fault),
             &t->fault);
    for (size_t i = 0; i < records.count; i++)
        text = arena_printf(&t->arena, "%s\n%.*s=%.*s", text, STR_ARG(records.records[i].id),
                            STR_ARG(records.records[i].body))
                   .p;
    return text;
}

static void everything_is_there_again_after_opening(struct talk *t)
{
    struct household h = furnish(t);
    const char *before[4];
    const struct str ids[] = {h.root, h.fork, h.orphan, h.sub};
    struct store_counts was = talk_counts(t), is;

    if (!t->rig.kind->lasts)
        return;
    for (int i = 0; i < 4; i++)
        before[i] = portrait(t, ids[i]);
    rig_reopen(&t->rig);
    for (int i = 0; i < 4; i++)
        assert_string_equal(portrait(t, ids[i]), before[i]);
    is = talk_counts(t);
    assert_memory_equal(&was, &is, sizeof(was));
    talk_undo(t, h.root); /* the adoption: stacks are there as well */
}

static struct gathered export_all(struct talk *t, struct str session)
{
    struct gathered items = {.arena = &t->arena};

    CHECK_OK(store_export(t->rig.store, t->rig.owner, session, gather_item, &items, &t->fault),
             &t->fault);
    return items;
}

static enum fault_code import_all(struct talk *t, const struct gathered *items)
{
    struct replay replay = {items, 0};

    return store_import(t->rig.store, t->rig.owner, replay_item, &replay, &t->fault);
}

static void an_export_can_be_taken_in(struct talk *t)
{
    struct household h = furnish(t);
    const struct str ids[] = {h.root, h.fork, h.orphan, h.sub};
    struct gathered items = export_all(t, STR_NONE), again;
    const char *before[4];
    struct talk other;

    for (int i = 0; i < 4; i++)
        before[i] = portrait(t, ids[i]);
    talk_open(&other, t->rig.kind, 2);
    CHECK_OK(import_all(&other, &items), &other.fault);
    for (int i = 0; i < 4; i++)
        assert_string_equal(portrait(&other, ids[i]), before[i]);
    assert_string_equal(portrait(&other, h.root), before[0]);
    assert_int_equal(talk_counts(&other).entries, talk_counts(t).entries);
    assert_int_equal(talk_counts(&other).deleted, talk_counts(t).deleted);
    assert_int_equal(talk_counts(&other).moves, talk_counts(t).moves);
    assert_int_equal(talk_counts(&other).pins, talk_counts(t).pins);
    assert_int_equal(talk_counts(&other).records, talk_counts(t).records);
    talk_verify(&other);
    assert_int_equal(talk_search(&other, "\"with all parts\"").count, 1);
    again = export_all(&other, STR_NONE);
    assert_int_equal(again.count, items.count); /* and out again */
    /* it goes on there */
    talk_undo(&other, h.root);
    talk_say(&other, h.fork, ROLE_USER, "more");
    assert_true(talk_session(&other, h.orphan).parent.deleted);
    talk_verify(&other);
    talk_close(&other);
}

static void one_family_can_be_exported(struct talk *t)
{
    struct household h = furnish(t);
    struct str stranger = talk_create(t, "stranger");
    struct gathered items;
    struct talk other;
    struct session out;

    talk_say(t, stranger, ROLE_USER, "not of the family");
    items = export_all(t, h.fork);
    talk_open(&other, t->rig.kind, 2);
    CHECK_OK(import_all(&other, &items), &other.fault);
    assert_string_equal(portrait(&other, h.root), portrait(t, h.root));
    assert_string_equal(portrait(&other, h.sub), portrait(t, h.sub)); /* what it refers to */
    CHECK_FAULT(store_session_get(other.rig.store, other.rig.owner, stranger, false, &other.arena,
                                  &out, &other.fault),
                FAULT_SESSION_NOT_FOUND, &other.fault);
    talk_close(&other);
}

/* A second time the ids are taken, and then nothing at all is taken in. */
static void an_import_is_whole_or_nothing(struct talk *t)
{
    struct household h = furnish(t);
    struct gathered items = export_all(t, STR_NONE);
    struct store_counts was, is;
    struct talk other;

    (void)h;
    was = talk_counts(t);
    CHECK_FAULT(import_all(t, &items), FAULT_EXISTS, &t->fault);
    is = talk_counts(t);
    assert_memory_equal(&was, &is, sizeof(was));
    talk_open(&other, t->rig.kind, 2);
    items.count--; /* the end is missing: what is left is whole as far as it goes, or refused */
    if (import_all(&other, &items) != FAULT_OK)
        assert_int_equal(talk_counts(&other).entries, 0);
    talk_verify(&other);
    talk_close(&other);
}

enum { ALTERATIONS = 9 };

static void alter(struct log_act *act, int how)
{
    static const unsigned char hash[HASH_BYTES] = {1};

    switch (how) {
    case 0:
        act->body = STR("{\"text\":\"forged\"}");
        act->spans = STR_NONE;
        break;
    case 1:
        act->role = act->role == ROLE_USER ? ROLE_ASSISTANT : ROLE_USER;
        break;
    case 2:
        act->at_us++;
        break;
    case 3:
        act->usage.cost++;
        act->has_usage = true;
        break;
    case 4:
        act->turn = STR("another turn");
        act->flags |= ENTRY_IN_TURN;
        break;
    case 5:
        act->hash = (struct str){(const char *)hash, HASH_BYTES};
        break;
    case 6:
        act->id = STR("another-id");
        act->id_is_drawn = false;
        break;
    case 7:
        act->salt = STR("0123456789abcdef");
        break;
    default:
        act->state = STR("\x01"
                         "z\x02"
                         "1");
    }
}

/* One part of one message changed in the file: its hash does not agree, and nothing is taken in. */
static void an_altered_export_is_refused(struct talk *t)
{
    struct talk other;
    struct store_counts none = {0}, left;

    furnish(t);
    talk_open(&other, t->rig.kind, 2);
    for (int how = 0; how < ALTERATIONS; how++) {
        struct gathered items = export_all(t, STR_NONE);
        size_t i = 0;

        while (items.items[i].kind != LOG_ACT || items.items[i].act.kind != ENTRY_MESSAGE)
            i++;
        alter(&items.items[i].act, how);
        CHECK_FAULT(import_all(&other, &items), FAULT_INVALID, &other.fault);
        left = talk_counts(&other);
        assert_memory_equal(&left, &none, sizeof(left));
    }
    talk_close(&other);
}

/* Items that do not fit together, in every way that comes to mind. */
static void a_broken_export_is_refused(struct talk *t)
{
    struct gathered whole;
    struct talk other;
    struct store_counts none = {0}, left;

    furnish(t);
    whole = export_all(t, STR_NONE);
    talk_open(&other, t->rig.kind, 2);
    for (size_t i = 0; i < whole.count; i++) {
        struct gathered items = export_all(t, STR_NONE);
        enum fault_code code;

        /* without one act that others follow, or without one session */
        if (items.items[i].kind != LOG_SESSION)
            continue;
        memmove(&items.items[i], &items.items[i + 1], (items.count - i - 1) * sizeof(*items.items));
        items.count--;
        code = import_all(&other, &items);
        CHECK_FAULT(code, FAULT_INVALID, &other.fault);
        left = talk_counts(&other);
        assert_memory_equal(&left, &none, sizeof(left));
    }
    talk_close(&other);
}

static enum fault_code interrupted(void *context, struct log_item *item, bool *end,
                                   struct fault *fault)
{
    struct replay *replay = context;

    if (replay->next == 3)
        return fault_set(fault, FAULT_INTERRUPTED, "the pipe broke");
    return replay_item(context, item, end, fault);
}

static void an_import_that_is_broken_off_leaves_nothing(struct talk *t)
{
    struct gathered items;
    struct talk other;
    struct replay replay = {&items, 0};
    struct store_counts none = {0}, left;

    furnish(t);
    items = export_all(t, STR_NONE);
    talk_open(&other, t->rig.kind, 2);
    CHECK_FAULT(store_import(other.rig.store, other.rig.owner, interrupted, &replay, &other.fault),
                FAULT_INTERRUPTED, &other.fault);
    left = talk_counts(&other);
    assert_memory_equal(&left, &none, sizeof(left));
    talk_say(&other, talk_create(&other, "goes on"), ROLE_USER, "x");
    talk_close(&other);
}

/* ---- backup ---- */

static void a_backup_is_a_whole_store(struct talk *t)
{
    struct household h = furnish(t);
    char directory[64], path[128];
    struct talk copy;

    scratch_make(directory, sizeof(directory));
    snprintf(path, sizeof(path), "%s/tine.db", directory);
    CHECK_OK(store_backup(t->rig.store, path, NULL, NULL, &t->fault), &t->fault);
    CHECK_FAULT(store_backup(t->rig.store, path, NULL, NULL, &t->fault), FAULT_EXISTS, &t->fault);
    talk_say(t, h.root, ROLE_USER, "after the backup");
    /* opened as a file, whatever kind it came from */
    copy = (struct talk){.rig = {.kind = &rig_kinds[rig_kind_count - 1], .now_us = t->rig.now_us}};
    memcpy(copy.rig.directory, directory, sizeof(directory));
    arena_init(&copy.arena);
    CHECK_OK(copy.rig.kind->open(directory, &copy.rig.store, &copy.fault), &copy.fault);
    CHECK_OK(store_owner(copy.rig.store, STR("tester"), &copy.rig.owner, &copy.fault), &copy.fault);
    talk_verify(&copy);
    assert_string_equal(portrait(&copy, h.fork), portrait(t, h.fork));
    assert_int_equal(talk_counts(&copy).entries, talk_counts(t).entries - 1);
    assert_int_equal(talk_search(&copy, "\"with all parts\"").count, 1);
    store_close(copy.rig.store);
    arena_clear(&copy.arena);
    scratch_remove(directory);
}

static void a_backup_needs_a_place(struct talk *t)
{
    CHECK_FAULT(store_backup(t->rig.store, "/no/such/directory/tine.db", NULL, NULL, &t->fault),
                FAULT_IO, &t->fault);
}

/* ---- verify ---- */

static void tell(void *context, const char *message)
{
    (void)context;
    print_error("verify: %s\n", message);
}

static void verify_counts_what_it_looked_at(struct talk *t)
{
    struct verify_result result;

    furnish(t);
    CHECK_OK(store_verify(t->rig.store, tell, NULL, NULL, &result, &t->fault), &t->fault);
    assert_int_equal(result.problems, 0);
    assert_int_equal(result.entries, talk_counts(t).entries);
    assert_int_equal(result.sessions,
                     talk_counts(t).sessions + talk_counts(t).deleted + talk_counts(t).subsessions);
}

const struct contract_test house_contract[] = {
    CONTRACT(everything_is_there_again_after_opening),
    CONTRACT(an_export_can_be_taken_in),
    CONTRACT(one_family_can_be_exported),
    CONTRACT(an_import_is_whole_or_nothing),
    CONTRACT(an_altered_export_is_refused),
    CONTRACT(a_broken_export_is_refused),
    CONTRACT(an_import_that_is_broken_off_leaves_nothing),
    CONTRACT(a_backup_is_a_whole_store),
    CONTRACT(a_backup_needs_a_place),
    CONTRACT(verify_counts_what_it_looked_at),
    {0},
};
