#include "cli/args.h"

#include <assert.h>
#include <string.h>

const struct option args_global[] = {
    {"home", "DIR", "where tine keeps its data (TINE_HOME; else $XDG_DATA_HOME/tine)", 0},
    {"db", "DB", "the database, as sqlite:PATH (TINE_DB; else tine.db in the home)", 0},
    {"server", "URL", "speak to this server (TINE_SERVER; else the one that has the home)", 0},
    {"token", "TOKEN", "the token to show it (better in TINE_TOKEN: others see command lines)", 0},
    {"json", NULL, "print JSON", 0},
    {"help", NULL, "show help and do nothing", 'h'},
    {"version", NULL, "show the version and do nothing", 0},
    {NULL, NULL, NULL, 0},
};

/* A word that begins with a dash and is neither "-" nor a number. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

/* The place in a table of an option written as --name, --name=value or -l; -1: not there. */
static int option_find(const struct option *table, const char *word)
{
    for (int i = 0; table && table[i].name; i++) {
        size_t n = strlen(table[i].name);

        if (word[1] == '-' && strncmp(word + 2, table[i].name, n) == 0 &&
            (word[2 + n] == '\0' || word[2 + n] == '='))
            return i;
        if (table[i].letter && word[1] == table[i].letter && word[2] == '\0')
            return i;
    }
    return -1;
}

const char *args_command(int argc, char **argv, int *at)
{
    for (int i = 1; i < argc; i++) {
        int found;

        if (!is_option(argv[i])) {
            *at = i;
            return argv[i];
        }
        if (strcmp(argv[i], "--") == 0)
            return NULL;
        found = option_find(args_global, argv[i]);
        if (found < 0)
            return NULL;
        if (args_global[found].value && !strchr(argv[i], '='))
            i++;
    }
    return NULL;
}

static bool may_repeat(const struct option *option)
{
    size_t n = option->value ? strlen(option->value) : 0;

    return n > 3 && strcmp(option->value + n - 3, "...") == 0;
}

/* Stores the option that stands at argv[*at], and moves *at onto its value. */
static enum fault_code option_take(struct args *args, const struct option *option,
                                   const char **value, int argc, char **argv, int *at,
                                   struct fault *fault)
{
    const char *equals = argv[*at][1] == '-' ? strchr(argv[*at], '=') : NULL;

    if (!option->value) {
        if (equals)
            return fault_set(fault, FAULT_INVALID, "--%s takes no value", option->name);
        *value = "";
        return FAULT_OK;
    }
    if (*value && !may_repeat(option))
        return fault_set(fault, FAULT_INVALID, "--%s is given twice", option->name);
    if (*value) {
        args->more[args->more_count] = (struct args_more){.option = option};
        value = &args->more[args->more_count++].value;
    }
    if (equals) {
        *value = equals + 1;
        return FAULT_OK;
    }
    if (*at + 1 >= argc)
        return fault_set(fault, FAULT_INVALID,
                         "--%s needs a value (a place is quoted for the shell: '#4')",
                         option->name);
    if (strncmp(argv[*at + 1], "--", 2) == 0)
        return fault_set(fault, FAULT_INVALID,
                         "--%s needs a value; when it is \"%s\", write --%s=%s", option->name,
                         argv[*at + 1], option->name, argv[*at + 1]);
    *value = argv[++*at];
    return FAULT_OK;
}

enum fault_code args_read(struct args *args, const struct option *own, int argc, char **argv,
                          int skip, struct arena *arena, struct fault *fault)
{
    bool words_only = false;

    *args = (struct args){.own = own, .global = args_global};
    args->words = arena_array(arena, (size_t)argc + 1, sizeof(args->words[0]));
    args->more = arena_array(arena, (size_t)argc + 1, sizeof(args->more[0]));
    for (int i = 1; i < argc; i++) {
        enum fault_code code;
        int found;

        if (i == skip)
            continue;
        if (words_only || !is_option(argv[i])) {
            args->words[args->word_count++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            words_only = true;
            continue;
        }
        if ((found = option_find(own, argv[i])) >= 0)
            code = option_take(args, &own[found], &args->own_values[found], argc, argv, &i, fault);
        else if ((found = option_find(args_global, argv[i])) >= 0)
            code = option_take(args, &args_global[found], &args->global_values[found], argc, argv,
                               &i, fault);
        else
            code = fault_set(fault, FAULT_INVALID, "unknown option \"%s\"", argv[i]);
        if (code)
            return code;
    }
    return FAULT_OK;
}

static const char *value_in(const struct option *table, const char *const *values, const char *name,
                            bool *known)
{
    for (int i = 0; table && table[i].name; i++) {
        assert(i < ARGS_OPTIONS_MAX);
        if (strcmp(table[i].name, name) == 0) {
            *known = true;
            return values[i];
        }
    }
    return NULL;
}

const char *args_value(const struct args *args, const char *name)
{
    bool known = false;
    const char *value = value_in(args->own, args->own_values, name, &known);

    if (!known)
        value = value_in(args->global, args->global_values, name, &known);
    assert(known); /* the command asks for an option that is not in its table */
    return value;
}

const char *args_value_at(const struct args *args, const char *name, size_t i)
{
    if (i == 0)
        return args_value(args, name);
    for (size_t j = 0; j < args->more_count; j++)
        if (strcmp(args->more[j].option->name, name) == 0 && --i == 0)
            return args->more[j].value;
    return NULL;
}

bool args_has(const struct args *args, const char *name)
{
    return args_value(args, name) != NULL;
}
