/* What rewind, undo, redo and adopt answer. */
#ifndef CLI_MOVE_ANSWER_H
#define CLI_MOVE_ANSWER_H

#include "cli/context.h"

void move_answer(struct cli *cli, enum move_act act, bool dry_run,
                 const struct move_result *result);

#endif
