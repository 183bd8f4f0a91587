/*
 * The rules of conversations, over a store. The engine checks what a client chose, draws ids, times
 * and salts, and hands the rest down as conditions; it keeps no state of any session. Reads have no
 * rules: callers ask the store. Every function may be called from any thread.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "store/store.h"

/* Where time and chance come from; tests bring their own. */
struct engine_source {
    int64_t (*now_us)(void *context);
    void (*random)(void *context, void *out, size_t n);
    void *context;
};

struct engine;

/* Works on a store that the caller keeps open. `source` NULL: the clock and the system's chance. */
struct engine *engine_new(struct store *store, const struct engine_source *source);
void engine_free(struct engine *engine);
/* How many living sessions an owner may have; LIMIT_SESSIONS unless said. Before any other call. */
void engine_limit_sessions(struct engine *engine, int64_t max);

/* From now on deletes wake this one, which the caller frees after the engine's last delete. */
struct reaper;
void engine_use_reaper(struct engine *engine, struct reaper *reaper);

struct store *engine_store(struct engine *engine);
int64_t engine_now_us(struct engine *engine);

/*
 * In each spec the caller fills what stands above "drawn by the engine". Faults of the store come
 * through; FAULT_INVALID and FAULT_TOO_LARGE name the member and the limit.
 */
FAULT_CHECK enum fault_code engine_create(struct engine *engine, struct create_spec *spec,
                                          struct arena *arena, struct session *out,
                                          struct fault *fault);
FAULT_CHECK enum fault_code engine_update(struct engine *engine, struct update_spec *spec,
                                          struct arena *arena, struct session *out,
                                          struct fault *fault);

/*
 * `entries` are the spec's own, not const: the engine completes them. There may be none when a turn
 * goes on or ends.
 */
FAULT_CHECK enum fault_code engine_append(struct engine *engine, struct append_spec *spec,
                                          struct entry_spec *entries, size_t count,
                                          struct arena *arena, struct append_result *out,
                                          struct fault *fault);

/* Would it take this entry, as far as that can be said of the entry alone? */
FAULT_CHECK enum fault_code engine_append_check(struct entry_spec *entry, struct fault *fault);

FAULT_CHECK enum fault_code engine_fork(struct engine *engine, struct fork_spec *spec,
                                        struct arena *arena, struct fork_result *out,
                                        struct fault *fault);

/* A rewind must name a point: POINT_END is FAULT_POINT_INVALID. */
FAULT_CHECK enum fault_code engine_rewind(struct engine *engine, struct move_spec *spec,
                                          struct arena *arena, struct move_result *out,
                                          struct fault *fault);
FAULT_CHECK enum fault_code engine_undo(struct engine *engine, struct move_spec *spec,
                                        struct arena *arena, struct move_result *out,
                                        struct fault *fault);
FAULT_CHECK enum fault_code engine_redo(struct engine *engine, struct move_spec *spec,
                                        struct arena *arena, struct move_result *out,
                                        struct fault *fault);
FAULT_CHECK enum fault_code engine_adopt(struct engine *engine, struct adopt_spec *spec,
                                         struct arena *arena, struct move_result *out,
                                         struct fault *fault);
FAULT_CHECK enum fault_code engine_merge(struct engine *engine, struct merge_spec *spec,
                                         struct arena *arena, struct merge_result *out,
                                         struct fault *fault);
FAULT_CHECK enum fault_code engine_save(struct engine *engine, struct record_spec *spec,
                                        struct fault *fault);

/* Would it take this record, as far as that can be said of the record alone? */
FAULT_CHECK enum fault_code engine_save_check(const struct record_spec *spec, struct fault *fault);

FAULT_CHECK enum fault_code engine_label(struct engine *engine, struct label_spec *spec,
                                         struct arena *arena, struct label *out,
                                         struct fault *fault);

/*
 * Deletes and clears away all that can go: a reaper does that behind it, when there is one. What is
 * to be purged is gone when this returns.
 */
FAULT_CHECK enum fault_code engine_delete(struct engine *engine, struct delete_spec *spec,
                                          struct fault *fault);

#endif
