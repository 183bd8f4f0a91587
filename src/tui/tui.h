/*
 * The terminal UI. One thread draws and listens to keys; calls to the server are errands, and what
 * happens there comes by feeds. Views share what is declared here.
 *
 *   keyboard → view → errand → server → feed → talk → view → screen
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "tui/run.h"
#include "tui/view.h"

void tui_push(struct tui *tui, struct view *view);  /* on top; adopts it */
void tui_close(struct tui *tui, struct view *view); /* freed when the press is done */
void tui_dirty(struct tui *tui);                    /* draw again */
void tui_due(struct tui *tui, int64_t at_ms); /* … then (monotonic), whatever happens; 0: no need */
void tui_quit(struct tui *tui);
void tui_suspend(struct tui *tui); /* Ctrl-Z */

struct errands *tui_errands(struct tui *tui);
const struct tui_options *tui_options(const struct tui *tui);
struct screen *tui_screen(struct tui *tui);
int64_t tui_now_ms(void);  /* monotonic */
int64_t tui_wall_ms(void); /* since 1970 */

/* The id of the session in the chat below all views; NULL: none. */
const char *tui_session(const struct tui *tui);

/*
 * Closes all views but the chat and opens that session in it. `note` (NULL: none) is told there,
 * `text` (NULL: none) is put into the composer.
 */
void tui_open(struct tui *tui, const char *session, const char *note, const char *text);

/* The same, with that message in sight; one that is not in the session is told as a failure. */
void tui_open_at(struct tui *tui, const char *session, const char *message);

/* Is it the topmost view, apart from those that are closed? */
bool tui_is_top(const struct tui *tui, const struct view *view);

/* The press goes to the topmost view. */
void tui_press(struct tui *tui, const struct press *press);

/* The person has read the oldest failure; false: there was none. */
bool tui_read(struct tui *tui);

/* A sentence that goes away by itself. */
void tui_say(struct tui *tui, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A failure: stays on the screen until the person says that it was read (Ctrl-G, or Enter in an
 * empty composer). `what` was tried: "cannot fork". */
void tui_fail(struct tui *tui, const char *what, const struct tine_error *error);
void tui_fail_words(struct tui *tui, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
