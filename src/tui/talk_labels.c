#include "tui/talk_labels.h"

#include <stdlib.h>
#include <string.h>

static int by_message(const void *a, const void *b)
{
    const struct tine_label *const *left = a, *const *right = b;

    return strcmp((*left)->message, (*right)->message);
}

void talk_labels_clear(struct talk_labels *labels)
{
    tine_result_free(labels->result);
    free(labels->by_message);
    *labels = (struct talk_labels){0};
}

void talk_labels_set(struct talk_labels *labels, struct tine_result *result)
{
    talk_labels_clear(labels);
    if (!result || result->label_count == 0) {
        tine_result_free(result);
        return;
    }
    labels->result = result;
    labels->by_message = calloc(result->label_count, sizeof(labels->by_message[0]));
    if (!labels->by_message)
        abort();
    for (size_t i = 0; i < result->label_count; i++)
        if (result->labels[i].message && result->labels[i].label)
            labels->by_message[labels->count++] = &result->labels[i];
    qsort(labels->by_message, labels->count, sizeof(labels->by_message[0]), by_message);
}

const char *talk_labels_find(const struct talk_labels *labels, const char *message)
{
    const struct tine_label like = {.message = message}, *key = &like;
    const struct tine_label *const *found;

    if (labels->count == 0)
        return NULL;
    found =
        bsearch(&key, labels->by_message, labels->count, sizeof(labels->by_message[0]), by_message);
    return found ? (*found)->label : NULL;
}
