/* The family of a session as rows: order, lines, folding, what is looked for, columns. */
#include "support/check.h"

#include "base/buf.h"
#include "support/chance.h"
#include "tui/tree_rows.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY = 3000 };

static const struct tine_parent of_root = {.session = "root"}, of_left = {.session = "left"},
                                of_gone = {.session = "gone"};
static const struct tine_label best = {.label = "best", .message = "m9", .index = 8};
static const struct tine_message asked = {.id = "r1"}, asked_more = {.id = "r2"};
static const struct tine_rewound away[] = {{.index = 2, .messages = 3, .first = &asked},
                                           {.index = 4, .messages = 1, .first = &asked_more}};

/* A root with two forks, the first of which has one; and one whose source is gone. */
static const struct tine_session family[] = {
    {.id = "root", .title = "Import", .agent = "tine/shell", .rewound = away, .rewound_count = 2},
    {.id = "right", .title = "By machine", .agent = "", .parent = &of_root, .index = 6},
    {.id = "leaf",
     .title = "With care",
     .agent = "",
     .parent = &of_left,
     .index = 5,
     .rewound = away,
     .rewound_count = 1},
    {.id = "left",
     .title = "By hand",
     .agent = "",
     .parent = &of_root,
     .index = 4,
     .labels = &best,
     .label_count = 1},
    {.id = "orphan", .title = "Ärger", .agent = "", .parent = &of_gone, .index = 2},
};

static bool is_in(void *context, const char *session)
{
    return strstr(context, session) != NULL;
}

/* The rows as text, one each: lines, title or stretch, "+n" for what is folded, "!" for a match. */
static struct str drawn(const struct tine_session *sessions, size_t count,
                        const struct tree_rows_options *options, struct arena *arena)
{
    struct tree tree;
    struct tree_rows rows;
    struct buf text;

    tree_order(sessions, count, "leaf", arena, &tree);
    tree_rows_make(&tree, options, arena, &rows);
    buf_init(&text, 1024 * 1024);
    for (size_t i = 0; i < rows.count; i++) {
        const struct tree_row *row = &rows.rows[i];

        buf_add_str(&text, tree_row_lead(row, 1000, arena));
        if (row->rewound)
            buf_add_text(&text, row->rewound->first->id);
        else
            buf_add_text(&text, tree.members[row->member].session->title);
        if (row->hidden)
            buf_add_format(&text, " +%zu", row->hidden);
        buf_add_text(&text, row->matches ? "!\n" : "\n");
    }
    return buf_take(&text, arena);
}

static void forks_stand_behind_their_source(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(drawn(family, 5, &(struct tree_rows_options){0}, &arena), "Import\n"
                                                                        "├─ By hand\n"
                                                                        "│  └─ With care\n"
                                                                        "└─ By machine\n"
                                                                        "Ärger\n");
    arena_clear(&arena);
}

static void stretches_stand_below_their_session(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(drawn(family, 5, &(struct tree_rows_options){.rewound = true}, &arena),
              "Import\n"
              "│┄ r1\n"
              "│┄ r2\n"
              "├─ By hand\n"
              "│  └─ With care\n"
              "│      ┄ r1\n"
              "└─ By machine\n"
              "Ärger\n");
    arena_clear(&arena);
}

static void the_path_leads_to_the_current_one(void **state)
{
    struct arena arena;
    struct tree tree;

    (void)state;
    arena_init(&arena);
    tree_order(family, 5, "leaf", &arena, &tree);
    for (size_t i = 0; i < tree.count; i++) {
        const char *id = tree.members[i].session->id;

        assert_int_equal(tree.members[i].on_path, strcmp(id, "root") == 0 ||
                                                      strcmp(id, "left") == 0 ||
                                                      strcmp(id, "leaf") == 0);
    }
    tree_order(family, 5, NULL, &arena, &tree);
    for (size_t i = 0; i < tree.count; i++)
        assert_false(tree.members[i].on_path);
    arena_clear(&arena);
}

static void folded_ones_say_how_many(void **state)
{
    char root[] = "root", left[] = "left";
    struct tree_rows_options options = {.folded = is_in, .context = root, .rewound = true};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(drawn(family, 5, &options, &arena), "Import +3\nÄrger\n");
    options.context = left;
    options.rewound = false;
    CHECK_STR(drawn(family, 5, &options, &arena), "Import\n"
                                                  "├─ By hand +1\n"
                                                  "└─ By machine\n"
                                                  "Ärger\n");
    arena_clear(&arena);
}

static void a_search_shows_the_way_to_what_it_finds(void **state)
{
    char root[] = "root";
    struct tree_rows_options options = {
        .filter = STR("CARE"), .folded = is_in, .context = root, .rewound = false};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(drawn(family, 5, &options, &arena), "Import\n"
                                                  "└─ By hand\n"
                                                  "   └─ With care!\n");
    options.filter = STR("by ");
    CHECK_STR(drawn(family, 5, &options, &arena), "Import\n"
                                                  "├─ By hand!\n"
                                                  "└─ By machine!\n");
    options.filter = STR("nothing has this");
    CHECK_STR(drawn(family, 5, &options, &arena), "");
    arena_clear(&arena);
}

static void titles_ids_labels_and_agents_match(void **state)
{
    (void)state;
    assert_true(tree_matches(&family[0], STR("impo")));
    assert_true(tree_matches(&family[0], STR("ROOT")));
    assert_true(tree_matches(&family[0], STR("shell")));
    assert_true(tree_matches(&family[3], STR("Best")));
    assert_false(tree_matches(&family[1], STR("Best")));
    assert_true(tree_matches(&family[4], STR("Ärger")));
    assert_false(tree_matches(&family[0], STR("imports")));
}

static void rows_are_found_again(void **state)
{
    char left[] = "left";
    struct tree_rows_options options = {.rewound = true};
    struct arena arena;
    struct tree tree;
    struct tree_rows rows;

    (void)state;
    arena_init(&arena);
    tree_order(family, 5, "leaf", &arena, &tree);
    tree_rows_make(&tree, &options, &arena, &rows);
    assert_int_equal(tree_rows_find(&tree, &rows, "root", NULL, 99), 0);
    assert_int_equal(tree_rows_find(&tree, &rows, "root", "r2", 99), 2);
    assert_int_equal(tree_rows_find(&tree, &rows, "leaf", NULL, 99), 4);
    assert_int_equal(tree_rows_find(&tree, &rows, "nobody", NULL, 99), 99);
    options = (struct tree_rows_options){.folded = is_in, .context = left};
    tree_rows_make(&tree, &options, &arena, &rows);
    assert_int_equal(tree_rows_find(&tree, &rows, "leaf", NULL, 99),
                     1); /* what it is folded into */
    assert_int_equal(tree_rows_find(&tree, &rows, "root", "r2", 99), 0); /* not shown */
    arena_clear(&arena);
}

static void matches_are_gone_through_in_a_circle(void **state)
{
    struct tree_rows_options options = {.filter = STR("by ")};
    struct arena arena;
    struct tree tree;
    struct tree_rows rows;

    (void)state;
    arena_init(&arena);
    tree_order(family, 5, NULL, &arena, &tree);
    tree_rows_make(&tree, &options, &arena, &rows);
    assert_int_equal(rows.matches, 2);
    assert_int_equal(tree_rows_next(&rows, 0, 1), 1);
    assert_int_equal(tree_rows_next(&rows, 1, 1), 2);
    assert_int_equal(tree_rows_next(&rows, 2, 1), 1);
    assert_int_equal(tree_rows_next(&rows, 1, -1), 2);
    options.filter = STR_NONE;
    tree_rows_make(&tree, &options, &arena, &rows);
    assert_int_equal(tree_rows_next(&rows, 3, 1), 3);
    arena_clear(&arena);
}

static void nobody_is_no_rows(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(drawn(family, 0, &(struct tree_rows_options){0}, &arena), "");
    arena_clear(&arena);
}

/* Sessions that are each other's source would never end. */
static void a_circle_is_left_out(void **state)
{
    static const struct tine_parent of_a = {.session = "a"}, of_b = {.session = "b"};
    static const struct tine_session circle[] = {
        {.id = "a", .title = "A", .agent = "", .parent = &of_b},
        {.id = "b", .title = "B", .agent = "", .parent = &of_a},
        {.id = "c", .title = "C", .agent = ""},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(drawn(circle, 3, &(struct tree_rows_options){0}, &arena), "C\n");
    arena_clear(&arena);
}

/* ---- many of them ---- */

struct crowd {
    struct tine_session sessions[MANY];
    struct tine_parent parents[MANY];
    char ids[MANY][16];
};

/* Each forks one that came before it; with `deep` mostly the one just before. */
static struct crowd *crowd_new(struct chance *chance, bool deep)
{
    struct crowd *crowd = calloc(1, sizeof(*crowd));

    assert_non_null(crowd);
    for (int i = 0; i < MANY; i++) {
        int of = i == 0 ? 0 : deep && chance_of(chance, 95) ? i - 1 : chance_below(chance, i);

        snprintf(crowd->ids[i], sizeof(crowd->ids[i]), "s%d", i);
        crowd->sessions[i] = (struct tine_session){
            .id = crowd->ids[i], .title = crowd->ids[i], .agent = "", .index = i};
        crowd->parents[i].session = crowd->ids[of];
        if (i > 0)
            crowd->sessions[i].parent = &crowd->parents[i];
    }
    return crowd;
}

/* Every row stands somewhere behind its source, one deeper, and its lines say what follows. */
static void check_lines(const struct tree *tree, const struct tree_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct tree_row *row = &rows->rows[i];
        const struct tree_member *member = &tree->members[row->member];
        bool another = false;

        assert_int_equal(row->depth,
                         member->depth < TREE_DEPTH_MAX ? member->depth : TREE_DEPTH_MAX);
        if (member->depth == 0)
            continue;
        assert_true(member->parent < row->member);
        assert_int_equal(member->depth, tree->members[member->parent].depth + 1);
        for (size_t j = i + 1; j < rows->count && !another; j++) {
            const struct tree_member *later = &tree->members[rows->rows[j].member];

            if (later->depth < member->depth)
                break;
            another = later->parent == member->parent;
        }
        assert_int_equal(row->last, !another);
        if (member->depth <= TREE_DEPTH_MAX)
            assert_int_equal((row->through >> member->depth) & 1, another);
    }
}

static void crowds_are_put_in_order(void **state)
{
    struct chance chance = {.state = 20260516};

    (void)state;
    for (int round = 0; round < 2; round++) {
        struct crowd *crowd = crowd_new(&chance, round == 1);
        struct arena arena;
        struct tree tree;
        struct tree_rows rows;

        arena_init(&arena);
        tree_order(crowd->sessions, MANY, "s2999", &arena, &tree);
        assert_int_equal(tree.count, MANY);
        tree_rows_make(&tree, &(struct tree_rows_options){0}, &arena, &rows);
        assert_int_equal(rows.count, MANY);
        check_lines(&tree, &rows);
        tree_rows_make(&tree, &(struct tree_rows_options){.filter = STR("s17")}, &arena, &rows);
        assert_int_equal(rows.matches, 111); /* s17, s170 …, s1700 … */
        check_lines(&tree, &rows);
        arena_clear(&arena);
        free(crowd);
    }
}

static void deep_rows_are_cut_at_the_left(void **state)
{
    struct tree_row row = {.depth = 5, .through = 1U << 2 | 1U << 5};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(tree_row_lead(&row, 100, &arena), "   │        ├─ ");
    CHECK_STR(tree_row_lead(&row, 9, &arena), "…     ├─ ");
    CHECK_STR(tree_row_lead(&row, 0, &arena), "├─ ");
    arena_clear(&arena);
}

/* ---- columns ---- */

static void narrow_windows_have_fewer_columns(void **state)
{
    struct tree_columns wide = tree_columns_fit(120), narrow = tree_columns_fit(60);
    int before = 0;

    (void)state;
    assert_true(wide.tokens && wide.cost && wide.files);
    assert_false(narrow.tokens || narrow.cost || narrow.files);
    assert_int_equal(narrow.width, TREE_MESSAGES_COLUMNS + TREE_AGE_COLUMNS);
    for (int columns = 20; columns < 150; columns++) {
        struct tree_columns fit = tree_columns_fit(columns);
        int n = fit.tokens + fit.cost + fit.files;

        assert_true(n >= before); /* … from the right */
        assert_true(!fit.files || fit.cost);
        assert_true(!fit.cost || fit.tokens);
        before = n;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forks_stand_behind_their_source),
        cmocka_unit_test(stretches_stand_below_their_session),
        cmocka_unit_test(the_path_leads_to_the_current_one),
        cmocka_unit_test(folded_ones_say_how_many),
        cmocka_unit_test(a_search_shows_the_way_to_what_it_finds),
        cmocka_unit_test(titles_ids_labels_and_agents_match),
        cmocka_unit_test(rows_are_found_again),
        cmocka_unit_test(matches_are_gone_through_in_a_circle),
        cmocka_unit_test(nobody_is_no_rows),
        cmocka_unit_test(a_circle_is_left_out),
        cmocka_unit_test(crowds_are_put_in_order),
        cmocka_unit_test(deep_rows_are_cut_at_the_left),
        cmocka_unit_test(narrow_windows_have_fewer_columns),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests_name("tree_rows", tests, NULL, NULL);
}
