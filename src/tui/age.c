#include "tui/age.h"

#include <stddef.h>
#include <stdio.h>

enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR, WEEK = 7 * DAY, YEAR = 365 * DAY };

void age_text(int64_t then_ms, int64_t now_ms, char out[AGE_MAX])
{
    static const struct {
        int64_t from_s, unit_s;
        char letter;
    } units[] = {{YEAR, YEAR, 'y'},
                 {9 * WEEK, WEEK, 'w'},
                 {2 * DAY, DAY, 'd'},
                 {HOUR, HOUR, 'h'},
                 {MINUTE, MINUTE, 'm'}};
    int64_t age_s = (now_ms - then_ms) / 1000;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (age_s >= units[i].from_s) {
            int64_t count = age_s / units[i].unit_s;

            snprintf(out, AGE_MAX, "%d%c", (int)(count > 999 ? 999 : count), units[i].letter);
            return;
        }
    snprintf(out, AGE_MAX, "now");
}
