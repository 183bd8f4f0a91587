/* A word of the command line that names a message. */
#include "fuzz.h"

#include "cli/point_word.h"

#include <assert.h>
#include <stdlib.h>

static void spec_check(const char *word, const struct point_spec *spec)
{
    assert(spec->side == SIDE_AFTER);
    switch (spec->by) {
    case POINT_INDEX:
        assert(word[0] == '#' ? spec->ordinal >= 0 : word[0] == '-' && spec->ordinal < 0);
        break;
    case POINT_LABEL:
        assert(word[0] == '@' && spec->name.n > 0 && spec->name.p == word + 1);
        break;
    case POINT_MESSAGE:
        assert(spec->name.n == strlen(word) && spec->name.p == word);
        break;
    default:
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *word = malloc(size + 1);
    struct point_spec spec;
    struct fault fault;

    if (!word)
        abort();
    if (size > 0)
        memcpy(word, data, size);
    word[size] = '\0';
    if (point_word(word, &spec, &fault) == FAULT_OK)
        spec_check(word, &spec);
    else
        assert(fault.code == FAULT_INVALID && fault.message[0] != '\0');
    free(word);
    return 0;
}
