#include "config/outline.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <yaml.h>

enum { PATH_MAX_BYTES = 256, KEY_SHOWN = 60 };

struct reading {
    yaml_parser_t parser;
    struct arena *arena;
    struct outline *outline;
    struct node *open; /* the list or map that is being read */
    struct str key;    /* of the member whose value comes next */
    size_t key_line;
    bool has_key, done;
    size_t depth, words;
};

/* ---- what stands where ---- */

struct node *node_member(const struct node *node, struct str key)
{
    if (node && node->kind == NODE_MAP)
        for (struct node *child = node->first; child; child = child->next)
            if (str_eq(child->key, key))
                return child;
    return NULL;
}

struct node *node_item(const struct node *node, size_t index)
{
    if (node && node->kind == NODE_LIST)
        for (struct node *child = node->first; child; child = child->next)
            if (child->index == index)
                return child;
    return NULL;
}

/* "agents[1].kind"; no longer than OUTLINE_DEPTH names. */
static void add_path(struct buf *out, const struct node *node)
{
    if (!node || !node->parent)
        return;
    add_path(out, node->parent);
    if (node->parent->kind == NODE_LIST)
        buf_add_format(out, "[%zu]", node->index);
    else
        buf_add_format(out, "%s%.*s", out->n ? "." : "", STR_ARG(utf8_cut(node->key, KEY_SHOWN)));
}

enum fault_code outline_fault(const struct outline *outline, const struct node *node,
                              struct fault *fault, const char *format, ...)
{
    char message[FAULT_MESSAGE_MAX];
    struct buf path;
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    buf_init(&path, PATH_MAX_BYTES);
    add_path(&path, node);
    if (!node)
        fault_write(fault, FAULT_INVALID, "%s: %s", outline->name, message);
    else
        fault_write(fault, FAULT_INVALID, "%s:%zu: %s%s%s", outline->name, node->line,
                    buf_str(&path).p, path.n ? ": " : "", message);
    buf_clear(&path);
    return FAULT_INVALID;
}

/* ---- reading ---- */

static enum fault_code fault_at(const struct reading *reading, size_t line, struct fault *fault,
                                const char *reason)
{
    return fault_set(fault, FAULT_INVALID, "%s:%zu: %s", reading->outline->name, line, reason);
}

static struct node *node_add(struct reading *reading, enum node_kind kind, size_t line)
{
    struct node *node = arena_alloc(reading->arena, sizeof(*node)), *parent = reading->open;

    *node = (struct node){.kind = kind, .line = line, .parent = parent};
    if (!parent) {
        reading->outline->root = node;
        return node;
    }
    if (reading->has_key) {
        node->key = reading->key;
        node->line = reading->key_line;
    }
    reading->has_key = false;
    node->index = parent->count++;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    return node;
}

/* A key is kept until its value comes. */
static enum fault_code take_key(struct reading *reading, struct str text, size_t line,
                                struct fault *fault)
{
    struct node at = {.line = line, .key = text, .parent = reading->open};
    const struct node *before = node_member(reading->open, text);

    if (before)
        return outline_fault(reading->outline, &at, fault, "stands twice; the first is in line %zu",
                             before->line);
    if (reading->open->count >= OUTLINE_KEYS)
        return fault_at(reading, line, fault, "too many keys");
    reading->key = arena_dup(reading->arena, text);
    reading->key_line = line;
    reading->has_key = true;
    return FAULT_OK;
}

static enum fault_code take_value(struct reading *reading, const yaml_event_t *event, size_t line,
                                  struct fault *fault)
{
    struct str text = {(const char *)event->data.scalar.value, event->data.scalar.length};

    if (memchr(text.p, '\0', text.n))
        return fault_at(reading, line, fault, "a text has a NUL in it");
    if (reading->open && reading->open->kind == NODE_MAP && !reading->has_key)
        return take_key(reading, text, line, fault);
    node_add(reading, NODE_VALUE, line)->text = arena_dup(reading->arena, text);
    return FAULT_OK;
}

static enum fault_code take_start(struct reading *reading, enum node_kind kind, size_t line,
                                  struct fault *fault)
{
    if (reading->open && reading->open->kind == NODE_MAP && !reading->has_key)
        return fault_at(reading, line, fault, "a key must be a single word");
    if (++reading->depth > OUTLINE_DEPTH)
        return fault_at(reading, line, fault, "nested too deep");
    reading->open = node_add(reading, kind, line);
    return FAULT_OK;
}

/* What we do not take: the same words would have to be understood in two ways. */
static const char *refusal(const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return "aliases (*name) are not taken: write the value out";
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor)
        return "anchors (&name) are not taken: write the value out";
    return tag ? "tags (!name) are not taken" : NULL;
}

static enum fault_code take_event(struct reading *reading, const yaml_event_t *event,
                                  struct fault *fault)
{
    size_t line = event->start_mark.line + 1;
    const char *refused = refusal(event);

    if (refused)
        return fault_at(reading, line, fault, refused);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reading->outline->root)
            return fault_at(reading, line, fault,
                            "a second document begins; there can be only one");
        return FAULT_OK;
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        if (++reading->words > OUTLINE_WORDS)
            return fault_at(reading, line, fault, "too many values");
        if (event->type == YAML_SCALAR_EVENT)
            return take_value(reading, event, line, fault);
        return take_start(reading, event->type == YAML_MAPPING_START_EVENT ? NODE_MAP : NODE_LIST,
                          line, fault);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reading->depth--;
        reading->open = reading->open->parent;
        return FAULT_OK;
    case YAML_STREAM_END_EVENT:
        reading->done = true;
        return FAULT_OK;
    default:
        return FAULT_OK;
    }
}

static enum fault_code parser_fault(const struct reading *reading, struct fault *fault)
{
    const yaml_parser_t *parser = &reading->parser;

    return fault_set(fault, FAULT_INVALID, "%s:%zu: this is not YAML: %s%s%s",
                     reading->outline->name, parser->problem_mark.line + 1,
                     parser->problem ? parser->problem : "it cannot be read",
                     parser->context ? " " : "", parser->context ? parser->context : "");
}

enum fault_code outline_read(struct str text, const char *name, struct arena *arena,
                             struct outline *out, struct fault *fault)
{
    struct outline outline = {.name = name};
    struct reading reading = {.arena = arena, .outline = &outline};
    enum fault_code code = FAULT_OK;

    if (!utf8_valid(text))
        return fault_set(fault, FAULT_INVALID, "%s: is not valid UTF-8", name);
    if (!yaml_parser_initialize(&reading.parser))
        abort();
    yaml_parser_set_encoding(&reading.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)text.p, text.n);
    while (!code && !reading.done) {
        yaml_event_t event;

        if (!yaml_parser_parse(&reading.parser, &event)) {
            code = parser_fault(&reading, fault);
            break;
        }
        code = take_event(&reading, &event, fault);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&reading.parser);
    if (!code)
        *out = outline;
    return code;
}
