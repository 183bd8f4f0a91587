/*
 * Characters that a terminal must not be sent: those that move its cursor or change it, turn the
 * direction of writing, or hide text from the reader. They are shown as escapes.
 */
#ifndef BASE_CONTROL_H
#define BASE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTROL_ESCAPE_MAX = 16 }; /* bytes, with a NUL */

bool control_is(uint32_t point);

/* Writes the form in which it is shown, ASCII: \n, \e, \x07, \u202e. Returns its length. */
int control_escape(uint32_t point, char out[CONTROL_ESCAPE_MAX]);

/* The same of a byte that is none of UTF-8: \xff. */
int control_escape_byte(unsigned char byte, char out[CONTROL_ESCAPE_MAX]);

#endif
