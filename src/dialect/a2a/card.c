#include "dialect/a2a/card.h"

#include "base/hex.h"
#include "base/utf8.h"

enum { P_NAMESPACE, P_AGENT };

static enum fault_code agent_find(struct exchange *x, struct agent_def *out, struct fault *fault)
{
    struct str name = arena_printf(&x->arena, "%.*s/%.*s", STR_ARG(x->request.params[P_NAMESPACE]),
                                   STR_ARG(x->request.params[P_AGENT]));
    enum fault_code code = FAULT_AGENT_NOT_FOUND;

    if (!str_eq(x->request.params[P_NAMESPACE], STR("v1"))) /* kept for versions of the protocol */
        code = agents_get(app_of(x)->agents, name, &x->arena, out, fault);
    if (code != FAULT_AGENT_NOT_FOUND)
        return code;
    x->reply.status = 404;
    x->reply.type = "text/plain; charset=utf-8";
    buf_reset(&x->reply.body);
    buf_add_format(&x->reply.body, "Agent %.*s not found\n", STR_ARG(name));
    return fault_set(fault, FAULT_AGENT_NOT_FOUND, "agent \"%.*s\" does not exist", STR_ARG(name));
}

enum fault_code a2a_agent(struct exchange *x, struct str *out, struct fault *fault)
{
    struct agent_def def;

    if (agent_find(x, &def, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = def.name;
    return FAULT_OK;
}

/* Where the client has reached it: what it asked for, without the name of the card. */
static struct str url_of(struct exchange *x)
{
    static const char mark[] = "/.well-known/";
    struct str path = x->request.raw_path;
    struct str host = request_header(&x->request, "Host");
    struct str scheme = request_header(&x->request, "X-Forwarded-Proto");
    const char *end = memmem(path.p, path.n, mark, sizeof(mark) - 1);

    if (end)
        path.n = (size_t)(end - path.p);
    if (!utf8_valid(host))
        host = STR("localhost");
    return arena_printf(&x->arena, "%s://%.*s%.*s", str_eq(scheme, STR("https")) ? "https" : "http",
                        STR_ARG(host), STR_ARG(path));
}

static void texts_write(struct json_out *out, const char *key, const char *const *texts)
{
    json_out_array(out, key);
    for (; *texts; texts++)
        json_out_string(out, NULL, str_of(*texts));
    json_out_array_end(out);
}

static void skills_write(struct json_out *out, const struct agent_def *def, struct str name)
{
    static const char *const tags[] = {"chat", NULL};

    json_out_array(out, "skills");
    json_out_object(out, NULL);
    json_out_plain(out, "id", STR("chat"));
    json_out_string(out, "name", name);
    json_out_string(out, "description", def->description);
    texts_write(out, "tags", tags);
    json_out_object_end(out);
    json_out_array_end(out);
}

static void security_write(struct json_out *out)
{
    json_out_raw(out, "securitySchemes",
                 STR("{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}"));
    json_out_raw(out, "security", STR("[{\"token\":[]}]"));
}

static void card_write(struct exchange *x, struct json_out *out, const struct agent_def *def)
{
    static const char *const input[] = {"text/plain", "application/json",
                                        "application/octet-stream", NULL};
    static const char *const output[] = {"text/plain", "application/json", NULL};
    struct str name = x->request.params[P_AGENT];
    const char *version = app_of(x)->version;

    json_out_plain(out, "protocolVersion", STR("0.3.0"));
    json_out_string(out, "name", name);
    json_out_string(out, "description",
                    def->description.n
                        ? def->description
                        : arena_printf(&x->arena, "The agent %.*s.", STR_ARG(def->name)));
    json_out_string(out, "url", url_of(x));
    json_out_plain(out, "preferredTransport", STR("JSONRPC"));
    json_out_string(out, "version", str_of(version ? version : "0"));
    json_out_object(out, "capabilities");
    json_out_bool(out, "streaming", true);
    json_out_bool(out, "pushNotifications", false);
    json_out_bool(out, "stateTransitionHistory", false);
    json_out_object_end(out);
    texts_write(out, "defaultInputModes", input);
    texts_write(out, "defaultOutputModes", output);
    skills_write(out, def, name);
    json_out_bool(out, "supportsAuthenticatedExtendedCard", false);
    if (!x->request.caller.open)
        security_write(out);
}

/* Of the bytes, so that another address or description is another card. */
static struct str tag_of(struct exchange *x)
{
    unsigned char hash[HASH_BYTES];
    char *text = arena_alloc(&x->arena, 2 * 16 + 3);

    hash_whole(buf_str(&x->reply.body), hash);
    text[0] = text[2 * 16 + 1] = '"';
    hex_write(hash, 16, text + 1);
    return str_of(text);
}

enum fault_code card_get(struct exchange *x, struct fault *fault)
{
    struct agent_def def;
    struct json_out out;
    struct str tag;
    enum fault_code code = agent_find(x, &def, fault);

    if (code != FAULT_OK)
        return code == FAULT_AGENT_NOT_FOUND ? FAULT_OK : code;
    reply_open(x, &out);
    card_write(x, &out, &def);
    if (reply_close(x, &out, fault) != FAULT_OK)
        return fault_pass(fault);
    tag = tag_of(x);
    reply_header(x, "ETag", tag);
    reply_header(x, "Cache-Control", STR("public, max-age=60"));
    reply_header(x, "Vary", STR("A2A-Version, Host"));
    if (str_eq(request_header(&x->request, "If-None-Match"), tag)) {
        x->reply.status = 304;
        buf_reset(&x->reply.body);
    }
    return FAULT_OK;
}
