/* What rewind, undo, redo and adopt answer. */
#ifndef CLI_MOVE_ANSWER_H
#define CLI_MOVE_ANSWER_H

#include "cli/context.h"

/* FAULT_IO when the reply lacks what it must have. */
FAULT_CHECK enum fault_code move_answer(struct cli *cli, bool dry_run,
                                        const struct tine_result *result, struct fault *fault);

#endif
