/*
 * The file is a head, then records in the order of the walk, each with its name and the target of a
 * link behind it; a directory's record says how far it goes, its rules follow it. The head has the
 * SHA-256 of everything after itself. Numbers are as this machine has them: the file never leaves
 * it.
 */
#include "workspace/stat_index.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = {'t', 'i', 'n', 'e', 's', 't', '0', '1'};

enum { PATH_BYTES = 64 * 1024 };
#define INDEX_BYTES ((size_t)1 << 30)

struct head {
    char magic[8];
    unsigned char sum[HASH_BYTES]; /* of what follows it */
    int64_t since_us;
    uint64_t bytes; /* of the records */
};

/* Where the part that is summed begins. */
enum { SUMMED = offsetof(struct head, since_us) };

enum { RECORD_TRUSTED = 1, RECORD_IGNORED = 2, RECORD_DIR = 4 };

struct record {
    uint8_t flags, type, left, name_n;
    uint32_t mode; /* of stat */
    int64_t size, mtime_ns, ctime_ns;
    uint64_t ino, dev;
    uint64_t inside; /* of a directory: bytes from the end of this record to the end of it */
    int64_t count;   /* of a directory: entries of its tree */
    uint32_t tree_mode;
    uint32_t target_n;
    unsigned char hash[HASH_BYTES];
};

struct stat_index {
    char *bytes; /* the records */
    size_t n;
    int64_t since_us;
};

/* A directory that is being written. */
struct open_dir {
    size_t record, inside; /* where its record is, and where that ends */
    int64_t count;
};

struct stat_writer {
    struct buf out;
    struct open_dir *dirs;
    size_t depth, room;
};

void stat_id_of(const struct stat *stat, struct stat_id *out)
{
    *out = (struct stat_id){
        .size = stat->st_size,
        .mtime_ns = stat_time(stat->st_mtim.tv_sec, stat->st_mtim.tv_nsec),
        .ctime_ns = stat_time(stat->st_ctim.tv_sec, stat->st_ctim.tv_nsec),
        .ino = stat->st_ino,
        .dev = stat->st_dev,
        .mode = stat->st_mode,
    };
}

bool stat_id_same(const struct stat_id *a, const struct stat_id *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns &&
           a->ino == b->ino && a->dev == b->dev && a->mode == b->mode;
}

int64_t stat_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return stat_time(now.tv_sec, now.tv_nsec);
}

/* ---- writing ---- */

struct stat_writer *stat_writer_new(void)
{
    struct stat_writer *writer = calloc(1, sizeof(*writer));

    if (!writer)
        abort();
    buf_init(&writer->out, INDEX_BYTES);
    buf_extend(&writer->out, sizeof(struct head));
    return writer;
}

void stat_writer_free(struct stat_writer *writer)
{
    if (!writer)
        return;
    buf_clear(&writer->out);
    free(writer->dirs);
    free(writer);
}

static void record_add(struct stat_writer *writer, const struct record *record, struct str name,
                       struct str target)
{
    buf_add(&writer->out, record, sizeof(*record));
    buf_add_str(&writer->out, name);
    buf_add_str(&writer->out, target);
}

static void record_of(struct record *out, const struct tree_entry *entry)
{
    assert(entry->name.n <= TREE_NAME_BYTES && entry->target.n <= TREE_TARGET_BYTES);
    memset(out, 0, sizeof(*out));
    out->type = (uint8_t)entry->type;
    out->left = (uint8_t)entry->left;
    out->name_n = (uint8_t)entry->name.n;
    out->tree_mode = entry->mode;
    out->size = entry->size;
    out->target_n = (uint32_t)entry->target.n;
    memcpy(out->hash, entry->hash, HASH_BYTES);
}

void stat_writer_add(struct stat_writer *writer, const struct tree_entry *entry,
                     const struct stat_id *id, int64_t clock_ns)
{
    struct record record;

    record_of(&record, entry);
    if (id->mtime_ns < clock_ns && id->ctime_ns < clock_ns &&
        (!tree_is_file(entry->type) || id->size == entry->size))
        record.flags = RECORD_TRUSTED;
    record.mode = id->mode;
    record.size = id->size;
    record.mtime_ns = id->mtime_ns;
    record.ctime_ns = id->ctime_ns;
    record.ino = id->ino;
    record.dev = id->dev;
    record_add(writer, &record, entry->name, entry->target);
    writer->dirs[writer->depth - 1].count++;
}

void stat_writer_ignored(struct stat_writer *writer, struct str name, bool is_dir)
{
    struct record record = {.flags = RECORD_IGNORED, .name_n = (uint8_t)name.n};

    if (is_dir)
        record.flags |= RECORD_DIR;
    record_add(writer, &record, name, STR_NONE);
}

void stat_writer_enter(struct stat_writer *writer, const struct tree_entry *entry,
                       const unsigned char rules[HASH_BYTES])
{
    static const unsigned char unknown[HASH_BYTES];
    size_t at = writer->out.n;
    struct record record;

    if (writer->depth)
        writer->dirs[writer->depth - 1].count++;
    writer->dirs = array_more(writer->dirs, writer->depth, &writer->room, sizeof(*writer->dirs));
    record_of(&record, entry);
    record.flags = RECORD_DIR;
    record_add(writer, &record, entry->name, STR_NONE);
    writer->dirs[writer->depth++] = (struct open_dir){at, writer->out.n, 0};
    buf_add(&writer->out, rules ? rules : unknown, HASH_BYTES);
}

void stat_writer_leave(struct stat_writer *writer)
{
    const struct open_dir *dir = &writer->dirs[--writer->depth];
    struct record record;

    if (writer->out.full)
        return;
    memcpy(&record, writer->out.p + dir->record, sizeof(record));
    record.inside = writer->out.n - dir->inside;
    record.count = dir->count;
    memcpy(writer->out.p + dir->record, &record, sizeof(record));
}

static enum fault_code save_failed(const char *path, struct fault *fault)
{
    return fault_set(fault, FAULT_IO, "cannot write \"%s\": %s", path, strerror(errno));
}

/* Not waited for the disk: what a crash leaves half written is found by its sum. */
static enum fault_code file_put(const char *path, const char *beside, struct str bytes,
                                struct fault *fault)
{
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool wrote;

    if (fd < 0)
        return save_failed(beside, fault);
    wrote = write_all(fd, bytes);
    if (close(fd) != 0)
        wrote = false;
    if (wrote && rename(beside, path) == 0)
        return FAULT_OK;
    (void)save_failed(path, fault);
    unlink(beside);
    return fault_pass(fault);
}

enum fault_code stat_writer_save(struct stat_writer *writer, const char *path, int64_t since_us,
                                 struct fault *fault)
{
    struct head head = {.since_us = since_us};
    struct buf beside;
    enum fault_code code;

    assert(writer->depth == 0);
    if (writer->out.full) { /* none at all is right, too: all is read */
        unlink(path);
        return FAULT_OK;
    }
    memcpy(head.magic, magic, sizeof(magic));
    head.bytes = writer->out.n - sizeof(head);
    memcpy(writer->out.p, &head, sizeof(head));
    hash_whole((struct str){writer->out.p + SUMMED, writer->out.n - SUMMED}, head.sum);
    memcpy(writer->out.p, &head, sizeof(head));
    buf_init(&beside, PATH_BYTES);
    buf_add_format(&beside, "%s.%d-%p.new", path, (int)getpid(), (void *)writer);
    code = file_put(path, beside.p, buf_str(&writer->out), fault);
    buf_clear(&beside);
    return code;
}

/* ---- reading ---- */

static bool read_all(int fd, char *p, size_t n)
{
    while (n) {
        ssize_t got = read(fd, p, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

/* The whole file, from the head on, when it is one. */
static char *file_read(int fd, struct head *head)
{
    struct stat stat;
    unsigned char sum[HASH_BYTES];
    char *bytes;
    size_t n;

    if (fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode) || stat.st_size < (off_t)sizeof(*head) ||
        (size_t)stat.st_size > INDEX_BYTES)
        return NULL;
    n = (size_t)stat.st_size;
    bytes = malloc(n);
    if (!bytes)
        abort();
    if (!read_all(fd, bytes, n))
        goto none;
    memcpy(head, bytes, sizeof(*head));
    if (memcmp(head->magic, magic, sizeof(magic)) != 0 || head->bytes != n - sizeof(*head))
        goto none;
    hash_whole((struct str){bytes + SUMMED, n - SUMMED}, sum);
    if (memcmp(sum, head->sum, HASH_BYTES) == 0)
        return bytes;
none:
    free(bytes);
    return NULL;
}

struct stat_index *stat_index_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat_index *index;
    struct head head;
    char *bytes;

    if (fd < 0)
        return NULL;
    bytes = file_read(fd, &head);
    close(fd);
    if (!bytes)
        return NULL;
    index = calloc(1, sizeof(*index));
    if (!index)
        abort();
    *index = (struct stat_index){bytes, sizeof(head) + head.bytes, head.since_us};
    return index;
}

void stat_index_close(struct stat_index *index)
{
    if (!index)
        return;
    free(index->bytes);
    free(index);
}

int64_t stat_index_since(const struct stat_index *index)
{
    return index->since_us;
}

/* Reads the record at *at, within `end`, and moves past it and its name, not what is in it. */
static bool record_read(const struct stat_index *index, size_t *at, size_t end,
                        struct record *record, struct stat_entry *out)
{
    const char *p = index->bytes + *at;
    size_t behind;

    if (*at > end || end - *at < sizeof(*record))
        return false;
    memcpy(record, p, sizeof(*record));
    behind = (size_t)record->name_n + record->target_n;
    if (end - *at - sizeof(*record) < behind)
        return false;
    *out = (struct stat_entry){
        .entry = {.type = (enum tree_type)record->type,
                  .left = (enum tree_left)record->left,
                  .mode = record->tree_mode,
                  .name = {p + sizeof(*record), record->name_n}},
        .id = {record->size, record->mtime_ns, record->ctime_ns, record->ino, record->dev,
               record->mode},
        .trusted = record->flags & RECORD_TRUSTED,
        .ignored = record->flags & RECORD_IGNORED,
        .is_dir = record->flags & RECORD_DIR,
        .at = *at,
    };
    if (tree_is_file(out->entry.type))
        out->entry.size = record->size;
    out->entry.target = (struct str){p + sizeof(*record) + record->name_n, record->target_n};
    memcpy(out->entry.hash, record->hash, HASH_BYTES);
    *at += sizeof(*record) + behind;
    return true;
}

bool stat_cursor_top(const struct stat_index *index, struct stat_cursor *out,
                     struct stat_entry *entry)
{
    struct stat_cursor whole = {index, sizeof(struct head), index ? index->n : 0, 1, NULL};

    *out = (struct stat_cursor){0};
    if (!index || !stat_cursor_next(&whole, entry) || !entry->is_dir || entry->ignored)
        return false;
    *out = stat_cursor_enter(&whole, entry);
    return out->index;
}

struct stat_cursor stat_cursor_enter(const struct stat_cursor *above,
                                     const struct stat_entry *entry)
{
    struct stat_cursor none = {0}, in = {.index = above->index, .end = above->end};
    struct stat_entry again;
    struct record record;

    if (!above->index || !entry->is_dir || entry->ignored)
        return none;
    in.at = entry->at;
    if (!record_read(above->index, &in.at, above->end, &record, &again) ||
        record.inside > above->end - in.at || record.inside < HASH_BYTES)
        return none;
    in.end = in.at + record.inside;
    in.rules = (const unsigned char *)above->index->bytes + in.at;
    in.at += HASH_BYTES;
    in.count = record.count;
    return in;
}

bool stat_cursor_next(struct stat_cursor *cursor, struct stat_entry *out)
{
    struct record record;

    if (!cursor->index || !record_read(cursor->index, &cursor->at, cursor->end, &record, out))
        return false;
    if (record.inside > cursor->end - cursor->at)
        return false;
    cursor->at += record.inside;
    return true;
}

bool stat_cursor_find(struct stat_cursor *cursor, struct str name, struct stat_entry *out)
{
    for (;;) {
        size_t before = cursor->at;
        int order;

        if (!stat_cursor_next(cursor, out))
            return false;
        order = str_cmp(out->entry.name, name);
        if (order == 0)
            return true;
        if (order > 0) {
            cursor->at = before;
            return false;
        }
    }
}

bool stat_index_each(const struct stat_index *index, size_t *at, struct stat_entry *out)
{
    struct record record;

    if (*at == 0)
        *at = sizeof(struct head);
    if (!record_read(index, at, index->n, &record, out))
        return false;
    if (out->is_dir && !out->ignored)
        *at += HASH_BYTES;
    return true;
}

void stat_index_forget(struct stat_index *index, size_t at)
{
    struct record record;

    memcpy(&record, index->bytes + at, sizeof(record));
    record.flags &= (uint8_t)~RECORD_TRUSTED;
    memcpy(index->bytes + at, &record, sizeof(record));
}
