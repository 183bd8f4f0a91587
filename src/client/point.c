#include "client/point.h"

#include <errno.h>
#include <stdlib.h>

/* "#4" is the number 4, "-1" the number -1; false for anything else. */
static bool is_place(const char *word, int64_t *out)
{
    const char *digits = *word == '#' || *word == '-' ? word + 1 : "";
    char *end;
    long long value;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    value = strtoll(digits, &end, 10);
    if (errno || *end)
        return false;
    *out = *word == '-' ? -value : value;
    return true;
}

static void message_write(struct errand *errand, const char *name, const char *word)
{
    int64_t place;

    if (!word)
        return;
    if (is_place(word, &place))
        json_out_int(&errand->body, name, place);
    else
        errand_text(errand, name, word);
}

void point_write(struct errand *errand, const struct tine_point_name *point)
{
    message_write(errand, "before", point->before);
    message_write(errand, "after", point->after);
    errand_text(errand, "before_turn", point->before_turn);
    errand_flag(errand, "part", point->part);
    errand_flag(errand, "snap", point->snap);
}
