/* The objects of the native API, from JSON to the structs of tine.h. */
#ifndef CLIENT_REPLY_H
#define CLIENT_REPLY_H

#include "client/fields.h"

/* What the outermost object of a reply is; else it has members with names. */
enum reply_shape {
    REPLY_MEMBERS,
    REPLY_SESSION,
    REPLY_AGENT,
    REPLY_LABEL,
    REPLY_ME,
    REPLY_WORKSPACE,
    REPLY_HITS,    /* its `next` is a place */
    REPLY_RAW,     /* its entries are messages */
    REPLY_CONTENT, /* the content of a file, which may be empty */
    REPLY_NOTHING  /* nobody looks into it */
};

/* Fills all but status, json and json_bytes. False sets the reader's error. */
bool reply_read(struct reader *reader, struct str bytes, enum reply_shape shape,
                struct tine_result *out);

/* The members of an event's data; what it lacks is NULL. An event without an object is none. */
bool reply_event(struct reader *reader, struct str data, struct tine_event *out);

#endif
