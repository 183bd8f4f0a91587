/* Search over titles and texts of all branches; it sees everything acknowledged before it. */
#include "contract.h"

#include <stdio.h>

static void words_are_found_at_once(struct talk *t)
{
    struct str session = talk_create(t, "Groceries"), message;
    struct gathered got;

    for (int i = 0; i < 20; i++) {
        char text[64];

        snprintf(text, sizeof(text), "marker%d common", i);
        message = talk_say(t, session, ROLE_ASSISTANT, text);
        snprintf(text, sizeof(text), "marker%d", i);
        got = talk_search(t, text);
        assert_int_equal(got.count, 1);
        assert_true(str_eq(got.hits[0].message, message));
        assert_true(str_eq(got.hits[0].session, session));
        CHECK_STR(got.hits[0].title, "Groceries");
        assert_int_equal(got.hits[0].role, ROLE_ASSISTANT);
        assert_int_equal(got.hits[0].at_us, t->rig.now_us);
    }
    assert_int_equal(talk_search(t, "common").count, 20);
    assert_int_equal(talk_search(t, "marker").count, 0);
    assert_int_equal(talk_search(t, "nothing").count, 0);
}

static void the_newest_comes_first(struct talk *t)
{
    struct str a = talk_create(t, "a"), b = talk_create(t, "b");
    struct search_spec spec = {.owner = t->rig.owner, .words = STR("pear"), .limit = 3};
    struct gathered got = {.arena = &t->arena};

    for (int i = 0; i < 10; i++)
        talk_say(t, i % 2 ? a : b, ROLE_USER, "pear");
    CHECK_OK(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault), &t->fault);
    assert_int_equal(got.count, 3);
    for (size_t i = 1; i < 3; i++)
        assert_true(got.hits[i].at_us < got.hits[i - 1].at_us);
    assert_int_equal(got.hits[0].at_us, t->rig.now_us);
}

static void all_words_must_occur(struct talk *t)
{
    struct str session = talk_create(t, "T");

    talk_say(t, session, ROLE_USER, "red green blue");
    talk_say(t, session, ROLE_USER, "red yellow");
    talk_say(t, session, ROLE_USER, "green red");
    assert_int_equal(talk_search(t, "red").count, 3);
    assert_int_equal(talk_search(t, "red green").count, 2);
    assert_int_equal(talk_search(t, "RED Green").count, 2);
    assert_int_equal(talk_search(t, "red purple").count, 0);
    assert_int_equal(talk_search(t, "\"red green\"").count, 1);
    assert_int_equal(talk_search(t, "\"green red\"").count, 1);
    assert_int_equal(talk_search(t, "\"red blue\"").count, 0);
    assert_int_equal(talk_search(t, "\"red green\" blue").count, 1);
    assert_int_equal(talk_search(t, "yel*").count, 1);
    assert_int_equal(talk_search(t, "gre* red").count, 2);
    assert_int_equal(talk_search(t, "ellow").count, 0);
    assert_int_equal(talk_search(t, "yel").count, 0);
}

static void escapes_are_text(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = {.kind = ENTRY_MESSAGE,
                              .role = ROLE_USER,
                              .body =
                                  STR("{\"text\":\"caf\\u00e9 one\\ntwo \\\"quoted\\\" tail\"}")};
    struct span span = {9, (uint32_t)(spec.body.n - 11)};

    spec.spans = &span;
    spec.span_count = 1;
    talk_append(t, session, spec);
    assert_int_equal(talk_search(t, "caf\xc3\xa9").count, 1);
    assert_int_equal(talk_search(t, "cafe").count, 1); /* without the accent too */
    assert_int_equal(talk_search(t, "two").count, 1);
    assert_int_equal(talk_search(t, "ntwo").count, 0);
    assert_int_equal(talk_search(t, "quoted").count, 1);
    assert_int_equal(talk_search(t, "u00e9").count, 0);
    assert_int_equal(talk_search(t, "text").count, 0); /* a name in the JSON, not in the span */
}

static void only_spans_are_searched(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = {.kind = ENTRY_MESSAGE,
                              .role = ROLE_USER,
                              .body = STR("{\"a\":\"first\",\"b\":\"second\",\"c\":\"third\"}")};
    struct span spans[] = {{6, 5}, {31, 5}};

    spec.spans = spans;
    spec.span_count = 2;
    talk_append(t, session, spec);
    assert_int_equal(talk_search(t, "first").count, 1);
    assert_int_equal(talk_search(t, "third").count, 1);
    assert_int_equal(talk_search(t, "second").count, 0);
}

static void snippets_show_the_place(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct gathered got;

    talk_say(t, session, ROLE_USER, "the quick brown fox");
    got = talk_search(t, "quick");
    assert_int_equal(got.count, 1);
    CHECK_STR(got.hits[0].snippet, "the \x02quick\x03 brown fox");
    talk_rename(t, session, "Of foxes and hounds");
    got = talk_search(t, "foxes");
    assert_int_equal(got.count, 1);
    CHECK_STR(got.hits[0].snippet, "Of \x02"
                                   "foxes\x03 and hounds");
    CHECK_STR(got.hits[0].message, "");
}

static void rewound_text_is_found(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;

    talk_say(t, session, ROLE_USER, "kept");
    talk_say(t, session, ROLE_USER, "dropped");
    talk_rewind(t, session, before_index(1));
    assert_int_equal(talk_search(t, "dropped").count, 1);
    fork = talk_fork(t, session, at_end()).session.id;
    talk_say(t, fork, ROLE_USER, "branch");
    assert_int_equal(talk_search(t, "kept").count, 1); /* once, not once for each branch */
    assert_true(str_eq(talk_search(t, "branch").hits[0].session, fork));
}

static void titles_are_found_under_their_newest_name(struct talk *t)
{
    struct str session = talk_create(t, "Alpha project"), fork;
    struct gathered got = talk_search(t, "alpha");

    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.hits[0].session, session));
    CHECK_STR(got.hits[0].message, "");
    talk_rename(t, session, "Beta project");
    assert_int_equal(talk_search(t, "alpha").count, 0);
    assert_int_equal(talk_search(t, "beta").count, 1);
    fork = talk_fork(t, session, at_end()).session.id;
    assert_int_equal(talk_search(t, "beta project").count, 2);
    talk_delete(t, session);
    got = talk_search(t, "beta");
    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.hits[0].session, fork));
    talk_delete(t, fork);
    assert_int_equal(talk_search(t, "beta").count, 0);
}

static void deleted_text_is_found_under_what_stands_on_it(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, nested;
    struct gathered got;

    talk_say(t, session, ROLE_USER, "shared");
    talk_say(t, session, ROLE_USER, "alone");
    talk_say(t, session, ROLE_USER, "above");
    fork = talk_fork(t, session, after_index(0)).session.id;
    nested = talk_fork(t, fork, at_end()).session.id;
    assert_int_equal(talk_search(t, "shared").count, 1);
    talk_delete(t, session);
    assert_int_equal(talk_search(t, "alone").count, 0);
    assert_int_equal(talk_search(t, "above").count, 0);
    got = talk_search(t, "shared");
    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.hits[0].session, fork) || str_eq(got.hits[0].session, nested));
    talk_delete(t, fork);
    got = talk_search(t, "shared");
    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.hits[0].session, nested));
    talk_delete(t, nested);
    assert_int_equal(talk_search(t, "shared").count, 0);
}

/* A fork that was made before a message was written does not have it. */
static void a_fork_that_never_had_it_is_not_named(struct talk *t)
{
    struct str session = talk_create(t, "T"), early, late;
    struct gathered got;

    talk_say(t, session, ROLE_USER, "zero");
    early = talk_fork(t, session, at_end()).session.id;
    talk_say(t, session, ROLE_USER, "onlylate");
    late = talk_fork(t, session, at_end()).session.id;
    talk_delete(t, session);
    got = talk_search(t, "onlylate");
    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.hits[0].session, late));
    assert_false(str_eq(got.hits[0].session, early));
}

/* Whatever is typed, it is an answer or FAULT_INVALID. */
static void odd_queries_are_no_errors(struct talk *t)
{
    static const char *const odd[] = {
        "",
        " ",
        "\t\n",
        "*",
        "**",
        "\"",
        "\"\"",
        "\"\"\"",
        "a\"b",
        "\"open",
        "(",
        ")",
        "a AND",
        "OR",
        "NOT x",
        "NEAR(a)",
        "a NEAR/3 b",
        "body : x",
        "who : o1",
        "{a b} : c",
        "^a",
        "-a",
        "+a",
        "a + b",
        "a.b",
        "a,b;c",
        "a'b",
        "--",
        "/*",
        ";",
        "' OR 1=1 --",
        "%",
        "_",
        "\\",
        "a\\b",
        "\xc3\xa4*",
        "\xff",
        "\xc3",
        "\xe2\x82\xac",
        "\x01",
        "a\x7f",
        "col:*",
        "a*b*",
        "*a",
        "\"a\"*",
        "a \"b\" c*",
        "#!$&",
        "AND OR NOT",
        "\xf0\x9f\x8d\xb4",
        "x'00'",
        "NULL",
        "0x10",
        "1e5",
        "[a]",
        "<b>",
    };
    struct str session = talk_create(t, "T");

    talk_say(t, session, ROLE_USER, "a b c x OR AND NOT NEAR body who o1");
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct search_spec spec = {.owner = t->rig.owner, .words = str_of(odd[i]), .limit = 10};
        struct gathered got = {.arena = &t->arena};
        enum fault_code code = store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault);

        if (code != FAULT_OK && code != FAULT_INVALID)
            fail_msg("\"%s\" gave %s: %s", odd[i], fault_name(code), t->fault.message);
    }
    /* every byte twice over, alone and between letters */
    for (int byte = 0; byte < 256; byte++) {
        char text[] = {'a', (char)byte, 'b', (char)byte};
        const struct str forms[] = {{text + 1, 1}, {text, 3}, {text, 4}, {text + 1, 3}};

        for (size_t i = 0; i < 4; i++) {
            struct search_spec spec = {.owner = t->rig.owner, .words = forms[i], .limit = 10};
            struct gathered got = {.arena = &t->arena};
            enum fault_code code =
                store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault);

            if (code != FAULT_OK && code != FAULT_INVALID)
                fail_msg("byte %d, form %zu gave %s: %s", byte, i, fault_name(code),
                         t->fault.message);
        }
    }
    assert_int_equal(talk_search(t, "NEAR").count, 1);
    assert_int_equal(talk_search(t, "body").count, 1);
    assert_int_equal(talk_search(t, "x AND c").count, 1); /* just a word, and it occurs */
    assert_int_equal(talk_search(t, "zzz OR c").count, 0);
}

static void an_empty_query_is_refused(struct talk *t)
{
    struct search_spec spec = {.owner = t->rig.owner, .words = STR("  "), .limit = 10};
    struct gathered got = {.arena = &t->arena};

    CHECK_FAULT(store_search(t->rig.store, &spec, gather_hit, &got, NULL, &t->fault), FAULT_INVALID,
                &t->fault);
}

/* More than one slice of the index at once, and deletions between searches. */
static void many_texts(struct talk *t)
{
    enum { COUNT = 1300 };
    struct str session = talk_create(t, "T"), other = talk_create(t, "U");
    struct entry_spec specs[100];

    for (int i = 0; i < COUNT; i += 100) {
        for (int k = 0; k < 100; k++)
            specs[k] =
                talk_message(t, ROLE_USER, arena_printf(&t->arena, "number%d every", i + k).p);
        talk_batch(t, i % 200 ? session : other, specs, 100);
    }
    for (int i = 0; i < COUNT; i += 97)
        assert_int_equal(talk_search(t, arena_printf(&t->arena, "number%d", i).p).count, 1);
    talk_delete(t, other);
    for (int i = 0; i < COUNT; i += 97)
        assert_int_equal(talk_search(t, arena_printf(&t->arena, "number%d", i).p).count,
                         i / 100 % 2 != 0);
    talk_delete(t, session);
    assert_int_equal(talk_search(t, "every").count, 0);
}

static void search_survives_closing(struct talk *t)
{
    struct str session = talk_create(t, "T"), id;

    talk_say(t, session, ROLE_USER, "before");
    assert_int_equal(talk_search(t, "before").count, 1);
    talk_say(t, session, ROLE_USER, "between");
    if (!t->rig.kind->lasts)
        return;
    id = arena_dup(&t->arena, session);
    rig_reopen(&t->rig);
    assert_int_equal(talk_search(t, "before").count, 1);
    assert_int_equal(talk_search(t, "between").count, 1);
    talk_say(t, id, ROLE_USER, "after");
    assert_int_equal(talk_search(t, "after").count, 1);
}

const struct contract_test search_contract[] = {
    CONTRACT(words_are_found_at_once),
    CONTRACT(the_newest_comes_first),
    CONTRACT(all_words_must_occur),
    CONTRACT(escapes_are_text),
    CONTRACT(only_spans_are_searched),
    CONTRACT(snippets_show_the_place),
    CONTRACT(rewound_text_is_found),
    CONTRACT(titles_are_found_under_their_newest_name),
    CONTRACT(deleted_text_is_found_under_what_stands_on_it),
    CONTRACT(a_fork_that_never_had_it_is_not_named),
    CONTRACT(odd_queries_are_no_errors),
    CONTRACT(an_empty_query_is_refused),
    CONTRACT(many_texts),
    CONTRACT(search_survives_closing),
    {0},
};
