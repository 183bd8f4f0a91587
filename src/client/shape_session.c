#include "client/shapes.h"

static const struct field label_fields[] = {
    FIELD("label", FIELD_TEXT, tine_label, label),
    FIELD("message", FIELD_TEXT, tine_label, message),
    FIELD("index", FIELD_INT, tine_label, index),
    FIELD("inherited", FIELD_BOOL, tine_label, inherited),
};

static const struct tine_label label_fresh = {.message = "", .index = -1};

const struct shape shape_label = {
    .what = "a label",
    .bytes = sizeof(struct tine_label),
    .fresh = &label_fresh,
    .fields = label_fields,
    .count = FIELD_COUNT(label_fields),
};

static const struct field parent_fields[] = {
    FIELD("session", FIELD_TEXT, tine_parent, session),
    FIELD("title", FIELD_TEXT, tine_parent, title),
    FIELD("message", FIELD_TEXT, tine_parent, message),
    FIELD("side", FIELD_TEXT, tine_parent, side),
    FIELD("index", FIELD_INT, tine_parent, index),
    FIELD("deleted", FIELD_BOOL, tine_parent, deleted),
};

static const struct tine_parent parent_fresh = {.session = "", .title = "", .side = "after"};

static const struct shape shape_parent = {
    .what = "a parent",
    .bytes = sizeof(struct tine_parent),
    .fresh = &parent_fresh,
    .fields = parent_fields,
    .count = FIELD_COUNT(parent_fields),
};

/* In a tree the parent is an id, and "point" beside it says where. */
static const struct field tree_point_fields[] = {
    FIELD("message", FIELD_TEXT, tine_parent, message),
    FIELD("side", FIELD_TEXT, tine_parent, side),
};

static const struct shape tree_point = {.what = "a point",
                                        .bytes = sizeof(struct tine_parent),
                                        .fields = tree_point_fields,
                                        .count = FIELD_COUNT(tree_point_fields)};

static const struct field tree_parent_fields[] = {
    FIELD("index", FIELD_INT, tine_parent, index),
    {.name = "point", .kind = FIELD_INSIDE, .at = 0, .shape = &tree_point},
};

static bool tree_parent_read(struct reader *reader, const struct json_value *value,
                             const struct json_value *id, struct tine_session *session)
{
    struct tine_parent *parent = arena_alloc(reader->arena, sizeof(*parent));

    *parent = (struct tine_parent){.title = "", .side = "after"};
    parent->session = text_dup(reader, json_text(id, reader->arena));
    session->parent = parent;
    return fields_read(reader, value, "a session", tree_parent_fields,
                       FIELD_COUNT(tree_parent_fields), parent);
}

static const struct field rewound_fields[] = {
    FIELD("index", FIELD_INT, tine_rewound, index),
    FIELD("messages", FIELD_INT, tine_rewound, messages),
    FIELD_SHAPE("first", FIELD_OBJECT, tine_rewound, first, &shape_message),
};

static bool rewound_rest(struct reader *reader, const struct json_value *value, void *out)
{
    const struct tine_rewound *rewound = out;

    (void)value;
    return rewound->first || error_set(reader->error, 0, "protocol",
                                       "the reply makes no sense: a stretch has no first message");
}

static const struct shape shape_rewound = {
    .what = "a stretch",
    .bytes = sizeof(struct tine_rewound),
    .fields = rewound_fields,
    .count = FIELD_COUNT(rewound_fields),
    .rest = rewound_rest,
};

static const struct field usage_fields[] = {
    FIELD_SHAPE("inherited", FIELD_INSIDE, tine_session, inherited, &shape_usage),
    FIELD_SHAPE("spent", FIELD_INSIDE, tine_session, spent, &shape_usage),
};

static const struct field workspace_fields[] = {
    FIELD("dir", FIELD_TEXT, tine_session, workspace_dir),
    FIELD("mode", FIELD_TEXT, tine_session, workspace_mode),
};

static const struct field turn_fields[] = {
    FIELD("id", FIELD_TEXT, tine_session, turn),
    FIELD("state", FIELD_TEXT, tine_session, turn_state),
};

/* Objects inside a session whose members stand in its struct. */
#define INSIDE(noun, table)                                                      \
    {                                                                            \
        .what = (noun), .bytes = sizeof(struct tine_session), .fields = (table), \
        .count = FIELD_COUNT(table)                                              \
    }
static const struct shape usage_more = INSIDE("usage", usage_fields);
static const struct shape turn = INSIDE("a turn", turn_fields);
#undef INSIDE

static bool workspace_rest(struct reader *reader, const struct json_value *value, void *out)
{
    struct tine_session *session = out;

    return bytes_read(reader, value, "dir_bytes", &session->workspace_dir, NULL);
}

static const struct shape workspace = {.what = "a workspace",
                                       .bytes = sizeof(struct tine_session),
                                       .fields = workspace_fields,
                                       .count = FIELD_COUNT(workspace_fields),
                                       .rest = workspace_rest};

static const struct field session_fields[] = {
    FIELD("id", FIELD_TEXT, tine_session, id),
    FIELD("title", FIELD_TEXT, tine_session, title),
    FIELD("agent", FIELD_TEXT, tine_session, agent),
    FIELD("user", FIELD_TEXT, tine_session, user),
    FIELD("head", FIELD_TEXT, tine_session, head),
    FIELD("messages", FIELD_INT, tine_session, messages),
    FIELD("state", FIELD_JSON, tine_session, state),
    FIELD("metadata", FIELD_JSON, tine_session, metadata),
    FIELD("limits", FIELD_JSON, tine_session, limits),
    FIELD("children", FIELD_INT, tine_session, children),
    FIELD("archived", FIELD_BOOL, tine_session, archived),
    FIELD("created_at", FIELD_TIME, tine_session, created_ms),
    FIELD("updated_at", FIELD_TIME, tine_session, updated_ms),
    FIELD("index", FIELD_INT, tine_session, index),
    FIELD("own_messages", FIELD_INT, tine_session, own_messages),
    FIELD("files_changed", FIELD_INT, tine_session, files_changed),
    FIELD("current", FIELD_BOOL, tine_session, current),
    FIELD_SHAPE("usage", FIELD_INSIDE, tine_session, usage, &shape_usage),
    {.name = "usage", .kind = FIELD_INSIDE, .at = 0, .shape = &usage_more},
    {.name = "workspace", .kind = FIELD_INSIDE, .at = 0, .shape = &workspace},
    {.name = "turn", .kind = FIELD_INSIDE, .at = 0, .shape = &turn},
    FIELD_ITEMS("labels", tine_session, labels, label_count, &shape_label),
    FIELD_ITEMS("rewound", tine_session, rewound, rewound_count, &shape_rewound),
};

static bool session_rest(struct reader *reader, const struct json_value *value, void *out)
{
    struct tine_session *session = out;
    struct json_value parent;

    if (!member_find(value, "parent", &parent))
        return true;
    if (parent.type == JSON_STRING)
        return tree_parent_read(reader, value, &parent, session);
    return shape_new(reader, &parent, &shape_parent, &session->parent);
}

static const struct tine_session session_fresh = {.id = "",
                                                  .title = "",
                                                  .agent = "",
                                                  .user = "",
                                                  .metadata = "{}",
                                                  .limits = "{}",
                                                  .workspace_mode = "none"};

const struct shape shape_session = {
    .what = "a session",
    .bytes = sizeof(struct tine_session),
    .fresh = &session_fresh,
    .fields = session_fields,
    .count = FIELD_COUNT(session_fields),
    .has_json = true,
    .json_at = offsetof(struct tine_session, json),
    .rest = session_rest,
};
