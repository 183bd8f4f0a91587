/* Names of objects, and packing that gives back the same bytes. */
#include "store/object.h"
#include "support/chance.h"
#include "support/check.h"

#include <stdlib.h>

static struct arena arena;
static struct packer *packer;
static struct fault fault;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    packer = packer_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    packer_free(packer);
    arena_clear(&arena);
    return 0;
}

static struct str noise(size_t n, uint64_t seed)
{
    struct chance chance = {seed};
    char *bytes = arena_alloc(&arena, n + 1);

    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)chance_next(&chance);
    return (struct str){bytes, n};
}

static struct str repeated(size_t n)
{
    char *bytes = arena_alloc(&arena, n + 1);

    memset(bytes, 'a', n);
    return (struct str){bytes, n};
}

static void a_name_covers_kind_and_content(void **state)
{
    /* SHA-256 of 00 00 00 00 00 00 00 03 'h' 'i' */
    static const unsigned char hi[HASH_BYTES] = {0xa4, 0x32, 0x45, 0xb5, 0x1e, 0x47, 0xbb, 0x26,
                                                 0x20, 0x34, 0xf1, 0x1b, 0x7f, 0x33, 0xf8, 0x40,
                                                 0x75, 0xc6, 0x89, 0x26, 0x7d, 0x70, 0x12, 0xb6,
                                                 0x1c, 0x20, 0xb0, 0xed, 0x4c, 0x4d, 0x0e, 0x6a};
    struct hasher *hasher = hasher_new();
    unsigned char file[HASH_BYTES], dir[HASH_BYTES];

    (void)state;
    object_name(hasher, OBJECT_FILE, STR("hi"), file);
    object_name(hasher, OBJECT_DIR, STR("hi"), dir);
    assert_memory_equal(file, hi, HASH_BYTES);
    assert_memory_not_equal(file, dir, HASH_BYTES);
    object_name(hasher, OBJECT_FILE, STR_NONE, file);
    object_name(hasher, OBJECT_FILE, STR(""), dir);
    assert_memory_equal(file, dir, HASH_BYTES);
    hasher_free(hasher);
}

static void check_round(struct str content)
{
    struct str packed = object_pack(packer, content, &arena), back;

    assert_true(packed.n <= content.n + 1);
    CHECK_OK(object_unpack(packed, (int64_t)content.n, &arena, &back, &fault), &fault);
    assert_true(str_eq(back, content));
    CHECK_FAULT(object_unpack(packed, (int64_t)content.n + 1, &arena, &back, &fault), FAULT_CORRUPT,
                &fault);
    CHECK_FAULT(object_unpack(packed, (int64_t)content.n - 1, &arena, &back, &fault), FAULT_CORRUPT,
                &fault);
}

static void what_is_packed_comes_back(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 100, 4096, 300 * 1000, OBJECT_PIECE_BYTES, 5000 * 1000};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        check_round(noise(sizes[i], i));
        check_round(repeated(sizes[i]));
    }
}

static void packing_is_worth_it_or_left_out(void **state)
{
    struct str text = repeated(10 * 1000), random = noise(10 * 1000, 1);

    (void)state;
    assert_true(object_pack(packer, text, &arena).n < 100);
    assert_int_equal(object_pack(packer, random, &arena).n, random.n + 1);
    assert_int_equal(object_pack(packer, STR(""), &arena).n, 1);
}

/* Cut off, longer, changed: never more than a fault, and what is read has the size that was said.
 */
static void what_was_damaged_is_refused(void **state)
{
    struct str content = repeated(1000), packed = object_pack(packer, content, &arena), back;
    char *bytes = arena_alloc(&arena, packed.n + 20);

    (void)state;
    memcpy(bytes, packed.p, packed.n);
    for (size_t n = 0; n < packed.n; n++)
        CHECK_FAULT(object_unpack((struct str){bytes, n}, 1000, &arena, &back, &fault),
                    FAULT_CORRUPT, &fault);
    CHECK_FAULT(object_unpack((struct str){bytes, packed.n + 1}, 1000, &arena, &back, &fault),
                FAULT_CORRUPT, &fault);
    for (size_t i = 0; i < packed.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(packed.p[i] ^ (1 << bit));
            if (object_unpack((struct str){bytes, packed.n}, 1000, &arena, &back, &fault) ==
                FAULT_OK)
                assert_int_equal(back.n, 1000);
            else
                assert_int_equal(fault.code, FAULT_CORRUPT);
            bytes[i] = packed.p[i];
        }
    CHECK_FAULT(object_unpack(STR("\2abc"), 3, &arena, &back, &fault), FAULT_CORRUPT, &fault);
    CHECK_FAULT(object_unpack(STR_NONE, 0, &arena, &back, &fault), FAULT_CORRUPT, &fault);
    CHECK_FAULT(object_unpack(packed, -1, &arena, &back, &fault), FAULT_CORRUPT, &fault);
}

/* Two frames one after another would unpack, too, but nobody packs so. */
static void two_frames_are_refused(void **state)
{
    struct str one = object_pack(packer, repeated(1000), &arena), back;
    char *two = arena_alloc(&arena, 2 * one.n);

    (void)state;
    memcpy(two, one.p, one.n);
    memcpy(two + one.n, one.p + 1, one.n - 1);
    CHECK_FAULT(object_unpack((struct str){two, 2 * one.n - 1}, 2000, &arena, &back, &fault),
                FAULT_CORRUPT, &fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_covers_kind_and_content, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_packed_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(packing_is_worth_it_or_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_damaged_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(two_frames_are_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
