/* What the handlers of all dialects work with: `app` of the server. */
#ifndef DIALECT_APP_H
#define DIALECT_APP_H

#include "agent/agents.h"
#include "dialect/page_cache.h"
#include "engine/engine.h"
#include "engine/hub.h"
#include "engine/turns.h"
#include "engine/workspaces.h"
#include "http/server.h"

#include <stdatomic.h>

/* What the handlers count, for /metrics; from any thread. */
struct app_counts {
    atomic_llong sessions, forks, rewinds, undos, redos, adopts, messages, deletes, replays, merges,
        file_writes, restores;
};

struct app {
    struct store *store;
    struct engine *engine;
    struct agents *agents;
    struct workspaces *workspaces;
    struct turns *turns;
    struct hub *hub;
    struct page_cache *pages; /* of histories; its age is `cleared` of the store */
    struct server *server;    /* filled in after server_open */
    const char *root;         /* the dialect that answers at the root; NULL: root.c finds it */
    const char *version;      /* of the program, for the document; NULL: "0" */
    int64_t started_ms;       /* by clock_ms */
    atomic_bool stopping;     /* /readyz says no from then on */
    struct app_counts counts;
};

#endif
