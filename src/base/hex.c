#include "base/hex.h"

#include <string.h>

#define ROW(high)                                                                                  \
    high "0" high "1" high "2" high "3" high "4" high "5" high "6" high "7" high "8" high "9" high \
         "a" high "b" high "c" high "d" high "e" high "f"

/* The digits of each byte, one pair after another. */
static const char pairs[] = ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6") ROW("7")
    ROW("8") ROW("9") ROW("a") ROW("b") ROW("c") ROW("d") ROW("e") ROW("f");

void hex_write(const void *bytes, size_t n, char *out)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        memcpy(out + 2 * i, pairs + 2 * (size_t)p[i], 2);
}
