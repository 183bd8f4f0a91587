#include "cli/file_word.h"

#include "cli/connect.h"
#include "cli/point_word.h"

static enum fault_code message_check(struct cli *cli, const char *word, struct fault *fault)
{
    struct fault inner;

    if (word && point_word_check(word, &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    return FAULT_OK;
}

enum fault_code file_word_at(struct cli *cli, const char *option, const char **out,
                             struct fault *fault)
{
    *out = args_value(&cli->args, option);
    return message_check(cli, *out, fault);
}

enum fault_code file_word_cut(struct cli *cli, const char *word, const char **start,
                              const char **at, struct fault *fault)
{
    const char *sign = strrchr(word, '@');
    bool is_label = sign && sign > word && sign[-1] == '@' && sign[1];

    *start = word;
    *at = NULL;
    if (!sign || (!is_label && strchr(sign, '/')))
        return FAULT_OK;
    *start = arena_dup(&cli->arena, (struct str){word, (size_t)(sign - word) - is_label}).p;
    if (sign[1])
        *at = is_label ? sign : sign + 1;
    return message_check(cli, *at, fault);
}

enum fault_code file_word_path(struct cli *cli, const char *word, const char **out,
                               struct fault *fault)
{
    struct str path = str_of(word);

    if (*word == '/')
        return cli_usage(cli, fault, "\"%s\" is absolute: paths begin in the session's directory",
                         word);
    while (str_starts(path, STR("./")))
        path = (struct str){path.p + 2, path.n - 2};
    while (path.n && path.p[path.n - 1] == '/')
        path.n--;
    *out = str_eq(path, STR(".")) ? "" : arena_dup(&cli->arena, path).p;
    for (const char *step = *out; *step;) {
        struct str one = {step, strcspn(step, "/")};

        if (one.n == 0 || str_eq(one, STR(".")) || str_eq(one, STR("..")))
            return cli_usage(
                cli, fault,
                "\"%s\" is no path of a file: \".\", \"..\" and empty steps lead nowhere", word);
        step += one.n + (step[one.n] == '/');
    }
    return FAULT_OK;
}

enum fault_code file_word_place(struct cli *cli, const char *word, const char **path,
                                const char **at, struct fault *fault)
{
    const char *start = word;
    enum fault_code code = file_word_at(cli, "at", at, fault);

    if (!code && !*at)
        code = file_word_cut(cli, word, &start, at, fault);
    if (!code)
        code = file_word_path(cli, start, path, fault);
    if (!code && !**path)
        code = cli_usage(cli, fault, "the path is missing in \"%s\"", word);
    return code;
}

/* Ids and titles may have colons, so the first that leaves the name of a session before it counts.
 */
enum fault_code file_word_session(struct cli *cli, const char *word,
                                  const struct tine_session **session, const char **rest,
                                  struct fault *fault)
{
    const char *colon = strchr(word, ':');
    struct fault first = {0};
    enum fault_code code;

    if (!colon || colon == word)
        return cli_usage(cli, fault, "\"%s\" is not of the form SESSION:PATH", word);
    for (; colon; colon = strchr(colon + 1, ':')) {
        struct str name = arena_dup(&cli->arena, (struct str){word, (size_t)(colon - word)});

        code = cli_session(cli, name.p, session, fault);
        *rest = colon + 1;
        if (code != FAULT_SESSION_NOT_FOUND)
            return code;
        if (!first.code)
            first = *fault;
    }
    *fault = first;
    return first.code;
}
