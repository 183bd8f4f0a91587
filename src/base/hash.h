/* SHA-256 in pieces; one hasher is used again and again. Aborts when the library fails. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

#include <stdint.h>

enum { HASH_BYTES = 32 };

struct hasher;

struct hasher *hasher_new(void);
void hasher_free(struct hasher *hasher);

void hasher_begin(struct hasher *hasher);
void hasher_add(struct hasher *hasher, const void *p, size_t n);
void hasher_add_int(struct hasher *hasher, int64_t value); /* 8 bytes, big-endian */
void hasher_add_str(struct hasher *hasher, struct str s); /* its length as an int, then its bytes */
void hasher_end(struct hasher *hasher, unsigned char out[HASH_BYTES]);

/* Of a whole at once. */
void hash_whole(struct str s, unsigned char out[HASH_BYTES]);

#endif
