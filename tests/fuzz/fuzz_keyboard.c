/*
 * What a terminal sends: whatever comes, in whatever pieces, gives the same presses; and when
 * nothing follows any more, nothing is left waiting.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "tui/keyboard.h"

#include <assert.h>

enum { PRESSES_MAX = 64 * 1024 * 1024, LONGEST_WAIT_MS = 10000 };

static void check(const struct press *press)
{
    assert(press->kind >= PRESS_CHAR && press->kind <= PRESS_FOCUS);
    assert(press->row >= 0 && press->column >= 0);
    if (press->kind == PRESS_CHAR) {
        char c[4];

        assert(press->c >= 0x20 && press->c != 0x7f && press->c <= 0x10ffff);
        assert(utf8_valid((struct str){c, utf8_encode(press->c, c)}));
    } else if (press->kind == PRESS_FUNCTION) {
        assert(press->c >= 1 && press->c <= 20);
    } else {
        assert(press->c == 0);
    }
    if (press->kind == PRESS_PASTE) {
        assert(utf8_valid(press->text) && press->text.n <= KEYBOARD_PASTE_MAX);
        assert(press->text.n == 0 || (!memchr(press->text.p, '\r', press->text.n) &&
                                      !memchr(press->text.p, '\0', press->text.n)));
    } else {
        assert(press->text.n == 0);
    }
}

static void drain(struct keyboard *keyboard, int64_t now_ms, struct buf *out)
{
    struct press press;

    while (keyboard_next(keyboard, now_ms, &press)) {
        check(&press);
        assert(press.at_ms <= now_ms);
        buf_add_format(out, "%d %u %d%d%d %d,%d ", press.kind, press.c, press.ctrl, press.alt,
                       press.shift, press.row, press.column);
        buf_add_str(out, press.text);
    }
    assert(!out->full);
}

/* Waits as long as it says, until it says that nothing can come any more. */
static void wait_out(struct keyboard *keyboard, int64_t now_ms, struct buf *out)
{
    for (int i = 0;; i++) {
        int wait = keyboard_wait_ms(keyboard, now_ms);

        assert(wait >= -1 && wait <= LONGEST_WAIT_MS && i < 3);
        if (wait < 0)
            return;
        now_ms += wait;
        drain(keyboard, now_ms, out);
    }
}

/* A paste begins, and its end does not come. */
static int64_t stall(struct keyboard *keyboard, struct buf *out)
{
    keyboard_take(keyboard, STR("\033[200~"), 0);
    wait_out(keyboard, 0, out);
    return LONGEST_WAIT_MS;
}

/* Pieces of `step` bytes, `gap_ms` apart; `stalled`: behind a paste that is. */
static void type(struct str bytes, size_t step, int gap_ms, bool stalled, struct buf *out)
{
    struct keyboard *keyboard = keyboard_new();
    int64_t now_ms = 1000;

    buf_init(out, PRESSES_MAX);
    if (stalled)
        now_ms += stall(keyboard, out);
    for (size_t at = 0; at < bytes.n; at += step, now_ms += gap_ms) {
        struct str piece = {bytes.p + at, bytes.n - at < step ? bytes.n - at : step};

        keyboard_take(keyboard, piece, now_ms);
        drain(keyboard, now_ms, out);
    }
    wait_out(keyboard, now_ms, out);
    keyboard_free(keyboard);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};

    for (int stalled = 0; stalled < 2; stalled++) {
        struct buf whole, pieces, slow;

        type(bytes, size + 1, 0, stalled, &whole);
        for (size_t step = 1; step < 8; step += 6 - size % 5) {
            type(bytes, step, 0, stalled, &pieces);
            assert(str_eq(buf_str(&whole), buf_str(&pieces)));
            buf_clear(&pieces);
        }
        /* other presses, or the same */
        type(bytes, 1 + size % 5, 30 + (int)(size % 7) * 100, stalled, &slow);
        buf_clear(&slow);
        buf_clear(&whole);
    }
    return 0;
}
