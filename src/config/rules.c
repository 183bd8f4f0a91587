#include "config/rules.h"

#include "config/value.h"

#include <stddef.h>

enum { USER_NAME_BYTES = 128 };

/* ---- limits ---- */

static const struct limit_rule {
    const char *key;
    size_t raw, out; /* where it stands in the two structs */
    int64_t min, max;
} limit_rules[] = {
#define RULE(member, min, max)                                                                     \
    {                                                                                              \
#member, offsetof(struct raw_limits, member), offsetof(struct config_limits, member), min, \
            max                                                                                    \
    }
    RULE(connections, 1, 100000),
    RULE(connections_per_address, 1, 100000),
    RULE(streams, 1, 100000),
    RULE(header_bytes, 1024, INT64_C(1048576)),
    RULE(request_seconds, 1, 3600),
    RULE(idle_seconds, 1, 86400),
    RULE(pending_bytes, INT64_C(1048576), INT64_C(1) << 40),
    RULE(workers, 1, 256),
    RULE(turns, 1, 4096),
    RULE(queued_sends, 1, 1000),
    RULE(sessions_per_user, 1, 10000000),
#undef RULE
};

static enum fault_code limits_read(const struct raw_limits *raw, const struct outline *outline,
                                   struct config_limits *out, struct fault *fault)
{
    const struct node *map = node_member(outline->root, STR("limits"));
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; raw && !code && i < sizeof(limit_rules) / sizeof(limit_rules[0]); i++) {
        const struct limit_rule *rule = &limit_rules[i];
        char *text;

        memcpy(&text, (const char *)raw + rule->raw, sizeof(text));
        code = value_int(value_of(outline, map, rule->key, text), rule->min, rule->max,
                         (int64_t *)(void *)((char *)out + rule->out), fault);
    }
    if (!code && out->connections && out->connections_per_address > out->connections)
        return outline_fault(outline, node_member(map, STR("connections_per_address")), fault,
                             "is more than limits.connections");
    return code;
}

/* ---- users ---- */

static const char *const rights[] = {"read", "write", "run", "admin", NULL};

static enum fault_code user_read(const struct raw_user *raw, const struct outline *outline,
                                 const struct node *map, bool *proxy, struct fault *fault)
{
    struct value name = value_of(outline, map, "name", raw->name);

    if (value_name(name, "._@+-", USER_NAME_BYTES, fault) != FAULT_OK ||
        value_switch(value_of(outline, map, "proxy", raw->proxy), "true", "false", proxy, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    return value_word(value_of(outline, map, "right", raw->right), "right", rights, fault);
}

static enum fault_code users_read(const struct raw_config *raw, const struct outline *outline,
                                  struct arena *arena, struct config *out, struct fault *fault)
{
    const struct node *list = node_member(outline->root, STR("users"));
    const struct node *map = list ? list->first : NULL;
    struct config_user *users = arena_array(arena, raw->user_count, sizeof(users[0]));

    for (size_t i = 0; i < raw->user_count; i++, map = map->next) {
        const struct raw_user *user = &raw->users[i];

        assert(map); /* the outline has as many as the schema found */
        users[i].proxy = false;
        if (user_read(user, outline, map, &users[i].proxy, fault) != FAULT_OK)
            return fault_pass(fault);
        for (size_t j = 0; j < i; j++)
            if (strcmp(users[j].name, user->name) == 0)
                return outline_fault(outline, node_member(map, STR("name")), fault,
                                     "the user \"%s\" stands twice; the first is users[%zu]",
                                     user->name, j);
        users[i].name = arena_dup(arena, str_of(user->name)).p;
        users[i].right = arena_dup(arena, str_of(user->right)).p;
    }
    out->users = users;
    out->user_count = raw->user_count;
    return FAULT_OK;
}

/* ---- the rest ---- */

static const char *kept(struct arena *arena, const char *text)
{
    return text ? arena_dup(arena, str_of(text)).p : NULL;
}

static enum fault_code db_check(struct value value, struct fault *fault)
{
    struct str text = str_of(value.text), sqlite = STR("sqlite:");

    if (!value.text || (str_starts(text, sqlite) && text.n > sqlite.n))
        return FAULT_OK;
    /* Its text is not shown: the address of a database may have a password in it. */
    return outline_fault(value.outline, value.node, fault, "must be sqlite:PATH");
}

static enum fault_code hosts_read(const struct raw_config *raw, const struct outline *outline,
                                  struct arena *arena, struct config *out, struct fault *fault)
{
    const struct node *list = node_member(outline->root, STR("hosts"));
    const struct node *node = list ? list->first : NULL;
    const char **hosts = arena_array(arena, (size_t)raw->host_count + 1, sizeof(hosts[0]));

    for (size_t i = 0; i < raw->host_count; i++, node = node->next) {
        assert(node);
        if (value_host((struct value){outline, node, raw->hosts[i]}, fault) != FAULT_OK)
            return fault_pass(fault);
        hosts[i] = kept(arena, raw->hosts[i]);
    }
    out->hosts = hosts;
    return FAULT_OK;
}

/* ---- which dialect answers where ---- */

const char *const config_dialects[] = {"kagent", "docker-agent", "ash", "esc", NULL};

static enum fault_code doors_read(const struct raw_doors *raw, const struct outline *outline,
                                  struct arena *arena, struct config *out, struct fault *fault)
{
    const struct node *map = node_member(outline->root, STR("listen_as"));
    const char *const texts[] = {raw ? raw->kagent : NULL, raw ? raw->docker_agent : NULL,
                                 raw ? raw->ash : NULL, raw ? raw->esc : NULL};

    for (size_t i = 0; config_dialects[i]; i++) {
        assert(i < sizeof(texts) / sizeof(texts[0]));
        if (!texts[i])
            continue;
        if (value_listen(value_of(outline, map, config_dialects[i], texts[i]), fault) != FAULT_OK)
            return fault_pass(fault);
        out->doors[out->door_count++] =
            (struct config_door){config_dialects[i], kept(arena, texts[i])};
    }
    return FAULT_OK;
}

enum fault_code rules_apply(const struct raw_config *raw, const struct outline *outline,
                            struct arena *arena, struct config *out, struct fault *fault)
{
    static const char *const logs[] = {"text", "json", "off", NULL};
    const struct node *root = outline->root;
    bool sandbox = true;

    if (value_listen(value_of(outline, root, "listen", raw->listen), fault) != FAULT_OK ||
        doors_read(raw->doors, outline, arena, out, fault) != FAULT_OK ||
        value_word(value_of(outline, root, "root", raw->root), "dialect at the root",
                   config_dialects, fault) != FAULT_OK ||
        db_check(value_of(outline, root, "db", raw->db), fault) != FAULT_OK ||
        value_word(value_of(outline, root, "log", raw->log), "way to log", logs, fault) !=
            FAULT_OK ||
        value_switch(value_of(outline, root, "sandbox", raw->sandbox), "on", "off", &sandbox,
                     fault) != FAULT_OK ||
        hosts_read(raw, outline, arena, out, fault) != FAULT_OK ||
        limits_read(raw->limits, outline, &out->limits, fault) != FAULT_OK ||
        users_read(raw, outline, arena, out, fault) != FAULT_OK ||
        rules_agents(raw, outline, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    out->listen = kept(arena, raw->listen);
    out->root = kept(arena, raw->root);
    out->db = kept(arena, raw->db);
    out->log = kept(arena, raw->log);
    out->sandbox_off = !sandbox;
    return FAULT_OK;
}
