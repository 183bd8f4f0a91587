/* Bare SQLite, with the settings of the store: what the store's work is compared to. */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <sqlite3.h>
#include <stdint.h>

/* Opens, or makes, a file; ends the program when that fails. */
sqlite3 *plain_open(const char *path);

void plain_run(sqlite3 *db, const char *sql);
sqlite3_stmt *plain_prepare(sqlite3 *db, const char *sql);

/* Runs to the end a statement that gives no rows, and makes it ready again. */
void plain_step(sqlite3 *db, sqlite3_stmt *statement);

/* The first column of the first row. */
int64_t plain_int(sqlite3 *db, const char *sql);

/* Brings everything from the log into the file; the log begins anew, in the room it has. */
void plain_checkpoint(sqlite3 *db);

/* Bytes of the file's pages. */
int64_t plain_bytes(sqlite3 *db);

#endif
