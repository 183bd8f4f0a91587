/* Ceilings on what a client can choose. Each is checked before anything is written. */
#ifndef STORE_LIMITS_H
#define STORE_LIMITS_H

#include <stdint.h>

enum {
    LIMIT_ENTRY_BYTES = 8 * 1024 * 1024,  /* body of one entry, or of one record */
    LIMIT_BATCH_ENTRIES = 1000,           /* entries of one append */
    LIMIT_BATCH_BYTES = 32 * 1024 * 1024, /* bodies of one append together */
    LIMIT_ADOPT_ENTRIES = 20 * 1000,      /* entries that one adopt brings over */
    LIMIT_ADOPT_BYTES = 64 * 1024 * 1024, /* their bodies together */
    LIMIT_TITLE_BYTES = 1024,
    LIMIT_ID_BYTES = 128,    /* an id that the client chose: A-Za-z0-9._:- */
    LIMIT_TURN_BYTES = 256,  /* name of a turn */
    LIMIT_AGENT_BYTES = 256, /* ns/name */
    LIMIT_HOME_BYTES = 32,   /* the dialect of a session: a-z 0-9 - */
    LIMIT_LABEL_BYTES = 128,
    LIMIT_OWNER_BYTES = 128,
    LIMIT_KEY_BYTES = 255,               /* an idempotency key */
    LIMIT_ONCE_BYTES = 8 * 1024 * 1024,  /* an answer that is kept for one */
    LIMIT_AGENT_BODY_BYTES = 256 * 1024, /* the definition of an agent */
    LIMIT_REASON_BYTES = 512,            /* why a turn failed */
    LIMIT_HOLDER_BYTES = 128,            /* who runs a turn */
    LIMIT_ANSWER_BYTES = 256 * 1024,     /* what is answered to a turn that asks */
    LIMIT_METADATA_BYTES = 64 * 1024, /* metadata of a session; its limits and settings likewise */
    LIMIT_STATE_KEY_BYTES = 256,
    LIMIT_STATE_BYTES = 4 * 1024 * 1024,    /* the whole state at a place */
    LIMIT_STATE_KEYS = 10 * 1000,           /* changes in one delta */
    LIMIT_QUERY_BYTES = 1024,               /* words to search for */
    LIMIT_PAGE = 1000,                      /* rows of one page */
    LIMIT_LOOKS = 2000,                     /* matches that a search in one session looks at */
    LIMIT_SESSIONS = 100 * 1000,            /* sessions of one owner */
    LIMIT_FLAT_MESSAGES = 16 * 1000 * 1000, /* messages of a path with sub-sessions flattened in */
    LIMIT_JSON_DEPTH = 64,
    LIMIT_INTENT_BYTES = 24 * 1024 * 1024, /* how a move of files is finished, with its entry */
    LIMIT_DIR_BYTES = 4000,                /* path of an attached directory, or of a file in one */
    LIMIT_HAVE = 4096                      /* objects asked for at once */
};

/* Of one entry; what they add up to is kept below a ceiling of its own. */
#define LIMIT_USAGE_TOKENS INT64_C(1000000000000)       /* input, and output */
#define LIMIT_USAGE_COST   INT64_C(1000000000000000)    /* in 1e-9: a million */
#define LIMIT_USAGE_SUM    INT64_C(4000000000000000000) /* of a path, or of a session */

#endif
