#include "table.h"

#include <stdio.h>

enum { FIGURE_MAX = 32 };

#define LINE "%-52s %11s %11s %9s  %-16s %-6s"

void table_head(void)
{
    printf("Times are those that a quarter stays below; rates are medians of rounds.\n\n");
    printf(LINE "  %s\n", "what", "measured", "baseline", "ratio", "bar", "", "beside it");
}

void table_group(const char *name)
{
    printf("\n%s\n", name);
    fflush(stdout);
}

void table_figure(char *out, size_t room, enum table_unit unit, double value)
{
    switch (unit) {
    case UNIT_NS:
        if (value < 1e6)
            snprintf(out, room, "%.1f us", value / 1e3);
        else if (value < 1e9)
            snprintf(out, room, "%.2f ms", value / 1e6);
        else
            snprintf(out, room, "%.2f s", value / 1e9);
        break;
    case UNIT_BYTES:
        if (value < 10 * 1024)
            snprintf(out, room, "%.0f B", value);
        else
            snprintf(out, room, "%.1f MiB", value / (1024 * 1024));
        break;
    case UNIT_RATE:
        snprintf(out, room, "%.0f /s", value);
        break;
    }
}

static void ratio_format(char *out, double value)
{
    snprintf(out, FIGURE_MAX, value < 100 ? "%.2fx" : "%.0fx", value);
}

static void bar_format(char *out, const struct table_row *row)
{
    char limit[FIGURE_MAX / 2];

    out[0] = '\0';
    if (row->bar == BAR_NONE)
        return;
    if (row->baseline > 0)
        snprintf(limit, sizeof(limit), "%gx", row->limit);
    else
        table_figure(limit, sizeof(limit), row->unit, row->limit);
    snprintf(out, FIGURE_MAX, "%s %s", row->bar == BAR_AT_MOST ? "at most" : "at least", limit);
}

void table_add(struct table *table, const struct table_row *row)
{
    char measured[FIGURE_MAX], baseline[FIGURE_MAX] = "", ratio[FIGURE_MAX] = "", bar[FIGURE_MAX];
    double value = row->measured;
    const char *verdict = "";

    table_figure(measured, sizeof(measured), row->unit, row->measured);
    if (row->baseline > 0) {
        table_figure(baseline, sizeof(baseline), row->unit, row->baseline);
        value = row->inverse ? row->baseline / row->measured : row->measured / row->baseline;
        ratio_format(ratio, value);
    }
    bar_format(bar, row);
    if (row->bar != BAR_NONE) {
        bool clear = row->bar == BAR_AT_MOST ? value <= row->limit : value >= row->limit;

        verdict = clear ? "ok" : "MISSED";
        table->rows++;
        table->missed += !clear;
    }
    printf(LINE "  %s\n", row->what, measured, baseline, ratio, bar, verdict,
           row->note ? row->note : "");
    fflush(stdout);
}

bool table_end(const struct table *table)
{
    printf("\n%d bars, %d missed\n", table->rows, table->missed);
    return table->missed == 0;
}
