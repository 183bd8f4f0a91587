/* The list of sessions, against a real server. */
#include "tui/served.h"

#include "support/check.h"

#include "base/clock.h"
#include "tui/session_list.h"

#include <stdio.h>

enum { PATIENCE_MS = 20 * 1000, PAGE = 3, SESSIONS = 7 };

struct rig {
    struct served *served;
    struct tui_door door;
    struct errands *errands;
    struct session_list *list;
    int changes;
};

static void wake(void *context)
{
    (void)context;
}

static void changed(void *context)
{
    ((struct rig *)context)->changes++;
}

/* "s0" … "s6", each newer than the one before. */
static void rig_open(struct rig *rig)
{
    *rig = (struct rig){.served = served_start(NULL)};
    for (int i = 0; i < SESSIONS; i++) {
        char id[8];

        snprintf(id, sizeof(id), "s%d", i);
        served_session(rig->served, id, NULL);
    }
    served_say(rig->served, "s1", "a zebra crossing");
    rig->door = served_door(rig->served);
    rig->errands = errands_new(&rig->door, wake, rig);
    rig->list = session_list_new(&(struct session_list_options){
        .errands = rig->errands, .page = PAGE, .changed = changed, .context = rig});
}

static void rig_close(struct rig *rig)
{
    session_list_free(rig->list);
    errands_free(rig->errands);
    served_free(rig->served);
}

static void settle(struct rig *rig)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;

    while (errands_busy(rig->errands, rig->list) && clock_ms() < until_ms) {
        errands_take(rig->errands);
        clock_pause_ms(1);
    }
    errands_take(rig->errands);
    assert_false(errands_busy(rig->errands, rig->list));
}

/* As the frames do it, until all that has happened is read. */
static void tend(struct rig *rig)
{
    int64_t due_ms;

    do {
        due_ms = session_list_tend(rig->list);
        if (due_ms > clock_ms())
            clock_pause_ms((int)(due_ms - clock_ms()));
        settle(rig);
    } while (due_ms || session_list_tend(rig->list));
}

static void check_ids(const struct rig *rig, const char *want)
{
    char ids[256] = "";
    size_t n = 0;

    for (size_t i = 0; i < session_list_count(rig->list); i++) {
        n += (size_t)snprintf(ids + n, sizeof(ids) - n, "%s%s", i ? " " : "",
                              session_list_at(rig->list, i)->id);
        assert_int_equal(session_list_find(rig->list, session_list_at(rig->list, i)->id), i);
    }
    assert_string_equal(ids, want);
}

static void happened(struct rig *rig, const char *type, const char *session)
{
    struct tine_event event = {.type = type, .session = session};

    session_list_happened(rig->list, &(struct happening){.kind = HAPPENED_EVENT, .event = &event});
}

static void pages_are_read_one_by_one(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig);
    assert_false(session_list_is_read(rig.list));
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    assert_true(session_list_is_current(rig.list) && session_list_has_more(rig.list));
    check_ids(&rig, "s1 s6 s5");
    session_list_more(rig.list);
    session_list_more(rig.list); /* one is under way already */
    settle(&rig);
    check_ids(&rig, "s1 s6 s5 s4 s3 s2");
    session_list_more(rig.list);
    settle(&rig);
    check_ids(&rig, "s1 s6 s5 s4 s3 s2 s0");
    assert_false(session_list_has_more(rig.list));
    session_list_more(rig.list);
    settle(&rig);
    check_ids(&rig, "s1 s6 s5 s4 s3 s2 s0");
    assert_int_equal(session_list_find(rig.list, "s9"), SESSIONS);
    assert_int_equal(session_list_find(rig.list, NULL), SESSIONS);
    rig_close(&rig);
}

static void what_happens_is_seen(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    session_list_more(rig.list);
    settle(&rig);
    served_say(rig.served, "s3", "hello");
    served_session(rig.served, "new", NULL);
    for (int i = 0; i < 50; i++) /* however often: it is read once more */
        happened(&rig, "session.created", "new");
    rig.changes = 0;
    tend(&rig);
    assert_int_equal(rig.changes, 1);
    assert_int_equal(session_list_tend(rig.list), 0);
    check_ids(&rig, "new s3 s1 s6 s5 s4"); /* as many pages as there were */
    session_list_happened(rig.list, &(struct happening){.kind = HAPPENED_LOST, .reason = "gone"});
    assert_false(errands_busy(rig.errands, rig.list));
    rig.changes = 0;
    session_list_happened(rig.list, &(struct happening){.kind = HAPPENED_BACK});
    tend(&rig);
    assert_int_equal(rig.changes, 1);
    rig_close(&rig);
}

/* Without a pause, for a while: and in the end the last of it is seen. */
static void a_flood_is_read_twice_a_second(void **state)
{
    int64_t begun_ms, end_ms;
    struct rig rig;

    (void)state;
    rig_open(&rig);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    rig.changes = 0;
    begun_ms = clock_ms();
    end_ms = begun_ms + 2 * SESSION_LIST_READ_MS;
    while (clock_ms() < end_ms) {
        happened(&rig, "turn.ended", "s0");
        errands_take(rig.errands);
        clock_pause_ms(1);
    }
    assert_in_range(rig.changes, 1, 1 + (clock_ms() - begun_ms) / SESSION_LIST_READ_MS);
    served_session(rig.served, "last", NULL);
    happened(&rig, "session.created", "last");
    tend(&rig);
    check_ids(&rig, "last s1 s6");
    rig_close(&rig);
}

static void words_narrow_it(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    session_list_ask(rig.list, STR("q"), TINE_NOT_ARCHIVED);
    session_list_ask(rig.list, STR("ze"), TINE_NOT_ARCHIVED);
    session_list_ask(rig.list, STR("zeb"), TINE_NOT_ARCHIVED);
    assert_false(session_list_is_current(rig.list));
    settle(&rig);
    assert_true(session_list_is_current(rig.list));
    check_ids(&rig, "s1");
    session_list_ask(rig.list, STR("zeb"), TINE_NOT_ARCHIVED); /* the same again: nothing */
    assert_false(errands_busy(rig.errands, rig.list));
    session_list_ask(rig.list, STR("zebu "), TINE_NOT_ARCHIVED);
    settle(&rig);
    check_ids(&rig, "");
    session_list_ask(rig.list, STR(""), TINE_ONLY_ARCHIVED);
    settle(&rig);
    check_ids(&rig, "");
    rig_close(&rig);
}

static struct tine_result *archived(struct rig *rig, const char *session, bool to)
{
    struct tine_update_options options = {.archived = &to};
    struct tine_result *result;
    struct tine *tine = served_tine(rig->served);

    assert_true(tine_update(tine, session, &options, &result, NULL));
    tine_free(tine);
    return result;
}

static void what_is_archived_stays_for_a_while(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    session_list_put(rig.list, archived(&rig, "s6", true));
    check_ids(&rig, "s1 s6 s5");
    assert_true(session_list_at(rig.list, 1)->archived);
    happened(&rig, "session.updated", "s6");
    tend(&rig);
    check_ids(&rig, "s1 s6 s5 s4"); /* where it stood, beside those that are listed */
    assert_true(session_list_at(rig.list, 1)->archived);
    session_list_put(rig.list, archived(&rig, "s6", false));
    happened(&rig, "session.updated", "s6");
    tend(&rig);
    assert_false(session_list_at(rig.list, session_list_find(rig.list, "s6"))->archived);
    session_list_put(rig.list, archived(&rig, "s6", true));
    session_list_ask(rig.list, STR(""), TINE_ONLY_ARCHIVED);
    settle(&rig);
    check_ids(&rig, "s6");
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    check_ids(&rig, "s1 s5 s4");
    rig_close(&rig);
}

static void what_is_deleted_goes(void **state)
{
    struct rig rig;
    struct tine *tine;

    (void)state;
    rig_open(&rig);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    session_list_put(rig.list, archived(&rig, "s6", true));
    happened(&rig, "session.updated", "s6");
    tend(&rig);
    tine = served_tine(rig.served);
    assert_true(tine_delete(tine, "s6", false, NULL));
    tine_free(tine);
    happened(&rig, "session.deleted", "s6");
    tend(&rig);
    assert_int_equal(session_list_find(rig.list, "s6"), session_list_count(rig.list));
    rig_close(&rig);
}

static void it_may_go_at_any_time(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    assert_true(errands_busy(rig.errands, rig.list));
    rig_close(&rig);
    rig_open(&rig);
    served_kill(rig.served);
    session_list_ask(rig.list, STR(""), TINE_NOT_ARCHIVED);
    settle(&rig);
    assert_non_null(session_list_error(rig.list));
    assert_false(session_list_is_read(rig.list));
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_read_one_by_one),
        cmocka_unit_test(what_happens_is_seen),
        cmocka_unit_test(a_flood_is_read_twice_a_second),
        cmocka_unit_test(words_narrow_it),
        cmocka_unit_test(what_is_archived_stays_for_a_while),
        cmocka_unit_test(what_is_deleted_goes),
        cmocka_unit_test(it_may_go_at_any_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
