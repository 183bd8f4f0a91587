/* How a piece of text looks: a tone, which the palette gives a colour, and how it is set. */
#ifndef TUI_LOOK_H
#define TUI_LOOK_H

#include <stdint.h>

enum tone {
    TONE_TEXT,      /* what is read */
    TONE_FAINT,     /* what stands beside it: times, hints, reasoning, what is left behind */
    TONE_USER,      /* headings of the person's messages */
    TONE_ASSISTANT, /* … of the agent's */
    TONE_TOOL,      /* calls of tools and their results */
    TONE_HEADING,   /* of markdown, and of views */
    TONE_CODE,
    TONE_LINK,
    TONE_GOOD,  /* done, added */
    TONE_WARN,  /* attention: running, waiting, a conflict */
    TONE_BAD,   /* failed, removed */
    TONE_MARK,  /* what is marked: the fork point, a sign before a row */
    TONE_FOUND, /* a match of a search */
    TONE_BAR,   /* the status line and other bars */
    TONE_COUNT
};

enum {
    LOOK_BOLD = 1,
    LOOK_ITALIC = 2,
    LOOK_UNDERLINE = 4,
    LOOK_DIM = 8,
    LOOK_REVERSE = 16,
    LOOK_STRIKE = 32,
    LOOK_MARKED = 64 /* on the ground of the marked row, whatever the tone */
};

struct look {
    uint8_t tone; /* enum tone */
    uint8_t bits;
};

static inline struct look look(enum tone tone)
{
    return (struct look){(uint8_t)tone, 0};
}

static inline struct look look_with(enum tone tone, int bits)
{
    return (struct look){(uint8_t)tone, (uint8_t)bits};
}

#endif
