#include "base/numbers.h"

#include "base/array.h"

#include <stdlib.h>

void numbers_clear(struct numbers *numbers)
{
    free(numbers->items);
    *numbers = (struct numbers){0};
}

void numbers_add(struct numbers *numbers, int64_t number)
{
    numbers->items =
        array_more(numbers->items, numbers->count, &numbers->room, sizeof(*numbers->items));
    numbers->items[numbers->count++] = number;
}

static int order(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

void numbers_sort(struct numbers *numbers)
{
    size_t kept = 0;

    if (numbers->count)
        qsort(numbers->items, numbers->count, sizeof(*numbers->items), order);
    for (size_t i = 0; i < numbers->count; i++)
        if (kept == 0 || numbers->items[kept - 1] != numbers->items[i])
            numbers->items[kept++] = numbers->items[i];
    numbers->count = kept;
}

bool numbers_have(const struct numbers *numbers, int64_t number)
{
    return numbers->count &&
           bsearch(&number, numbers->items, numbers->count, sizeof(*numbers->items), order);
}
