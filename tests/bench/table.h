/* The table that comes out: a line for each measurement, printed as soon as it is made. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum table_bar {
    BAR_NONE, /* only to be looked at */
    BAR_AT_MOST,
    BAR_AT_LEAST
};

enum table_unit {
    UNIT_NS, /* printed as µs, ms or s */
    UNIT_BYTES,
    UNIT_RATE /* a second */
};

/* One line. The ratio, or without a baseline the figure itself, must clear the bar. */
struct table_row {
    const char *what;
    enum table_unit unit;
    double measured, baseline; /* baseline 0: there is none */
    bool inverse;              /* the ratio is baseline / measured: how many times faster */
    enum table_bar bar;
    double limit;
    const char *note; /* NULL: none */
};

struct table {
    int rows, missed;
};

void table_head(void);

/* The heading of a group of lines. */
void table_group(const char *name);

void table_add(struct table *table, const struct table_row *row);

/* The last line; false when a bar was missed. */
bool table_end(const struct table *table);

/* Writes the figure in its unit. */
void table_figure(char *out, size_t room, enum table_unit unit, double value);

#endif
