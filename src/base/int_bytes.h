/* Integers as eight bytes, the highest first. */
#ifndef BASE_INT_BYTES_H
#define BASE_INT_BYTES_H

#include <stddef.h>
#include <stdint.h>

enum { INT_BYTES = 8 };

static inline void int_bytes_write(int64_t value, unsigned char out[INT_BYTES])
{
    for (size_t i = 0; i < INT_BYTES; i++)
        out[i] = (unsigned char)((uint64_t)value >> (56 - 8 * i));
}

static inline int64_t int_bytes_read(const unsigned char in[INT_BYTES])
{
    uint64_t value = 0;

    for (size_t i = 0; i < INT_BYTES; i++)
        value = value << 8 | in[i];
    return (int64_t)value;
}

#endif
