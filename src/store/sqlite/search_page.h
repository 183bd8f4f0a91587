/* What a search has found: hits, and beside them their texts in table page, for the snippets. */
#ifndef STORE_SQLITE_SEARCH_PAGE_H
#define STORE_SQLITE_SEARCH_PAGE_H

#include "store/sqlite/search_index.h"

/* What is asked, and what is needed on the way. */
struct quest {
    struct search *search;
    struct db *db;
    const struct search_spec *spec;
    struct str words; /* as FTS5 takes them */
    bool starts;      /* one of them is the start of a word */
    struct arena *arena;
    struct buf text; /* of the entry that is looked at */
};

struct page {
    struct hit *hits;
    int64_t *rowids;
    size_t count, max;
};

/* An empty page with room for `max` hits. When that is done, page_end must come. */
FAULT_CHECK enum fault_code page_begin(struct quest *quest, size_t max, struct page *page,
                                       struct fault *fault);

void page_end(struct quest *quest);

/* `rowid` tells the text from others of the page. */
FAULT_CHECK enum fault_code page_add(struct quest *quest, struct page *page, int64_t rowid,
                                     const struct hit *hit, struct str text, struct fault *fault);

/* Makes the snippets and hands the hits out in their order. */
FAULT_CHECK enum fault_code page_show(struct quest *quest, struct page *page, hit_visit *visit,
                                      void *context, struct fault *fault);

/*
 * The messages on the path of spec->session. Event numbers grow along it and the index knows which
 * session wrote what, so that it is asked for one session of the chain at a time, from a message
 * on.
 */
FAULT_CHECK enum fault_code search_within(struct quest *quest, struct page *page,
                                          struct search_info *info, struct fault *fault);

#endif
