#include "store/sqlite/schema.h"

#include "sqlite_migrations.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x74696e65, /* "tine" */
    COPY_PAGES = 1024
};

const struct migration schema_migrations[] = {
#define MIGRATION(version, sql) {version, sql},
    SQLITE_MIGRATIONS(MIGRATION)
#undef MIGRATION
};
const size_t schema_migration_count = sizeof(schema_migrations) / sizeof(*schema_migrations);

/* One integer from a pragma or query that is no prepared one. */
static enum fault_code ask_int(struct db *db, const char *sql, int64_t *out, struct fault *fault)
{
    sqlite3_stmt *q = NULL;
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &q, NULL);

    if (code == SQLITE_OK) {
        code = sqlite3_step(q);
        if (code == SQLITE_ROW)
            *out = sqlite3_column_int64(q, 0);
    }
    sqlite3_finalize(q);
    return code == SQLITE_ROW ? FAULT_OK : db_fault(db->handle, code, sql, fault);
}

enum fault_code schema_version(struct db *db, const char *path, int newest, int *version,
                               struct fault *fault)
{
    int64_t application = 0, stored = 0, tables = 0;

    /* Another process may be making the schema just now, which sets all three at once: looked at
     * in this order they are those of a whole schema or of none. */
    if (ask_int(db, "SELECT count(*) FROM sqlite_schema", &tables, fault) != FAULT_OK ||
        ask_int(db, "PRAGMA user_version", &stored, fault) != FAULT_OK ||
        ask_int(db, "PRAGMA application_id", &application, fault) != FAULT_OK)
        return fault_pass(fault);
    if (application == 0 && stored == 0 && tables == 0) {
        *version = 0;
        return FAULT_OK;
    }
    if (application != APPLICATION_ID)
        return fault_set(fault, FAULT_SCHEMA, "%s is a database of another program", path);
    if (stored > newest)
        return fault_set(fault, FAULT_SCHEMA,
                         "%s has schema version %lld and this tine knows versions up to %d: it was "
                         "written by a newer tine, use that one",
                         path, (long long)stored, newest);
    *version = (int)stored;
    return FAULT_OK;
}

static enum fault_code apply(struct db *db, const struct migration *migrations, size_t count,
                             int version, struct fault *fault)
{
    char sql[100];

    for (size_t i = 0; i < count; i++) {
        if (migrations[i].version <= version)
            continue;
        if (db_exec(db, migrations[i].sql, fault) != FAULT_OK)
            return fault_pass(fault);
        version = migrations[i].version;
    }
    snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID,
             version);
    return db_exec(db, sql, fault);
}

enum fault_code schema_migrate(struct db *db, const char *path, const struct migration *migrations,
                               size_t count, struct fault *fault)
{
    int newest = migrations[count - 1].version, version;
    char backup[4096];

    if (schema_version(db, path, newest, &version, fault) != FAULT_OK)
        return fault_pass(fault);
    if (version == newest)
        return FAULT_OK;
    if (version > 0 && path) {
        if (snprintf(backup, sizeof(backup), "%s.before-v%d", path, newest) >= (int)sizeof(backup))
            return fault_set(fault, FAULT_INVALID, "the path of the database is too long");
        /* Left from an attempt that did not finish; it holds the same. */
        if (schema_copy(db, backup, NULL, NULL, fault) != FAULT_OK && fault->code != FAULT_EXISTS)
            return fault_pass(fault);
    }
    if (db_exec(db, "BEGIN EXCLUSIVE", fault) != FAULT_OK)
        return fault_pass(fault);
    /* Another process may have been faster. */
    if (schema_version(db, path, newest, &version, fault) == FAULT_OK &&
        apply(db, migrations, count, version, fault) == FAULT_OK &&
        db_exec(db, "COMMIT", fault) == FAULT_OK)
        return FAULT_OK;
    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return fault_pass(fault);
}

/* Flushes a file or folder. */
static bool flush_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return done;
}

static enum fault_code copy_pages(struct db *db, sqlite3 *to, store_progress *progress,
                                  void *context, struct fault *fault)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", db->handle, "main");
    int code;

    if (!backup)
        return db_fault(to, sqlite3_errcode(to), "copying the database", fault);
    do {
        code = sqlite3_backup_step(backup, COPY_PAGES);
        if (progress && (code == SQLITE_OK || code == SQLITE_DONE)) {
            int64_t total = sqlite3_backup_pagecount(backup);

            progress(context, "copying", total - sqlite3_backup_remaining(backup), total);
        }
    } while (code == SQLITE_OK);
    sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? FAULT_OK : db_fault(to, code, "copying the database", fault);
}

enum fault_code schema_copy(struct db *db, const char *to, store_progress *progress, void *context,
                            struct fault *fault)
{
    char part[4096], folder[4096];
    sqlite3 *copy = NULL;
    enum fault_code code;
    int opened;

    if (snprintf(part, sizeof(part), "%s.part-%ld", to, (long)getpid()) >= (int)sizeof(part))
        return fault_set(fault, FAULT_INVALID, "the path \"%s\" is too long", to);
    snprintf(folder, sizeof(folder), "%s", to);
    if (access(to, F_OK) == 0)
        return fault_set(fault, FAULT_EXISTS, "\"%s\" is there already", to);
    unlink(part);
    opened = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (opened < 0)
        return fault_set(fault, FAULT_IO, "\"%s\" cannot be written: %s", to, strerror(errno));
    close(opened);
    opened = sqlite3_open_v2(part, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    /* A read transaction keeps the copy at one moment however long it takes. */
    code = opened == SQLITE_OK ? db_exec(db, "BEGIN; SELECT 1 FROM sqlite_schema", fault)
                               : db_fault(copy, opened, "opening the copy", fault);
    if (code == FAULT_OK) {
        code = copy_pages(db, copy, progress, context, fault);
        sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
    }
    sqlite3_close(copy);
    if (code == FAULT_OK && (!flush_path(part, O_RDONLY) || link(part, to) != 0 ||
                             !flush_path(dirname(folder), O_RDONLY | O_DIRECTORY)))
        code = errno == EEXIST ? fault_set(fault, FAULT_EXISTS, "\"%s\" is there already", to)
                               : fault_set(fault, FAULT_IO, "\"%s\" cannot be written: %s", to,
                                           strerror(errno));
    unlink(part);
    return code;
}
