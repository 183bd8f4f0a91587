/* The version of a database file, and the way from an older one to the present. */
#ifndef STORE_SQLITE_SCHEMA_H
#define STORE_SQLITE_SCHEMA_H

#include "store/sqlite/db.h"
#include "store/store.h"

struct migration {
    int version;
    const char *sql;
};

extern const struct migration schema_migrations[];
extern const size_t schema_migration_count;

/*
 * Looks at an open file without changing it. FAULT_SCHEMA: of a newer tine, or of another program.
 * *version is 0 for an empty file.
 */
FAULT_CHECK enum fault_code schema_version(struct db *db, const char *path, int newest,
                                           int *version, struct fault *fault);

/*
 * Runs the migrations above the file's version, all or none. A file that already has a schema is
 * copied to `<path>.before-v<newest>` first. `path` NULL: in memory.
 */
FAULT_CHECK enum fault_code schema_migrate(struct db *db, const char *path,
                                           const struct migration *migrations, size_t count,
                                           struct fault *fault);

/* A consistent copy of the file, put in place whole. FAULT_EXISTS when `to` is there. */
FAULT_CHECK enum fault_code schema_copy(struct db *db, const char *to, store_progress *progress,
                                        void *context, struct fault *fault);

#endif
