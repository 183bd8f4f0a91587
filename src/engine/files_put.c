/* Several files at once: a list of them, or a bundle. */
#include "engine/workspaces_own.h"
#include "workspace/bundle.h"
#include "workspace/path.h"
#include "workspace/tree_diff.h"
#include "workspace/tree_load.h"

#include <string.h>

enum fault_code workspaces_check_path(struct str path, struct fault *fault)
{
    return path_check(path, false, fault);
}

/* ---- a list ---- */

/* As the file is now, when it is one; a new one can be read by all and written by its owner. */
static unsigned mode_of(const struct place *place, const struct file_put *file, struct arena *arena)
{
    struct tree_entry entry;
    struct fault none;

    if (file->mode)
        return file->mode;
    if (tree_find(workspaces_store(place->workspaces), place->tree, file->path, arena, &entry,
                  &none) == FAULT_OK &&
        tree_is_file(entry.type))
        return entry.mode & 0777;
    return 0644;
}

static enum fault_code put_one(struct place *place, struct file_put *file, struct arena *arena)
{
    struct fault *fault = &file->fault;

    if (path_check(file->path, false, fault) != FAULT_OK)
        return fault_pass(fault);
    if (file->content.n > FILES_PUT_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the file has %zu bytes; the limit is %d",
                         file->content.n, FILES_PUT_BYTES);
    return restore_put(place->fd, file->path, mode_of(place, file, arena), file->content, fault);
}

/* The directory is again what was recorded last. */
static enum fault_code take_back(struct place *place, struct arena *arena, struct fault *fault)
{
    struct restore_spec spec = {.store = workspaces_store(place->workspaces), .dir = place->fd};
    struct snapshot found;

    if (place_snapshot(place, -1, arena, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(spec.from, found.tree.hash, HASH_BYTES);
    memcpy(spec.to, place->tree, HASH_BYTES);
    return restore_apply(&spec, fault);
}

/* All of them, or none. */
static enum fault_code put_whole(struct place *place, struct file_put *files, size_t count,
                                 struct arena *arena, struct fault *fault)
{
    struct fault other;

    for (size_t i = 0; i < count; i++)
        if (put_one(place, &files[i], arena) != FAULT_OK) {
            enum fault_code code =
                fault_set(fault, files[i].fault.code, "%.400s", files[i].fault.message);

            if (take_back(place, arena, &other) != FAULT_OK)
                return fault_set(fault, other.code, "%.200s; and it was not taken back: %.200s",
                                 files[i].fault.message, other.message);
            return code;
        }
    return FAULT_OK;
}

/* Each that can be written. */
static enum fault_code put_each(struct place *place, struct file_put *files, size_t count,
                                struct arena *arena, struct fault *fault)
{
    (void)fault;
    for (size_t i = 0; i < count; i++)
        if (put_one(place, &files[i], arena) == FAULT_OK)
            files[i].fault = (struct fault){0}; /* something may have been in the way before */
    return FAULT_OK;
}

static enum fault_code put_files(struct workspaces *workspaces, int64_t owner, struct str session,
                                 struct file_put *files, size_t count, bool whole,
                                 struct arena *arena, struct fault *fault)
{
    struct file_result result = {0};
    struct place *place;
    enum fault_code code;

    if (place_take_to_write(workspaces, owner, session, &place, fault) != FAULT_OK)
        return fault_pass(fault);
    code = place_record_foreign(place, fault);
    if (!code)
        code = (whole ? put_whole : put_each)(place, files, count, arena, fault);
    if (!code)
        code = place_record_own(place, arena, &result, fault);
    place_leave(place);
    return code;
}

enum fault_code workspaces_put_all(struct workspaces *workspaces, int64_t owner, struct str session,
                                   struct file_put *files, size_t count, struct arena *arena,
                                   struct fault *fault)
{
    return put_files(workspaces, owner, session, files, count, false, arena, fault);
}

/* ---- a bundle out ---- */

struct bundling {
    struct store *store;
    struct bundle_out *out;
    bundle_skips *skips;
};

static enum fault_code add_bytes(void *context, struct str bytes, struct fault *fault)
{
    return bundle_out_bytes(context, bytes, fault);
}

/* Whether a name on the way to it is left out, or itself. */
static bool is_skipped(const struct bundling *bundling, struct str path)
{
    for (; path.n; path = path_above(path))
        if (bundling->skips && bundling->skips(path))
            return true;
    return false;
}

static enum fault_code add(void *context, struct str path, const struct tree_entry *entry,
                           struct fault *fault)
{
    struct bundling *bundling = context;

    if (entry->type == TREE_LEFT || is_skipped(bundling, path))
        return FAULT_OK;
    if (bundle_out_entry(bundling->out, path, entry, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tree_is_file(entry->type))
        return FAULT_OK;
    return tree_load_file(bundling->store, entry, add_bytes, bundling->out, fault);
}

enum fault_code workspaces_bundle(struct workspaces *workspaces, const struct files_place *place,
                                  bundle_skips *skips, struct buf *out, struct fault *fault)
{
    struct bundling bundling = {.store = workspaces_store(workspaces), .skips = skips};
    unsigned char tree[HASH_BYTES];
    enum fault_code code;

    if (bundle_out_new(out, &bundling.out, fault) != FAULT_OK)
        return fault_pass(fault);
    code = workspaces_list(workspaces, place, STR(""), true, add, &bundling, tree, fault);
    if (!code)
        code = bundle_out_end(bundling.out, fault);
    bundle_out_free(bundling.out);
    return code;
}

/* ---- a bundle in ---- */

struct unbundling {
    struct arena *arena;
    struct file_put *files;
    size_t count, room;
};

static enum fault_code take_file(void *context, struct str path, unsigned mode, struct str content,
                                 struct fault *fault)
{
    struct unbundling *unbundling = context;

    (void)fault;
    unbundling->files = arena_more(unbundling->arena, unbundling->files, unbundling->count,
                                   &unbundling->room, sizeof(*unbundling->files));
    unbundling->files[unbundling->count++] =
        (struct file_put){.path = path, .content = content, .mode = mode};
    return FAULT_OK;
}

enum fault_code workspaces_unbundle(struct workspaces *workspaces, int64_t owner,
                                    struct str session, struct str bytes, struct arena *arena,
                                    int64_t *count, struct fault *fault)
{
    struct bundle_limits limits = {.files = BUNDLE_FILES, .bytes = BUNDLE_CONTENT_BYTES};
    struct unbundling unbundling = {.arena = arena};

    if (bytes.n > BUNDLE_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the bundle has %zu bytes; the limit is %d",
                         bytes.n, BUNDLE_BYTES);
    if (bundle_read(bytes, &limits, arena, take_file, &unbundling, fault) != FAULT_OK ||
        put_files(workspaces, owner, session, unbundling.files, unbundling.count, true, arena,
                  fault) != FAULT_OK)
        return fault_pass(fault);
    *count = (int64_t)unbundling.count;
    return FAULT_OK;
}
