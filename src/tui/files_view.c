#include "tui/files_view.h"

#include "tui/bars.h"
#include "tui/owned.h"
#include "tui/pager.h"
#include "tui/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FILES_MAX = 10000,       /* that are listed; of more it is said so */
    SHOWN_BYTES = 256 * 1024 /* of one file; of more it is said so */
};

struct files_view {
    struct view view;
    char *session, *at; /* at NULL: now */
    struct rows rows;
    struct tine_result **pages;
    size_t page_count;
    const struct tine_file **files;
    bool read; /* all of them are here */
    struct tine_error error;
    bool failed;
};

/* ---- the list ---- */

struct listing {
    struct errand errand;
    struct files_view *files;
    struct tine_files_options options;
    const char *session;
};

static void list_next(struct files_view *files, const char *cursor);

static bool listing_run(struct errand *errand, struct tine *tine)
{
    struct listing *listing = (struct listing *)errand;

    return tine_files(tine, listing->session, &listing->options, &errand->result, &errand->error);
}

static void *grown(void *items, size_t bytes)
{
    void *more = realloc(items, bytes);

    if (!more)
        abort();
    return more;
}

static void listing_done(struct errand *errand)
{
    struct files_view *files = ((struct listing *)errand)->files;
    struct tine_result *page = errand->result;
    size_t count = files->rows.count;

    if (!errand->ok) {
        files->failed = files->read = true;
        files->error = errand->error;
        tui_dirty(files->view.tui);
        return;
    }
    errand->result = NULL;
    files->pages = grown(files->pages, (files->page_count + 1) * sizeof(struct tine_result *));
    files->pages[files->page_count++] = page;
    files->files = grown(files->files, (count + page->file_count + 1) * sizeof(*files->files));
    for (size_t i = 0; i < page->file_count; i++)
        files->files[count + i] = &page->files[i];
    rows_count(&files->rows, count + page->file_count);
    files->read = !page->next || files->rows.count >= FILES_MAX;
    if (!files->read)
        list_next(files, page->next);
    tui_dirty(files->view.tui);
}

static void list_next(struct files_view *files, const char *cursor)
{
    struct listing *listing = errand_new(sizeof(*listing), listing_run, listing_done, files);
    struct arena *arena = &listing->errand.arena;

    listing->files = files;
    listing->session = arena_dup(arena, str_of(files->session)).p;
    listing->options = (struct tine_files_options){
        .at = files->at ? arena_dup(arena, str_of(files->at)).p : NULL,
        .part = files->at != NULL,
        .live = !files->at,
        .deep = true,
        .limit = 1000,
        .cursor = cursor ? arena_dup(arena, str_of(cursor)).p : NULL,
    };
    if (cursor)
        listing->options.live = false; /* it was looked at for the first page */
    errands_send(tui_errands(files->view.tui), LANE_LOOK, &listing->errand);
}

/* ---- reading one ---- */

struct reading {
    struct errand errand;
    struct files_view *files;
    const char *session, *path, *at, *name;
};

static bool reading_run(struct errand *errand, struct tine *tine)
{
    struct reading *reading = (struct reading *)errand;

    return tine_file_read(tine, reading->session, reading->path, reading->at, reading->at != NULL,
                          &errand->result, &errand->error);
}

static void reading_done(struct errand *errand)
{
    struct reading *reading = (struct reading *)errand;
    struct tui *tui = reading->files->view.tui;
    struct str text;

    if (!errand->ok) {
        tui_fail(tui, "the file cannot be read", &errand->error);
        return;
    }
    text = (struct str){errand->result->content, errand->result->content_bytes};
    if (text.n == 0) {
        tui_say(tui, "\"%s\" is empty", reading->name);
    } else if (memchr(text.p, '\0', text.n)) {
        tui_say(tui, "\"%s\" is binary: %zu bytes", reading->name, text.n);
    } else {
        if (text.n > SHOWN_BYTES)
            tui_say(tui, "the first %d KiB of %zu", SHOWN_BYTES / 1024, text.n / 1024);
        text.n = text.n > SHOWN_BYTES ? SHOWN_BYTES : text.n;
        tui_push(tui, pager_text(tui, reading->name, text, false));
    }
}

static void read_marked(struct files_view *files)
{
    const struct tine_file *file = files->rows.count ? files->files[files->rows.marked] : NULL;
    struct reading *reading;
    struct arena *arena;

    if (!file || strcmp(file->type, "dir") == 0 || strcmp(file->type, "left_out") == 0)
        return;
    reading = errand_new(sizeof(*reading), reading_run, reading_done, files);
    arena = &reading->errand.arena;
    reading->files = files;
    reading->session = arena_dup(arena, str_of(files->session)).p;
    reading->path = arena_dup(arena, str_of(file->path)).p;
    reading->name = arena_dup(arena, str_of(file->name)).p;
    reading->at = files->at ? arena_dup(arena, str_of(files->at)).p : NULL;
    errands_send(tui_errands(files->view.tui), LANE_LOOK, &reading->errand);
}

/* ---- the view ---- */

static void draw_file(void *context, struct pane pane, size_t index, bool marked)
{
    struct files_view *files = context;
    const struct tine_file *file = files->files[index];
    bool plain = strcmp(file->type, "file") == 0, link = strcmp(file->type, "link") == 0;
    struct look name = look_with(plain ? TONE_TEXT : TONE_FAINT, marked ? LOOK_MARKED : 0);
    struct look side = look_with(TONE_FAINT, marked ? LOOK_MARKED : 0);
    int right = pane.columns - 22;

    if (right < 20)
        right = pane.columns;
    pane_text(pane_columns(pane, 1, right - 2), 0, 0, name, str_of(file->name));
    if (right == pane.columns)
        return;
    if (plain)
        pane_format(pane, 0, right, side, "%12" PRId64 "  %s", file->size,
                    file->mode ? file->mode : "");
    else
        pane_format(pane, 0, right, side, "%12s  %s", link ? "link" : file->type,
                    file->reason ? file->reason : "");
}

static void draw(struct view *view, struct pane pane)
{
    struct files_view *files = (struct files_view *)view;
    char right[64];

    snprintf(right, sizeof(right), "%zu%s", files->rows.count, files->read ? "" : " …");
    bars_title(pane, 0, files->at ? "Files as they were there" : "Files", right);
    if (files->failed)
        pane_format(pane, 2, 2, look(TONE_BAD), "The files cannot be listed: %s",
                    files->error.detail);
    else
        rows_draw(&files->rows, pane_rows(pane, 1, pane.rows - 2), draw_file, files,
                  files->read ? "There are no files." : "…");
    bars_keys(pane, pane.rows - 1, "Enter: Read|↑↓: Move|q: Close");
}

static void press(struct view *view, const struct press *press)
{
    struct files_view *files = (struct files_view *)view;

    if (press->kind == PRESS_ESCAPE || press_is(press, 'q') || press_is_ctrl(press, 'c'))
        tui_close(view->tui, view);
    else if (press->kind == PRESS_ENTER)
        read_marked(files);
    else
        rows_press(&files->rows, press);
}

static void files_free(struct view *view)
{
    struct files_view *files = (struct files_view *)view;

    errands_forget(tui_errands(view->tui), files);
    for (size_t i = 0; i < files->page_count; i++)
        tine_result_free(files->pages[i]);
    free(files->pages);
    free(files->files);
    free(files->session);
    free(files->at);
    free(files);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, files_free};

struct view *files_view_new(struct tui *tui, const char *session, const char *at)
{
    struct files_view *files = calloc(1, sizeof(*files));

    if (!files)
        abort();
    files->session = owned_copy(session);
    files->at = owned_copy(at);
    files->view.ops = &ops;
    files->view.tui = tui;
    list_next(files, NULL);
    return &files->view;
}
