/*
 * Definitions are few and change seldom: one list under one lock, by name. An agent is made of its
 * definition when it is first needed, and again after that has changed; whoever has taken the old
 * one keeps it until it is given back.
 */
#include "agent/agents.h"

#include "agent/tool.h"
#include "store/limits.h"
#include "workspace/sandbox.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* A made agent, shared by the turns that run it. */
struct made {
    struct agent *agent;
    int users; /* turns, and one for the row that names it */
    struct made *next;
};

struct row {
    struct agent_def def;
    struct arena arena; /* of the definition */
    struct made *made;  /* NULL: not yet needed */
    bool seen;          /* in the load that is going on */
    struct row *next;
};

struct agents {
    struct store *store;
    const struct agent_kind *kinds;
    pthread_mutex_t lock;
    struct row *rows; /* by name */
    struct made *made;
};

struct agents *agents_new(struct store *store, const struct agent_kind *kinds)
{
    struct agents *agents = calloc(1, sizeof(*agents));

    if (!agents)
        abort();
    agents->store = store;
    agents->kinds = kinds;
    pthread_mutex_init(&agents->lock, NULL);
    return agents;
}

/* ---- made agents; with the lock held ---- */

static void made_drop(struct agents *agents, struct made *made)
{
    struct made **at = &agents->made;

    if (!made || --made->users > 0)
        return;
    while (*at != made)
        at = &(*at)->next;
    *at = made->next;
    made->agent->ops->free(made->agent);
    free(made);
}

/* ---- rows; with the lock held ---- */

static struct row *row_find(struct agents *agents, struct str name)
{
    struct row *row = agents->rows;

    while (row && !str_eq(row->def.name, name))
        row = row->next;
    return row;
}

/* The one that is so marked; of the configuration before any other. */
static struct row *row_default(struct agents *agents)
{
    struct row *found = NULL;

    for (struct row *row = agents->rows; row; row = row->next)
        if (row->def.is_default && (!found || (row->def.fixed && !found->def.fixed)))
            found = row;
    return found ? found : agents->rows;
}

static void row_free(struct agents *agents, struct row *row)
{
    made_drop(agents, row->made);
    arena_clear(&row->arena);
    free(row);
}

static void row_put(struct agents *agents, const struct agent_def *def)
{
    struct row *row = calloc(1, sizeof(*row)), **at = &agents->rows;

    if (!row)
        abort();
    arena_init(&row->arena);
    row->def = agent_def_copy(def, &row->arena);
    row->seen = true;
    while (*at && str_cmp((*at)->def.name, def->name) < 0)
        at = &(*at)->next;
    row->next = *at;
    if (*at && str_eq((*at)->def.name, def->name)) {
        row->next = (*at)->next;
        row_free(agents, *at);
    }
    *at = row;
}

static void row_remove(struct agents *agents, struct row *row)
{
    struct row **at = &agents->rows;

    while (*at != row)
        at = &(*at)->next;
    *at = row->next;
    row_free(agents, row);
}

void agents_free(struct agents *agents)
{
    if (!agents)
        return;
    while (agents->rows)
        row_remove(agents, agents->rows);
    assert(!agents->made);
    pthread_mutex_destroy(&agents->lock);
    free(agents);
}

/* ---- what a definition must be ---- */

static const struct agent_kind *kind_of(const struct agents *agents, struct str name)
{
    for (const struct agent_kind *kind = agents->kinds; kind->name; kind++)
        if (str_eq(name, str_of(kind->name)))
            return kind;
    return NULL;
}

static bool name_part(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '_' || c == '-'))
            return false;
    }
    return s.n > 0 && s.p[0] != '.';
}

static enum fault_code name_check(struct str name, struct fault *fault)
{
    const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;
    size_t first = slash ? (size_t)(slash - name.p) : 0;

    if (name.n > LIMIT_AGENT_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the name of the agent has more than %d bytes",
                         LIMIT_AGENT_BYTES);
    if (!slash || !name_part((struct str){name.p, first}) ||
        !name_part((struct str){slash + 1, name.n - first - 1}))
        return fault_set(fault, FAULT_INVALID,
                         "\"%.*s\" is not the name of an agent: it is namespace/name, of letters, "
                         "digits, dots, hyphens and underlines",
                         STR_ARG(name));
    if (str_eq((struct str){name.p, first}, STR(AGENT_NAMESPACE_TAKEN)))
        return fault_set(fault, FAULT_INVALID, "the agent \"%.*s\" cannot be: %s", STR_ARG(name),
                         AGENT_NAMESPACE_WHY);
    return FAULT_OK;
}

/* The name and the kind are right, and an agent can be made of it. */
static enum fault_code def_check(const struct agents *agents, const struct agent_def *def,
                                 struct fault *fault)
{
    const struct agent_kind *kind = kind_of(agents, def->kind);
    struct agent *agent = NULL;
    enum fault_code code = name_check(def->name, fault);

    if (code)
        return code;
    if (!kind)
        return fault_set(fault, FAULT_INVALID, "there is no kind of agent \"%.*s\"",
                         STR_ARG(def->kind));
    if (!kind->make)
        return FAULT_OK;
    code = kind->make(def, &agent, fault);
    if (!code)
        agent->ops->free(agent);
    return code;
}

/*
 * Whoever may define an agent may choose where it sends its key. So over the API only keys can be
 * named that the configuration uses, and only for the address it uses them with: no other variable
 * of the server, and nobody else's address.
 */
static enum fault_code key_check(struct agents *agents, const struct agent_def *def,
                                 struct fault *fault)
{
    if (def->key_env.n == 0)
        return FAULT_OK;
    for (const struct row *row = agents->rows; row; row = row->next)
        if (row->def.fixed && str_eq(row->def.key_env, def->key_env) &&
            str_eq(row->def.base_url, def->base_url))
            return FAULT_OK;
    return fault_set(fault, FAULT_INVALID,
                     "no agent of the configuration uses the key \"%.*s\" with this base_url, and "
                     "over the API only such keys can be named",
                     STR_ARG(def->key_env));
}

enum fault_code agents_fix(struct agents *agents, const struct agent_def *def, struct fault *fault)
{
    struct agent_def fixed = *def;
    enum fault_code code = def_check(agents, def, fault);

    if (code)
        return code;
    fixed.fixed = true;
    pthread_mutex_lock(&agents->lock);
    if (row_find(agents, def->name))
        code =
            fault_set(fault, FAULT_EXISTS, "agent \"%.*s\" is defined twice", STR_ARG(def->name));
    else
        row_put(agents, &fixed);
    pthread_mutex_unlock(&agents->lock);
    return code;
}

/* ---- what the store keeps ---- */

static bool def_same(const struct agent_def *a, const struct agent_def *b)
{
    struct arena arena;
    bool same;

    arena_init(&arena);
    same = str_eq(agent_def_write(a, &arena), agent_def_write(b, &arena));
    arena_clear(&arena);
    return same;
}

/* A definition that cannot be read, of a newer program perhaps, is as good as none. */
static enum fault_code load_one(void *context, const struct agent_row *stored, struct fault *fault)
{
    struct agents *agents = context;
    struct row *row = row_find(agents, stored->name);
    struct agent_def def;
    struct arena arena;

    if (row && row->def.fixed)
        return FAULT_OK;
    arena_init(&arena);
    if (!agent_def_read(stored->body, &arena, &def, fault)) {
        def.name = stored->name;
        if (row && def_same(&row->def, &def))
            row->seen = true;
        else
            row_put(agents, &def);
    }
    arena_clear(&arena);
    return FAULT_OK;
}

enum fault_code agents_load(struct agents *agents, struct fault *fault)
{
    enum fault_code code;

    pthread_mutex_lock(&agents->lock);
    for (struct row *row = agents->rows; row; row = row->next)
        row->seen = row->def.fixed;
    code = store_agent_list(agents->store, load_one, agents, fault);
    for (struct row *row = agents->rows, *next; row && !code; row = next) {
        next = row->next;
        if (!row->seen)
            row_remove(agents, row);
    }
    pthread_mutex_unlock(&agents->lock);
    return code;
}

/* May it be defined, and as what is it kept? With the lock held. */
static enum fault_code put_check(struct agents *agents, const struct agent_def *def,
                                 bool must_be_new, struct arena *arena, struct str *body,
                                 struct fault *fault)
{
    const struct row *row = row_find(agents, def->name);
    enum fault_code code;

    if (row && must_be_new)
        return fault_set(fault, FAULT_EXISTS, "agent \"%.*s\" is there already",
                         STR_ARG(def->name));
    if (row && row->def.fixed)
        return fault_set(fault, FAULT_AGENT_FIXED, "agent \"%.*s\" is defined by the configuration",
                         STR_ARG(def->name));
    code = key_check(agents, def, fault);
    if (code)
        return code;
    *body = agent_def_write(def, arena);
    if (body->n > LIMIT_AGENT_BODY_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the agent has more than %d bytes",
                         LIMIT_AGENT_BODY_BYTES);
    return FAULT_OK;
}

enum fault_code agents_put(struct agents *agents, const struct agent_def *def, bool must_be_new,
                           int64_t at_us, struct fault *fault)
{
    struct agent_def loose = *def;
    struct agent_row stored = {.name = def->name, .at_us = at_us};
    struct arena arena;
    enum fault_code code = def_check(agents, def, fault);

    if (code)
        return code;
    loose.fixed = false;
    arena_init(&arena);
    pthread_mutex_lock(&agents->lock);
    code = put_check(agents, &loose, must_be_new, &arena, &stored.body, fault);
    if (!code)
        code = store_agent_put(agents->store, &stored, must_be_new, NULL, &arena, fault);
    if (!code)
        row_put(agents, &loose);
    pthread_mutex_unlock(&agents->lock);
    arena_clear(&arena);
    return code;
}

/*
 * The row comes first, so that the answer, which is made in the transaction, says what is true
 * after it; without the transaction it goes again. With the lock held.
 */
static enum fault_code create(struct agents *agents, const struct agent_def *def, int64_t at_us,
                              struct once *once, struct arena *arena, struct agent_def *out,
                              struct fault *fault)
{
    struct agent_row stored = {.name = def->name, .at_us = at_us};
    struct row *row;
    enum fault_code code = put_check(agents, def, true, arena, &stored.body, fault);

    if (code)
        return code;
    row_put(agents, def);
    row = row_find(agents, def->name);
    *out = agent_def_copy(&row->def, arena);
    out->is_default = row == row_default(agents);
    code = store_agent_put(agents->store, &stored, true, once, arena, fault);
    if (code || (once && once->repeated))
        row_remove(agents, row);
    return code;
}

enum fault_code agents_create(struct agents *agents, const struct agent_def *def, int64_t at_us,
                              struct once *once, struct arena *arena, struct agent_def *out,
                              struct fault *fault)
{
    struct agent_def loose = *def;
    enum fault_code code = def_check(agents, def, fault);

    if (code)
        return code;
    loose.fixed = false;
    pthread_mutex_lock(&agents->lock);
    /* Looked up before it is said that the agent is there already. */
    if (once)
        code = store_answer_find(agents->store, once, at_us, arena, fault);
    if (!code && !(once && once->repeated))
        code = create(agents, &loose, at_us, once, arena, out, fault);
    pthread_mutex_unlock(&agents->lock);
    return code;
}

static enum fault_code not_found(struct str name, struct fault *fault)
{
    return fault_set(fault, FAULT_AGENT_NOT_FOUND, "there is no agent \"%.*s\"", STR_ARG(name));
}

enum fault_code agents_remove(struct agents *agents, struct str name, struct fault *fault)
{
    enum fault_code code;
    struct row *row;

    pthread_mutex_lock(&agents->lock);
    row = row_find(agents, name);
    if (!row)
        code = not_found(name, fault);
    else if (row->def.fixed)
        code = fault_set(fault, FAULT_AGENT_FIXED, "agent \"%.*s\" is defined by the configuration",
                         STR_ARG(name));
    else
        code = store_agent_remove(agents->store, name, fault);
    if (!code)
        row_remove(agents, row);
    pthread_mutex_unlock(&agents->lock);
    return code;
}

/* ---- reading and taking ---- */

/* With the lock held. */
static struct row *row_named(struct agents *agents, struct str name)
{
    return name.n ? row_find(agents, name) : row_default(agents);
}

enum fault_code agents_get(struct agents *agents, struct str name, struct arena *arena,
                           struct agent_def *out, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    const struct row *row;

    pthread_mutex_lock(&agents->lock);
    row = row_named(agents, name);
    if (row) {
        *out = agent_def_copy(&row->def, arena);
        out->is_default = row == row_default(agents);
    } else {
        code = not_found(name, fault);
    }
    pthread_mutex_unlock(&agents->lock);
    return code;
}

enum fault_code agents_list(struct agents *agents, agent_def_visit *visit, void *context,
                            struct fault *fault)
{
    struct agent_def *defs;
    struct arena arena;
    size_t count = 0;
    enum fault_code code = FAULT_OK;

    /* Copied, so that a visit may take its time. */
    arena_init(&arena);
    pthread_mutex_lock(&agents->lock);
    for (const struct row *row = agents->rows; row; row = row->next)
        count++;
    defs = arena_array(&arena, count + 1, sizeof(*defs));
    count = 0;
    for (const struct row *row = agents->rows; row; row = row->next) {
        defs[count] = agent_def_copy(&row->def, &arena);
        defs[count++].is_default = row == row_default(agents);
    }
    pthread_mutex_unlock(&agents->lock);
    for (size_t i = 0; i < count && !code; i++)
        code = visit(context, &defs[i], fault);
    arena_clear(&arena);
    return code;
}

/* Makes the agent of a row when that was not yet done. With the lock held. */
static enum fault_code row_make(struct agents *agents, struct row *row, struct fault *fault)
{
    const struct agent_kind *kind = kind_of(agents, row->def.kind);
    struct made *made;
    struct agent *agent;
    enum fault_code code;

    if (row->made)
        return FAULT_OK;
    if (!kind)
        return fault_set(fault, FAULT_INVALID, "there is no kind of agent \"%.*s\"",
                         STR_ARG(row->def.kind));
    if (!kind->make)
        return fault_set(fault, FAULT_AGENT_EXTERNAL,
                         "agent \"%.*s\" is run by somebody else, who posts what it says",
                         STR_ARG(row->def.name));
    code = kind->make(&row->def, &agent, fault);
    if (code)
        return code;
    made = calloc(1, sizeof(*made));
    if (!made)
        abort();
    *made = (struct made){.agent = agent, .users = 1, .next = agents->made};
    agents->made = made;
    row->made = made;
    return FAULT_OK;
}

/* Does it run commands? With the lock held. */
static bool row_commands(const struct agents *agents, const struct row *row)
{
    const struct agent_kind *kind = kind_of(agents, row->def.kind);

    return kind && kind->commands &&
           (row->def.tools.n == 0 || tool_allowed("bash", row->def.tools));
}

enum fault_code agents_take(struct agents *agents, struct str name, struct agent **out,
                            struct fault *fault)
{
    bool commands;
    enum fault_code code;
    struct row *row;

    pthread_mutex_lock(&agents->lock);
    row = row_named(agents, name);
    code = row ? row_make(agents, row, fault) : not_found(name, fault);
    commands = row && row_commands(agents, row);
    if (!code) {
        row->made->users++;
        *out = row->made->agent;
    }
    pthread_mutex_unlock(&agents->lock);
    /* Without the lock: the first look at the sandbox takes a while. */
    if (code || !commands)
        return code;
    code = sandbox_ready(fault);
    if (code)
        agents_give(agents, *out);
    return code;
}

void agents_give(struct agents *agents, struct agent *agent)
{
    struct made *made;

    if (!agent)
        return;
    pthread_mutex_lock(&agents->lock);
    for (made = agents->made; made && made->agent != agent;)
        made = made->next;
    assert(made);
    made_drop(agents, made);
    pthread_mutex_unlock(&agents->lock);
}
