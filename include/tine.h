/*
 * libtine: a client of tine, the session server whose conversations are trees. It speaks the native
 * API, /api/v1.
 *
 *     struct tine_error error;
 *     struct tine *tine = tine_connect(&(struct tine_options){.server = "http://127.0.0.1:8463"},
 *                                      &error);
 *     struct tine_result *result;
 *
 *     if (tine_fork(tine, "demo", &(struct tine_fork_options){.point.before = "@plan"}, &result,
 *                   &error))
 *         puts(result->session->id);
 *     tine_result_free(result);
 *     tine_free(tine);
 *
 * Every call returns true when it was done. Then *out, where there is one, is a result that the
 * caller frees, once, with everything in it; `out` may be NULL. Else *out is NULL and `error`,
 * which may be NULL, says why.
 *
 * A handle is for one thread at a time; different handles may be used at the same time. Strings are
 * UTF-8 and end with a NUL, but for the paths of files, which are the bytes that the file system
 * has. "JSON" is JSON text. Those that may be NULL say so. Structs that you fill are set to zero
 * first, so that members that come later keep their meaning.
 */
#ifndef TINE_H
#define TINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct tine;

const char *tine_version(void);

/* ---- connecting ---- */

struct tine_options {
    const char *server;     /* its address; NULL: http://127.0.0.1:8463 */
    const char *token;      /* of a user; NULL: none */
    const char *user_agent; /* NULL: libtine and its version */
    int connect_ms;         /* 0: 10 seconds */
    int reply_ms;           /* until a reply is whole; turns and streams have no such limit.
                               0: 60 seconds */
    size_t reply_bytes;     /* the largest reply, or event, that is taken; 0: 64 MiB */
    /* Gives out a connected socket to the server in place of a new connection, or -1. */
    int (*socket)(void *context);
    /* Asked several times a second while a call waits; true ends it with "interrupted". */
    bool (*stop)(void *context);
    void *context;
    void *socket_context; /* that `socket` is given; NULL: `context` */
};

/*
 * Why a call failed. `status` is the HTTP status of the server's refusal, and `code` its stable
 * word
 * ("session_not_found"). It is 0 when there was no answer, or none that makes sense; the words
 * are then: "usage" the call itself is wrong, "connection" the server cannot be reached or went
 * away, "timeout", "interrupted", "protocol" the answer is not tine's, "reply_too_large".
 */
struct tine_error {
    int status;
    char code[64];
    char detail[512]; /* one line */
};

/* Nothing is sent yet. NULL when the options make no sense. */
struct tine *tine_connect(const struct tine_options *options, struct tine_error *error);
void tine_free(struct tine *tine); /* takes NULL */

/* The body of the newest refusal, JSON as it came; "" when there was none. */
const char *tine_problem(const struct tine *tine);

/* ---- what is answered ---- */

struct tine_usage {
    int64_t input_tokens, output_tokens;
    int64_t cost_nano; /* in 1e-9 of the unit of account */
};

struct tine_parent {
    const char *session, *title; /* as they were when the fork was made */
    const char *message;         /* NULL: after everything, or by turn */
    const char *side;            /* "before" or "after" */
    int64_t index;               /* messages that the fork began with */
    bool deleted;
};

struct tine_label {
    const char *label;   /* NULL: taken away */
    const char *message; /* id */
    int64_t index;       /* its place; -1: it is not in the conversation now */
    bool inherited;
};

struct tine_part {
    const char *type; /* "text", "reasoning", "tool_call", "tool_result", "file", "data" */
    const char *text; /* text, reasoning; of a tool_result its output, as JSON unless it is a
                         string; NULL for others */
    size_t text_bytes;
    const char *id, *name;   /* tool_call; a file's name. NULL: it has none */
    const char *arguments;   /* tool_call: JSON; NULL for others */
    const char *call;        /* tool_result: the id of its call; NULL for others */
    bool error;              /* tool_result */
    const char *media_type;  /* file; NULL for others */
    const char *bytes, *uri; /* file: one of them */
    const char *json;        /* all of the part */
};

struct tine_message {
    const char *id;
    int64_t index;    /* place in the conversation; -1: it has none */
    const char *kind; /* "message"; else what it is: "event", "summary", "state", "move" … */
    const char *role; /* "user", "assistant", "tool", "system"; NULL: none */
    const char *turn; /* NULL: it belongs to none */
    const struct tine_part *parts;
    size_t part_count;
    const char *body;     /* JSON of one that is not in parts; NULL */
    const char *metadata; /* JSON; NULL for what is no message */
    bool has_usage;
    struct tine_usage usage;
    const char *session;    /* that wrote it */
    const char *hash;       /* of its path */
    const char *files;      /* the tree of its files as they were at it; NULL: none */
    bool left_out;          /* something was not kept of them: too large, a device … */
    bool foreign;           /* kind "files": somebody else changed them, not the session */
    const char *move;       /* kind "move": "rewind", "undo", "redo", "adopt", "merge"; else NULL */
    const char *scope;      /* … of what: "both", "conversation", "files" */
    const char *to_message; /* … where to, after this message; NULL: to the beginning */
    int64_t to_index;       /* … which is a conversation of so many messages */
    bool settled, interrupted, erased, adopted;
    bool merged;        /* it tells of a merge */
    bool large;         /* in events: its parts are left out */
    int64_t created_ms; /* since 1970, UTC */
    const char *json;   /* all of the message */
};

/* A stretch of messages that a session had and has no longer. */
struct tine_rewound {
    int64_t index; /* where it began */
    int64_t messages;
    const struct tine_message *first;
};

struct tine_session {
    const char *id; /* "" on a dry run */
    const char *title, *agent, *user;
    const struct tine_parent *parent; /* NULL: it is no fork */
    const char *head;                 /* newest message; NULL: none */
    int64_t messages;
    const char *turn, *turn_state; /* the newest that tine ran; NULL: none */
    struct tine_usage usage, inherited, spent;
    const char *state, *metadata, *limits; /* JSON; state is NULL in lists */
    const char *workspace_dir;             /* NULL: none */
    const char *workspace_mode;            /* "own", "attached", "none" */
    int64_t children;
    bool archived;
    int64_t created_ms, updated_ms;
    /* in a tree */
    int64_t index;         /* messages at the place where it parted */
    int64_t own_messages;  /* that it wrote itself */
    int64_t files_changed; /* since it parted */
    bool current;          /* the one that was asked for */
    const struct tine_label *labels;
    size_t label_count;
    const struct tine_rewound *rewound;
    size_t rewound_count;
    const char *json; /* all of the session */
};

struct tine_point {
    const char *message; /* NULL: everything */
    const char *side;
    int64_t index; /* messages that are kept */
    bool snapped;
};

struct tine_move {
    const char *id;        /* NULL on a dry run */
    const char *act;       /* "rewind", "undo", "redo", "adopt" */
    const char *from, *to; /* newest message before and after; NULL: none */
    int64_t dropped, kept, added;
};

/* A line of the journal: an act, or a note about the session. */
struct tine_entry {
    int64_t event;
    const char *act;                    /* "message", "rewind", "renamed" … */
    const struct tine_message *message; /* of an act; NULL: it is a note */
    const char *about, *was, *now;      /* of a note: message or turn, old, new; each may be NULL */
    int64_t created_ms;
    const char *json;
};

struct tine_hit {
    const char *session, *title;
    const char *message, *role; /* NULL: the title matched */
    const char *snippet;
    const int64_t (*matches)[2]; /* first character and the one behind the last */
    size_t match_count;
    int64_t index; /* place in the conversation; -1: it was not asked for within a session */
    int64_t created_ms;
    const char *json;
};

struct tine_agent {
    const char *id, *space, *name, *kind, *description; /* `id` is "space/name" */
    const char *model;                                  /* NULL: none */
    bool is_default;
    const char *json; /* everything that is known of it */
};

struct tine_file {
    const char *path; /* from the session's directory on; any bytes but NUL */
    const char *name; /* the same in UTF-8, for people: other bytes are \xHH */
    const char *type; /* "file", "dir", "link"; "left_out": it is there, but was not kept */
    /* in a list */
    const char *mode;   /* permissions: "0644"; NULL: it has none */
    int64_t size;       /* bytes */
    const char *hash;   /* of its content; NULL: none */
    const char *target; /* link: where it leads, any bytes; NULL for others */
    const char *reason; /* why it was left out: "size", "special" …; NULL: it was not */
    /* in a diff */
    const char *status; /* "added", "deleted", "modified", "mode", "type"; "" in a list */
    int64_t additions, deletions;
    bool binary;       /* it has no lines */
    bool too_long;     /* to be shown as a patch */
    const char *patch; /* any bytes, as git writes it; NULL: none */
    size_t patch_bytes;
    const char *json;
};

/* Paths in UTF-8, for people: other bytes are \xHH. */
struct tine_paths {
    const char *const *list;
    size_t count;
    int64_t more; /* that are not in the list */
};

/* What a fork, a move, a merge or a restore did to files, or would do. */
struct tine_files_report {
    struct tine_paths restored;  /* written, as they were there */
    struct tine_paths deleted;   /* not there then */
    struct tine_paths conflicts; /* others changed them since: refused without `force` */
    struct tine_paths skipped;   /* left alone: a device, too large to be kept … */
};

struct tine_conflict {
    const char *path, *name; /* as in tine_file */
    const char *reason;      /* "foreign": somebody else changed it; else what clashes in a merge */
};

struct tine_merge {
    const char *id;                     /* NULL on a dry run */
    const char *from;                   /* the session */
    const char *base;                   /* the entry since which its changes count; NULL: all */
    const struct tine_message *message; /* that tells of it; NULL on a dry run */
};

/* Everything that a reply can hold; what it does not have is NULL, 0 or false. */
struct tine_result {
    int status;
    const char *json; /* the reply as it came */
    size_t json_bytes;
    const struct tine_session *session;
    const struct tine_session *sessions;
    size_t session_count;
    const struct tine_message *messages; /* also those of a turn that was run */
    size_t message_count;
    int64_t total; /* of the conversation that the messages are a page of */
    const struct tine_entry *entries;
    size_t entry_count;
    const struct tine_hit *hits;
    size_t hit_count;
    int64_t next_place; /* of tine_search within a session: go on from here; -1: that was all */
    const struct tine_label *label;
    const struct tine_label *labels;
    size_t label_count;
    const struct tine_agent *agent;
    const struct tine_agent *agents;
    size_t agent_count;
    const struct tine_point *point;
    const struct tine_move *move;
    const struct tine_message *excluded; /* before which the cut was made */
    const char *root;                    /* of a tree */
    const char *turn, *turn_state;       /* that was run */
    const char *reason;                  /* why it failed */
    bool repeated;                       /* it was there already, and is the same */
    const char *common;                  /* of a diff: the last message that both have; NULL … */
    int64_t shared;                      /* … how many they have in common … */
    const struct tine_message *left, *right; /* … and what each has since */
    size_t left_count, right_count;
    bool left_more, right_more, files_more; /* there are more than these */
    const struct tine_file *files;          /* of a list, or that differ */
    size_t file_count;
    int64_t left_out;             /* of a list: so many were not kept */
    const char *tree;             /* the files as a whole; NULL: none */
    const struct tine_file *file; /* that was written */
    const char *entry;            /* that records it; NULL: nothing changed */
    const char *content;          /* of a file, any bytes; NULL: no file was read */
    size_t content_bytes;
    const struct tine_files_report *report;
    const struct tine_merge *merge;
    const struct tine_conflict *conflicts;
    size_t conflict_count;
    int64_t conflicts_more;                     /* that are not in the list */
    const char *workspace_dir, *workspace_mode; /* of tine_workspace; dir NULL: none */
    const char *name, *right_name;              /* of tine_me: the user, and what he may do */
    const char *next; /* cursor of the page behind this one; NULL: it was the last */
};

void tine_result_free(struct tine_result *result); /* takes NULL */

/* ---- sessions ---- */

struct tine_session_options {
    const char *id, *title, *agent;        /* NULL: the server chooses */
    const char *metadata, *limits, *state; /* JSON objects; NULL: none */
    const char *workspace_mode;            /* "own", "attached", "none"; NULL: own */
    const char *workspace_dir;             /* attached: a directory of the server's machine */
    const char *key; /* idempotency key: the same again does it once; NULL: none */
};

bool tine_create(struct tine *tine, const struct tine_session_options *options,
                 struct tine_result **out, struct tine_error *error);

enum tine_archived { TINE_NOT_ARCHIVED, TINE_ONLY_ARCHIVED, TINE_ALSO_ARCHIVED };

struct tine_list_options {
    const char *agent, *words, *parent; /* NULL: any */
    enum tine_archived archived;
    int64_t limit;      /* of a page, at most 1000; 0: the server chooses */
    const char *cursor; /* `next` of the page before; NULL: the first */
};

bool tine_sessions(struct tine *tine, const struct tine_list_options *options,
                   struct tine_result **out, struct tine_error *error);

/* By id; with `part` also by a unique start or end of it, or by its title. */
bool tine_session(struct tine *tine, const char *session, bool part, struct tine_result **out,
                  struct tine_error *error);

struct tine_update_options {
    const char *title, *metadata, *limits; /* NULL: as it is */
    const bool *archived;
};

bool tine_update(struct tine *tine, const char *session, const struct tine_update_options *options,
                 struct tine_result **out, struct tine_error *error);

/* With `purge` the messages that no living session shows are emptied, too. */
bool tine_delete(struct tine *tine, const char *session, bool purge, struct tine_error *error);

/* ---- messages ---- */

struct tine_messages_options {
    const char *at; /* the conversation as it was after this message, named as in tine_point_name;
                       NULL: now */
    bool part;      /* a unique start of its id will do */
    int64_t from;   /* begin at this place */
    int64_t limit;  /* of a page, at most 1000; 0: the server chooses */
    int64_t tail;   /* the last so many; 0: from the beginning */
    bool all;       /* also system messages, events, summaries … */
    bool raw;       /* everything the session ever had, as it was written; goes with limit only */
    const char *cursor;
};

bool tine_messages(struct tine *tine, const char *session,
                   const struct tine_messages_options *options, struct tine_result **out,
                   struct tine_error *error);

/*
 * Something that happened. While a turn runs, "message.delta" brings text before it is a message,
 * and "turn.waiting" what it waits for: these have no id.
 */
struct tine_event {
    const char *id;   /* NULL: it is not kept */
    const char *type; /* "message.added", "turn.ended" …; "reset": events were missed for good */
    const char *data; /* JSON */
    size_t data_bytes;
    const char *session;                /* NULL: of none */
    const char *turn, *turn_state;      /* NULL: of none, not said */
    const char *reason;                 /* why a turn failed; NULL */
    const struct tine_message *message; /* message.added; NULL for others */
    /* message.delta: running text */
    const char *text; /* what was added; NULL for others */
    size_t text_bytes;
    const char *kind;             /* "text", "reasoning", "call" or "output" (of a tool) */
    const char *call, *call_name; /* id and tool of those two; NULL */
    int64_t step;                 /* messages of the turn before the one that it belongs to */
    int64_t offset;               /* bytes of this kind before it in that message */
    /* turn.waiting: the turn waits for tine_answer */
    const char *ask;                      /* id of what it asks; NULL for others */
    const char *ask_tool, *ask_arguments; /* may this tool be run? Its arguments, JSON */
    const char *ask_question;             /* or, without a tool, something to be answered */
};

/* What it points to lives as long as the call. False ends the stream. */
typedef bool tine_event_call(void *context, const struct tine_event *event);

struct tine_send_options {
    const char *text; /* a user's message, unless `role` says otherwise; or … */
    const char *json; /* … the request's body as JSON: a message, or {"messages":[…]} */
    const char *role, *id, *turn; /* beside `text`; NULL: the server chooses */
    bool store_only;              /* nobody answers */
    bool wait;                    /* when a turn is running, answer after it; else it is refused */
    const char *expect_head;      /* refuse when the newest message is another; NULL: any */
    const char *key;              /* idempotency key; NULL: none */
    /* Given: called for each event of the turn until it has ended. */
    tine_event_call *on_event;
    void *context;
};

/*
 * Adds messages. Unless they are only stored, the session's agent answers, and the call returns
 * when it is done: with `on_event` each piece is told as it comes and the result has no messages,
 * else they are in the result. A turn that failed is no failed call: look at turn_state.
 */
bool tine_send(struct tine *tine, const char *session, const struct tine_send_options *options,
               struct tine_result **out, struct tine_error *error);

struct tine_answer_options {
    bool approve;       /* the tool may be run; else it is refused, or the question not answered */
    const char *always; /* a yes from now on: for this "tool", or for all of the "session"; NULL */
    const char *text;   /* why not; or the answer to a question; NULL */
    const char *id;     /* of what is answered; NULL: whatever the turn asks */
};

/*
 * Answers a turn that waits. While tine_send tells the events of that turn, its handle is in use:
 * take another one.
 */
bool tine_answer(struct tine *tine, const char *session, const struct tine_answer_options *options,
                 struct tine_result **out, struct tine_error *error);

/* Stops the running turn; what was said stays. */
bool tine_cancel(struct tine *tine, const char *session, struct tine_result **out,
                 struct tine_error *error);

/* ---- fork, rewind, undo ---- */

/*
 * A place in a conversation, named by at most one of the three; none: after everything. A message
 * is named by its id, by "@label", by its place ("#4", counted from 0) or from the end ("-1": the
 * last).
 */
struct tine_point_name {
    const char *before, *after; /* a message */
    const char *before_turn;
    bool part; /* a unique start of a message's id will do */
    bool snap; /* when a tool call is open there: the nearest good place before it */
};

struct tine_fork_options {
    struct tine_point_name point;
    const char *id, *title, *agent, *metadata; /* NULL: chosen by the server, or the source's */
    const char *files;             /* "point": as they were there; "live": as they are now;
                                      "none". NULL: point */
    const char *expect_head, *key; /* NULL: any, none */
    bool dry_run;                  /* only say what would happen */
};

bool tine_fork(struct tine *tine, const char *session, const struct tine_fork_options *options,
               struct tine_result **out, struct tine_error *error);

struct tine_move_options {
    struct tine_point_name point; /* rewind only */
    const char *scope;            /* rewind, adopt: "both", "conversation", "files"; NULL: both */
    const char *expect_head, *key;
    bool force; /* write over files that others have changed; undo brings them back */
    bool dry_run;
};

bool tine_rewind(struct tine *tine, const char *session, const struct tine_move_options *options,
                 struct tine_result **out, struct tine_error *error);
bool tine_undo(struct tine *tine, const char *session, const struct tine_move_options *options,
               struct tine_result **out, struct tine_error *error);
bool tine_redo(struct tine *tine, const char *session, const struct tine_move_options *options,
               struct tine_result **out, struct tine_error *error);

/* Goes back to where `from` parted and takes over what it has since. */
bool tine_adopt(struct tine *tine, const char *session, const char *from,
                const struct tine_move_options *options, struct tine_result **out,
                struct tine_error *error);

/* ---- family, journal, labels, search ---- */

/* With `details` also labels and what was rewound away. */
bool tine_tree(struct tine *tine, const char *session, bool details, struct tine_result **out,
               struct tine_error *error);
bool tine_ancestors(struct tine *tine, const char *session, struct tine_result **out,
                    struct tine_error *error);
bool tine_children(struct tine *tine, const char *session, struct tine_result **out,
                   struct tine_error *error);

struct tine_diff_options {
    const char *with;         /* the other session, of the same family; may be the same */
    const char *at, *with_at; /* messages; NULL: now */
    bool part;                /* a unique start of an id will do */
    bool no_patches;          /* only how many lines */
    int64_t limit;            /* of messages of each; 0: the server chooses */
};

/* Where two places part: messages of each, and files from the first place to the other one. */
bool tine_diff(struct tine *tine, const char *session, const struct tine_diff_options *options,
               struct tine_result **out, struct tine_error *error);

/* What happened to the session after event `since`. limit 0: the server chooses. */
bool tine_journal(struct tine *tine, const char *session, int64_t since, int64_t limit,
                  const char *cursor, struct tine_result **out, struct tine_error *error);

bool tine_labels(struct tine *tine, const char *session, struct tine_result **out,
                 struct tine_error *error);

/* Names a message, or takes its name away (text NULL). `message` as in tine_point_name. */
bool tine_label(struct tine *tine, const char *session, const char *message, bool part,
                const char *text, struct tine_result **out, struct tine_error *error);

struct tine_search_options {
    const char *words;   /* all must occur; "a phrase" in quotes; a star behind a word: its start */
    const char *session; /* id: only messages of its conversation as it is now; NULL: everything */
    /* within a session, at most one of them; both NULL: all, newest first */
    const int64_t *before; /* those with a smaller place than this, newest first */
    const int64_t *after;  /* those with a larger place, oldest first; -1: from the beginning */
    int64_t limit;         /* at most 1000; 0: the server chooses */
};

/*
 * Titles and messages by their words. Within a session it takes the same time however long the
 * conversation is; when the server ended it early, next_place of the result says from where to ask
 * again, the same way. Each time that is further on.
 */
bool tine_search(struct tine *tine, const struct tine_search_options *options,
                 struct tine_result **out, struct tine_error *error);

/* ---- files ---- */

struct tine_files_options {
    const char *at;   /* as they were after this message; NULL: as they were recorded last */
    bool part;        /* a unique start of its id will do */
    bool live;        /* look at the directory now, and record it; not with `at` */
    const char *path; /* a directory; NULL: the topmost one */
    bool deep;        /* also all that is below it */
    int64_t limit;    /* of a page, at most 1000; 0: the server chooses */
    const char *cursor;
};

bool tine_files(struct tine *tine, const char *session, const struct tine_files_options *options,
                struct tine_result **out, struct tine_error *error);

/*
 * The bytes of a file as it was after a message, or (at NULL) as it is in the directory now. Of a
 * link, where it leads.
 */
bool tine_file_read(struct tine *tine, const char *session, const char *path, const char *at,
                    bool part, struct tine_result **out, struct tine_error *error);

struct tine_file_options {
    const char *mode;        /* permissions, octal: "0755"; NULL: as they are, or 0644 */
    const char *expect_head; /* NULL: any */
};

/* Writes a file in the directory, and makes the directories that it needs. */
bool tine_file_write(struct tine *tine, const char *session, const char *path, const void *bytes,
                     size_t count, const struct tine_file_options *options,
                     struct tine_result **out, struct tine_error *error);
bool tine_file_delete(struct tine *tine, const char *session, const char *path,
                      const char *expect_head, struct tine_error *error);

/* Brings one path back as it was after a message: a file, a link, or a directory and all in it. */
bool tine_restore(struct tine *tine, const char *session, const char *path, const char *at,
                  bool part, struct tine_result **out, struct tine_error *error);

struct tine_merge_options {
    const char *expect_head, *key;
    bool force; /* where both changed the same, `from` wins */
    bool dry_run;
};

/* Brings in what `from`, of the same family, changed in files since the two parted. */
bool tine_merge(struct tine *tine, const char *session, const char *from,
                const struct tine_merge_options *options, struct tine_result **out,
                struct tine_error *error);

/* The conflicts for which the newest call was refused ("files_conflict"). */
bool tine_conflicts(struct tine *tine, struct tine_result **out, struct tine_error *error);

/* Where a session works; the directory itself is told only to the operator. */
bool tine_workspace(struct tine *tine, const char *session, struct tine_result **out,
                    struct tine_error *error);

/* `mode` is "own", "attached" (then `dir` is a directory of the server's machine) or "none". */
bool tine_workspace_set(struct tine *tine, const char *session, const char *mode, const char *dir,
                        struct tine_result **out, struct tine_error *error);

/* ---- agents, users ---- */

bool tine_agents(struct tine *tine, struct tine_result **out, struct tine_error *error);
bool tine_agent(struct tine *tine, const char *agent, struct tine_result **out,
                struct tine_error *error);

/* Defines an agent, or defines it anew. `json` as docs/api.md says. */
bool tine_agent_put(struct tine *tine, const char *agent, const char *json,
                    struct tine_result **out, struct tine_error *error);
bool tine_agent_delete(struct tine *tine, const char *agent, struct tine_error *error);

/* Who am I to the server? */
bool tine_me(struct tine *tine, struct tine_result **out, struct tine_error *error);

/* ---- pages ---- */

/*
 * The pages of a list, one after the other:
 *
 *     struct tine_pages pages = {0};
 *     struct tine_list_options options = {0};
 *
 *     while (tine_pages_next(&pages, &options.cursor) &&
 *            tine_sessions(tine, &options, &pages.page, &error))
 *         … pages.page->sessions …
 *     tine_pages_end(&pages);
 */
struct tine_pages {
    struct tine_result *page;
    char *cursor; /* for itself */
    bool begun;
};

/* Sets the cursor to that of the next page and frees the one before it; false: there is none. */
bool tine_pages_next(struct tine_pages *pages, const char **cursor);
void tine_pages_end(struct tine_pages *pages);

/* ---- events ---- */

struct tine_events_options {
    const char *session; /* NULL: all that the user may see */
    const char *types; /* with commas between; "message." stands for all that begin so; NULL: all */
    const char *since; /* id of the last event seen; NULL: from now on */
    bool once;         /* ends when the connection does; else it is made anew, and goes on where it
                          was, after waits that grow to 10 seconds */
    tine_event_call *on_event;
    void *context;
};

/*
 * Calls on_event for each event until it returns false (then the call returns true), `stop` of the
 * options says so, or the server refuses.
 */
bool tine_events(struct tine *tine, const struct tine_events_options *options,
                 struct tine_error *error);

/* ---- anything else ---- */

/* One request below /api/v1, with a JSON body or NULL; the result has the reply as text. */
bool tine_request(struct tine *tine, const char *method, const char *path, const char *body,
                  struct tine_result **out, struct tine_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
