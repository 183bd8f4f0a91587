/* What a snapshot does not take, and how it says so. */
#include "workspace/yard.h"

#include "workspace/restore.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- what is left out ---- */

static void test_special(void **state)
{
    struct yard *yard = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    mkfifoat(yard->dir, "fifo", 0644);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/work/socket", yard->scratch);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    yard_put(yard, "plain", STR("x"));
    yard_must_take(yard);
    yard_must_leave(yard, "fifo", LEFT_SPECIAL);
    yard_must_leave(yard, "socket", LEFT_SPECIAL);
    if (mknodat(yard->dir, "null", S_IFCHR | 0666, makedev(1, 3)) == 0) {
        yard_must_take(yard);
        yard_must_leave(yard, "null", LEFT_SPECIAL);
    }
    assert_int_equal(yard->last.files, 1);
    grow_old();
    yard_must_take(yard);
    yard_must_take(yard);
    assert_int_equal(yard->last.read, 0);
    close(fd);
}

static void test_large(void **state)
{
    struct yard *yard = *state;

    yard_put_size(yard, "sparse", (off_t)1 << 40);
    yard_put_size(yard, "just over", 64 * MIB + 1);
    yard_put_size(yard, "holes", 5 * MIB);
    yard_must_take(yard);
    yard_must_leave(yard, "sparse", LEFT_SIZE);
    yard_must_leave(yard, "just over", LEFT_SIZE);
    assert_int_equal(yard->last.left_all, 2);
    unlinkat(yard->dir, "sparse", 0);
    unlinkat(yard->dir, "just over", 0);
    yard_must_take(yard);
    yard_must_match(yard);
    yard->limits.file_bytes = 5 * MIB - 1; /* a limit that became smaller counts at once */
    yard_must_take(yard);
    yard_must_leave(yard, "holes", LEFT_SIZE);
}

static void test_many_left(void **state)
{
    struct yard *yard = *state;
    char name[16];

    for (int i = 0; i < SNAPSHOT_LEFT_TOLD + 5; i++) {
        snprintf(name, sizeof(name), "fifo%d", i);
        mkfifoat(yard->dir, name, 0644);
    }
    yard_must_take(yard);
    assert_int_equal(yard->last.left_count, SNAPSHOT_LEFT_TOLD);
    assert_int_equal(yard->last.left_all, SNAPSHOT_LEFT_TOLD + 5);
}

static void deep_make(int top, int depth)
{
    int fd = dup(top);

    for (int i = 0; i < depth; i++) {
        int below;

        assert_int_equal(mkdirat(fd, "d", 0755), 0);
        below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = below;
    }
    close(fd);
}

/* Goes down to the lowest one, which no path reaches, and removes each on the way up. */
static void deep_remove(int top)
{
    int fd = dup(top), next, depth = 0;

    while ((next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
        close(fd);
        fd = next;
        depth++;
    }
    while (depth--) {
        next = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
        assert_int_equal(unlinkat(fd, "d", AT_REMOVEDIR), 0);
    }
    close(fd);
}

/* In memory where there is such a place: so many directories take a disk half a minute. */
static void test_deep(void **state)
{
    struct yard *yard = *state;
    char path[2 * SNAPSHOT_DEPTH + 2], place[] = "/dev/shm/tine-test-XXXXXX";

    if (mkdtemp(place)) {
        close(yard->dir);
        yard->dir = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    deep_make(yard->dir, 10 * 1000);
    yard_must_take(yard);
    for (size_t i = 0; i < sizeof(path) - 1; i++)
        path[i] = i % 2 ? '/' : 'd';
    path[sizeof(path) - 1] = '\0';
    yard_must_leave(yard, path, LEFT_DEPTH);
    deep_remove(yard->dir);
    deep_make(yard->dir, SNAPSHOT_DEPTH);
    yard_must_take(yard);
    yard_must_match(yard);
    deep_remove(yard->dir);
    rmdir(place);
}

/* Root reads everything, unless it lays that power down. */
static void powers(uint32_t *keep, bool take_back)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    uint32_t dac = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);

    assert_int_equal(syscall(SYS_capget, &head, data), 0);
    if (!take_back)
        *keep = data[0].effective;
    data[0].effective = take_back ? *keep : data[0].effective & ~dac;
    assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

static void test_unreadable(void **state)
{
    struct yard *yard = *state;
    uint32_t keep = 0;

    yard_put(yard, "secret", STR("x"));
    yard_mode(yard, "secret", 0);
    mkdirat(yard->dir, "closed", 0);
    mkdirat(yard->dir, "half", 0700);
    yard_put(yard, "half/file", STR("y"));
    yard_mode(yard, "half", 0400); /* its names can be read, nothing else */
    powers(&keep, false);
    yard_must_take(yard);
    powers(&keep, true);
    yard_must_leave(yard, "secret", LEFT_UNREADABLE);
    yard_must_leave(yard, "closed", LEFT_UNREADABLE);
    yard_must_leave(yard, "half/file", LEFT_UNREADABLE);
    yard_mode(yard, "secret", 0600);
    yard_mode(yard, "closed", 0700);
    yard_mode(yard, "half", 0700);
    yard_must_take(yard);
    yard_must_match(yard);
}

/* Lacking descriptors is not the fault of a file: nothing is said about it. */
static void test_no_descriptors(void **state)
{
    struct yard *yard = *state;
    struct rlimit was, low;
    enum fault_code code;
    int probe;

    deep_make(yard->dir, 60);
    yard_must_take(yard);
    probe = dup(0);
    close(probe);
    getrlimit(RLIMIT_NOFILE, &was);
    low = was;
    low.rlim_cur = (rlim_t)probe + 20;
    setrlimit(RLIMIT_NOFILE, &low);
    code = yard_take(yard);
    setrlimit(RLIMIT_NOFILE, &was);
    CHECK_FAULT(code, FAULT_IO, &yard->fault);
    yard_must_take(yard);
    yard_must_match(yard);
}

static void test_mount(void **state)
{
    struct yard *yard = *state;
    char path[128];

    mkdirat(yard->dir, "mnt", 0755);
    mkdirat(yard->dir, "bound", 0755);
    yard_put(yard, "file", STR("below"));
    mkdirat(yard->dir, "other", 0755);
    yard_put(yard, "other/x", STR("x"));
    if (unshare(CLONE_FS | CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        skip();
    snprintf(path, sizeof(path), "%s/work/mnt", yard->scratch);
    if (mount("tmpfs", path, "tmpfs", 0, NULL) != 0)
        skip();
    {
        char from[128], to[128];

        snprintf(from, sizeof(from), "%s/work/other", yard->scratch);
        snprintf(to, sizeof(to), "%s/work/bound", yard->scratch);
        assert_int_equal(mount(from, to, NULL, MS_BIND, NULL), 0);
        snprintf(from, sizeof(from), "%s/work/other/x", yard->scratch);
        snprintf(to, sizeof(to), "%s/work/file", yard->scratch);
        assert_int_equal(mount(from, to, NULL, MS_BIND, NULL), 0);
    }
    close(yard->dir);
    snprintf(path, sizeof(path), "%s/work", yard->scratch);
    yard->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    yard_put(yard, "mnt/inside", STR("of another file system"));
    yard_must_take(yard);
    yard_must_leave(yard, "mnt", LEFT_MOUNT);
    yard_must_leave(yard, "bound", LEFT_MOUNT); /* of the same one */
    yard_must_leave(yard, "file", LEFT_MOUNT);
    assert_null(yard_at(yard, "mnt/inside"));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"mnt", "bound", "file"};

        snprintf(path, sizeof(path), "%s/work/%s", yard->scratch, names[i]);
        assert_int_equal(umount(path), 0);
    }
    yard_must_take(yard);
    yard_must_match(yard);
}

static void test_git_and_temps(void **state)
{
    struct yard *yard = *state;

    mkdirat(yard->dir, ".git", 0755);
    yard_put(yard, ".git/HEAD", STR("ref: refs/heads/main\n"));
    mkdirat(yard->dir, "sub", 0755);
    yard_put(yard, "sub/.git", STR("gitdir: elsewhere\n"));
    yard_put(yard, "sub/" RESTORE_TEMP "1", STR("half"));
    yard_put(yard, "sub/file", STR("x"));
    yard_put(yard, ".gitignore", STR("!.git\n"));
    yard_must_take(yard);
    assert_null(yard_at(yard, ".git"));
    assert_null(yard_at(yard, ".git/HEAD"));
    assert_null(yard_at(yard, "sub/.git"));
    assert_null(yard_at(yard, "sub/" RESTORE_TEMP "1"));
    assert_non_null(yard_at(yard, "sub/file"));
    assert_int_equal(yard->last.files, 2);
    assert_int_equal(yard->last.left_all, 0);
}

static void test_ignored(void **state)
{
    struct yard *yard = *state;

    mkdirat(yard->dir, "src", 0755);
    mkdirat(yard->dir, "node_modules", 0755);
    yard_put(yard, "node_modules/x", STR("derived"));
    yard_put(yard, "src/a.o", STR("object"));
    yard_put(yard, "src/a.c", STR("source"));
    yard_put(yard, ".gitignore", STR("*.o\n"));
    grow_old();
    for (int i = 0; i < 3; i++) { /* also as it is remembered */
        yard_must_take(yard);
        assert_int_equal(yard->last.read, i ? 0 : 2);
        assert_null(yard_at(yard, "src/a.o"));
        assert_null(yard_at(yard, "node_modules"));
        assert_non_null(yard_at(yard, "src/a.c"));
        assert_int_equal(yard->last.left_all, 0);
    }
    yard_put(yard, "src/b.o", STR("a new one"));
    yard_must_take(yard);
    assert_null(yard_at(yard, "src/b.o"));
    yard_put(yard, "src/.tineignore", STR("!b.o\n")); /* nothing but the rules changed */
    yard_must_take(yard);
    assert_null(yard_at(yard, "src/a.o"));
    assert_non_null(yard_at(yard, "src/b.o"));
    yard_put(yard, ".gitignore", STR("*.c\n"));
    yard_must_take(yard);
    assert_null(yard_at(yard, "src/a.c"));
    assert_non_null(yard_at(yard, "src/a.o"));
    /* A name that is left out as a directory only. */
    yard_put(yard, ".gitignore", STR("thing/\n"));
    mkdirat(yard->dir, "thing", 0755);
    yard_must_take(yard);
    assert_null(yard_at(yard, "thing"));
    unlinkat(yard->dir, "thing", AT_REMOVEDIR);
    yard_put(yard, "thing", STR("a file now"));
    yard_must_take(yard);
    assert_non_null(yard_at(yard, "thing"));
}

static void test_limits(void **state)
{
    struct yard *yard = *state;
    int pipes[2];

    yard_fill(yard, 50);
    yard->limits.entries = 57;
    yard_must_take(yard);
    yard->limits.entries = 56;
    CHECK_FAULT(yard_take(yard), FAULT_TOO_LARGE, &yard->fault);
    yard->limits = (struct snapshot_limits){.bytes = 100};
    CHECK_FAULT(yard_take(yard), FAULT_TOO_LARGE, &yard->fault);
    yard->limits = (struct snapshot_limits){0};
    assert_int_equal(pipe(pipes), 0);
    yard->cancel_fd = pipes[0];
    yard_must_take(yard);
    assert_int_equal(write(pipes[1], "x", 1), 1);
    CHECK_FAULT(yard_take(yard), FAULT_INTERRUPTED, &yard->fault);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        YARD_TEST(test_special),       YARD_TEST(test_large),      YARD_TEST(test_many_left),
        YARD_TEST(test_deep),          YARD_TEST(test_unreadable), YARD_TEST(test_no_descriptors),
        YARD_TEST(test_git_and_temps), YARD_TEST(test_ignored),    YARD_TEST(test_limits),
        YARD_TEST(test_mount),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
