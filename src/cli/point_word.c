#include "cli/point_word.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

/* Decimal digits and nothing else. */
static bool read_ordinal(const char *digits, int64_t *out)
{
    char *end;
    long long value;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    value = strtoll(digits, &end, 10);
    if (errno || *end)
        return false;
    *out = value;
    return true;
}

enum fault_code point_word(const char *word, struct point_spec *out, struct fault *fault)
{
    struct point_spec spec = {.side = SIDE_AFTER};

    if (!utf8_valid(str_of(word)))
        return fault_set(fault, FAULT_INVALID, "the name of the message is not valid UTF-8");
    if (*word == '#') {
        spec.by = POINT_INDEX;
        if (!read_ordinal(word + 1, &spec.ordinal))
            return fault_set(fault, FAULT_INVALID, "\"%s\" is no place: write '#4'", word);
    } else if (*word == '-') {
        spec.by = POINT_INDEX;
        if (!read_ordinal(word + 1, &spec.ordinal) || spec.ordinal == 0)
            return fault_set(fault, FAULT_INVALID,
                             "\"%s\" is no place from the end: write -1 for the last message",
                             word);
        spec.ordinal = -spec.ordinal;
    } else if (*word == '@') {
        spec.by = POINT_LABEL;
        spec.name = str_of(word + 1);
    } else {
        spec.by = POINT_MESSAGE;
        spec.name = str_of(word);
        spec.name_may_be_start = true;
    }
    if (spec.by != POINT_INDEX && spec.name.n == 0)
        return fault_set(fault, FAULT_INVALID, "the name of the message is empty");
    *out = spec;
    return FAULT_OK;
}

enum fault_code point_options(struct cli *cli, struct tine_point_name *out, struct fault *fault)
{
    const char *before = args_value(&cli->args, "before");
    const char *after = args_value(&cli->args, "after");
    const char *turn = args_value(&cli->args, "before-turn");
    struct point_spec spec;
    struct fault inner;

    if ((before != NULL) + (after != NULL) + (turn != NULL) > 1)
        return cli_usage(cli, fault, "give only one of --before, --after and --before-turn");
    if (turn && (!*turn || !utf8_valid(str_of(turn))))
        return cli_usage(cli, fault, "--before-turn does not name a turn");
    if ((before || after) && point_word(before ? before : after, &spec, &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    *out = (struct tine_point_name){
        .before = before,
        .after = after,
        .before_turn = turn,
        .part = true,
        .snap = args_has(&cli->args, "snap"),
    };
    return FAULT_OK;
}

bool point_is_named(const struct tine_point_name *point)
{
    return point->before || point->after || point->before_turn;
}
