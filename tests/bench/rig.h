/* A store in a file of the bench's directory, opened as the program opens it, and an engine. */
#ifndef BENCH_RIG_H
#define BENCH_RIG_H

#include "bench.h"

#include "engine/engine.h"

struct rig {
    char path[600];
    struct store *store;
    struct engine *engine;
    int64_t owner;
};

/* `group_max` as in sqlite_store_options. */
void rig_open(struct rig *rig, const struct bench *bench, const char *name, size_t group_max);
void rig_open_path(struct rig *rig, const char *path, size_t group_max);
void rig_close(struct rig *rig);

/* Also removes its files. */
void rig_remove(struct rig *rig);

/* ---- conversations; sessions are named by the id given ---- */

/* A session with a title and small metadata. */
void rig_create(struct rig *rig, struct str id);

/* Appends messages of user and assistant in turn, with bodies of about `bytes`, in large batches.
 */
void rig_fill(struct rig *rig, struct str id, size_t count, size_t bytes);

/* Appends one entry; the arena is cleared. */
void rig_append(struct rig *rig, struct str id, struct entry_spec entry, struct arena *arena);

/* Appends one message of a user; the arena is cleared. */
void rig_say(struct rig *rig, struct str id, struct str text, struct arena *arena);

/* Forks; an empty `id`: a drawn one. The result lives in the arena. */
struct session rig_fork(struct rig *rig, struct str source, struct str id, struct point_spec point,
                        struct arena *arena);

/* Reads all, or with a `limit` the last, messages, touching every body; returns how many. */
int64_t rig_read(struct rig *rig, struct str id, int64_t limit);

/* Looks at a byte of each cache line, so that the bytes have really been brought. */
unsigned body_touch(const void *body, size_t n);

/* ---- the session that most groups want ---- */

enum { BIG_MESSAGES = 100 * 1000, BIG_BYTES = 1024, SOME_MESSAGES = 100, SMALL_MESSAGES = 10 };

#define BIG   STR("big")
#define SOME  STR("some")
#define SMALL STR("small")

/* Opens the file with the sessions BIG, SOME and SMALL, of so many messages; makes it when new. */
void rig_open_big(struct rig *rig, const struct bench *bench);

#endif
