/* Errands on their lanes, against a real server and against one that never answers. */
#include "tui/served.h"

#include "support/check.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 20 * 1000, SOON_MS = 1500 /* sanitizers and a busy machine included */ };

struct rig {
    struct served *served;
    struct tui_door door;
    struct errands *errands;
    atomic_int woken;
    pthread_t screen;
    int told;
    char order[64]; /* the names of those that were told */
    bool ok;
    struct tine_error error;
};

static atomic_int dropped, finished;

static void wake(void *context)
{
    struct rig *rig = context;

    atomic_fetch_add(&rig->woken, 1);
}

static void rig_open(struct rig *rig, struct served *served)
{
    *rig = (struct rig){.served = served, .screen = pthread_self()};
    rig->door = served_door(served);
    rig->errands = errands_new(&rig->door, wake, rig);
}

static void wait_told(struct rig *rig, int count)
{
    int64_t end = clock_ms() + PATIENCE_MS;

    while (rig->told < count && clock_ms() < end) {
        errands_take(rig->errands);
        clock_pause_ms(1);
    }
    assert_int_equal(rig->told, count);
}

/* ---- errands of the tests ---- */

struct look {
    struct errand errand;
    const char *session;
    char name;
    int pause_ms;
};

static void look_drop(struct errand *errand)
{
    (void)errand;
    atomic_fetch_add(&dropped, 1);
}

static bool look_run(struct errand *errand, struct tine *tine)
{
    struct look *look = (struct look *)errand;

    clock_pause_ms(look->pause_ms);
    if (!tine_session(tine, look->session, false, &errand->result, &errand->error))
        return false;
    atomic_fetch_add(&finished, 1);
    return true;
}

static void look_done(struct errand *errand)
{
    struct look *look = (struct look *)errand;
    struct rig *rig = errand->owner;

    assert_true(pthread_equal(rig->screen, pthread_self()));
    assert_true(!errand->ok || strcmp(errand->result->session->id, look->session) == 0);
    rig->ok = errand->ok;
    rig->error = errand->error;
    rig->order[rig->told++] = look->name;
}

static void look_send(struct rig *rig, enum lane lane, char name, int pause_ms)
{
    struct look *look = errand_new(sizeof(*look), look_run, look_done, rig);

    look->session = arena_dup(&look->errand.arena, STR("s")).p;
    look->name = name;
    look->pause_ms = pause_ms;
    look->errand.drop = look_drop;
    errands_send(rig->errands, lane, &look->errand);
}

/* ---- a server that never answers ---- */

struct silent {
    int fd;
    char url[64];
};

static void silent_open(struct silent *silent)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(address);

    silent->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(silent->fd, (struct sockaddr *)&address, n), 0);
    assert_int_equal(listen(silent->fd, 8), 0);
    assert_int_equal(getsockname(silent->fd, (struct sockaddr *)&address, &n), 0);
    snprintf(silent->url, sizeof(silent->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
}

static struct tine *silent_connect(void *context, bool (*stop)(void *), void *stop_context,
                                   struct tine_error *error)
{
    struct silent *silent = context;

    return tine_connect(
        &(struct tine_options){.server = silent->url, .stop = stop, .context = stop_context},
        error);
}

static void silent_rig(struct rig *rig, struct silent *silent)
{
    silent_open(silent);
    *rig = (struct rig){.screen = pthread_self()};
    rig->door = (struct tui_door){silent_connect, silent};
    rig->errands = errands_new(&rig->door, wake, rig);
}

/* ---- tests ---- */

static struct served *served;

static void a_lane_keeps_the_order_and_lanes_do_not_wait(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    look_send(&rig, LANE_LOOK, 'x', 300);
    for (char name = 'a'; name < 'e'; name++)
        look_send(&rig, LANE_READ, name, 0);
    assert_true(errands_busy(rig.errands, &rig));
    assert_false(errands_busy(rig.errands, &served));
    wait_told(&rig, 4);
    assert_memory_equal(rig.order, "abcd", 4);
    assert_true(errands_busy(rig.errands, &rig));
    wait_told(&rig, 5);
    assert_true(rig.ok);
    assert_false(errands_busy(rig.errands, &rig));
    assert_true(atomic_load(&rig.woken) >= 1);
    errands_free(rig.errands);
}

static void nobody_is_told_before_he_asks(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    look_send(&rig, LANE_READ, 'a', 0);
    for (int64_t end = clock_ms() + PATIENCE_MS; !atomic_load(&rig.woken) && clock_ms() < end;)
        clock_pause_ms(1);
    assert_int_equal(rig.told, 0);
    errands_take(rig.errands);
    assert_int_equal(rig.told, 1);
    errands_free(rig.errands);
}

static void what_is_forgotten_is_not_told(void **state)
{
    int64_t before = clock_ms();
    struct rig rig, other;
    struct silent silent;

    (void)state;
    silent_rig(&rig, &silent);
    other = (struct rig){.screen = rig.screen};
    atomic_store(&dropped, 0);
    look_send(&rig, LANE_READ, 'a', 0);
    look_send(&rig, LANE_READ, 'b', 0);
    clock_pause_ms(100); /* the first one waits for its answer by now */
    errands_forget(rig.errands, &rig);
    assert_false(errands_busy(rig.errands, &rig));
    while (atomic_load(&dropped) < 2 && clock_ms() - before < PATIENCE_MS)
        clock_pause_ms(1);
    assert_int_equal(atomic_load(&dropped), 2);
    assert_true(clock_ms() - before < 100 + SOON_MS);
    errands_take(rig.errands);
    assert_int_equal(rig.told, 0);
    assert_int_equal(other.told, 0);
    errands_free(rig.errands);
    close(silent.fd);
}

static void an_act_that_has_begun_is_finished(void **state)
{
    int64_t end = clock_ms() + PATIENCE_MS;
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    atomic_store(&finished, 0);
    look_send(&rig, LANE_ACT, 'a', 200);
    look_send(&rig, LANE_ACT, 'b', 0);
    clock_pause_ms(50);
    errands_forget(rig.errands, &rig);
    while (!atomic_load(&finished) && clock_ms() < end)
        clock_pause_ms(1);
    clock_pause_ms(100);
    errands_take(rig.errands);
    assert_int_equal(rig.told, 0);
    assert_int_equal(atomic_load(&finished), 1); /* and not the second one */
    errands_free(rig.errands);
}

static void calls_that_wait_end_with_the_lanes(void **state)
{
    struct silent silent;
    struct rig rig;
    int64_t before;

    (void)state;
    silent_rig(&rig, &silent);
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        look_send(&rig, (enum lane)lane, 'a', 0);
        look_send(&rig, (enum lane)lane, 'b', 0);
    }
    clock_pause_ms(100);
    before = clock_ms();
    errands_free(rig.errands);
    assert_true(clock_ms() - before < SOON_MS);
    close(silent.fd);
}

static void a_server_that_comes_back_elsewhere_is_found(void **state)
{
    struct served *mine = served_start(NULL);
    struct rig rig;

    (void)state;
    served_session(mine, "s", NULL);
    rig_open(&rig, mine);
    look_send(&rig, LANE_READ, 'a', 0);
    look_send(&rig, LANE_ACT, 'b', 0);
    wait_told(&rig, 2);
    served_kill(mine);
    look_send(&rig, LANE_READ, 'c', 0);
    wait_told(&rig, 3);
    assert_false(rig.ok);
    assert_string_equal(rig.error.code, "connection");
    served_again(mine, true);
    look_send(&rig, LANE_ACT, 'd', 0); /* knows from the other lane that its handle is no good */
    wait_told(&rig, 4);
    assert_true(rig.ok);
    served_kill(mine);
    served_again(mine, true);
    look_send(&rig, LANE_READ, 'e', 0); /* what only reads is tried again at once */
    wait_told(&rig, 5);
    assert_true(rig.ok);
    errands_free(rig.errands);
    served_free(mine);
}

static int begin(void **state)
{
    (void)state;
    served = served_start(NULL);
    served_session(served, "s", NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    served_free(served);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_keeps_the_order_and_lanes_do_not_wait),
        cmocka_unit_test(nobody_is_told_before_he_asks),
        cmocka_unit_test(what_is_forgotten_is_not_told),
        cmocka_unit_test(an_act_that_has_begun_is_finished),
        cmocka_unit_test(calls_that_wait_end_with_the_lanes),
        cmocka_unit_test(a_server_that_comes_back_elsewhere_is_found),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
