/* Copies of messages: what is shown of one is what is shown of the message itself. */
#include "support/check.h"

#include "base/buf.h"
#include "laid.h"
#include "tui/message_copy.h"
#include "tui/message_lay.h"

#include <locale.h>
#include <stdlib.h>

enum { WIDTH = 80, LONG = 2 * 1024 * 1024, BYTES_MAX = 64 * 1024 * 1024 };

/* Text of so many bytes in lines of that length. */
static const char *text_of(size_t bytes, size_t line, struct arena *arena)
{
    struct buf text;

    buf_init(&text, BYTES_MAX);
    for (size_t i = 0; text.n < bytes; i++)
        if (i % line == line - 1)
            buf_add_char(&text, '\n');
        else
            buf_add_text(&text, i % 7 ? "a" : "\xe2\x82\xac");
    return buf_take(&text, arena).p;
}

static struct tine_part part_of(const char *type, const char *text)
{
    return (struct tine_part){
        .type = type, .text = text, .text_bytes = strlen(text), .json = "{\"type\":\"text\"}"};
}

static struct tine_message message_of(const struct tine_part *parts, size_t count)
{
    return (struct tine_message){.kind = "message",
                                 .role = "user",
                                 .parts = parts,
                                 .part_count = count,
                                 .json = "",
                                 .index = 1};
}

static const char *shown(const struct tine_message *message, bool open, struct arena *arena)
{
    struct message_lay_options options = {.width = WIDTH, .open = open};

    return laid_text(message_lay(message, &options, arena), WIDTH, arena);
}

static void same(const char *a, const char *b)
{
    assert_int_equal(strlen(a), strlen(b));
    assert_true(strcmp(a, b) == 0); /* too long to be printed */
}

/* Shown alike, and so is a copy of the copy. Returns how many bytes the copy takes. */
static size_t check(const struct tine_part *parts, size_t count)
{
    struct tine_message message = message_of(parts, count), copy, second;
    struct arena arena;
    size_t bytes;

    arena_init(&arena);
    bytes = message_copy_shown(&message, &arena, &copy);
    message_copy_shown(&copy, &arena, &second);
    for (int open = 0; open < 2; open++) {
        same(shown(&copy, open, &arena), shown(&message, open, &arena));
        same(shown(&second, open, &arena), shown(&message, open, &arena));
    }
    assert_int_equal(copy.part_count, count);
    arena_clear(&arena);
    return bytes;
}

static void what_is_short_is_whole(void **state)
{
    struct tine_part parts[] = {part_of("text", "hello\nworld"), part_of("reasoning", "hm"),
                                part_of("tool_result", "one\ntwo\n")};
    struct tine_message message = message_of(parts, 3), copy;
    struct arena arena;

    (void)state;
    check(parts, 3);
    arena_init(&arena);
    message_copy_shown(&message, &arena, &copy);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(part_left_out(&copy.parts[i]).bytes, 0);
        assert_string_equal(copy.parts[i].text, parts[i].text);
    }
    arena_clear(&arena);
}

static void what_is_long_is_not_copied(void **state)
{
    static const char *const types[] = {"text", "reasoning", "tool_result"};
    static const size_t lines[] = {2, 50, LONG * 2};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t t = 0; t < 3; t++)
        for (size_t l = 0; l < 3; l++) {
            struct tine_part part = part_of(types[t], text_of(LONG, lines[l], &arena));

            assert_true(check(&part, 1) < MESSAGE_TEXT_SHOWN + 4096);
        }
    arena_clear(&arena);
}

static void many_parts_are_bounded_together(void **state)
{
    enum { COUNT = 24 };
    struct tine_part parts[COUNT];
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT; i++)
        parts[i] = part_of(i % 3 == 0 ? "text" : "tool_result",
                           text_of(LONG / 4, i % 2 ? 20 : 4000, &arena));
    assert_true(check(parts, COUNT) < 2 * MESSAGE_ALL_SHOWN + COUNT * 8192);
    arena_clear(&arena);
}

static void a_file_is_its_name_and_size(void **state)
{
    struct tine_part part = {.type = "file", .name = "a.png", .media_type = "image/png"};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    part.bytes = text_of(LONG, LONG * 2, &arena);
    part.json = part.bytes;
    assert_true(check(&part, 1) < 4096);
    arena_clear(&arena);
}

static void a_whole_copy_is_whole(void **state)
{
    struct tine_message message, copy;
    struct tine_part part;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    part = part_of("text", text_of(LONG, 50, &arena));
    message = message_of(&part, 1);
    message_copy(&message, &arena, &copy);
    assert_int_equal(copy.parts[0].text_bytes, part.text_bytes);
    same(copy.parts[0].text, part.text);
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_short_is_whole),
        cmocka_unit_test(what_is_long_is_not_copied),
        cmocka_unit_test(many_parts_are_bounded_together),
        cmocka_unit_test(a_file_is_its_name_and_size),
        cmocka_unit_test(a_whole_copy_is_whole),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
