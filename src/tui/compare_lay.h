/*
 * Two places of a family laid out side by side: what they share, the messages of each since they
 * part, and the files that differ. In a narrow window one stands below the other.
 */
#ifndef TUI_COMPARE_LAY_H
#define TUI_COMPARE_LAY_H

#include "tui/flow.h"

#include <tine.h>

enum { COMPARE_WIDE = 80 /* columns from which on there are two columns */ };

struct compare_spec {
    const char *titles[2];
    const struct tine_result *diff;  /* of tine_diff */
    const struct tine_message *last; /* the last one that both have; NULL: it is not known */
    int64_t now_ms;                  /* for ages; 0: none are shown */
    bool open;                       /* tool calls in full */
};

struct compare_laid {
    struct laid laid;
    size_t messages_at, files_at; /* the lines with their headings */
};

void compare_lay(const struct compare_spec *spec, int width, struct arena *arena,
                 struct compare_laid *out);

/*
 * Messages in groups: each begins with what a person said, and has what was answered. Returns how
 * many messages the group has that begins at `at`.
 */
size_t compare_group(const struct tine_message *messages, size_t count, size_t at);

#endif
