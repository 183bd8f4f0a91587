/* A message of a conversation, laid out: its heading, its text, its tool calls and results. */
#ifndef TUI_MESSAGE_LAY_H
#define TUI_MESSAGE_LAY_H

#include "tui/flow.h"

#include <tine.h>

/* What is shown of a message; how much more there is, is said. */
enum {
    MESSAGE_PARTS_SHOWN = 500,
    MESSAGE_ALL_SHOWN = 1024 * 1024, /* bytes of everything that is not folded */
    MESSAGE_TEXT_SHOWN = 512 * 1024, /* bytes of a text */
    MESSAGE_TEXT_LINES = 20 * 1000,
    MESSAGE_OUTPUT_SHOWN = 256 * 1024,
    MESSAGE_OUTPUT_LINES = 500
};

struct message_lay_options {
    int width;
    bool open;         /* tool calls and results in full; else folded to a line each */
    bool numbered;     /* headed "You (message 1)", counted from 1; else "You" */
    const char *label; /* that names the message; NULL: none */
    int64_t now_ms;    /* for ages in headings; 0: no age */
};

/*
 * Reasoning is dim; a folded call is one line with its tool, the gist of its arguments and, of a
 * result, its first line and how many there are. What is no message (a summary, an event that says
 * something, a merge) has a heading that says what it is. Ends without a blank line.
 */
struct laid message_lay(const struct tine_message *message,
                        const struct message_lay_options *options, struct arena *arena);

/* A piece of running text, before it is a message: kind as in struct tine_event. */
struct message_piece {
    const char *kind; /* "text", "reasoning", "call", "output" */
    const char *name; /* of the tool; NULL */
    struct str text;
};

struct laid message_lay_pieces(const struct message_piece *pieces, size_t count,
                               const struct message_lay_options *options, struct arena *arena);

/* The text of a user's message, as it goes back into the composer: its text parts. */
struct str message_text(const struct tine_message *message, struct arena *arena);

/* The first line of what it says, for lists; never empty. */
struct str message_gist(const struct tine_message *message, struct arena *arena);

/* "You", "Assistant", "Tool", "System", "Summary" … */
const char *message_speaker(const struct tine_message *message);

#endif
