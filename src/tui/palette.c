#include "tui/palette.h"

#include <stdlib.h>

/* What a tone is in each kind of palette. */
struct paint {
    int dark, light;     /* 0xRRGGBB; PALETTE_OWN */
    int dark_8, light_8; /* of the eight */
    uint8_t bits;        /* with colours */
    uint8_t bits_none;   /* without */
};

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, GREY, OWN = PALETTE_OWN };

/*
 * Every ink has a contrast of at least 4.5 against the usual grounds of its kind and against the
 * marked row; the tests measure it. Of the eight colours, blue is too dark on black, and yellow,
 * cyan and green too pale on white, for anything that is read: they are used there only for what
 * is short and bold.
 */
static const struct paint paints[TONE_COUNT] = {
    [TONE_TEXT] = {OWN, OWN, OWN, OWN, 0, 0},
    [TONE_FAINT] = {0xa0a6b2, 0x5a606a, OWN, OWN, 0, LOOK_DIM},
    [TONE_USER] = {0x84aefa, 0x1a56b0, CYAN, BLUE, LOOK_BOLD, LOOK_BOLD},
    [TONE_ASSISTANT] = {0x9ece6a, 0x0f6a2a, GREEN, MAGENTA, LOOK_BOLD, LOOK_BOLD},
    [TONE_TOOL] = {0xc5a3ff, 0x7d2eb0, MAGENTA, MAGENTA, 0, 0},
    [TONE_HEADING] = {0x7dcfff, 0x0a5c73, CYAN, BLUE, LOOK_BOLD, LOOK_BOLD | LOOK_UNDERLINE},
    [TONE_CODE] = {0xf0b58a, 0x8a4300, YELLOW, BLUE, 0, 0},
    [TONE_LINK] = {0x8abfff, 0x0550ae, CYAN, BLUE, LOOK_UNDERLINE, LOOK_UNDERLINE},
    [TONE_GOOD] = {0x8fd98f, 0x116329, GREEN, GREEN, 0, 0},
    [TONE_WARN] = {0xffd75f, 0x7a4f00, YELLOW, MAGENTA, 0, LOOK_BOLD},
    [TONE_BAD] = {0xff8a85, 0xa8221b, RED, RED, 0, LOOK_BOLD | LOOK_UNDERLINE},
    [TONE_MARK] = {0xffb454, 0xaa0a5a, YELLOW, RED, LOOK_BOLD, LOOK_BOLD},
    [TONE_FOUND] = {0x1a1a1a, 0x1a1a1a, BLACK, BLACK, 0, LOOK_REVERSE},
    [TONE_BAR] = {0xe8e8e8, 0x1f2328, OWN, OWN, 0, LOOK_REVERSE},
};

/* The few that have a ground of their own. */
static const struct {
    int dark, light;
} grounds[] = {{0xffd75f, 0xffd75f}, {0x373c47, 0xd9dde4}, {0x2b3347, 0xdfe5f0}};

enum { GROUND_FOUND, GROUND_BAR, GROUND_MARKED };

static int colour(enum palette_depth depth, int rgb)
{
    if (rgb == PALETTE_OWN || depth == PALETTE_TRUE)
        return rgb;
    return palette_nearest(rgb);
}

static int ground_of(bool light, enum tone tone, bool marked)
{
    int which = marked ? GROUND_MARKED : GROUND_BAR;

    if (tone == TONE_FOUND)
        which = GROUND_FOUND;
    else if (tone != TONE_BAR && !marked)
        return PALETTE_OWN;
    return light ? grounds[which].light : grounds[which].dark;
}

static struct palette_ink rich(enum palette_depth depth, bool light, enum tone tone, bool marked)
{
    const struct paint *paint = &paints[tone];
    struct palette_ink ink = {.bits = paint->bits};

    ink.ink = colour(depth, light ? paint->light : paint->dark);
    ink.ground = colour(depth, ground_of(light, tone, marked));
    /* the terminal's own ink may be anything, the ground of the row is ours */
    if (marked && ink.ink == PALETTE_OWN)
        ink.ink = colour(depth, light ? 0x16181c : 0xf0f0f0);
    return ink;
}

/* Eight colours, or sixteen, of which the upper ones are brighter. */
static struct palette_ink poor(enum palette_depth depth, bool light, enum tone tone)
{
    const struct paint *paint = &paints[tone];
    struct palette_ink ink = {light ? paint->light_8 : paint->dark_8, PALETTE_OWN, paint->bits};

    if (tone == TONE_FOUND) {
        ink.ground = YELLOW;
    } else if (tone == TONE_BAR) {
        ink.bits |= LOOK_REVERSE;
    } else if (tone == TONE_FAINT) {
        if (depth == PALETTE_16)
            ink.ink = GREY;
        else
            ink.bits |= LOOK_DIM;
    } else if (depth == PALETTE_16 && !light && ink.ink != PALETTE_OWN) {
        ink.ink += GREY;
    }
    return ink;
}

struct palette_ink palette_ink(enum palette_depth depth, enum palette_ground ground, enum tone tone,
                               bool marked)
{
    bool light = ground == PALETTE_LIGHT;

    if (depth >= PALETTE_256)
        return rich(depth, light, tone, marked);
    /* reversed, the colours of the tones would be a patchwork of grounds */
    if (marked && tone != TONE_FOUND)
        return (struct palette_ink){PALETTE_OWN, PALETTE_OWN, LOOK_REVERSE};
    if (depth == PALETTE_NONE)
        return (struct palette_ink){PALETTE_OWN, PALETTE_OWN,
                                    marked ? LOOK_BOLD | LOOK_UNDERLINE | LOOK_REVERSE
                                           : paints[tone].bits_none};
    return poor(depth, light, tone);
}

enum palette_depth palette_depth(long colours)
{
    if (colours >= 1L << 24)
        return PALETTE_TRUE;
    if (colours >= 256)
        return PALETTE_256;
    if (colours >= 16)
        return PALETTE_16;
    return colours >= 8 ? PALETTE_8 : PALETTE_NONE;
}

/* "15;0", "0;default;15": ink and ground, of the sixteen colours. */
static enum palette_ground of_colorfgbg(const char *said)
{
    const char *last = strrchr(said, ';');
    char *end;
    long number;

    if (!last || last[1] < '0' || last[1] > '9')
        return PALETTE_UNKNOWN;
    number = strtol(last + 1, &end, 10);
    if (*end || number > 15)
        return PALETTE_UNKNOWN;
    return number == WHITE || number > GREY ? PALETTE_LIGHT : PALETTE_DARK;
}

enum palette_ground palette_ground_said(const char *theme, const char *colorfgbg)
{
    if (theme && strcmp(theme, "light") == 0)
        return PALETTE_LIGHT;
    if (theme && strcmp(theme, "dark") == 0)
        return PALETTE_DARK;
    return colorfgbg ? of_colorfgbg(colorfgbg) : PALETTE_UNKNOWN;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* One of the three: up to `digits` hexadecimal ones. In thousandths; -1: there is none. */
static int share(struct str *rest, size_t digits)
{
    int value = 0, most = 0;
    size_t n = 0;

    while (n < digits && n < rest->n && digit(rest->p[n]) >= 0) {
        value = value * 16 + digit(rest->p[n++]);
        most = most * 16 + 15;
    }
    rest->p += n;
    rest->n -= n;
    return n ? value * 1000 / most : -1;
}

static bool skip(struct str *rest, struct str word)
{
    if (!str_starts(*rest, word))
        return false;
    rest->p += word.n;
    rest->n -= word.n;
    return true;
}

enum palette_ground palette_ground_answered(struct str answer)
{
    int part[3];
    size_t digits = 4;
    bool slashes = true;

    if (skip(&answer, STR("#"))) {
        slashes = false;
        digits = answer.n / 3;
        if (digits > 4)
            return PALETTE_UNKNOWN;
    } else if (!skip(&answer, STR("rgb:")) && !skip(&answer, STR("rgba:"))) {
        return PALETTE_UNKNOWN;
    }
    for (int i = 0; i < 3; i++) {
        if (i && slashes && !skip(&answer, STR("/")))
            return PALETTE_UNKNOWN;
        part[i] = share(&answer, digits);
        if (part[i] < 0)
            return PALETTE_UNKNOWN;
    }
    /* how bright it seems to the eye */
    return 299 * part[0] + 587 * part[1] + 114 * part[2] > 500000 ? PALETTE_LIGHT : PALETTE_DARK;
}

/* ---- the 256 colours: a cube of 6 x 6 x 6, and 24 greys ---- */

enum { CUBE = 16, GREYS = 232, COLOURS = 256 };

static int level(int step)
{
    return step ? 55 + 40 * step : 0;
}

int palette_rgb(int colour)
{
    int grey = 8 + 10 * (colour - GREYS), place = colour - CUBE;

    if (colour >= GREYS)
        return grey << 16 | grey << 8 | grey;
    return level(place / 36) << 16 | level(place / 6 % 6) << 8 | level(place % 6);
}

static int distance(int a, int b)
{
    int sum = 0;

    for (int shift = 0; shift <= 16; shift += 8) {
        int part = (a >> shift & 255) - (b >> shift & 255);

        sum += part * part;
    }
    return sum;
}

int palette_nearest(int rgb)
{
    int best = CUBE;

    for (int colour = CUBE + 1; colour < COLOURS; colour++)
        if (distance(palette_rgb(colour), rgb) < distance(palette_rgb(best), rgb))
            best = colour;
    return best;
}
