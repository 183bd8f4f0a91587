/*
 * Forks a session at a message, says something different in each branch, and prints both answers.
 *
 *     branches SESSION MESSAGE 'One way' 'Another way'
 *
 * MESSAGE is the message after which the branches begin: an id, '#4', -1 or @label. The server is
 * that of TINE_SERVER, the token that of TINE_TOKEN.
 *
 *     cc branches.c $(pkg-config --cflags --libs libtine)
 */
#include <tine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(const char *what, const struct tine_error *error)
{
    fprintf(stderr, "branches: %s: %s (%s)\n", what, error->detail, error->code);
    return EXIT_FAILURE;
}

/* What the agent said, as it says it. */
static bool print_event(void *context, const struct tine_event *event)
{
    (void)context;
    if (event->text && strcmp(event->kind, "text") == 0)
        fwrite(event->text, 1, event->text_bytes, stdout);
    fflush(stdout);
    return true;
}

/* A fork of the session with one more message; prints its title and the answer. */
static int branch(struct tine *tine, const char *session, const char *message, const char *text)
{
    struct tine_fork_options fork = {.point = {.after = message, .part = true}};
    struct tine_send_options send = {.text = text, .on_event = print_event};
    struct tine_result *forked, *sent;
    struct tine_error error;
    int result = EXIT_SUCCESS;

    if (!tine_fork(tine, session, &fork, &forked, &error))
        return failed("fork", &error);
    printf("%s  %s\n> %s\n", forked->session->title, forked->session->id, text);
    if (!tine_send(tine, forked->session->id, &send, &sent, &error))
        result = failed("send", &error);
    else if (sent->turn_state && strcmp(sent->turn_state, "done") != 0)
        printf("(%s: %s)", sent->turn_state, sent->reason ? sent->reason : "no reason given");
    printf("\n\n");
    tine_result_free(sent);
    tine_result_free(forked);
    return result;
}

int main(int argc, char **argv)
{
    struct tine_options options = {.server = getenv("TINE_SERVER"), .token = getenv("TINE_TOKEN")};
    struct tine_result *found;
    struct tine_error error;
    struct tine *tine;
    int result;

    if (argc != 5) {
        fprintf(stderr, "usage: branches SESSION MESSAGE TEXT TEXT\n");
        return 2;
    }
    tine = tine_connect(&options, &error);
    if (!tine)
        return failed("connect", &error);
    if (!tine_session(tine, argv[1], true, &found, &error)) {
        result = failed("session", &error);
    } else {
        result = branch(tine, found->session->id, argv[2], argv[3]);
        if (result == EXIT_SUCCESS)
            result = branch(tine, found->session->id, argv[2], argv[4]);
    }
    tine_result_free(found);
    tine_free(tine);
    return result;
}
