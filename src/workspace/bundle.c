/*
 * Names go through as bytes: a name that is no UTF-8 is a name all the same. They are written with
 * hdrcharset=BINARY. When they are read, libarchive would turn UTF-8 into what the locale has; the
 * server has none, and then it leaves the bytes as they are and warns.
 */
#include "workspace/bundle.h"

#include "workspace/path.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- out ---- */

struct bundle_out {
    struct archive *archive;
    struct archive_entry *entry;
    struct buf *out;
};

static la_ssize_t out_write(struct archive *archive, void *context, const void *bytes, size_t n)
{
    struct buf *out = context;

    buf_add(out, bytes, n);
    if (!out->full)
        return (la_ssize_t)n;
    archive_set_error(archive, ARCHIVE_FATAL, "too large");
    return -1;
}

static enum fault_code out_fault(const struct bundle_out *bundle, struct fault *fault)
{
    if (bundle->out->full)
        return fault_set(fault, FAULT_TOO_LARGE, "the bundle has more than %zu bytes",
                         bundle->out->max);
    return fault_set(fault, FAULT_IO, "the bundle cannot be written: %s",
                     archive_error_string(bundle->archive));
}

enum fault_code bundle_out_new(struct buf *out, struct bundle_out **bundle, struct fault *fault)
{
    struct bundle_out *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    self->out = out;
    self->archive = archive_write_new();
    self->entry = archive_entry_new();
    if (!self->archive || !self->entry)
        abort();
    /* No time of its own, so that the same files are the same bytes; nor padding behind the end. */
    if (archive_write_set_format_pax_restricted(self->archive) != ARCHIVE_OK ||
        archive_write_add_filter_gzip(self->archive) != ARCHIVE_OK ||
        archive_write_set_options(self->archive, "gzip:!timestamp,pax:hdrcharset=BINARY") !=
            ARCHIVE_OK ||
        archive_write_set_bytes_in_last_block(self->archive, 1) != ARCHIVE_OK ||
        archive_write_open(self->archive, out, NULL, out_write, NULL) != ARCHIVE_OK) {
        out_fault(self, fault);
        bundle_out_free(self);
        return fault_pass(fault);
    }
    *bundle = self;
    return FAULT_OK;
}

void bundle_out_free(struct bundle_out *bundle)
{
    if (!bundle)
        return;
    archive_entry_free(bundle->entry);
    archive_write_free(bundle->archive);
    free(bundle);
}

static mode_t type_of(enum tree_type type)
{
    switch (type) {
    case TREE_DIR:
        return AE_IFDIR;
    case TREE_LINK:
        return AE_IFLNK;
    default:
        return AE_IFREG;
    }
}

enum fault_code bundle_out_entry(struct bundle_out *bundle, struct str path,
                                 const struct tree_entry *entry, struct fault *fault)
{
    struct archive_entry *header = archive_entry_clear(bundle->entry);
    struct arena arena;
    int result;

    arena_init(&arena);
    archive_entry_set_pathname(header, arena_dup(&arena, path).p);
    archive_entry_set_filetype(header, type_of(entry->type));
    archive_entry_set_perm(header, (mode_t)(entry->type == TREE_LINK ? 0777 : entry->mode & 0777));
    archive_entry_set_size(header, tree_is_file(entry->type) ? entry->size : 0);
    archive_entry_set_mtime(header, 0, 0);
    if (entry->type == TREE_LINK)
        archive_entry_set_symlink(header, arena_dup(&arena, entry->target).p);
    result = archive_write_header(bundle->archive, header);
    arena_clear(&arena);
    return result == ARCHIVE_OK || result == ARCHIVE_WARN ? FAULT_OK : out_fault(bundle, fault);
}

enum fault_code bundle_out_bytes(struct bundle_out *bundle, struct str bytes, struct fault *fault)
{
    if (bytes.n == 0 || archive_write_data(bundle->archive, bytes.p, bytes.n) >= 0)
        return FAULT_OK;
    return out_fault(bundle, fault);
}

enum fault_code bundle_out_end(struct bundle_out *bundle, struct fault *fault)
{
    return archive_write_close(bundle->archive) == ARCHIVE_OK ? FAULT_OK : out_fault(bundle, fault);
}

/* ---- in ---- */

enum { OTHERS_A_FILE = 4 }; /* directories, links and the like for each file that there may be */

/* A file that was taken, or another name of one: a hard link. */
struct member {
    struct str path;
    unsigned mode;
    struct str content; /* of a link: the path of its file */
};

struct members {
    struct member *list;
    size_t count, room;
};

struct reading {
    struct archive *archive;
    const struct bundle_limits *limits;
    struct arena *arena;
    int64_t files, others, bytes;
    struct members taken, links;
};

static void member_add(struct reading *reading, struct members *members, struct member member)
{
    members->list = arena_more(reading->arena, members->list, members->count, &members->room,
                               sizeof(*members->list));
    members->list[members->count++] = member;
}

/* "./a/b" and "a/b" are the same path; others are as they stand. */
static struct str plain_path(struct str path)
{
    while (str_starts(path, STR("./")))
        for (path.p += 2, path.n -= 2; path.n && path.p[0] == '/';)
            path.p++, path.n--;
    return path;
}

static enum fault_code in_fault(const struct reading *reading, struct fault *fault)
{
    const char *why = archive_error_string(reading->archive);

    return fault_set(fault, FAULT_INVALID, "the bundle is no tar with gzip: %.200s",
                     why ? why : "it cannot be read");
}

static enum fault_code bytes_fault(const struct reading *reading, struct fault *fault)
{
    return fault_set(fault, FAULT_TOO_LARGE, "the files of the bundle have more than %lld bytes",
                     (long long)reading->limits->bytes);
}

/* A hole at the end of a sparse file is not given as bytes. */
static void hole_fill(struct buf *content, int64_t size)
{
    static const char zeros[4096];

    while (!content->full && (int64_t)content->n < size) {
        size_t n = (size_t)(size - (int64_t)content->n);

        buf_add(content, zeros, n < sizeof(zeros) ? n : sizeof(zeros));
    }
}

/* The size in the header is only what the bundle says of itself. */
static enum fault_code content_read(struct reading *reading, int64_t size, struct str *out,
                                    struct fault *fault)
{
    enum { PIECE = 64 * 1024 };
    struct buf content;
    la_ssize_t n = 1;

    buf_init(&content, (size_t)(reading->limits->bytes - reading->bytes));
    while (n > 0 && !content.full) {
        char piece[PIECE];

        n = archive_read_data(reading->archive, piece, sizeof(piece));
        if (n > 0)
            buf_add(&content, piece, (size_t)n);
    }
    if (n == 0)
        hole_fill(&content, size);
    if (n >= 0 && !content.full) {
        reading->bytes += (int64_t)content.n;
        *out = content.n ? arena_dup(reading->arena, buf_str(&content)) : STR("");
        buf_clear(&content);
        return FAULT_OK;
    }
    n = content.full;
    buf_clear(&content);
    return n ? bytes_fault(reading, fault) : in_fault(reading, fault);
}

static enum fault_code file_count(struct reading *reading, struct fault *fault)
{
    if (++reading->files > reading->limits->files)
        return fault_set(fault, FAULT_TOO_LARGE, "the bundle has more than %lld files",
                         (long long)reading->limits->files);
    return FAULT_OK;
}

/* What is passed over takes its time, too. */
static enum fault_code other_count(struct reading *reading, struct fault *fault)
{
    if (++reading->others > OTHERS_A_FILE * reading->limits->files)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the bundle has more than %lld directories, links and the like",
                         (long long)(OTHERS_A_FILE * reading->limits->files));
    return FAULT_OK;
}

static enum fault_code path_read(struct reading *reading, struct archive_entry *entry,
                                 struct str *out, struct fault *fault)
{
    const char *path = archive_entry_pathname(entry);

    *out = arena_dup(reading->arena, plain_path(str_of(path ? path : "")));
    return path_check(*out, false, fault);
}

static enum fault_code file_read(struct reading *reading, struct archive_entry *entry,
                                 bundle_visit *visit, void *context, struct fault *fault)
{
    struct member file = {.mode = (unsigned)archive_entry_perm(entry) & 0777};

    if (file_count(reading, fault) != FAULT_OK ||
        path_read(reading, entry, &file.path, fault) != FAULT_OK ||
        content_read(reading, archive_entry_size(entry), &file.content, fault) != FAULT_OK)
        return fault_pass(fault);
    file.mode = file.mode ? file.mode : 0644;
    member_add(reading, &reading->taken, file);
    return visit(context, file.path, file.mode, file.content, fault);
}

/* Where a file has several names, a tar has its bytes with the first. */
static enum fault_code link_read(struct reading *reading, struct archive_entry *entry,
                                 struct fault *fault)
{
    const char *target = archive_entry_hardlink(entry);
    struct member link = {0};

    if (file_count(reading, fault) != FAULT_OK ||
        path_read(reading, entry, &link.path, fault) != FAULT_OK)
        return fault_pass(fault);
    link.content = arena_dup(reading->arena, plain_path(str_of(target)));
    member_add(reading, &reading->links, link);
    return FAULT_OK;
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct member *)a)->path, ((const struct member *)b)->path);
}

/* One that leads to no file of the bundle is passed over, as all other links are. */
static enum fault_code links_follow(struct reading *reading, bundle_visit *visit, void *context,
                                    struct fault *fault)
{
    const struct members *taken = &reading->taken, *links = &reading->links;

    if (links->count && taken->count)
        qsort(taken->list, taken->count, sizeof(taken->list[0]), by_path);
    for (size_t i = 0; i < links->count && taken->count; i++) {
        struct member wanted = {.path = links->list[i].content};
        const struct member *file =
            bsearch(&wanted, taken->list, taken->count, sizeof(wanted), by_path);

        if (!file)
            continue;
        reading->bytes += (int64_t)file->content.n;
        if (reading->bytes > reading->limits->bytes)
            return bytes_fault(reading, fault);
        if (visit(context, links->list[i].path, file->mode, file->content, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code read_all(struct reading *reading, bundle_visit *visit, void *context,
                                struct fault *fault)
{
    for (;;) {
        struct archive_entry *entry;
        int result = archive_read_next_header(reading->archive, &entry);
        enum fault_code code;

        if (result == ARCHIVE_EOF)
            return links_follow(reading, visit, context, fault);
        if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            return in_fault(reading, fault);
        if (archive_entry_hardlink(entry))
            code = link_read(reading, entry, fault);
        else if (archive_entry_filetype(entry) == AE_IFREG)
            code = file_read(reading, entry, visit, context, fault);
        else
            code = other_count(reading, fault);
        if (code)
            return code;
    }
}

enum fault_code bundle_read(struct str bytes, const struct bundle_limits *limits,
                            struct arena *arena, bundle_visit *visit, void *context,
                            struct fault *fault)
{
    struct reading reading = {.limits = limits, .arena = arena};
    enum fault_code code;

    if (!str_starts(bytes, STR("\x1f\x8b")))
        return fault_set(fault, FAULT_INVALID, "the bundle is no tar with gzip");
    reading.archive = archive_read_new();
    if (!reading.archive)
        abort();
    if (archive_read_support_filter_gzip(reading.archive) < ARCHIVE_WARN ||
        archive_read_support_format_tar(reading.archive) != ARCHIVE_OK ||
        archive_read_open_memory(reading.archive, bytes.p, bytes.n) != ARCHIVE_OK)
        code = in_fault(&reading, fault);
    else
        code = read_all(&reading, visit, context, fault);
    archive_read_free(reading.archive);
    return code;
}
