/* Files: in a list, in a diff, in what a move did. */
#include "client/shapes.h"

static const struct field file_fields[] = {
    FIELD("path", FIELD_TEXT, tine_file, name),
    FIELD("type", FIELD_TEXT, tine_file, type),
    FIELD("mode", FIELD_TEXT, tine_file, mode),
    FIELD("size", FIELD_INT, tine_file, size),
    FIELD("hash", FIELD_TEXT, tine_file, hash),
    FIELD("target", FIELD_TEXT, tine_file, target),
    FIELD("reason", FIELD_TEXT, tine_file, reason),
    FIELD("status", FIELD_TEXT, tine_file, status),
    FIELD("additions", FIELD_INT, tine_file, additions),
    FIELD("deletions", FIELD_INT, tine_file, deletions),
    FIELD("binary", FIELD_BOOL, tine_file, binary),
    FIELD("too_long", FIELD_BOOL, tine_file, too_long),
};

/* A patch can hold a NUL only as JSON text does: its length stands beside it. */
static bool patch_read(struct reader *reader, const struct json_value *value,
                       struct tine_file *file)
{
    struct json_value member;
    struct str text;

    if (member_find(value, "patch", &member) && member.type == JSON_STRING) {
        text = json_text(&member, reader->arena);
        file->patch = text_dup(reader, text);
        file->patch_bytes = text.n;
    }
    return bytes_read(reader, value, "patch_bytes", &file->patch, &file->patch_bytes);
}

static bool file_rest(struct reader *reader, const struct json_value *value, void *out)
{
    struct tine_file *file = out;

    file->path = file->name;
    return bytes_read(reader, value, "path_bytes", &file->path, NULL) &&
           bytes_read(reader, value, "target_bytes", &file->target, NULL) &&
           patch_read(reader, value, file);
}

static const struct tine_file file_fresh = {.name = "", .type = "file", .status = ""};

const struct shape shape_file = {
    .what = "a file",
    .bytes = sizeof(struct tine_file),
    .fresh = &file_fresh,
    .fields = file_fields,
    .count = FIELD_COUNT(file_fields),
    .has_json = true,
    .json_at = offsetof(struct tine_file, json),
    .rest = file_rest,
};

/* ---- what was done to them ---- */

static bool text_rest(struct reader *reader, const struct json_value *value, void *out)
{
    if (value->type != JSON_STRING)
        return error_set(reader->error, 0, "protocol",
                         "the reply makes no sense: a path is something else");
    *(const char **)out = text_dup(reader, json_text(value, reader->arena));
    return true;
}

static const struct shape shape_text = {
    .what = "a path", .bytes = sizeof(const char *), .rest = text_rest};

static const struct field more_fields[] = {
    FIELD("restored", FIELD_INT, tine_files_report, restored.more),
    FIELD("deleted", FIELD_INT, tine_files_report, deleted.more),
    FIELD("conflicts", FIELD_INT, tine_files_report, conflicts.more),
    FIELD("skipped", FIELD_INT, tine_files_report, skipped.more),
};

static const struct shape more = {.what = "a report",
                                  .bytes = sizeof(struct tine_files_report),
                                  .fields = more_fields,
                                  .count = FIELD_COUNT(more_fields)};

static const struct field report_fields[] = {
    FIELD_ITEMS("restored", tine_files_report, restored.list, restored.count, &shape_text),
    FIELD_ITEMS("deleted", tine_files_report, deleted.list, deleted.count, &shape_text),
    FIELD_ITEMS("conflicts", tine_files_report, conflicts.list, conflicts.count, &shape_text),
    FIELD_ITEMS("skipped", tine_files_report, skipped.list, skipped.count, &shape_text),
    {.name = "more", .kind = FIELD_INSIDE, .at = 0, .shape = &more},
};

const struct shape shape_files_report = {
    .what = "a report",
    .bytes = sizeof(struct tine_files_report),
    .fields = report_fields,
    .count = FIELD_COUNT(report_fields),
};

/* ---- merges ---- */

static const struct field conflict_fields[] = {
    FIELD("path", FIELD_TEXT, tine_conflict, name),
    FIELD("reason", FIELD_TEXT, tine_conflict, reason),
};

static bool conflict_rest(struct reader *reader, const struct json_value *value, void *out)
{
    struct tine_conflict *conflict = out;

    conflict->path = conflict->name;
    return bytes_read(reader, value, "path_bytes", &conflict->path, NULL);
}

static const struct tine_conflict conflict_fresh = {.name = "", .reason = ""};

const struct shape shape_conflict = {
    .what = "a conflict",
    .bytes = sizeof(struct tine_conflict),
    .fresh = &conflict_fresh,
    .fields = conflict_fields,
    .count = FIELD_COUNT(conflict_fields),
    .rest = conflict_rest,
};

static const struct field merge_fields[] = {
    FIELD("id", FIELD_TEXT, tine_merge, id),
    FIELD("from", FIELD_TEXT, tine_merge, from),
    FIELD("base", FIELD_TEXT, tine_merge, base),
    FIELD_SHAPE("message", FIELD_OBJECT, tine_merge, message, &shape_message),
};

static const struct tine_merge merge_fresh = {.from = ""};

const struct shape shape_merge = {
    .what = "a merge",
    .bytes = sizeof(struct tine_merge),
    .fresh = &merge_fresh,
    .fields = merge_fields,
    .count = FIELD_COUNT(merge_fields),
};
