/* What stands for signs beyond ASCII where they cannot be drawn. */
#ifndef TUI_PLAIN_H
#define TUI_PLAIN_H

#include <stdint.h>

/* One character of ASCII for a line, a corner, an arrow, a bullet …; 0: there is none. */
char plain_of(uint32_t c);

#endif
