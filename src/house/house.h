/*
 * A whole tine in this process: store, engine, agents, turns, hub and edge, put together. `tine
 * serve` runs one on a port; a command that finds no server runs one inside itself, without a port.
 */
#ifndef HOUSE_HOUSE_H
#define HOUSE_HOUSE_H

#include "agent/agents.h"
#include "config/config.h"
#include "http/server.h"

/* What main.c knows: the kinds of stores and agents that there are. */
struct house_kinds {
    /* FAULT_INVALID when `db` ("sqlite:PATH") names no kind of store that there is. */
    enum fault_code (*open_store)(const char *db, struct store **out, struct fault *fault);
    const struct agent_kind *agents;     /* ends with a row without a name */
    const char *(*sqlite_version)(void); /* of the library */
};

struct house_options {
    const struct house_kinds *kinds;
    const struct config *config; /* lives as long as the house */
    const char *home, *db;       /* as home_find gave them */
    bool serve;                  /* listens, takes the lock of the home, logs */
};

struct house;

/* FAULT_BUSY when another server has the home: its message says where that one listens. */
FAULT_CHECK enum fault_code house_open(const struct house_options *options, struct house **out,
                                       struct fault *fault);
void house_close(struct house *house);

/* Runs the edge on this thread until SIGTERM or SIGINT; then settles what runs. */
void house_run(struct house *house);

/* Runs the edge on a thread of its own, for a client inside this process. */
FAULT_CHECK enum fault_code house_start(struct house *house, struct fault *fault);

struct server *house_server(struct house *house);
struct engine *house_engine(struct house *house);
struct app *house_app(struct house *house); /* what the handlers work with */

/* Where it listens: "http://127.0.0.1:8463". */
struct str house_address(struct house *house, struct arena *arena);

/* … and its further ports, in the order of the configuration. */
struct str house_door_address(struct house *house, size_t door, struct arena *arena);

/* Lines for people: what answers, how to get a model, whether commands can be run. */
struct str house_words(struct house *house, struct arena *arena);

#endif
