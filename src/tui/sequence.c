#include "tui/sequence.h"

enum { NUMBERS_MAX = 4, CODE_MAX = 0x10ffff };

static bool set(struct press *out, enum press_kind kind, uint32_t c)
{
    *out = (struct press){.kind = kind, .c = c};
    return true;
}

/* The bits of xterm, of which one was taken away: shift, alt, ctrl, meta. */
static void set_modifiers(struct press *press, uint32_t number)
{
    uint32_t bits = number > 0 ? number - 1 : 0;

    press->shift = press->shift || bits & 1;
    press->alt = press->alt || bits & (2 | 8 | 32); /* 8 and 32: meta, super; no text either way */
    press->ctrl = press->ctrl || bits & 4;
}

/* ---- keys by their code point: CSI u, and xterm's modifyOtherKeys ---- */

struct key {
    uint32_t code;
    enum press_kind kind;
    uint32_t c;
};

static const struct key coded_keys[] = {
    {'\t', PRESS_TAB, 0},        {'\r', PRESS_ENTER, 0},    {27, PRESS_ESCAPE, 0},
    {'\b', PRESS_BACKSPACE, 0},  {127, PRESS_BACKSPACE, 0}, {57409, PRESS_CHAR, '.'},
    {57410, PRESS_CHAR, '/'},    {57411, PRESS_CHAR, '*'},  {57412, PRESS_CHAR, '-'},
    {57413, PRESS_CHAR, '+'},    {57414, PRESS_ENTER, 0},   {57415, PRESS_CHAR, '='},
    {57416, PRESS_CHAR, ','},    {57417, PRESS_LEFT, 0},    {57418, PRESS_RIGHT, 0},
    {57419, PRESS_UP, 0},        {57420, PRESS_DOWN, 0},    {57421, PRESS_PAGE_UP, 0},
    {57422, PRESS_PAGE_DOWN, 0}, {57423, PRESS_HOME, 0},    {57424, PRESS_END, 0},
    {57425, PRESS_INSERT, 0},    {57426, PRESS_DELETE, 0},
};

enum {
    KEYPAD_0 = 57399, /* … 9, in the area that kitty uses for keys that have no character */
    KEYPAD_9 = 57408,
    AREA_BEGIN = 57344,
    AREA_END = 63743
};

static bool is_character(uint32_t code)
{
    return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && code <= CODE_MAX &&
           !(code >= 0xd800 && code < 0xe000);
}

/* As it would have come without the terminal's new ways: 'A' for shift and 'a', Ctrl-a for Ctrl-A.
 */
static void plain_case(struct press *press, uint32_t shifted)
{
    bool upper = press->c >= 'A' && press->c <= 'Z', lower = press->c >= 'a' && press->c <= 'z';

    if (press->ctrl) {
        press->c += upper ? 'a' - 'A' : 0;
    } else if (press->shift) {
        if (is_character(shifted))
            press->c = shifted;
        else if (lower)
            press->c -= 'a' - 'A';
        press->shift = false;
    }
}

static bool set_code(struct press *out, uint32_t code, uint32_t shifted, uint32_t modifiers)
{
    enum press_kind kind = PRESS_CHAR;
    uint32_t c = code;

    for (size_t i = 0; i < sizeof coded_keys / sizeof *coded_keys; i++)
        if (coded_keys[i].code == code) {
            kind = coded_keys[i].kind;
            c = coded_keys[i].c;
        }
    if (code >= KEYPAD_0 && code <= KEYPAD_9)
        c = '0' + code - KEYPAD_0;
    if (kind == PRESS_CHAR && (!is_character(c) || (c >= AREA_BEGIN && c <= AREA_END)))
        return false;
    set(out, kind, c);
    set_modifiers(out, modifiers);
    if (kind == PRESS_CHAR)
        plain_case(out, shifted);
    return true;
}

/* ---- sequences ---- */

/* The numbers of a sequence: "1;3" or, with parts of them, "97:65;2:1". */
struct numbers_read {
    uint32_t first[NUMBERS_MAX], second[NUMBERS_MAX]; /* 0 when not given */
    size_t count;
    char mark;  /* < ? > =, before them; 0: none */
    bool plain; /* nothing but numbers */
};

static void add_digit(uint32_t *number, char digit)
{
    if (*number <= CODE_MAX)
        *number = *number * 10 + (uint32_t)(digit - '0');
}

static struct numbers_read read_numbers(struct str bytes)
{
    struct numbers_read read = {.count = bytes.n > 0, .plain = true};
    int part = 0;

    for (size_t i = 0; i < bytes.n; i++) {
        char c = bytes.p[i];
        size_t n = read.count - 1;

        if (i == 0 && c >= '<' && c <= '?') {
            read.mark = c;
        } else if (c == ';') {
            part = 0;
            if (read.count++ == NUMBERS_MAX)
                return (struct numbers_read){.plain = false};
        } else if (c == ':') {
            part++;
        } else if (c >= '0' && c <= '9') {
            if (part < 2)
                add_digit(part ? &read.second[n] : &read.first[n], c);
        } else {
            read.plain = false;
        }
    }
    return read;
}

static const struct key letter_keys[] = {
    {'A', PRESS_UP, 0},       {'B', PRESS_DOWN, 0},     {'C', PRESS_RIGHT, 0},
    {'D', PRESS_LEFT, 0},     {'H', PRESS_HOME, 0},     {'F', PRESS_END, 0},
    {'P', PRESS_FUNCTION, 1}, {'Q', PRESS_FUNCTION, 2}, {'R', PRESS_FUNCTION, 3},
    {'S', PRESS_FUNCTION, 4},
};

static const struct key number_keys[] = {
    {1, PRESS_HOME, 0},       {2, PRESS_INSERT, 0},     {3, PRESS_DELETE, 0},
    {4, PRESS_END, 0},        {5, PRESS_PAGE_UP, 0},    {6, PRESS_PAGE_DOWN, 0},
    {7, PRESS_HOME, 0},       {8, PRESS_END, 0},        {11, PRESS_FUNCTION, 1},
    {12, PRESS_FUNCTION, 2},  {13, PRESS_FUNCTION, 3},  {14, PRESS_FUNCTION, 4},
    {15, PRESS_FUNCTION, 5},  {17, PRESS_FUNCTION, 6},  {18, PRESS_FUNCTION, 7},
    {19, PRESS_FUNCTION, 8},  {20, PRESS_FUNCTION, 9},  {21, PRESS_FUNCTION, 10},
    {23, PRESS_FUNCTION, 11}, {24, PRESS_FUNCTION, 12}, {25, PRESS_FUNCTION, 13},
    {26, PRESS_FUNCTION, 14}, {28, PRESS_FUNCTION, 15}, {29, PRESS_FUNCTION, 16},
    {31, PRESS_FUNCTION, 17}, {32, PRESS_FUNCTION, 18}, {33, PRESS_FUNCTION, 19},
    {34, PRESS_FUNCTION, 20},
};

/* The keypad in its own mode: ESC O and a letter. */
static const struct key keypad_keys[] = {
    {'M', PRESS_ENTER, 0},  {'I', PRESS_TAB, 0},    {' ', PRESS_CHAR, ' '}, {'X', PRESS_CHAR, '='},
    {'j', PRESS_CHAR, '*'}, {'k', PRESS_CHAR, '+'}, {'l', PRESS_CHAR, ','}, {'m', PRESS_CHAR, '-'},
    {'n', PRESS_CHAR, '.'}, {'o', PRESS_CHAR, '/'}, {'p', PRESS_CHAR, '0'}, {'q', PRESS_CHAR, '1'},
    {'r', PRESS_CHAR, '2'}, {'s', PRESS_CHAR, '3'}, {'t', PRESS_CHAR, '4'}, {'u', PRESS_CHAR, '5'},
    {'v', PRESS_CHAR, '6'}, {'w', PRESS_CHAR, '7'}, {'x', PRESS_CHAR, '8'}, {'y', PRESS_CHAR, '9'},
};

#define FIND_KEY(keys, code) find_key((keys), sizeof(keys) / sizeof *(keys), (code))

static const struct key *find_key(const struct key *keys, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i].code == code)
            return &keys[i];
    return NULL;
}

static bool set_key(struct press *out, const struct key *key, uint32_t modifiers)
{
    if (!key)
        return false;
    set(out, key->kind, key->c);
    set_modifiers(out, modifiers);
    return true;
}

enum { MOUSE_SHIFT = 4, MOUSE_ALT = 8, MOUSE_CTRL = 16 };

bool sequence_mouse(struct press *out, uint32_t button, uint32_t x, uint32_t y)
{
    enum press_kind kind;

    switch (button & ~(uint32_t)(MOUSE_SHIFT | MOUSE_ALT | MOUSE_CTRL)) {
    case 0:
        kind = PRESS_CLICK;
        break;
    case 64:
        kind = PRESS_WHEEL_UP;
        break;
    case 65:
        kind = PRESS_WHEEL_DOWN;
        break;
    default: /* moved, let go, another button */
        return false;
    }
    set(out, kind, 0);
    out->shift = button & MOUSE_SHIFT;
    out->alt = button & MOUSE_ALT;
    out->ctrl = button & MOUSE_CTRL;
    out->column = x > 0 ? (int)x - 1 : 0;
    out->row = y > 0 ? (int)y - 1 : 0;
    return true;
}

/* ESC [ 3 ; 5 ~ and the like. */
static bool end_tilde(struct press *out, const struct numbers_read *numbers)
{
    if (numbers->first[0] == 27 && numbers->count >= 3)
        return set_code(out, numbers->first[2], 0, numbers->first[1]);
    return set_key(out, FIND_KEY(number_keys, numbers->first[0]), numbers->first[1]);
}

/* rxvt: ESC [ 7 ^ is Ctrl-Home, ESC [ a is Shift-Up. */
static bool end_rxvt(struct press *out, const struct numbers_read *numbers, char last)
{
    const struct key *key = FIND_KEY(number_keys, numbers->first[0]);

    if (last >= 'a' && last <= 'd')
        key = numbers->count ? NULL : FIND_KEY(letter_keys, (uint32_t)last - 'a' + 'A');
    if (!set_key(out, key, 0))
        return false;
    out->ctrl = last == '^' || last == '@';
    out->shift = last != '^';
    return true;
}

static bool end_letter(struct press *out, const struct numbers_read *numbers, char last)
{
    const struct key *key = FIND_KEY(letter_keys, (uint32_t)last);

    if (numbers->count > 2 || numbers->first[0] > 1) /* where the cursor is: nobody asked */
        key = NULL;
    return set_key(out, key, numbers->first[1]);
}

static bool end_bracket(struct press *out, const struct numbers_read *numbers, char last)
{
    const uint32_t *first = numbers->first;

    if (numbers->mark == '<' && last == 'M' && numbers->count == 3)
        return sequence_mouse(out, first[0], first[1], first[2]);
    if (numbers->mark || !numbers->plain || numbers->second[1] == 3) /* 3: the key was let go */
        return false;
    switch (last) {
    case '~':
        return end_tilde(out, numbers);
    case '^':
    case '$':
    case '@':
    case 'a':
    case 'b':
    case 'c':
    case 'd':
        return end_rxvt(out, numbers, last);
    case 'u':
        return set_code(out, first[0], numbers->second[0], first[1]);
    case 'Z':
        set(out, PRESS_TAB, 0);
        set_modifiers(out, first[1]);
        out->shift = true;
        return true;
    case 'I':
    case 'O':
        return numbers->count == 0 && set(out, PRESS_FOCUS, 0);
    case 'M': /* urxvt's mouse */
        if (numbers->count == 3 && first[0] >= 32)
            return sequence_mouse(out, first[0] - 32, first[1], first[2]);
        return false;
    default:
        return end_letter(out, numbers, last);
    }
}

static bool end_ss3(struct press *out, const struct numbers_read *numbers, char last)
{
    uint32_t modifiers = numbers->first[numbers->count > 1 ? 1 : 0];
    const struct key *key = FIND_KEY(letter_keys, (uint32_t)last);

    if (!numbers->plain || numbers->mark)
        return false;
    if (!key)
        key = FIND_KEY(keypad_keys, (uint32_t)last);
    if (!key && last >= 'a' && last <= 'd') { /* rxvt: Ctrl-Up */
        key = FIND_KEY(letter_keys, (uint32_t)last - 'a' + 'A');
        modifiers = 5;
    }
    return set_key(out, key, modifiers);
}

bool sequence_read(char introducer, struct str bytes, char last, struct press *out)
{
    struct numbers_read numbers = read_numbers(bytes);

    return introducer == '[' ? end_bracket(out, &numbers, last) : end_ss3(out, &numbers, last);
}
