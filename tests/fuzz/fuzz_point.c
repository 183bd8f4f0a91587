/* A word of the command line that names a message. */
#include "fuzz.h"

#include "cli/point_word.h"
#include "client/ordinal.h"

#include <assert.h>
#include <stdlib.h>

static void word_check(const char *word)
{
    int64_t ordinal = 0;

    if (word[0] == '#')
        assert(ordinal_read(word, &ordinal) && ordinal >= 0);
    else if (word[0] == '-')
        assert(ordinal_read(word, &ordinal) && ordinal < 0);
    else
        assert(!ordinal_read(word, &ordinal) && word[word[0] == '@'] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *word = malloc(size + 1);
    struct fault fault;

    if (!word)
        abort();
    if (size > 0)
        memcpy(word, data, size);
    word[size] = '\0';
    if (point_word_check(word, &fault) == FAULT_OK)
        word_check(word);
    else
        assert(fault.code == FAULT_INVALID && fault.message[0] != '\0');
    free(word);
    return 0;
}
