#include "base/hash.h"

#include "base/int_bytes.h"

#include <openssl/evp.h>
#include <stdlib.h>

struct hasher {
    EVP_MD *kind;
    EVP_MD_CTX *work;
};

struct hasher *hasher_new(void)
{
    struct hasher *hasher = calloc(1, sizeof(*hasher));

    if (!hasher)
        abort();
    hasher->kind = EVP_MD_fetch(NULL, "SHA256", NULL);
    hasher->work = EVP_MD_CTX_new();
    if (!hasher->kind || !hasher->work)
        abort();
    return hasher;
}

void hasher_free(struct hasher *hasher)
{
    if (!hasher)
        return;
    EVP_MD_CTX_free(hasher->work);
    EVP_MD_free(hasher->kind);
    free(hasher);
}

void hasher_begin(struct hasher *hasher)
{
    if (EVP_DigestInit_ex2(hasher->work, hasher->kind, NULL) != 1)
        abort();
}

void hasher_add(struct hasher *hasher, const void *p, size_t n)
{
    if (n && EVP_DigestUpdate(hasher->work, p, n) != 1)
        abort();
}

void hasher_add_int(struct hasher *hasher, int64_t value)
{
    unsigned char bytes[INT_BYTES];

    int_bytes_write(value, bytes);
    hasher_add(hasher, bytes, sizeof(bytes));
}

void hasher_add_str(struct hasher *hasher, struct str s)
{
    hasher_add_int(hasher, (int64_t)s.n);
    hasher_add(hasher, s.p, s.n);
}

void hasher_end(struct hasher *hasher, unsigned char out[HASH_BYTES])
{
    unsigned n = HASH_BYTES;

    if (EVP_DigestFinal_ex(hasher->work, out, &n) != 1 || n != HASH_BYTES)
        abort();
}

void hash_whole(struct str s, unsigned char out[HASH_BYTES])
{
    struct hasher *hasher = hasher_new();

    hasher_begin(hasher);
    hasher_add(hasher, s.p, s.n);
    hasher_end(hasher, out);
    hasher_free(hasher);
}
