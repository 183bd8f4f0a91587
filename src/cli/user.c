/* tine user: who may come in to a server that is not open. */
#include "base/hash.h"
#include "cli/commands.h"
#include "cli/in_force.h"
#include "store/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/random.h>

enum { TOKEN_BYTES = 32, TOKEN_TEXT = 64 };

static const struct option options[] = {
    {"label", "TEXT", "what the token is for", 0},
    OPTION_CONFIG,
    {NULL, NULL, NULL, 0},
};

/* ---- tokens ---- */

/* "tine_" and 256 bits of chance, in the letters of base64url. */
static enum fault_code token_draw(char out[TOKEN_TEXT], struct fault *fault)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[TOKEN_BYTES];
    unsigned bits = 0, held = 0;
    size_t n = 5;

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return fault_set(fault, FAULT_INTERNAL, "the system gives no chance: %s", strerror(errno));
    memcpy(out, "tine_", n);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        held = (held << 8 | bytes[i]) & 0xffff;
        for (bits += 8; bits >= 6; bits -= 6)
            out[n++] = letters[held >> (bits - 6) & 63];
    }
    out[n++] = letters[held << (6 - bits) & 63];
    out[n] = '\0';
    explicit_bzero(bytes, sizeof(bytes));
    return FAULT_OK;
}

/* ---- finding a user ---- */

struct search {
    struct str name;
    bool found;
    struct user user; /* its name is not kept */
};

static enum fault_code look(void *context, const struct user *user, struct fault *fault)
{
    struct search *search = context;

    (void)fault;
    if (str_eq(search->name, user->name)) {
        search->found = true;
        search->user = *user;
        search->user.name = search->name;
    }
    return FAULT_OK;
}

static enum fault_code name_check(struct cli *cli, const char *name, struct fault *fault)
{
    size_t n = strlen(name);

    if (n == 0 || n > LIMIT_OWNER_BYTES || *name == '-')
        return cli_usage(cli, fault, "the name of a user has 1 to %d bytes and begins with no dash",
                         LIMIT_OWNER_BYTES);
    for (size_t i = 0; i < n; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@+-", name[i]))
            return cli_usage(cli, fault,
                             "the name of a user may have only letters, digits and ._@+-");
    return FAULT_OK;
}

/* ---- the verbs ---- */

static enum fault_code give_token(struct cli *cli, struct str name, struct fault *fault)
{
    struct user_spec spec = {.name = name, .at_us = engine_now_us(cli->engine)};
    char token[TOKEN_TEXT];
    int64_t owner;
    enum fault_code code = cli_text_option(cli, "label", &spec.label, fault);

    if (!code && spec.label.n > LIMIT_LABEL_BYTES)
        code = cli_usage(cli, fault, "--label may have %d bytes", LIMIT_LABEL_BYTES);
    if (!code)
        code = token_draw(token, fault);
    if (code)
        return code;
    hash_whole(str_of(token), spec.token);
    code = store_user_add(cli->store, &spec, &owner, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "user", name);
        json_out_string(&cli->json, "token", str_of(token));
        json_out_name(&cli->json, "label", spec.label);
        json_out_object_end(&cli->json);
    } else {
        cli_print(cli, "%s\n", token);
    }
    cli_tell(cli, "this token is shown once and not kept; a server that ran openly asks for tokens "
                  "from its next start on");
    return FAULT_OK;
}

static enum fault_code add(struct cli *cli, const struct search *search, struct fault *fault)
{
    if (search->found && search->user.tokens > 0)
        return fault_set(fault, FAULT_EXISTS,
                         "the user \"%.*s\" is there already; tine user token %.*s gives a further "
                         "token",
                         STR_ARG(search->name), STR_ARG(search->name));
    return give_token(cli, search->name, fault);
}

static enum fault_code token(struct cli *cli, const struct search *search, struct fault *fault)
{
    if (!search->found)
        return fault_set(fault, FAULT_USER_NOT_FOUND,
                         "the user \"%.*s\" does not exist; tine user add makes one",
                         STR_ARG(search->name));
    return give_token(cli, search->name, fault);
}

static enum fault_code remove_user(struct cli *cli, const struct search *search,
                                   struct fault *fault)
{
    const struct user *user = &search->user;
    enum fault_code code;

    if (!search->found)
        return fault_set(fault, FAULT_USER_NOT_FOUND, "the user \"%.*s\" does not exist",
                         STR_ARG(search->name));
    code = store_user_remove(cli->store, search->name, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "user", search->name);
        json_out_int(&cli->json, "tokens", user->tokens);
        json_out_int(&cli->json, "sessions", user->sessions);
        json_out_object_end(&cli->json);
        return FAULT_OK;
    }
    cli_print(cli, "%.*s: ", STR_ARG(search->name));
    cli_print_count(cli, user->tokens, "token");
    cli_print(cli, " taken away");
    if (user->sessions) {
        cli_print(cli, "; ");
        cli_print_count(cli, user->sessions, "session");
        cli_print(cli, " stay%s, and belong%s to that name still", user->sessions == 1 ? "s" : "",
                  user->sessions == 1 ? "s" : "");
    }
    cli_print(cli, "\n");
    return FAULT_OK;
}

/* ---- list ---- */

static enum fault_code list_row(void *context, const struct user *user, struct fault *fault)
{
    struct cli *cli = context;

    if (user->tokens == 0 && user->sessions == 0)
        return FAULT_OK; /* a name alone */
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "name", user->name);
        json_out_int(&cli->json, "tokens", user->tokens);
        json_out_int(&cli->json, "sessions", user->sessions);
        if (user->tokens)
            json_out_time(&cli->json, "created_at", user->created_us);
        json_out_object_end(&cli->json);
        return cli_flush_some(cli, fault);
    }
    cli_print_line(cli, user->name, 0);
    cli_print(cli, "  ");
    cli_print_count(cli, user->tokens, "token");
    cli_print(cli, "  ");
    cli_print_count(cli, user->sessions, "session");
    cli_print(cli, "\n");
    return cli_flush_some(cli, fault);
}

static enum fault_code list(struct cli *cli, struct fault *fault)
{
    enum fault_code code;

    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "users");
    }
    code = store_user_list(cli->store, list_row, cli, fault);
    if (!code && cli->as_json) {
        json_out_array_end(&cli->json);
        json_out_object_end(&cli->json);
    }
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    static const struct {
        const char *name;
        enum fault_code (*run)(struct cli *, const struct search *, struct fault *);
    } verbs[] = {{"add", add}, {"token", token}, {"remove", remove_user}};
    const char *verb = cli->args.words[0];
    const char *name = cli->args.word_count > 1 ? cli->args.words[1] : NULL;
    struct search search = {.name = str_of(name)};
    enum fault_code code;
    size_t i = 0;

    if (strcmp(verb, "list") == 0) {
        if (name)
            return cli_usage(cli, fault, "unexpected argument \"%s\"", name);
        code = in_force_open(cli, fault);
        return code ? code : list(cli, fault);
    }
    while (i < sizeof(verbs) / sizeof(verbs[0]) && strcmp(verb, verbs[i].name) != 0)
        i++;
    if (i == sizeof(verbs) / sizeof(verbs[0]))
        return cli_usage(cli, fault, "\"%s\" is none of add, list, remove and token", verb);
    if (!name)
        return cli_usage(cli, fault, "the NAME of the user is missing");
    if (strcmp(verb, "remove") == 0 && args_has(&cli->args, "label"))
        return cli_usage(cli, fault, "--label belongs to add and token");
    code = name_check(cli, name, fault);
    if (!code)
        code = in_force_open(cli, fault);
    if (!code)
        code = store_user_list(cli->store, look, &search, fault);
    return code ? code : verbs[i].run(cli, &search, fault);
}

const struct command command_user = {
    .name = "user",
    .purpose = "give users tokens, take them away, list the users",
    .words = "add|list|remove|token [NAME]",
    .words_min = 1,
    .words_max = 2,
    .options = options,
    .notes =
        "add makes a user and prints a token; token prints a further one. A token is printed "
        "once:\n"
        "only its SHA-256 is kept. remove takes all tokens of a user away; sessions stay. These\n"
        "work on the database of this machine, also while a server runs.\n",
    .examples = "  tine user add ana\n"
                "  tine user token ana --label laptop\n"
                "  tine user list\n"
                "  tine user remove ana\n",
    .run = run,
};
