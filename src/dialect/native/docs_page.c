/* The reference as a page for people: made of the same table and schemas as the document. */
#include "dialect/native/openapi.h"

#include "native_schemas.h"

#include <ctype.h>

static const char style[] =
    ":root{--ink:#1d2433;--soft:#5b6579;--line:#e1e5ec;--page:#fff;--side:#f7f8fa;--mark:#0b63ce;"
    "--code:#f2f4f8}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e5e9f0;--soft:#9aa5b8;--line:#2c3442;"
    "--page:#12161d;--side:#171c25;--mark:#6cb0ff;--code:#1e2530}}"
    "*{box-sizing:border-box}"
    "body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--page);"
    "display:grid;grid-template-columns:22rem minmax(0,1fr)}"
    "nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1.25rem;"
    "background:var(--side);border-right:1px solid var(--line);font-size:.875rem}"
    "nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);"
    "margin:1.4rem 0 .3rem}nav ul{list-style:none;margin:0;padding:0}"
    "nav a{display:flex;gap:.5rem;align-items:baseline;padding:.15rem 0;color:var(--ink);"
    "text-decoration:none;overflow-wrap:anywhere}nav a:hover{color:var(--mark)}"
    "main{padding:2.5rem 3rem 6rem;max-width:62rem}"
    "h1{margin:0 0 .5rem;font-size:2rem}h2{margin:3rem 0 1rem;padding-bottom:.3rem;"
    "border-bottom:1px solid var(--line)}"
    "section{margin:0 0 2.2rem;scroll-margin-top:1rem}section h3{margin:0 0 "
    ".3rem;font-size:1.05rem;"
    "display:flex;gap:.7rem;align-items:baseline;flex-wrap:wrap}"
    "p{margin:.3rem 0 .8rem}a{color:var(--mark)}"
    "code{font:.875em ui-monospace,monospace;background:var(--code);padding:.1em .35em;"
    "border-radius:.3em;overflow-wrap:anywhere}h3 code{background:none;padding:0;font-size:1em}"
    "pre{background:var(--code);padding:.9rem 1.1rem;border-radius:.5rem;overflow:auto;"
    "font-size:.875rem}pre code{background:none;padding:0}"
    "b.m{font:600 .7rem/1.6 ui-monospace,monospace;padding:0 .45em;border-radius:.3em;"
    "color:#fff;min-width:4.6em;flex:none;text-align:center;display:inline-block}"
    ".get{background:#1a7f4b}.post{background:#0b63ce}.put{background:#9a5b00}"
    ".patch{background:#7a4bc0}.delete{background:#bd2c3a}"
    "table{border-collapse:collapse;width:100%;margin:.4rem 0 .9rem;font-size:.9rem}"
    "td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;"
    "border-bottom:1px solid var(--line)}th{color:var(--soft);font-weight:500}"
    "td:first-child{white-space:nowrap;width:11rem}p.soft "
    "code{white-space:nowrap}.soft{color:var(--soft)}"
    "@media(max-width:52rem){body{display:block}nav{position:static;height:auto;border:0}"
    "main{padding:1.5rem}td:first-child{white-space:normal}}";

enum fault_code native_docs_style(struct exchange *x, struct fault *fault)
{
    (void)fault;
    x->reply.type = "text/css; charset=utf-8";
    x->reply.fixed = STR(style);
    reply_header(x, "Cache-Control", STR("no-cache"));
    return FAULT_OK;
}

/* ---- text ---- */

static void text(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        switch (s.p[i]) {
        case '&':
            buf_add_text(out, "&amp;");
            break;
        case '<':
            buf_add_text(out, "&lt;");
            break;
        case '>':
            buf_add_text(out, "&gt;");
            break;
        case '"':
            buf_add_text(out, "&quot;");
            break;
        default:
            buf_add_char(out, s.p[i]);
        }
    }
}

/* Words in which `this` is code. */
static void prose(struct buf *out, struct str s)
{
    bool code = false;
    size_t from = 0;

    for (size_t i = 0; i <= s.n; i++) {
        if (i < s.n && s.p[i] != '`')
            continue;
        text(out, (struct str){s.p + from, i - from});
        if (i < s.n || code)
            buf_add_text(out, code ? "</code>" : "<code>");
        code = !code;
        from = i + 1;
    }
}

/* ---- types ---- */

static void type_write(struct buf *out, const struct json_value *schema, struct arena *arena);

static bool member(const struct json_value *object, const char *name, struct json_value *out)
{
    struct json_walk walk;

    if (object->type != JSON_OBJECT)
        return false;
    json_walk_begin(&walk, object);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, str_of(name))) {
            *out = walk.value;
            return true;
        }
    return false;
}

static void reference_write(struct buf *out, struct str path)
{
    size_t at = path.n;

    while (at > 0 && path.p[at - 1] != '/')
        at--;
    buf_add_text(out, "<a href=\"#schema-");
    text(out, (struct str){path.p + at, path.n - at});
    buf_add_text(out, "\">");
    text(out, (struct str){path.p + at, path.n - at});
    buf_add_text(out, "</a>");
}

/* The elements of an array with a word between them. */
static void choices_write(struct buf *out, const struct json_value *array, const char *between,
                          bool types, struct arena *arena)
{
    struct json_walk walk;
    bool first = true;

    json_walk_begin(&walk, array);
    while (json_walk_next(&walk)) {
        if (!first)
            buf_add_text(out, between);
        first = false;
        if (types) {
            type_write(out, &walk.value, arena);
        } else if (walk.value.type == JSON_STRING) {
            buf_add_text(out, "<code>");
            text(out, json_text(&walk.value, arena));
            buf_add_text(out, "</code>");
        } else {
            text(out, walk.value.raw);
        }
    }
}

static void named_type(struct buf *out, const struct json_value *schema,
                       const struct json_value *type, struct arena *arena)
{
    struct json_value items;

    if (type->type == JSON_ARRAY) {
        choices_write(out, type, " or ", false, arena);
    } else if (str_eq(json_inside(type), STR("array")) && member(schema, "items", &items)) {
        buf_add_text(out, "list of ");
        type_write(out, &items, arena);
    } else {
        text(out, json_inside(type));
    }
}

static void type_write(struct buf *out, const struct json_value *schema, struct arena *arena)
{
    struct json_value value;

    if (member(schema, "$ref", &value)) {
        reference_write(out, json_inside(&value));
    } else if (member(schema, "enum", &value)) {
        choices_write(out, &value, " | ", false, arena);
    } else if (member(schema, "const", &value)) {
        buf_add_text(out, "<code>");
        text(out, value.type == JSON_STRING ? json_text(&value, arena) : value.raw);
        buf_add_text(out, "</code>");
    } else if (member(schema, "type", &value)) {
        named_type(out, schema, &value, arena);
    } else if (member(schema, "oneOf", &value)) {
        choices_write(out, &value, " or ", true, arena);
    } else {
        buf_add_text(out, "any");
    }
}

/* ---- schemas ---- */

static bool is_required(const struct json_value *schema, struct str name)
{
    struct json_value required;
    struct json_walk walk;

    if (!member(schema, "required", &required))
        return false;
    json_walk_begin(&walk, &required);
    while (json_walk_next(&walk))
        if (str_eq(json_inside(&walk.value), name))
            return true;
    return false;
}

static void properties_write(struct buf *out, const struct json_value *schema, struct arena *arena)
{
    struct json_value properties, about;
    struct json_walk walk;

    if (!member(schema, "properties", &properties))
        return;
    buf_add_text(out, "<table>");
    json_walk_begin(&walk, &properties);
    while (json_walk_next(&walk)) {
        buf_add_text(out, "<tr><td><code>");
        text(out, walk.key);
        buf_add_text(out, "</code>");
        if (!is_required(schema, walk.key))
            buf_add_text(out, " <span class=\"soft\">optional</span>");
        buf_add_text(out, "</td><td>");
        type_write(out, &walk.value, arena);
        buf_add_text(out, "</td><td>");
        if (member(&walk.value, "description", &about))
            prose(out, json_text(&about, arena));
        buf_add_text(out, "</td></tr>");
    }
    buf_add_text(out, "</table>");
}

static void schema_write(struct buf *out, struct str name, const struct json_value *schema,
                         struct arena *arena)
{
    struct json_value value;
    struct json_walk walk;

    buf_add_text(out, "<section id=\"schema-");
    text(out, name);
    buf_add_text(out, "\"><h3><code>");
    text(out, name);
    buf_add_text(out, "</code></h3>");
    if (member(schema, "description", &value)) {
        buf_add_text(out, "<p>");
        prose(out, json_text(&value, arena));
        buf_add_text(out, "</p>");
    }
    if (member(schema, "properties", &value)) {
        properties_write(out, schema, arena);
    } else if (member(schema, "oneOf", &value)) {
        json_walk_begin(&walk, &value);
        while (json_walk_next(&walk))
            properties_write(out, &walk.value, arena);
    } else {
        buf_add_text(out, "<p>");
        type_write(out, schema, arena);
        buf_add_text(out, "</p>");
    }
    buf_add_text(out, "</section>\n");
}

static void schemas_write(struct buf *out, struct arena *arena)
{
    struct json_value schemas;
    struct json_walk walk;
    struct fault fault;

    buf_add_text(out, "<h2 id=\"schemas\">Objects</h2>\n");
    if (json_read(STR(native_schemas), LIMIT_JSON_DEPTH, "schemas", &schemas, &fault) != FAULT_OK)
        return;
    json_walk_begin(&walk, &schemas);
    while (json_walk_next(&walk))
        schema_write(out, walk.key, &walk.value, arena);
}

/* ---- routes ---- */

static void method_write(struct buf *out, const struct route *route)
{
    const char *name = openapi_method(route->method);

    buf_add_format(out, "<b class=\"m %s\">", name);
    for (; *name; name++)
        buf_add_char(out, (char)toupper((unsigned char)*name));
    buf_add_text(out, "</b>");
}

static void row(struct buf *out, const char *name, const char *of, const char *about)
{
    buf_add_format(out, "<tr><td><code>%s</code></td><td class=\"soft\">%s</td><td>", name, of);
    prose(out, str_of(about));
    buf_add_text(out, "</td></tr>");
}

static void parameters_write(struct buf *out, const struct route *route)
{
    bool any = route->query || route->once || (route->streams && route->method == HTTP_GET);

    if (!any)
        return;
    buf_add_text(out, "<table>");
    for (const struct route_query *query = route->query; query && query->name; query++)
        row(out, query->name, "query", query->about);
    if (route->once)
        row(out, "Idempotency-Key", "header",
            "Carries the request out once, however often it is sent, for 24 hours.");
    if (route->streams && route->method == HTTP_GET)
        row(out, "Last-Event-ID", "header", "The last event that was seen.");
    buf_add_text(out, "</table>");
}

static void answer_write(struct buf *out, int status, const char *schema, bool streams)
{
    buf_add_format(out, " <code>%d</code>", status);
    if (schema)
        buf_add_format(out, " <a href=\"#schema-%s\">%s</a>", schema, schema);
    if (streams)
        buf_add_text(out, " or a stream of events");
}

static void faults_write(struct buf *out, const struct route *route)
{
    enum fault_code common[OPENAPI_COMMON_MAX];
    const enum fault_code *lists[2] = {route->faults, common};

    openapi_common_faults(route, common);
    buf_add_text(out, "<p class=\"soft\">Faults:");
    for (size_t i = 0; i < 2; i++)
        for (const enum fault_code *code = lists[i]; code && *code; code++)
            buf_add_format(out, " <code>%d %s</code>", fault_status(*code), fault_name(*code));
    buf_add_text(out, "</p>");
}

static const char *right_word(enum right right)
{
    switch (right) {
    case RIGHT_NONE:
        return "Everybody may ask.";
    case RIGHT_READ:
        return "Needs the right to read.";
    case RIGHT_WRITE:
        return "Needs the right to write.";
    case RIGHT_RUN:
        return "Needs the right to run agents.";
    case RIGHT_ADMIN:
        return "Needs the right of an administrator.";
    }
    return "";
}

static void route_write(struct buf *out, const struct route_table *table, const struct route *route)
{
    buf_add_format(out, "<section id=\"%s\"><h3>", route->name);
    method_write(out, route);
    buf_add_format(out, "<code>%s%s</code></h3><p>", table->prefix, route->path);
    prose(out, str_of(route->about));
    buf_add_format(out, " <span class=\"soft\">%s</span></p>", right_word(route->right));
    parameters_write(out, route);
    buf_add_text(out, "<p>");
    if (route->request)
        buf_add_format(out, "Body: <a href=\"#schema-%s\">%s</a>. ", route->request,
                       route->request);
    else if (route->body_max)
        buf_add_text(out, "Body: the bytes. ");
    buf_add_text(out, "Answer:");
    answer_write(out, route->status, route->reply, route->streams);
    for (const struct openapi_extra *extra = openapi_extra_next(route, NULL); extra;
         extra = openapi_extra_next(route, extra)) {
        buf_add_text(out, ", or");
        answer_write(out, extra->status, extra->schema, false);
    }
    buf_add_text(out, "</p>");
    faults_write(out, route);
    buf_add_text(out, "</section>\n");
}

/* ---- the page ---- */

static const char *const tags[][2] = {
    {"sessions", "Sessions"}, {"messages", "Messages"}, {"moves", "Fork, rewind, undo"},
    {"family", "Family"},     {"files", "Files"},       {"events", "Events"},
    {"agents", "Agents"},     {"service", "Service"},
};

/* Calls `write` for each route of a tag. */
static void each_route(struct buf *out, const char *tag,
                       void (*write)(struct buf *, const struct route_table *,
                                     const struct route *))
{
    for (size_t i = 0; openapi_tables[i]; i++)
        for (size_t j = 0; j < openapi_tables[i]->count; j++)
            if (strcmp(openapi_tables[i]->routes[j].tag, tag) == 0)
                write(out, openapi_tables[i], &openapi_tables[i]->routes[j]);
}

static void link_write(struct buf *out, const struct route_table *table, const struct route *route)
{
    (void)table;
    buf_add_format(out, "<li><a href=\"#%s\">", route->name);
    method_write(out, route);
    buf_add_format(out, "<span>%s</span></a></li>", route->path);
}

static void page_write(struct buf *out, struct arena *arena)
{
    buf_add_text(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<title>tine: the native API</title>"
                      "<meta name=\"viewport\" content=\"width=device-width\">"
                      "<link rel=\"stylesheet\" href=\"/docs/style.css\"></head><body>\n<nav>");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        buf_add_format(out, "<h2>%s</h2><ul>", tags[i][1]);
        each_route(out, tags[i][0], link_write);
        buf_add_text(out, "</ul>");
    }
    buf_add_text(
        out, "<h2>Objects</h2><ul><li><a href=\"#schemas\">All objects</a></li></ul></nav>"
             "\n<main><h1>tine: the native API</h1>"
             "<p>Conversations of AI agents are trees here: any of them can be forked at "
             "any message and rewound to any message, and nothing is lost. JSON in and "
             "out, in UTF-8. The same as a machine reads it: "
             "<a href=\"/api/v1/openapi.json\">/api/v1/openapi.json</a>.</p>"
             "<pre><code>curl -s localhost:8463/api/v1/sessions --json '{\"title\":\"First\"}'\n"
             "curl -s localhost:8463/api/v1/sessions/ID/messages --json '{\"text\":\"hello\"}'\n"
             "curl -s localhost:8463/api/v1/sessions/ID/fork --json '{\"before\":0}'"
             "</code></pre>\n");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        buf_add_format(out, "<h2>%s</h2>\n", tags[i][1]);
        each_route(out, tags[i][0], route_write);
    }
    schemas_write(out, arena);
    buf_add_text(out, "</main></body></html>\n");
}

enum fault_code native_docs_get(struct exchange *x, struct fault *fault)
{
    buf_reset(&x->reply.body);
    page_write(&x->reply.body, &x->arena);
    x->reply.type = "text/html; charset=utf-8";
    reply_header(x, "Content-Security-Policy",
                 STR("default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
                     "frame-ancestors 'none'"));
    return reply_check(x, fault);
}
