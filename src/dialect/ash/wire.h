/* What the handlers of ash's wire share: bodies, texts, the life of a session, the objects. */
#ifndef DIALECT_ASH_WIRE_H
#define DIALECT_ASH_WIRE_H

#include "dialect/ash/ash.h"
#include "dialect/handling.h"
#include "dialect/member.h"
#include "dialect/settings.h"

#define ASH_HOME     "ash"
#define ASH_SETTINGS "ash" /* its member of a session's settings */

enum {
    ASH_BODY_SMALL = 256 * 1024,
    ASH_BODY_MESSAGE = 50 * 1024 * 1024,
    ASH_BODY_FILES = 100 * 1024 * 1024,
    ASH_BODY_WORKSPACE = 82 * 1024 * 1024, /* BUNDLE_BYTES as base64 */
    ASH_CONTENT_CHARACTERS = 500 * 1000,
    ASH_CONTENT_BLOCKS = 20,
    ASH_STORED_DEPTH = LIMIT_JSON_DEPTH + 8 /* of a body that was checked when it came */
};

/* ---- bodies and texts ---- */

/*
 * The members of the body, as body_members, but others are ignored and null is as good as nothing.
 * FAULT_INVALID names what is of another type, or missing.
 */
FAULT_CHECK enum fault_code ash_members(struct exchange *x, struct json_member *members,
                                        size_t count, struct fault *fault);

/* JSON that was checked when it came; false when it is none after all, or no object. */
bool ash_object(struct str text, struct json_value *out);

/* The bytes as UTF-8: what is none of it becomes U+FFFD. */
struct str ash_clean(struct str bytes, struct arena *arena);

/* ash's rule for paths of files: ".." nowhere, no slash at the beginning. */
bool ash_path_fits(struct str path);

/* ---- the life of a session ---- */

/*
 *      (created) ──► active ◄──► paused        fork ──► paused
 *                     │  ▲         │
 *                     │  └─resume──┤
 *                     ├──stop──► stopped
 *                     └──delete (from all)──► ended
 */
enum ash_status { ASH_ACTIVE, ASH_PAUSED, ASH_STOPPED, ASH_ENDED, ASH_STATUS_COUNT };

const char *ash_status_name(enum ash_status status);

/*
 * A status belongs to the session that its settings say: by "of" its own id or, so that a fork can
 * be made paused in one act, by "from" the id of the session that it was forked from. In the
 * settings of any other fork it says nothing: that one is active.
 */
enum ash_status ash_status_of(const struct session *session);

/* The member of the settings with another status; what else is in it stays. */
struct str ash_life_write(struct str now, enum ash_status status, const char *whose, struct str id,
                          struct arena *arena);

/* The session that the path names. FAULT_SESSION_NOT_FOUND. */
FAULT_CHECK enum fault_code ash_session(struct exchange *x, struct session *out,
                                        struct fault *fault);

/* … which must be active: FAULT_INVALID. */
FAULT_CHECK enum fault_code ash_session_active(struct exchange *x, struct session *out,
                                               struct fault *fault);

/* ---- agents ---- */

/* ash has names without a namespace: "default/x" is "x", any other "ns/x" is "ns--x". */
struct str ash_agent_name(struct str agent, struct arena *arena);
struct str ash_agent_of(struct str name, struct arena *arena);

/* By the name on the wire. FAULT_AGENT_NOT_FOUND. */
FAULT_CHECK enum fault_code ash_agent_get(struct exchange *x, struct str name,
                                          struct agent_def *out, struct fault *fault);

/* ---- objects ---- */

void ash_write_session(struct json_out *out, const char *key, const struct session *session);

/* The reply {"session": …}. */
FAULT_CHECK enum fault_code ash_reply_session(struct exchange *x, const struct session *session,
                                              struct fault *fault);

/* ---- the handlers ---- */

route_run ash_health, ash_agents_post, ash_agents_list, ash_agent_show, ash_agent_patch,
    ash_agent_delete;
route_run ash_sessions_create, ash_sessions_list, ash_session_get, ash_session_config,
    ash_session_history;
route_run ash_session_pause, ash_session_stop, ash_session_resume, ash_session_end;
route_run ash_session_fork;
route_run ash_messages_list, ash_messages_send, ash_events_list, ash_logs_list;
route_run ash_session_exec, ash_workspace_get, ash_workspace_put;
route_run ash_files_list, ash_file_get, ash_files_put, ash_file_delete;

#endif
