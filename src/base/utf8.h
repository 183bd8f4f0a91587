/* UTF-8: is it, and where may it be cut. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

#include <stdint.h>

/* Shortest forms only, no surrogates, nothing above U+10FFFF. A NUL is valid. */
bool utf8_valid(struct str s);

/* The longest start of s of at most `max` bytes that ends between characters. */
struct str utf8_cut(struct str s, size_t max);

/* Decodes the character at s.p[*at] and moves past it; U+FFFD and one byte on for a bad one. */
uint32_t utf8_next(struct str s, size_t *at);

/* Writes 1 to 4 bytes for a valid code point; returns how many. */
size_t utf8_encode(uint32_t point, char out[4]);

/*
 * Writes s with U+FFFD for every bad byte; returns how many bytes that are, at most UTF8_CLEAN
 * times those of s.
 */
enum { UTF8_CLEAN = 3 };
size_t utf8_clean(struct str s, char *out);

#endif
