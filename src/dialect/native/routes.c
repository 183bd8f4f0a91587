/* The native API as a table: matching, limits, rights and the OpenAPI document come from here. */
#include "dialect/native/handler.h"

#include "dialect/service.h"

/* ---- queries ---- */

#define TEXT(name_, max_, about_)                                             \
    {                                                                         \
        .name = (name_), .type = QUERY_TEXT, .max = (max_), .about = (about_) \
    }
#define MUST(name_, max_, about_)                                                               \
    {                                                                                           \
        .name = (name_), .type = QUERY_TEXT, .max = (max_), .about = (about_), .required = true \
    }
#define NUMBER(name_, min_, max_, about_)                                                   \
    {                                                                                       \
        .name = (name_), .type = QUERY_INT, .min = (min_), .max = (max_), .about = (about_) \
    }
#define FLAG(name_, about_)                                    \
    {                                                          \
        .name = (name_), .type = QUERY_FLAG, .about = (about_) \
    }
#define BYTES(name_, max_, about_)                                             \
    {                                                                          \
        .name = (name_), .type = QUERY_BYTES, .max = (max_), .about = (about_) \
    }
#define LIMIT  NUMBER("limit", 1, LIMIT_PAGE, "At most so many.")
#define CURSOR TEXT("cursor", CURSOR_TEXT_MAX, "Go on where the page before ended: its `next`.")
#define PART   FLAG("part", "A unique start of an id will do.")
#define END \
    {       \
        0   \
    }

static const struct route_query q_sessions[] = {
    TEXT("agent", LIMIT_AGENT_BYTES, "Only those with this agent."),
    TEXT("q", LIMIT_QUERY_BYTES,
         "Only those with all these words in their title or messages, on any branch; the one "
         "with the newest match first."),
    TEXT("parent", LIMIT_ID_BYTES, "Only forks of this session."),
    TEXT("archived", 8, "1: only archived ones, all: these too; without it: none of them."),
    LIMIT,
    CURSOR,
    END,
};
static const struct route_query q_session[] = {
    FLAG("part", "A unique start or end of an id, or a unique title, will do."),
    END,
};
static const struct route_query q_delete[] = {
    FLAG("purge", "Also empty the messages that are on no other session's path."),
    END,
};
static const struct route_query q_messages[] = {
    TEXT("after", POINT_WORD_BYTES, "Only what comes after this message."),
    TEXT("before", POINT_WORD_BYTES, "Only what comes before this message."),
    TEXT("at", POINT_WORD_BYTES, "As it was after this message: an id, #4, -1 or @label."),
    NUMBER("from", 0, INT64_C(1000000000000), "Begin at this place."),
    LIMIT,
    NUMBER("tail", 1, LIMIT_PAGE, "The last so many."),
    FLAG("all", "Also system messages, summaries, events."),
    PART,
    CURSOR,
    END,
};
static const struct route_query q_page[] = {LIMIT, CURSOR, END};
static const struct route_query q_journal[] = {
    NUMBER("since", 0, INT64_MAX, "Only what came after the event of this number."),
    LIMIT,
    CURSOR,
    END,
};
static const struct route_query q_tree[] = {
    FLAG("messages", "Also nodes for drawing: branches, turns, labels, heads, what was rewound."),
    LIMIT,
    CURSOR,
    END,
};
static const struct route_query q_diff[] = {
    MUST("with", LIMIT_ID_BYTES, "The other session."),
    TEXT("at", POINT_WORD_BYTES, "The place in this one; without it: its head."),
    TEXT("with_at", POINT_WORD_BYTES, "The place in the other one; without it: its head."),
    PART,
    NUMBER("limit", 1, LIMIT_PAGE, "At most so many messages of each."),
    FLAG("patch", "0: without patches, only how many lines; without it: with them."),
    END,
};
static const struct route_query q_files[] = {
    TEXT("at", POINT_WORD_BYTES,
         "As they were after this message: an id, #4, -1 or @label; without it: as they were "
         "recorded last."),
    BYTES("path", LIMIT_DIR_BYTES, "A directory; without it: the topmost one."),
    FLAG("deep", "Also all that is below it."),
    FLAG("live", "Look at the directory now, and record what is found."),
    LIMIT,
    TEXT("cursor", CURSOR_TEXT_MAX,
         "Go on where the page before ended: its `next`, with the same `path`."),
    PART,
    END,
};
static const struct route_query q_file[] = {
    TEXT("at", POINT_WORD_BYTES,
         "As it was after this message: an id, #4, -1 or @label; without it: as it is in the "
         "directory now."),
    PART,
    END,
};
static const struct route_query q_file_put[] = {
    TEXT("expect_head", LIMIT_ID_BYTES, "Refuse when the newest entry is another."),
    TEXT("mode", 8, "Permissions, octal: 0755; without it as they are, or 0644 for a new file."),
    END,
};
static const struct route_query q_file_delete[] = {
    TEXT("expect_head", LIMIT_ID_BYTES, "Refuse when the newest entry is another."),
    END,
};
static const struct route_query q_label[] = {PART, END};
static const struct route_query q_search[] = {
    MUST("q", LIMIT_QUERY_BYTES,
         "Words that must all occur; \"a phrase\"; a star at the end of a word finds its start."),
    TEXT("session", LIMIT_ID_BYTES, "Only messages of this session's conversation as it is now."),
    NUMBER("before", 0, INT64_MAX,
           "Only those with a smaller place than this, newest first; goes with `session`."),
    NUMBER("after", -1, INT64_MAX,
           "Only those with a larger place than this, oldest first; goes with `session`."),
    LIMIT,
    END,
};
static const struct route_query q_events[] = {
    NUMBER("since", 0, INT64_MAX, "The last event that was seen; the header Last-Event-ID wins."),
    TEXT("types", 512, "Names with commas between; `message.` stands for all that begin so."),
    TEXT("session", LIMIT_ID_BYTES, "Only of this session."),
    END,
};
static const struct route_query q_session_events[] = {
    NUMBER("since", 0, INT64_MAX, "The last event that was seen; the header Last-Event-ID wins."),
    TEXT("types", 512, "Names with commas between; `message.` stands for all that begin so."),
    END,
};

/* ---- faults, beyond those that every route has ---- */

#define FAULTS(...)           \
    (const enum fault_code[]) \
    {                         \
        __VA_ARGS__, FAULT_OK \
    }

#define OF_SESSION FAULT_SESSION_NOT_FOUND
#define OF_FILES   FAULT_FILES_CONFLICT, FAULT_WORKSPACE_BLOCKED
#define OF_POINT   FAULT_POINT_INVALID, FAULT_MESSAGE_NOT_FOUND, FAULT_LABEL_NOT_FOUND

/* ---- routes ---- */

static const struct route routes[] = {
    {HTTP_POST, "/sessions", native_sessions_create, ROUTE_WORK, RIGHT_WRITE, BODY_CREATE, NULL,
     "createSession", "sessions", "Makes a session.", "NewSession", "Session", NULL, 201,
     FAULTS(FAULT_AGENT_NOT_FOUND, FAULT_EXISTS, FAULT_KEY_REUSED), false, true},
    {HTTP_GET, "/sessions", native_sessions_list, ROUTE_WORK, RIGHT_READ, 0, q_sessions,
     "listSessions", "sessions", "Lists sessions, the one last written to first.", NULL,
     "SessionList", NULL, 200, NULL, false, false},
    {HTTP_GET, "/sessions/{id}", native_session_get, ROUTE_WORK, RIGHT_READ, 0, q_session,
     "getSession", "sessions", "One session.", NULL, "Session", NULL, 200,
     FAULTS(OF_SESSION, FAULT_AMBIGUOUS), false, false},
    {HTTP_PATCH, "/sessions/{id}", native_session_patch, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL, NULL,
     "changeSession", "sessions", "Changes what is given; the conversation is not touched.",
     "SessionChange", "Session", NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_DELETE, "/sessions/{id}", native_session_delete, ROUTE_WORK, RIGHT_WRITE, 0, q_delete,
     "deleteSession", "sessions",
     "Deletes a session; a turn that runs in it is cancelled first. Its forks keep what they had.",
     NULL, NULL, NULL, 204, FAULTS(OF_SESSION), false, false},
    {HTTP_GET, "/sessions/{id}/messages", native_messages_list, ROUTE_WORK, RIGHT_READ, 0,
     q_messages, "listMessages", "messages", "The effective history, oldest first.", NULL,
     "MessageList", NULL, 200, FAULTS(OF_SESSION, OF_POINT), false, false},
    {HTTP_POST, "/sessions/{id}/messages", native_messages_send, ROUTE_WORK, RIGHT_WRITE,
     BODY_MESSAGES, NULL, "sendMessages", "messages",
     "Says something. A message of the user is answered by the session's agent: the reply waits "
     "for the turn, or streams it when text/event-stream is asked for, and then ends with `event: "
     "done`. With `run` false it is only stored; a batch is stored whole or not at all.",
     "Send", "TurnReply", NULL, 200,
     FAULTS(OF_SESSION, FAULT_AGENT_NOT_FOUND, FAULT_ID_TAKEN, FAULT_HEAD_MOVED, FAULT_TURN_RUNNING,
            FAULT_AGENT_EXTERNAL, FAULT_SANDBOX, FAULT_KEY_REUSED),
     true, true},
    {HTTP_POST, "/sessions/{id}/cancel", native_session_cancel, ROUTE_WORK, RIGHT_RUN, BODY_SMALL,
     NULL, "cancelTurn", "messages", "Stops the running turn; what was said is kept and marked.",
     "Nothing", "Session", NULL, 200, FAULTS(OF_SESSION, FAULT_NO_TURN, FAULT_KEY_REUSED), false,
     true},
    {HTTP_POST, "/sessions/{id}/answer", native_session_answer, ROUTE_WORK, RIGHT_RUN, BODY_SMALL,
     NULL, "answerTurn", "messages",
     "Answers a turn that waits: whether a tool may be run, or a question. `always` keeps a yes "
     "for "
     "the tool, or for every tool of the session.",
     "Answer", "Session", NULL, 200, FAULTS(OF_SESSION, FAULT_NO_TURN), false, false},
    {HTTP_GET, "/sessions/{id}/raw", native_session_raw, ROUTE_WORK, RIGHT_READ, 0, q_page,
     "rawLog", "messages", "Everything the session ever had, moves included, as it was written.",
     NULL, "RawLog", NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_POST, "/sessions/{id}/fork", native_session_fork, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL,
     NULL, "forkSession", "moves", "Makes a session that begins at a place of this one.", "Fork",
     "ForkReply", NULL, 201,
     FAULTS(OF_SESSION, OF_POINT, FAULT_TURN_NOT_FOUND, FAULT_AGENT_NOT_FOUND, FAULT_AMBIGUOUS,
            FAULT_HEAD_MOVED, FAULT_TOOL_CALL_OPEN, FAULT_EXISTS, FAULT_WORKSPACE_BLOCKED,
            FAULT_KEY_REUSED),
     false, true},
    {HTTP_POST, "/sessions/{id}/rewind", native_session_rewind, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL,
     NULL, "rewindSession", "moves",
     "Goes back to a place, the conversation, the files or both; nothing is lost. What others have "
     "changed in the directory is not written over without `force`.",
     "Rewind", "MoveReply", NULL, 200,
     FAULTS(OF_SESSION, OF_POINT, FAULT_POINT_IS_HEAD, FAULT_TURN_NOT_FOUND, FAULT_AMBIGUOUS,
            FAULT_HEAD_MOVED, FAULT_TOOL_CALL_OPEN, FAULT_TURN_RUNNING, OF_FILES, FAULT_KEY_REUSED),
     false, true},
    {HTTP_POST, "/sessions/{id}/undo", native_session_undo, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL,
     NULL, "undo", "moves", "Takes back the newest move that was not taken back yet.", "Back",
     "MoveReply", NULL, 200,
     FAULTS(OF_SESSION, FAULT_NOTHING_TO_UNDO, FAULT_HEAD_MOVED, FAULT_TURN_RUNNING, OF_FILES,
            FAULT_KEY_REUSED),
     false, true},
    {HTTP_POST, "/sessions/{id}/redo", native_session_redo, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL,
     NULL, "redo", "moves", "Goes forward again after an undo.", "Back", "MoveReply", NULL, 200,
     FAULTS(OF_SESSION, FAULT_NOTHING_TO_REDO, FAULT_HEAD_MOVED, FAULT_TURN_RUNNING, OF_FILES,
            FAULT_KEY_REUSED),
     false, true},
    {HTTP_POST, "/sessions/{id}/adopt", native_session_adopt, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL,
     NULL, "adopt", "moves",
     "Keeps the winner: goes back to where another session of the family parted, and takes over "
     "what it has since.",
     "Adopt", "MoveReply", NULL, 200,
     FAULTS(OF_SESSION, FAULT_NOT_FAMILY, FAULT_NOTHING_TO_ADOPT, FAULT_HEAD_MOVED,
            FAULT_TURN_RUNNING, OF_FILES, FAULT_KEY_REUSED),
     false, true},
    {HTTP_POST, "/sessions/{id}/merge", native_session_merge, ROUTE_WORK, RIGHT_WRITE, BODY_SMALL,
     NULL, "mergeFiles", "files",
     "Brings the file changes that another session of the family made since the common point into "
     "this one, three-way; a message tells of it.",
     "Merge", "MergeReply", NULL, 200,
     FAULTS(OF_SESSION, FAULT_NOT_FAMILY, FAULT_NOTHING_TO_MERGE, FAULT_HEAD_MOVED,
            FAULT_TURN_RUNNING, FAULT_WORKSPACE_NONE, OF_FILES, FAULT_KEY_REUSED),
     false, true},
    {HTTP_POST, "/sessions/{id}/restore", native_session_restore, ROUTE_WORK, RIGHT_WRITE,
     BODY_SMALL, NULL, "restoreFile", "files",
     "Brings one path back as it was at a message: a file, a link, or a directory with all in it.",
     "Restore", "RestoreReply", NULL, 200,
     FAULTS(OF_SESSION, OF_POINT, FAULT_PATH_INVALID, FAULT_FILE_NOT_FOUND, FAULT_AMBIGUOUS,
            FAULT_TURN_RUNNING, FAULT_WORKSPACE_NONE, OF_FILES, FAULT_KEY_REUSED),
     false, true},
    {HTTP_GET, "/sessions/{id}/files", native_files_list, ROUTE_WORK, RIGHT_READ, 0, q_files,
     "listFiles", "files", "What is in a directory of the session, by name, at any message.", NULL,
     "FileList", NULL, 200,
     FAULTS(OF_SESSION, OF_POINT, FAULT_PATH_INVALID, FAULT_FORBIDDEN, FAULT_FILE_NOT_FOUND,
            FAULT_AMBIGUOUS, FAULT_WORKSPACE_BLOCKED),
     false, false},
    {HTTP_GET, "/sessions/{id}/files/{path*}", native_file_get, ROUTE_WORK, RIGHT_READ, 0, q_file,
     "readFile", "files",
     "The bytes of a file at any message, or in the directory now. Of a link, where it leads.",
     NULL, "Bytes", "*/*", 200,
     FAULTS(OF_SESSION, OF_POINT, FAULT_PATH_INVALID, FAULT_FILE_NOT_FOUND, FAULT_AMBIGUOUS,
            FAULT_WORKSPACE_BLOCKED),
     false, false},
    {HTTP_PUT, "/sessions/{id}/files/{path*}", native_file_put, ROUTE_WORK, RIGHT_WRITE,
     FILES_PUT_BYTES, q_file_put, "putFile", "files",
     "Writes a file in the session's directory; the body is its bytes. Directories that are "
     "missing "
     "are made.",
     NULL, "FilePut", NULL, 200,
     FAULTS(OF_SESSION, FAULT_PATH_INVALID, FAULT_HEAD_MOVED, FAULT_TURN_RUNNING,
            FAULT_WORKSPACE_NONE, FAULT_WORKSPACE_BLOCKED),
     false, false},
    {HTTP_DELETE, "/sessions/{id}/files/{path*}", native_file_delete, ROUTE_WORK, RIGHT_WRITE, 0,
     q_file_delete, "deleteFile", "files", "Deletes a file in the session's directory.", NULL, NULL,
     NULL, 204,
     FAULTS(OF_SESSION, FAULT_PATH_INVALID, FAULT_FILE_NOT_FOUND, FAULT_HEAD_MOVED,
            FAULT_TURN_RUNNING, FAULT_WORKSPACE_NONE, FAULT_WORKSPACE_BLOCKED),
     false, false},
    {HTTP_GET, "/sessions/{id}/workspace", native_workspace_get, ROUTE_WORK, RIGHT_READ, 0, NULL,
     "getWorkspace", "files",
     "Where the session works. The operator is told the directory, which is laid out for that.",
     NULL, "Workspace", NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_PUT, "/sessions/{id}/workspace", native_workspace_put, ROUTE_WORK, RIGHT_WRITE,
     BODY_SMALL, NULL, "setWorkspace", "files",
     "Lets the session work in a directory of its own, in one that is there (the operator only), "
     "or "
     "in none. Nothing in the directory of before changes.",
     "NewWorkspace", "Session", NULL, 200,
     FAULTS(OF_SESSION, FAULT_TURN_RUNNING, FAULT_WORKSPACE_BLOCKED), false, false},
    {HTTP_GET, "/sessions/{id}/journal", native_session_journal, ROUTE_WORK, RIGHT_READ, 0,
     q_journal, "journal", "family", "Every act and note of the session, oldest first.", NULL,
     "Journal", NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_GET, "/sessions/{id}/tree", native_session_tree, ROUTE_WORK, RIGHT_READ, 0, q_tree,
     "tree", "family", "The whole family of the session.", NULL, "Tree", NULL, 200,
     FAULTS(OF_SESSION), false, false},
    {HTTP_GET, "/sessions/{id}/ancestors", native_session_ancestors, ROUTE_WORK, RIGHT_READ, 0,
     NULL, "ancestors", "family",
     "The chain of parents, nearest first; deleted ones as far as known.", NULL, "Relatives", NULL,
     200, FAULTS(OF_SESSION), false, false},
    {HTTP_GET, "/sessions/{id}/children", native_session_children, ROUTE_WORK, RIGHT_READ, 0, NULL,
     "children", "family", "The living forks of the session, oldest first.", NULL, "Relatives",
     NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_GET, "/sessions/{id}/diff", native_session_diff, ROUTE_WORK, RIGHT_READ, 0, q_diff,
     "diff", "family", "Where two sessions of a family part, and what each has since.", NULL,
     "Diff", NULL, 200, FAULTS(OF_SESSION, OF_POINT, FAULT_NOT_FAMILY), false, false},
    {HTTP_GET, "/sessions/{id}/labels", native_labels_list, ROUTE_WORK, RIGHT_READ, 0, NULL,
     "listLabels", "family", "The labels of the session, and of what it stands on.", NULL,
     "LabelList", NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_PUT, "/sessions/{id}/labels/{message}", native_label_put, ROUTE_WORK, RIGHT_WRITE,
     BODY_SMALL, q_label, "setLabel", "family",
     "Puts a label on a message, named by its id, #4, -1 or @label; a label that stood elsewhere "
     "moves.",
     "LabelText", "Label", NULL, 200, FAULTS(OF_SESSION, OF_POINT, FAULT_AMBIGUOUS), false, false},
    {HTTP_DELETE, "/sessions/{id}/labels/{message}", native_label_delete, ROUTE_WORK, RIGHT_WRITE,
     0, q_label, "removeLabel", "family", "Takes the label of a message away.", NULL, "Label", NULL,
     200, FAULTS(OF_SESSION, OF_POINT, FAULT_AMBIGUOUS), false, false},
    {HTTP_GET, "/sessions/{id}/events", native_events_session, ROUTE_WORK, RIGHT_READ, 0,
     q_session_events, "sessionEvents", "events",
     "What happens in the session, while it happens. Numbers only grow; Last-Event-ID resumes "
     "without loss or repetition.",
     NULL, NULL, "text/event-stream", 200, FAULTS(OF_SESSION), true, false},
    {HTTP_GET, "/events", native_events_all, ROUTE_WORK, RIGHT_READ, 0, q_events, "events",
     "events", "What happens in all sessions of the user.", NULL, NULL, "text/event-stream", 200,
     FAULTS(OF_SESSION), true, false},
    {HTTP_GET, "/search", native_search_get, ROUTE_WORK, RIGHT_READ, 0, q_search, "search",
     "sessions",
     "Finds titles and messages on all branches, newest first; or messages of one session, with "
     "their places.",
     NULL, "HitList", NULL, 200, FAULTS(OF_SESSION), false, false},
    {HTTP_GET, "/agents", native_agents_all, ROUTE_WORK, RIGHT_READ, 0, NULL, "listAgents",
     "agents", "Who there is to answer, by name.", NULL, "AgentList", NULL, 200, NULL, false,
     false},
    {HTTP_POST, "/agents", native_agents_post, ROUTE_WORK, RIGHT_ADMIN, BODY_SMALL, NULL,
     "createAgent", "agents", "Defines an agent.", "NewAgent", "Agent", NULL, 201,
     FAULTS(FAULT_EXISTS, FAULT_KEY_REUSED), false, true},
    {HTTP_GET, "/agents/{namespace}/{name}", native_agent_get, ROUTE_WORK, RIGHT_READ, 0, NULL,
     "getAgent", "agents", "One agent.", NULL, "Agent", NULL, 200, FAULTS(FAULT_AGENT_NOT_FOUND),
     false, false},
    {HTTP_PUT, "/agents/{namespace}/{name}", native_agent_put, ROUTE_WORK, RIGHT_ADMIN, BODY_SMALL,
     NULL, "putAgent", "agents", "Defines an agent, or defines it anew.", "AgentIn", "Agent", NULL,
     200, FAULTS(FAULT_AGENT_FIXED), false, false},
    {HTTP_DELETE, "/agents/{namespace}/{name}", native_agent_delete, ROUTE_WORK, RIGHT_ADMIN, 0,
     NULL, "deleteAgent", "agents", "Forgets an agent that was defined over the API.", NULL, NULL,
     NULL, 204, FAULTS(FAULT_AGENT_NOT_FOUND, FAULT_AGENT_FIXED), false, false},
    {HTTP_GET, "/me", native_me_get, ROUTE_WORK, RIGHT_READ, 0, NULL, "me", "service",
     "Who the caller is.", NULL, "Me", NULL, 200, NULL, false, false},
    {HTTP_GET, "/openapi.json", native_openapi_get, ROUTE_WORK, RIGHT_NONE, 0, NULL, "document",
     "service", "This document.", NULL, "Document", NULL, 200, NULL, false, false},
};

const struct route_table native_routes = {
    .name = "native",
    .prefix = "/api/v1",
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
};

static const struct route service[] = {
    {HTTP_GET, "/healthz", service_health, ROUTE_LOOP, RIGHT_NONE, 0, NULL, "health", "service",
     "The server is alive.", NULL, "Health", NULL, 200, NULL, false, false},
    {HTTP_GET, "/readyz", service_ready, ROUTE_WORK, RIGHT_NONE, 0, NULL, "ready", "service",
     "The store can be reached and the server is not stopping.", NULL, "Health", NULL, 200, NULL,
     false, false},
    {HTTP_GET, "/metrics", service_metrics, ROUTE_WORK, RIGHT_ADMIN, 0, NULL, "metrics", "service",
     "Counters in the text form of Prometheus.", NULL, "Text",
     "text/plain; version=0.0.4; charset=utf-8", 200, NULL, false, false},
    {HTTP_GET, "/docs", native_docs_get, ROUTE_WORK, RIGHT_NONE, 0, NULL, "docs", "service",
     "The readable form of this document.", NULL, "Text", "text/html; charset=utf-8", 200, NULL,
     false, false},
    {HTTP_GET, "/docs/style.css", native_docs_style, ROUTE_LOOP, RIGHT_NONE, 0, NULL, "docsStyle",
     "service", "How that page looks.", NULL, "Text", "text/css; charset=utf-8", 200, NULL, false,
     false},
};

const struct route_table service_routes = {
    .name = "service",
    .prefix = "",
    .routes = service,
    .count = sizeof(service) / sizeof(service[0]),
};
