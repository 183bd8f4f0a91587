/*
 * The editor runs as a shell would run it: in a process group of its own that has the terminal,
 * with the signals as they are by default. When it is stopped (Ctrl-Z), so is this program; when
 * that is continued, the editor is.
 */
#include "tui/editor.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "base/write_all.h"
#include "tui/composer.h"
#include "tui/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A text in a file of its own, in a directory of its own. */
struct sheet {
    const char *directory, *path;
};

/* ---- the file ---- */

static enum fault_code failed(const char *what, const char *path, struct fault *fault)
{
    return fault_set(fault, FAULT_IO, "cannot %s \"%s\" for the editor: %s", what, path,
                     strerror(errno));
}

static void sheet_remove(const struct sheet *sheet)
{
    (void)unlink(sheet->path);
    (void)rmdir(sheet->directory); /* stays when the editor has left something there */
}

static enum fault_code sheet_make(struct sheet *sheet, struct str text, struct arena *arena,
                                  struct fault *fault)
{
    const char *home = getenv("TMPDIR");
    char *directory;
    int fd;
    bool written;

    if (!home || home[0] != '/')
        home = "/tmp";
    directory = (char *)arena_printf(arena, "%s/tine-XXXXXX", home).p;
    if (!mkdtemp(directory))
        return failed("make a directory in", home, fault);
    sheet->directory = directory;
    sheet->path = arena_printf(arena, "%s/message.md", directory).p;
    fd = open(sheet->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    written = fd >= 0 && write_all(fd, text) && (text.n == 0 || write_all(fd, STR("\n")));
    if (fd < 0 || close(fd) != 0 || !written) {
        enum fault_code code = failed("write", sheet->path, fault);

        sheet_remove(sheet);
        return code;
    }
    return FAULT_OK;
}

/* All of it, with one byte more than the limit at the most. */
static bool read_all(const char *path, struct buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat file;
    ssize_t n = 1;

    if (fd < 0)
        return false;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) {
        close(fd);
        errno = EINVAL;
        return false;
    }
    while (n > 0 && out->n < out->max) {
        char piece[16 * 1024];
        size_t room = out->max - out->n;

        n = read(fd, piece, room < sizeof piece ? room : sizeof piece);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            buf_add(out, piece, (size_t)n);
    }
    close(fd);
    return n >= 0;
}

/* The text without the line break that editors put at the end of a file. */
static struct str without_end(struct str text)
{
    if (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    if (text.n && text.p[text.n - 1] == '\r')
        text.n--;
    return text;
}

static enum fault_code sheet_read(const struct sheet *sheet, struct arena *arena, struct str *out,
                                  struct fault *fault)
{
    struct str text;
    struct buf bytes;

    buf_init(&bytes, COMPOSER_MAX + 2);
    if (!read_all(sheet->path, &bytes)) {
        buf_clear(&bytes);
        return failed("read", sheet->path, fault);
    }
    text = without_end(buf_take(&bytes, arena));
    if (text.n > COMPOSER_MAX)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the text is longer than %d MiB; it is kept in \"%s\"",
                         COMPOSER_MAX / 1024 / 1024, sheet->path);
    if (!utf8_valid(text) || (text.n && memchr(text.p, '\0', text.n)))
        return fault_set(fault, FAULT_INVALID, "the text is not valid UTF-8; it is kept in \"%s\"",
                         sheet->path);
    *out = text;
    return FAULT_OK;
}

/* ---- which one ---- */

static bool in_path(const char *name, struct arena *arena)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t n = strcspn(path, ":");

        if (n && access(arena_printf(arena, "%.*s/%s", (int)n, path, name).p, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static bool is_given(const char *word)
{
    return word && word[strspn(word, " \t\n")] != '\0';
}

/* NULL: there is none. */
static const char *choose(struct arena *arena)
{
    static const char *const known[] = {"sensible-editor", "editor", "nano", "vim", "vi"};

    if (is_given(getenv("VISUAL")))
        return getenv("VISUAL");
    if (is_given(getenv("EDITOR")))
        return getenv("EDITOR");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (in_path(known[i], arena))
            return known[i];
    return NULL;
}

/* ---- running it ---- */

/* The terminal, when this program is the one that has it; -1: there is no job control. */
static int open_terminal(void)
{
    int fd = isatty(STDIN_FILENO) ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1;

    if (fd >= 0 && tcgetpgrp(fd) != getpgrp()) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Whoever has not got the terminal is stopped when it takes it, unless that signal is blocked. */
static void give_terminal(int terminal, pid_t group)
{
    sigset_t block, before;

    sigemptyset(&block);
    sigaddset(&block, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    (void)tcsetpgrp(terminal, group);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool prepare(posix_spawnattr_t *how, posix_spawn_file_actions_t *files, int terminal)
{
    static const int defaults[] = {SIGINT,  SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU,
                                   SIGTERM, SIGPIPE, SIGCHLD, SIGWINCH};
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    sigset_t set, none;

    sigemptyset(&none);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        sigaddset(&set, defaults[i]);
    if (terminal >= 0) {
        flags |= POSIX_SPAWN_SETPGROUP;
        if (posix_spawnattr_setpgroup(how, 0) != 0 ||
            posix_spawn_file_actions_addtcsetpgrp_np(files, terminal) != 0)
            return false;
    }
    return posix_spawnattr_setsigdefault(how, &set) == 0 &&
           posix_spawnattr_setsigmask(how, &none) == 0 && posix_spawnattr_setflags(how, flags) == 0;
}

/* As git does it: the editor's words are the shell's, the file is its argument. */
static bool start(const char *editor, const char *path, int terminal, struct arena *arena,
                  pid_t *out)
{
    char *script = (char *)arena_printf(arena, "%s \"$@\"", editor).p;
    char *words[] = {"sh", "-c", script, (char *)editor, (char *)path, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int error = EINVAL;

    if (posix_spawnattr_init(&how) != 0)
        return false;
    if (posix_spawn_file_actions_init(&files) == 0) {
        if (prepare(&how, &files, terminal))
            error = posix_spawn(out, "/bin/sh", &files, &how, words, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&how);
    errno = error;
    return error == 0;
}

static int wait_for(pid_t child, int terminal)
{
    int status = 0;

    for (;;) {
        if (waitpid(child, &status, terminal >= 0 ? WUNTRACED : 0) < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        if (!WIFSTOPPED(status))
            return status;
        give_terminal(terminal, getpgrp());
        terminal_stop();
        give_terminal(terminal, child);
        (void)kill(-child, SIGCONT);
    }
}

/* A shell ignores the keys that end programs while one runs that has asked for the terminal. */
static int run(const char *editor, const char *path, struct arena *arena)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    int terminal = open_terminal(), status = -1;
    pid_t child;

    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    if (start(editor, path, terminal, arena, &child))
        status = wait_for(child, terminal);
    if (terminal >= 0) {
        give_terminal(terminal, getpgrp());
        close(terminal);
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return status;
}

/* What was written there before it failed is not thrown away. */
static enum fault_code gone_wrong(const struct sheet *sheet, const char *editor, int status,
                                  struct str text, struct arena *arena, struct fault *fault)
{
    struct fault ignored;
    struct str now;
    bool changed = sheet_read(sheet, arena, &now, &ignored) != FAULT_OK || !str_eq(now, text);
    const char *kept = "";

    if (changed && access(sheet->path, F_OK) == 0)
        kept = arena_printf(arena, "; what it wrote is kept in \"%s\"", sheet->path).p;
    else
        sheet_remove(sheet);
    if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return fault_set(fault, FAULT_IO, "the editor \"%s\" was not found (exit status 127)%s",
                         editor, kept);
    if (status >= 0 && WIFEXITED(status))
        return fault_set(fault, FAULT_IO, "the editor \"%s\" ended with exit status %d%s", editor,
                         WEXITSTATUS(status), kept);
    if (status >= 0 && WIFSIGNALED(status))
        return fault_set(fault, FAULT_IO, "the editor \"%s\" was ended by signal %d%s", editor,
                         WTERMSIG(status), kept);
    return fault_set(fault, FAULT_IO, "the editor \"%s\" could not be run%s", editor, kept);
}

enum fault_code editor_run(struct str text, struct arena *arena, struct str *out,
                           struct fault *fault)
{
    const char *editor = choose(arena);
    struct sheet sheet;
    int status;

    if (!editor)
        return fault_set(fault, FAULT_IO,
                         "there is no editor: set VISUAL or EDITOR to the one you use");
    if (sheet_make(&sheet, text, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    status = run(editor, sheet.path, arena);
    if (status != 0)
        return gone_wrong(&sheet, editor, status, text, arena, fault);
    if (sheet_read(&sheet, arena, out, fault) != FAULT_OK) {
        (void)rmdir(sheet.directory); /* when the file is gone */
        return fault_pass(fault);
    }
    sheet_remove(&sheet);
    return FAULT_OK;
}
