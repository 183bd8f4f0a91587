/* What was done to files, as people read it; and why it was not done. */
#ifndef CLI_FILES_PRINT_H
#define CLI_FILES_PRINT_H

#include "cli/context.h"

/* A line for each path of a dry run's report. */
void files_print_report(struct cli *cli, const struct tine_result *result);

/*
 * Adds ", 2 files written, 1 deleted"; nothing when there are none. `report` may be NULL. `would`
 * is
 * "" or "would be ".
 */
void files_add_counts(struct buf *out, const struct tine_files_report *report, const char *would);

/* Names on stderr what was left as it is, unless JSON was asked for. `report` may be NULL. */
void files_warn_skipped(struct cli *cli, const struct tine_files_report *report);

/*
 * The fault of a call that was refused. When files are in the way they are listed below it, with
 * what --force does: `force` is that sentence.
 */
enum fault_code files_fault(struct cli *cli, const struct tine_error *error, const char *force,
                            struct fault *fault);

/*
 * Records the directories as they are now, so that "now" is now. While a turn runs, and for who may
 * only read, what was recorded last stands for it.
 */
FAULT_CHECK enum fault_code files_record(struct cli *cli, const struct tine_session *session,
                                         struct fault *fault);

#endif
