#include "agent/tool.h"

#include "agent/agent_permit.h"
#include "agent/tool_own.h"
#include "base/utf8.h"
#include "store/limits.h"

enum { ARGS_MAX = 4 };

#define OBJECT(properties, required)                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required \
    "],\"additionalProperties\":false}"
#define PROPERTY(name, type, text) \
    "\"" name "\":{\"type\":\"" type "\",\"description\":\"" text "\"}"
#define PATH_PROPERTY PROPERTY("path", "string", "Path relative to the working directory")

static const struct tool {
    const char *name, *description, *schema;
    struct json_member args[ARGS_MAX];
    size_t arg_count;
    tool_function *run;
    bool reads; /* changes nothing */
} tools[] = {
    {"bash",
     "Run a bash command in the working directory. Prints stdout and stderr together. Each call "
     "is a new shell: files stay, variables and cd do not.",
     OBJECT(PROPERTY("command", "string", "The command") "," PROPERTY("timeout_seconds", "integer",
                                                                      "Stop it after that long"),
            "\"command\""),
     {JSON_MUST("command", JSON_STRING), JSON_MAY("timeout_seconds", JSON_NUMBER | JSON_NULL)},
     2,
     tool_bash,
     false},
    {"read_file",
     "Read a text file. With offset and limit, only these lines.",
     OBJECT(PATH_PROPERTY "," PROPERTY("offset", "integer", "First line, from 1") "," PROPERTY(
                "limit", "integer", "Number of lines"),
            "\"path\""),
     {JSON_MUST("path", JSON_STRING), JSON_MAY("offset", JSON_NUMBER | JSON_NULL),
      JSON_MAY("limit", JSON_NUMBER | JSON_NULL)},
     3,
     tool_read_file,
     true},
    {"write_file",
     "Write a whole file; directories that are missing are made.",
     OBJECT(PATH_PROPERTY "," PROPERTY("content", "string", "All of its text"),
            "\"path\",\"content\""),
     {JSON_MUST("path", JSON_STRING), JSON_MUST("content", JSON_STRING)},
     2,
     tool_write_file,
     false},
    {"edit_file",
     "Replace a piece of text in a file. old_text must stand there exactly once, spaces and line "
     "ends included.",
     OBJECT(PATH_PROPERTY "," PROPERTY("old_text", "string", "The text that is there") "," PROPERTY(
                "new_text", "string", "The text that takes its place"),
            "\"path\",\"old_text\",\"new_text\""),
     {JSON_MUST("path", JSON_STRING), JSON_MUST("old_text", JSON_STRING),
      JSON_MUST("new_text", JSON_STRING)},
     3,
     tool_edit_file,
     false},
    {"list_files",
     "List a directory: names with sizes, directories with a slash at the end.",
     OBJECT(PROPERTY("path", "string", "Path relative to the working directory; . when left out"),
            ""),
     {JSON_MAY("path", JSON_STRING | JSON_NULL)},
     1,
     tool_list_files,
     true},
};

enum { TOOL_COUNT = sizeof(tools) / sizeof(tools[0]) };

/* Takes the next word off a list with blanks or commas between. */
static bool word_next(struct str *list, struct str *word)
{
    size_t n = 0;

    while (list->n && strchr(" ,\t\n", *list->p)) {
        list->p++;
        list->n--;
    }
    while (n < list->n && !strchr(" ,\t\n", list->p[n]))
        n++;
    *word = (struct str){list->p, n};
    if (n == 0)
        return false; /* `p` of an empty list may be NULL */
    list->p += n;
    list->n -= n;
    return true;
}

bool tool_allowed(const char *name, struct str allowed)
{
    struct str word;

    if (allowed.n == 0)
        return true;
    while (word_next(&allowed, &word))
        if (str_eq(word, str_of(name)))
            return true;
    return false;
}

enum fault_code tools_check(struct str allowed, struct fault *fault)
{
    struct str word;

    if (str_eq(allowed, STR("none")))
        return FAULT_OK;
    while (word_next(&allowed, &word)) {
        size_t i = 0;

        while (i < TOOL_COUNT && !str_eq(word, str_of(tools[i].name)))
            i++;
        if (i == TOOL_COUNT)
            return fault_set(fault, FAULT_INVALID,
                             "there is no tool \"%.*s\": there are bash, read_file, write_file, "
                             "edit_file, list_files, or \"none\"",
                             STR_ARG(word));
    }
    return FAULT_OK;
}

void tools_write(struct json_out *out, struct str allowed, const struct tool_rules *deny)
{
    bool begun = false;

    for (size_t i = 0; i < TOOL_COUNT; i++) {
        if (!tool_allowed(tools[i].name, allowed) || tool_rules_name(deny, str_of(tools[i].name)))
            continue;
        if (!begun)
            json_out_array(out, "tools");
        begun = true;
        json_out_object(out, NULL);
        json_out_string(out, "type", STR("function"));
        json_out_object(out, "function");
        json_out_string(out, "name", str_of(tools[i].name));
        json_out_string(out, "description", str_of(tools[i].description));
        json_out_raw(out, "parameters", str_of(tools[i].schema));
        json_out_object_end(out);
        json_out_object_end(out);
    }
    if (begun)
        json_out_array_end(out);
}

void tool_error(struct tool_work *work, struct str text)
{
    work->out->output = text;
    work->out->error = true;
}

enum fault_code tool_run(const struct tool_call *call, const struct agent_def *def,
                         struct agent_call *agent, struct arena *arena, struct tool_result *out,
                         struct fault *fault)
{
    struct tool_work work = {.def = def, .call = agent, .arena = arena, .id = call->id, .out = out};
    struct question question = {.id = call->id, .name = call->name};
    struct json_member args[ARGS_MAX];
    struct json_value value;
    struct fault wrong = {0};
    struct str refusal;
    size_t i = 0;

    *out = (struct tool_result){0};
    while (i < TOOL_COUNT && !str_eq(call->name, str_of(tools[i].name)))
        i++;
    if (i == TOOL_COUNT || !tool_allowed(tools[i].name, def->tools)) {
        tool_failed(&work, "there is no tool \"%.*s\"", STR_ARG(utf8_cut(call->name, 100)));
        return FAULT_OK;
    }
    memcpy(args, tools[i].args, sizeof(args));
    if (json_read(call->arguments.n ? call->arguments : STR("{}"), LIMIT_JSON_DEPTH,
                  "the arguments", &value, &wrong) ||
        json_members(&value, "the arguments", args, tools[i].arg_count, &wrong)) {
        tool_failed(&work, "%s", wrong.message);
        return FAULT_OK;
    }
    work.args = args;
    question.arguments = value.raw;
    if (agent_permit(agent, &question, tools[i].reads, arena, &refusal, fault) != FAULT_OK)
        return fault_pass(fault);
    if (refusal.n) {
        tool_error(&work, refusal);
        return FAULT_OK;
    }
    agent->worked = true;
    return tools[i].run(&work, fault);
}
