/* What was laid out, for tests: as text, and how a piece of it looks. */
#ifndef TUI_TESTS_LAID_H
#define TUI_TESTS_LAID_H

#include "tui/flow.h"

/*
 * The lines with a "\n" behind each. Checks that no line is wider than `width`, that each says how
 * wide it is, and that nothing in it could change a terminal.
 */
const char *laid_text(struct laid laid, int width, struct arena *arena);

/* The look of the first span that has this text in it; the test fails when there is none. */
struct look laid_look(struct laid laid, const char *text);

#define CHECK_LOOK(laid, text, tone_, bits_)                       \
    do {                                                           \
        assert_int_equal(laid_look((laid), (text)).tone, (tone_)); \
        assert_int_equal(laid_look((laid), (text)).bits, (bits_)); \
    } while (0)

#endif
