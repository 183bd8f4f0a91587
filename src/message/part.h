/* The parts of a message, read back from the body that is kept of it. */
#ifndef MESSAGE_PART_H
#define MESSAGE_PART_H

#include "base/arena.h"
#include "json/json_in.h"

enum part_type {
    PART_TEXT,
    PART_REASONING,
    PART_TOOL_CALL,
    PART_TOOL_RESULT,
    PART_FILE,
    PART_DATA,
    PART_OTHER /* of a kind that is not known here */
};

struct part {
    enum part_type type;
    struct str text;         /* text, reasoning; output of a result (JSON when it is no string);
                                data of a data part, as JSON */
    struct str id;           /* of a call; of the call that a result answers */
    struct str name;         /* of the tool, of the file */
    struct json_value value; /* arguments of a call, output of a result */
    struct str media_type;
    struct str bytes, uri; /* of a file: base64, or where it is */
    bool error;
};

/* Bodies that have no list of parts (another dialect's, an erased one) have none. */
struct part *parts_of(struct str body, struct arena *arena, size_t *count);

/* The texts of a body, with a line between them. */
struct str parts_text(struct str body, struct arena *arena);

#endif
