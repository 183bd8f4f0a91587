/* The OpenAPI document, made of the table of routes. */
#include "dialect/native/openapi.h"

#include "native_schemas.h"

#include <assert.h>
#include <stdio.h>

const struct route_table *const openapi_tables[] = {&native_routes, &service_routes, NULL};

static const struct openapi_extra extras[] = {
    {"sendMessages", 201, "Stored", "It was stored and nobody answers: `run` is false."},
    {"forkSession", 200, "ForkReply", "A dry run: nothing was made."},
    {"putFile", 201, "FilePut", "It was not there before."},
    {"readFile", 304, NULL, "It is the one that If-None-Match names."},
};

const struct openapi_extra *openapi_extra_next(const struct route *route,
                                               const struct openapi_extra *last)
{
    const struct openapi_extra *end = extras + sizeof(extras) / sizeof(extras[0]);

    for (last = last ? last + 1 : extras; last < end; last++)
        if (strcmp(last->name, route->name) == 0)
            return last;
    return NULL;
}

const char *openapi_method(enum http_method method)
{
    static const char *const names[HTTP_METHOD_COUNT] = {"get",   "head",   "post",   "put",
                                                         "patch", "delete", "options"};

    return names[method];
}

void openapi_common_faults(const struct route *route, enum fault_code out[OPENAPI_COMMON_MAX])
{
    size_t n = 0;

    out[n++] = FAULT_INVALID; /* a query that it does not know, at least */
    out[n++] = FAULT_MALFORMED;
    if (route->right > RIGHT_NONE)
        out[n++] = FAULT_UNAUTHORIZED;
    if (route->right > RIGHT_READ)
        out[n++] = FAULT_FORBIDDEN;
    out[n++] = FAULT_ORIGIN;
    if (route->body_max)
        out[n++] = FAULT_TOO_LARGE;
    if (route->request)
        out[n++] = FAULT_MEDIA_TYPE;
    if (strcmp(route->name, "ready") == 0)
        out[n++] = FAULT_STOPPING;
    out[n] = FAULT_OK;
    assert(n < OPENAPI_COMMON_MAX);
}

const char *openapi_fault_example(enum fault_code code)
{
    static const char *const examples[FAULT_COUNT] = {
        [FAULT_INVALID] = "unknown member \"tittle\"",
        [FAULT_POINT_INVALID] = "the cursor is not on that path",
        [FAULT_POINT_IS_HEAD] = "the session is there already",
        [FAULT_PATH_INVALID] = "the path has a name \"..\"",
        [FAULT_FILE_NOT_FOUND] = "there is no file \"src/main.c\" there",
        [FAULT_FILES_CONFLICT] = "others have changed 2 of the files that would be written",
        [FAULT_WORKSPACE_NONE] = "session \"s1\" has no files",
        [FAULT_WORKSPACE_BLOCKED] = "the directory \"/srv/site\" is not there",
        [FAULT_NOTHING_TO_MERGE] = "session \"b\" has changed no files since",
        [FAULT_NOT_FAMILY] = "session \"b\" is not of the family of \"a\"",
        [FAULT_MALFORMED] = "the query has a control character",
        [FAULT_UNAUTHORIZED] = "a token is needed: send the header Authorization: Bearer TOKEN",
        [FAULT_FORBIDDEN] = "user \"ann\" may not let agents answer",
        [FAULT_ORIGIN] = "a page of another origin may not use this server",
        [FAULT_SESSION_NOT_FOUND] = "there is no session \"s9\"",
        [FAULT_MESSAGE_NOT_FOUND] = "message \"m9\" is not in session \"s1\"",
        [FAULT_TURN_NOT_FOUND] = "turn \"t9\" is not in session \"s1\"",
        [FAULT_LABEL_NOT_FOUND] = "there is no label \"plan\"",
        [FAULT_AGENT_NOT_FOUND] = "there is no agent \"acme/coder\"",
        [FAULT_AMBIGUOUS] = "several ids start with \"0190\"",
        [FAULT_ID_TAKEN] = "message \"m1\" is there already with another body",
        [FAULT_KEY_REUSED] = "the key was used for another request",
        [FAULT_HEAD_MOVED] = "the newest message is \"m7\", not \"m5\"",
        [FAULT_TOOL_CALL_OPEN] = "a tool call is open there",
        [FAULT_NOTHING_TO_UNDO] = "there is nothing to undo",
        [FAULT_NOTHING_TO_REDO] = "there is nothing to redo",
        [FAULT_NOTHING_TO_ADOPT] = "session \"b\" has nothing since",
        [FAULT_TURN_RUNNING] = "a turn is running in session \"s1\"",
        [FAULT_NO_TURN] = "no turn is running in session \"s1\"",
        [FAULT_AGENT_FIXED] = "agent \"acme/coder\" is defined by the configuration",
        [FAULT_AGENT_EXTERNAL] = "agent \"acme/coder\" is run by somebody else",
        [FAULT_SANDBOX] = "commands cannot be run here: there is no sandbox",
        [FAULT_EXISTS] = "session \"s1\" is there already",
        [FAULT_TOO_LARGE] = "the body has more bytes than this route takes",
        [FAULT_MEDIA_TYPE] = "the body must be application/json, not \"text/plain\"",
        [FAULT_STOPPING] = "the server is stopping",
    };

    return examples[code] ? examples[code] : "what went wrong, in one line";
}

/* ---- pieces ---- */

static void ref_write(struct json_out *out, const char *key, const char *kind, const char *name)
{
    char text[96];

    snprintf(text, sizeof(text), "#/components/%s/%s", kind, name);
    json_out_object(out, key);
    json_out_string(out, "$ref", str_of(text));
    json_out_object_end(out);
}

static void content_write(struct json_out *out, const char *type, const char *schema)
{
    json_out_object(out, type);
    ref_write(out, "schema", "schemas", schema);
    json_out_object_end(out);
}

static void parameter_begin(struct json_out *out, struct str name, const char *in, bool required,
                            const char *about)
{
    json_out_object(out, NULL);
    json_out_string(out, "name", name);
    json_out_string(out, "in", str_of(in));
    json_out_bool(out, "required", required);
    json_out_string(out, "description", str_of(about));
    json_out_object(out, "schema");
}

static void parameter_end(struct json_out *out)
{
    json_out_object_end(out);
    json_out_object_end(out);
}

static const char *path_about(struct str name)
{
    if (str_eq(name, STR("id")))
        return "The session.";
    if (str_eq(name, STR("path")))
        return "The file, as a path below the topmost directory: names with slashes between them, "
               "which are not escaped; any other byte may be.";
    if (str_eq(name, STR("message")))
        return "The message: its id, `#4`, `-1` or `@label`.";
    return str_eq(name, STR("namespace")) ? "The agent's namespace." : "The agent's name in it.";
}

static void path_parameters(struct json_out *out, const char *path)
{
    for (const char *open = strchr(path, '{'); open; open = strchr(open + 1, '{')) {
        const char *close = strchr(open, '}');
        struct str name = {open + 1, (size_t)(close - open) - 1};

        if (name.p[name.n - 1] == '*')
            name.n--;
        parameter_begin(out, name, "path", true, path_about(name));
        json_out_string(out, "type", STR("string"));
        json_out_int(out, "minLength", 1);
        parameter_end(out);
    }
}

static void query_parameter(struct json_out *out, const struct route_query *query)
{
    parameter_begin(out, str_of(query->name), "query", query->required, query->about);
    if (query->type == QUERY_INT) {
        json_out_string(out, "type", STR("integer"));
        json_out_int(out, "minimum", query->min);
        if (query->max < INT64_C(1) << 53)
            json_out_int(out, "maximum", query->max);
    } else if (query->type == QUERY_FLAG) {
        json_out_string(out, "type", STR("string"));
        json_out_array(out, "enum");
        json_out_string(out, NULL, STR("0"));
        json_out_string(out, NULL, STR("1"));
        json_out_string(out, NULL, STR("false"));
        json_out_string(out, NULL, STR("true"));
        json_out_array_end(out);
    } else {
        json_out_string(out, "type", STR("string"));
        json_out_int(out, "maxLength", query->max);
    }
    parameter_end(out);
}

static void header_parameter(struct json_out *out, const char *name, const char *about)
{
    parameter_begin(out, str_of(name), "header", false, about);
    json_out_string(out, "type", STR("string"));
    json_out_int(out, "maxLength", LIMIT_KEY_BYTES);
    parameter_end(out);
}

static void parameters_write(struct json_out *out, const struct route *route)
{
    json_out_array(out, "parameters");
    path_parameters(out, route->path);
    for (const struct route_query *query = route->query; query && query->name; query++)
        query_parameter(out, query);
    if (route->once)
        header_parameter(out, "Idempotency-Key",
                         "Carries the request out once, however often it is sent, for 24 hours.");
    if (route->streams && route->method == HTTP_GET)
        header_parameter(out, "Last-Event-ID", "The last event that was seen.");
    json_out_array_end(out);
}

/* ---- responses ---- */

static void status_key(struct json_out *out, int status)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", status);
    json_out_key(out, str_of(text));
    json_out_object(out, NULL);
}

static void problem_example(struct json_out *out, enum fault_code code)
{
    int status = fault_status(code);

    json_out_object(out, fault_name(code));
    json_out_object(out, "value");
    json_out_string(out, "type", STR("about:blank"));
    json_out_string(out, "title", str_of(fault_title(status)));
    json_out_int(out, "status", status);
    json_out_string(out, "code", str_of(fault_name(code)));
    json_out_string(out, "detail", str_of(openapi_fault_example(code)));
    json_out_object_end(out);
    json_out_object_end(out);
}

/* All faults of a route, each once. */
struct faults {
    enum fault_code codes[FAULT_COUNT];
    size_t count;
};

static void faults_add(struct faults *faults, const enum fault_code *codes)
{
    for (; codes && *codes; codes++) {
        size_t i = 0;

        while (i < faults->count && faults->codes[i] != *codes)
            i++;
        if (i == faults->count)
            faults->codes[faults->count++] = *codes;
    }
}

static void problem_response(struct json_out *out, const struct faults *faults, int status)
{
    status_key(out, status);
    json_out_string(out, "description", str_of(fault_title(status)));
    json_out_object(out, "content");
    json_out_object(out, "application/problem+json");
    ref_write(out, "schema", "schemas", "Problem");
    json_out_object(out, "examples");
    for (size_t i = 0; i < faults->count; i++)
        if (fault_status(faults->codes[i]) == status)
            problem_example(out, faults->codes[i]);
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object_end(out);
}

static void problems_write(struct json_out *out, const struct route *route)
{
    enum fault_code common[OPENAPI_COMMON_MAX];
    struct faults faults = {0};

    openapi_common_faults(route, common);
    faults_add(&faults, common);
    faults_add(&faults, route->faults);
    for (int status = 400; status < 600; status++)
        for (size_t i = 0; i < faults.count; i++)
            if (fault_status(faults.codes[i]) == status) {
                problem_response(out, &faults, status);
                break;
            }
    ref_write(out, "default", "responses", "Fault");
}

static void reply_content(struct json_out *out, const struct route *route)
{
    const char *type = route->reply_type ? route->reply_type : "application/json";

    if (!route->reply && !route->streams)
        return;
    json_out_object(out, "content");
    if (route->reply)
        content_write(out, type, route->reply);
    if (route->streams)
        content_write(out, "text/event-stream", "EventStream");
    json_out_object_end(out);
}

static void responses_write(struct json_out *out, const struct route *route)
{
    json_out_object(out, "responses");
    for (const struct openapi_extra *extra = openapi_extra_next(route, NULL); extra;
         extra = openapi_extra_next(route, extra)) {
        status_key(out, extra->status);
        json_out_string(out, "description", str_of(extra->about));
        if (extra->schema) {
            json_out_object(out, "content");
            content_write(out, "application/json", extra->schema);
            json_out_object_end(out);
        }
        json_out_object_end(out);
    }
    status_key(out, route->status);
    json_out_string(out, "description", route->status == 204 ? STR("Done.") : STR("Success."));
    reply_content(out, route);
    json_out_object_end(out);
    problems_write(out, route);
    json_out_object_end(out);
}

/* ---- paths ---- */

static void operation_write(struct json_out *out, const struct route *route)
{
    json_out_object(out, openapi_method(route->method));
    json_out_string(out, "operationId", str_of(route->name));
    json_out_array(out, "tags");
    json_out_string(out, NULL, str_of(route->tag));
    json_out_array_end(out);
    json_out_string(out, "summary", str_of(route->about));
    if (route->right == RIGHT_NONE) {
        json_out_array(out, "security");
        json_out_array_end(out);
    }
    parameters_write(out, route);
    if (route->body_max) {
        json_out_object(out, "requestBody");
        json_out_bool(out, "required", false);
        json_out_object(out, "content");
        if (route->request)
            content_write(out, "application/json", route->request);
        else
            content_write(out, "application/octet-stream", "Bytes");
        json_out_object_end(out);
        json_out_object_end(out);
    }
    responses_write(out, route);
    json_out_object_end(out);
}

static bool path_done(const struct route_table *table, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(table->routes[j].path, table->routes[i].path) == 0)
            return true;
    return false;
}

/* The path as the document names it: without the star of one that takes slashes. */
static struct str template_of(const struct route_table *table, const char *path,
                              struct arena *arena)
{
    int n = (int)strcspn(path, "*");

    return arena_printf(arena, "%s%.*s%s", table->prefix, n, path, path[n] ? path + n + 1 : "");
}

static void table_write(struct json_out *out, const struct route_table *table, struct arena *arena)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *path = table->routes[i].path;

        if (path_done(table, i))
            continue;
        json_out_key(out, template_of(table, path, arena));
        json_out_object(out, NULL);
        for (size_t j = i; j < table->count; j++)
            if (strcmp(table->routes[j].path, path) == 0)
                operation_write(out, &table->routes[j]);
        json_out_object_end(out);
    }
}

/* ---- the rest ---- */

static void codes_write(struct json_out *out)
{
    json_out_object(out, "FaultCode");
    json_out_string(out, "type", STR("string"));
    json_out_string(out, "description", STR("A word that stays the same."));
    json_out_array(out, "enum");
    for (int i = FAULT_OK + 1; i < FAULT_COUNT; i++)
        json_out_string(out, NULL, str_of(fault_name((enum fault_code)i)));
    json_out_array_end(out);
    json_out_object_end(out);
}

static void components_write(struct json_out *out)
{
    json_out_object(out, "components");
    json_out_object(out, "securitySchemes");
    json_out_object(out, "bearer");
    json_out_string(out, "type", STR("http"));
    json_out_string(out, "scheme", STR("bearer"));
    json_out_string(out, "description",
                    STR("A token of a user. A server that listens only to its own machine and has "
                        "no users needs none."));
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object(out, "responses");
    json_out_object(out, "Fault");
    json_out_string(out, "description",
                    STR("Any other fault: the server is stopping or busy (503, with Retry-After), "
                        "the request is too slow (408), its head too large (414, 431), the disk is "
                        "full (507), and what should not happen (500)."));
    json_out_object(out, "content");
    content_write(out, "application/problem+json", "Problem");
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object_end(out);
    json_out_object(out, "schemas");
    codes_write(out);
    json_out_members(out, (struct str){native_schemas, strlen(native_schemas) - 1});
    json_out_object_end(out);
    json_out_object_end(out);
}

static void info_write(struct json_out *out, const struct app *app)
{
    json_out_object(out, "info");
    json_out_string(out, "title", STR("tine"));
    json_out_string(out, "version", str_of(app->version ? app->version : "0"));
    json_out_string(out, "summary", STR("Sessions of AI agents whose conversations are trees."));
    json_out_string(
        out, "description",
        STR("Any conversation can be forked at any message and rewound to any message, and nothing "
            "is lost. JSON in UTF-8; unknown members are refused by name; lists come in pages."));
    json_out_object(out, "license");
    json_out_string(out, "name", STR("Apache-2.0"));
    json_out_string(out, "identifier", STR("Apache-2.0"));
    json_out_object_end(out);
    json_out_object_end(out);
}

static void tags_write(struct json_out *out)
{
    static const char *const tags[][2] = {
        {"sessions", "Conversations as a whole."},
        {"messages", "What is said in them."},
        {"moves", "Fork, rewind, undo, redo, adopt."},
        {"family", "How sessions belong together."},
        {"files", "What sessions work on."},
        {"events", "What happens, while it happens."},
        {"agents", "Who answers."},
        {"service", "The server itself."},
    };

    json_out_array(out, "tags");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        json_out_object(out, NULL);
        json_out_string(out, "name", str_of(tags[i][0]));
        json_out_string(out, "description", str_of(tags[i][1]));
        json_out_object_end(out);
    }
    json_out_array_end(out);
}

enum fault_code native_openapi_get(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    json_out_string(&out, "openapi", STR("3.1.0"));
    info_write(&out, app_of(x));
    json_out_array(&out, "servers");
    json_out_object(&out, NULL);
    json_out_string(&out, "url", STR("/"));
    json_out_object_end(&out);
    json_out_array_end(&out);
    json_out_array(&out, "security");
    json_out_object(&out, NULL);
    json_out_array(&out, "bearer");
    json_out_array_end(&out);
    json_out_object_end(&out);
    json_out_object(&out, NULL);
    json_out_object_end(&out);
    json_out_array_end(&out);
    tags_write(&out);
    json_out_object(&out, "paths");
    for (size_t i = 0; openapi_tables[i]; i++)
        table_write(&out, openapi_tables[i], &x->arena);
    json_out_object_end(&out);
    components_write(&out);
    return reply_close(x, &out, fault);
}
