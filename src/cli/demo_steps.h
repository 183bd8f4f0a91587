/* The example family: the command lines that make it, in order. */
#ifndef CLI_DEMO_STEPS_H
#define CLI_DEMO_STEPS_H

#include <stdbool.h>

#define DEMO_ROOT "demo"

enum { DEMO_WORDS_MAX = 12 };

struct demo_step {
    const char *say;                   /* for the tour; NULL: goes on with the one before */
    const char *input;                 /* what it reads from stdin; NULL: nothing */
    bool only_tour;                    /* changes nothing: is run in the tour only */
    const char *words[DEMO_WORDS_MAX]; /* the command and its arguments; NULL ends them */
};

extern const struct demo_step demo_steps[]; /* words[0] is NULL at the end */

#endif
