/*
 * What a message lays out is bounded: of a text, an output or a list of parts that is too long the
 * beginning is shown, and a line says how much more there is.
 */
#include "tui/message_lay.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "tui/age.h"
#include "tui/json_lay.h"
#include "tui/markdown.h"
#include "tui/message_copy.h"
#include "tui/text_lines.h"

#include <inttypes.h>

enum {
    ALL_LINES = 40 * 1000,
    IN_KIB = 10 * 1024, /* bytes: so many or more are told in KiB */
    FIRST_LINE = 1024,  /* bytes of it that are looked at */
    NAME_SHOWN = 200,
    GIST_COLUMNS = 300,
    MESSAGE_TEXT = 8 * 1024 * 1024
};

struct lay {
    struct flow *flow;
    struct arena *arena;
    const struct message_lay_options *options;
    bool plain;    /* the text is a person's, not markdown */
    bool any;      /* something stands below the heading */
    bool was_fold; /* a folded line stands above */
    size_t room;   /* bytes that may still be shown … */
    int lines;     /* … and lines */
};

static bool is(const char *word, const char *name)
{
    return word && strcmp(word, name) == 0;
}

static struct str part_text(const struct tine_part *part)
{
    return part->text ? (struct str){part->text, part->text_bytes} : STR("");
}

/* Text that should be short, such as a name. */
static struct str short_text(struct lay *lay, const char *text)
{
    return cells_fit(str_of(text ? text : ""), NAME_SHOWN, lay->arena, NULL);
}

static struct look faint(void)
{
    return look(TONE_FAINT);
}

static void say(struct lay *lay, struct look look, struct str words)
{
    flow_text(lay->flow, words, look);
    flow_break(lay->flow);
}

/* ---- heading ---- */

static const struct {
    const char *role, *speaker;
    enum tone tone;
} speakers[] = {
    {"user", "You", TONE_USER},
    {"assistant", "Assistant", TONE_ASSISTANT},
    {"tool", "Tool", TONE_TOOL},
    {"system", "System", TONE_FAINT},
};

static const struct {
    const char *kind, *speaker;
} kinds[] = {
    {"event", "Event"}, {"summary", "Summary"}, {"subsession", "Sub-session"},
    {"files", "Files"}, {"state", "State"},     {"move", "Move"},
};

static bool is_message(const struct tine_message *message)
{
    return !message->kind || is(message->kind, "message");
}

const char *message_speaker(const struct tine_message *message)
{
    if (is_message(message)) {
        for (size_t i = 0; i < sizeof(speakers) / sizeof(speakers[0]); i++)
            if (is(message->role, speakers[i].role))
                return speakers[i].speaker;
        return "Message";
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (is(message->kind, kinds[i].kind))
            return kinds[i].speaker;
    return "Note";
}

static enum tone speaker_tone(const char *role)
{
    for (size_t i = 0; i < sizeof(speakers) / sizeof(speakers[0]); i++)
        if (is(role, speakers[i].role))
            return speakers[i].tone;
    return TONE_FAINT;
}

static void heading_more(struct lay *lay, const struct tine_message *message)
{
    const struct message_lay_options *options = lay->options;
    char age[AGE_MAX];

    if (options->now_ms && message->created_ms) {
        age_text(message->created_ms, options->now_ms, age);
        flow_text(lay->flow, arena_printf(lay->arena, "  %s", age), faint());
    }
    if (options->label)
        flow_text(lay->flow,
                  arena_printf(lay->arena, "  @%.*s", STR_ARG(short_text(lay, options->label))),
                  look(TONE_MARK));
}

static void lay_heading(struct lay *lay, const struct tine_message *message)
{
    struct look bold = look_with(speaker_tone(message->role), LOOK_BOLD);

    flow_text(lay->flow, str_of(message_speaker(message)), bold);
    if (lay->options->numbered && message->index >= 0)
        flow_text(lay->flow, arena_printf(lay->arena, " (message %" PRId64 ")", message->index + 1),
                  bold);
    heading_more(lay, message);
    flow_break(lay->flow);
}

/* ---- parts ---- */

/* Before something that is read: a blank line below what stands there. */
static void begin_text(struct lay *lay)
{
    if (lay->any)
        flow_blank(lay->flow);
    lay->any = true;
    lay->was_fold = false;
}

/* Before a line that can be opened: those stand together. */
static void begin_fold(struct lay *lay)
{
    if (lay->any && !lay->was_fold)
        flow_blank(lay->flow);
    lay->any = lay->was_fold = true;
}

/* The words of how much was left out; below the text. */
static void say_more(struct lay *lay, size_t bytes)
{
    if (bytes >= IN_KIB)
        say(lay, faint(), arena_printf(lay->arena, "… %zu KiB more", bytes / 1024));
    else if (bytes)
        say(lay, faint(), arena_printf(lay->arena, "… %zu bytes more", bytes));
}

/* The start of the text that is shown. */
static struct str start_of(struct lay *lay, struct str text, size_t bytes, int lines)
{
    struct str shown = utf8_cut(text, bytes < lay->room ? bytes : lay->room), rest = shown, line;

    for (int i = 0; i < lines && lay->lines > 0 && text_lines_next(&rest, &line); i++)
        lay->lines--;
    shown.n -= rest.n;
    lay->room -= shown.n;
    return shown;
}

/* `missing`: bytes that follow, but are not there to be shown. */
static void lay_text(struct lay *lay, struct str text, size_t missing)
{
    struct str shown = start_of(lay, text, MESSAGE_TEXT_SHOWN, MESSAGE_TEXT_LINES);

    if (text.n == 0)
        return;
    begin_text(lay);
    if (lay->plain)
        flow_text(lay->flow, shown, look(TONE_TEXT));
    else
        markdown_lay(lay->flow, shown, look(TONE_TEXT));
    flow_break(lay->flow);
    say_more(lay, text.n - shown.n + missing);
}

static void lay_reasoning(struct lay *lay, struct str text, size_t missing)
{
    struct str shown = start_of(lay, text, MESSAGE_TEXT_SHOWN, MESSAGE_TEXT_LINES);

    if (text.n == 0)
        return;
    begin_text(lay);
    say(lay, look_with(TONE_FAINT, LOOK_ITALIC), STR("thinking"));
    flow_push(lay->flow, STR("│ "), STR("│ "), faint());
    markdown_lay(lay->flow, shown, look_with(TONE_FAINT, LOOK_DIM | LOOK_ITALIC));
    flow_pop(lay->flow);
    say_more(lay, text.n - shown.n + missing);
}

/* A line "▸ bash  ls -la", cut to the width; `gist` is clean. */
static void lay_fold(struct lay *lay, struct str name, struct str gist, const char *tail,
                     struct look look)
{
    const char *mark = lay->options->open ? "▾ " : "▸ ";
    int room = flow_room(lay->flow), used;
    struct str head = arena_printf(lay->arena, "%s%.*s", mark, STR_ARG(name));

    begin_fold(lay);
    head = cells_fit(head, room, lay->arena, &used);
    flow_exact(lay->flow, head, look_with(look.tone, LOOK_BOLD));
    room -= used + (int)strlen(tail) + 2;
    if (gist.n && room > 0) {
        flow_exact(lay->flow, STR("  "), look);
        flow_exact(lay->flow, cells_fit(gist, room, lay->arena, NULL), look);
    }
    if (*tail && room > 0)
        flow_exact(lay->flow, str_of(tail), faint());
    flow_break(lay->flow);
}

static struct str call_name(struct lay *lay, const char *name)
{
    return name && *name ? short_text(lay, name) : STR("tool");
}

static void lay_json(struct lay *lay, struct str json)
{
    bool fits = json.n <= lay->room;

    flow_push(lay->flow, STR("│ "), STR("│ "), faint());
    if (fits)
        json_lay(lay->flow, json, look(TONE_TEXT));
    else
        say_more(lay, json.n);
    flow_pop(lay->flow);
    lay->room -= fits ? json.n : 0;
}

static void lay_call(struct lay *lay, const char *name, struct str arguments)
{
    struct str shown = call_name(lay, name);

    if (!lay->options->open) {
        lay_fold(lay, shown, json_gist(arguments, lay->arena), "", look(TONE_TOOL));
        return;
    }
    lay_fold(lay, shown, STR_NONE, "", look(TONE_TOOL));
    lay_json(lay, arguments);
}

static bool is_blank(struct str line)
{
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
            return false;
    return true;
}

/* The first, or the last, line that says something, without the blanks before it. */
static struct str one_line(struct str text, bool last)
{
    struct str line, found = STR("");

    while ((last || found.n == 0) && text_lines_next(&text, &line))
        if (!is_blank(line))
            found = line;
    for (; found.n && (*found.p == ' ' || *found.p == '\t'); found.n--)
        found.p++;
    if (found.n && found.p[found.n - 1] == '\r')
        found.n--;
    return utf8_cut(found, FIRST_LINE);
}

/* What a tool gave out: as much of it as is here, and how many lines it has in all. */
struct output {
    struct str text;
    size_t lines;
    bool cut;
    bool error;
};

/* A line that is shown in part is one of those that are not. */
static size_t lines_left(const struct output *output, struct str shown)
{
    bool in_line = shown.n && shown.p[shown.n - 1] != '\n';

    return output->lines - text_lines_count(shown) + in_line;
}

static void lay_output_whole(struct lay *lay, const struct output *output, struct look look)
{
    struct str text = output->text;
    struct str shown = start_of(lay, text, MESSAGE_OUTPUT_SHOWN, MESSAGE_OUTPUT_LINES);

    flow_push(lay->flow, STR("│ "), STR("│ "), faint());
    flow_exact(lay->flow, shown, look);
    flow_break(lay->flow);
    if (shown.n < text.n || output->cut)
        say(lay, faint(), arena_printf(lay->arena, "… %zu more lines", lines_left(output, shown)));
    flow_pop(lay->flow);
}

static void lay_output(struct lay *lay, const char *word, const struct output *output, bool last)
{
    struct look tone = look(output->error ? TONE_BAD : TONE_FAINT);
    size_t lines = output->lines;
    struct str gist = STR_NONE;
    const char *tail = "";

    if (lines > 1)
        tail = arena_printf(lay->arena, " (%zu lines)", lines).p;
    if (!lay->options->open)
        gist = cells_clean(lines ? one_line(output->text, last) : STR("(nothing)"), lay->arena);
    lay_fold(lay, str_of(word), gist, tail, tone);
    if (lay->options->open)
        lay_output_whole(lay, output, look(output->error ? TONE_BAD : TONE_TEXT));
}

static void lay_file(struct lay *lay, const struct tine_part *part)
{
    struct str line = arena_printf(lay->arena, "[file: %.*s",
                                   STR_ARG(short_text(lay, part->name ? part->name : "unnamed")));

    begin_text(lay);
    flow_text(lay->flow, line, look(TONE_TOOL));
    if (part->media_type)
        flow_text(lay->flow,
                  arena_printf(lay->arena, ", %.*s", STR_ARG(short_text(lay, part->media_type))),
                  look(TONE_TOOL));
    if (part->bytes)
        flow_text(lay->flow,
                  arena_printf(lay->arena, ", %zu bytes",
                               (strlen(part->bytes) + part_left_out(part).bytes) / 4 * 3),
                  look(TONE_TOOL));
    else if (part->uri)
        flow_text(lay->flow,
                  arena_printf(lay->arena, ", %.*s", STR_ARG(short_text(lay, part->uri))),
                  look(TONE_TOOL));
    flow_text(lay->flow, STR("]"), look(TONE_TOOL));
    flow_break(lay->flow);
}

/* A part that is data, or of a type that is not known. */
static void lay_data(struct lay *lay, const struct tine_part *part)
{
    struct str json = str_of(part->json ? part->json : "");
    struct str name = call_name(lay, part->type && *part->type ? part->type : "part");
    struct str data = json_member_of(json, "data");

    json = data.n ? data : json;
    lay_fold(lay, name, lay->options->open ? STR_NONE : json_gist(json, lay->arena), "",
             look(TONE_TOOL));
    if (lay->options->open)
        lay_json(lay, json);
}

static void lay_result(struct lay *lay, const struct tine_part *part)
{
    struct part_left_out left_out = part_left_out(part);
    struct output output = {.text = part_text(part), .error = part->error};

    output.cut = left_out.bytes > 0;
    output.lines = output.cut ? left_out.lines : text_lines_count(output.text);
    lay_output(lay, part->error ? "failed" : "result", &output, false);
}

static void lay_part(struct lay *lay, const struct tine_part *part)
{
    if (is(part->type, "text"))
        lay_text(lay, part_text(part), part_left_out(part).bytes);
    else if (is(part->type, "reasoning"))
        lay_reasoning(lay, part_text(part), part_left_out(part).bytes);
    else if (is(part->type, "tool_call"))
        lay_call(lay, part->name, str_of(part->arguments ? part->arguments : ""));
    else if (is(part->type, "tool_result"))
        lay_result(lay, part);
    else if (is(part->type, "file"))
        lay_file(lay, part);
    else
        lay_data(lay, part);
}

static void lay_parts(struct lay *lay, const struct tine_message *message)
{
    size_t count = message->parts ? message->part_count : 0;

    for (size_t i = 0; i < count && i < MESSAGE_PARTS_SHOWN; i++)
        lay_part(lay, &message->parts[i]);
    if (count > MESSAGE_PARTS_SHOWN)
        say(lay, faint(),
            arena_printf(lay->arena, "… %zu more parts", count - MESSAGE_PARTS_SHOWN));
    if (count == 0 && message->large)
        say(lay, faint(), STR("(large: not read yet)"));
    else if (count == 0 && !message->erased)
        say(lay, faint(), STR("(empty)"));
}

static void lay_notes(struct lay *lay, const struct tine_message *message)
{
    if (message->erased)
        say(lay, faint(), STR("(erased)"));
    if (message->interrupted)
        say(lay, faint(), STR("(interrupted)"));
    if (message->adopted)
        say(lay, faint(), STR("(adopted from another session)"));
    if (message->merged)
        say(lay, faint(), STR("(tells of a merge)"));
}

/* ---- what is no message ---- */

static struct str move_words(const struct tine_message *message, struct arena *arena)
{
    const char *scope = message->scope && !is(message->scope, "both") ? message->scope : NULL;

    return arena_printf(arena, "%s to %" PRId64 " messages%s%s%s",
                        message->move ? message->move : "", message->to_index, scope ? " (" : "",
                        scope ? scope : "", scope ? ")" : "");
}

static struct str kind_words(const struct tine_message *message, struct arena *arena)
{
    if (message->move)
        return move_words(message, arena);
    if (is(message->kind, "files"))
        return arena_printf(arena, "changed%s%s", message->foreign ? " by others" : "",
                            message->left_out ? ", some not kept" : "");
    return json_gist(str_of(message->body ? message->body : ""), arena);
}

static void lay_kind(struct lay *lay, const struct tine_message *message)
{
    struct str line = arena_printf(lay->arena, "%s  %.*s", message_speaker(message),
                                   STR_ARG(kind_words(message, lay->arena)));

    flow_exact(lay->flow, cells_fit(line, flow_room(lay->flow), lay->arena, NULL), faint());
    flow_break(lay->flow);
}

static struct lay lay_begin(const struct message_lay_options *options, struct arena *arena)
{
    return (struct lay){
        .flow = flow_new(arena, options->width > 0 ? options->width : 1),
        .arena = arena,
        .options = options,
        .room = MESSAGE_ALL_SHOWN,
        .lines = ALL_LINES,
    };
}

struct laid message_lay(const struct tine_message *message,
                        const struct message_lay_options *options, struct arena *arena)
{
    struct lay lay = lay_begin(options, arena);

    if (!is_message(message)) {
        lay_kind(&lay, message);
        return flow_end(lay.flow);
    }
    lay.plain = !is(message->role, "assistant");
    lay_heading(&lay, message);
    flow_push(lay.flow, STR("  "), STR("  "), look(TONE_TEXT));
    lay_parts(&lay, message);
    lay_notes(&lay, message);
    flow_pop(lay.flow);
    return flow_end(lay.flow);
}

/* ---- while it is being said ---- */

/*
 * The text without an end that may yet become anything: a "-" below a line is the beginning of an
 * item, but would make a heading of that line until the next letters come.
 */
static struct str settled(struct str text)
{
    size_t at = text.n;

    while (at > 0 && strchr("-=*_#>|`~+:. \t0123456789", text.p[at - 1]) && text.p[at - 1])
        at--;
    return at == 0 || text.p[at - 1] == '\n' ? (struct str){text.p, at} : text;
}

static void lay_piece(struct lay *lay, const struct message_piece *piece)
{
    struct output output = {.text = piece->text};

    if (is(piece->kind, "reasoning"))
        lay_reasoning(lay, piece->text, 0);
    else if (is(piece->kind, "call"))
        lay_call(lay, piece->name, piece->text);
    else if (is(piece->kind, "output")) {
        output.lines = text_lines_count(piece->text);
        lay_output(lay, "output", &output, true);
    } else
        lay_text(lay, settled(piece->text), 0);
}

struct laid message_lay_pieces(const struct message_piece *pieces, size_t count,
                               const struct message_lay_options *options, struct arena *arena)
{
    struct lay lay = lay_begin(options, arena);

    if (count == 0)
        return flow_end(lay.flow);
    flow_text(lay.flow, STR("Assistant"), look_with(TONE_ASSISTANT, LOOK_BOLD));
    flow_break(lay.flow);
    flow_push(lay.flow, STR("  "), STR("  "), look(TONE_TEXT));
    for (size_t i = 0; i < count && i < MESSAGE_PARTS_SHOWN; i++)
        lay_piece(&lay, &pieces[i]);
    flow_pop(lay.flow);
    return flow_end(lay.flow);
}

/* ---- its words ---- */

struct str message_text(const struct tine_message *message, struct arena *arena)
{
    struct buf out;

    buf_init(&out, MESSAGE_TEXT);
    for (size_t i = 0; message->parts && i < message->part_count; i++) {
        const struct tine_part *part = &message->parts[i];

        if (!is(part->type, "text") || !part->text)
            continue;
        if (out.n)
            buf_add_char(&out, '\n');
        buf_add_str(&out, utf8_cut(part_text(part), MESSAGE_TEXT - out.n));
    }
    return buf_take(&out, arena);
}

static struct str part_gist(const struct tine_part *part, struct arena *arena)
{
    if (is(part->type, "tool_call"))
        return arena_printf(
            arena, "%s %.*s", part->name ? part->name : "tool",
            STR_ARG(json_gist(str_of(part->arguments ? part->arguments : ""), arena)));
    if (is(part->type, "file"))
        return arena_printf(arena, "[file: %s]", part->name ? part->name : "unnamed");
    if (part->text)
        return one_line(part_text(part), false);
    return json_gist(str_of(part->json ? part->json : ""), arena);
}

/* The first text that says something, else the first part that does. */
static struct str parts_gist(const struct tine_message *message, struct arena *arena)
{
    struct str first = STR("");

    for (size_t i = 0; message->parts && i < message->part_count && i < MESSAGE_PARTS_SHOWN; i++) {
        const struct tine_part *part = &message->parts[i];
        struct str gist = part_gist(part, arena);

        if (is(part->type, "text") && gist.n)
            return gist;
        if (first.n == 0)
            first = gist;
    }
    return first;
}

struct str message_gist(const struct tine_message *message, struct arena *arena)
{
    struct str gist = is_message(message) ? parts_gist(message, arena) : kind_words(message, arena);

    if (message->erased)
        gist = STR("(erased)");
    else if (gist.n == 0)
        gist = arena_printf(arena, "(%s)", message_speaker(message));
    return cells_fit(gist, GIST_COLUMNS, arena, NULL);
}
