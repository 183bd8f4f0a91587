/*
 * A conversation as blocks of rows, one under the other: its messages, then the one that is being
 * sent, then what is being said. Each is laid out when it is asked for.
 */
#ifndef TUI_BLOCKS_H
#define TUI_BLOCKS_H

#include "tui/scroll.h"

enum {
    BLOCK_BOX_COLUMNS = 4, /* the sides of the box and a column beside each */
    BLOCK_BOX_ROWS = 2     /* its edges */
};

struct block {
    struct laid laid;
    bool here;  /* else it is being read, and how tall it will be is not known */
    bool boxed; /* it is the marked one */
    int rows;   /* with the box, without the space behind it */
};

struct blocks;

struct blocks *blocks_new(struct talk *talk);
void blocks_free(struct blocks *blocks);

/* How they are laid out from now on; the look must live as long. */
void blocks_set(struct blocks *blocks, const struct scroll_look *look, int width, int64_t now_ms);

/* Another conversation begins: nothing of the old one is needed. */
void blocks_begin(struct blocks *blocks);

int64_t blocks_count(const struct blocks *blocks);

/* What it points to lives until the next one is asked for. */
struct block blocks_at(struct blocks *blocks, int64_t index);

/* The rows of a block and the space behind it. *here, unless it is NULL: are they known? */
int blocks_rows(struct blocks *blocks, int64_t index, bool *here);

bool blocks_is_sending(const struct blocks *blocks, int64_t index);
void blocks_toggle(struct blocks *blocks, int64_t index); /* opens or folds it */

#endif
