/* Messages as they are shown: headings, parts, folded and open, and those that make no sense. */
#include "laid.h"
#include "support/check.h"

#include "tui/message_lay.h"

#include <locale.h>
#include <stdlib.h>

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static struct tine_part text_part(const char *type, const char *text)
{
    return (struct tine_part){.type = type, .text = text, .text_bytes = strlen(text)};
}

static struct tine_message message_of(const char *role, const struct tine_part *parts, size_t count)
{
    return (struct tine_message){.id = "m",
                                 .index = 3,
                                 .kind = "message",
                                 .role = role,
                                 .parts = parts,
                                 .part_count = count};
}

static void check(const struct tine_message *message, struct message_lay_options options,
                  const char *want)
{
    struct laid laid = message_lay(message, &options, &arena);

    assert_string_equal(laid_text(laid, options.width, &arena), want);
}

static void a_persons_text_is_plain(void **state)
{
    struct tine_part part = text_part("text", "fix *this*:\n  indented\n\nplease do it soon");
    struct tine_message message = message_of("user", &part, 1);
    struct laid laid;

    (void)state;
    check(&message, (struct message_lay_options){.width = 16},
          "You\n  fix *this*:\n    indented\n\n  please do it\n  soon\n");
    laid = message_lay(&message, &(struct message_lay_options){.width = 40}, &arena);
    CHECK_LOOK(laid, "You", TONE_USER, LOOK_BOLD);
}

static void an_agents_text_is_markdown(void **state)
{
    struct tine_part part = text_part("text", "**bold**\n- a");
    struct tine_message message = message_of("assistant", &part, 1);
    struct laid laid = message_lay(&message, &(struct message_lay_options){.width = 40}, &arena);

    (void)state;
    assert_string_equal(laid_text(laid, 40, &arena), "Assistant\n  bold\n\n  • a\n");
    CHECK_LOOK(laid, "Assistant", TONE_ASSISTANT, LOOK_BOLD);
    CHECK_LOOK(laid, "bold", TONE_TEXT, LOOK_BOLD);
}

static void headings_say_what_is_known(void **state)
{
    struct tine_part part = text_part("text", "hi");
    struct tine_message message = message_of("user", &part, 1);

    (void)state;
    message.created_ms = 1000000;
    check(&message, (struct message_lay_options){.width = 60, .numbered = true, .label = "plan"},
          "You (message 4)  @plan\n  hi\n");
    check(&message, (struct message_lay_options){.width = 60, .now_ms = 1000000 + 5 * 60 * 1000},
          "You  5m\n  hi\n");
    message.index = -1;
    check(&message, (struct message_lay_options){.width = 60, .numbered = true}, "You\n  hi\n");
}

static void reasoning_is_dim(void **state)
{
    struct tine_part parts[] = {text_part("reasoning", "let me see"), text_part("text", "done")};
    struct tine_message message = message_of("assistant", parts, 2);
    struct laid laid = message_lay(&message, &(struct message_lay_options){.width = 40}, &arena);

    (void)state;
    assert_string_equal(laid_text(laid, 40, &arena),
                        "Assistant\n  thinking\n  │ let me see\n\n  done\n");
    CHECK_LOOK(laid, "let me see", TONE_FAINT, LOOK_DIM | LOOK_ITALIC);
}

static void calls_are_folded_to_a_line(void **state)
{
    struct tine_part parts[] = {
        text_part("text", "look:"),
        {.type = "tool_call", .name = "bash", .arguments = "{\"command\":\"ls -la\\nrm x\"}"},
        {.type = "tool_call", .name = "edit", .arguments = "{\"path\":\"a.c\",\"line\":3}"},
        {.type = "tool_call", .name = "list", .arguments = "{}"},
        {.type = "tool_call", .arguments = "not JSON"},
    };
    struct tine_message message = message_of("assistant", parts, 5);

    (void)state;
    check(&message, (struct message_lay_options){.width = 40},
          "Assistant\n  look:\n\n  ▸ bash  ls -la rm x\n  ▸ edit  path=a.c line=3\n  ▸ list\n"
          "  ▸ tool  not JSON\n");
    check(&message, (struct message_lay_options){.width = 16},
          "Assistant\n  look:\n\n  ▸ bash  ls -l…\n  ▸ edit  path=…\n  ▸ list\n"
          "  ▸ tool  not J…\n");
}

static void open_calls_show_their_arguments(void **state)
{
    struct tine_part part = {.type = "tool_call",
                             .name = "bash",
                             .arguments = "{\"command\":\"ls\\n\\tpwd\",\"n\":[1,2],\"s\":\"\"}"};
    struct tine_message message = message_of("assistant", &part, 1);

    (void)state;
    check(&message, (struct message_lay_options){.width = 40, .open = true},
          "Assistant\n  ▾ bash\n  │ command:\n  │   ls\n  │       pwd\n  │ n: [1,2]\n  │ s:\n");
}

static void results_are_folded_to_a_line(void **state)
{
    struct tine_part parts[] = {
        text_part("tool_result", "\n  first line\nsecond\nthird\n"),
        text_part("tool_result", "no such file"),
        text_part("tool_result", ""),
    };
    struct tine_message message = message_of("tool", parts, 3);
    struct laid laid;

    (void)state;
    parts[1].error = true;
    laid = message_lay(&message, &(struct message_lay_options){.width = 40}, &arena);
    assert_string_equal(laid_text(laid, 40, &arena),
                        "Tool\n  ▸ result  first line (4 lines)\n  ▸ failed  no such file\n"
                        "  ▸ result  (nothing)\n");
    CHECK_LOOK(laid, "first line", TONE_FAINT, 0);
    CHECK_LOOK(laid, "no such file", TONE_BAD, 0);
    check(&message, (struct message_lay_options){.width = 30, .open = true},
          "Tool\n  ▾ result (4 lines)\n  │\n  │   first line\n  │ second\n  │ third\n"
          "  ▾ failed\n  │ no such file\n  ▾ result\n  │\n");
}

static void a_long_output_is_cut(void **state)
{
    enum { LINES = 1200 };
    char *text = arena_alloc(&arena, 2 * LINES + 1);
    struct tine_part part;
    struct tine_message message;
    struct laid laid;

    (void)state;
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 2 * i, "x\n", 2);
    part = text_part("tool_result", text);
    message = message_of("tool", &part, 1);
    laid = message_lay(&message, &(struct message_lay_options){.width = 40, .open = true}, &arena);
    assert_int_equal(laid.count, 2 + 500 + 1);
    assert_non_null(strstr(laid_text(laid, 40, &arena), "… 700 more lines"));
}

static void a_long_text_is_cut(void **state)
{
    enum { BYTES = 2 * 1024 * 1024 };
    char *text = malloc(BYTES + 1);
    struct tine_part part;
    struct tine_message message;
    struct laid laid;

    (void)state;
    memset(text, 'x', BYTES);
    text[BYTES] = '\0';
    part = text_part("text", text);
    message = message_of("user", &part, 1);
    laid = message_lay(&message, &(struct message_lay_options){.width = 102}, &arena);
    assert_non_null(strstr(laid_text(laid, 102, &arena), "… 1536 KiB more"));
    free(text);
}

/* However many parts there are, what is shown has an end. */
static void many_long_parts_are_cut(void **state)
{
    enum { PARTS = 600, LINES = 100 * 1000 };
    struct tine_part *parts = arena_array(&arena, PARTS, sizeof(*parts));
    char *text = arena_alloc(&arena, LINES + 1);
    struct tine_message message = message_of("user", parts, PARTS);
    struct laid laid;

    (void)state;
    memset(text, '\n', LINES);
    for (size_t i = 0; i < PARTS; i++)
        parts[i] = text_part(i % 2 ? "text" : "tool_result", text);
    laid = message_lay(&message, &(struct message_lay_options){.width = 40, .open = true}, &arena);
    assert_in_range(laid.count, 40 * 1000, 45 * 1000);
    assert_non_null(strstr(laid_text(laid, 40, &arena), "… 100 more parts"));
}

static void files_and_data_are_named(void **state)
{
    struct tine_part parts[] = {
        {.type = "file", .name = "a.png", .media_type = "image/png", .bytes = "AAAABBBB"},
        {.type = "file", .uri = "https://a.example/b"},
        {.type = "data", .json = "{\"type\":\"data\",\"data\":{\"x\":1,\"y\":\"z\"}}"},
    };
    struct tine_message message = message_of("user", parts, 3);

    (void)state;
    check(&message, (struct message_lay_options){.width = 60},
          "You\n  [file: a.png, image/png, 6 bytes]\n\n"
          "  [file: unnamed, https://a.example/b]\n\n  ▸ data  x=1 y=z\n");
    check(&message, (struct message_lay_options){.width = 60, .open = true},
          "You\n  [file: a.png, image/png, 6 bytes]\n\n"
          "  [file: unnamed, https://a.example/b]\n\n  ▾ data\n  │ x: 1\n  │ y: z\n");
}

static void states_are_said(void **state)
{
    struct tine_part part = text_part("text", "hi");
    struct tine_message message = message_of("assistant", &part, 1);

    (void)state;
    message.interrupted = message.adopted = message.merged = true;
    check(&message, (struct message_lay_options){.width = 60},
          "Assistant\n  hi\n  (interrupted)\n  (adopted from another session)\n"
          "  (tells of a merge)\n");
    message = message_of("user", NULL, 0);
    message.erased = true;
    check(&message, (struct message_lay_options){.width = 60}, "You\n  (erased)\n");
    message.erased = false;
    check(&message, (struct message_lay_options){.width = 60}, "You\n  (empty)\n");
    message.large = true;
    check(&message, (struct message_lay_options){.width = 60}, "You\n  (large: not read yet)\n");
}

static void what_is_no_message_is_one_line(void **state)
{
    struct tine_message message = {.kind = "summary", .body = "{\"text\":\"so far\\nso good\"}"};

    (void)state;
    check(&message, (struct message_lay_options){.width = 40}, "Summary  so far so good\n");
    check(&message, (struct message_lay_options){.width = 12}, "Summary  so…\n");
    message = (struct tine_message){.kind = "files", .foreign = true, .left_out = true};
    check(&message, (struct message_lay_options){.width = 60},
          "Files  changed by others, some not kept\n");
    message = (struct tine_message){
        .kind = "move", .move = "rewind", .scope = "conversation", .to_index = 4};
    check(&message, (struct message_lay_options){.width = 60},
          "Move  rewind to 4 messages (conversation)\n");
}

static void messages_that_make_no_sense_are_survived(void **state)
{
    struct tine_part parts[] = {{0},
                                {.type = "text"},
                                {.type = "tool_call"},
                                {.type = "file"},
                                {.type = "tool_result"},
                                {.type = "\033[31m"}};
    struct tine_message message = {.parts = parts, .part_count = 6};
    struct message_lay_options options = {.width = 0};

    (void)state;
    for (options.width = -1; options.width < 20; options.width++) {
        int width = options.width < 1 ? 1 : options.width;

        options.open = options.width % 2 == 0;
        laid_text(message_lay(&message, &options, &arena), width, &arena);
    }
    laid_text(message_lay(&(struct tine_message){.part_count = 3}, &options, &arena), 20, &arena);
    assert_string_equal(message_speaker(&(struct tine_message){0}), "Message");
    CHECK_STR(message_gist(&(struct tine_message){0}, &arena), "(Message)");
    CHECK_STR(message_gist(&message, &arena), "tool ");
    CHECK_STR(message_text(&message, &arena), "");
}

static void pieces_are_laid_out_as_they_come(void **state)
{
    const struct message_piece pieces[] = {
        {"reasoning", NULL, STR("hmm")},
        {"text", NULL, STR("Here it is\n-")},
        {"call", "bash", STR("{\"command\":\"l")},
        {"output", "bash", STR("one\ntwo\n")},
    };
    struct laid laid =
        message_lay_pieces(pieces, 4, &(struct message_lay_options){.width = 40}, &arena);

    (void)state;
    assert_string_equal(laid_text(laid, 40, &arena),
                        "Assistant\n  thinking\n  │ hmm\n\n  Here it is\n\n"
                        "  ▸ bash  {\"command\":\"l\n  ▸ output  two (2 lines)\n");
    CHECK_LOOK(laid, "Here it is", TONE_TEXT, 0); /* the "-" does not make a heading of it */
    laid = message_lay_pieces(NULL, 0, &(struct message_lay_options){.width = 40}, &arena);
    assert_int_equal(laid.count, 0);
}

static void texts_and_gists(void **state)
{
    struct tine_part parts[] = {
        {.type = "tool_call", .name = "bash", .arguments = "{\"command\":\"ls\"}"},
        text_part("text", "\n  \n  first\033 line\nsecond"),
        text_part("text", "more"),
    };
    struct tine_message message = message_of("user", parts, 3);

    (void)state;
    CHECK_STR(message_text(&message, &arena), "\n  \n  first\033 line\nsecond\nmore");
    CHECK_STR(message_gist(&message, &arena), "first\\e line");
    message.part_count = 1;
    CHECK_STR(message_gist(&message, &arena), "bash ls");
    message.erased = true;
    CHECK_STR(message_gist(&message, &arena), "(erased)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_persons_text_is_plain, begin, end),
        cmocka_unit_test_setup_teardown(an_agents_text_is_markdown, begin, end),
        cmocka_unit_test_setup_teardown(headings_say_what_is_known, begin, end),
        cmocka_unit_test_setup_teardown(reasoning_is_dim, begin, end),
        cmocka_unit_test_setup_teardown(calls_are_folded_to_a_line, begin, end),
        cmocka_unit_test_setup_teardown(open_calls_show_their_arguments, begin, end),
        cmocka_unit_test_setup_teardown(results_are_folded_to_a_line, begin, end),
        cmocka_unit_test_setup_teardown(a_long_output_is_cut, begin, end),
        cmocka_unit_test_setup_teardown(a_long_text_is_cut, begin, end),
        cmocka_unit_test_setup_teardown(many_long_parts_are_cut, begin, end),
        cmocka_unit_test_setup_teardown(files_and_data_are_named, begin, end),
        cmocka_unit_test_setup_teardown(states_are_said, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_message_is_one_line, begin, end),
        cmocka_unit_test_setup_teardown(messages_that_make_no_sense_are_survived, begin, end),
        cmocka_unit_test_setup_teardown(pieces_are_laid_out_as_they_come, begin, end),
        cmocka_unit_test_setup_teardown(texts_and_gists, begin, end),
    };

    return cmocka_run_group_tests_name("message_lay", tests, NULL, NULL);
}
