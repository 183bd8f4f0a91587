/* Files in the objects of the native API: paths, what is in a tree, what happened to files. */
#ifndef DIALECT_NATIVE_FILE_OBJECT_H
#define DIALECT_NATIVE_FILE_OBJECT_H

#include "engine/workspaces.h"
#include "json/json_out.h"

/*
 * "path": as text, with \xHH for bytes that are no UTF-8; then there is also "path_bytes", the
 * exact bytes with %HH for all but letters, digits and -._~/
 */
void object_write_path(struct json_out *out, struct str path);

/* Bytes that need not be text, in the same two ways. */
void object_write_bytes(struct json_out *out, const char *key, const char *key_bytes,
                        struct str bytes);

/* A hash of a tree, or null for no files. */
void object_write_tree(struct json_out *out, const char *key, const unsigned char tree[HASH_BYTES]);

/* An entry of a tree; `path` is its whole path. */
void object_write_file(struct json_out *out, const char *key, struct str path,
                       const struct tree_entry *entry);

const char *object_tree_type(enum tree_type type); /* "file", "dir", "link", "left_out" */
const char *object_tree_left(enum tree_left why);  /* "size", "special" … */

/* The four lists of paths; "more" says how many are not in them. */
void object_write_files(struct json_out *out, const char *key, const struct files_report *report);

/* A change between two places, with its patch. */
void object_write_change(struct json_out *out, const struct tree_change *change,
                         const struct patch *patch, bool with_text);

/* Conflicts with their reasons: of files that others changed, and of a merge. */
void object_write_clashes(struct json_out *out, const struct merge_conflict *list, size_t count);
void object_write_foreign(struct json_out *out, struct str path);

#endif
