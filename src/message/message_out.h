/*
 * Writes a message part by part; at the end it is an entry that can be appended. Strings must be
 * valid UTF-8. What the parts take together may not be over LIMIT_ENTRY_BYTES.
 */
#ifndef MESSAGE_MESSAGE_OUT_H
#define MESSAGE_MESSAGE_OUT_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/entry.h"

struct message_out {
    struct arena *arena;
    struct buf body;
    struct span *spans;
    size_t span_count, span_room;
    int calls, results;
    bool comma;
};

void message_out_begin(struct message_out *out, struct arena *arena);
void message_out_text(struct message_out *out, struct str text);
void message_out_reasoning(struct message_out *out, struct str text);
void message_out_call(struct message_out *out, struct str id, struct str name,
                      struct str arguments); /* JSON as it is */
void message_out_result(struct message_out *out, struct str call, struct str output, bool error);

/* Whether it has come too large; then message_out_end gives a message without it. */
bool message_out_full(const struct message_out *out);

/* Ends the message and gives its memory back; `metadata` is a JSON object, or empty. */
struct entry_spec message_out_end(struct message_out *out, enum role role, struct str metadata);

#endif
