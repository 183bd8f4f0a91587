/* Agents: deployed as ash does it, kept as definitions of tine. */
#include "dialect/ash/agent.h"

#include "base/base64.h"
#include "dialect/ash/config.h"
#include "dialect/ash/ids.h"

#define PROMPT_FILE "CLAUDE.md"

enum { AGENT_FILES = 100 };

/* ---- what is kept with it ---- */

static int64_t number_at(const struct json_value *object, const char *name, int64_t missing)
{
    struct json_value value;
    int64_t number;

    if (member_at(object, name, &value) && value.type == JSON_NUMBER &&
        json_int(&value, 0, INT64_MAX, &number))
        return number;
    return missing;
}

static struct str raw_at(const struct json_value *object, const char *name)
{
    struct json_value value;

    return member_at(object, name, &value) ? value.raw : STR_NONE;
}

struct agent_extra ash_agent_extra(const struct agent_def *def, struct arena *arena)
{
    struct agent_extra extra = {.version = 1};
    struct json_value whole, own;

    if (!ash_object(arena_dup(arena, def->extra), &whole) || !member_at(&whole, "ash", &own))
        return extra;
    extra.version = number_at(&own, "version", 1);
    extra.created_us = number_at(&own, "created", 0);
    extra.updated_us = number_at(&own, "updated", 0);
    extra.env = raw_at(&own, "env");
    extra.files = raw_at(&own, "files");
    return extra;
}

static enum fault_code extra_write(const struct agent_extra *extra, struct arena *arena,
                                   struct str *out, struct fault *fault)
{
    struct json_out json;
    struct buf text;

    buf_init(&text, AGENT_EXTRA_BYTES);
    json_out_init(&json, &text);
    json_out_object(&json, NULL);
    json_out_object(&json, "ash");
    json_out_int(&json, "version", extra->version);
    json_out_int(&json, "created", extra->created_us);
    json_out_int(&json, "updated", extra->updated_us);
    if (extra->env.n)
        json_out_raw(&json, "env", extra->env);
    if (extra->files.n)
        json_out_raw(&json, "files", extra->files);
    json_out_object_end(&json);
    json_out_object_end(&json);
    if (text.full) {
        buf_clear(&text);
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the files and variables of an agent may have %d bytes together",
                         AGENT_EXTRA_BYTES);
    }
    *out = buf_take(&text, arena);
    return FAULT_OK;
}

static enum fault_code file_read(const struct json_value *object, size_t i, struct arena *arena,
                                 struct file_put *out, struct fault *fault)
{
    struct json_value path, content;

    if (!member_at(object, "path", &path) || path.type != JSON_STRING ||
        !member_at(object, "content", &content) || content.type != JSON_STRING)
        return fault_set(fault, FAULT_INVALID, "body/files/%zu must have \"path\" and \"content\"",
                         i);
    *out = (struct file_put){.path = json_text(&path, arena)};
    if (!ash_path_fits(out->path))
        return fault_set(fault, FAULT_PATH_INVALID, "body/files/%zu/path leads elsewhere", i);
    if (workspaces_check_path(out->path, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!base64_read(json_text(&content, arena), arena, &out->content))
        return fault_set(fault, FAULT_INVALID, "body/files/%zu/content must be base64", i);
    return FAULT_OK;
}

/* A file cannot be the directory of another. */
static enum fault_code files_check(const struct file_put *files, size_t count, struct fault *fault)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (files[j].path.n > files[i].path.n && str_starts(files[j].path, files[i].path) &&
                files[j].path.p[files[i].path.n] == '/')
                return fault_set(fault, FAULT_INVALID,
                                 "body/files/%zu/path is a directory of body/files/%zu/path", i, j);
    return FAULT_OK;
}

enum fault_code ash_agent_files(struct str files, struct arena *arena, struct file_put **out,
                                size_t *count, struct fault *fault)
{
    struct json_value array = {JSON_ARRAY, files};
    struct json_walk walk;
    size_t n = 0;

    *out = arena_array(arena, AGENT_FILES, sizeof(**out));
    for (json_walk_begin(&walk, &array); json_walk_next(&walk); n++) {
        if (n == AGENT_FILES)
            return fault_set(fault, FAULT_INVALID, "body/files must NOT have more than %d items",
                             AGENT_FILES);
        if (file_read(&walk.value, n, arena, &(*out)[n], fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *count = n;
    return files_check(*out, n, fault);
}

/* ---- out ---- */

static void write_agent(struct json_out *out, const char *key, const struct agent_def *def,
                        struct str tenant)
{
    struct agent_extra extra;
    struct json_value env;
    struct json_walk walk;
    struct arena arena;

    arena_init(&arena);
    extra = ash_agent_extra(def, &arena);
    json_out_object(out, key);
    json_out_plain(out, "id", ash_id_of("agent", def->name, 0, &arena));
    json_out_string(out, "name", ash_agent_name(def->name, &arena));
    json_out_string(out, "tenantId", tenant);
    json_out_int(out, "version", extra.version);
    json_out_string(out, "path", def->name);
    if (ash_object(extra.env, &env)) {
        json_out_object(out, "env");
        for (json_walk_begin(&walk, &env); json_walk_next(&walk);) {
            json_out_key(out, walk.key);
            json_out_plain(out, NULL, STR("***"));
        }
        json_out_object_end(out);
    }
    json_out_time(out, "createdAt", extra.created_us);
    json_out_time(out, "updatedAt", extra.updated_us);
    json_out_object_end(out);
    arena_clear(&arena);
}

struct listing {
    struct json_out out;
    struct str tenant;
};

static enum fault_code visit(void *context, const struct agent_def *def, struct fault *fault)
{
    struct listing *listing = context;

    (void)fault;
    write_agent(&listing->out, NULL, def, listing->tenant);
    return FAULT_OK;
}

enum fault_code ash_agents_list(struct exchange *x, struct fault *fault)
{
    struct listing listing = {.tenant = x->request.caller.name};

    reply_open(x, &listing.out);
    json_out_array(&listing.out, "agents");
    if (agents_list(app_of(x)->agents, visit, &listing, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&listing.out);
    return reply_close(x, &listing.out, fault);
}

static enum fault_code agent_reply(struct exchange *x, const struct agent_def *def,
                                   struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    write_agent(&out, "agent", def, x->request.caller.name);
    return reply_close(x, &out, fault);
}

enum fault_code ash_agent_show(struct exchange *x, struct fault *fault)
{
    struct agent_def def;

    if (ash_agent_get(x, x->request.params[0], &def, fault) != FAULT_OK)
        return fault_pass(fault);
    return agent_reply(x, &def, fault);
}

/* ---- in ---- */

enum { A_PROMPT, A_ENV, A_FILES, A_NAME, A_PATH, A_COUNT };

static const struct json_member agent_members[A_COUNT] = {
    [A_PROMPT] = JSON_MAY("systemPrompt", JSON_STRING), [A_ENV] = JSON_MAY("env", JSON_OBJECT),
    [A_FILES] = JSON_MAY("files", JSON_ARRAY),          [A_NAME] = JSON_MAY("name", JSON_STRING),
    [A_PATH] = JSON_MAY("path", JSON_STRING),
};

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-'))
            return false;
    }
    return name.n > 0;
}

/* What a session begins with; one of the files is the prompt when none was sent beside them. */
static enum fault_code apply_files(struct exchange *x, const struct json_member *files,
                                   bool is_prompt, struct agent_def *def, struct fault *fault)
{
    struct file_put *list;
    size_t count;

    if (ash_agent_files(files->value.raw, &x->arena, &list, &count, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!is_prompt)
        return FAULT_OK;
    for (size_t i = 0; i < count; i++)
        if (str_eq(list[i].path, STR(PROMPT_FILE))) {
            def->prompt = ash_clean(list[i].content, &x->arena);
            return FAULT_OK;
        }
    return fault_set(fault, FAULT_INVALID, "Agent directory must contain " PROMPT_FILE);
}

/* Puts what was sent into a definition; what was not sent stays. */
static enum fault_code apply(struct exchange *x, const struct json_member *m, bool is_new,
                             struct agent_def *def, struct fault *fault)
{
    struct agent_extra extra = ash_agent_extra(def, &x->arena);

    if (m[A_FILES].given) {
        extra.files = m[A_FILES].value.raw;
        if (apply_files(x, &m[A_FILES], !m[A_PROMPT].given, def, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    if (m[A_PROMPT].given)
        def->prompt = member_text(x, &m[A_PROMPT]);
    if (m[A_ENV].given && ash_env_merge(STR_NONE, m[A_ENV].value.raw, "body/env", &x->arena,
                                        &extra.env, fault) != FAULT_OK)
        return fault_pass(fault);
    extra.updated_us = engine_now_us(app_of(x)->engine);
    extra.version = is_new ? 1 : extra.version + 1;
    if (is_new)
        extra.created_us = extra.updated_us;
    return extra_write(&extra, &x->arena, &def->extra, fault);
}

static enum fault_code put(struct exchange *x, struct agent_def *def, struct fault *fault)
{
    struct app *app = app_of(x);
    struct agent_def again;

    /* As it will be read when the server starts again: with every limit on its members. */
    if (agent_def_read(agent_def_write(def, &x->arena), &x->arena, &again, fault) != FAULT_OK)
        return fault_pass(fault);
    if (agents_put(app->agents, def, false, engine_now_us(app->engine), fault) != FAULT_OK)
        return fault_pass(fault);
    return agent_reply(x, def, fault);
}

/*
 * ash knows one kind of agent, and tine several: a new one is of the kind, and has the model, of
 * the agent that is the default.
 */
enum fault_code ash_agents_post(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct json_member m[A_COUNT];
    struct agent_def def;
    struct str name, agent;
    bool is_new;

    memcpy(m, agent_members, sizeof(m));
    m[A_NAME].required = true;
    if (ash_members(x, m, A_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    name = member_text(x, &m[A_NAME]);
    if (!is_name(name))
        return fault_set(fault, FAULT_INVALID, "body/name must match pattern \"^[a-zA-Z0-9_-]+$\"");
    if (m[A_PATH].given && !m[A_PROMPT].given && !m[A_FILES].given)
        return fault_set(fault, FAULT_INVALID,
                         "\"path\" is a directory of the server, which is not read here: send "
                         "\"files\" or \"systemPrompt\"");
    if (!m[A_PROMPT].given && !m[A_FILES].given)
        return fault_set(fault, FAULT_INVALID, "Agent directory must contain " PROMPT_FILE);
    agent = ash_agent_of(name, &x->arena);
    is_new = agents_get(app->agents, agent, &x->arena, &def, fault) != FAULT_OK;
    if (is_new && agents_get(app->agents, STR_NONE, &x->arena, &def, fault) != FAULT_OK)
        return fault_pass(fault);
    if (is_new) {
        def.extra = def.description = STR("");
        def.is_default = false;
    }
    def.name = agent;
    if (apply(x, m, is_new, &def, fault) != FAULT_OK)
        return fault_pass(fault);
    return put(x, &def, fault);
}

enum fault_code ash_agent_patch(struct exchange *x, struct fault *fault)
{
    struct json_member m[A_NAME];
    struct agent_def def;

    memcpy(m, agent_members, sizeof(m));
    if (ash_members(x, m, A_NAME, fault) != FAULT_OK ||
        ash_agent_get(x, x->request.params[0], &def, fault) != FAULT_OK ||
        apply(x, m, false, &def, fault) != FAULT_OK)
        return fault_pass(fault);
    return put(x, &def, fault);
}

enum fault_code ash_agent_delete(struct exchange *x, struct fault *fault)
{
    struct agent_def def;

    if (ash_agent_get(x, x->request.params[0], &def, fault) != FAULT_OK ||
        agents_remove(app_of(x)->agents, def.name, fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("{\"ok\":true}");
    return FAULT_OK;
}
