/*
 * The colours of the tones, for as many colours as a terminal has and for a dark or a light ground.
 * It knows no terminal: screen.c asks it.
 */
#ifndef TUI_PALETTE_H
#define TUI_PALETTE_H

#include "base/str.h"
#include "tui/look.h"

enum palette_depth {
    PALETTE_NONE, /* no colours at all: only bold, dim, underline, reverse */
    PALETTE_8,
    PALETTE_16,
    PALETTE_256,
    PALETTE_TRUE
};

enum palette_ground { PALETTE_UNKNOWN, PALETTE_DARK, PALETTE_LIGHT };

enum { PALETTE_OWN = -1 /* the terminal's own colour */ };

struct palette_ink {
    int ink, ground; /* a number of the terminal's, or of PALETTE_TRUE 0xRRGGBB; PALETTE_OWN */
    uint8_t bits;    /* of struct look */
};

/* `marked`: on the ground of the marked row. An unknown ground is taken for a dark one. */
struct palette_ink palette_ink(enum palette_depth depth, enum palette_ground ground, enum tone tone,
                               bool marked);

/* How many colours are used of those that a terminal has. */
enum palette_depth palette_depth(long colours);

/* What the environment says of the ground: TINE_THEME, COLORFGBG. Each may be NULL. */
enum palette_ground palette_ground_said(const char *theme, const char *colorfgbg);

/* What a terminal answers when asked for its ground: "rgb:1e1e/1e1e/2e2e", "#1e1e2e". */
enum palette_ground palette_ground_answered(struct str answer);

/* The one of the 256 colours that is nearest to 0xRRGGBB, and what that looks like. */
int palette_nearest(int rgb);
int palette_rgb(int colour); /* 16 to 255 */

#endif
