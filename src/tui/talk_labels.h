/* The labels of a conversation: names of messages. */
#ifndef TUI_TALK_LABELS_H
#define TUI_TALK_LABELS_H

#include <tine.h>

struct talk_labels {
    struct tine_result *result; /* NULL: none */
    const struct tine_label **by_message;
    size_t count;
};

void talk_labels_set(struct talk_labels *labels, struct tine_result *result); /* takes it; NULL */
void talk_labels_clear(struct talk_labels *labels);
const char *talk_labels_find(const struct talk_labels *labels, const char *message);

#endif
