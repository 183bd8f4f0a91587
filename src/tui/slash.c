/* Commands that are typed: "/word arguments". */
#include "base/buf.h"
#include "tui/chat_own.h"
#include "tui/choice.h"
#include "tui/compare_view.h"
#include "tui/files_view.h"
#include "tui/moves.h"
#include "tui/pager.h"
#include "tui/talk_export.h"
#include "tui/tree_view.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a command is given: the chat, and the words behind it, without blanks at the ends. */
struct slash_call {
    struct chat *chat;
    struct tui *tui;
    const char *session; /* NULL: the conversation has not begun */
    const char *words;   /* "" when there are none */
    struct arena arena;
};

typedef void slash_do(struct slash_call *call);

struct slash {
    const char *name; /* with its slash */
    const char *words, *help;
    slash_do *run;
    bool needs_session, needs_words;
};

/* ---- places ---- */

/*
 * A message as the server knows it: a number is that which backtrack mode shows, counted from 1;
 * "@label", "-1" (the last) and the start of an id are the server's own. NULL, and said so, for a
 * number below 1.
 */
static const char *place_word(struct slash_call *call, const char *word)
{
    char *end;
    long long number = strtoll(word, &end, 10);

    if (*word == '-' || end == word || *end)
        return word;
    if (number < 1) {
        tui_fail_words(call->tui, "messages are counted from 1: \"%s\"", word);
        return NULL;
    }
    return arena_printf(&call->arena, "#%lld", number - 1).p;
}

/* "6", "after 6", "before 6"; nothing: after everything. False, and said so, when it is none. */
static bool point_read(struct slash_call *call, struct moves_point *out)
{
    struct str words = str_of(call->words);
    const char *place;

    *out = (struct moves_point){0};
    if (words.n == 0)
        return true;
    if (str_starts(words, STR("before ")))
        place = out->before = place_word(call, call->words + 7);
    else if (str_starts(words, STR("after ")))
        place = out->after = place_word(call, call->words + 6);
    else
        place = out->after = place_word(call, call->words);
    return place != NULL;
}

/* ---- the commands ---- */

static void run_new(struct slash_call *call)
{
    chat_open(&call->chat->view, NULL, NULL, NULL);
    if (*call->words)
        owned_set(&call->chat->title, call->words);
}

static void run_fork(struct slash_call *call)
{
    struct moves_point point;

    if (point_read(call, &point))
        moves_fork(call->tui, call->session, point, point.before != NULL);
}

static void run_rewind(struct slash_call *call)
{
    struct moves_point point;

    if (point_read(call, &point))
        moves_rewind(call->tui, call->session, point);
}

static void run_undo(struct slash_call *call)
{
    moves_undo(call->tui, call->session);
}

static void run_redo(struct slash_call *call)
{
    moves_redo(call->tui, call->session);
}

/* ---- those that name another session ---- */

typedef void other_then(struct slash_call *call, const struct tine_session *other);

/* A session is named by its title or a part of its id: the server finds it. */
struct other {
    struct errand errand;
    struct chat *chat;
    const char *session, *word;
    other_then *then;
};

static bool other_run(struct errand *errand, struct tine *tine)
{
    return tine_session(tine, ((struct other *)errand)->word, true, &errand->result,
                        &errand->error);
}

static void other_done(struct errand *errand)
{
    struct other *other = (struct other *)errand;
    struct slash_call call = {.chat = other->chat,
                              .tui = other->chat->view.tui,
                              .session = other->session,
                              .words = other->word};

    if (errand->ok)
        other->then(&call, errand->result->session);
    else
        tui_fail(call.tui, "which session?", &errand->error);
    tui_dirty(call.tui);
}

static void find_other(struct slash_call *call, other_then *then)
{
    struct other *other = errand_new(sizeof(*other), other_run, other_done, call->chat);
    struct arena *arena = &other->errand.arena;

    other->chat = call->chat;
    other->session = arena_dup(arena, str_of(call->session)).p;
    other->word = arena_dup(arena, str_of(call->words)).p;
    other->then = then;
    errands_send(tui_errands(call->tui), LANE_LOOK, &other->errand);
}

static void adopt_other(struct slash_call *call, const struct tine_session *other)
{
    moves_adopt(call->tui, call->session, other->id, other->title);
}

static void run_adopt(struct slash_call *call)
{
    find_other(call, adopt_other);
}

static void merge_other(struct slash_call *call, const struct tine_session *other)
{
    moves_merge(call->tui, call->session, other->id, other->title);
}

static void run_merge(struct slash_call *call)
{
    find_other(call, merge_other);
}

static void compare(struct slash_call *call, struct compare_side left, struct compare_side right)
{
    tui_push(call->tui, compare_view_new(call->tui, &left, &right));
}

static void diff_other(struct slash_call *call, const struct tine_session *other)
{
    compare(call, (struct compare_side){.session = call->session, .title = "this conversation"},
            (struct compare_side){.session = other->id, .title = other->title});
}

/* A number, a label or "-1" is a place here; nothing is where this fork parted; else a session. */
static void run_diff(struct slash_call *call)
{
    const struct tine_session *session = talk_session(call->chat->talk);
    const char *word = call->words;
    struct compare_side now = {.session = call->session, .title = "now"}, then = now;

    if (*word && *word != '@' && *word != '-' && strspn(word, "0123456789") != strlen(word)) {
        find_other(call, diff_other);
    } else if (*word) {
        then.at = place_word(call, word);
        then.title = arena_printf(&call->arena, "at %s", word).p;
        if (then.at)
            compare(call, then, now);
    } else if (session && session->parent && !session->parent->deleted) {
        compare(call,
                (struct compare_side){.session = session->parent->session,
                                      .title = session->parent->title},
                (struct compare_side){.session = call->session, .title = session->title});
    } else if (talk_count(call->chat->talk)) {
        then.at = "#0";
        then.title = "at message 1";
        compare(call, then, now);
    }
}

static void run_tree(struct slash_call *call)
{
    tui_push(call->tui, tree_view_new(call->tui, call->session));
}

static void run_files(struct slash_call *call)
{
    const char *at = *call->words ? place_word(call, call->words) : NULL;

    if (at || !*call->words)
        tui_push(call->tui, files_view_new(call->tui, call->session, at));
}

/* "/label NAME": the newest message; "/label NAME 6": that one; "/label - 6": takes it away. */
static void run_label(struct slash_call *call)
{
    const char *blank = strrchr(call->words, ' ');
    const char *place = blank ? place_word(call, blank + 1) : "-1";
    struct str label =
        blank ? (struct str){call->words, (size_t)(blank - call->words)} : str_of(call->words);

    if (!place)
        return;
    label = arena_dup(&call->arena, label);
    moves_label(call->tui, call->session, place, str_eq(label, STR("-")) ? NULL : label.p);
}

static void run_search(struct slash_call *call)
{
    tui_push(call->tui, search_view_new(call->tui, call->words));
}

static void run_find(struct slash_call *call)
{
    chat_find_open(call->chat->find, *call->words ? call->words : NULL);
}

static void run_sessions(struct slash_call *call)
{
    tui_push(call->tui, sessions_view_new(call->tui));
}

/* The agent was chosen for a conversation that has begun: it goes on in a fork, or anew. */
struct agent_choice {
    struct chat *chat;
    char *agent;
};

static void agent_place(void *context, char key)
{
    struct agent_choice *choice = context;
    struct chat *chat = choice->chat;

    if (key == 'f' && talk_id(chat->talk)) {
        moves_fork_to(chat->view.tui, talk_id(chat->talk), choice->agent);
    } else if (key == 'n') {
        owned_set(&chat->agent, choice->agent);
        chat_open(&chat->view, NULL, NULL, NULL);
    }
    free(choice->agent);
    free(choice);
}

static void agent_chosen(void *context, const char *agent)
{
    static const struct choice_answer answers[] = {
        {'f', "go on from here with it, in a fork"},
        {'n', "begin a new conversation with it"},
    };
    struct chat *chat = context;
    struct agent_choice *choice;

    if (!agent)
        return;
    if (!talk_id(chat->talk)) {
        owned_set(&chat->agent, agent);
        return;
    }
    choice = calloc(1, sizeof(*choice));
    if (!choice)
        abort();
    choice->chat = chat;
    owned_set(&choice->agent, agent);
    tui_push(chat->view.tui, choice_new(chat->view.tui, &(struct choice_spec){.title = agent,
                                                                              .answers = answers,
                                                                              .count = 2,
                                                                              .call = agent_place,
                                                                              .context = choice}));
}

static void run_agent(struct slash_call *call)
{
    if (*call->words)
        agent_chosen(call->chat, call->words);
    else
        tui_push(call->tui, agents_view_new(call->tui, agent_chosen, call->chat));
}

static void run_title(struct slash_call *call)
{
    if (call->session)
        moves_title(call->tui, call->session, call->words);
    else
        owned_set(&call->chat->title, call->words);
}

static void run_export(struct slash_call *call)
{
    talk_export(call->tui, call->session, call->words);
}

static void run_quit(struct slash_call *call)
{
    tui_quit(call->tui);
}

static slash_do run_help;

/* In the order of the help. */
static const struct slash commands[] = {
    {"/new", "[TITLE]", "begin another conversation", run_new, false, false},
    {"/fork", "[[before|after] N]", "go on from message N in a new session; without N from here",
     run_fork, true, false},
    {"/rewind", "[before|after] N", "take this session back to message N; nothing is lost",
     run_rewind, true, true},
    {"/undo", "", "take the newest rewind, adopt or merge back", run_undo, true, false},
    {"/redo", "", "take the newest undo back", run_redo, true, false},
    {"/adopt", "SESSION", "keep the winner: take over what another branch has", run_adopt, true,
     true},
    {"/tree", "", "the family of this session (Ctrl-T)", run_tree, true, false},
    {"/diff", "[N | SESSION]", "compare with message N, another session, or the parent", run_diff,
     true, false},
    {"/merge", "SESSION", "bring in the files that another branch has changed", run_merge, true,
     true},
    {"/files", "[N]", "the files, now or as they were at message N", run_files, true, false},
    {"/label", "NAME [N]", "name a message, the newest or N; \"-\" takes the name away", run_label,
     true, true},
    {"/search", "WORDS", "search all sessions", run_search, false, true},
    {"/find", "[WORDS]", "find in this conversation (Ctrl-F)", run_find, true, false},
    {"/sessions", "", "all sessions (Ctrl-S)", run_sessions, false, false},
    {"/agent", "[NAME]", "choose who answers: in a fork from here, or anew", run_agent, false,
     false},
    {"/title", "TEXT", "name this session", run_title, false, true},
    {"/export", "[FILE]", "write the conversation to a file: .md or .jsonl", run_export, true,
     false},
    {"/help", "", "keys and commands", run_help, false, false},
    {"/quit", "", "leave (Ctrl-D)", run_quit, false, false},
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char help_keys[] =
    "# Keys\n\n"
    "| key | does |\n|---|---|\n"
    "| Enter | sends; Alt-Enter or Ctrl-J begins a new line |\n"
    "| Esc | with an empty composer: backtrack mode; with text: clears it (Up brings it back); "
    "while the agent answers: stops it |\n"
    "| PgUp, PgDn, wheel | scroll; Home and End with an empty composer: to the ends |\n"
    "| Up, Down | what was sent before, in the first and last line of the composer |\n"
    "| Ctrl-R | search in it |\n"
    "| Tab | completes a command; with an empty composer opens and folds tool calls |\n"
    "| Ctrl-O | write in your own editor |\n"
    "| Ctrl-T | the tree |\n"
    "| Ctrl-S | sessions |\n"
    "| Ctrl-N | a new conversation |\n"
    "| Ctrl-F | find in this conversation |\n"
    "| Ctrl-G | a failure was read: take it away |\n"
    "| Ctrl-L | draw everything again |\n"
    "| Ctrl-Z | back to the shell for a while |\n"
    "| Ctrl-C | clears, stops; twice leaves |\n"
    "| Ctrl-D | leaves |\n\n"
    "# Backtrack mode\n\n"
    "| key | does |\n|---|---|\n"
    "| Esc, Up, Left, k | one message back; at the oldest one Esc leaves |\n"
    "| Down, Right, j | one message forward |\n"
    "| Home, End | the oldest, the newest |\n"
    "| Tab | all messages, or only yours |\n"
    "| Enter | fork: after an answer, or before your message, whose text you edit |\n"
    "| a | fork after the message, whatever it is |\n"
    "| r | rewind this session: conversation, files or both |\n"
    "| d | what is different between there and now |\n"
    "| Esc three times, q, Ctrl-C | leave |\n\n"
    "# Commands\n\n"
    "| command | does |\n|---|---|\n";

static void run_help(struct slash_call *call)
{
    struct buf text;

    buf_init(&text, 64 * 1024);
    buf_add_text(&text, help_keys);
    for (size_t i = 0; i < COMMANDS; i++) {
        buf_add_format(&text, "| `%s%s", commands[i].name, *commands[i].words ? " " : "");
        for (const char *c = commands[i].words; *c; c++)
            buf_add_text(&text, *c == '|' ? "\\|" : (char[]){*c, '\0'});
        buf_add_format(&text, "` | %s |\n", commands[i].help);
    }
    buf_add_text(&text, "\nA text that begins with a slash is sent with two of them. N is the "
                        "number that backtrack mode shows; a label is @NAME.\n");
    tui_push(call->tui, pager_text(call->tui, "Help", buf_str(&text), true));
    buf_clear(&text);
}

/* ---- from text to command ---- */

static const struct slash *find_command(struct str name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (str_eq(str_of(commands[i].name), name))
            return &commands[i];
    return NULL;
}

static void call_command(struct slash_call *call, const struct slash *command)
{
    if (command->needs_session && !call->session)
        tui_fail_words(call->tui, "%s needs a conversation that has begun", command->name);
    else if (command->needs_words && !*call->words)
        tui_fail_words(call->tui, "%s needs to know more: %s %s", command->name, command->name,
                       command->words);
    else
        command->run(call);
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

/* The word with its slash; empty when it is none, as in a path. */
static struct str word_of(struct str text)
{
    size_t n = 1;

    if (text.n < 2 || text.p[0] != '/')
        return STR_NONE;
    while (n < text.n && is_letter(text.p[n]))
        n++;
    if (n < text.n && text.p[n] != ' ' && text.p[n] != '\n')
        return STR_NONE;
    return (struct str){text.p, n};
}

static struct str trimmed(struct str text)
{
    while (text.n && (*text.p == ' ' || *text.p == '\n')) {
        text.p++;
        text.n--;
    }
    while (text.n && (text.p[text.n - 1] == ' ' || text.p[text.n - 1] == '\n'))
        text.n--;
    return text;
}

bool slash_run(struct chat *chat, struct str text)
{
    struct str word = word_of(text);
    const struct slash *command;
    struct slash_call call = {.chat = chat, .tui = chat->view.tui};

    if (word.n == 0)
        return false;
    command = find_command(word);
    if (!command) {
        composer_set(chat->composer, text);
        tui_fail_words(call.tui, "there is no command %.*s; /help shows them", STR_ARG(word));
        return true;
    }
    arena_init(&call.arena);
    text = trimmed((struct str){word.p + word.n, text.n - word.n});
    call.words = arena_dup(&call.arena, text).p;
    if (talk_id(chat->talk))
        call.session = arena_dup(&call.arena, str_of(talk_id(chat->talk))).p;
    call_command(&call, command);
    arena_clear(&call.arena);
    return true;
}

bool slash_complete(void *context, struct str text, size_t index, struct composer_offer *out)
{
    (void)context;
    if (text.n == 0 || text.p[0] != '/')
        return false;
    for (size_t i = 0; i < COMMANDS; i++)
        if (str_starts(str_of(commands[i].name), text) && index-- == 0) {
            *out = (struct composer_offer){commands[i].name, commands[i].help};
            return true;
        }
    return false;
}
