#include "dialect/native/log_numbers.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void log_numbers_init(struct log_numbers *numbers)
{
    *numbers = (struct log_numbers){0};
}

void log_numbers_clear(struct log_numbers *numbers)
{
    free(numbers->list);
    log_numbers_init(numbers);
}

/* The place of the first one that is not below `store`. */
static size_t place_of(const struct log_numbers *numbers, int64_t store)
{
    size_t low = 0, high = numbers->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (numbers->list[middle].store < store)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t log_numbers_find(const struct log_numbers *numbers, int64_t store)
{
    size_t place = place_of(numbers, store);

    if (place == numbers->count || numbers->list[place].store != store)
        return 0;
    return numbers->list[place].file;
}

int64_t log_numbers_add(struct log_numbers *numbers, int64_t store, int64_t file)
{
    size_t place = place_of(numbers, store);

    if (place < numbers->count && numbers->list[place].store == store)
        return numbers->list[place].file;
    numbers->list =
        array_more(numbers->list, numbers->count, &numbers->room, sizeof(*numbers->list));
    memmove(numbers->list + place + 1, numbers->list + place,
            (numbers->count - place) * sizeof(numbers->list[0]));
    numbers->list[place] = (struct log_number){store, file};
    numbers->count++;
    return file;
}
