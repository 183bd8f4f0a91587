#include "cli/point_word.h"

#include "base/utf8.h"
#include "client/ordinal.h"

enum fault_code point_word_check(const char *word, struct fault *fault)
{
    int64_t ordinal;

    if (!utf8_valid(str_of(word)))
        return fault_set(fault, FAULT_INVALID, "the name of the message is not valid UTF-8");
    if (*word == '#' && !ordinal_read(word, &ordinal))
        return fault_set(fault, FAULT_INVALID, "\"%s\" is no place: write '#4'", word);
    if (*word == '-' && (!ordinal_read(word, &ordinal) || ordinal == 0))
        return fault_set(fault, FAULT_INVALID,
                         "\"%s\" is no place from the end: write -1 for the last message", word);
    if (!*word || (*word == '@' && !word[1]))
        return fault_set(fault, FAULT_INVALID, "the name of the message is empty");
    return FAULT_OK;
}

enum fault_code point_options(struct cli *cli, struct tine_point_name *out, struct fault *fault)
{
    const char *before = args_value(&cli->args, "before");
    const char *after = args_value(&cli->args, "after");
    const char *turn = args_value(&cli->args, "before-turn");
    struct fault inner;

    if ((before != NULL) + (after != NULL) + (turn != NULL) > 1)
        return cli_usage(cli, fault, "give only one of --before, --after and --before-turn");
    if (turn && (!*turn || !utf8_valid(str_of(turn))))
        return cli_usage(cli, fault, "--before-turn does not name a turn");
    if ((before || after) && point_word_check(before ? before : after, &inner))
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
