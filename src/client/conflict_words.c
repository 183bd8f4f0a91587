#include "client/conflict_words.h"

#include <stddef.h>
#include <string.h>

const char *conflict_words(const char *reason)
{
    static const char *const words[][2] = {
        {"foreign", "somebody else changed it"},
        {"text", "both changed the same lines"},
        {"binary", "both changed it, and it is no text"},
        {"deleted", "one changed it, the other deleted it"},
        {"added", "both added it, and not the same"},
        {"kind", "both made something else of it"},
        {"mode", "both changed its mode"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(reason, words[i][0]) == 0)
            return words[i][1];
    return reason;
}
