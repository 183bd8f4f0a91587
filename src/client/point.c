#include "client/point.h"

#include "client/ordinal.h"

static void message_write(struct errand *errand, const char *name, const char *word)
{
    int64_t ordinal;

    if (!word)
        return;
    if (ordinal_read(word, &ordinal))
        json_out_int(&errand->body, name, ordinal);
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
