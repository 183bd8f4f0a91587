#include "agent/preset.h"

/* A provider, and the variables by which people usually name their key and their model. */
static const struct provider {
    const char *name, *key_env, *url_env, *model_env;
    const char *base_url, *model, *description;
    int64_t context_tokens;
} providers[] = {
    {"tine/openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL",
     "https://api.openai.com/v1", "gpt-4.1",
     "a model of OpenAI, or of whoever OPENAI_BASE_URL names", 128000},
    {"tine/anthropic", "ANTHROPIC_API_KEY", NULL, "ANTHROPIC_MODEL", "https://api.anthropic.com/v1",
     "claude-sonnet-4-5", "a model of Anthropic", 200000},
    {"tine/openrouter", "OPENROUTER_API_KEY", NULL, "OPENROUTER_MODEL",
     "https://openrouter.ai/api/v1", "openrouter/auto", "a model that OpenRouter chooses", 128000},
    {"tine/ollama", NULL, "OLLAMA_HOST", "OLLAMA_MODEL", "http://127.0.0.1:11434/v1", "llama3.2",
     "a model that runs in Ollama", 8192},
};

static const char *value_of(const char *(*environment)(const char *name), const char *name)
{
    const char *value = name ? environment(name) : NULL;

    return value && *value ? value : NULL;
}

static struct str without_slash(struct str url)
{
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    return url;
}

/* OLLAMA_HOST is "host", "host:port" or an address; 0.0.0.0 is what the server listens on. */
static struct str ollama_url(const char *host, struct arena *arena)
{
    struct str rest = str_of(host);
    const char *scheme = "http";

    if (str_starts(rest, STR("https://"))) {
        scheme = "https";
        rest = (struct str){rest.p + 8, rest.n - 8};
    } else if (str_starts(rest, STR("http://"))) {
        rest = (struct str){rest.p + 7, rest.n - 7};
    }
    rest = without_slash(rest);
    if (str_starts(rest, STR("0.0.0.0")))
        rest =
            arena_printf(arena, "127.0.0.1%.*s", STR_ARG(((struct str){rest.p + 7, rest.n - 7})));
    return arena_printf(arena, "%s://%.*s%s/v1", scheme, STR_ARG(rest),
                        memchr(rest.p, ':', rest.n) ? "" : ":11434");
}

static struct agent_def def_of(const struct provider *provider,
                               const char *(*environment)(const char *name), struct arena *arena)
{
    const char *url = value_of(environment, provider->url_env);
    const char *model = value_of(environment, provider->model_env);
    struct agent_def def = {
        .name = str_of(provider->name),
        .kind = STR("openai"),
        .description = str_of(provider->description),
        .model = str_of(model ? model : provider->model),
        .base_url = str_of(provider->base_url),
        .fixed = true,
        .context_tokens = provider->context_tokens,
    };

    if (url && provider->key_env)
        def.base_url = without_slash(str_of(url));
    else if (url)
        def.base_url = ollama_url(url, arena);
    if (value_of(environment, provider->key_env))
        def.key_env = str_of(provider->key_env);
    return agent_def_copy(&def, arena);
}

/* What makes a provider count: its key, or else its address. */
static const char *reason_of(const struct provider *provider,
                             const char *(*environment)(const char *name))
{
    if (value_of(environment, provider->key_env))
        return provider->key_env;
    return value_of(environment, provider->url_env) ? provider->url_env : NULL;
}

void presets_find(const char *(*environment)(const char *name), struct arena *arena,
                  struct presets *out)
{
    const struct agent_def shell = {
        .name = STR("tine/shell"),
        .kind = STR("shell"),
        .description = STR("runs what you send as a command in the session's own directory"),
        .fixed = true,
    };
    const char *why = NULL;

    *out = (struct presets){0};
    for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
        const char *reason = reason_of(&providers[i], environment);

        if (!reason)
            continue;
        why = why ? why : reason;
        out->defs[out->count++] = def_of(&providers[i], environment, arena);
    }
    out->defs[out->count++] = shell;
    out->defs[0].is_default = true;
    out->words =
        why ? arena_printf(arena, "%.*s answers at %.*s, because %s is set",
                           STR_ARG(out->defs[0].model), STR_ARG(out->defs[0].base_url), why)
            : STR("what you send is run as a command; for a model, set OPENAI_API_KEY, "
                  "ANTHROPIC_API_KEY, OPENROUTER_API_KEY or OLLAMA_HOST and start again");
}
