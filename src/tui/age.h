/* How long ago something was, in few letters. */
#ifndef TUI_AGE_H
#define TUI_AGE_H

#include <stdint.h>

enum { AGE_MAX = 8, AGE_COLUMNS = 4 };

/* "now", "5m", "30h", "12d", "15w", "3y": at most AGE_COLUMNS long. */
void age_text(int64_t then_ms, int64_t now_ms, char out[AGE_MAX]);

#endif
