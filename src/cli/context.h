/*
 * What a command works with: its arguments, the server it speaks to or the store that it opens
 * itself, and where its answer goes. The answer is gathered in `text` and written out in pieces;
 * sentences for a person go to stderr.
 */
#ifndef CLI_CONTEXT_H
#define CLI_CONTEXT_H

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/term.h"
#include "engine/engine.h"
#include "json/json_out.h"

#include <tine.h>

enum cli_exit {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NOT_FOUND = 3,
    EXIT_CONFLICT = 4,
    EXIT_BUSY = 5
};

struct cli {
    const struct house_kinds *kinds;
    FILE *in, *out, *err;
    struct term term;     /* of out */
    struct term err_term; /* of err */
    bool told;            /* sentences are wanted: stderr is a terminal, or a tour is given */
    int out_error;        /* errno of the first write that failed */
    struct arena arena;   /* of the whole command */
    struct arena scratch; /* of one row of the answer */
    struct buf text;      /* the answer, as far as it is not written */
    struct json_out json; /* writes into text */
    const struct command *command;
    struct args args;
    bool as_json;
    bool wrong_usage; /* the fault is in the command line itself */
    bool found_wrong; /* done, and the answer is bad news: exit code 1 */
    /* of a refusal that has more to say than its fault; empty: there is none */
    struct str problem; /* all of it, JSON */
    struct str more;    /* lines for people, below the fault */
    bool at_home;       /* speaks to no server but the one inside this process */
    /* of commands that speak to a server: see connect.h */
    struct tine *tine;
    const char *address;   /* where its server is */
    struct house *house;   /* the server inside this process; NULL: another is used */
    struct cli_kept *kept; /* results that live as long as the command */
    /* of commands that work on the database itself */
    struct store *store;
    struct engine *engine;
    int64_t owner;
};

/*
 * Opens the database itself when it is not open yet, also while a server has it. A command line
 * that names a server is refused: such commands work on a home.
 */
FAULT_CHECK enum fault_code cli_open(struct cli *cli, struct fault *fault);
void cli_close(struct cli *cli); /* and the connection to the server */

/* A fault of the command line: exit code 2 and the usage. */
enum fault_code cli_usage(struct cli *cli, struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Writes what was gathered. FAULT_IO when stdout does not take it; FAULT_INTERRUPTED when its
 * reader has gone.
 */
FAULT_CHECK enum fault_code cli_flush(struct cli *cli, struct fault *fault);

/* The same when enough was gathered: for the rows of long answers. */
FAULT_CHECK enum fault_code cli_flush_some(struct cli *cli, struct fault *fault);

/* A sentence on stderr, when there is a person to read it and no JSON was asked for. */
void cli_tell(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * The session of a word: its id, a unique start or end of it, or its title. Connects when that was
 * not done yet. It lives as long as the command.
 */
FAULT_CHECK enum fault_code cli_session(struct cli *cli, const char *word,
                                        const struct tine_session **out, struct fault *fault);

/* The word is fit to name a session. */
FAULT_CHECK enum fault_code cli_session_word(struct cli *cli, const char *word,
                                             struct fault *fault);

/* Checks that an option's value is JSON, an object; *out is empty when it is not given. */
FAULT_CHECK enum fault_code cli_json_option(struct cli *cli, const char *name, struct str *out,
                                            struct fault *fault);

/* A whole number in [min, max]; `missing` when the option is not given. */
FAULT_CHECK enum fault_code cli_int_option(struct cli *cli, const char *name, int64_t min,
                                           int64_t max, int64_t missing, int64_t *out,
                                           struct fault *fault);

/* The option's value as text; STR_NONE when it is not given. Must be UTF-8. */
FAULT_CHECK enum fault_code cli_text_option(struct cli *cli, const char *name, struct str *out,
                                            struct fault *fault);

/* The same as a C string; NULL when it is not given. */
FAULT_CHECK enum fault_code cli_word_option(struct cli *cli, const char *name, const char **out,
                                            struct fault *fault);

/* As cli_json_option. */
FAULT_CHECK enum fault_code cli_object_option(struct cli *cli, const char *name, const char **out,
                                              struct fault *fault);

/* A name from the system, such as a path, as valid UTF-8; for answers only. */
struct str cli_valid(struct cli *cli, const char *name);

/* ---- pieces of answers for people ---- */

void cli_print(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_style(struct cli *cli, enum term_style style);
int cli_print_line(struct cli *cli, struct str text, int columns); /* as term_add_line */
void cli_print_time(struct cli *cli, int64_t ms);                  /* local time, to the minute */

/* The short form of a session's id: what is enough to name it in most homes. */
struct str cli_short_id(struct str id);

/* A reply of the server as it came. */
void cli_print_json(struct cli *cli, const char *json);

/* "1 message", "2 messages" */
void cli_print_count(struct cli *cli, int64_t count, const char *noun);

/* A title, or the word for a session without one. */
struct str cli_title(struct str title);

#endif
