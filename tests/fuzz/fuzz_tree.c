/* Directories as they are stored: what is read is written again as the same bytes. */
#include "fuzz.h"

#include "store/tree.h"

#include <assert.h>

static void check_entry(const struct tree_entry *entry)
{
    assert(entry->name.n > 0 && entry->name.n <= TREE_NAME_BYTES);
    assert(!memchr(entry->name.p, '/', entry->name.n) &&
           !memchr(entry->name.p, '\0', entry->name.n));
    assert(entry->mode <= TREE_MODE && entry->size >= 0);
    assert(entry->target.n <= TREE_TARGET_BYTES);
    assert((entry->type == TREE_LINK) == (entry->target.n > 0));
    assert((entry->type == TREE_LEFT) == (entry->left != 0));
    assert(tree_entry_same(entry, entry));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size}, last = STR_NONE;
    struct tree_reader reader;
    struct fault fault;
    struct buf again;
    bool end = false;

    buf_init(&again, size + 1);
    tree_open(&reader, bytes);
    for (;;) {
        struct tree_entry entry;

        if (tree_next(&reader, &entry, &end, &fault) != FAULT_OK) {
            assert(fault.code == FAULT_CORRUPT);
            break;
        }
        if (end)
            break;
        check_entry(&entry);
        assert(!last.p || str_cmp(last, entry.name) < 0);
        last = entry.name;
        tree_add(&again, &entry);
        assert(!again.full && str_starts(bytes, buf_str(&again)));
    }
    if (end)
        assert(str_eq(buf_str(&again), bytes));
    buf_clear(&again);
    return 0;
}
