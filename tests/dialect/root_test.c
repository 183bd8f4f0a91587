/* Which dialect answers at the root: every rule by itself, and every path that several have. */
#include "support/check.h"

#include "config/config.h"
#include "dialect/root.h"

enum {
    KAGENT = 1 << ROOT_KAGENT,
    DOCKER = 1 << ROOT_DOCKER_AGENT,
    ASH = 1 << ROOT_ASH,
    ESC = 1 << ROOT_ESC,
    THREE = KAGENT | DOCKER | ASH
};

static struct arena arena;
static struct fault fault;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

/* The home of the session, or the fault when there is none. */
struct home {
    const char *name;
    enum fault_code code;
    int asked;
};

static enum fault_code home_say(void *context, struct str *out, struct fault *said)
{
    struct home *home = context;

    home->asked++;
    if (home->code)
        return fault_set(said, home->code, "there is no home");
    *out = str_of(home->name);
    return FAULT_OK;
}

static void expect(const struct root_question *question, enum root_dialect want)
{
    enum root_dialect got = ROOT_DIALECTS;

    CHECK_OK(root_decide(question, &arena, &got, &fault), &fault);
    assert_int_equal(got, want);
}

static void expect_fault(const struct root_question *question, enum fault_code want,
                         const char *part)
{
    enum root_dialect got;

    CHECK_FAULT(root_decide(question, &arena, &got, &fault), want, &fault);
    if (!strstr(fault.message, part))
        print_error("\"%s\" is not in \"%s\"\n", part, fault.message);
    assert_non_null(strstr(fault.message, part));
}

/* ---- rule 1 ---- */

static void a_name_decides(void **state)
{
    static const char *const names[] = {"kagent", "docker-agent", "ash", "esc"};
    struct home home = {.name = "ash"};

    (void)state;
    for (int i = 0; i < ROOT_DIALECTS; i++) {
        struct root_question question = {.has = THREE,
                                         .call = ROOT_FORK,
                                         .named = str_of(names[i]),
                                         .body = STR("no JSON at all"),
                                         .user = true,
                                         .home = home_say,
                                         .context = &home};

        expect(&question, (enum root_dialect)i);
        question.has = ASH; /* also where another is the only one: it says itself what it has not */
        expect(&question, (enum root_dialect)i);
    }
    assert_int_equal(home.asked, 0);
}

static void a_name_that_is_none_is_refused(void **state)
{
    static const char *const names[] = {"", "native", "a2a", "Kagent", "kagent ", "root", "smoke"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct root_question question = {.has = ASH, .named = str_of(names[i])};

        expect_fault(&question, FAULT_INVALID, names[i]);
        assert_false(root_knows(str_of(names[i])));
    }
}

static void the_configuration_names_the_same(void **state)
{
    size_t n = 0;

    (void)state;
    for (; config_dialects[n]; n++)
        assert_true(root_knows(str_of(config_dialects[n])));
    assert_int_equal(n, ROOT_DIALECTS);
}

/* ---- rule 2 ---- */

static void the_only_one_decides(void **state)
{
    (void)state;
    for (int i = 0; i < ROOT_DIALECTS; i++) {
        struct root_question question = {.has = 1U << i,
                                         .call = ROOT_FORK,
                                         .body = STR("{\"message_index\": 1, \"smoke\": 2}"),
                                         .user = true};

        expect(&question, (enum root_dialect)i);
    }
}

/* ---- rule 3 ---- */

static void a_word_of_a_fork_decides(void **state)
{
    static const struct {
        const char *body;
        enum root_dialect dialect;
    } rows[] = {
        {"{\"rewind_before_invocation_id\": \"e-1\"}", ROOT_KAGENT},
        {"{\"message_index\": 3}", ROOT_DOCKER_AGENT},
        {"{\"user_message_index\": 3}", ROOT_DOCKER_AGENT},
        {"{\"user_message_index\": 3, \"message_index\": null}", ROOT_DOCKER_AGENT},
        {"{\"messageId\": \"m1\"}", ROOT_ASH},
        {"{\"sequence\": 2}", ROOT_ASH},
        {"{\"workspace\": \"live\"}", ROOT_ASH},
        {"{\"workspace\": \"live\", \"sequence\": \"of a wrong type\"}", ROOT_ASH},
        {"{\"mess\\u0061geId\": \"m1\"}", ROOT_ASH},
    };
    struct home home = {.name = "kagent"};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct root_question question = {.has = THREE,
                                         .call = ROOT_FORK,
                                         .body = str_of(rows[i].body),
                                         .user = true,
                                         .home = home_say,
                                         .context = &home};

        expect(&question, rows[i].dialect);
    }
    assert_int_equal(home.asked, 0);
}

static void other_words_of_a_fork_are_refused(void **state)
{
    static const struct {
        const char *body, *part;
    } rows[] = {
        {"{\"messageId\": \"m1\", \"message_index\": 1}", "\"messageId\" is a word of ash"},
        {"{\"messageId\": \"m1\", \"message_index\": 1}", "\"message_index\" one of docker-agent"},
        {"{\"sequence\": 1, \"rewind_before_invocation_id\": \"x\"}",
         "\"rewind_before_invocation_id\" one of kagent"},
        {"{\"before\": 2}", "\"before\" is no word of a fork"},
        {"{\"message_index\": 1, \"messageid\": 2}", "\"messageid\" is no word"},
        {"{\"\": 1}", "\"\" is no word"},
    };
    struct home home = {.name = "ash"};
    enum root_dialect teller;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct root_question question = {.has = THREE,
                                         .call = ROOT_FORK,
                                         .body = str_of(rows[i].body),
                                         .user = true,
                                         .home = home_say,
                                         .context = &home};

        expect_fault(&question, FAULT_INVALID, rows[i].part);
        assert_int_equal(home.asked, i);
        assert_true(root_teller(&question, &teller));
        assert_int_equal(teller, ROOT_ASH);
        question.has = KAGENT | DOCKER;
        question.home = NULL;
        assert_false(root_teller(&question, &teller));
    }
}

/* The dialect in which the session was born refuses it; else the root does. */
static void a_body_without_words_is_for_the_home_to_refuse(void **state)
{
    static const struct {
        const char *body, *part;
    } rows[] = {
        {"{", "not valid JSON"},
        {"{\"sequence\": 1}}", "not valid JSON"},
        {"[]", "must be an object"},
        {"null", "must be an object"},
    };
    static const struct {
        const char *home;
        enum root_dialect dialect;
    } homes[] = {{"kagent", ROOT_KAGENT},
                 {"a2a", ROOT_KAGENT},
                 {"docker-agent", ROOT_DOCKER_AGENT},
                 {"ash", ROOT_ASH}};
    static const char *const others[] = {"", "esc", "smoke"};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct home home = {.name = ""};
        struct root_question question = {.has = THREE,
                                         .call = ROOT_FORK,
                                         .body = str_of(rows[i].body),
                                         .user = true,
                                         .home = home_say,
                                         .context = &home};

        for (size_t j = 0; j < sizeof(homes) / sizeof(homes[0]); j++) {
            home.name = homes[j].home;
            expect(&question, homes[j].dialect);
        }
        for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
            home.name = others[j];
            expect_fault(&question, FAULT_INVALID, rows[i].part);
        }
        home.code = FAULT_SESSION_NOT_FOUND;
        expect_fault(&question, FAULT_INVALID, rows[i].part);
        home = (struct home){.name = "ash"};
        question.has = KAGENT | DOCKER;
        expect_fault(&question, FAULT_INVALID, rows[i].part);
        question.call = ROOT_CREATE;
        question.home = NULL;
        expect_fault(&question, FAULT_INVALID, rows[i].part);
    }
}

static void a_word_decides_whose_a_new_session_is(void **state)
{
    static const struct {
        const char *body;
        enum root_dialect dialect;
    } rows[] = {
        {"{\"agent_ref\": \"a/b\", \"name\": \"x\"}", ROOT_KAGENT},
        {"{\"name\": \"x\", \"agent\": \"y\", \"agent_ref\": \"a/b\"}", ROOT_KAGENT},
        {"{\"model\": \"m\", \"agent\": \"y\"}", ROOT_ASH},
        {"{\"title\": \"x\", \"max_iterations\": 3}", ROOT_DOCKER_AGENT},
        {"{\"permissions\": {\"agent\": 1}}", ROOT_DOCKER_AGENT},
        {"{}", ROOT_DOCKER_AGENT},
        {"", ROOT_DOCKER_AGENT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct root_question question = {
            .has = THREE, .call = ROOT_CREATE, .body = str_of(rows[i].body), .user = true};

        expect(&question, rows[i].dialect);
    }
}

static void a_word_of_one_that_has_not_the_path_is_none(void **state)
{
    struct root_question fork = {
        .has = KAGENT | ASH, .call = ROOT_FORK, .body = STR("{\"message_index\": 1}")};
    struct root_question create = {
        .has = DOCKER | KAGENT, .call = ROOT_CREATE, .body = STR("{\"agent\": \"x\"}")};

    (void)state;
    expect_fault(&fork, FAULT_INVALID, "\"message_index\" is no word");
    expect(&create, ROOT_DOCKER_AGENT);
}

/* ---- rule 4 ---- */

static void the_home_of_the_session_decides(void **state)
{
    static const struct {
        const char *home;
        enum root_call call;
        enum root_dialect dialect;
    } rows[] = {
        {"kagent", ROOT_OTHER, ROOT_KAGENT},
        {"kagent", ROOT_FORK, ROOT_KAGENT},
        {"a2a", ROOT_OTHER, ROOT_KAGENT},
        {"a2a", ROOT_FORK, ROOT_KAGENT},
        {"ash", ROOT_OTHER, ROOT_ASH},
        {"ash", ROOT_FORK, ROOT_ASH},
        {"docker-agent", ROOT_FORK, ROOT_DOCKER_AGENT},
        {"docker-agent", ROOT_OTHER, ROOT_DOCKER_AGENT},
        {"", ROOT_OTHER, ROOT_DOCKER_AGENT},
        {"", ROOT_FORK, ROOT_ASH},
        {"esc", ROOT_OTHER, ROOT_DOCKER_AGENT},
        {"esc", ROOT_FORK, ROOT_ASH},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int j = 0; j < 2; j++) {
            struct home home = {.name = rows[i].home};
            struct root_question question = {.has = THREE,
                                             .call = rows[i].call,
                                             .body = j ? STR("{}") : STR(""),
                                             .user = true,
                                             .home = home_say,
                                             .context = &home};

            expect(&question, rows[i].dialect);
            assert_int_equal(home.asked, 1);
        }
}

static void a_home_without_the_path_does_not_decide(void **state)
{
    struct home home = {.name = "ash"};
    struct root_question question = {
        .has = KAGENT | DOCKER, .home = home_say, .context = &home, .user = true};

    (void)state;
    expect(&question, ROOT_KAGENT);
    question.user = false;
    expect_fault(&question, FAULT_UNDECIDED, "Tine-Dialect");
    home.name = "";
    question.has = KAGENT | ASH;
    expect_fault(&question, FAULT_UNDECIDED, "Tine-Dialect");
}

static void a_session_that_is_not_there_does_not_decide(void **state)
{
    static const enum fault_code codes[] = {FAULT_SESSION_NOT_FOUND, FAULT_AMBIGUOUS};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct home home = {.code = codes[i]};
        struct root_question question = {
            .has = THREE, .call = ROOT_FORK, .home = home_say, .context = &home, .user = true};

        expect(&question, ROOT_KAGENT);
        question.user = false;
        expect_fault(&question, FAULT_UNDECIDED, "several dialects");
    }
}

static void a_store_that_fails_is_a_fault(void **state)
{
    struct home home = {.code = FAULT_BUSY};
    struct root_question question = {
        .has = THREE, .home = home_say, .context = &home, .user = true};

    (void)state;
    expect_fault(&question, FAULT_BUSY, "there is no home");
}

/* ---- rule 5 ---- */

static void a_user_is_kagents_way(void **state)
{
    struct root_question question = {.has = THREE, .user = true};

    (void)state;
    expect(&question, ROOT_KAGENT);
    question.user = false;
    expect_fault(&question, FAULT_UNDECIDED, "several dialects");
    question = (struct root_question){.has = DOCKER | ASH, .user = true};
    expect_fault(&question, FAULT_UNDECIDED, "several dialects");
}

/* ---- the tables ---- */

static int dialects_in(unsigned has)
{
    return __builtin_popcount(has);
}

/*
 * A path that several have must be one that a rule can decide: it has words, it names a session, or
 * somebody has written down that only the user decides it.
 */
static void every_shared_path_is_decided(void **state)
{
    size_t count, shared = 0, bad = 0;
    const struct root_path *paths = root_paths(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct root_path *path = &paths[i];
        bool words = path->call != ROOT_OTHER;

        if (dialects_in(path->has) < 2)
            continue;
        shared++;
        if (words + (path->session >= 0 && !words) + path->by_user == 1)
            continue;
        print_error("%s %s is not decided, or twice\n", request_method_name(path->method),
                    path->path);
        bad++;
    }
    assert_int_equal(bad, 0);
    assert_true(shared > 5);
}

static void every_dialect_has_a_word_for_its_fork(void **state)
{
    size_t count, forks = 0;
    const struct root_path *paths = root_paths(&count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (int d = 0;
             paths[i].call == ROOT_FORK && dialects_in(paths[i].has) > 1 && d < ROOT_DIALECTS;
             d++) {
            if (!(paths[i].has & 1U << d))
                continue;
            forks++;
            assert_non_null(root_word(ROOT_FORK, (enum root_dialect)d, 0));
            assert_true(paths[i].session >= 0);
        }
    assert_int_equal(forks, 3); /* of kagent, docker-agent and ash */
}

static void no_word_is_two_dialects(void **state)
{
    static const enum root_call calls[] = {ROOT_FORK, ROOT_CREATE};
    const char *word, *other;

    (void)state;
    for (int c = 0; c < 2; c++)
        for (int d = 0; d < ROOT_DIALECTS; d++)
            for (size_t i = 0; (word = root_word(calls[c], (enum root_dialect)d, i)); i++)
                for (int e = d + 1; e < ROOT_DIALECTS; e++)
                    for (size_t j = 0; (other = root_word(calls[c], (enum root_dialect)e, j)); j++)
                        assert_string_not_equal(word, other);
}

static const struct route_table *table_named(const char *name, const char *prefix)
{
    size_t count;
    const struct route_table *const *tables = root_tables(&count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(tables[i]->name, name) == 0 && strcmp(tables[i]->prefix, prefix) == 0)
            return tables[i];
    return NULL;
}

static void all_tables_are_there_once(void **state)
{
    size_t count;
    const struct route_table *const *tables = root_tables(&count);

    (void)state;
    assert_non_null(table_named("native", "/api/v1"));
    assert_non_null(table_named("service", ""));
    assert_non_null(table_named("root", ""));
    for (size_t i = 0; config_dialects[i]; i++) {
        const char *name = config_dialects[i];
        const char *prefix = strcmp(name, "esc") == 0 ? "" : arena_printf(&arena, "/%s", name).p;

        if (!table_named(name, prefix))
            print_error("there is no table %s at \"%s\"\n", name, prefix);
        assert_non_null(table_named(name, prefix));
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(tables[i], tables[j]);
}

/* What any of them would let in comes in at the root. */
static void the_root_takes_what_any_takes(void **state)
{
    size_t count;
    const struct route_table *const *tables = root_tables(&count);
    const struct route_table *root = table_named("root", "");

    (void)state;
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; root_knows(str_of(tables[t]->name)) && i < tables[t]->count; i++) {
            const struct route *route = &tables[t]->routes[i];
            char path[256];
            struct request request = {.method = route->method};
            struct route_match match;
            size_t n = 0;

            for (const char *p = route->path; *p && n < sizeof(path) - 1; p++) {
                if (*p == '{') {
                    path[n++] = 'x';
                    p = strchr(p, '}');
                } else {
                    path[n++] = *p;
                }
            }
            request.raw_path = request.path = (struct str){path, n};
            CHECK_OK(route_find(&root, 1, &request, STR("smoke=1"), &arena, &match, &fault),
                     &fault);
            assert_true(match.route->body_max >= route->body_max);
            assert_true(match.route->right <= route->right);
            assert_int_equal(match.route->where, ROUTE_WORK);
        }
}

static void the_root_has_nothing_of_the_native_api(void **state)
{
    const struct route_table *root = table_named("root", "");

    (void)state;
    for (size_t i = 0; i < root->count; i++) {
        assert_false(str_starts(str_of(root->routes[i].path), STR("/api/v1/")));
        assert_string_not_equal(root->routes[i].path, "/metrics");
        assert_string_not_equal(root->routes[i].path, "/healthz");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_decides, begin, end),
        cmocka_unit_test_setup_teardown(a_name_that_is_none_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_configuration_names_the_same, begin, end),
        cmocka_unit_test_setup_teardown(the_only_one_decides, begin, end),
        cmocka_unit_test_setup_teardown(a_word_of_a_fork_decides, begin, end),
        cmocka_unit_test_setup_teardown(other_words_of_a_fork_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_body_without_words_is_for_the_home_to_refuse, begin, end),
        cmocka_unit_test_setup_teardown(a_word_decides_whose_a_new_session_is, begin, end),
        cmocka_unit_test_setup_teardown(a_word_of_one_that_has_not_the_path_is_none, begin, end),
        cmocka_unit_test_setup_teardown(the_home_of_the_session_decides, begin, end),
        cmocka_unit_test_setup_teardown(a_home_without_the_path_does_not_decide, begin, end),
        cmocka_unit_test_setup_teardown(a_session_that_is_not_there_does_not_decide, begin, end),
        cmocka_unit_test_setup_teardown(a_store_that_fails_is_a_fault, begin, end),
        cmocka_unit_test_setup_teardown(a_user_is_kagents_way, begin, end),
        cmocka_unit_test_setup_teardown(every_shared_path_is_decided, begin, end),
        cmocka_unit_test_setup_teardown(every_dialect_has_a_word_for_its_fork, begin, end),
        cmocka_unit_test_setup_teardown(no_word_is_two_dialects, begin, end),
        cmocka_unit_test_setup_teardown(all_tables_are_there_once, begin, end),
        cmocka_unit_test_setup_teardown(the_root_takes_what_any_takes, begin, end),
        cmocka_unit_test_setup_teardown(the_root_has_nothing_of_the_native_api, begin, end),
    };

    return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
