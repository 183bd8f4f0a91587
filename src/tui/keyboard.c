/*
 * Bytes are kept until they are asked for, with the time at which they came, and go one by one
 * through this machine:
 *
 *              ESC            [, O              a final byte
 *   plain ──────────▶ escape ──────▶ sequence ───────────────▶ plain
 *     │  └ utf8         │              ├ linux  (ESC [ [ A)
 *     │                 │ ], P, _      ├ mouse  (ESC [ M, three bytes)
 *     │                 ▼              └ paste  (ESC [ 200 ~ … ESC [ 201 ~)
 *     │               words of the terminal, until ESC \ (or BEL)
 *
 * 1. What comes out depends on the bytes and on when each of them came, never on how they were cut.
 * 2. A byte that cannot go on with what was begun ends it, and is then looked at by itself.
 * 3. Whatever was begun ends by itself when nothing follows for a while: nothing can lock the
 *    keyboard up. The one exception is a paste that stalled: see expire_paste.
 * 4. What is not known gives no press. It is never taken for text.
 */
#include "tui/keyboard.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "tui/sequence.h"

#include <stdlib.h>

enum {
    INPUT_MAX = 64 * 1024 * 1024, /* bytes that wait to be asked for; what is beyond is left out */
    SEQUENCE_MS = 500,            /* a sequence that has begun goes on within that */
    PASTE_MS = 10000,             /* so does a paste; then what came of it is given out */
    SEQUENCE_MAX = 64,            /* bytes; a longer one is known to nobody */
    WORDS_MAX = 1024 * 1024       /* bytes of an answer of the terminal */
};

enum state { PLAIN, UTF8, ESCAPE, SEQUENCE, LINUX, MOUSE, WORDS, PASTE };

/* When bytes came: those before `end`, counted from the beginning of the input. */
struct arrival {
    size_t end;
    int64_t at_ms;
};

struct keyboard {
    struct buf in;
    size_t at; /* of the next byte in `in` */
    struct arrival *arrivals;
    size_t arrival_count, arrival_room, arrival;

    enum state state;
    int64_t last_ms; /* the last byte of what was begun came then */
    bool alt;        /* ESC stands before what comes */
    bool in_words;   /* … and before that ESC, words that it may end */
    char introducer; /* of the sequence or the words: [ O ] P _ */
    bool too_long;   /* the sequence */
    char bytes[SEQUENCE_MAX];
    size_t count;  /* of bytes; of the words, how many they are */
    size_t wanted; /* of a character */

    struct buf paste;
    size_t matched; /* bytes of the end of the paste that have come */
    bool paste_return, paste_cut;
    bool paste_stalled;  /* a part of it was given out: the rest is still no keys */
    char paste_last;     /* the byte that came last */
    struct arena pasted; /* what was given out since bytes were taken */
};

static const char paste_end[] = "\033[201~";

enum { CTRL_C = 0x03 };

struct keyboard *keyboard_new(void)
{
    struct keyboard *keyboard = calloc(1, sizeof *keyboard);

    if (!keyboard)
        abort();
    buf_init(&keyboard->in, INPUT_MAX);
    buf_init(&keyboard->paste, KEYBOARD_PASTE_MAX);
    arena_init(&keyboard->pasted);
    return keyboard;
}

void keyboard_free(struct keyboard *keyboard)
{
    if (!keyboard)
        return;
    buf_clear(&keyboard->in);
    buf_clear(&keyboard->paste);
    arena_clear(&keyboard->pasted);
    free(keyboard->arrivals);
    free(keyboard);
}

bool keyboard_paste_cut(struct keyboard *keyboard)
{
    bool cut = keyboard->paste_cut;

    keyboard->paste_cut = false;
    return cut;
}

/* ---- what comes in ---- */

static void forget_read(struct keyboard *keyboard)
{
    if (keyboard->at < keyboard->in.n)
        return;
    buf_reset(&keyboard->in);
    keyboard->at = keyboard->arrival = keyboard->arrival_count = 0;
}

void keyboard_take(struct keyboard *keyboard, struct str bytes, int64_t now_ms)
{
    arena_clear(&keyboard->pasted);
    forget_read(keyboard);
    if (!bytes.n || bytes.n > INPUT_MAX - keyboard->in.n)
        return;
    buf_add_str(&keyboard->in, bytes);
    keyboard->arrivals = array_more(keyboard->arrivals, keyboard->arrival_count,
                                    &keyboard->arrival_room, sizeof *keyboard->arrivals);
    keyboard->arrivals[keyboard->arrival_count++] = (struct arrival){keyboard->in.n, now_ms};
}

static bool has_byte(const struct keyboard *keyboard)
{
    return keyboard->at < keyboard->in.n;
}

static int64_t byte_ms(struct keyboard *keyboard)
{
    while (keyboard->arrivals[keyboard->arrival].end <= keyboard->at)
        keyboard->arrival++;
    return keyboard->arrivals[keyboard->arrival].at_ms;
}

/* ---- presses ---- */

/* Back to the beginning; what was begun is done with. */
static void settle(struct keyboard *keyboard)
{
    keyboard->state = PLAIN;
    keyboard->alt = keyboard->in_words = false;
}

static bool give(struct keyboard *keyboard, struct press *out, enum press_kind kind, uint32_t c)
{
    *out = (struct press){.kind = kind, .c = c, .alt = keyboard->alt, .at_ms = keyboard->last_ms};
    settle(keyboard);
    return true;
}

static bool give_ctrl(struct keyboard *keyboard, struct press *out, uint32_t c)
{
    give(keyboard, out, PRESS_CHAR, c);
    out->ctrl = true;
    return true;
}

static bool swallow(struct keyboard *keyboard)
{
    settle(keyboard);
    return false;
}

static bool give_control(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    switch (byte) {
    case '\r':
        return give(keyboard, out, PRESS_ENTER, 0);
    case '\t':
        return give(keyboard, out, PRESS_TAB, 0);
    case '\b':
    case 0x7f:
        return give(keyboard, out, PRESS_BACKSPACE, 0);
    case 0:
        return give_ctrl(keyboard, out, ' ');
    default:
        return give_ctrl(keyboard, out, byte + (byte <= 26 ? 'a' - 1U : '@'));
    }
}

/* ---- the machine ---- */

/* A press that a sequence means. */
static bool give_read(struct keyboard *keyboard, struct press *out, bool is_one)
{
    settle(keyboard);
    if (is_one)
        out->at_ms = keyboard->last_ms;
    return is_one;
}

static bool begin_paste(struct keyboard *keyboard)
{
    settle(keyboard);
    keyboard->state = PASTE;
    keyboard->matched = 0;
    keyboard->paste_last = '\0';
    keyboard->paste_return = keyboard->paste_stalled = false;
    buf_reset(&keyboard->paste);
    return false;
}

/* The byte is looked at by the state it stands before now. */
static bool again(struct keyboard *keyboard)
{
    keyboard->at--;
    return false;
}

/* The byte does not go on with what was begun, of which nothing is left. */
static bool give_up(struct keyboard *keyboard)
{
    settle(keyboard);
    return again(keyboard);
}

static bool step_plain(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    if (byte == 0x1b) {
        keyboard->state = ESCAPE;
        return false;
    }
    if (byte < 0x20 || byte == 0x7f)
        return give_control(keyboard, out, byte);
    if (byte < 0x80)
        return give(keyboard, out, PRESS_CHAR, byte);
    if (byte < 0xc2 || byte > 0xf4)
        return give(keyboard, out, PRESS_CHAR, 0xfffd);
    keyboard->state = UTF8;
    keyboard->bytes[0] = (char)byte;
    keyboard->count = 1;
    keyboard->wanted = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return false;
}

static bool step_utf8(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    size_t at = 0;
    uint32_t c;

    if ((byte & 0xc0) != 0x80) {
        again(keyboard);
        return give(keyboard, out, PRESS_CHAR, 0xfffd);
    }
    keyboard->bytes[keyboard->count++] = (char)byte;
    if (keyboard->count < keyboard->wanted)
        return false;
    c = utf8_next((struct str){keyboard->bytes, keyboard->count}, &at);
    if (c < 0xa0) /* controls of eight bits, which no key has */
        return swallow(keyboard);
    return give(keyboard, out, PRESS_CHAR, c);
}

static bool begin(struct keyboard *keyboard, enum state state, unsigned char introducer)
{
    keyboard->state = state;
    keyboard->introducer = (char)introducer;
    keyboard->count = 0;
    keyboard->too_long = false;
    keyboard->in_words = false;
    return false;
}

static bool step_escape(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    switch (byte) {
    case 0x1b: /* the first one was a key; this one may be the beginning of something */
        give(keyboard, out, PRESS_ESCAPE, 0);
        keyboard->state = ESCAPE;
        return true;
    case '[':
    case 'O':
        return begin(keyboard, SEQUENCE, byte);
    case ']':
    case 'P':
    case '_':
        return begin(keyboard, WORDS, byte);
    case '\\':
        if (keyboard->in_words)
            return swallow(keyboard);
        break;
    default:
        break;
    }
    settle(keyboard);
    keyboard->alt = true;
    return again(keyboard);
}

/* Not the standard, but what rxvt sends: ESC [ 7 $, where a $ would be followed by a letter. */
static bool ends_rxvt(const struct keyboard *keyboard, unsigned char byte)
{
    if (byte != '$' || keyboard->introducer != '[' || keyboard->count == 0)
        return false;
    for (size_t i = 0; i < keyboard->count; i++)
        if (keyboard->bytes[i] < '0' || keyboard->bytes[i] > '9')
            return false;
    return true;
}

static bool step_sequence(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    bool empty = keyboard->count == 0 && !keyboard->too_long, csi = keyboard->introducer == '[';
    struct str bytes = {keyboard->bytes, keyboard->count};

    if (byte < 0x20 || byte >= 0x7f)
        return give_up(keyboard);
    if (empty && csi && byte == '[')
        return begin(keyboard, LINUX, byte);
    if (empty && csi && byte == 'M')
        return begin(keyboard, MOUSE, byte);
    if (byte < 0x40 && !ends_rxvt(keyboard, byte) && (csi || byte != ' ')) {
        if (keyboard->count == sizeof keyboard->bytes)
            keyboard->too_long = true;
        else
            keyboard->bytes[keyboard->count++] = (char)byte;
        return false;
    }
    if (keyboard->too_long)
        return swallow(keyboard);
    if (csi && byte == '~' && str_eq(bytes, STR("200")))
        return begin_paste(keyboard);
    return give_read(keyboard, out, sequence_read(keyboard->introducer, bytes, (char)byte, out));
}

/* F1 to F5 of the Linux console: ESC [ [ A. */
static bool step_linux(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    if (byte < 0x20 || byte >= 0x7f)
        return give_up(keyboard);
    if (byte < 'A' || byte > 'E')
        return swallow(keyboard);
    return give(keyboard, out, PRESS_FUNCTION, byte - 'A' + 1U);
}

/* The old way of the mouse: button, column and row as bytes from 32 on. */
static bool step_mouse(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    const char *bytes = keyboard->bytes;
    uint32_t place[3];

    if (byte < 0x20 && byte != 0) /* 0: too far to the right or below to be said */
        return give_up(keyboard);
    keyboard->bytes[keyboard->count++] = (char)byte;
    if (keyboard->count < 3)
        return false;
    for (int i = 0; i < 3; i++)
        place[i] = bytes[i] ? (uint32_t)(unsigned char)bytes[i] - 32 : 0;
    return give_read(keyboard, out, sequence_mouse(out, place[0], place[1], place[2]));
}

/* What the terminal says of itself. */
static bool step_words(struct keyboard *keyboard, unsigned char byte)
{
    bool ends = byte == 0x18 || byte == 0x1a || (byte == '\a' && keyboard->introducer == ']');

    if (byte == 0x1b) {
        keyboard->state = ESCAPE;
        keyboard->in_words = true;
        return false;
    }
    if (ends || ++keyboard->count > WORDS_MAX)
        return swallow(keyboard);
    return false;
}

/* ---- pastes ---- */

static void paste_byte(struct keyboard *keyboard, char byte)
{
    bool second = byte == '\n' && keyboard->paste_return;

    keyboard->paste_return = byte == '\r';
    if (second || byte == '\0')
        return;
    if (keyboard->paste.n == KEYBOARD_PASTE_MAX)
        keyboard->paste_cut = true;
    else
        buf_add(&keyboard->paste, byte == '\r' ? "\n" : &byte, 1);
}

/* Behind a paste that was never ended, the beginning of the next one is no text. */
static struct str rest_of(const struct keyboard *keyboard)
{
    struct str raw = buf_str(&keyboard->paste), begin = STR("\033[200~");

    if (keyboard->paste_stalled && str_starts(raw, begin))
        return (struct str){raw.p + begin.n, raw.n - begin.n};
    return raw;
}

static bool give_paste(struct keyboard *keyboard, struct press *out)
{
    struct str raw = rest_of(keyboard), text;

    if (keyboard->paste.n == KEYBOARD_PASTE_MAX) /* perhaps in the middle of a character */
        raw = utf8_cut(raw, raw.n - 1);
    if (!utf8_valid(raw)) {
        char *clean = arena_alloc(&keyboard->pasted, raw.n * UTF8_CLEAN);

        text = utf8_cut((struct str){clean, utf8_clean(raw, clean)}, KEYBOARD_PASTE_MAX);
        if (text.n == KEYBOARD_PASTE_MAX)
            keyboard->paste_cut = true;
    } else {
        text = arena_dup(&keyboard->pasted, raw);
    }
    buf_clear(&keyboard->paste); /* of as many bytes as were pasted once */
    give(keyboard, out, PRESS_PASTE, 0);
    out->text = text;
    return true;
}

/* Nothing is left to be given out of a paste of which a part was. */
static bool is_given(const struct keyboard *keyboard)
{
    return keyboard->paste_stalled && keyboard->paste.n == 0;
}

/*
 * The paste has stalled. What came of it is given out, but what follows is not taken for keys: a
 * line break in it would send a message. Whoever has a terminal that never says the end gets out
 * with Esc or Ctrl-C, with nothing behind it.
 */
static bool expire_paste(struct keyboard *keyboard, struct press *out)
{
    bool stays = keyboard->matched != 1 && keyboard->paste_last != CTRL_C, given;

    if (keyboard->paste_last == CTRL_C && keyboard->paste.n &&
        keyboard->paste.p[keyboard->paste.n - 1] == CTRL_C)
        keyboard->paste.n--;
    given = !is_given(keyboard) && give_paste(keyboard, out);
    settle(keyboard);
    if (stays) {
        keyboard->state = PASTE;
        keyboard->paste_stalled = true;
    }
    return given;
}

static bool step_paste(struct keyboard *keyboard, struct press *out, char byte)
{
    keyboard->paste_last = byte;
    if (byte == paste_end[keyboard->matched]) {
        if (++keyboard->matched == sizeof paste_end - 1)
            return is_given(keyboard) ? swallow(keyboard) : give_paste(keyboard, out);
        return false;
    }
    for (size_t i = 0; i < keyboard->matched; i++) /* it was not the end after all */
        paste_byte(keyboard, paste_end[i]);
    keyboard->matched = byte == paste_end[0];
    if (!keyboard->matched)
        paste_byte(keyboard, byte);
    return false;
}

static bool step(struct keyboard *keyboard, struct press *out, unsigned char byte)
{
    switch (keyboard->state) {
    case PLAIN:
        return step_plain(keyboard, out, byte);
    case UTF8:
        return step_utf8(keyboard, out, byte);
    case ESCAPE:
        return step_escape(keyboard, out, byte);
    case SEQUENCE:
        return step_sequence(keyboard, out, byte);
    case LINUX:
        return step_linux(keyboard, out, byte);
    case MOUSE:
        return step_mouse(keyboard, out, byte);
    case WORDS:
        return step_words(keyboard, byte);
    case PASTE:
        break;
    }
    return step_paste(keyboard, out, (char)byte);
}

/* ---- time ---- */

/* How long what was begun waits for its next byte; -1: nothing was, or for ever. */
static int patience_ms(const struct keyboard *keyboard)
{
    switch (keyboard->state) {
    case PLAIN:
        return -1;
    case ESCAPE: /* when it may be the end of the terminal's words, it is not a key so soon */
        return keyboard->in_words ? SEQUENCE_MS : KEYBOARD_ESCAPE_MS;
    case PASTE:
        if (!keyboard->paste_stalled)
            return PASTE_MS;
        return keyboard->paste.n || keyboard->matched == 1 ? SEQUENCE_MS : -1;
    default:
        return SEQUENCE_MS;
    }
}

static bool is_over(const struct keyboard *keyboard, int64_t now_ms)
{
    int patience = patience_ms(keyboard);

    return patience >= 0 && now_ms - keyboard->last_ms >= patience;
}

/* Nothing follows: what it was then. */
static bool expire(struct keyboard *keyboard, struct press *out)
{
    enum state state = keyboard->state;

    if (state == ESCAPE)
        return give(keyboard, out, PRESS_ESCAPE, 0);
    if (state == UTF8)
        return give(keyboard, out, PRESS_CHAR, 0xfffd);
    if (state == PASTE)
        return expire_paste(keyboard, out);
    if ((state == SEQUENCE || state == WORDS) && keyboard->count == 0) { /* Alt and that letter */
        keyboard->alt = true;
        return give(keyboard, out, PRESS_CHAR, (unsigned char)keyboard->introducer);
    }
    return swallow(keyboard);
}

bool keyboard_next(struct keyboard *keyboard, int64_t now_ms, struct press *out)
{
    bool given = false;

    while (!given && has_byte(keyboard)) {
        int64_t at_ms = byte_ms(keyboard);
        bool escaped = keyboard->state == ESCAPE;

        if (is_over(keyboard, at_ms)) {
            given = expire(keyboard, out);
            continue;
        }
        if (!escaped || keyboard->in.p[keyboard->at] != 0x1b)
            keyboard->last_ms = at_ms;
        given = step(keyboard, out, (unsigned char)keyboard->in.p[keyboard->at++]);
        keyboard->last_ms = at_ms;
    }
    while (!given && is_over(keyboard, now_ms))
        given = expire(keyboard, out);
    return given;
}

int keyboard_wait_ms(const struct keyboard *keyboard, int64_t now_ms)
{
    int64_t left;

    if (has_byte(keyboard))
        return 0;
    if (patience_ms(keyboard) < 0)
        return -1;
    left = keyboard->last_ms + patience_ms(keyboard) - now_ms;
    if (left > patience_ms(keyboard))
        left = patience_ms(keyboard);
    return left > 0 ? (int)left : 0;
}
