/* A session: a name that points into the tree of acts, as a store gives it out. */
#ifndef STORE_SESSION_H
#define STORE_SESSION_H

#include "store/entry.h"
#include "store/files.h"
#include "store/limits.h"
#include "store/run.h"

enum session_state {
    SESSION_LIVE,
    SESSION_DELETED, /* its name is gone; something else stands on its acts */
    SESSION_SUB      /* a sub-session: in no list, lives as long as a reference names it */
};

struct session_parent {
    bool known;
    struct str session, title; /* as they were when the fork was made */
    struct str message;        /* the message named; empty: after everything, or by turn */
    enum point_side side;
    bool deleted;
};

struct session {
    int64_t s;
    enum session_state state;
    struct str id, title, agent, owner;
    struct session_parent parent;
    struct address head_at; /* its newest act, or its base */
    struct str head;        /* id of the newest entry on its path; empty: the path is empty */
    unsigned char hash[HASH_BYTES]; /* path hash there */
    int64_t messages;               /* visible ones on its path */
    int64_t own_messages;           /* … of which it wrote itself */
    int64_t fork_index;             /* visible messages at its base */
    int64_t flat_messages;          /* as `messages`, with sub-sessions flattened in */
    int64_t flat_fork_index;        /* as `fork_index`, likewise */
    struct usage own, inherited, spent;
    struct state state_at_head;
    struct str metadata, limits; /* JSON objects */
    struct workspace workspace;
    unsigned char tree[HASH_BYTES];      /* files at its head; tree_empty: none */
    unsigned char base_tree[HASH_BYTES]; /* … and at its base */
    int64_t children;                    /* living sessions forked from it */
    bool archived, can_undo, can_redo;
    int64_t moved_n; /* number of its newest move; 0: it has none. What its path has above that
                        is its own, and was said since */
    struct str home; /* the dialect through which it was made or forked; empty: the native API */
    struct str settings; /* a JSON object: what dialects and agents keep of it, one member each */
    struct str turn;     /* the newest turn that tine ran in it; empty: none */
    enum run_state turn_state;
    int64_t created_us, updated_us;
};

/* May it be the home of a session: a short word of a-z, 0-9 and -, or nothing? */
static inline bool home_valid(struct str home)
{
    if (home.n > LIMIT_HOME_BYTES)
        return false;
    for (size_t i = 0; i < home.n; i++) {
        char c = home.p[i];

        if (c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9'))
            return false;
    }
    return true;
}

typedef enum fault_code session_visit(void *context, const struct session *session,
                                      struct fault *fault);

enum note_act {
    NOTE_CREATED = 1,
    NOTE_FORKED,
    NOTE_RENAMED,
    NOTE_UPDATED, /* agent, metadata, limits or settings */
    NOTE_ARCHIVED,
    NOTE_UNARCHIVED,
    NOTE_LABELLED,
    NOTE_UNLABELLED,
    NOTE_DELETED,
    NOTE_TURN_STARTED,
    NOTE_TURN_ENDED
};

/* Something that happened to a session and does not touch its conversation. */
struct note {
    int64_t e;
    enum note_act act;
    int64_t at_us;
    struct str message; /* forked, labelled: the message; of a turn: its name */
    struct str was;     /* renamed: the old title; forked: the source's id; unlabelled: the label;
                           a turn that ended: why it failed */
    struct str now;     /* created, forked, renamed: the title; labelled: the label; deleted: the id
                           of the session; a turn that ended: how, as run_state_name says */
};

/* One line of a journal: an act or a note. */
struct journal_item {
    int64_t e;
    const struct entry *entry; /* or … */
    const struct note *note;
};

typedef enum fault_code journal_visit(void *context, const struct journal_item *item,
                                      struct fault *fault);

/* A record that is saved again and again, in the version that counts on the path. */
struct record {
    struct str id;
    struct address at; /* where it counts: the first entry of its turn */
    int kind;          /* the dialect's own number */
    struct str turn;
    int64_t at_us;
    struct str body;
};

typedef enum fault_code record_visit(void *context, const struct record *record,
                                     struct fault *fault);

struct label {
    struct str text;
    struct str message; /* id */
    struct address at;
    int64_t index;  /* as in struct entry */
    bool inherited; /* set in a session that this one stands on */
};

typedef enum fault_code label_visit(void *context, const struct label *label, struct fault *fault);

/* A stretch of messages that a session had and that its path no longer has. */
struct rewound {
    struct address first, last; /* acts of the stretch */
    int64_t index;              /* place of its first message in the list it stood in */
    int64_t messages;
    struct entry message; /* that first message */
};

typedef enum fault_code rewound_visit(void *context, const struct rewound *rewound,
                                      struct fault *fault);

struct hit {
    struct str session, title; /* the session that wrote it, or its nearest living fork; within a
                                  session, that one */
    struct str message;        /* id; of what is inside a sub-session, that of the reference to it;
                                  empty: the title matched */
    enum role role;
    int64_t at_us;
    struct str snippet; /* matched words between \x02 and \x03 */
    int64_t index;      /* within a session: place in its visible list; else -1 */
};

typedef enum fault_code hit_visit(void *context, const struct hit *hit, struct fault *fault);

#endif
