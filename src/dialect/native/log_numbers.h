/* The numbers that sessions and families get in an export: 1, 2, 3 … whatever the store calls them.
 */
#ifndef DIALECT_NATIVE_LOG_NUMBERS_H
#define DIALECT_NATIVE_LOG_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct log_number {
    int64_t store, file;
};

struct log_numbers {
    struct log_number *list; /* in ascending order of `store` */
    size_t count, room;
};

void log_numbers_init(struct log_numbers *numbers);
void log_numbers_clear(struct log_numbers *numbers);

/* The number in the file; 0 when there is none. */
int64_t log_numbers_find(const struct log_numbers *numbers, int64_t store);

/* The number in the file, which is `file` when there was none. Cheap when they come in order. */
int64_t log_numbers_add(struct log_numbers *numbers, int64_t store, int64_t file);

#endif
