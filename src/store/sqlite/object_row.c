#include "store/sqlite/object_row.h"

#include "store/tree.h"

#include <time.h>

enum fault_code gc_began(struct db *db, int64_t *out, struct fault *fault)
{
    return db_int(db, Q_GC_BEGAN, NULL, 0, out, fault);
}

/*
 * Objects are put by whoever looks at a directory, so this is the one time that is not given from
 * above. It only says how long they stay when nothing names them.
 */
static int64_t clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* A time for a birth or a touch. */
static enum fault_code time_young(struct db *db, int64_t now_us, int64_t *out, struct fault *fault)
{
    int64_t began = 0;

    if (gc_began(db, &began, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = now_us > began ? now_us : began + 1;
    return FAULT_OK;
}

/* Where an object stands; `number` 0: nowhere. */
struct standing {
    int64_t number;
    bool young;
};

static enum fault_code standing_of(struct db *db, struct str hash, struct standing *out,
                                   struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_OBJECT_STANDING, ARGS(arg_blob(hash)));
    bool row;

    *out = (struct standing){0};
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return FAULT_OK;
    *out = (struct standing){sqlite3_column_int64(q, 0), sqlite3_column_int(q, 1) != 0};
    sqlite3_reset(q);
    return FAULT_OK;
}

static enum fault_code touch(struct db *db, int64_t number, int64_t now_us, struct fault *fault)
{
    int64_t at_us;

    if (time_young(db, now_us, &at_us, fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_OBJECT_TOUCH, ARGS(arg_int(number), arg_int(at_us)), fault);
}

static enum fault_code insert(struct db *db, const struct object *object, int64_t now_us,
                              int64_t *out, struct fault *fault)
{
    int64_t at_us;

    if (time_young(db, now_us, &at_us, fault) != FAULT_OK ||
        db_run(db, Q_OBJECT_INSERT,
               ARGS(arg_bytes(object->hash, HASH_BYTES), arg_int(object->kind),
                    arg_int(object->size), arg_int(at_us), arg_blob(object->data)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    *out = sqlite3_last_insert_rowid(db->handle);
    return FAULT_OK;
}

static enum fault_code keep(struct db *db, const struct object *object, int64_t now_us,
                            int64_t *out, struct fault *fault)
{
    struct standing standing;

    if (standing_of(db, (struct str){(const char *)object->hash, HASH_BYTES}, &standing, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (standing.number == 0)
        return insert(db, object, now_us, out, fault);
    *out = standing.number;
    return standing.young ? FAULT_OK : touch(db, standing.number, now_us, fault);
}

enum fault_code object_put(struct db *db, int kind, struct str data, int64_t at_us, int64_t *out,
                           struct fault *fault)
{
    struct object object = {.kind = (enum object_kind)kind, .size = (int64_t)data.n, .data = data};

    *out = 0;
    if (data.n == 0 || str_eq(data, STR("{}")))
        return FAULT_OK;
    object_name(db->hasher, object.kind, data, object.hash);
    return keep(db, &object, at_us, out, fault);
}

enum fault_code object_keep(struct db *db, const struct object *object, int64_t *out,
                            struct fault *fault)
{
    return keep(db, object, clock_us(), out, fault);
}

enum fault_code object_name_again(struct db *db, struct str hash, int64_t *out, struct fault *fault)
{
    struct standing standing;

    if (standing_of(db, hash, &standing, fault) != FAULT_OK)
        return fault_pass(fault);
    if (standing.number && !standing.young &&
        touch(db, standing.number, clock_us(), fault) != FAULT_OK)
        return fault_pass(fault);
    *out = standing.number;
    return FAULT_OK;
}

enum fault_code object_look(struct db *db, struct str hash, bool *known, bool *young,
                            struct fault *fault)
{
    struct standing standing;

    if (standing_of(db, hash, &standing, fault) != FAULT_OK)
        return fault_pass(fault);
    *known = standing.number != 0;
    *young = standing.young;
    return FAULT_OK;
}

/* From a query that gives hash, kind, size and data. */
static enum fault_code object_read(struct db *db, sqlite3_stmt *q, struct arena *arena,
                                   struct object *out, struct fault *fault)
{
    struct str hash;
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_NOT_FOUND, "the object is not in the store");
    hash = column_str(q, 0);
    if (hash.n != HASH_BYTES) {
        sqlite3_reset(q);
        return fault_set(fault, FAULT_CORRUPT, "the hash of a stored object has %zu bytes", hash.n);
    }
    *out = (struct object){
        .kind = (enum object_kind)sqlite3_column_int(q, 1),
        .size = sqlite3_column_int64(q, 2),
        .data = column_dup(q, 3, arena),
    };
    memcpy(out->hash, hash.p, HASH_BYTES);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code object_at(struct db *db, int64_t number, struct arena *arena, struct object *out,
                          struct fault *fault)
{
    return object_read(db, db_query(db, Q_OBJECT_AT, ARGS(arg_int(number))), arena, out, fault);
}

enum fault_code object_find(struct db *db, const unsigned char hash[HASH_BYTES],
                            struct arena *arena, struct object *out, struct fault *fault)
{
    return object_read(db, db_query(db, Q_OBJECT_FIND, ARGS(arg_bytes(hash, HASH_BYTES))), arena,
                       out, fault);
}

enum fault_code tree_named(struct db *db, struct str hash, int64_t *out, struct fault *fault)
{
    int64_t object = 0;

    if (db_int(db, Q_TREE_NAMED, ARGS(arg_blob(hash)), &object, fault) != FAULT_OK)
        return fault_pass(fault);
    if (object == 0)
        return fault_set(fault, FAULT_NOT_FOUND, "the tree of files is not in the store");
    *out = object;
    return FAULT_OK;
}

enum fault_code tree_empty_keep(struct db *db, int64_t at_us, int64_t *out, struct fault *fault)
{
    struct object object = {.kind = OBJECT_DIR, .data = {"\0", 1}}; /* as object_pack has it */

    memcpy(object.hash, tree_empty, HASH_BYTES);
    return keep(db, &object, at_us, out, fault);
}

enum fault_code tree_record(struct db *db, const struct tree_spec *spec, int64_t *object,
                            struct fault *fault)
{
    int64_t began = 0;

    *object = 0;
    if (!spec->given)
        return FAULT_OK;
    if (memcmp(spec->hash, tree_empty, HASH_BYTES) == 0)
        return tree_empty_keep(db, clock_us(), object, fault);
    if (gc_began(db, &began, fault) != FAULT_OK)
        return fault_pass(fault);
    if (began != spec->since_us)
        return fault_set(fault, FAULT_TREE_STALE,
                         "the store was cleared up since the files were looked at; try again");
    return tree_named(db, (struct str){(const char *)spec->hash, HASH_BYTES}, object, fault);
}

enum fault_code object_hash(struct db *db, int64_t object, struct arena *arena, struct str *out,
                            struct fault *fault)
{
    sqlite3_stmt *q;
    bool row;

    *out = STR_NONE;
    if (object == 0)
        return FAULT_OK;
    q = db_query(db, Q_OBJECT_HASH, ARGS(arg_int(object)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "object %lld is missing", (long long)object);
    *out = column_dup(q, 0, arena);
    sqlite3_reset(q);
    return FAULT_OK;
}
