#include "dialect/native/file_object.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>

/* ---- bytes that need not be text ---- */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~' || c == '/';
}

static void add_percent(struct buf *out, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];

        if (is_plain(c))
            buf_add_char(out, (char)c);
        else
            buf_add_format(out, "%%%02X", (unsigned)c);
    }
}

/* The length of the valid character at s.p[at]; 0: there is none. */
static size_t character(struct str s, size_t at)
{
    size_t next = at;

    utf8_next(s, &next);
    return utf8_valid((struct str){s.p + at, next - at}) ? next - at : 0;
}

static void add_words(struct buf *out, struct str bytes)
{
    for (size_t at = 0; at < bytes.n;) {
        size_t n = character(bytes, at);

        if (n)
            buf_add(out, bytes.p + at, n);
        else
            buf_add_format(out, "\\x%02X", (unsigned)(unsigned char)bytes.p[at]);
        at += n ? n : 1;
    }
}

static void write_by(struct json_out *out, const char *key, struct str bytes,
                     void (*add)(struct buf *out, struct str bytes))
{
    struct buf text;

    buf_init(&text, bytes.n * 4 + 1);
    add(&text, bytes);
    json_out_string(out, key, buf_str(&text));
    buf_clear(&text);
}

/* As text, with words for what is none. */
static void write_words(struct json_out *out, const char *key, struct str bytes)
{
    if (utf8_valid(bytes))
        json_out_string(out, key, bytes);
    else
        write_by(out, key, bytes, add_words);
}

void object_write_bytes(struct json_out *out, const char *key, const char *key_bytes,
                        struct str bytes)
{
    write_words(out, key, bytes);
    if (!utf8_valid(bytes))
        write_by(out, key_bytes, bytes, add_percent);
}

void object_write_path(struct json_out *out, struct str path)
{
    object_write_bytes(out, "path", "path_bytes", path);
}

/* ---- trees ---- */

void object_write_tree(struct json_out *out, const char *key, const unsigned char tree[HASH_BYTES])
{
    if (memcmp(tree, tree_empty, HASH_BYTES) == 0)
        json_out_null(out, key);
    else
        json_out_hex(out, key, tree, HASH_BYTES);
}

const char *object_tree_type(enum tree_type type)
{
    static const char *const names[] = {
        [TREE_FILE] = "file", [TREE_PIECES] = "file",   [TREE_DIR] = "dir",
        [TREE_LINK] = "link", [TREE_LEFT] = "left_out",
    };

    assert(type <= TREE_LEFT);
    return names[type];
}

const char *object_tree_left(enum tree_left why)
{
    static const char *const names[] = {
        [LEFT_SIZE] = "size",   [LEFT_SPECIAL] = "special",
        [LEFT_DEPTH] = "depth", [LEFT_UNREADABLE] = "unreadable",
        [LEFT_MOUNT] = "mount",
    };

    assert(why >= LEFT_SIZE && why <= LEFT_MOUNT);
    return names[why];
}

void object_write_file(struct json_out *out, const char *key, struct str path,
                       const struct tree_entry *entry)
{
    static const unsigned char none[HASH_BYTES]; /* written, but not kept: the rules ignore it */
    bool named = tree_is_file(entry->type) || entry->type == TREE_DIR;
    char mode[16];

    snprintf(mode, sizeof(mode), "%04o", entry->mode & TREE_MODE);
    json_out_object(out, key);
    object_write_path(out, path);
    json_out_string(out, "type", str_of(object_tree_type(entry->type)));
    if (named)
        json_out_string(out, "mode", str_of(mode));
    else
        json_out_null(out, "mode");
    json_out_int(out, "size", entry->size);
    if (named && memcmp(entry->hash, none, HASH_BYTES) != 0)
        json_out_hex(out, "hash", entry->hash, HASH_BYTES);
    else
        json_out_null(out, "hash");
    if (entry->type == TREE_LINK)
        object_write_bytes(out, "target", "target_bytes", entry->target);
    if (entry->type == TREE_LEFT)
        json_out_string(out, "reason", str_of(object_tree_left(entry->left)));
    json_out_object_end(out);
}

/* ---- what happened ---- */

static void write_paths(struct json_out *out, const char *key, const struct paths *paths)
{
    json_out_array(out, key);
    for (size_t i = 0; i < paths->count; i++)
        write_words(out, NULL, paths->list[i]);
    json_out_array_end(out);
}

void object_write_files(struct json_out *out, const char *key, const struct files_report *report)
{
    const struct {
        const char *name;
        const struct paths *paths;
    } lists[] = {
        {"restored", &report->restored},
        {"deleted", &report->deleted},
        {"conflicts", &report->conflicts},
        {"skipped", &report->skipped},
    };
    bool cut = false;

    json_out_object(out, key);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        write_paths(out, lists[i].name, lists[i].paths);
        cut = cut || lists[i].paths->all > (int64_t)lists[i].paths->count;
    }
    if (cut) {
        json_out_object(out, "more");
        for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
            if (lists[i].paths->all > (int64_t)lists[i].paths->count)
                json_out_int(out, lists[i].name,
                             lists[i].paths->all - (int64_t)lists[i].paths->count);
        json_out_object_end(out);
    }
    json_out_object_end(out);
}

/* ---- differences ---- */

static const char *change_status(const struct tree_entry *was, const struct tree_entry *is)
{
    if (!was)
        return "added";
    if (!is)
        return "deleted";
    if (strcmp(object_tree_type(was->type), object_tree_type(is->type)) != 0)
        return "type";
    if (was->type == TREE_DIR ||
        (tree_is_file(was->type) && memcmp(was->hash, is->hash, HASH_BYTES) == 0))
        return "mode";
    return "modified";
}

void object_write_change(struct json_out *out, const struct tree_change *change,
                         const struct patch *patch, bool with_text)
{
    const struct tree_entry *entry = change->is ? change->is : change->was;

    json_out_object(out, NULL);
    object_write_path(out, change->path);
    json_out_string(out, "status", str_of(change_status(change->was, change->is)));
    json_out_string(out, "type", str_of(object_tree_type(entry->type)));
    json_out_int(out, "additions", patch->additions);
    json_out_int(out, "deletions", patch->deletions);
    json_out_bool(out, "binary", patch->binary);
    if (with_text && patch->text.n)
        object_write_bytes(out, "patch", "patch_bytes", patch->text);
    if (with_text && patch->too_long)
        json_out_bool(out, "too_long", true);
    json_out_object_end(out);
}

static void write_conflict(struct json_out *out, struct str path, const char *reason)
{
    json_out_object(out, NULL);
    object_write_path(out, path);
    json_out_string(out, "reason", str_of(reason));
    json_out_object_end(out);
}

void object_write_foreign(struct json_out *out, struct str path)
{
    write_conflict(out, path, "foreign");
}

void object_write_clashes(struct json_out *out, const struct merge_conflict *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_conflict(out, list[i].path, merge_clash_name(list[i].clash));
}
