/* A list of numbers that grows. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is one without any. */
struct numbers {
    int64_t *items;
    size_t count, room;
};

void numbers_clear(struct numbers *numbers);
void numbers_add(struct numbers *numbers, int64_t number);        /* behind the others */
void numbers_sort(struct numbers *numbers);                       /* ascending, each once */
bool numbers_have(const struct numbers *numbers, int64_t number); /* of one that is sorted */

#endif
