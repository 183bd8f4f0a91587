#include "config/raw.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <cyaml/cyaml.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the schema ---- */

enum { MAY_LACK = CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER, MUST_HAVE = CYAML_FLAG_POINTER };

#define WORD(key, type, member) \
    CYAML_FIELD_STRING_PTR(key, MAY_LACK, type, member, 1, RAW_WORD_BYTES)
#define WORD_NEEDED(key, type, member) \
    CYAML_FIELD_STRING_PTR(key, MUST_HAVE, type, member, 1, RAW_WORD_BYTES)
#define TEXT(key, type, member, max) CYAML_FIELD_STRING_PTR(key, MAY_LACK, type, member, 0, max)
/* A list under whose key nothing stands is an empty one. */
#define LIST(key, type, member, count, entry, max)                                               \
    CYAML_FIELD_SEQUENCE_COUNT(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER_NULL, type, member, \
                               count, entry, 0, max)

static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, RAW_WORD_BYTES),
};

static const cyaml_schema_field_t limit_fields[] = {
    WORD("connections", struct raw_limits, connections),
    WORD("connections_per_address", struct raw_limits, connections_per_address),
    WORD("streams", struct raw_limits, streams),
    WORD("header_bytes", struct raw_limits, header_bytes),
    WORD("request_seconds", struct raw_limits, request_seconds),
    WORD("idle_seconds", struct raw_limits, idle_seconds),
    WORD("pending_bytes", struct raw_limits, pending_bytes),
    WORD("workers", struct raw_limits, workers),
    WORD("turns", struct raw_limits, turns),
    WORD("queued_sends", struct raw_limits, queued_sends),
    WORD("sessions_per_user", struct raw_limits, sessions_per_user),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t user_fields[] = {
    WORD_NEEDED("name", struct raw_user, name),
    WORD_NEEDED("right", struct raw_user, right),
    WORD("proxy", struct raw_user, proxy),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t door_fields[] = {
    WORD("kagent", struct raw_doors, kagent),
    WORD("docker-agent", struct raw_doors, docker_agent),
    WORD("ash", struct raw_doors, ash),
    WORD("esc", struct raw_doors, esc),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t user_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_user, user_fields),
};

static const cyaml_schema_field_t agent_fields[] = {
    WORD_NEEDED("name", struct raw_agent, name),
    WORD_NEEDED("kind", struct raw_agent, kind),
    TEXT("description", struct raw_agent, description, RAW_TEXT_BYTES),
    WORD("model", struct raw_agent, model),
    TEXT("prompt", struct raw_agent, prompt, RAW_PROMPT_BYTES),
    TEXT("script", struct raw_agent, script, RAW_PROMPT_BYTES),
    WORD("base_url", struct raw_agent, base_url),
    WORD("key_env", struct raw_agent, key_env),
    LIST("tools", struct raw_agent, tools, tool_count, &word, RAW_TOOLS),
    WORD("network", struct raw_agent, network),
    WORD("default", struct raw_agent, is_default),
    WORD("context_tokens", struct raw_agent, context_tokens),
    WORD("output_tokens", struct raw_agent, output_tokens),
    WORD("steps_max", struct raw_agent, steps_max),
    WORD("timeout_seconds", struct raw_agent, timeout_seconds),
    WORD("input_price", struct raw_agent, input_price),
    WORD("output_price", struct raw_agent, output_price),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t agent_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_agent, agent_fields),
};

static const cyaml_schema_field_t config_fields[] = {
    WORD("listen", struct raw_config, listen),
    CYAML_FIELD_MAPPING_PTR("listen_as", CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER_NULL,
                            struct raw_config, doors, door_fields),
    WORD("root", struct raw_config, root),
    WORD("db", struct raw_config, db),
    WORD("log", struct raw_config, log),
    WORD("sandbox", struct raw_config, sandbox),
    LIST("hosts", struct raw_config, hosts, host_count, &word, RAW_HOSTS),
    CYAML_FIELD_MAPPING_PTR("limits", CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER_NULL,
                            struct raw_config, limits, limit_fields),
    LIST("users", struct raw_config, users, user_count, &user_value, RAW_USERS),
    LIST("agents", struct raw_config, agents, agent_count, &agent_value, RAW_AGENTS),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t config_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_config, config_fields),
};

/* ---- what libcyaml says about a fault ---- */

enum { KEY_BYTES = 64, LINE_BYTES = 512 };

/* A step of its backtrace; the deepest comes first. */
struct frame {
    bool is_entry;
    unsigned index; /* counted from 1, as libcyaml does */
    char key[KEY_BYTES];
};

struct saying {
    char first[LINE_BYTES]; /* the line that says what is wrong; "" when there is none */
    struct frame frames[OUTLINE_DEPTH + 1];
    size_t frame_count;
    bool in_trace;
};

static void listen_to(cyaml_log_t level, void *context, const char *format, va_list args)
{
    struct saying *saying = context;
    struct frame frame = {0};
    char line[LINE_BYTES];

    if (level < CYAML_LOG_ERROR)
        return;
    vsnprintf(line, sizeof(line), format, args);
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "Load: Backtrace:") == 0) {
        saying->in_trace = true;
        return;
    }
    if (!saying->in_trace) {
        if (!saying->first[0])
            memcpy(saying->first, line, sizeof(line));
        return;
    }
    if (saying->frame_count > OUTLINE_DEPTH)
        return;
    if (sscanf(line, " in sequence entry '%u'", &frame.index) == 1)
        frame.is_entry = true;
    else if (sscanf(line, " in mapping field '%63[^']'", frame.key) != 1)
        frame.key[0] = '\0'; /* "in mapping": before any of its keys */
    saying->frames[saying->frame_count++] = frame;
}

/* The place of the frames from `from` on, as far as the outline has it. */
static const struct node *frames_find(const struct saying *saying, size_t from,
                                      const struct outline *outline)
{
    const struct node *node = outline->root;

    for (size_t i = saying->frame_count; node && i-- > from;) {
        const struct frame *frame = &saying->frames[i];
        const struct node *next = frame->is_entry ? node_item(node, frame->index - 1)
                                                  : node_member(node, str_of(frame->key));

        if (!next)
            break;
        node = next;
    }
    return node;
}

/* The fields of the map at a node: what the schema has on the way there. */
static const cyaml_schema_field_t *fields_of(const struct node *node)
{
    const cyaml_schema_field_t *fields;

    if (!node->parent)
        return config_fields;
    if (node->parent->kind == NODE_LIST)
        node = node->parent;
    fields = fields_of(node->parent);
    for (; fields->key; fields++)
        if (str_eq(node->key, str_of(fields->key)))
            break;
    assert(fields->key);
    return fields->value.type == CYAML_SEQUENCE ? fields->value.sequence.entry->mapping.fields
                                                : fields->value.mapping.fields;
}

/* A key whose value would be a secret: those are never written into the file. */
static bool is_secret(struct str key)
{
    static const char *const words[] = {"api_key", "apikey",   "api-key",    "key",
                                        "token",   "secret",   "password",   "access_token",
                                        "bearer",  "auth_key", "credential", "authorization"};
    char lower[KEY_BYTES] = "";

    for (size_t i = 0; i < key.n && i + 1 < sizeof(lower); i++)
        lower[i] = (char)(key.p[i] >= 'A' && key.p[i] <= 'Z' ? key.p[i] + 'a' - 'A' : key.p[i]);
    if (strstr(lower, "tokens")) /* a number of them */
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(lower, words[i]))
            return true;
    return false;
}

static enum fault_code unknown_key(const struct outline *outline, const struct node *map,
                                   struct fault *fault)
{
    const cyaml_schema_field_t *fields = fields_of(map), *field;
    enum fault_code code;
    struct buf known;

    for (const struct node *node = map->first; node; node = node->next) {
        for (field = fields; field->key; field++)
            if (str_eq(node->key, str_of(field->key)))
                break;
        if (field->key)
            continue;
        if (is_secret(node->key))
            return outline_fault(outline, node, fault,
                                 "secrets do not belong into this file: put it into a variable of "
                                 "the environment, and the variable's name here as key_env");
        buf_init(&known, FAULT_MESSAGE_MAX);
        for (field = fields; field->key; field++)
            buf_add_format(&known, "%s%s", known.n ? ", " : "", field->key);
        code = outline_fault(outline, node, fault, "there is no such key here (there are: %s)",
                             buf_str(&known).p);
        buf_clear(&known);
        return code;
    }
    return outline_fault(outline, map, fault, "it has an unknown key");
}

static enum fault_code missing_key(const struct saying *saying, const struct outline *outline,
                                   struct fault *fault)
{
    const char *colon = strrchr(saying->first, ' ');
    const struct node *node = frames_find(saying, 1, outline); /* the first is its last key */

    return outline_fault(outline, node, fault, "\"%s\" is missing", colon ? colon + 1 : "a key");
}

static const char *kind_words(enum node_kind kind)
{
    switch (kind) {
    case NODE_LIST:
        return "a list";
    case NODE_MAP:
        return "a map (key: value)";
    default:
        return "a single value";
    }
}

static enum fault_code wrong_shape(const struct saying *saying, const struct outline *outline,
                                   const struct node *node, struct fault *fault)
{
    enum node_kind want = NODE_VALUE;

    if (strstr(saying->first, "Expecting SEQUENCE"))
        want = NODE_LIST;
    else if (strstr(saying->first, "Expecting MAPPING"))
        want = NODE_MAP;
    return outline_fault(outline, node, fault, "must be %s, and is %s", kind_words(want),
                         kind_words(node->kind));
}

static enum fault_code raw_fault(cyaml_err_t err, const struct saying *saying,
                                 const struct outline *outline, struct fault *fault)
{
    const struct node *node = frames_find(saying, 0, outline);
    unsigned max = 0;

    switch (err) {
    case CYAML_ERR_OOM:
        abort();
    case CYAML_ERR_INVALID_KEY:
        return unknown_key(outline, frames_find(saying, 1, outline), fault);
    case CYAML_ERR_MAPPING_FIELD_MISSING:
        return missing_key(saying, outline, fault);
    case CYAML_ERR_INVALID_VALUE:
        return wrong_shape(saying, outline, node, fault);
    case CYAML_ERR_STRING_LENGTH_MIN:
        return outline_fault(outline, node, fault, "is empty");
    case CYAML_ERR_STRING_LENGTH_MAX:
        (void)sscanf(saying->first, "Load: STRING length > %u", &max);
        return outline_fault(outline, node, fault, "is too long: the limit is %u bytes", max);
    case CYAML_ERR_SEQUENCE_ENTRIES_MAX:
        (void)sscanf(saying->first, "Load: Excessive entries (%u", &max);
        return outline_fault(outline, frames_find(saying, 1, outline), fault,
                             "has too many entries: the limit is %u", max);
    default:
        return outline_fault(outline, node, fault, "cannot be read: %s", cyaml_strerror(err));
    }
}

/* ---- reading ---- */

static cyaml_config_t settings(struct saying *saying)
{
    return (cyaml_config_t){.log_fn = saying ? listen_to : NULL,
                            .log_ctx = saying,
                            .log_level = CYAML_LOG_ERROR,
                            .mem_fn = cyaml_mem,
                            .flags = CYAML_CFG_NO_ALIAS};
}

enum fault_code raw_read(struct str text, const struct outline *outline, struct raw_config **out,
                         struct fault *fault)
{
    struct saying saying = {0};
    cyaml_config_t config = settings(&saying);
    cyaml_data_t *data = NULL;
    cyaml_err_t err;

    *out = NULL;
    if (!outline->root)
        return FAULT_OK;
    err = cyaml_load_data((const uint8_t *)text.p, text.n, &config, &config_value, &data, NULL);
    if (err != CYAML_OK)
        return raw_fault(err, &saying, outline, fault);
    *out = data;
    return FAULT_OK;
}

void raw_free(struct raw_config *raw)
{
    cyaml_config_t config = settings(NULL);

    if (raw)
        cyaml_free(&config, &config_value, raw, 0);
}
