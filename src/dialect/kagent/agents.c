/* Agents: their names on this wire, and what a page needs to know of them. */
#include "dialect/kagent/handler.h"

enum { ACCEPTED_MAX = 1000 }; /* agents that somebody else runs, and that were only named */

#define NS "__NS__"

/* ---- names ---- */

struct str kagent_agent_encode(struct str name, struct arena *arena)
{
    char *text = arena_alloc(arena, name.n * (sizeof(NS) - 1) + 1);
    size_t n = 0;

    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '/') {
            memcpy(text + n, NS, sizeof(NS) - 1);
            n += sizeof(NS) - 1;
        } else {
            text[n++] = name.p[i] == '-' ? '_' : name.p[i];
        }
    }
    return (struct str){text, n};
}

/* The name that the encoded form most likely had: names in kagent have no underlines. */
static bool agent_decode(struct str ref, struct arena *arena, struct str *out)
{
    char *text = arena_alloc(arena, ref.n + 1);
    const char *ns = NULL;
    size_t n = 0;

    for (size_t i = 0; i + sizeof(NS) - 1 <= ref.n && !ns; i++)
        if (memcmp(ref.p + i, NS, sizeof(NS) - 1) == 0)
            ns = ref.p + i;
    if (!ns)
        return false;
    for (size_t i = 0; i < ref.n; i++) {
        if (ref.p + i == ns) {
            text[n++] = '/';
            i += sizeof(NS) - 2;
        } else {
            text[n++] = ref.p[i] == '_' ? '-' : ref.p[i];
        }
    }
    *out = (struct str){text, n};
    return true;
}

struct search {
    struct str ref, encoded;
    struct arena *arena;
    struct agent_def found;
    bool exact, any;
    int64_t external;
};

static enum fault_code look(void *context, const struct agent_def *def, struct fault *fault)
{
    struct search *search = context;

    (void)fault;
    search->external += !def->fixed && str_eq(def->kind, STR("external"));
    if (search->exact)
        return FAULT_OK;
    search->exact = str_eq(def->name, search->ref);
    if (!search->exact &&
        (search->any || !str_eq(kagent_agent_encode(def->name, search->arena), search->encoded)))
        return FAULT_OK;
    search->any = true;
    search->found = agent_def_copy(def, search->arena);
    return FAULT_OK;
}

static enum fault_code search_run(struct app *app, struct str ref, struct arena *arena,
                                  struct search *out, struct fault *fault)
{
    *out = (struct search){.ref = ref, .encoded = kagent_agent_encode(ref, arena), .arena = arena};
    return agents_list(app->agents, look, out, fault);
}

enum fault_code kagent_agent_find(struct app *app, struct str ref, struct arena *arena,
                                  struct agent_def *out, struct fault *fault)
{
    struct search search;

    if (search_run(app, ref, arena, &search, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!search.any)
        return fault_set(fault, FAULT_AGENT_NOT_FOUND, "there is no agent \"%.*s\"", STR_ARG(ref));
    *out = search.found;
    return FAULT_OK;
}

static enum fault_code agent_define(struct exchange *x, struct str name, struct fault *fault)
{
    struct app *app = app_of(x);
    struct agent_def made, def = {
                               .name = name,
                               .kind = STR("external"),
                               .description = STR("named by a client of kagent; run elsewhere"),
                           };
    enum fault_code code =
        agents_create(app->agents, &def, engine_now_us(app->engine), NULL, &x->arena, &made, fault);

    return code == FAULT_EXISTS ? FAULT_OK : code; /* somebody was first */
}

enum fault_code kagent_agent_accept(struct exchange *x, struct str ref, struct str *name,
                                    struct fault *fault)
{
    struct search search;
    struct str made = ref;

    if (search_run(app_of(x), ref, &x->arena, &search, fault) != FAULT_OK)
        return fault_pass(fault);
    if (search.any) {
        *name = search.found.name;
        return FAULT_OK;
    }
    if (!memchr(ref.p, '/', ref.n) && !agent_decode(ref, &x->arena, &made))
        return fault_set(fault, FAULT_INVALID, "it is not of the form namespace/name");
    if (search.external >= ACCEPTED_MAX)
        return fault_set(fault, FAULT_LIMIT, "%d agents that are run elsewhere are known already",
                         ACCEPTED_MAX);
    if (agent_define(x, made, fault) != FAULT_OK)
        return fault_pass(fault);
    *name = made;
    return FAULT_OK;
}

/* ---- as objects ---- */

static void split(struct str name, struct str *namespace, struct str *rest)
{
    const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;
    size_t n = slash ? (size_t)(slash - name.p) : 0;

    *namespace = (struct str){name.p, n};
    *rest = slash ? (struct str){slash + 1, name.n - n - 1} : name;
}

static void write_spec(struct json_out *out, const struct agent_def *def)
{
    bool elsewhere = str_eq(def->kind, STR("external"));

    json_out_object(out, "spec");
    json_out_string(out, "type", elsewhere ? STR("BYO") : STR("Declarative"));
    json_out_string(out, "description", def->description);
    if (!elsewhere) {
        json_out_object(out, "declarative");
        json_out_bool(out, "stream", true);
        json_out_string(out, "modelConfig", def->model);
        json_out_string(out, "systemMessage", STR(""));
        json_out_array(out, "tools");
        json_out_array_end(out);
        json_out_object_end(out);
    }
    json_out_object_end(out);
}

static void write_condition(struct json_out *out, const char *type)
{
    json_out_object(out, NULL);
    json_out_string(out, "type", str_of(type));
    json_out_string(out, "status", STR("True"));
    json_out_string(out, "reason", str_of(type));
    json_out_object_end(out);
}

static void write_agent(struct json_out *out, const char *key, const struct agent_def *def,
                        struct arena *arena)
{
    struct str namespace, name;

    split(def->name, &namespace, &name);
    json_out_object(out, key);
    json_out_string(out, "id", kagent_agent_encode(def->name, arena));
    json_out_object(out, "agent");
    json_out_string(out, "apiVersion", STR("kagent.dev/v1alpha2"));
    json_out_string(out, "kind", STR("Agent"));
    json_out_object(out, "metadata");
    json_out_string(out, "name", name);
    json_out_string(out, "namespace", namespace);
    json_out_object_end(out);
    write_spec(out, def);
    json_out_object(out, "status");
    json_out_array(out, "conditions");
    write_condition(out, "Accepted");
    write_condition(out, "Ready");
    json_out_array_end(out);
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_string(out, "modelProvider", def->kind);
    json_out_string(out, "model", def->model);
    json_out_string(out, "modelConfigRef", STR(""));
    json_out_array(out, "memoryRefs");
    json_out_array_end(out);
    json_out_array(out, "tools");
    json_out_array_end(out);
    json_out_bool(out, "deploymentReady", true);
    json_out_bool(out, "accepted", true);
    json_out_object_end(out);
}

/* ---- handlers ---- */

struct listing {
    struct exchange *x;
    struct json_out out;
    struct str namespace; /* empty: of all */
};

static enum fault_code add_agent(void *context, const struct agent_def *def, struct fault *fault)
{
    struct listing *listing = context;
    struct str namespace, name;

    (void)fault;
    split(def->name, &namespace, &name);
    if (listing->namespace.n == 0 || str_eq(listing->namespace, namespace))
        write_agent(&listing->out, NULL, def, &listing->x->arena);
    return FAULT_OK;
}

enum fault_code kagent_agents(struct exchange *x, struct fault *fault)
{
    struct listing listing = {.x = x, .namespace = query_text(x, Q_USER + 1)};

    kagent_envelope_open(x, &listing.out);
    json_out_array(&listing.out, "data");
    if (agents_list(app_of(x)->agents, add_agent, &listing, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to list agents");
    json_out_array_end(&listing.out);
    return kagent_envelope_close(x, &listing.out, "Successfully listed agents", fault);
}

static struct str ref_of(struct exchange *x)
{
    return arena_printf(&x->arena, "%.*s/%.*s", STR_ARG(x->request.params[0]),
                        STR_ARG(x->request.params[1]));
}

enum fault_code kagent_agent(struct exchange *x, struct fault *fault)
{
    struct agent_def def;
    struct json_out out;

    if (kagent_agent_find(app_of(x), ref_of(x), &x->arena, &def, fault) != FAULT_OK)
        return kagent_say(fault, "Agent not found");
    kagent_envelope_open(x, &out);
    write_agent(&out, "data", &def, &x->arena);
    return kagent_envelope_close(x, &out, "Successfully retrieved agent", fault);
}

enum fault_code kagent_agents_fixed(struct exchange *x, struct fault *fault)
{
    (void)x;
    return fault_set(fault, FAULT_METHOD,
                     "agents are defined in tine.yaml or at /api/v1/agents, not here");
}

static enum fault_code add_namespace(void *context, const struct agent_def *def,
                                     struct fault *fault)
{
    struct listing *listing = context;
    struct str namespace, name;

    (void)fault;
    split(def->name, &namespace, &name);
    if (str_eq(listing->namespace, namespace)) /* by name: those of one stand together */
        return FAULT_OK;
    listing->namespace = arena_dup(&listing->x->arena, namespace);
    json_out_object(&listing->out, NULL);
    json_out_string(&listing->out, "name", namespace);
    json_out_string(&listing->out, "status", STR("Active"));
    json_out_object_end(&listing->out);
    return FAULT_OK;
}

enum fault_code kagent_namespaces(struct exchange *x, struct fault *fault)
{
    struct listing listing = {.x = x};

    kagent_envelope_open(x, &listing.out);
    json_out_array(&listing.out, "data");
    if (agents_list(app_of(x)->agents, add_namespace, &listing, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to list namespaces");
    json_out_array_end(&listing.out);
    return kagent_envelope_close(x, &listing.out, "Successfully listed namespaces", fault);
}

enum fault_code kagent_agent_matches(struct exchange *x, const struct session *session,
                                     struct fault *fault)
{
    struct str agent = request_header(&x->request, "X-Agent-Name");

    if (agent.n == 0 || str_eq(kagent_agent_encode(agent, &x->arena),
                               kagent_agent_encode(session->agent, &x->arena)))
        return FAULT_OK;
    return fault_set(fault, FAULT_FORBIDDEN,
                     "Session does not belong to this agent: it is of \"%.*s\", not of \"%.*s\"",
                     STR_ARG(session->agent), STR_ARG(agent));
}
