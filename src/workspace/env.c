#include "workspace/env.h"

#include "base/buf.h"

static bool letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool name_good(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!letter(name.p[i]) && (i == 0 || name.p[i] < '0' || name.p[i] > '9'))
            return false;
    return name.n > 0;
}

enum fault_code env_check(const struct sandbox_env *env, struct fault *fault)
{
    size_t bytes = 0;

    if (env->count > SANDBOX_ENV_COUNT)
        return fault_set(fault, FAULT_LIMIT,
                         "the environment of a command has %zu variables; the limit is %d",
                         env->count, SANDBOX_ENV_COUNT);
    for (size_t i = 0; i < env->count; i++) {
        struct str name = env->list[i].name, value = env->list[i].value;

        if (!name_good(name))
            return fault_set(fault, FAULT_INVALID,
                             "\"%.*s\" cannot be the name of a variable: letters, digits and _",
                             name.n > 100 ? 100 : (int)name.n, name.p ? name.p : "");
        if (value.n && memchr(value.p, '\0', value.n))
            return fault_set(fault, FAULT_INVALID, "the variable \"%.*s\" has a NUL in it",
                             name.n > 100 ? 100 : (int)name.n, name.p);
        bytes += name.n + value.n + 2;
        if (bytes > SANDBOX_ENV_BYTES)
            return fault_set(fault, FAULT_LIMIT,
                             "the environment of a command has more than %d bytes",
                             SANDBOX_ENV_BYTES);
    }
    return FAULT_OK;
}

static void add(struct buf *text, struct str arg)
{
    buf_add_str(text, arg);
    buf_add_char(text, '\0');
}

struct str env_args(const struct sandbox_env *env, struct arena *arena)
{
    struct buf text;

    buf_init(&text, SANDBOX_ENV_BYTES + SANDBOX_ENV_COUNT * sizeof("--setenv"));
    for (size_t i = 0; i < env->count; i++) {
        add(&text, STR("--setenv"));
        add(&text, env->list[i].name);
        add(&text, env->list[i].value);
    }
    return buf_take(&text, arena);
}

/* Is there a variable of this name from number `from` on? */
static bool names(const struct sandbox_env *env, size_t from, struct str name)
{
    for (size_t i = from; i < env->count; i++)
        if (str_eq(env->list[i].name, name))
            return true;
    return false;
}

const char *const *env_merge(const char *const *fixed, const struct sandbox_env *env,
                             struct arena *arena)
{
    const char **all;
    size_t count = 0;

    while (fixed[count])
        count++;
    all = arena_array(arena, count + env->count + 1, sizeof(*all));
    count = 0;
    for (; *fixed; fixed++) {
        const char *end = strchr(*fixed, '=');

        if (!names(env, 0, (struct str){*fixed, (size_t)(end - *fixed)}))
            all[count++] = *fixed;
    }
    for (size_t i = 0; i < env->count; i++)
        if (!names(env, i + 1, env->list[i].name))
            all[count++] = arena_printf(arena, "%.*s=%.*s", STR_ARG(env->list[i].name),
                                        STR_ARG(env->list[i].value))
                               .p;
    return all;
}
