/* The configuration file tine.yaml: what a server is to be. Everything in it may be left out. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include "agent/agent_def.h"

#define CONFIG_LISTEN_DEFAULT "127.0.0.1:8463"

enum { CONFIG_FILE_BYTES = 1024 * 1024 };

/* 0: the default */
struct config_limits {
    int64_t connections, connections_per_address, streams, header_bytes, request_seconds,
        idle_seconds, pending_bytes, workers, turns, queued_sends, sessions_per_user;
};

struct config_user {
    const char *name;
    const char *right; /* "read", "write", "run", "admin" */
    bool proxy;        /* its token may speak for others */
};

/* A further port that speaks one dialect. */
struct config_door {
    const char *name, *listen;
};

enum { CONFIG_DOORS = 8 };

struct config {
    const char *path;   /* the file it came from; NULL: there was none */
    const char *listen; /* NULL: not said */
    const char *root;   /* the dialect at the root; NULL: not said */
    struct config_door doors[CONFIG_DOORS];
    size_t door_count;
    const char *db;
    const char *log;          /* "text", "json", "off"; NULL: not said */
    bool sandbox_off;         /* sandbox: off */
    const char *const *hosts; /* further names of this server; NULL ends it */
    struct config_limits limits;
    const struct config_user *users;
    size_t user_count;
    const struct agent_def *agents; /* all with `fixed` */
    size_t agent_count;
};

/* The dialects that `root` and `listen_as` may name; NULL ends them. */
extern const char *const config_dialects[];

/*
 * Reads a file; all of it lives in the arena. FAULT_INVALID names file, line and key, and what
 * would be right there; FAULT_NOT_FOUND. `path` NULL: an empty configuration.
 */
FAULT_CHECK enum fault_code config_read(const char *path, struct arena *arena, struct config *out,
                                        struct fault *fault);

/* Reads the bytes of such a file; `name` is what messages call it. FAULT_INVALID. */
FAULT_CHECK enum fault_code config_parse(struct str text, const char *name, struct arena *arena,
                                         struct config *out, struct fault *fault);

/*
 * Which file is the configuration: `given`, else TINE_CONFIG, else tine.yaml in the home when it is
 * there, else NULL.
 */
const char *config_find(const char *given, const char *home, struct arena *arena);

/* Is it an address that only this machine can reach? `listen` is of the form that the file has. */
bool config_is_loopback(const char *listen);

#endif
