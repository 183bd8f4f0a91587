/*
 * Damage that keeps the form of an export, for libFuzzer: lines that are moved, doubled or left
 * out, numbers and members that come from elsewhere. Changing single bytes of JSON lines makes
 * nearly always something that is refused at once.
 */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Called by libFuzzer in place of its own mutation; changes `data`, returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* libFuzzer's own mutation. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
