/* The words for a message by its place in a conversation. */
#ifndef CLIENT_ORDINAL_H
#define CLIENT_ORDINAL_H

#include <stdbool.h>
#include <stdint.h>

/* "#4" is 4, "-1" is -1, counted from the end. False for any other word. */
bool ordinal_read(const char *word, int64_t *out);

#endif
