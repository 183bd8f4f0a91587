#include "cli/command.h"

#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
const struct command *const commands[] = {
    &command_chat,
    &command_serve,
    &command_demo,
    &command_new,
    &command_send,
    &command_answer,
    &command_cancel,
    &command_sessions,
    &command_show,
    &command_tree,
    &command_fork,
    &command_rewind,
    &command_undo,
    &command_redo,
    &command_adopt,
    &command_files,
    &command_cat,
    &command_diff,
    &command_merge,
    &command_restore,
    &command_workspace,
    &command_label,
    &command_search,
    &command_log,
    &command_events,
    &command_agents,
    &command_rename,
    &command_edit,
    &command_rm,
    &command_export,
    &command_import,
    &command_backup,
    &command_verify,
    &command_gc,
    &command_user,
    &command_config,
    &command_doctor,
    &command_help,
    NULL,
};
/* clang-format on */

const struct command *command_find(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Letters to add, drop or change until a becomes b; both are short. */
static size_t distance(const char *a, const char *b)
{
    size_t row[16], n = strlen(b);

    if (n + 1 >= sizeof(row) / sizeof(row[0]))
        return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t change = diagonal + (a[i] != b[j]);
            size_t other = row[j] < row[j + 1] ? row[j] : row[j + 1];

            diagonal = row[j + 1];
            row[j + 1] = change < other + 1 ? change : other + 1;
        }
    }
    return row[n];
}

const struct command *command_like(const char *name)
{
    const struct command *best = NULL;
    size_t nearest = 3;

    if (strlen(name) > 32)
        return NULL;
    for (int i = 0; commands[i]; i++) {
        size_t d = distance(name, commands[i]->name);

        if (d < nearest && d < strlen(commands[i]->name)) {
            nearest = d;
            best = commands[i];
        }
    }
    return best;
}
