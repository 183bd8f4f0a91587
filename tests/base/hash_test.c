/* SHA-256 by the vectors of FIPS 180-4, in pieces, and the two framings on top of it. */
#include "support/check.h"

#include "base/hash.h"

static struct hasher *hasher;

static int setup(void **state)
{
    (void)state;
    hasher = hasher_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hasher_free(hasher);
    hasher_free(NULL);
    return 0;
}

static void check_hex(const unsigned char hash[HASH_BYTES], const char *want)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * HASH_BYTES + 1] = "";

    for (size_t i = 0; i < HASH_BYTES; i++) {
        hex[2 * i] = digits[hash[i] >> 4];
        hex[2 * i + 1] = digits[hash[i] & 15];
    }
    assert_string_equal(hex, want);
}

static void known_texts_have_known_hashes(void **state)
{
    static const struct {
        const char *text, *hex;
    } known[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    unsigned char hash[HASH_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        hasher_begin(hasher);
        hasher_add(hasher, known[i].text, strlen(known[i].text));
        hasher_end(hasher, hash);
        check_hex(hash, known[i].hex);
    }
}

static void a_million_letters_in_uneven_pieces(void **state)
{
    unsigned char hash[HASH_BYTES];
    char letters[997];
    size_t left = 1000000;

    (void)state;
    memset(letters, 'a', sizeof(letters));
    hasher_begin(hasher);
    for (size_t n = 0; left > 0; n = (n + 13) % sizeof(letters)) {
        size_t piece = n < left ? n : left;

        hasher_add(hasher, letters, piece);
        left -= piece;
    }
    hasher_end(hasher, hash);
    check_hex(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void a_begin_forgets_what_was_not_ended(void **state)
{
    unsigned char hash[HASH_BYTES];

    (void)state;
    hasher_begin(hasher);
    hasher_add(hasher, "left over", 9);
    hasher_begin(hasher);
    hasher_end(hasher, hash);
    check_hex(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void numbers_and_texts_are_framed(void **state)
{
    static const unsigned char bytes[] = {
        0,    0,    0,    0,    0,    0,    1,    2,                   /* 258 */
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,                /* -2 */
        0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,                /* the largest */
        0,    0,    0,    0,    0,    0,    0,    3,    'a', 'b', 'c', /* a text of 3 */
        0,    0,    0,    0,    0,    0,    0,    0,                   /* an empty one */
    };
    unsigned char framed[HASH_BYTES], plain[HASH_BYTES];

    (void)state;
    hasher_begin(hasher);
    hasher_add_int(hasher, 258);
    hasher_add_int(hasher, -2);
    hasher_add_int(hasher, INT64_MAX);
    hasher_add_str(hasher, STR("abc"));
    hasher_add_str(hasher, STR_NONE);
    hasher_end(hasher, framed);
    hasher_begin(hasher);
    hasher_add(hasher, bytes, sizeof(bytes));
    hasher_end(hasher, plain);
    assert_memory_equal(framed, plain, HASH_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_have_known_hashes),
        cmocka_unit_test(a_million_letters_in_uneven_pieces),
        cmocka_unit_test(a_begin_forgets_what_was_not_ended),
        cmocka_unit_test(numbers_and_texts_are_framed),
    };

    return cmocka_run_group_tests_name("hash", tests, setup, teardown);
}
