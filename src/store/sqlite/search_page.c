#include "store/sqlite/search_page.h"

enum fault_code page_begin(struct quest *quest, size_t max, struct page *page, struct fault *fault)
{
    bool row;

    *page = (struct page){.max = max};
    page->hits = arena_array(quest->arena, max, sizeof(*page->hits));
    page->rowids = arena_array(quest->arena, max, sizeof(*page->rowids));
    return index_step(quest->search, index_find(quest->search, F_PAGE_BEGIN), &row, fault);
}

void page_end(struct quest *quest)
{
    sqlite3_step(index_find(quest->search, F_ROLLBACK));
    sqlite3_reset(quest->search->queries[F_ROLLBACK]);
}

enum fault_code page_add(struct quest *quest, struct page *page, int64_t rowid,
                         const struct hit *hit, struct str text, struct fault *fault)
{
    if (index_text(quest->search, F_PAGE_INSERT, rowid, text, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    page->hits[page->count] = *hit;
    page->rowids[page->count++] = rowid;
    return FAULT_OK;
}

enum fault_code page_show(struct quest *quest, struct page *page, hit_visit *visit, void *context,
                          struct fault *fault)
{
    sqlite3_stmt *q = index_find(quest->search, F_PAGE_MATCH);
    bool row;

    sqlite3_bind_text64(q, 1, quest->words.p, quest->words.n, SQLITE_STATIC, SQLITE_UTF8);
    for (;;) {
        if (index_step(quest->search, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            break;
        for (size_t i = 0; i < page->count; i++)
            if (page->rowids[i] == sqlite3_column_int64(q, 0))
                page->hits[i].snippet = column_dup(q, 1, quest->arena);
    }
    for (size_t i = 0; i < page->count; i++) {
        if (visit(context, &page->hits[i], fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}
