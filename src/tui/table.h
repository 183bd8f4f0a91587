/*
 * A table of markdown: gathered cell by cell, then laid out in columns that fit the width, or, when
 * they cannot, as a list of "head: value".
 */
#ifndef TUI_TABLE_H
#define TUI_TABLE_H

#include "tui/flow.h"

enum table_align { TABLE_LEFT, TABLE_CENTER, TABLE_RIGHT };

struct table;

struct table *table_new(struct arena *arena, size_t columns);

void table_row(struct table *table); /* begins one; the first is the head */
void table_cell(struct table *table,
                enum table_align align); /* begins one; too many are left out */

/* Adds to the newest cell. The text is borrowed until the table is laid out. */
void table_text(struct table *table, struct str text, struct look look);

void table_lay(const struct table *table, struct flow *flow);

#endif
