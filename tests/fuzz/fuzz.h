/* What a fuzz target defines: one function that takes any bytes and must survive them. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0. The bytes are borrowed for the call; the same bytes do the same every time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
