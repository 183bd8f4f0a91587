#include "tui/talk_export.h"

#include "tui/message_lay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAME_BYTES = 80, PAGE = 200 };

struct exporting {
    struct errand errand;
    struct tui *tui;
    const char *session, *path;
    char made[4096]; /* the name that was taken */
    int64_t count;
};

static bool fail(struct errand *errand, const char *path, const char *what)
{
    snprintf(errand->error.code, sizeof(errand->error.code), "file");
    snprintf(errand->error.detail, sizeof(errand->error.detail), "%s \"%s\": %s", what, path,
             strerror(errno));
    return false;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

/* A title as a file's name: what could mean something to a shell or a path becomes a dash. */
static struct str name_of(struct str title, char out[NAME_BYTES])
{
    size_t n = 0, at = 0;

    for (; at < title.n && n < NAME_BYTES; at++)
        if (is_plain(title.p[at]))
            out[n++] = title.p[at];
        else if (n && out[n - 1] != '-')
            out[n++] = '-';
    for (; n && at < title.n && (title.p[at] & 0xc0) == 0x80; at--)
        n--; /* a letter was cut */
    while (n && out[n - 1] == '-')
        n--;
    return n ? (struct str){out, n} : STR("conversation");
}

bool talk_export_path(const char *path, const char *title, char *out, size_t bytes)
{
    const char *home = path[0] == '~' && path[1] == '/' ? getenv("HOME") : NULL;
    char name[NAME_BYTES];
    int n;

    if (home)
        n = snprintf(out, bytes, "%s%s", home, path + 1);
    else if (*path)
        n = snprintf(out, bytes, "%s", path);
    else
        n = snprintf(out, bytes, "%.*s.md", STR_ARG(name_of(str_of(title), name)));
    return n >= 0 && (size_t)n < bytes;
}

static bool is_lines(const char *path)
{
    size_t n = strlen(path);

    return n >= 6 && strcmp(path + n - 6, ".jsonl") == 0;
}

static void write_part(FILE *file, const struct tine_part *part)
{
    if (strcmp(part->type, "text") == 0)
        fprintf(file, "%s\n\n", part->text ? part->text : "");
    else if (strcmp(part->type, "reasoning") == 0)
        fprintf(file, "<details><summary>thinking</summary>\n\n%s\n\n</details>\n\n",
                part->text ? part->text : "");
    else if (strcmp(part->type, "tool_call") == 0)
        fprintf(file, "**%s**\n\n```json\n%s\n```\n\n", part->name ? part->name : "tool",
                part->arguments ? part->arguments : "{}");
    else if (strcmp(part->type, "tool_result") == 0)
        fprintf(file, "````\n%s\n````\n\n", part->text ? part->text : "");
    else
        fprintf(file, "```json\n%s\n```\n\n", part->json);
}

static void write_message(FILE *file, const struct tine_message *message, bool lines)
{
    if (lines) {
        fprintf(file, "%s\n", message->json);
        return;
    }
    fprintf(file, "## %s\n\n", message_speaker(message));
    for (size_t i = 0; i < message->part_count; i++)
        write_part(file, &message->parts[i]);
}

static bool write_pages(struct exporting *exporting, struct tine *tine, FILE *file, bool lines)
{
    struct errand *errand = &exporting->errand;
    struct tine_messages_options options = {.limit = PAGE};
    struct tine_pages pages = {0};
    bool ok = true;

    while (ok && tine_pages_next(&pages, &options.cursor)) {
        ok = tine_messages(tine, exporting->session, &options, &pages.page, &errand->error);
        for (size_t i = 0; ok && i < pages.page->message_count; i++, exporting->count++)
            write_message(file, &pages.page->messages[i], lines);
        if (ok && ferror(file))
            ok = fail(errand, exporting->made, "cannot write");
    }
    tine_pages_end(&pages);
    return ok;
}

/* Never over a file that is there. */
static FILE *file_make(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int error = errno;

    if (fd >= 0 && !file) {
        close(fd);
        unlink(path);
        errno = error;
    }
    return file;
}

/* Nothing half written stays. */
static bool exporting_run(struct errand *errand, struct tine *tine)
{
    struct exporting *exporting = (struct exporting *)errand;
    const char *title;
    FILE *file;
    bool ok;

    tine_result_free(errand->result); /* of the time before, when the server was gone in between */
    errand->result = NULL;
    exporting->count = 0;
    if (!tine_session(tine, exporting->session, false, &errand->result, &errand->error))
        return false;
    title = errand->result->session->title;
    errno = ENAMETOOLONG;
    file = talk_export_path(exporting->path, title ? title : "", exporting->made,
                            sizeof(exporting->made))
               ? file_make(exporting->made)
               : NULL;
    if (!file)
        return fail(errand, exporting->made, "cannot make");
    if (!is_lines(exporting->made) && title && *title)
        fprintf(file, "# %s\n\n", title);
    ok = write_pages(exporting, tine, file, is_lines(exporting->made));
    if (fclose(file) != 0 && ok)
        ok = fail(errand, exporting->made, "cannot write");
    if (!ok)
        unlink(exporting->made);
    return ok;
}

static void exporting_done(struct errand *errand)
{
    struct exporting *exporting = (struct exporting *)errand;

    if (errand->ok)
        tui_say(exporting->tui, "wrote %" PRId64 " messages to %s", exporting->count,
                exporting->made);
    else
        tui_fail(exporting->tui, "the export failed", &errand->error);
}

void talk_export(struct tui *tui, const char *session, const char *path)
{
    struct exporting *exporting =
        errand_new(sizeof(*exporting), exporting_run, exporting_done, tui);
    struct arena *arena = &exporting->errand.arena;

    exporting->tui = tui;
    exporting->session = arena_dup(arena, str_of(session)).p;
    exporting->path = arena_dup(arena, str_of(path)).p;
    tui_say(tui, "writing the conversation …");
    errands_send(tui_errands(tui), LANE_LONG, &exporting->errand);
}
