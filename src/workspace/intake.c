/*
 * Each thread has a desk: files are read into its stage; when that is full the store is asked which
 * of them it has, and only the others are packed and put, a batch at a time. While one thread waits
 * for the disk, another reads. A few files are read by the caller itself, at the end.
 *
 * A file that changes while it is read is read again; one that does not come to rest is kept as it
 * was read last, and not trusted.
 */
#include "workspace/intake.h"

#include "base/buf.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    QUEUE = 64, /* files that wait, each with its descriptor */
    FEW = 16,   /* more than that are worth threads */
    THREADS_MAX = 4,
    TRIES = 3, /* to read a file that changes */
    STAGE_BYTES = 3 * OBJECT_PIECE_BYTES,
    STAGE_OBJECTS = 256,
    BATCH_OBJECTS = 1024 /* in one transaction: others wait for it */
};

/* What a file is read in: a piece, and a byte to see whether there is more. */
enum { READ_BYTES = OBJECT_PIECE_BYTES + 1 };

struct job {
    int fd;
    struct sight *sight;
};

/* Where one thread works. */
struct desk {
    struct intake *intake;
    struct hasher *hasher;
    struct packer *packer;
    /* read and named, not yet known to be new */
    char *stage;
    size_t stage_used;
    struct object staged[STAGE_OBJECTS];
    unsigned char hashes[STAGE_OBJECTS][HASH_BYTES];
    bool have[STAGE_OBJECTS];
    size_t staged_count;
    /* packed */
    struct arena arena;
    struct object batch[BATCH_OBJECTS];
    size_t batch_count, batch_bytes;
    struct buf pieces; /* hashes of the pieces of a file */
    int64_t read, written;
};

struct intake {
    struct store *store;
    int64_t file_bytes;
    int cancel_fd;
    struct desk *desks[THREADS_MAX + 1]; /* the first is the caller's */
    pthread_t threads[THREADS_MAX];
    int thread_count;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t gave, took;
    struct job queue[QUEUE];
    size_t first, count;
    bool closed;
    struct fault fault; /* the first one */
};

bool intake_cancelled(int cancel_fd)
{
    struct pollfd look = {.fd = cancel_fd, .events = POLLIN};

    return cancel_fd >= 0 && poll(&look, 1, 0) > 0;
}

/* ---- the desk: from bytes to the store ---- */

static struct desk *desk_new(struct intake *intake)
{
    struct desk *desk = calloc(1, sizeof(*desk));

    if (!desk)
        abort();
    desk->intake = intake;
    desk->hasher = hasher_new();
    desk->packer = packer_new();
    desk->stage = malloc(STAGE_BYTES);
    if (!desk->stage)
        abort();
    arena_init(&desk->arena);
    buf_init(&desk->pieces, OBJECT_DIR_BYTES);
    return desk;
}

static void desk_free(struct desk *desk)
{
    if (!desk)
        return;
    hasher_free(desk->hasher);
    packer_free(desk->packer);
    free(desk->stage);
    arena_clear(&desk->arena);
    buf_clear(&desk->pieces);
    free(desk);
}

static enum fault_code batch_put(struct desk *desk, struct fault *fault)
{
    enum fault_code code =
        store_objects_put(desk->intake->store, desk->batch, desk->batch_count, fault);

    desk->batch_count = 0;
    desk->batch_bytes = 0;
    arena_clear(&desk->arena);
    return code;
}

/* Packs an object that is new; what is in the batch goes first when both may be too much. */
static enum fault_code batch_add(struct desk *desk, const struct object *raw, struct fault *fault)
{
    struct object *object;

    if (desk->batch_count == BATCH_OBJECTS ||
        (desk->batch_count && desk->batch_bytes + raw->data.n + 1 > OBJECT_PUT_BYTES))
        if (batch_put(desk, fault) != FAULT_OK)
            return fault_pass(fault);
    object = &desk->batch[desk->batch_count++];
    *object = *raw;
    object->data = object_pack(desk->packer, raw->data, &desk->arena);
    desk->batch_bytes += object->data.n;
    desk->written++;
    return FAULT_OK;
}

/* Packs what the store does not have of the stage. */
static enum fault_code stage_clear(struct desk *desk, struct fault *fault)
{
    size_t count = desk->staged_count;

    if (count == 0)
        return FAULT_OK;
    for (size_t i = 0; i < count; i++)
        memcpy(desk->hashes[i], desk->staged[i].hash, HASH_BYTES);
    if (store_objects_have(desk->intake->store, (const unsigned char(*)[HASH_BYTES])desk->hashes,
                           count, desk->have, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < count; i++)
        if (!desk->have[i] && batch_add(desk, &desk->staged[i], fault) != FAULT_OK)
            return fault_pass(fault);
    desk->staged_count = 0;
    desk->stage_used = 0;
    return FAULT_OK;
}

static enum fault_code stage_room(struct desk *desk, size_t bytes, struct fault *fault)
{
    if (desk->staged_count < STAGE_OBJECTS && STAGE_BYTES - desk->stage_used >= bytes)
        return FAULT_OK;
    return stage_clear(desk, fault);
}

/* Names an object whose content stands in the stage, or stays until the stage is cleared. */
static void stage_add(struct desk *desk, enum object_kind kind, struct str content,
                      unsigned char hash[HASH_BYTES])
{
    struct object *object = &desk->staged[desk->staged_count++];

    *object = (struct object){.kind = kind, .size = (int64_t)content.n, .data = content};
    object_name(desk->hasher, kind, content, object->hash);
    memcpy(hash, object->hash, HASH_BYTES);
}

static enum fault_code desk_put(struct desk *desk, enum object_kind kind, struct str content,
                                unsigned char hash[HASH_BYTES], struct fault *fault)
{
    if (stage_room(desk, content.n, fault) != FAULT_OK)
        return fault_pass(fault);
    if (content.n > STAGE_BYTES) { /* a directory of very many names */
        stage_add(desk, kind, content, hash);
        return stage_clear(desk, fault);
    }
    if (content.n)
        memcpy(desk->stage + desk->stage_used, content.p, content.n);
    stage_add(desk, kind, (struct str){desk->stage + desk->stage_used, content.n}, hash);
    desk->stage_used += content.n;
    return FAULT_OK;
}

static enum fault_code desk_flush(struct desk *desk, struct fault *fault)
{
    if (stage_clear(desk, fault) != FAULT_OK)
        return fault_pass(fault);
    return desk->batch_count ? batch_put(desk, fault) : FAULT_OK;
}

/* ---- reading a file ---- */

enum outcome {
    READ_WHOLE,
    READ_TOO_LARGE,
    READ_FAILED /* the disk says no */
};

/* Reads on at *offset until `room` is full or the file ends. */
static bool read_some(int fd, char *p, size_t room, int64_t offset, size_t *out)
{
    size_t n = 0;

    while (n < room) {
        ssize_t got = pread(fd, p + n, room - n, offset + (int64_t)n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *out = n;
    return true;
}

/* A large file, from its beginning, piece by piece. */
static enum fault_code pieces_read(struct desk *desk, int fd, struct tree_entry *entry,
                                   enum outcome *outcome, struct fault *fault)
{
    unsigned char hash[HASH_BYTES];
    int64_t offset = 0;
    size_t n;

    buf_reset(&desk->pieces);
    *outcome = READ_FAILED;
    do {
        if (stage_room(desk, OBJECT_PIECE_BYTES, fault) != FAULT_OK)
            return fault_pass(fault);
        if (intake_cancelled(desk->intake->cancel_fd))
            return fault_set(fault, FAULT_INTERRUPTED, "stopped while files were read");
        if (!read_some(fd, desk->stage + desk->stage_used, OBJECT_PIECE_BYTES, offset, &n))
            return FAULT_OK;
        offset += (int64_t)n;
        if (offset > desk->intake->file_bytes) {
            *outcome = READ_TOO_LARGE;
            return FAULT_OK;
        }
        if (n) {
            stage_add(desk, OBJECT_FILE, (struct str){desk->stage + desk->stage_used, n}, hash);
            desk->stage_used += n;
            buf_add(&desk->pieces, hash, HASH_BYTES);
        }
    } while (n == OBJECT_PIECE_BYTES);
    *outcome = READ_WHOLE;
    entry->type = TREE_PIECES;
    entry->size = offset;
    assert(!desk->pieces.full);
    return desk_put(desk, OBJECT_PIECES, buf_str(&desk->pieces), entry->hash, fault);
}

static enum fault_code content_read(struct desk *desk, int fd, struct tree_entry *entry,
                                    enum outcome *outcome, struct fault *fault)
{
    size_t n;

    if (stage_room(desk, READ_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    *outcome = READ_FAILED;
    if (!read_some(fd, desk->stage + desk->stage_used, READ_BYTES, 0, &n))
        return FAULT_OK;
    if ((int64_t)n > desk->intake->file_bytes) {
        *outcome = READ_TOO_LARGE;
        return FAULT_OK;
    }
    if (n > OBJECT_PIECE_BYTES)
        return pieces_read(desk, fd, entry, outcome, fault);
    *outcome = READ_WHOLE;
    entry->type = TREE_FILE;
    entry->size = (int64_t)n;
    stage_add(desk, OBJECT_FILE, (struct str){desk->stage + desk->stage_used, n}, entry->hash);
    desk->stage_used += n;
    return FAULT_OK;
}

static void leave_out(struct sight *sight, enum tree_left why)
{
    struct str name = sight->entry.name;

    sight->entry = (struct tree_entry){.type = TREE_LEFT, .left = why, .name = name};
    sight->clock_ns = 0;
}

/* Reads the file until it is the same before and after, a few times at most. */
static enum fault_code file_take(struct desk *desk, int fd, struct sight *sight,
                                 struct fault *fault)
{
    for (int i = 0; i < TRIES; i++) {
        struct stat_id before;
        enum outcome outcome = READ_FAILED;
        struct stat stat;

        sight->clock_ns = stat_clock();
        if (fstat(fd, &stat) != 0) {
            leave_out(sight, LEFT_UNREADABLE);
            return FAULT_OK;
        }
        stat_id_of(&stat, &before);
        if (content_read(desk, fd, &sight->entry, &outcome, fault) != FAULT_OK)
            return fault_pass(fault);
        if (outcome != READ_WHOLE || fstat(fd, &stat) != 0) {
            leave_out(sight, outcome == READ_TOO_LARGE ? LEFT_SIZE : LEFT_UNREADABLE);
            return FAULT_OK;
        }
        stat_id_of(&stat, &sight->id);
        sight->entry.mode = stat.st_mode & TREE_MODE;
        if (stat_id_same(&before, &sight->id) && sight->id.size == sight->entry.size)
            return FAULT_OK;
    }
    sight->clock_ns = 0;
    return FAULT_OK;
}

/* ---- the threads ---- */

static void fail(struct intake *intake, const struct fault *fault)
{
    pthread_mutex_lock(&intake->lock);
    if (intake->fault.code == FAULT_OK)
        intake->fault = *fault;
    pthread_mutex_unlock(&intake->lock);
}

/* The next file; after a failure the files are only closed. False when there will be none. */
static bool job_next(struct intake *intake, struct job *out, bool *failed)
{
    bool got;

    pthread_mutex_lock(&intake->lock);
    while (intake->count == 0 && !intake->closed)
        pthread_cond_wait(&intake->gave, &intake->lock);
    got = intake->count > 0;
    if (got) {
        *out = intake->queue[intake->first];
        intake->first = (intake->first + 1) % QUEUE;
        intake->count--;
        pthread_cond_signal(&intake->took);
    }
    *failed = intake->fault.code != FAULT_OK;
    pthread_mutex_unlock(&intake->lock);
    return got;
}

/* Takes files from the queue until it is closed and empty. */
static void desk_work(struct desk *desk)
{
    struct intake *intake = desk->intake;
    struct fault fault = {0};
    struct job job;
    bool failed;

    while (job_next(intake, &job, &failed)) {
        if (!failed && intake_cancelled(intake->cancel_fd)) {
            (void)fault_set(&fault, FAULT_INTERRUPTED, "stopped while files were read");
            fail(intake, &fault);
        } else if (!failed) {
            desk->read++;
            if (file_take(desk, job.fd, job.sight, &fault) != FAULT_OK)
                fail(intake, &fault);
        }
        close(job.fd);
    }
    if (!failed && desk_flush(desk, &fault) != FAULT_OK)
        fail(intake, &fault);
}

static void *thread_main(void *context)
{
    desk_work(context);
    return NULL;
}

/* As many as there are cores, and one that may wait for the disk. None: the caller does it all. */
static void threads_start(struct intake *intake)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = cores < 1 ? 2 : cores < THREADS_MAX ? (int)cores + 1 : THREADS_MAX;

    while (intake->thread_count < count) {
        struct desk *desk = desk_new(intake);
        int i = intake->thread_count;

        if (pthread_create(&intake->threads[i], NULL, thread_main, desk) != 0) {
            desk_free(desk);
            return;
        }
        intake->desks[i + 1] = desk;
        intake->thread_count++;
    }
}

struct intake *intake_new(struct store *store, int64_t file_bytes, int cancel_fd)
{
    struct intake *intake = calloc(1, sizeof(*intake));

    if (!intake)
        abort();
    intake->store = store;
    intake->file_bytes = file_bytes;
    intake->cancel_fd = cancel_fd;
    pthread_mutex_init(&intake->lock, NULL);
    pthread_cond_init(&intake->gave, NULL);
    pthread_cond_init(&intake->took, NULL);
    intake->desks[0] = desk_new(intake);
    return intake;
}

/* Puts a file in the queue; false when it is full and nobody is there to empty it. */
static bool queue_add(struct intake *intake, const struct job *job, bool *failed)
{
    bool added;

    pthread_mutex_lock(&intake->lock);
    while (intake->count == QUEUE && intake->thread_count)
        pthread_cond_wait(&intake->took, &intake->lock);
    added = intake->count < QUEUE;
    if (added) {
        intake->queue[(intake->first + intake->count++) % QUEUE] = *job;
        pthread_cond_signal(&intake->gave);
    }
    *failed = intake->fault.code != FAULT_OK;
    pthread_mutex_unlock(&intake->lock);
    return added;
}

bool intake_give(struct intake *intake, int fd, struct sight *sight)
{
    struct job job = {fd, sight};
    struct fault fault = {0};
    bool failed;

    if (intake->thread_count == 0 && intake->count == FEW)
        threads_start(intake);
    if (queue_add(intake, &job, &failed))
        return !failed;
    /* No thread could be started. */
    intake->desks[0]->read++;
    if (!failed && file_take(intake->desks[0], fd, sight, &fault) != FAULT_OK) {
        fail(intake, &fault);
        failed = true;
    }
    close(fd);
    return !failed;
}

static void threads_end(struct intake *intake)
{
    pthread_mutex_lock(&intake->lock);
    intake->closed = true;
    pthread_cond_broadcast(&intake->gave);
    pthread_mutex_unlock(&intake->lock);
    for (int i = 0; i < intake->thread_count; i++)
        pthread_join(intake->threads[i], NULL);
    if (intake->thread_count == 0)
        desk_work(intake->desks[0]);
    intake->thread_count = 0;
}

enum fault_code intake_wait(struct intake *intake, struct fault *fault)
{
    threads_end(intake);
    if (intake->fault.code == FAULT_OK)
        return FAULT_OK;
    *fault = intake->fault;
    return fault_pass(fault);
}

void intake_free(struct intake *intake)
{
    static const struct fault given_up = {FAULT_INTERRUPTED, "given up"};

    if (!intake)
        return;
    if (!intake->closed) {
        fail(intake, &given_up);
        threads_end(intake);
    }
    for (int i = 0; i <= THREADS_MAX; i++)
        desk_free(intake->desks[i]);
    pthread_cond_destroy(&intake->gave);
    pthread_cond_destroy(&intake->took);
    pthread_mutex_destroy(&intake->lock);
    free(intake);
}

enum fault_code intake_put(struct intake *intake, enum object_kind kind, struct str content,
                           unsigned char hash[HASH_BYTES], struct fault *fault)
{
    return desk_put(intake->desks[0], kind, content, hash, fault);
}

enum fault_code intake_flush(struct intake *intake, struct fault *fault)
{
    return desk_flush(intake->desks[0], fault);
}

void intake_count(const struct intake *intake, int64_t *read, int64_t *written)
{
    *read = 0;
    *written = 0;
    for (int i = 0; i <= THREADS_MAX; i++) {
        if (!intake->desks[i])
            continue;
        *read += intake->desks[i]->read;
        *written += intake->desks[i]->written;
    }
}
