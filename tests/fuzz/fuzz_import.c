/*
 * Exports, whole and damaged. What a store takes in must be sound: verify finds nothing, everything
 * can be read, gone on with and deleted, and it can be given out, taken in by another store and
 * given out again the same.
 *
 * Each input is tried as it is and with its hashes made to agree (mend.h); as it is, a damaged one
 * never gets far.
 */
#include "fuzz.h"
#include "mend.h"
#include "shelf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void import(const struct shelf *shelf, struct str export)
{
    struct log_in in;
    struct fault fault;

    log_in_init_memory(&in, export);
    if (store_import(shelf->store, shelf->owner, log_in_next, &in, &fault) != FAULT_OK) {
        fprintf(stderr, "what was exported is not taken: %s\n", fault.message);
        abort();
    }
    log_in_clear(&in);
}

static void check(const struct shelf *shelf)
{
    struct shelf other = shelf_open();
    struct buf first, second;

    shelf_verify(shelf);
    shelf_read(shelf);
    shelf_export(shelf, &first);
    import(&other, buf_str(&first));
    shelf_verify(&other);
    shelf_export(&other, &second);
    assert(str_eq(buf_str(&first), buf_str(&second)));
    buf_clear(&first);
    buf_clear(&second);
    shelf_use(&other);
    shelf_verify(&other);
    shelf_empty(&other);
    shelf_verify(&other);
    shelf_close(&other);
}

/* What was refused has left nothing, so the shelf is used again; else it is made anew. */
static void take(struct shelf *shelf, log_item_next *next, void *context)
{
    struct fault fault;

    if (store_import(shelf->store, shelf->owner, next, context, &fault) == FAULT_OK) {
        check(shelf);
        shelf_close(shelf);
        *shelf = shelf_open();
    } else if (fault_status(fault.code) >= 500) {
        fprintf(stderr, "%s: %s\n", fault_name(fault.code), fault.message);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct shelf shelf;
    struct str bytes = {(const char *)data, size};
    struct log_in in;
    struct mend mend;

    if (!shelf.store)
        shelf = shelf_open();
    log_in_init_memory(&in, bytes);
    take(&shelf, log_in_next, &in);
    log_in_clear(&in);
    mend_init(&mend, bytes);
    take(&shelf, mend_next, &mend);
    mend_clear(&mend);
    return 0;
}
