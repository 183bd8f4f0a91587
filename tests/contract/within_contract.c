/* Search within one session: the messages on its path, with their places, up and down. */
#include "contract.h"

#include "store/limits.h"

#include <stdio.h>

/* One page; `place` counts for SEARCH_BEFORE and SEARCH_AFTER. */
static struct gathered page(struct talk *t, struct str session, const char *words,
                            enum search_way way, int64_t place, int64_t limit, int64_t *next)
{
    struct search_spec spec = {.owner = t->rig.owner,
                               .words = str_of(words),
                               .session = session,
                               .way = way,
                               .place = place,
                               .limit = limit};
    struct gathered got = {.arena = &t->arena};
    struct search_info info;

    CHECK_OK(store_search(t->rig.store, &spec, gather_hit, &got, &info, &t->fault), &t->fault);
    *next = info.next;
    return got;
}

/* The places of all hits of a way, with a blank between them: "4 2 0". */
static const char *places(struct talk *t, struct str session, const char *words,
                          enum search_way way, int64_t place)
{
    struct buf text;
    struct gathered got;
    struct str out;
    int64_t next;

    buf_init(&text, 64 * 1024);
    got = page(t, session, words, way, place, 100, &next);
    assert_int_equal(next, -1);
    for (size_t i = 0; i < got.count; i++)
        buf_add_format(&text, "%s%lld", i ? " " : "", (long long)got.hits[i].index);
    out = arena_dup(&t->arena, buf_str(&text));
    buf_clear(&text);
    return out.p;
}

static const char *down(struct talk *t, struct str session, const char *words)
{
    return places(t, session, words, SEARCH_NEWEST, 0);
}

static void hits_have_their_places(struct talk *t)
{
    struct str session = talk_create(t, "word of the title"), other = talk_create(t, "other");
    struct gathered got;
    struct str message;
    int64_t next;

    talk_say(t, session, ROLE_USER, "a word");
    talk_say(t, other, ROLE_USER, "another word");
    talk_say(t, session, ROLE_ASSISTANT, "nothing");
    message = talk_say(t, session, ROLE_TOOL, "Word again");
    talk_say(t, session, ROLE_USER, "words");
    assert_string_equal(down(t, session, "word"), "2 0");
    assert_string_equal(down(t, session, "word*"), "3 2 0");
    assert_string_equal(down(t, session, "title"), ""); /* titles are not looked at */
    assert_string_equal(down(t, session, "another"), "");
    got = page(t, session, "word", SEARCH_NEWEST, 0, 1, &next);
    assert_int_equal(got.count, 1);
    assert_int_equal(next, 2);
    assert_true(str_eq(got.hits[0].message, message));
    assert_true(str_eq(got.hits[0].session, session));
    CHECK_STR(got.hits[0].title, "word of the title");
    CHECK_STR(got.hits[0].snippet, "\x02Word\x03 again");
    assert_int_equal(got.hits[0].role, ROLE_TOOL);
    assert_int_equal(talk_search(t, "another").hits[0].index, -1);
}

static void places_bound_it(struct talk *t)
{
    struct str session = talk_create(t, "T");

    for (int i = 0; i < 10; i++)
        talk_say(t, session, ROLE_USER, i % 3 ? "no" : "yes"); /* 0 3 6 9 */
    assert_string_equal(down(t, session, "yes"), "9 6 3 0");
    assert_string_equal(places(t, session, "yes", SEARCH_BEFORE, 9), "6 3 0");
    assert_string_equal(places(t, session, "yes", SEARCH_BEFORE, 1), "0");
    assert_string_equal(places(t, session, "yes", SEARCH_BEFORE, 0), "");
    assert_string_equal(places(t, session, "yes", SEARCH_BEFORE, -1), "");
    assert_string_equal(places(t, session, "yes", SEARCH_BEFORE, 10), "9 6 3 0");
    assert_string_equal(places(t, session, "yes", SEARCH_BEFORE, INT64_MAX), "9 6 3 0");
    assert_string_equal(places(t, session, "yes", SEARCH_AFTER, -1), "0 3 6 9");
    assert_string_equal(places(t, session, "yes", SEARCH_AFTER, 0), "3 6 9");
    assert_string_equal(places(t, session, "yes", SEARCH_AFTER, 8), "9");
    assert_string_equal(places(t, session, "yes", SEARCH_AFTER, 9), "");
    assert_string_equal(places(t, session, "yes", SEARCH_AFTER, INT64_MAX), "");
}

static void what_was_rewound_is_left_out(struct talk *t)
{
    struct str session = talk_create(t, "T");

    for (int i = 0; i < 6; i++)
        talk_say(t, session, ROLE_USER, "pear");
    talk_rewind(t, session, before_index(3));
    assert_string_equal(down(t, session, "pear"), "2 1 0");
    talk_say(t, session, ROLE_USER, "plum");
    talk_say(t, session, ROLE_USER, "pear");
    assert_string_equal(down(t, session, "pear"), "4 2 1 0");
    assert_string_equal(places(t, session, "pear", SEARCH_AFTER, 1), "2 4");
    talk_undo(t, session);
    assert_string_equal(down(t, session, "pear"), "5 4 3 2 1 0");
    assert_string_equal(down(t, session, "plum"), "");
    talk_redo(t, session);
    assert_string_equal(down(t, session, "pear"), "4 2 1 0");
    talk_rewind(t, session, at_start());
    assert_string_equal(down(t, session, "pear"), "");
    assert_string_equal(places(t, session, "pear", SEARCH_AFTER, -1), "");
    talk_say(t, session, ROLE_USER, "pear");
    assert_string_equal(down(t, session, "pear"), "0");
}

static void what_was_inherited_is_found(struct talk *t)
{
    struct str a = talk_create(t, "A"), b, c;

    for (int i = 0; i < 4; i++)
        talk_say(t, a, ROLE_USER, "fig");
    b = talk_fork(t, a, after_index(1)).session.id;
    talk_say(t, a, ROLE_USER, "fig");
    assert_string_equal(down(t, b, "fig"), "1 0"); /* it has nothing of its own */
    talk_say(t, b, ROLE_USER, "date");
    talk_say(t, b, ROLE_USER, "fig");
    c = talk_fork(t, b, at_end()).session.id;
    talk_say(t, c, ROLE_USER, "fig");
    talk_say(t, b, ROLE_USER, "fig");
    assert_string_equal(down(t, a, "fig"), "4 3 2 1 0");
    assert_string_equal(down(t, b, "fig"), "4 3 1 0");
    assert_string_equal(down(t, c, "fig"), "4 3 1 0");
    assert_string_equal(places(t, c, "fig", SEARCH_AFTER, 0), "1 3 4");
    assert_string_equal(down(t, c, "date"), "2");
    talk_rewind(t, c, before_index(1)); /* to what a wrote */
    talk_say(t, c, ROLE_USER, "fig");
    assert_string_equal(down(t, c, "fig"), "1 0");
    assert_string_equal(places(t, c, "fig", SEARCH_AFTER, -1), "0 1");
    assert_string_equal(down(t, c, "date"), "");
    talk_delete(t, a); /* what stands on it keeps it */
    talk_delete(t, b);
    assert_string_equal(down(t, c, "fig"), "1 0");
    talk_undo(t, c);
    assert_string_equal(down(t, c, "fig"), "4 3 1 0");
}

static void adopted_messages_are_found_as_copies(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct adopt_spec spec = {.owner = t->rig.owner};
    struct move_result moved;
    struct gathered got;
    int64_t next;

    talk_say(t, session, ROLE_USER, "first kiwi");
    talk_say(t, session, ROLE_USER, "dropped kiwi");
    fork = talk_fork(t, session, after_index(0)).session.id;
    talk_say(t, fork, ROLE_USER, "won");
    talk_say(t, fork, ROLE_ASSISTANT, "second kiwi");
    spec.session = session;
    spec.from = fork;
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(down(t, session, "kiwi"), "2 0");
    got = page(t, session, "second", SEARCH_NEWEST, 0, 10, &next);
    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.hits[0].message, talk_history(t, session, false).entries[2].id));
}

static void subsessions_have_places_of_their_own(struct talk *t)
{
    struct create_spec create = {.owner = t->rig.owner, .agent = STR("test/none"), .sub = true};
    struct str session = talk_create(t, "T");
    struct entry_spec reference = {.kind = ENTRY_SUBSESSION, .body = STR("{}")};
    struct session sub;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &sub, &t->fault), &t->fault);
    talk_say(t, sub.id, ROLE_USER, "lime inside");
    talk_say(t, sub.id, ROLE_ASSISTANT, "inside");
    talk_say(t, session, ROLE_USER, "lime before");
    reference.ref_session = sub.id;
    reference.ref_point = at_end();
    talk_append(t, session, reference);
    talk_say(t, session, ROLE_USER, "lime behind");
    assert_string_equal(down(t, session, "lime"), "1 0");
    assert_string_equal(down(t, session, "inside"), "");
    assert_string_equal(down(t, sub.id, "inside"), "1 0");
    assert_string_equal(down(t, sub.id, "lime"), "0");
}

static void what_has_no_place_is_no_hit(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec hidden = talk_message(t, ROLE_SYSTEM, "nut");

    talk_append(t, session, hidden);
    talk_say(t, session, ROLE_USER, "nut");
    for (int i = 0; i < 5; i++)
        talk_append(t, session, hidden);
    talk_say(t, session, ROLE_USER, "nut");
    talk_append(t, session, hidden);
    assert_string_equal(down(t, session, "nut"), "1 0");
    assert_string_equal(places(t, session, "nut", SEARCH_AFTER, -1), "0 1");
}

/* Pages of one way put together; how many pages there were. */
static int pages(struct talk *t, struct str session, const char *words, enum search_way way,
                 int64_t limit, int64_t *sum, size_t *count)
{
    int64_t place = way == SEARCH_AFTER ? -1 : INT64_MAX, next, last;
    int made = 0;

    *sum = 0;
    *count = 0;
    for (;;) {
        struct gathered got = page(t, session, words, way, place, limit, &next);

        made++;
        assert_true((int64_t)got.count <= limit);
        last = place;
        for (size_t i = 0; i < got.count; i++) {
            assert_true(way == SEARCH_AFTER ? got.hits[i].index > last : got.hits[i].index < last);
            last = got.hits[i].index;
            *sum += last;
        }
        *count += got.count;
        if (next < 0)
            return made;
        assert_true(way == SEARCH_AFTER ? next > place : next < place);
        place = next;
    }
}

/* More hits than one page has, and more matches that are none than are looked at in one go. */
static void it_goes_on_where_it_ended(struct talk *t)
{
    enum { ROUNDS = 30, EACH = 100, KEPT = 10 };
    struct str session = talk_create(t, "T");
    struct entry_spec specs[EACH];
    int64_t sum, total = 0;
    size_t count;

    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < EACH; k++)
            specs[k] = talk_message(t, ROLE_USER, k % 2 ? "olive" : "oil");
        talk_batch(t, session, specs, EACH);
        talk_rewind(t, session, before_index((i + 1) * KEPT));
    }
    for (int i = 1; i < ROUNDS * KEPT; i += 2)
        total += i;
    for (int way = SEARCH_BEFORE; way <= SEARCH_AFTER; way++) {
        assert_int_equal(pages(t, session, "olive", (enum search_way)way, 7, &sum, &count),
                         (ROUNDS * KEPT / 2 + 6) / 7);
        assert_int_equal(count, ROUNDS * KEPT / 2);
        assert_int_equal(sum, total);
        assert_int_equal(pages(t, session, "olive", (enum search_way)way, 1000, &sum, &count), 1);
        assert_int_equal(count, ROUNDS * KEPT / 2);
        assert_int_equal(pages(t, session, "ol*", (enum search_way)way, 1000, &sum, &count), 1);
        assert_int_equal(count, ROUNDS * KEPT / 2);
        assert_int_equal(sum, total);
        assert_int_equal(pages(t, session, "nothing", (enum search_way)way, 5, &sum, &count), 1);
        assert_int_equal(count, 0);
    }
}

/* Every visible message is followed by one without a place that matches. */
static void one_look_is_bounded(struct talk *t)
{
    enum { EACH = 500, ROUNDS = 2 * LIMIT_LOOKS / EACH };
    struct str session = talk_create(t, "T");
    struct entry_spec specs[EACH];
    int64_t sum;
    size_t count;

    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < EACH; k++)
            specs[k] =
                k % 2 ? talk_message(t, ROLE_SYSTEM, "salt") : talk_message(t, ROLE_USER, "pepper");
        talk_batch(t, session, specs, EACH);
    }
    for (int way = SEARCH_BEFORE; way <= SEARCH_AFTER; way++) {
        assert_true(pages(t, session, "salt", (enum search_way)way, 10, &sum, &count) > 1);
        assert_int_equal(count, 0);
        assert_true(pages(t, session, "sal*", (enum search_way)way, 10, &sum, &count) > 1);
        assert_int_equal(count, 0);
    }
}

static void wrong_sessions_are_refused(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct search_spec spec = {
        .owner = t->rig.owner, .words = STR("word"), .session = STR("nosuch"), .limit = 10};
    struct gathered got = {.arena = &t->arena};

    talk_say(t, session, ROLE_USER, "word");
    CHECK_FAULT(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    CHECK_OK(store_owner(t->rig.store, STR("somebody"), &spec.owner, &t->fault), &t->fault);
    spec.session = session;
    CHECK_FAULT(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    spec.owner = OWNER_ANY;
    CHECK_OK(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault), &t->fault);
    assert_int_equal(got.count, 1);
    spec.words = STR(" ");
    CHECK_FAULT(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault), FAULT_INVALID,
                &t->fault);
}

static void an_empty_session_has_nothing(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork = talk_fork(t, session, at_end()).session.id;

    assert_string_equal(down(t, session, "word"), "");
    assert_string_equal(places(t, fork, "word", SEARCH_AFTER, -1), "");
}

const struct contract_test within_contract[] = {
    CONTRACT(hits_have_their_places),
    CONTRACT(places_bound_it),
    CONTRACT(what_was_rewound_is_left_out),
    CONTRACT(what_was_inherited_is_found),
    CONTRACT(adopted_messages_are_found_as_copies),
    CONTRACT(subsessions_have_places_of_their_own),
    CONTRACT(what_has_no_place_is_no_hit),
    CONTRACT(it_goes_on_where_it_ended),
    CONTRACT(one_look_is_bounded),
    CONTRACT(wrong_sessions_are_refused),
    CONTRACT(an_empty_session_has_nothing),
    {0},
};
