/* Bytes as hexadecimal digits. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>

/* Two lower-case digits for each byte; no NUL. */
void hex_write(const void *bytes, size_t n, char *out);

#endif
