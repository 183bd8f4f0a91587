#include "tui/served.h"

#include "support/check.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ECHO                                                                                       \
    "agents:\n  - {name: test/echo, kind: scripted, default: true, script: '[[{\"echo\":true}]]'}" \
    "\nsandbox: off\nlog: \"off\"\n"

enum { BATCH = 500 };

struct served {
    char folder[64];
    pid_t pid; /* 0: it is not running */
    int port;
    pthread_mutex_t lock; /* of the address: doors are used on other threads */
    char url[64];
};

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void run_server(const struct served *served, int out)
{
    char listen[32];
    int nowhere = open("/dev/null", O_RDWR);

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
    snprintf(listen, sizeof(listen), "127.0.0.1:%d", served->port);
    dup2(nowhere, 0);
    dup2(out, 1);
    dup2(nowhere, 2);
    unsetenv("TINE_DB");
    unsetenv("TINE_CONFIG");
    setenv("HOME", served->folder, 1);
    execl(getenv("TINE"), "tine", "serve", "--listen", listen, "--home", served->folder,
          (char *)NULL);
    _exit(127);
}

static void begin(struct served *served)
{
    char line[128] = "";
    int pipes[2];
    FILE *said;

    assert_non_null(getenv("TINE"));
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    served->pid = fork();
    assert_true(served->pid >= 0);
    if (served->pid == 0)
        run_server(served, pipes[1]);
    close(pipes[1]);
    said = fdopen(pipes[0], "r");
    assert_non_null(said);
    assert_non_null(fgets(line, sizeof(line), said));
    fclose(said);
    assert_int_equal(sscanf(line, "listening on http://127.0.0.1:%d", &served->port), 1);
    pthread_mutex_lock(&served->lock);
    snprintf(served->url, sizeof(served->url), "http://127.0.0.1:%d", served->port);
    pthread_mutex_unlock(&served->lock);
}

struct served *served_start(const char *config)
{
    struct served *served = calloc(1, sizeof(*served));

    assert_non_null(served);
    memcpy(served->folder, "/tmp/tine-tui-XXXXXX", sizeof("/tmp/tine-tui-XXXXXX"));
    assert_non_null(mkdtemp(served->folder));
    write_file(served->folder, "tine.yaml", config ? config : ECHO);
    pthread_mutex_init(&served->lock, NULL);
    begin(served);
    return served;
}

void served_kill(struct served *served)
{
    int status;

    if (!served->pid)
        return;
    kill(served->pid, SIGKILL);
    while (waitpid(served->pid, &status, 0) < 0 && errno == EINTR)
        ;
    served->pid = 0;
}

void served_again(struct served *served, bool away)
{
    if (away)
        served->port = 0;
    begin(served);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

void served_free(struct served *served)
{
    served_kill(served);
    nftw(served->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    pthread_mutex_destroy(&served->lock);
    free(served);
}

static struct tine *connect_to(void *context, bool (*stop)(void *), void *stop_context,
                               struct tine_error *error)
{
    struct served *served = context;
    char url[64];
    struct tine_options options = {.server = url, .stop = stop, .context = stop_context};

    pthread_mutex_lock(&served->lock);
    memcpy(url, served->url, sizeof(url));
    pthread_mutex_unlock(&served->lock);
    return tine_connect(&options, error);
}

struct tine *served_tine(struct served *served)
{
    struct tine_error error;
    struct tine *tine = connect_to(served, NULL, NULL, &error);

    assert_non_null(tine);
    return tine;
}

struct tui_door served_door(struct served *served)
{
    return (struct tui_door){connect_to, served};
}

/* ---- what is in it ---- */

static void check(bool done, const struct tine_error *error)
{
    if (!done)
        fail_msg("%d %s: %s", error->status, error->code, error->detail);
}

void served_session(struct served *served, const char *id, const char *agent)
{
    struct tine_session_options options = {.id = id, .agent = agent, .workspace_mode = "none"};
    struct tine *tine = served_tine(served);
    struct tine_error error;

    check(tine_create(tine, &options, NULL, &error), &error);
    tine_free(tine);
}

void served_say(struct served *served, const char *session, const char *text)
{
    struct tine_send_options options = {.text = text, .store_only = true};
    struct tine *tine = served_tine(served);
    struct tine_error error;

    check(tine_send(tine, session, &options, NULL, &error), &error);
    tine_free(tine);
}

static void fill(struct tine *tine, const char *session, int from, int count)
{
    struct tine_send_options options = {.store_only = true};
    struct tine_error error;
    struct buf json;

    buf_init(&json, 1024 * 1024);
    buf_add_text(&json, "{\"messages\":[");
    for (int i = from; i < from + count; i++)
        buf_add_format(&json, "%s{\"role\":\"%s\",\"text\":\"message %d\"}", i > from ? "," : "",
                       i % 2 ? "assistant" : "user", i);
    buf_add_text(&json, "]}");
    options.json = json.p;
    check(tine_send(tine, session, &options, NULL, &error), &error);
    buf_clear(&json);
}

void served_fill(struct served *served, const char *session, int from, int count)
{
    struct tine *tine = served_tine(served);

    for (int done = 0; done < count; done += BATCH)
        fill(tine, session, from + done, count - done < BATCH ? count - done : BATCH);
    tine_free(tine);
}
