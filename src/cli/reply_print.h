/*
 * The answer of an agent while it comes: its text goes to stdout piece by piece. On a terminal the
 * tools that it uses, and a little of what they print, are shown, too.
 */
#ifndef CLI_REPLY_PRINT_H
#define CLI_REPLY_PRINT_H

#include "cli/context.h"

struct reply_print {
    struct cli *cli;
    int64_t written;      /* bytes of the text of the message that is being said */
    bool in_line;         /* the last character was no line feed */
    int64_t output_lines; /* of the tool that runs, shown so far */
    bool output_cut;
    bool left_out;     /* some files were not kept */
    const char *asked; /* id of what was asked last; NULL: nothing yet */
};

void reply_print_init(struct reply_print *answer, struct cli *cli);

/* A tine_event_call; `context` is the struct reply_print. */
bool reply_print_event(void *context, const struct tine_event *event);

/* Ends the last line. */
void reply_print_end(struct reply_print *answer);

#endif
