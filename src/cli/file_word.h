/* Words of the command line that name files, and places at which they are looked at. */
#ifndef CLI_FILE_WORD_H
#define CLI_FILE_WORD_H

#include "cli/context.h"

/*
 * Takes "@MSG" off the end of a word: *start is what stands before it, *at the message, or NULL
 * when none is named. A label has its own at sign, too: "a.txt@@plan". What has a slash behind its
 * last at sign names no message; a single one at the end is dropped, for paths that have one
 * inside.
 */
FAULT_CHECK enum fault_code file_word_cut(struct cli *cli, const char *word, const char **start,
                                          const char **at, struct fault *fault);

/* PATH@MSG, or with --at a PATH. */
FAULT_CHECK enum fault_code file_word_place(struct cli *cli, const char *word, const char **path,
                                            const char **at, struct fault *fault);

/*
 * The path of a file below a session's directory, without "./" before it and a slash behind it.
 * *out is "" for the directory itself. A path that leads elsewhere is a wrong line.
 */
FAULT_CHECK enum fault_code file_word_path(struct cli *cli, const char *word, const char **out,
                                           struct fault *fault);

/* --at: the message; NULL when it is not given. */
FAULT_CHECK enum fault_code file_word_at(struct cli *cli, const char *option, const char **out,
                                         struct fault *fault);

/* The session of SESSION:REST. */
FAULT_CHECK enum fault_code file_word_session(struct cli *cli, const char *word,
                                              const struct tine_session **session,
                                              const char **rest, struct fault *fault);

#endif
