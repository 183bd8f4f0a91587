/*
 * Search over titles and text. The index is a file of its own, search.db, derived from the main
 * file and made anew when it is missing, damaged or of another store. It is filled in slices, off
 * the way of an append, up to a mark: the number of the newest act or note that it knows.
 *
 * What must hold:
 * 1. The index changes only together with its mark and with the list of what it contains (doc), in
 *    one transaction; so a crash leaves it somewhat old and never wrong.
 * 2. What is deleted is taken out of the index before its text is gone: taking out needs the text.
 * 3. A hit counts only if the main file has the act.
 */
#ifndef STORE_SQLITE_SEARCH_H
#define STORE_SQLITE_SEARCH_H

#include "store/sqlite/verbs.h"

struct search;

/* `path` of search.db; NULL: in memory. Nothing is opened before it is needed. */
struct search *search_new(const char *path, int busy_ms);
void search_free(struct search *search);

/*
 * Brings the index up to what is in the main file, then answers. `db` must be in no transaction: a
 * snapshot older than the index would make it look wrong. Threads take turns.
 */
FAULT_CHECK enum fault_code search_run(struct search *search, struct db *db,
                                       const struct search_spec *spec, hit_visit *visit,
                                       void *context, struct search_info *info,
                                       struct fault *fault);

/* Takes acts out of the index that are still in the main file. Nothing to do without an index. */
FAULT_CHECK enum fault_code search_forget(struct search *search, struct db *db, const int64_t *acts,
                                          size_t count, struct fault *fault);

/* Writes the index anew without what it was told to forget, so that no word of it is left. */
FAULT_CHECK enum fault_code search_scrub(struct search *search, struct db *db, struct fault *fault);

/* Brings the index up to date without a search; makes it anew when it names what is gone. */
FAULT_CHECK enum fault_code search_tend(struct search *search, struct db *db, struct fault *fault);

#endif
