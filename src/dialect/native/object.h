/* The objects of the native API, from what the store gives to JSON. `key` as in json_out.h. */
#ifndef DIALECT_NATIVE_OBJECT_H
#define DIALECT_NATIVE_OBJECT_H

#include "agent/agent.h"
#include "engine/workspaces.h"
#include "json/json_out.h"

const char *object_role(enum role role); /* "user" …; "none" for ROLE_NONE */
const char *object_kind(enum entry_kind kind);
const char *object_move(enum move_act act);
const char *object_scope(enum move_scope scope);
const char *object_note(enum note_act act);
const char *object_side(enum point_side side);
const char *object_workspace(enum workspace_mode mode);

void object_write_session(struct json_out *out, const char *key, const struct session *session);

/* The same of one whose turn waits for an answer. */
void object_write_session_asking(struct json_out *out, const char *key,
                                 const struct session *session, const struct question *question);

/* What a turn waits for, as the member "asks". */
void object_write_asks(struct json_out *out, const struct question *question);

/* As it stands in a list: without its state, which lists do not read. */
void object_write_session_row(struct json_out *out, const char *key, const struct session *session);

/*
 * An entry as a message. The members of a native body are copied as they stand; another body comes
 * as "body", and what is no message says its "kind".
 */
void object_write_entry(struct json_out *out, const char *key, const struct entry *entry);

/* The members of the replies to fork, and to rewind, undo, redo and adopt. */
void object_write_fork(struct json_out *out, const struct fork_result *result,
                       const struct files_report *report);
void object_write_move(struct json_out *out, enum move_act act, const struct move_result *result,
                       const struct files_report *report);

/* The path of a directory as "dir"; null when it is empty. */
void object_write_dir(struct json_out *out, struct str dir);

void object_write_journal(struct json_out *out, const char *key, const struct journal_item *item);
void object_write_label(struct json_out *out, const char *key, const struct label *label);
void object_write_hit(struct json_out *out, const char *key, const struct hit *hit);

/* A session in the tree of its family, left open for more members: "files_changed" is one. */
void object_begin_node(struct json_out *out, const struct session *session, bool current);

/* A stretch that was rewound away. */
void object_write_rewound(struct json_out *out, const char *key, const struct rewound *rewound);

#endif
